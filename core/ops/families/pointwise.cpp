#include "core/ops/families/pointwise.h"

#include <algorithm>

#include "core/tensor/strides.h"

namespace faketensor {

namespace {

bool is_cpu_scalar(const Tensor& tensor) { return tensor.dim() == 0 && tensor.device().is_cpu(); }

ResultType::Priority priority_of(const Tensor& tensor) {
  if (tensor.is_wrapped_number) return ResultType::kNumber;
  return tensor.dim() == 0 ? ResultType::kZeroDim : ResultType::kDimensioned;
}

// torch.Size([2, 3])
std::string size_text(Dims sizes) { return format("torch.Size({})", sizes); }

}  // namespace

DType promoted_dtype(Call& call, std::span<const Value> operands) {
  ResultType type(call.context().default_dtype);
  for (const Value& operand : operands) {
    if (operand.is_tensor()) {
      type.add(operand.tensor().dtype(), priority_of(operand.tensor()));
    } else if (operand.is_number()) {
      type.add(number_dtype(operand, DType::kFloat64), ResultType::kNumber);
    }
  }
  return type.result();
}

DimVector broadcast_operands(Call& call, std::span<const Value> operands) {
  size_t rank = 0;
  for (const Value& operand : operands) {
    if (operand.is_tensor()) rank = std::max(rank, operand.tensor().sizes().size());
  }
  DimVector common(rank, SymInt(1));
  for (size_t index = 0; index < operands.size(); ++index) {
    if (!operands[index].is_tensor()) continue;
    const Dims sizes = operands[index].tensor().sizes();
    for (size_t from_end = 1; from_end <= sizes.size(); ++from_end) {
      const SymInt size = sizes[sizes.size() - from_end];
      SymInt& target = common[rank - from_end];
      if (guard_or_false(size == target)) continue;
      if (guard_or_false(target == 1)) target = size;
      if (guard_or_false(size == 1)) continue;
      call.check(target == size,
                 "Attempting to broadcast a dimension of length {} at -{}! Mismatching argument at "
                 "index {} had {}; but expected shape "
                 "should be broadcastable to {}",
                 size, from_end, index, size_text(sizes), common.span());
    }
  }
  return common;
}

Tensor* elementwise(Call& call, std::span<const Value> operands, DType computation, DType result) {
  const DimVector sizes = broadcast_operands(call, operands);
  // Strides of each operand, cast and expanded to the common shape.
  SmallVector<SymInt, 24> room;
  SmallVector<size_t, 4> starts;
  for (const Value& operand : operands) {
    if (!operand.is_tensor() || is_cpu_scalar(operand.tensor())) continue;
    const Tensor& tensor = operand.tensor();
    DimVector dense;
    Dims strides = tensor.strides();
    if (tensor.dtype() != computation && !tensor.is_contiguous()) {
      dense = dense_strides_like(tensor.sizes(), strides);
      strides = dense;
    }
    starts.push_back(room.size());
    const size_t missing = sizes.size() - strides.size();
    for (size_t i = 0; i < sizes.size(); ++i) {
      const bool expanded = i < missing || !guard_or_false(tensor.sizes()[i - missing] == sizes[i]);
      room.push_back(expanded ? SymInt(0) : strides[i - missing]);
    }
  }
  if (starts.empty()) return call.empty(sizes, result);
  SmallVector<Dims, 4> strides;
  for (const size_t start : starts) strides.push_back(Dims(room.data() + start, sizes.size()));
  return call.empty_strided(sizes, elementwise_strides(sizes, strides.span()), result);
}

Tensor* elementwise(Call& call, std::span<const Value> operands, Promotion promote) {
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(call, operands), promote, call.context().default_dtype);
  return elementwise(call, operands, types.computation, types.result);
}

Value pointwise(Call& call, uint64_t params) {
  const auto given = rule_params<PointwiseParams>(params);
  return elementwise(call, call.args().first(given.operands), given.promote);
}

}  // namespace faketensor
