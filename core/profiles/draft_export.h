// What torch.export.draft_export does to a graph with custom operators that have no fake kernel:
// their profiles are collected, and asserts put in front of each call that hold it to them.
//
//   const OpProfiles profiles = get_op_profiles(graph, {"mylib.foo.default"});
//   insert_custom_op_guards(graph, {"mylib.foo.default"});
#pragma once

#include <set>
#include <string>

#include "core/graph/graph.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

// By operator in the order of their first calls. Mirrors get_op_profiles
// (torch/_export/passes/insert_custom_op_guards.py); raises AssertionError where a result is
// neither a tensor nor a list.
OpProfiles get_op_profiles(const Graph& graph, const std::set<std::string>& ops);

// Before each call of these operators, one aten._assert_tensor_metadata per tensor argument, with
// its dtype, device and layout. Mirrors insert_custom_op_guards, of the same file.
void insert_custom_op_guards(Graph& graph, const std::set<std::string>& ops);

}  // namespace faketensor
