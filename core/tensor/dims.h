// Sizes and strides as rules handle them.
#pragma once

#include <span>

#include "core/support/small_vector.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

// Sizes or strides under construction; rank <= 8 needs no allocation.
using DimVector = SmallVector<SymInt, 8>;
// Sizes or strides of an existing tensor, or an int list argument.
using Dims = std::span<const SymInt>;

// "[2, s0, 3]"
inline void append_text(std::string& out, SymInt value) { out += to_string(value); }

}  // namespace faketensor
