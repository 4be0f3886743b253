// Linear algebra: the checks and layouts that decompositions, solvers and norms share.
//
// Matrices are the last two dimensions of a tensor, the dimensions before are the batch. LAPACK
// works column by column, so most results are "column-major": row-major batches of matrices whose
// columns are contiguous. Checks come twice, since Python's meta functions and ATen's composites
// differ in their words.
//
//   check_square(c, a, "linalg.eigh");
//   return column_major(c, a.sizes(), a.dtype());
#pragma once

#include <string_view>

#include "core/ops/call.h"

namespace faketensor {

// The sizes without the last `count`; none where there are fewer.
inline Dims without_last(Dims sizes, size_t count) {
  return sizes.first(sizes.size() > count ? sizes.size() - count : 0);
}
inline Dims batch_sizes(const Tensor& a) { return without_last(a.sizes(), 2); }

// make_contiguous_strides_for(sizes, row_major=False) of torch._prims_common.
DimVector column_major_strides(Dims sizes);
Tensor* column_major(Call& call, Dims sizes, DType dtype);
// The same as torch.empty_strided makes it, which checks nothing.
Tensor* strided_column_major(Call& call, Dims sizes, DType dtype);

// The words of torch/_meta_registrations.py. Low precision is float16, bfloat16, float8 and
// complex32.
enum class Precision : uint8_t { kAny, kNotLow };
void check_square(Call& call, const Tensor& a, std::string_view name);
void check_is_matrix(Call& call, const Tensor& a, std::string_view name,
                     std::string_view argument = "A");
void check_floating_or_complex(Call& call, const Tensor& a, std::string_view name,
                               Precision precision = Precision::kAny);

// The words of aten/src/ATen/native/LinearAlgebraUtils.h.
void check_square_in_aten(Call& call, const Tensor& a, std::string_view name);
void check_floating_or_complex_in_aten(Call& call, const Tensor& a, std::string_view name,
                                       Precision precision = Precision::kAny);
void check_same_device(Call& call, const Tensor& result, const Tensor& input, std::string_view name,
                       std::string_view result_name);

// The sizes of `a` with its batch broadcast against that of `b`. Mirrors
// _linalg_broadcast_batch_dims.
DimVector with_common_batch(Call& call, const Tensor& a, const Tensor& b);

// What ATen's composites check of the tensor they write to: its device, and that a result of
// `dtype` casts to it (checkSameDevice, checkLinalgCompatibleDtype).
void check_output(Call& call, const Tensor& output, const Tensor& input, DType dtype,
                  std::string_view name);
// The i-th tensor that an out= overload writes to.
Tensor& nth_output(const Call& call, size_t i);
// An empty tensor like `a`, for a result of the inner operator that is not asked for.
Tensor& unwanted(Call& call, const Tensor& a, std::optional<DType> dtype = {});

// Whether a number is 0 (also 0.0 and False) as Python's `beta == 0` asks; symbolic ones are not.
bool is_zero(const Value& number);
// A number as a double; the real part of a complex one.
double as_real(const Value& number);

// Mirrors _dot_check, torch/_refs/__init__.py: two vectors of one dtype and length.
void check_dot(const Call& call, const Tensor& self, const Tensor& other);

}  // namespace faketensor
