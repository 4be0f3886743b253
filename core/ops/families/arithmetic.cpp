#include "core/ops/families/arithmetic.h"

#include "core/ops/families/view.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

bool has_sizes(const Tensor& tensor, Dims sizes) {
  if (tensor.sizes().size() != sizes.size()) return false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!guard_or_false(tensor.sizes()[i] == sizes[i])) return false;
  }
  return true;
}

// The format that all operands are contiguous in, for operands one of which has the result's sizes.
std::optional<MemoryFormat> common_format(const Tensor& a, const Tensor& b, Dims sizes) {
  if (!has_sizes(a, sizes) && !has_sizes(b, sizes)) return std::nullopt;
  for (const MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kChannelsLast}) {
    if (a.is_contiguous(format) && b.is_contiguous(format)) return format;
  }
  return std::nullopt;
}

}  // namespace

Tensor* arithmetic(Call& call, const Value& a, const Value& b) {
  const Value operands[] = {a, b};
  const bool is_pair = a.is_tensor() && b.is_tensor();
  if (!is_pair || !(has_symbolic_sizes(a.tensor()) || has_symbolic_sizes(b.tensor())))
    return elementwise(call, operands, Promotion::kDefault);
  const DimVector sizes = broadcast_operands(call, operands);
  const std::optional<MemoryFormat> format = common_format(a.tensor(), b.tensor(), sizes);
  if (!format) return elementwise(call, operands, Promotion::kDefault);
  const ElementwiseTypes types = elementwise_types(
      promoted_dtype(call, operands), Promotion::kDefault, call.context().default_dtype);
  return call.empty_strided(sizes, strides_for(sizes, *format), types.result);
}

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
