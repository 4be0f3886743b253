#include "core/ops/families/arithmetic.h"

#include <algorithm>

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

const Tensor* as_tensor(const Value& operand) {
  return operand.is_tensor() && !operand.tensor().is_wrapped_number ? &operand.tensor() : nullptr;
}

bool is_symbolic(const Value& operand) {
  if (operand.is_tensor()) return has_symbolic_sizes(operand.tensor());
  return (operand.is(Value::Tag::kInt) && operand.as_sym_int().is_symbolic()) ||
         operand.is(Value::Tag::kSymFloat);
}

// The format that all operands are contiguous in, for operands one of which has the result's sizes.
std::optional<MemoryFormat> common_format(std::span<const Value> operands, Dims sizes) {
  const auto fills = [&](const Value& operand) {
    const Tensor* tensor = as_tensor(operand);
    return tensor != nullptr && has_sizes(*tensor, sizes);
  };
  if (std::none_of(operands.begin(), operands.end(), fills)) return std::nullopt;
  for (const MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kChannelsLast}) {
    const auto is_contiguous = [&](const Value& operand) {
      const Tensor* tensor = as_tensor(operand);
      return tensor == nullptr || tensor->is_contiguous(format);
    };
    if (std::all_of(operands.begin(), operands.end(), is_contiguous)) return format;
  }
  return std::nullopt;
}

}  // namespace

Tensor* arithmetic(Call& call, const Value& a, const Value& b, Promotion promote) {
  const Value operands[] = {a, b};
  if (!is_symbolic(a) && !is_symbolic(b)) return elementwise(call, operands, promote);
  const DimVector sizes = broadcast_operands(call, operands);
  const std::optional<MemoryFormat> format = common_format(operands, sizes);
  if (!format) return elementwise(call, operands, promote);
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
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
