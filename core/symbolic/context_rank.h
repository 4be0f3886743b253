// Whether the lists of a SymbolicContext are as long as a tensor has dimensions.
#pragma once

#include "core/symbolic/symbolic_context.h"

namespace faketensor {

// Raises Python's IndexError where a list has no element for one of `rank` dimensions.
void check_rank(const SymbolicContext& context, size_t rank);

}  // namespace faketensor
