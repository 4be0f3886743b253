// AutomaticDynamic: which sizes and numbers of a function's inputs become symbols.
//
// Mirrors FrameStateSizeEntry (torch/_dynamo/pgo.py). The first call of a function is compiled for
// its numbers; what has another value when it is compiled again is dynamic from then on. Strides are
// dynamic only while all sizes stay what they were.
//
//   AutomaticDynamic seen;
//   seen.note("x", tensor);   // per compilation
//   seen.is_size_dynamic("x", 0);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace faketensor {

class AutomaticDynamic {
 public:
  // Takes account of an input's value at a compilation.
  void note(const std::string& name, const Tensor& tensor);
  void note(const std::string& name, double number);

  bool is_size_dynamic(const std::string& name, size_t dim) const;
  bool is_stride_dynamic(const std::string& name, size_t dim) const;
  bool is_number_dynamic(const std::string& name) const;

 private:
  // A number that has been the same so far; none: dynamic.
  using Atom = std::optional<int64_t>;
  struct Input {
    bool is_seen = false;
    // None: the rank changed, or the input was no tensor: all are dynamic.
    std::optional<std::vector<Atom>> sizes;
    std::optional<std::vector<Atom>> strides;
    std::optional<double> number;  // none: dynamic, or the input was a tensor
  };
  static std::vector<Atom> inferred_strides(const Tensor& tensor);
  static void merge(std::optional<std::vector<Atom>>& seen, const std::vector<Atom>& now);
  const Input* find(const std::string& name) const;

  std::map<std::string, Input> inputs_;
};

}  // namespace faketensor
