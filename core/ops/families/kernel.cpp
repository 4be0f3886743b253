#include "core/ops/families/kernel.h"

#include <algorithm>
#include <functional>

#include "core/ops/families/pointwise.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

uint32_t type_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kFloat64:
      return kSingleAndDouble;
    case DType::kFloat16:
      return kHalf;
    case DType::kBFloat16:
      return kBFloat16Type;
    case DType::kComplex64:
    case DType::kComplex128:
      return kComplexTypes;
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return kIntegers;
    case DType::kBool:
      return kBoolType;
    default:
      return 0;
  }
}

}  // namespace

void require_type(Call& call, std::string_view kernel, DType dtype, uint32_t types) {
  call.check_as(ErrorKind::kNotImplementedError, (types & type_of(dtype)) != 0,
                "\"{}\" not implemented for '{}'", kernel, info(dtype).cpp_name);
}

void require_data_type(Call& call, DType expected, const Tensor& tensor) {
  call.check(tensor.dtype() == expected, "expected scalar type {} but found {}",
             info(expected).cpp_name, info(tensor.dtype()).cpp_name);
}

void require_operand_type(Call& call, DType expected, const Tensor& tensor) {
  call.check(tensor.dtype() == expected, "Found dtype {} but expected {}",
             info(tensor.dtype()).cpp_name, info(expected).cpp_name);
}

void require_rank(Call& call, const Tensor& tensor, int64_t rank) {
  call.check(tensor.dim() == rank, "TensorAccessor expected {} dims but tensor has {}", rank,
             tensor.dim());
}

void require_one_element(Call& call, SymInt count) {
  call.check(guard_bool(count == 1), "a Tensor with {} elements cannot be converted to Scalar",
             count);
}

void require_condition(Call& call, bool holds, std::string_view condition) {
  call.check(
      holds,
      "Expected {} to be true, but got false.  (Could this error message be improved?  If so, "
      "please report an enhancement request to PyTorch.)",
      condition);
}

Tensor* like_zeros(Call& call, const Tensor& tensor, DType dtype) {
  if (!tensor.is_non_overlapping_and_dense()) return call.empty_like(tensor, dtype);
  return call.context().empty(tensor.sizes(), dtype, tensor.device(), tensor.strides());
}

Tensor& zeros_for(Call& call, const Tensor& tensor) {
  return *like_zeros(call, tensor, tensor.dtype());
}

DimVector iterator_strides(const Tensor& tensor) {
  const Dims sizes = tensor.sizes();
  const Dims strides = tensor.strides();
  SmallVector<size_t, 8> order;  // innermost first
  for (size_t i = sizes.size(); i-- > 0;) order.push_back(i);
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const size_t inner = order[j];
      const size_t outer = order[moving];
      const SymInt a = strides[inner];
      const SymInt b = strides[outer];
      if (guard_bool(a == 0) || guard_bool(b == 0)) continue;
      if (guard_bool(a < b)) break;
      if (guard_bool(a == b) && !guard_bool(sizes[inner] > sizes[outer])) continue;
      std::swap(order[j], order[moving]);
      moving = j;
    }
  }
  // In the order they stand: plainly contiguous, also without elements.
  if (std::is_sorted(order.begin(), order.end(), std::greater<>()))
    return contiguous_strides(sizes);
  DimVector result(sizes);
  SymInt next = 1;
  for (const size_t dim : order) {
    result[dim] = next;
    next = next * sizes[dim];
  }
  return result;
}

Value outputs_left_alone(Call& call) { return call.list(call.args().last(call.op().output_count)); }

Tensor* kernel_result(Call& call, std::initializer_list<const Tensor*> operands, DType dtype) {
  DimVector sizes;
  for (const Tensor* operand : operands) sizes = broadcast_shapes(sizes, operand->sizes());
  SmallVector<Value, 4> zeros;
  for (const Tensor* operand : operands) zeros.push_back(Value(zeros_for(call, *operand)));
  return elementwise(call, zeros.span(), dtype, dtype);
}

}  // namespace faketensor
