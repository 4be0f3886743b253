// What the dispatch cache would count of the operators that PyTorch calls to answer one.
//
// A decomposition, a reference or a prim's meta function runs inside of FakeTensorMode, so its calls
// go through the cache as well, and theirs; those of C++ kernels are not seen. Here operators are
// answered by rules, and their steps (core/ops/steps/steps.h) are taken for the counts alone.
#pragma once

#include <span>

#include "core/mode/cached_call.h"

namespace faketensor {

// Takes the steps of an operator that the cache has no answer for, where PyTorch would, and counts in
// `cache` what they call. To be asked before the operator is answered in `context`: `args` are
// complete, and neither they nor anything else outside of `cache` is changed (Note [Steps beside the
// answer]).
void count_steps(Context& context, const OpEntry& op, std::span<const Value> args,
                 DispatchCache& cache, const CacheSurroundings& surroundings);

}  // namespace faketensor
