// The out= overloads that follow from functional rows.
#pragma once

#include <span>

#include "core/ops/out_def.h"

namespace faketensor {

// A row whose functional operator has no rule derives nothing.
std::span<const OutDef> out_overloads();

}  // namespace faketensor
