// Matrix products.
#include <algorithm>

#include "core/ops/autograd.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/steps/steps.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_matmul {
namespace {

// Mirrors meta_mm, torch/_meta_registrations.py.
Tensor* mm(Call& c, const Tensor& self, const Tensor& mat2) {
  c.check(self.dim() == 2, "a must be 2D");
  c.check(mat2.dim() == 2, "b must be 2D");
  const SymInt n = self.size(0);
  const SymInt m1 = self.size(1);
  const SymInt m2 = mat2.size(0);
  const SymInt p = mat2.size(1);
  c.check(m1 == m2, "a and b must have same reduction dim, but got [{}, {}] X [{}, {}].", n, m1, m2,
          p);
  return c.empty({n, p}, self.dtype());
}

Tensor* mm_dtype(Call& c, const Tensor& self, const Tensor& mat2, DType out_dtype) {
  Tensor* result = mm(c, self, mat2);
  c.check(out_dtype == self.dtype() ||
              (out_dtype == DType::kFloat32 && is_reduced_floating(self.dtype())),
          "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
  return c.empty(result->sizes(), out_dtype);
}

// Mirrors common_meta_baddbmm_bmm, torch/_meta_registrations.py.
DimVector bmm_sizes(Call& c, const Tensor& batch1, const Tensor& batch2) {
  c.check(batch1.dim() == 3, "batch1 must be a 3D tensor");
  c.check(batch2.dim() == 3, "batch2 must be a 3D tensor");
  c.check(batch1.dtype() == batch2.dtype(), "expected scalar type {} but found {}", batch1.dtype(),
          batch2.dtype());
  const SymBool same_batch = batch2.size(0) == batch1.size(0);
  const SymBool same_contraction = batch2.size(1) == batch1.size(2);
  c.check(
      sym_and(same_batch, same_contraction),
      "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
      batch1.size(0), batch1.size(2), batch2.size(0), batch2.size(1));
  return {batch1.size(0), batch1.size(1), batch2.size(2)};
}

Tensor* bmm(Call& c, const Tensor& self, const Tensor& mat2) {
  return c.empty(bmm_sizes(c, self, mat2), mat2.dtype());
}
Tensor* bmm_dtype(Call& c, const Tensor& self, const Tensor& mat2, DType out_dtype) {
  const DimVector sizes = bmm_sizes(c, self, mat2);
  c.check(out_dtype == self.dtype() ||
              (out_dtype == DType::kFloat32 && is_reduced_floating(self.dtype())),
          "out_dtype only supported for torch.float32 output with float16/bfloat16 inputs or same "
          "as input dtypes");
  return c.empty(sizes, out_dtype);
}

// expand inside of a meta function, which without the Python dispatcher is the C++ kernel: it reads
// strides and sizes as numbers.
Tensor& expand_in_kernel(Call& c, const Tensor& self, const DimVector& sizes) {
  const bool is_plain =
      std::none_of(sizes.begin(), sizes.end(), [](SymInt size) { return size.is_symbolic(); });
  if (is_plain && !c.context().python_dispatcher) {
    specialize_sizes(self.strides());
    specialize_sizes(self);
  }
  return c.tensor<"aten::expand">(self, sizes);
}

// Mirrors meta_baddbmm, torch/_meta_registrations.py: self is expanded before the operands are
// looked at.
Tensor* baddbmm(Call& c, const Tensor& self, const Tensor& batch1, const Tensor& batch2) {
  const DimVector expanded = {batch1.size(0), batch1.size(1), batch2.size(2)};
  SymBool same = self.dim() == 3;
  for (size_t i = 0; i < 3 && self.dim() == 3; ++i)
    same = sym_and(same, self.sizes()[i] == expanded[i]);
  if (guard_or_true(sym_not(same))) expand_in_kernel(c, self, expanded);
  c.check(batch1.dim() == 3, "batch1 must be a 3D tensor");
  c.check(batch2.dim() == 3, "batch2 must be a 3D tensor");
  c.check(self.dtype() == batch1.dtype() && batch1.dtype() == batch2.dtype(),
          "Input dtypes must be the same, got: input: {}, batch1: {}, batch2: {}", self.dtype(),
          batch1.dtype(), batch2.dtype());
  c.check(guard_bool(batch2.size(0) == batch1.size(0)) ? batch2.size(1) == batch1.size(2)
                                                       : SymBool(false),
          "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, "
          "{}].",
          batch1.size(0), batch1.size(2), batch2.size(0), batch2.size(1));
  return c.empty(expanded, self.dtype());
}

// Mirrors baddbmm, torch/_decomp/decompositions.py, which is registered for this overload too and
// takes its out_dtype for beta.
Value baddbmm_dtype(Call& c, const Tensor& self, const Tensor& batch1, const Tensor& batch2) {
  c.check_as(ErrorKind::kTypeError, is_float_or_complex(self.dtype()),
             "int() argument must be a string, a bytes-like object or a real number, not "
             "'torch.dtype'");
  c.call<"aten::bmm">(batch1, batch2);
  c.fail(ErrorKind::kTypeError,
         "unsupported operand type(s) for *: 'FakeTensor' and 'torch.dtype'");
}

// Mirrors meta_addbmm, torch/_meta_registrations.py.
Value addbmm(Call& c, const Tensor& self, const Tensor& batch1, const Tensor& batch2) {
  const DimVector sizes = {batch1.size(1), batch2.size(2)};
  expand_in_kernel(c, self, sizes);
  c.check(batch1.dim() == 3, "batch1 must be a 3D tensor");
  c.check(batch2.dim() == 3, "batch2 must be a 3D tensor");
  c.check(batch1.size(0) == batch2.size(0),
          "batch1 and batch2 must have same number of batches, got {} and {}", batch1.size(0),
          batch2.size(0));
  c.check(batch1.size(2) == batch2.size(1), "Incompatible matrix sizes for bmm ({}x{} and {}x{})",
          batch1.size(1), batch1.size(2), batch2.size(1), batch2.size(2));
  return c.empty(sizes, self.dtype());
}

// The factors of a product of integers become integers: int(beta), int(alpha).
void check_factors(Call& c, const Tensor& self, const Value& beta, const Value& alpha) {
  if (is_float_or_complex(self.dtype())) return;
  for (const Value* factor : {&beta, &alpha}) {
    c.check_as(ErrorKind::kTypeError, !factor->is(Value::Tag::kComplex),
               "int() argument must be a string, a bytes-like object or a real number, not "
               "'complex'");
  }
}

// alpha * product + beta * self, as the decompositions write it.
Tensor* scaled_sum(Call& c, const Tensor& product, const Tensor& self) {
  Tensor* scaled = arithmetic(c, product, 1);
  return arithmetic(c, *scaled, *arithmetic(c, self, 1));
}

// Mirrors addmm, torch/_decomp/decompositions.py: `out + beta * self` over the product, cast as
// pw_cast_for_opmath casts. The operators of a decomposition look for their devices one by one.
Value addmm(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Value& beta,
            const Value& alpha) {
  check_factors(c, self, beta, alpha);
  const ElementwiseTypes types =
      elementwise_types(promoted_dtype(c, c.args().first(3)), Promotion::kDefault);
  const bool one_device = self.device() == mat1.device() && self.device() == mat2.device();
  const Tensor* product = one_device ? mm(c, mat1, mat2) : &c.tensor<"aten::mm">(mat1, mat2);
  if (is_zero(beta)) {
    return c.context().empty(product->sizes(), types.result, product->device());
  }
  product = c.context().empty(product->sizes(), types.computation, product->device());
  if (one_device && has_symbolic_sizes(c)) {
    const Tensor& added = *cast_to(c, self, types.computation);
    return cast_to(c, *scaled_sum(c, *product, added), types.result);
  }
  if (!one_device && self.dim() != 0)
    return cast_to(c, c.tensor<"aten::add.Tensor">(*product, self), types.result);
  const Value operands[] = {*product, self};
  return elementwise(c, operands, types.computation, types.result);
}

// Mirrors addmm_dtype, torch/_decomp/decompositions.py.
Value addmm_dtype(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                  DType out_dtype, const Value& beta, const Value& alpha) {
  const Value product =
      c.call<"aten::mul.Tensor">(c.call<"aten::mm.dtype">(mat1, mat2, out_dtype), alpha);
  if (is_zero(beta)) return product;
  const Value cast = c.call<"aten::to.dtype">(self, out_dtype);
  return c.call<"aten::add.Tensor">(product, c.call<"aten::mul.Tensor">(cast, beta));
}

// Mirrors _addmm_activation, torch/_decomp/decompositions.py.
Value addmm_activation(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                       const Value& beta, const Value& alpha, bool use_gelu) {
  const Value sum = c.call<"aten::addmm">(self, mat1, mat2, beta, alpha);
  return use_gelu ? c.call<"aten::gelu">(sum) : c.call<"aten::relu">(sum);
}

void check_mv(const Call& c, const Tensor& self, const Tensor& vec) {
  c.check(self.dim() == 2 && vec.dim() == 1, "matrix @ vector expected, got {}, {}", self.dim(),
          vec.dim());
  c.check(self.size(1) == vec.size(0), "size mismatch, got input ({}x{}), vec ({})", self.size(0),
          self.size(1), vec.size(0));
}
// Mirrors mv, torch/_decomp/decompositions.py.
Value mv(Call& c, const Tensor& self, const Tensor& vec) {
  check_mv(c, self, vec);
  if (has_symbolic_sizes(c)) return run_steps(c.context(), c.op(), c.args());
  return c.empty({self.size(0)}, promoted_dtype(c, c.args()));
}

// Mirrors dot, torch/_refs/__init__.py.
Value dot(Call& c, const Tensor& self, const Tensor& other) {
  check_dot(c, self, other);
  if (has_symbolic_sizes(c)) return run_steps(c.context(), c.op(), c.args());
  return c.empty(Dims(), self.dtype());
}

// Mirrors addmv, torch/_decomp/decompositions.py.
Value addmv(Call& c, const Tensor& self, const Tensor& mat, const Tensor& vec, const Value& beta,
            const Value& alpha) {
  c.check(self.dtype() == mat.dtype() && mat.dtype() == vec.dtype(),
          "addmv input tensors must have the same dtype, but got {}, {}, and {}", self.dtype(),
          mat.dtype(), vec.dtype());
  check_factors(c, self, beta, alpha);
  if (has_symbolic_sizes(c)) return run_steps(c.context(), c.op(), c.args());
  const bool one_device = self.device() == mat.device() && self.device() == vec.device();
  if (one_device) check_mv(c, mat, vec);
  const Tensor& product = one_device ? *c.empty({mat.size(0)}, promoted_dtype(c, c.args()))
                                     : c.tensor<"aten::mv">(mat, vec);
  if (is_zero(beta)) return c.context().empty(product.sizes(), self.dtype(), product.device());
  if (guard_bool(product.numel() == 0)) return elementwise(c, {{self}}, self.dtype(), self.dtype());
  if (!one_device && self.dim() != 0) return c.call<"aten::add.Tensor">(product, self);
  const Value operands[] = {product, self};
  return elementwise(c, operands, self.dtype(), self.dtype());
}

// A product of sizes without the last `without`.
SymInt leading_numel(Dims sizes, size_t without) {
  return numel(sizes.first(sizes.size() - without));
}

// Mirrors _flatten_nd_linear, aten/src/ATen/native/Linear.cpp.
Value flattened_linear(Call& c, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const DimVector flat = {leading_numel(input.sizes(), 1), input.size(-1)};
  const Tensor& rows = c.tensor<"aten::reshape">(input, flat);
  const Tensor& product = c.tensor<"aten::addmm">(bias, rows, c.tensor<"aten::t">(weight));
  DimVector sizes(input.sizes());
  sizes.back() = product.size(1);
  return c.call<"aten::view">(product, sizes);
}

// Mirrors linear, aten/src/ATen/native/Linear.cpp.
Value linear(Call& c, const Tensor& input, const Tensor& weight, Tensor* bias) {
  c.check(input.dim() != 0 && weight.dim() != 0,
          "both arguments to linear need to be at least 1D, but they are {}D and {}D", input.dim(),
          weight.dim());
  if (bias != nullptr && input.dim() == 2)
    return c.call<"aten::addmm">(*bias, input, c.tensor<"aten::t">(weight));
  if (bias != nullptr && input.is_contiguous()) return flattened_linear(c, input, weight, *bias);
  const Tensor& product = c.tensor<"aten::matmul">(input, c.tensor<"aten::t">(weight));
  if (bias == nullptr) return product;
  return c.call<"aten::add.Tensor">(product, *bias);
}

// Whether matmul folds the batch dimensions of the larger operand into rows and calls mm or mv.
// Mirrors should_fold, aten/src/ATen/native/LinearAlgebra.cpp.
bool should_fold(Call& c, const Tensor& tensor1, const Tensor& tensor2) {
  const bool first_is_larger = tensor1.dim() >= tensor2.dim();
  const Tensor& larger = first_is_larger ? tensor1 : c.tensor<"aten::mT">(tensor2);
  const Tensor& smaller = first_is_larger ? tensor2 : tensor1;
  if (larger.dim() < 3 || smaller.dim() > 2) return false;
  if (needs_grad(c.context(), smaller)) return true;
  if (tensor1.dim() == 2) return false;
  if (guard_or_false(larger.numel() == 0)) return true;
  for (int64_t i = 0; i + 2 < larger.dim(); ++i) {
    if (!guard_or_false(larger.stride(i) == larger.stride(i + 1) * larger.size(i + 1)))
      return false;
  }
  return true;
}

Value folded_matmul(Call& c, const Tensor& tensor1, const Tensor& tensor2) {
  const bool transpose = tensor2.dim() > tensor1.dim();
  const Tensor& t1 = transpose ? c.tensor<"aten::mT">(tensor2) : tensor1;
  const Tensor& t2 = !transpose           ? tensor2
                     : tensor1.dim() == 2 ? c.tensor<"aten::t">(tensor1)
                                          : tensor1;
  DimVector output_sizes(t1.sizes());
  output_sizes.pop_back();
  const DimVector folded = {numel(output_sizes), t1.size(-1)};
  const Tensor& rows = c.tensor<"aten::reshape">(t1, folded);
  if (t2.dim() != 2)
    return c.call<"aten::_unsafe_view">(c.tensor<"aten::mv">(rows, t2), output_sizes);
  output_sizes.push_back(t2.size(1));
  const Tensor& output =
      c.tensor<"aten::_unsafe_view">(c.tensor<"aten::mm">(rows, t2), output_sizes);
  return transpose ? c.call<"aten::contiguous">(c.tensor<"aten::mT">(output)) : Value(output);
}

Value batched_matmul(Call& c, const Tensor& tensor1, const Tensor& tensor2) {
  const auto rank1 = static_cast<size_t>(tensor1.dim());
  const auto rank2 = static_cast<size_t>(tensor2.dim());
  const Dims batch1 = tensor1.sizes().first(rank1 > 2 ? rank1 - 2 : 0);
  const Dims batch2 = tensor2.sizes().first(rank2 > 2 ? rank2 - 2 : 0);
  const SymInt n = rank1 > 1 ? tensor1.size(-2) : SymInt(1);
  const SymInt m1 = tensor1.size(-1);
  const SymInt m2 = rank2 > 1 ? tensor2.size(-2) : tensor2.size(-1);
  const SymInt p = rank2 > 1 ? tensor2.size(-1) : SymInt(1);
  // Fake tensors are subclass-like: a batch of one is folded rather than broadcast.
  if (rank1 == 3 && rank2 == 3 && guard_or_true(batch1[0] != batch2[0])) {
    if (guard_or_false(batch1[0] == 1))
      return c.call<"aten::matmul">(c.tensor<"aten::squeeze.dim">(tensor1, 0), tensor2);
    if (guard_or_false(batch2[0] == 1))
      return c.call<"aten::matmul">(tensor1, c.tensor<"aten::squeeze.dim">(tensor2, 0));
  }
  DimVector output_sizes = broadcast_shapes(batch1, batch2);
  const SymInt batch = numel(output_sizes);
  DimVector sizes1 = output_sizes;
  sizes1.push_back(n);
  sizes1.push_back(m1);
  DimVector sizes2 = output_sizes;
  sizes2.push_back(m2);
  if (rank2 > 1) sizes2.push_back(p);
  const Tensor& left =
      c.tensor<"aten::reshape">(c.tensor<"aten::expand">(tensor1, sizes1), DimVector{batch, n, m1});
  const Tensor& wide = c.tensor<"aten::expand">(tensor2, sizes2);
  const Tensor& right = rank2 > 1 ? c.tensor<"aten::reshape">(wide, DimVector{batch, m2, p})
                                  : c.tensor<"aten::unsqueeze">(
                                        c.tensor<"aten::reshape">(wide, DimVector{batch, m2}), 2);
  if (rank1 > 1) output_sizes.push_back(n);
  if (rank2 > 1) output_sizes.push_back(p);
  const Tensor& product = c.tensor<"aten::bmm">(left, right);
  return c.call<"aten::_unsafe_view">(
      rank2 > 1 ? product : c.tensor<"aten::squeeze.dim">(product, -1), output_sizes);
}

// A product of more than two dimensions, which is computed apart and copied to an output.
Value written_product(Call& c, const Value& product) {
  const Tensor* out = output_of(c);
  c.check(out == nullptr || out->dtype() == product.tensor().dtype(),
          "Expected out tensor to have dtype {} but got {} instead", product.tensor().dtype(),
          out == nullptr ? product.tensor().dtype() : out->dtype());
  return copy_into(c, product);
}

// Mirrors _matmul_impl, aten/src/ATen/native/LinearAlgebra.cpp.
Value matmul(Call& c, const Tensor& self, const Tensor& other) {
  const int64_t rank1 = self.dim();
  const int64_t rank2 = other.dim();
  c.check(rank1 != 0 && rank2 != 0,
          "both arguments to matmul need to be at least 1D, but they are {}D and {}D", rank1,
          rank2);
  if (rank1 == 1 && rank2 == 1) return call_into<"aten::dot", "aten::dot.out">(c, self, other);
  if (rank1 == 2 && rank2 == 1) return call_into<"aten::mv", "aten::mv.out">(c, self, other);
  if (rank1 == 1 && rank2 == 2) {
    const Value row =
        call_into<"aten::mm", "aten::mm.out">(c, c.tensor<"aten::unsqueeze">(self, 0), other);
    if (output_of(c) != nullptr) return c.call<"aten::squeeze_.dim">(row, 0);
    return c.call<"aten::squeeze.dim">(row, 0);
  }
  if (rank1 == 2 && rank2 == 2) return call_into<"aten::mm", "aten::mm.out">(c, self, other);
  return written_product(c, should_fold(c, self, other) ? folded_matmul(c, self, other)
                                                        : batched_matmul(c, self, other));
}

// Mirrors outer, aten/src/ATen/native/LinearAlgebra.cpp.
Value outer(Call& c, const Tensor& self, const Tensor& vec2) {
  c.check(self.dim() == 1, "outer: Expected 1-D argument self, but got {}-D", self.dim());
  c.check(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got {}-D", vec2.dim());
  const DimVector column = {self.size(0), 1};
  return call_into<"aten::mul.Tensor", "aten::mul.out">(c, c.tensor<"aten::reshape">(self, column),
                                                        vec2);
}

// clang-format off
constexpr OpDef kMatmul[] = {
    {"aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor", rule<&addmm_activation>(), kByDecomp},
    {"aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&addbmm>(), kInplaceCopies},
    {"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&addmm>(), kInplaceCopies | kByDecomp},
    {"aten::addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&addmm_dtype>(), kByDecomp},
    {"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&addmv>(), kInplaceCopies | kByDecomp},
    {"aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&baddbmm>(), kInplaceCopies},
    {"aten::baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&baddbmm_dtype>(), kByDecomp},
    {"aten::bmm(Tensor self, Tensor mat2) -> Tensor", rule<&bmm>()},
    {"aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", rule<&bmm_dtype>()},
    {"aten::dot(Tensor self, Tensor tensor) -> Tensor", rule<&dot>(), kByRef},
    {"aten::ger(Tensor self, Tensor vec2) -> Tensor", rule<&outer>(), kComposite},
    {"aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", same_as<"aten::matmul">(), kComposite},
    {"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", rule<&linear>(), kComposite},
    {"aten::matmul(Tensor self, Tensor other) -> Tensor", rule<&matmul>(), kComposite | kRealDerivative},
    {"aten::mm(Tensor self, Tensor mat2) -> Tensor", rule<&mm>()},
    {"aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", rule<&mm_dtype>()},
    {"aten::mv(Tensor self, Tensor vec) -> Tensor", rule<&mv>(), kByDecomp},
    {"aten::outer(Tensor self, Tensor vec2) -> Tensor", rule<&outer>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_matmul

std::span<const OpDef> matmul_rules() { return rules_of_matmul::kMatmul; }

}  // namespace faketensor
