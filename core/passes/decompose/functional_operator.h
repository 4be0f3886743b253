// The functional form of an operator that writes: torch.add for torch.add_.
#pragma once

#include "core/ops/registry.h"

namespace faketensor {

struct FunctionalOperator {
  const OpEntry* op = nullptr;  // null: there is none
  // How many of the writing operator's arguments it takes: all, or all but the outputs. It returns
  // what the writing operator returns besides, then the new values in the order of the arguments.
  size_t argument_count = 0;
};

// Mirrors how native_functions.yaml groups variants (torchgen/native_function_generation.py): the
// functional overload whose arguments are the same, or the generated <name>_functional.
FunctionalOperator functional_operator(const OpEntry& op);

}  // namespace faketensor
