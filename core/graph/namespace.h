// Namespace: names that are unique, as torch.fx gives them.
//
// Mirrors _Namespace (torch/fx/graph.py): a wish that is taken gets the number after the one that
// its base was last given. A name is never given twice, even when its node is gone.
//
//   Namespace names;
//   names.take("add");   // "add"
//   names.take("add");   // "add_1"
//   names.take("sum");   // "sum_1": Python has a `sum`
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace faketensor {

class Namespace {
 public:
  std::string take(std::string_view wish);
  // Notes a name that a node has already.
  void note(std::string_view name);

 private:
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, uint32_t> counts_;  // last number by the name without it
};

// The name that a call of a target wishes for: "sym_size_int" for "torch.ops.aten.sym_size.int",
// "ge" for "_operator.ge". Mirrors Graph._target_to_str.
std::string name_of_target(std::string_view target);

}  // namespace faketensor
