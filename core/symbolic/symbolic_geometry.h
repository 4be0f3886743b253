// The sizes, strides and offset of an input tensor as symbols of a ShapeEnv.
//
//   const std::array<int64_t, 2> sizes = {4, 6};
//   const std::array<int64_t, 2> strides = {6, 1};
//   SymbolicContext context = SymbolicContext::all_duck(2);
//   create_symbolic_geometry(env, sizes, strides, 0, Source::local("x"), context);
//   // sizes (s77, s27), strides (s27, 1), offset 0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/symbolic/source.h"
#include "core/symbolic/sym_int.h"
#include "core/symbolic/symbolic_context.h"

namespace faketensor {

class ShapeEnv;

struct SymbolicGeometry {
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides;
  SymInt offset = 0;
};

// Strides become products of sizes and smaller strides where they fit (Note [Inferred strides]). A
// constraint that allows one size only makes its dimension static, also in `context`. Mirrors
// ShapeEnv._create_symbolic_sizes_strides_storage_offset.
SymbolicGeometry create_symbolic_geometry(ShapeEnv& env, std::span<const int64_t> sizes,
                                          std::span<const int64_t> strides, int64_t offset,
                                          const Source& source, SymbolicContext& context);
// The same for a fake tensor of another environment: each of its symbols becomes one of `env`.
// Mirrors ShapeEnv.transfer_symbols_from_foreign_shape_env.
SymbolicGeometry transfer_geometry(ShapeEnv& env, std::span<const SymInt> sizes,
                                   std::span<const SymInt> strides, SymInt offset,
                                   const Source& source, SymbolicContext* context = nullptr);

// Raises Python's IndexError where a list of the context has no element for one of `rank`
// dimensions.
void check_rank(const SymbolicContext& context, size_t rank);

}  // namespace faketensor
