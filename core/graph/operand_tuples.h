// Operands of higher-order operators are tuples: cond(%p, %true_graph, %false_graph, (%x,)).
//
// JSON has one kind of list for both, so readers call this when a graph is complete.
#pragma once

#include "core/graph/graph.h"

namespace faketensor {

void make_operand_tuples(Graph& graph);

}  // namespace faketensor
