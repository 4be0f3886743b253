// Runtime asserts in a graph: what a trace took for granted of unbacked symbols, checked by nodes.
//
// Mirrors insert_deferred_runtime_asserts (torch/fx/passes/runtime_assert.py). Where a node's
// result binds symbols, nodes that read them follow, then one assert for each bound of each symbol,
// then those that the ShapeEnv deferred until all their symbols are there. What the graph computed
// of symbols before is replaced by these nodes.
//
//   %nz  = dx.nz(%x)                    u0 at ".size()[0]"
//   %sym_size_int = aten.sym_size.int(%nz, 0)
//   %ge  = operator.ge(%sym_size_int, 0)
//   %_assert_scalar_default = aten._assert_scalar.default(%ge, "Runtime assertion failed for ...")
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

class ShapeEnv;

void insert_runtime_asserts(Graph& graph, ShapeEnv& env);

// The facts that a graph's own asserts and bindings state: sizes are not negative, conditions hold.
// What `env` knew when the graph was traced is known again.
void learn_from_asserts(const Graph& graph, ShapeEnv& env);

// The expression of a node's value where that is symbolic, replaced symbols replaced; null for
// others (runtime_assert.py, _get_sym_val).
const ExprNode* symbolic_value(const Value& val, ShapeEnv& env);

}  // namespace faketensor
