// The unbacked symbols of a program go by the file's names when it is propagated again.
//
// A run makes each unbacked symbol anew: where the file says nonzero: i64[u0, 1], the same call now
// returns i64[u1, 1]. The file's values tell which node bound which symbol (where it is found first),
// and the new one is renamed to it, as FakeTensorProp does by meta["unbacked_bindings"]. The name is
// all that is taken over: the run knows of u0 what it found out itself, as the file's bounds are those
// of the example's sizes and of assertions that the graph makes again.
//
//   UnbackedNames names(program, context);
//   value = names.rebind(row, value);   // behind each row
#pragma once

#include <vector>

#include "core/graph/program.h"
#include "core/mode/rebind_unbacked.h"
#include "core/ops/context.h"

namespace faketensor {

class UnbackedNames {
 public:
  // Nothing to do where the program has no unbacked symbols.
  UnbackedNames(const Program& program, Context& context);

  // The value of a row under the file's names; its tensors are described anew. Raises
  // PendingUnbackedSymbolNotFound for a fresh symbol that is not in the value.
  Value rebind(Row row, const Value& value);

 private:
  void rename(const UnbackedBinding& made, const UnbackedBinding& known);

  Context& context_;
  std::vector<std::vector<UnbackedBinding>> bound_;  // of the file, by row; empty without any
};

// Whether a symbol that another replaces is one that a run made for a symbol of the file.
bool is_renamed(const Program& program, const ExprNode* symbol, const ExprNode* by);

}  // namespace faketensor
