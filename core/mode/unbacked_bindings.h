// Which part of an operator's result binds which fresh unbacked symbol.
//
// Mirrors compute_unbacked_bindings (torch/fx/experimental/symbolic_shapes.py): whoever runs the
// program again finds the symbol's value there. The place is a key path as text:
//
//   nonzero(x)         u0 at ".size()[0]"
//   (a, b) of unique   u1 at "[0].size()[0]"
//   an unbacked bool   u2 at ".cast_symbool_to_symint_guardless()"
//   a size 4*u3        u3 at ".size()[0].__floordiv__(4)"
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ops/value.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

struct UnbackedBinding {
  const ExprNode* symbol;
  std::string path;
};

// The bindings of the symbols made since the last call, in the order in which they are found; the
// symbols are forgotten. `result_text` is the result's repr, for the error.
// Raises PendingUnbackedSymbolNotFound if `result` lacks one.
std::vector<UnbackedBinding> compute_unbacked_bindings(ShapeEnv& env, const Value& result,
                                                       std::string_view result_text);

}  // namespace faketensor
