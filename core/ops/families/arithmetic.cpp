#include "core/ops/families/arithmetic.h"

namespace faketensor {

Tensor* cast_to(Call& call, const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return const_cast<Tensor*>(&tensor);
  if (!tensor.is_non_overlapping_and_dense()) return call.empty_like(tensor, dtype);
  return call.context().empty(tensor.sizes(), dtype, tensor.device(), tensor.strides());
}

bool has_canonical_strides(const Tensor& tensor) {
  const Dims sizes = tensor.sizes();
  const Dims strides = tensor.strides();
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i].is_symbolic() || !same_expr(strides[i], expected)) return false;
    expected *= sizes[i].as_int() == 0 ? 1 : sizes[i].as_int();
  }
  return true;
}

}  // namespace faketensor
