// The operators that PyTorch calls to answer one, as the dispatch cache counts them.
//
// Which stand behind which follows from who answers in PyTorch: a decomposition (torch._decomp,
// torch._refs) or a prim's meta function runs inside the mode, so its calls are cached too, while
// C++ meta kernels are not seen.
#pragma once

#include <vector>

#include "core/mode/cached_call.h"

namespace faketensor {

// `result` is null where the call raised: then what it called before.
std::vector<CachedCall> calls_behind(const OpEntry& op, std::span<const Value> args,
                                     const ArgumentsBefore& before, const Value* result,
                                     const CacheSurroundings& surroundings);

}  // namespace faketensor
