// The boundary: replies are JSON text, and whatever is thrown on the way becomes {"error": ...}.
//
//   return reply([&] { return Answer({{"run", number}}); });
#pragma once

#include <new>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/support/error.h"

namespace faketensor::wasm {

// JSON, which may be a text already.
class Answer {
 public:
  Answer(std::string text) : text_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Answer(const nlohmann::json& value)                   // NOLINT(google-explicit-constructor)
      : text_(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {}
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// {"error": {"class", "message", "operator", "argument"}}: ErrorData of web/package/src/errors.ts.
inline std::string error_text(const Error& error) {
  nlohmann::json fields{{"class", error.class_name()}, {"message", error.message()}};
  if (!error.op().empty()) fields["operator"] = error.op();
  if (!error.argument().empty()) fields["argument"] = error.argument();
  return Answer(nlohmann::json{{"error", std::move(fields)}}).take();
}

// What `body` gives, or what `from_text` makes of the text of an error.
template <typename Body, typename FromText>
auto guarded(const Body& body, const FromText& from_text) {
  try {
    return body();
  } catch (const Error& error) {
    return from_text(error_text(error));
  } catch (const std::bad_alloc&) {
    return from_text(error_text(Error(ErrorKind::kLimitExceeded, "out of memory")));
  } catch (const std::exception& error) {
    // A length that no container has; JSON is read by functions that raise Errors.
    return from_text(error_text(Error(ErrorKind::kLimitExceeded, error.what())));
  }
}

template <typename Body>
std::string reply(const Body& body) {
  return guarded([&] { return Answer(body()).take(); }, [](std::string text) { return text; });
}

}  // namespace faketensor::wasm
