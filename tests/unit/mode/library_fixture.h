// A mode whose library of custom operators is under test, without symbols unless a fake makes them.
#pragma once

#include <gtest/gtest.h>

#include "core/mode/mode.h"
#include "core/ops/library.h"

namespace faketensor {

class LibraryFixture : public testing::Test {
 protected:
  LibraryFixture() { mode.attach_shape_env(nullptr); }

  Value tensor(std::initializer_list<int64_t> sizes, DType dtype = DType::kFloat32) {
    DimVector dims;
    for (const int64_t size : sizes) dims.push_back(size);
    return mode.empty(dims, dtype);
  }
  // "Class: message" of a call that raised.
  static std::string raised(const Outcome& outcome) {
    return std::string(outcome.error->class_name()) + ": " + outcome.error->message();
  }

  FakeTensorMode mode;
  Library& library = mode.library();
};

}  // namespace faketensor
