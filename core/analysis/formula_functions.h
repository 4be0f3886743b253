// The functions that derivative formulas call besides operators.
#pragma once

#include <span>
#include <string_view>

#include "core/analysis/held_calls.h"

namespace faketensor {

using FormulaFunction = Term (*)(HeldCalls& calls, std::span<const Term> args);

// A tensor summed to the sizes that were broadcast to its own; itself where they are those.
Term sum_to(HeldCalls& calls, const Term& x, Dims sizes);

// Null where there is none of that name.
FormulaFunction formula_function(std::string_view name);

}  // namespace faketensor
