// A variable that is something else until the end of a scope.
//
//   const ScopedValue scope(enabled, false);
#pragma once

#include <utility>

namespace faketensor {

template <typename T>
class ScopedValue {
 public:
  ScopedValue(T& variable, T now) : variable_(variable), before_(std::exchange(variable, now)) {}
  ~ScopedValue() { variable_ = before_; }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& variable_;
  const T before_;
};

}  // namespace faketensor
