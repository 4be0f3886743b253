// Runtime asserts in a graph: nodes that check what a trace took for granted of unbacked symbols.
//
// Mirrors insert_deferred_runtime_asserts (torch/fx/passes/runtime_assert.py). Where a node's
// result binds symbols, there follow nodes that read them, an assert for each bound of each symbol,
// and the asserts of the ShapeEnv whose symbols are all bound now. These nodes replace those that
// computed the same expressions of symbols before.
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
