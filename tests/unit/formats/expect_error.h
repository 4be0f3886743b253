// expect_unreadable(body, words), expect_limit(body, words): `body` throws an Error of that kind
// whose message has all the words.
#pragma once

#include <initializer_list>
#include <string_view>

#include <gtest/gtest.h>

#include "core/support/error.h"

namespace faketensor {

template <typename Body>
void expect_error(Body body, ErrorKind kind, std::initializer_list<std::string_view> words) {
  try {
    body();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.message();
    for (const std::string_view word : words) {
      EXPECT_NE(error.message().find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.message();
    }
  }
}

template <typename Body>
void expect_unreadable(Body body, std::initializer_list<std::string_view> words) {
  expect_error(body, ErrorKind::kUnreadable, words);
}

template <typename Body>
void expect_limit(Body body, std::initializer_list<std::string_view> words) {
  expect_error(body, ErrorKind::kLimitExceeded, words);
}

}  // namespace faketensor
