#include "core/ops/families/linalg.h"

#include <algorithm>

#include "core/ops/families/factory.h"
#include "core/ops/families/pointwise.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

DimVector column_major_strides(Dims sizes) {
  DimVector strides = contiguous_strides(sizes);
  const size_t rank = sizes.size();
  if (rank < 2) return strides;
  strides[rank - 2] = 1;
  strides[rank - 1] = sym_max(sizes[rank - 2], 1);
  return strides;
}

Tensor* column_major(Call& call, Dims sizes, DType dtype) {
  const DimVector strides = column_major_strides(sizes);
  Tensor* tensor = empty_restrided(call, sizes, strides, dtype);
  // torch.empty(sizes).as_strided_(sizes, strides): the strides have to fit the storage.
  const SymInt needed = storage_bytes(sizes, strides, 0, dtype);
  call.check(sym_or(needed == 0, needed <= tensor->storage->nbytes),
             "setStorage: sizes {}, strides {} are out of bounds for storage of size {}", sizes,
             strides.span(), tensor->storage->nbytes);
  return tensor;
}

Tensor* strided_column_major(Call& call, Dims sizes, DType dtype) {
  return call.empty_strided(sizes, column_major_strides(sizes), dtype);
}

namespace {

constexpr std::string_view kNotSquare =
    "{}: A must be batches of square matrices, but they are {} by {} matrices";

void check_sides_equal(Call& call, const Tensor& a, std::string_view name) {
  call.check(a.size(-1) == a.size(-2), kNotSquare, name, a.size(-2), a.size(-1));
}

bool has_full_precision(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kComplex64 ||
         dtype == DType::kComplex128;
}

template <typename Name>
void check_inexact(Call& call, DType dtype, const Name& dtype_name, std::string_view name,
                   Precision precision) {
  call.check(is_float_or_complex(dtype),
             "{}: Expected a floating point or complex tensor as input. Got {}", name, dtype_name);
  call.check(precision == Precision::kAny || has_full_precision(dtype),
             "{}: Low precision dtypes not supported. Got {}", name, dtype_name);
}

}  // namespace

void check_square(Call& call, const Tensor& a, std::string_view name) {
  call.check_as(ErrorKind::kAssertionError, a.dim() >= 2,
                "{}: The input tensor must have at least 2 dimensions, got {}", name, a.dim());
  check_sides_equal(call, a, name);
}

void check_is_matrix(Call& call, const Tensor& a, std::string_view name,
                     std::string_view argument) {
  call.check(a.dim() >= 2, "{}: The input tensor {} must have at least 2 dimensions.", name,
             argument);
}

void check_floating_or_complex(Call& call, const Tensor& a, std::string_view name,
                               Precision precision) {
  check_inexact(call, a.dtype(), a.dtype(), name, precision);
}

void check_square_in_aten(Call& call, const Tensor& a, std::string_view name) {
  check_is_matrix(call, a, name);
  call.check(cpp_eq(a.size(-1), a.size(-2)), kNotSquare, name, a.size(-2), a.size(-1));
}

void check_floating_or_complex_in_aten(Call& call, const Tensor& a, std::string_view name,
                                       Precision precision) {
  check_inexact(call, a.dtype(), info(a.dtype()).cpp_name, name, precision);
}

void check_same_device(Call& call, const Tensor& result, const Tensor& input, std::string_view name,
                       std::string_view result_name) {
  call.check(result.device() == input.device(),
             "{}: Expected {} and input tensors to be on the same device, but got {} on {} and "
             "input on {}",
             name, result_name, result_name, result.device(), input.device());
}

DimVector with_common_batch(Call& call, const Tensor& a, const Tensor& b) {
  const Dims shapes[] = {batch_sizes(a), batch_sizes(b)};
  DimVector sizes = broadcast_sizes(call, shapes);
  sizes.push_back(a.size(-2));
  sizes.push_back(a.size(-1));
  return sizes;
}

void check_output(Call& call, const Tensor& output, const Tensor& input, DType dtype,
                  std::string_view name) {
  check_same_device(call, output, input, name, "result");
  call.check(can_cast(dtype, output.dtype()),
             "{}: Expected result to be safely castable from {} dtype, but got result with dtype "
             "{}",
             name, info(dtype).cpp_name, info(output.dtype()).cpp_name);
}

Tensor& nth_output(const Call& call, size_t i) {
  return call.args()[call.args().size() - call.op().output_count + i].tensor();
}

Tensor& unwanted(Call& call, const Tensor& a, std::optional<DType> dtype) {
  const DimVector none = {0};
  return *call.context().empty(none, dtype.value_or(a.dtype()), a.device());
}

bool is_zero(const Value& number) {
  switch (number.tag()) {
    case Value::Tag::kBool:
      return !number.to_bool();
    case Value::Tag::kInt:
      return statically_known_true(number.as_sym_int() == 0);
    case Value::Tag::kFloat:
      return number.as_double() == 0;
    case Value::Tag::kComplex:
      return number.as_complex()[0] == 0 && number.as_complex()[1] == 0;
    default:
      return false;
  }
}

double as_real(const Value& number) {
  return number.is(Value::Tag::kComplex) ? number.as_complex()[0] : number.to_double();
}

void check_dot(const Call& call, const Tensor& self, const Tensor& other) {
  call.check(self.dim() == 1 && other.dim() == 1,
             "1D tensors expected, but got {}D and {}D tensors", self.dim(), other.dim());
  call.check(self.dtype() == other.dtype(),
             "dot : expected both vectors to have same dtype, but found {} and {}", self.dtype(),
             other.dtype());
  call.check(
      self.numel() == other.numel(),
      "inconsistent tensor size, expected tensor [{}] and src [{}] to have thesame number of "
      "elements, but got {} and {} elements respectively",
      self.numel(), other.numel(), self.numel(), other.numel());
}

}  // namespace faketensor
