// How programs spell what a node calls, and how errors, profiles and people say it.
//
//   operator_name("torch.ops.aten.relu.default")  // "aten.relu.default"
//   short_target("torch.ops.aten.relu.default")   // "aten.relu"
//   short_target("_operator.add")                 // "_operator.add"
#pragma once

#include <string_view>

namespace faketensor {

inline constexpr std::string_view kTorchOps = "torch.ops.";
inline constexpr std::string_view kHigherOrderOps = "torch.ops.higher_order.";

// An operator of the dispatcher, which functions of Python and higher-order operators are not.
constexpr bool is_dispatcher_target(std::string_view target) {
  return target.starts_with(kTorchOps) && !target.starts_with(kHigherOrderOps);
}

// Without "torch.ops.".
constexpr std::string_view operator_name(std::string_view target) {
  return target.starts_with(kTorchOps) ? target.substr(kTorchOps.size()) : target;
}

// Without "torch.ops." and a default overload.
constexpr std::string_view short_target(std::string_view target) {
  constexpr std::string_view kDefault = ".default";
  target = operator_name(target);
  if (target.ends_with(kDefault)) target.remove_suffix(kDefault.size());
  return target;
}

}  // namespace faketensor
