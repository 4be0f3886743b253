// Constant: what is known of a tensor's data.
//
// A tensor that stands for a Python number has the number. A fake whose values the mode tracks has
// the real tensor beside it (FakeTensor.constant), which core/mode computes with.
#pragma once

#include "core/ops/value.h"

namespace faketensor {

class Constant {
 public:
  explicit Constant(Value number) : number_(number) {}
  explicit Constant(Tensor* real) : real_(real) {}

  // The number; none where a tensor is tracked.
  const Value& number() const { return number_; }
  // The real tensor; null where a number is known.
  Tensor* real() const { return real_; }

 private:
  Value number_;
  Tensor* real_ = nullptr;
};

}  // namespace faketensor
