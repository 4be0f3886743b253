// Type promotion: which dtype an operator computes in and returns.
//
// Mirrors c10::promoteTypes, at::native::ResultTypeState and
// torch._prims_common.elementwise_dtypes. Operands fall into three priorities: tensors with
// dimensions, zero-dimensional tensors, Python numbers; a lower priority only matters where its
// category is higher.
//
//   ResultType state;
//   state.add(DType::kInt64, ResultType::kDimensioned);
//   state.add(DType::kFloat64, ResultType::kNumber);     // x + 1.5
//   state.result();                                       // float32, the default dtype
#pragma once

#include "core/tensor/dtype.h"

namespace faketensor {

// The smallest type both convert to; raises for types that PyTorch does not promote (float8,
// quantized, uint16/32/64 mixes).
DType promote_types(DType a, DType b);

// Whether a result of type `from` may be written to a tensor of type `to` (c10::canCast).
bool can_cast(DType from, DType to);

class ResultType {
 public:
  enum Priority : uint8_t { kDimensioned, kZeroDim, kNumber };

  explicit ResultType(DType default_dtype = DType::kFloat32) : default_dtype_(default_dtype) {}
  void add(DType dtype, Priority priority);
  // The promoted type; the default dtype where nothing was added.
  DType result() const;
  bool empty() const { return seen_ == 0; }

 private:
  DType types_[3] = {};
  uint8_t seen_ = 0;
  DType default_dtype_;
};

// How an elementwise operator turns the promoted type into its result
// (torch._prims_common.ELEMENTWISE_TYPE_PROMOTION_KIND).
enum class Promotion : uint8_t {
  kDefault,         // the promoted type; computed in opmath precision
  kNoOpmath,        // the promoted type, computed in it
  kIntToFloat,      // integers become the default dtype
  kAlwaysBool,      // comparisons
  kComplexToFloat,  // abs, angle: the real type
  kBoolToLong,      // sums and products
};

// The dtype that references compute in (torch._prims_common.get_computation_dtype): that of kernels
// but for 8-bit floats, which stay.
inline DType computation_dtype(DType dtype) { return is_float8(dtype) ? dtype : to_opmath(dtype); }

struct ElementwiseTypes {
  DType computation;
  DType result;
};
ElementwiseTypes elementwise_types(DType promoted, Promotion kind,
                                   DType default_dtype = DType::kFloat32);

}  // namespace faketensor
