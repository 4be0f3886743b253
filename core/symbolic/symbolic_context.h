// SymbolicContext: how the sizes and strides of an input become symbols.
//
// Mirrors DimDynamic, StrictMinMaxConstraint, RelaxedUnspecConstraint, StatelessSymbolicContext and
// StatefulSymbolicContext of torch/fx/experimental/symbolic_shapes.py.
//
//   SymbolicContext context({DimDynamic::kDynamic, DimDynamic::kStatic});
//   context.constraint_sizes[0] = DimConstraint::min_max(2, 64);
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/symbolic/value_range.h"

namespace faketensor {

enum class DimDynamic : uint8_t {
  kDynamic,      // a symbol of its own
  kDuck,         // a symbol, shared with every other dimension of the same size
  kStatic,       // the number
  kUnbacked,     // an unbacked symbol
  kInferStride,  // of a stride: a product of smaller strides and sizes where one fits
};

// What the user demands of a dimension. `kMinMax`: the guards must leave every size of the range
// possible; `kUnspecified` (RelaxedUnspecConstraint): they must leave at least two.
struct DimConstraint {
  enum class Kind : uint8_t { kNone, kMinMax, kUnspecified };
  Kind kind = Kind::kNone;
  ValueRange range = ValueRange::ints(0, kIntInfinity);  // of kMinMax
  bool warn_only = false;

  static DimConstraint min_max(int64_t lower, int64_t upper) {
    return {Kind::kMinMax, ValueRange::ints(lower, upper), false};
  }
  static DimConstraint unspecified() { return {Kind::kUnspecified, {}, false}; }
  explicit operator bool() const { return kind != Kind::kNone; }
};

struct SymbolicContext {
  std::vector<DimDynamic> dynamic_sizes;
  std::vector<DimDynamic> dynamic_strides;
  std::vector<DimConstraint> constraint_sizes;
  std::vector<DimConstraint> constraint_strides;
  // For a view: how its base becomes symbolic. Null: as a tensor without a context.
  std::shared_ptr<SymbolicContext> view_base;
  // A number other than 0 makes it a StatefulSymbolicContext: the ShapeEnv remembers under it which
  // symbol each source got, and contexts with the same number get the same symbols again.
  uint64_t remembered_as = 0;

  explicit SymbolicContext(std::vector<DimDynamic> sizes)
      : dynamic_sizes(std::move(sizes)),
        dynamic_strides(dynamic_sizes.size(), DimDynamic::kInferStride),
        constraint_sizes(dynamic_sizes.size()),
        constraint_strides(dynamic_sizes.size()) {}
  // What a tensor gets that comes without a context: every size may be shared.
  static SymbolicContext all_duck(size_t rank) {
    return SymbolicContext(std::vector<DimDynamic>(rank, DimDynamic::kDuck));
  }
};

}  // namespace faketensor
