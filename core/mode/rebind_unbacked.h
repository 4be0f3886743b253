// Unbacked symbols of a node that is run again go by the names that it had for them.
//
//   std::vector<UnbackedBinding> now = rebind_unbacked(env, graph.bindings(id), value);
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/mode/unbacked_bindings.h"

namespace faketensor {

// Where the symbols of `pending` are found in a value that was recorded; those that are found are
// taken out of `pending`. Mirrors _free_unbacked_symbols_with_path.
std::vector<UnbackedBinding> find_unbacked(ShapeEnv& env, std::vector<const ExprNode*>& pending,
                                           const Value& value, const std::string& path);
std::vector<UnbackedBinding> find_unbacked(ShapeEnv& env, std::vector<const ExprNode*>& pending,
                                           const TensorMeta& meta, const std::string& path);

// The bindings of a node that is run again: its fresh symbols go by the names that `known` has for
// them, which are found by their paths in values. Mirrors rebind_unbacked. Raises as
// compute_unbacked_bindings.
std::vector<UnbackedBinding> rebind_unbacked(ShapeEnv& env, std::span<const UnbackedBinding> known,
                                             const Value& result);

}  // namespace faketensor
