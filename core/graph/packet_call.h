// Calls that name no overload, as Python code does: "torch.relu", "torch.ops.aten.add", `x.view(2)`,
// `x + 1`.
//
// Graphs that torch.fx traces symbolically and programs that are typed have such nodes; exported
// programs name overloads. Which one is meant depends on the arguments: the first of the operator's
// that they fit, in the order of PyTorch's parser, a number for a tensor where that takes numbers.
// What no rule is found for raises UnsupportedOperator.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/graph/plan.h"
#include "core/ops/context.h"

namespace faketensor {

// Calls what `target` of a node of that kind means; arg_names as in PlanRow.
Value call_packet(Context& context, NodeKind kind, std::string_view target,
                  std::span<const Value> args, std::span<const std::string_view> names);

// Whether a target is an operator without its overload, or a function of torch or Python that
// call_packet knows.
bool is_packet(std::string_view target);

// "aten.linear" for "torch.ops.aten.lnear.default", "torch.relu" for "torch.rlu": the nearest name
// there is, for a target of a library whose operators are all known. Empty for a target that is an
// operator, or may be somebody's own, and where nothing is near.
std::string nearest_operator(std::string_view target);

}  // namespace faketensor
