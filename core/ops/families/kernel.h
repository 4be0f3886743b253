// Real kernels: operators without a meta function, which FakeTensorMode answers by running the CPU
// kernel on torch.zeros_like of each argument (run_fallback_kernel,
// torch/_subclasses/fake_tensor.py).
//
// So strides are those of dense copies of the arguments, dtypes that the kernel has no code for are
// refused by its name, and results share nothing with the arguments.
//
//   require_type(c, "geqrf_cpu", self.dtype(), kFloat | kDouble | kComplex);
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// The dtypes that a kernel has code for.
enum KernelTypes : uint32_t {
  kSingleAndDouble = 1 << 0,
  kHalf = 1 << 1,
  kBFloat16Type = 1 << 2,
  kComplexTypes = 1 << 3,  // not complex32
  kIntegers = 1 << 4,      // not uint16, uint32, uint64
  kBoolType = 1 << 5,
};
inline constexpr uint32_t kFloats = kSingleAndDouble | kHalf | kBFloat16Type;
inline constexpr uint32_t kAllNumbers = kFloats | kIntegers;

// NotImplementedError "\"KERNEL\" not implemented for 'Long'".
void require_type(Call& call, std::string_view kernel, DType dtype, uint32_t types);
// RuntimeError "expected scalar type Float but found Half": data read as the wrong type.
void require_data_type(Call& call, DType expected, const Tensor& tensor);
// RuntimeError "Found dtype Half but expected Float": an operand that TensorIterator does not cast.
void require_operand_type(Call& call, DType expected, const Tensor& tensor);
// That a tensor has the rank its accessor expects.
void require_rank(Call& call, const Tensor& tensor, int64_t rank);
// RuntimeError "a Tensor with 3 elements cannot be converted to Scalar": item() of a tensor.
void require_one_element(Call& call, SymInt count);
// RuntimeError "Expected CONDITION to be true, but got false. ...": TORCH_CHECK without words.
void require_condition(Call& call, bool holds, std::string_view condition);

// What the kernel is given for `tensor`: torch.zeros_like(tensor), which keeps dense strides to the
// letter.
Tensor& zeros_for(Call& call, const Tensor& tensor);
// torch.empty_like of it, which looks the same.
Tensor* like_zeros(Call& call, const Tensor& tensor, DType dtype);
// The result of an elementwise kernel that casts nothing: the operands' common shape and order.
Tensor* kernel_result(Call& call, std::initializer_list<const Tensor*> operands, DType dtype);

// The strides of a result of TensorIterator whose operands are `tensor` and numbers: its dimensions
// by stride, those of equal stride by size (TensorIteratorBase::reorder_dimensions).
DimVector iterator_strides(const Tensor& tensor);

// What an overload that writes to several tensors returns where its real kernel ran on zeros: the
// tensors as they were (Note [Writing to out] in derived.cpp).
Value outputs_left_alone(Call& call);

// An operator that only ever fails, with these words.
template <FixedString text, ErrorKind kind = ErrorKind::kRuntimeError>
consteval Rule fails() {
  return {+[](Call& call, uint64_t) -> Value { call.fail(kind, std::string(text.view())); }, 0,
          nullptr};
}

}  // namespace faketensor
