// Arithmetic and pointwise operators on sparse tensors (Note [Two ways to a sparse answer]).
#include "core/ops/families/pointwise.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sparse_pointwise {
namespace {

constexpr std::string_view kSparseDense =
    "add(sparse, dense) is not supported. Use add(dense, sparse) instead.";

DType common_type(Call& c) { return result_type(c, c.args().first(2)); }

void check_added_sizes(Call& c, const Tensor& self, const Tensor& other) {
  c.check(guard_equal(self.sizes(), other.sizes()),
          "add: expected sizes of 'self' and 'other' to match, but {} != {}", self.sizes(),
          other.sizes());
}

// What add leaves of the elements of two COO tensors: those of the one that has any. Where both
// have, merging them on meta tensors leaves none. Mirrors add_out_sparse_cpu, ATen/native/sparse.
SparseShape added_coo(Call& c, const Tensor& self, const Tensor& other) {
  check_added_sizes(c, self, other);
  if (guard_bool(sparse_of(other).nnz == 0)) return shape_of(self);
  if (guard_bool(sparse_of(self).nnz == 0)) return shape_of(other);
  const SparseMeta &x = sparse_of(self), &y = sparse_of(other);
  c.check(
      x.sparse_dim == y.sparse_dim && x.dense_dim == y.dense_dim,
      "add: expected 'self' and 'other' to have same density, but 'self' has {} sparse dimensions "
      "while 'other' has {} sparse dimensions",
      x.sparse_dim, y.sparse_dim);
  return empty_coo(self.sizes(), x.sparse_dim, x.dense_dim);
}

int64_t batch_dims(const Tensor& self) { return self.dim() - 2 - sparse_of(self).dense_dim; }

// Two compressed tensors. On meta the result has one dimension of values, into which those of
// `self` are copied: that goes wrong where they have more. Mirrors add_out_sparse_compressed_cpu.
SparseShape added_compressed(Call& c, const Tensor& self, const Tensor& other) {
  c.check(is_row_compressed(self.layout()),
          "col_indices expected sparse row compressed tensor layout but got {}",
          cpp_name(self.layout()));
  SparseShape shape = shape_of(self);
  const SymInt nnz = shape.meta.nnz;
  c.check(!is_block(self.layout()),
          "torch.copy_: copy of sparse compressed tensors having different block sizes is not "
          "supported. self and src block sizes are [1, {}] and {}, respectively.",
          nnz, Dims(shape.meta.block_size));
  DimVector copied;
  for (int64_t i = 0; i < batch_dims(self); ++i) copied.push_back(self.size(i));
  copied.push_back(nnz);
  c.check(copied.size() == 1, "output with shape [{}] doesn't match the broadcast shape {}", nnz,
          copied.span());
  if (shape.meta.dense_dim != 0) {
    const SymInt last = self.size(-1);
    c.check(
        guard_bool(last == nnz),
        "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension "
        "{}",
        nnz, last, shape.meta.dense_dim);
  }
  if (guard_bool(nnz == 0)) shape.meta.nnz = sparse_of(other).nnz;
  return shape;
}

// The same in place: `self` is given values of one dimension, whatever it was.
SparseShape added_compressed_inplace(const Tensor& self, const Tensor& other) {
  SparseShape shape = shape_of(self);
  shape.meta.dense_dim = -static_cast<int32_t>(batch_dims(self));
  if (is_block(self.layout())) shape.meta.dense_dim -= 2;
  if (guard_bool(shape.meta.nnz == 0)) shape.meta.nnz = sparse_of(other).nnz;
  return shape;
}

Value add(Call& c, const Tensor& self, const Tensor& other) {
  const DType dtype = common_type(c);
  if (is_coo(self)) {
    c.check(!is_compressed(other), "memory format option is only supported by strided tensors");
    c.check(is_coo(other), kSparseDense);
    return new_sparse(c, self.layout(), added_coo(c, self, other), dtype, c.device());
  }
  if (is_compressed(self) && is_compressed(other))
    return new_sparse(c, self.layout(), added_compressed(c, self, other), dtype, c.device());
  const Tensor& dense = is_compressed(self) ? other : self;  // the result is dense like it
  return c.empty_like(dense, dtype);
}

Value add_inplace(Call& c, Tensor& self, const Tensor& other) {
  const DType dtype = common_type(c);
  if (is_coo(self)) c.check(is_coo(other), kSparseDense);
  c.check(can_cast(dtype, self.dtype()),
          "Can't convert result type {} to output {} in add operation", info(dtype).cpp_name,
          info(self.dtype()).cpp_name);
  if (self.layout() == Layout::kStrided) return self;
  if (is_coo(self)) {
    const SparseShape added = added_coo(c, self, other);
    // Elements of both are merged on zeros that stand for them: the tensor itself stays.
    const bool merges =
        guard_bool(sparse_of(self).nnz != 0) && guard_bool(sparse_of(other).nnz != 0);
    if (!merges) set_sparse(c, self, self.layout(), added);
    return self;
  }
  if (!is_compressed(other)) throw_has_no(self, "is_contiguous");
  set_sparse(c, self, self.layout(), added_compressed_inplace(self, other));
  return self;
}

Value add_number(Call& c, const Tensor& self) {
  c.check(!is_coo(self), kSparseDense);
  throw_has_no(self, "is_contiguous");
}

void check_subtractable(Call& c, const Tensor& self, const Value& other) {
  const bool other_is_bool =
      other.is_tensor() ? is_bool(other.tensor().dtype()) : other.is(Value::Tag::kBool);
  c.check(!is_bool(self.dtype()) || !other_is_bool,
          "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
          "`logical_xor()` operator instead.");
  c.check(
      !is_bool(self.dtype()) && !other_is_bool,
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
      "invert a mask, use the `~` or `logical_not()` operator instead.");
}

Value subtract(Call& c, const Tensor& self, const Value& other) {
  check_subtractable(c, self, other);
  if (first_compressed(c.args()) != nullptr)
    c.fail(ErrorKind::kRuntimeError,
           format("unsupported tensor layout: {}", cpp_name(first_sparse(c.args())->layout())));
  c.check(other.is_tensor() && is_coo(other.tensor()) && is_coo(self), kSparseDense);
  const DType dtype = common_type(c);
  check_added_sizes(c, self, other.tensor());
  if (c.op().schema.arguments[0].is_written()) return self;
  return sparse_zeros_like(c, self, dtype, self.meta->has(kCoalesced));
}

// How many leading dimensions of a tensor are sparse when it is made COO: batches count.
int64_t coo_sparse_dim(const Tensor& tensor) { return tensor.dim() - sparse_of(tensor).dense_dim; }

// Mirrors mul_sparse_csr, which goes through COO and back.
void check_multiplied_csr(Call& c, const Tensor& self, const Tensor& other) {
  int64_t sparse_dim = coo_sparse_dim(self);
  if (is_compressed(other)) sparse_dim = std::min(sparse_dim, coo_sparse_dim(other));
  c.check(sparse_dim == 2,
          "coo_to_sparse_csr: conversion from Sparse to SparseCsr for input tensors with "
          "sparse_dim()!=2 is not supported");
}

// Mirrors _mul_sparse_sparse_out and mul_dense_sparse_out_cpu, SparseTensorMath.cpp.
void check_multiplied_coo(Call& c, const Tensor& self, const Tensor& other) {
  if (is_coo(self) && is_coo(other)) {
    if (self.dim() == 0 || other.dim() == 0) return;
    c.check(guard_equal(self.sizes(), other.sizes()),
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal "
            "dimensionality, number of sparse dimensions, and shape of sparse dimensions");
    return;
  }
  const bool is_first = is_coo(self);
  broadcast_shapes((is_first ? other : self).sizes(), (is_first ? self : other).sizes());
}

// The other operand of a compressed tensor where it is one number.
const Tensor* number_beside(const Tensor& self, const Tensor& other) {
  const auto is_number = [](const Tensor& tensor) {
    return tensor.layout() == Layout::kStrided && tensor.dim() == 0;
  };
  return is_number(other) ? &self : is_number(self) ? &other : nullptr;
}

Value multiply(Call& c, const Tensor& self, const Tensor& other) {
  const DType dtype = common_type(c);
  const bool in_place = c.op().schema.arguments[0].is_written();
  const bool any_compressed = is_compressed(self) || is_compressed(other);
  if (!any_compressed) {
    check_multiplied_coo(c, self, other);
    if (in_place) return self;
    const Tensor& like = is_coo(self) ? self : other;
    return sparse_zeros_like(c, like, dtype);
  }
  if (const Tensor* scaled = number_beside(self, other)) {
    if (in_place) return self;
    return sparse_like(c, *scaled, dtype);
  }
  if (!in_place && is_block(self.layout()))
    empty_with_layout(c, self.layout(), {}, dtype, c.device());
  c.check(self.layout() == Layout::kSparseCsr, "Expected result Tensor to be of format CSR");
  check_multiplied_csr(c, self, other);
  if (in_place) return self;
  SparseShape shape{self.sizes(),
                    {.sparse_dim = 2, .dense_dim = static_cast<int32_t>(self.dim() - 2)}};
  return new_sparse(c, Layout::kSparseCsr, shape, dtype, c.device());
}

// Mirrors mul_scalar_sparse_csr; a COO tensor is multiplied by a 0-dimensional tensor.
Value multiply_number(Call& c, const Tensor& self) {
  if (c.op().schema.arguments[0].is_written()) return self;
  const DType dtype = common_type(c);
  if (is_coo(self)) return sparse_zeros_like(c, self, dtype);
  c.check(is_row_compressed(self.layout()),
          "col_indices expected sparse row compressed tensor layout but got {}",
          cpp_name(self.layout()));
  c.check(self.layout() == Layout::kSparseCsr,
          "sparse compressed layout must be SparseCsr but got {}", cpp_name(self.layout()));
  return sparse_like(c, self, dtype);
}

// Mirrors div_sparse: the divisor is a number or a 0-dimensional dense tensor.
Value divide(Call& c, const Tensor& self, const Value& other) {
  if (first_compressed(c.args()) != nullptr)
    c.fail(ErrorKind::kRuntimeError,
           format("unsupported tensor layout: {}", cpp_name(first_sparse(c.args())->layout())));
  DType dtype = common_type(c);
  if (other.is_tensor()) {
    const Tensor& divisor = other.tensor();
    c.check(!is_coo(divisor), "Sparse division requires a scalar or zero-dim dense tensor divisor");
    c.check(divisor.dim() == 0,
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {} for "
            "divisor)",
            divisor.sizes());
  }
  if (is_integral_or_bool(dtype)) dtype = c.context().default_dtype;
  c.check_as(ErrorKind::kNotImplementedError, dtype != DType::kComplex32 || !self.device().is_cpu(),
             "\"div_cpu\" not implemented for 'ComplexHalf'");
  if (c.op().schema.arguments[0].is_written()) {
    c.check(can_cast(dtype, self.dtype()),
            "result type {} can't be cast to the desired output type {}", info(dtype).cpp_name,
            info(self.dtype()).cpp_name);
    return self;
  }
  return sparse_zeros_like(c, self, dtype, self.meta->has(kCoalesced));
}

Value power(Call& c, const Tensor& self) {
  if (is_compressed(self))
    c.fail(ErrorKind::kRuntimeError,
           format("unsupported tensor layout: {}", cpp_name(self.layout())));
  return sparse_zeros_like(c, self, common_type(c));
}

// --- reductions ---

DType sum_type(DType self, std::optional<DType> dtype) {
  return dtype.value_or(is_integral_or_bool(self) ? DType::kInt64 : self);
}

Value sum(Call& c, const Tensor& self, std::optional<DType> dtype) {
  return c.empty({}, sum_type(self.dtype(), dtype));
}

// Mirrors sum_coo (through _sparse_sum) and sum_csr.
Value sum_dims(Call& c, const Tensor& self, const Value& dims, bool keepdim,
               std::optional<DType> dtype) {
  if (is_compressed(self)) {
    c.check(self.layout() == Layout::kSparseCsr,
            "Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but "
            "got layout {}",
            cpp_name(self.layout()));
    c.check(keepdim, "reduction operations on CSR tensors with keepdim=False is unsupported");
    c.check(self.dim() == 2, "input_dim == 2");
  }
  check_bitset_rank(c, self.dim());
  DimSet reduced = dims.size() == 0 ? DimSet::all(self.dim()) : DimSet();
  for (const SymInt dim : dims.ints()) reduced.add(wrap_dim(guard_int(dim), self.dim()));
  const DType type = sum_type(self.dtype(), dtype);
  DimVector sizes;
  int64_t sparse_dim = 0;
  for (int64_t i = 0; i < self.dim(); ++i) {
    const bool gone = contains(reduced, static_cast<size_t>(i));
    if (gone && !keepdim) continue;
    sizes.push_back(gone ? SymInt(1) : self.size(i));
    if (i < sparse_of(self).sparse_dim) ++sparse_dim;
  }
  if (is_compressed(self)) {
    SparseShape shape{sizes, {.sparse_dim = 2}};
    return new_sparse(c, self.layout(), shape, type, c.device());
  }
  const auto rank = static_cast<int64_t>(sizes.size());
  if (sparse_dim == 0) return c.empty(sizes, type);
  return new_sparse(c, self.layout(), empty_coo(sizes, sparse_dim, rank - sparse_dim), type,
                    c.device());
}

Value angle(Call& c, const Tensor& self) {
  if (is_coo(self)) refuse_sparse(c.op(), c.args());
  const DType dtype = self.dtype();
  return sparse_like(c, self,
                     is_integral_or_bool(dtype) ? c.context().default_dtype : to_real(dtype));
}

// at::conj: what is no strided tensor is conjugated at once.
Value conj(Call& c, const Tensor& self) {
  if (!is_complex(self.dtype())) return self;
  return c.call<"aten::_conj_physical">(self);
}

// item() of a COO tensor without elements is known.
Value item(Call& c, const Tensor& self) {
  c.check(guard_bool(self.numel() == 1), "a Tensor with {} elements cannot be converted to Scalar",
          self.numel());
  if (is_coo(self) && guard_bool(sparse_of(self).nnz == 0)) return 0;
  c.fail(ErrorKind::kDataDependentOutput, "aten._local_scalar_dense.default");
}

Value any(Call& c, const Tensor& self) {
  if (!is_coo(self)) refuse_sparse(c.op(), c.args());
  return c.empty({}, self.dtype() == DType::kUInt8 ? DType::kUInt8 : DType::kBool);
}

Value norm(Call& c, const Tensor& self) {
  c.check(is_float_or_complex(self.dtype()),
          "norm(): input dtype should be either floating point or complex. Got {} instead.",
          info(self.dtype()).cpp_name);
  if (!is_coo(self)) refuse_sparse(c.op(), c.args());
  return c.empty({}, to_real(self.dtype()));
}

Value mean(Call& c, const Tensor& self) {
  c.check(is_float_or_complex(self.dtype()),
          "mean(): could not infer output dtype. Input dtype must be either a floating point or "
          "complex dtype. Got: {}",
          info(self.dtype()).cpp_name);
  refuse_sparse(c.op(), c.args());
}

Value argmax(Call& c, const Tensor& self) {
  c.check(!is_bool(self.dtype()), "argmax(): does not support bool input");
  if (!is_compressed(self)) refuse_sparse(c.op(), c.args());
  c.fail(ErrorKind::kRuntimeError,
         format("resize_reduction: support for output with {} layout is not implemented yet",
                cpp_name(self.layout())));
}

// --- in place on the elements ---

Value zero_inplace(Call& c, Tensor& self) {
  SparseShape shape = shape_of(self);
  shape.meta.nnz = 0;
  shape.coalesced = true;
  set_sparse(c, self, self.layout(), shape);
  return self;
}

Value fill_inplace(Call& c, const Tensor& self) {
  if (is_coo(self)) refuse_sparse(c.op(), c.args());
  return self;
}

// A complex COO tensor gives the real view of its elements.
Value real(Call& c, const Tensor& self) {
  if (!is_complex(self.dtype())) return self;
  if (!is_coo(self)) refuse_sparse(c.op(), c.args());
  return sparse_zeros_like(c, self, to_real(self.dtype()));
}

constexpr Promotion kToFloat = Promotion::kIntToFloat;
constexpr Promotion kToBool = Promotion::kAlwaysBool;
constexpr Promotion kToReal = Promotion::kComplexToFloat;

// clang-format off
constexpr SparseDef kRows[] = {
    {"aten::_conj_physical", sparse_unary()},
    {"aten::abs", sparse_unary({.promote = kToReal, .check = UnaryCheck::kAbs})},
    {"aten::abs_", sparse_unary({.promote = kToReal, .check = UnaryCheck::kAbs})},
    {"aten::add.Scalar", rule<&add_number>()},
    {"aten::add.Tensor", rule<&add>()},
    {"aten::add_.Scalar", rule<&add_number>()},
    {"aten::add_.Tensor", rule<&add_inplace>()},
    {"aten::amax", lacks(Lacking::kReduction)},
    {"aten::amin", lacks(Lacking::kReduction)},
    {"aten::angle", rule<&angle>()},
    {"aten::any", rule<&any>()},
    {"aten::argmax", rule<&argmax>()},
    {"aten::argmin", lacks(Lacking::kReduction)},
    {"aten::asin", sparse_unary({.promote = kToFloat})},
    {"aten::asin_", sparse_unary({.promote = kToFloat})},
    {"aten::asinh", sparse_unary({.promote = kToFloat})},
    {"aten::asinh_", sparse_unary({.promote = kToFloat})},
    {"aten::atan", sparse_unary({.promote = kToFloat})},
    {"aten::atan_", sparse_unary({.promote = kToFloat})},
    {"aten::atanh", sparse_unary({.promote = kToFloat})},
    {"aten::atanh_", sparse_unary({.promote = kToFloat})},
    {"aten::ceil", sparse_unary({.check = UnaryCheck::kCeil})},
    {"aten::ceil_", sparse_unary({.check = UnaryCheck::kCeil})},
    {"aten::conj", rule<&conj>()},
    {"aten::conj_physical", sparse_unary({.check = UnaryCheck::kConj, .keeps_order = true})},
    {"aten::conj_physical_", sparse_unary({.check = UnaryCheck::kConj})},
    {"aten::cumprod", lacks(Lacking::kResult, 1)},
    {"aten::cumsum", lacks(Lacking::kResult, 1)},
    {"aten::deg2rad", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kDegrees})},
    {"aten::deg2rad_", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kDegrees})},
    {"aten::div.Scalar", rule<&divide>()},
    {"aten::div.Tensor", rule<&divide>()},
    {"aten::div_.Scalar", rule<&divide>()},
    {"aten::div_.Tensor", rule<&divide>()},
    {"aten::eq.Scalar", lacks(Lacking::kIterator)},
    {"aten::eq.Tensor", lacks(Lacking::kIterator)},
    {"aten::erf", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kErf})},
    {"aten::erf_", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kErf})},
    {"aten::erfinv", sparse_unary({.promote = kToFloat})},
    {"aten::erfinv_", sparse_unary({.promote = kToFloat})},
    {"aten::expm1", sparse_unary({.promote = kToFloat})},
    {"aten::expm1_", sparse_unary({.promote = kToFloat})},
    {"aten::fill_.Scalar", rule<&fill_inplace>()},
    {"aten::floor", sparse_unary({.check = UnaryCheck::kFloor})},
    {"aten::floor_", sparse_unary({.check = UnaryCheck::kFloor})},
    {"aten::frac", sparse_unary({.check = UnaryCheck::kFrac})},
    {"aten::frac_", sparse_unary({.check = UnaryCheck::kFrac})},
    {"aten::ge.Scalar", lacks(Lacking::kIterator)},
    {"aten::ge.Tensor", lacks(Lacking::kIterator)},
    {"aten::gt.Scalar", lacks(Lacking::kIterator)},
    {"aten::gt.Tensor", lacks(Lacking::kIterator)},
    {"aten::isinf", sparse_unary({.promote = kToBool})},
    {"aten::isnan", sparse_unary({.promote = kToBool})},
    {"aten::isneginf", sparse_unary({.promote = kToBool})},
    {"aten::isposinf", sparse_unary({.promote = kToBool})},
    {"aten::item", rule<&item>()},
    {"aten::le.Scalar", lacks(Lacking::kIterator)},
    {"aten::le.Tensor", lacks(Lacking::kIterator)},
    {"aten::log1p", sparse_unary({.promote = kToFloat})},
    {"aten::log1p_", sparse_unary({.promote = kToFloat})},
    {"aten::lt.Scalar", lacks(Lacking::kIterator)},
    {"aten::lt.Tensor", lacks(Lacking::kIterator)},
    {"aten::maximum", lacks(Lacking::kIterator)},
    {"aten::mean", rule<&mean>()},
    {"aten::mean.dim", lacks(Lacking::kReduction)},
    {"aten::minimum", lacks(Lacking::kIterator)},
    {"aten::mul.Scalar", rule<&multiply_number>()},
    {"aten::mul.Tensor", rule<&multiply>()},
    {"aten::mul_.Scalar", rule<&multiply_number>()},
    {"aten::mul_.Tensor", rule<&multiply>()},
    {"aten::ne.Scalar", lacks(Lacking::kIterator)},
    {"aten::ne.Tensor", lacks(Lacking::kIterator)},
    {"aten::neg", sparse_unary({.check = UnaryCheck::kNeg, .keeps_order = true})},
    {"aten::neg_", sparse_unary({.check = UnaryCheck::kNeg})},
    {"aten::norm.Scalar", rule<&norm>()},
    {"aten::pow.Tensor_Scalar", rule<&power>()},
    {"aten::rad2deg", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kDegrees})},
    {"aten::rad2deg_", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kDegrees})},
    {"aten::real", rule<&real>()},
    {"aten::relu", sparse_unary({.check = UnaryCheck::kRelu})},
    {"aten::relu_", sparse_unary({.check = UnaryCheck::kRelu})},
    {"aten::round", sparse_unary({.check = UnaryCheck::kRound})},
    {"aten::round_", sparse_unary({.check = UnaryCheck::kRound})},
    {"aten::sgn", sparse_unary()},
    {"aten::sgn_", sparse_unary()},
    {"aten::sigmoid", lacks(Lacking::kIterator)},
    {"aten::sign", sparse_unary({.check = UnaryCheck::kSign})},
    {"aten::sign_", sparse_unary({.check = UnaryCheck::kSign})},
    {"aten::signbit", sparse_unary({.promote = kToBool})},
    {"aten::sin", sparse_unary({.promote = kToFloat})},
    {"aten::sin_", sparse_unary({.promote = kToFloat})},
    {"aten::sinh", sparse_unary({.promote = kToFloat})},
    {"aten::sinh_", sparse_unary({.promote = kToFloat})},
    {"aten::sqrt", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kSqrt})},
    {"aten::sqrt_", sparse_unary({.promote = kToFloat, .check = UnaryCheck::kSqrt})},
    {"aten::sub.Scalar", rule<&subtract>()},
    {"aten::sub.Tensor", rule<&subtract>()},
    {"aten::sub_.Scalar", rule<&subtract>()},
    {"aten::sub_.Tensor", rule<&subtract>()},
    {"aten::sum", rule<&sum>()},
    {"aten::sum.dim_IntList", rule<&sum_dims>()},
    {"aten::tan", sparse_unary({.promote = kToFloat})},
    {"aten::tan_", sparse_unary({.promote = kToFloat})},
    {"aten::tanh", sparse_unary({.promote = kToFloat})},
    {"aten::tanh_", sparse_unary({.promote = kToFloat})},
    {"aten::trunc", sparse_unary({.check = UnaryCheck::kTrunc})},
    {"aten::trunc_", sparse_unary({.check = UnaryCheck::kTrunc})},
    {"aten::zero_", rule<&zero_inplace>()},
};
// clang-format on

}  // namespace
}  // namespace rules_of_sparse_pointwise

std::span<const SparseDef> sparse_pointwise_rows() { return rules_of_sparse_pointwise::kRows; }

}  // namespace faketensor
