#include "core/ops/families/arithmetic.h"

#include <algorithm>

#include "core/ops/dispatch_cache.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/view.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

const Tensor* as_tensor(const Value& operand) {
  return operand.is_tensor() && !operand.tensor().is_wrapped_number ? &operand.tensor() : nullptr;
}

bool is_symbolic(const Value& operand) {
  if (operand.is_tensor()) return has_symbolic_sizes(operand.tensor());
  return (operand.is(Value::Tag::kInt) && operand.as_sym_int().is_symbolic()) ||
         operand.is(Value::Tag::kSymFloat);
}

Dims sizes_of(const Value& operand) {
  return operand.is_tensor() ? operand.tensor().sizes() : Dims();
}

// infer_size, torch/_subclasses/fake_impls.py
DimVector infer_sizes(Call& call, Dims a, Dims b) {
  const size_t rank = std::max(a.size(), b.size());
  DimVector result(rank);
  for (size_t i = rank; i-- > 0;) {
    const size_t from_end = rank - i;
    const SymInt size_a = a.size() >= from_end ? a[a.size() - from_end] : SymInt(1);
    const SymInt size_b = b.size() >= from_end ? b[b.size() - from_end] : SymInt(1);
    bool is_one = guard_or_false(size_a == 1);
    if (!is_one && !same_expr(size_a, size_b) && !guard_or_false(size_b == 1)) {
      call.check(size_a == size_b,
                 "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton "
                 "dimension {})",
                 size_a, size_b, i);
      is_one = guard_or_false(size_a == 1);  // by what the check taught
    }
    result[i] = is_one ? size_b : size_a;
  }
  return result;
}

bool fills(const Tensor& tensor, Dims sizes) {
  if (tensor.sizes().size() != sizes.size()) return false;
  SymBool same = true;
  for (size_t i = 0; i < sizes.size(); ++i) same = sym_and(same, tensor.sizes()[i] == sizes[i]);
  return guard_or_false(same);
}

// The format that all operands are contiguous in.
std::optional<MemoryFormat> common_format(std::span<const Value> operands) {
  bool contiguous = true;
  bool channels_last = true;
  const TensorMeta* asked = nullptr;
  for (const Value& operand : operands) {
    const Tensor* tensor = as_tensor(operand);
    // Of a meta that was just asked about everything is decided.
    if (tensor == nullptr || tensor->meta == asked) continue;
    asked = tensor->meta;
    contiguous =
        contiguous && is_contiguous_or_false(tensor->sizes(), tensor->strides(), tensor->numel());
    channels_last =
        channels_last && is_channels_last_contiguous_or_false(tensor->sizes(), tensor->strides());
  }
  if (contiguous) return MemoryFormat::kContiguous;
  return channels_last ? std::optional(MemoryFormat::kChannelsLast) : std::nullopt;
}

}  // namespace

Tensor* fast_arithmetic(Call& call, const Value& a, const Value& b, Promotion promote) {
  if (!is_symbolic(a) && !is_symbolic(b)) return nullptr;
  const Value operands[] = {a, b};
  for (const Value& operand : operands) {
    if (operand.is_tensor()) ask_format(operand.tensor());
  }
  DimVector sizes(sizes_of(a));
  for (const Value& operand : operands) sizes = infer_sizes(call, sizes, sizes_of(operand));
  const bool is_plain = std::any_of(
      std::begin(operands), std::end(operands),
      [&](const Value& operand) { return operand.is_tensor() && fills(operand.tensor(), sizes); });
  const std::optional<MemoryFormat> format = is_plain ? common_format(operands) : std::nullopt;
  if (!format) return nullptr;
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
  return empty_restrided(call, sizes, strides_for(sizes, *format), types.result);
}

Tensor* arithmetic(Call& call, const Value& a, const Value& b, Promotion promote) {
  if (Tensor* result = fast_arithmetic(call, a, b, promote)) return result;
  const Value operands[] = {a, b};
  return elementwise_step(call, operands, promote);
}

Tensor* cast_to(Call& call, const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return const_cast<Tensor*>(&tensor);
  if (!is_non_overlapping_and_dense_or_false(tensor.sizes(), tensor.strides()))
    return call.empty_like(tensor, dtype);
  return call.context().empty(tensor.sizes(), dtype, tensor.device(), tensor.strides());
}

}  // namespace faketensor
