// How much one operator called from outside may make. PyTorch stops where the memory ends; here the
// memory is stated, and is the same natively and in WebAssembly, so that both refuse the same calls
// and neither ends in swap or a trap.
#pragma once

#include <cstddef>

namespace faketensor {

inline constexpr size_t kMaxBytesPerCall = size_t{1} << 29;
// A tensor, its meta and its places in lists, whatever its rank usually is.
inline constexpr size_t kBytesPerTensor = 512;
inline constexpr size_t kMaxTensorsPerCall = kMaxBytesPerCall / kBytesPerTensor;
// A size that is data: its symbol, range, expression and the asserts about it.
inline constexpr size_t kBytesPerSymbol = 4096;
inline constexpr size_t kMaxSymbolsPerCall = kMaxBytesPerCall / kBytesPerSymbol;

}  // namespace faketensor
