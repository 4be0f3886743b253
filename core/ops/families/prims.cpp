#include "core/ops/families/prims.h"

#include <algorithm>

#include "core/ops/families/pointwise.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// Numbers given for a tensor reach a meta function as numbers.
// torch._prims_common.check_same_dtype.
void check_same_dtype(const Call& call, std::span<const Value> operands) {
  std::optional<DType> expected;
  for (const Value& operand : operands) {
    if (is_number(operand)) continue;
    const DType dtype = operand.tensor().dtype();
    call.check_as(ErrorKind::kValueError, category(dtype) != DTypeCategory::kOther,
                  "Invalid dtype!");
    if (!expected) expected = dtype;
    call.check(dtype == *expected, "Tensor with dtype {} is not the expected dtype of {}!", dtype,
               *expected);
  }
}

// The operands that shape the result: tensors, without 0-dimensional ones of the CPU. Raises
// unless they agree in device and shape (check_same_device, check_same_shape).
SmallVector<const Tensor*, 4> agreeing_operands(const Call& call, std::span<const Value> operands) {
  SmallVector<const Tensor*, 4> tensors;
  for (const Value& operand : operands) {
    if (!is_number(operand) && !is_cpu_scalar(operand.tensor())) {
      tensors.push_back(&operand.tensor());
    }
  }
  for (const Tensor* tensor : tensors) {
    call.check(tensor->device() == tensors[0]->device(),
               "Tensor on device {} is not on the expected device {}!", tensor->device(),
               tensors[0]->device());
  }
  for (const Tensor* tensor : tensors) {
    call.check(guard_equal(tensors[0]->sizes(), tensor->sizes()),
               "Shape torch.Size({}) is not the expected shape torch.Size({})!", tensor->sizes(),
               tensors[0]->sizes());
  }
  return tensors;
}

// The dtype of the first operand that is no 0-dimensional CPU tensor; without one, of the last that
// is; without any tensor, that of the last number.
DType common_dtype(const Call& call, std::span<const Value> operands) {
  std::optional<DType> dtype;
  for (const Value& operand : operands) {
    if (is_number(operand)) continue;
    dtype = operand.tensor().dtype();
    if (!is_cpu_scalar(operand.tensor())) break;
  }
  const DType number = operands.back().tensor().dtype();
  return dtype.value_or(is_floating(number) ? call.context().default_dtype : number);
}

DType result_dtype(DType dtype, PrimResult result) {
  switch (result) {
    case PrimResult::kSame:
      return dtype;
    case PrimResult::kBool:
      return DType::kBool;
    case PrimResult::kComplexToFloat:
      return to_real(dtype);
  }
  return dtype;
}

}  // namespace

// Mirrors _prim_elementwise_meta, torch/_prims/__init__.py.
Value elementwise_prim(Call& call, uint64_t params) {
  const auto given = rule_params<PrimParams>(params);
  std::span<const Value> all = call.args();
  if (given.operands != 0) all = all.first(given.operands);
  const std::span<const Value> operands = all.subspan(given.fixed);
  call.check(!given.only_complex || is_complex(all[0].tensor().dtype()),
             "Only complex dtype is supported");
  check_same_dtype(call, operands);
  const SmallVector<const Tensor*, 4> tensors = agreeing_operands(call, all);
  const DType dtype = common_dtype(call, operands);
  if (tensors.empty()) {
    // A result of numbers alone keeps their type.
    const bool is_tensor = !std::all_of(all.begin(), all.end(), &is_number);
    const PrimResult result = is_tensor ? given.result : PrimResult::kSame;
    return call.context().empty({}, result_dtype(dtype, result), Device{});
  }
  SmallVector<Dims, 4> strides;
  for (const Tensor* tensor : tensors) strides.push_back(tensor->strides());
  const Dims sizes = tensors[0]->sizes();
  return call.context().empty(sizes, result_dtype(dtype, given.result), tensors[0]->device(),
                              elementwise_strides(sizes, strides.span()));
}

void check_index(const Call& call, int64_t rank, int64_t index) {
  call.check_as(ErrorKind::kAssertionError, index == 0 || (index > 0 && index < rank),
                "idx {} is out of bounds for rank {}", index, rank);
}

void check_shape(const Call& call, Dims sizes) {
  for (const SymInt size : sizes) {
    call.check(size >= 0,
               "Expected cond to be True, but got False. (Could this error message be improved? If "
               "so, please report an enhancement request to PyTorch.)");
  }
}

void check_strides(const Call& call, Dims strides) {
  for (const SymInt stride : strides) {
    call.check_as(ErrorKind::kAssertionError, !guard_bool(stride < 0),
                  "stride must be non-negative, got {}", stride);
  }
}

Tensor* fresh_like(Call& call, const Tensor& tensor) {
  return call.context().empty(tensor.sizes(), tensor.dtype(), tensor.device(), tensor.strides());
}

Tensor* fresh_strided(Call& call, Dims sizes, Dims strides, DType dtype, Device device) {
  return &call.tensor<"aten::empty_strided">(sizes, strides, dtype, nullptr, device, nullptr);
}

Tensor* fresh_contiguous(Call& call, Dims sizes, DType dtype, Device device) {
  check_shape(call, sizes);
  return call.empty_on(device, sizes, dtype);
}

DimVector elementwise_output_strides(const Tensor& tensor) {
  if (tensor.dim() < 2) return contiguous_strides(tensor.sizes());
  if (is_non_overlapping_and_dense_or_false(tensor.sizes(), tensor.strides()))
    return DimVector(tensor.strides());
  return dense_strides_like(tensor.sizes(), tensor.strides());
}

}  // namespace faketensor
