// Operators of all kinds that only real kernels answer: random samples and their gradients,
// statistics, masked softmax, scans, pieces of attention and of nested tensors.

#include "core/ops/families/kernel.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/sparse.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_kernel_misc {
namespace {

// --- samples ---

// Mirrors _standard_gamma_grad_cpu, ATen/native/Distributions.cpp.
Value standard_gamma_grad(Call& c, const Tensor& self, const Tensor& output) {
  require_operand_type(c, self.dtype(), output);
  const DimVector sizes = broadcast_shapes(self.sizes(), output.sizes());
  // The result is as large as self, and where that is not enough, resized.
  const bool fits = guard_equal(sizes, self.sizes());
  Tensor* result =
      fits ? c.empty(sizes, self.dtype()) : kernel_result(c, {&output, &self}, self.dtype());
  require_type(c, "_standard_gamma_grad_cpu", self.dtype(), kSingleAndDouble);
  return result;
}

Value sample_dirichlet(Call& c, const Tensor& self) {
  require_type(c, "dirichlet", self.dtype(), kSingleAndDouble);
  return c.empty(self.sizes(), self.dtype());
}

Value binomial(Call& c, const Tensor& count, const Tensor& prob) {
  const auto floating = [&](const Tensor& tensor, std::string_view name) {
    c.check_as(ErrorKind::kValueError, is_floating(tensor.dtype()),
               "binomial only supports floating-point dtypes for {}, got: {}", name,
               info(tensor.dtype()).cpp_name);
  };
  floating(count, "count");
  floating(prob, "prob");
  Tensor* result = kernel_result(c, {&count, &prob}, count.dtype());
  require_operand_type(c, count.dtype(), prob);
  require_type(c, "binomial_cpu", count.dtype(), kSingleAndDouble);
  return result;
}

// --- statistics ---

constexpr uint32_t kOrdered = kAllNumbers | kBoolType;

Value aminmax(Call& c, const Tensor& self) {
  c.check(guard_bool(self.numel() != 0),
          "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
          "identity.");
  const Value result = c.call<"aten::aminmax">(self, nullptr, false);
  require_type(c, "aminmax_cpu", self.dtype(), kOrdered);
  return result;
}
Value aminmax_dim(Call& c, const Tensor& self, int64_t dim, bool keepdim) {
  const int64_t at = wrap_dim(dim, self.dim());
  c.check_as(ErrorKind::kIndexError, self.dim() == 0 || guard_bool(self.size(at) != 0),
             "aminmax: Expected reduction dim {} to have non-zero size.", at);
  const Value result = c.call<"aten::aminmax">(self, dim, keepdim);
  require_type(c, "aminmax_cpu", self.dtype(), kOrdered);
  return result;
}

// Mirrors batch_norm_update_stats_cpu: half inputs may have float statistics.
Value batch_norm_update_stats(Call& c, const Tensor& input, Tensor* mean, Tensor* variance) {
  require_type(c, "batch_norm_update_stats_cpu", input.dtype(), kFloats);
  DType dtype = input.dtype();
  const Tensor* first = mean != nullptr ? mean : variance;
  if (first != nullptr && first->dtype() != dtype) {
    for (const Tensor* statistic : {mean, variance}) {
      c.check(statistic == nullptr || statistic->dtype() == DType::kFloat32,
              "mixed dtype (CPU): expect parameter to have scalar type of Float");
    }
    dtype = DType::kFloat32;
  }
  const SymInt channels = input.size(1);
  for (const Tensor* statistic : {mean, variance}) {
    if (statistic != nullptr) require_rank(c, *statistic, 1);
  }
  return c.tuple({c.empty({channels}, dtype), c.empty({channels}, dtype)});
}

// --- elementwise ---

bool is_complex_number(const Value& number) { return number.is(Value::Tag::kComplex); }

// Mirrors _add_relu with a number: the sum is of a dtype that the clamp must know.
Value add_relu(Call& c, const Tensor& self, const Value& other, const Value& alpha) {
  c.check(!is_complex_number(alpha) || is_complex_number(other),
          "value cannot be converted to type float without overflow");
  const Value operands[] = {self, other};
  const DType common = promoted_dtype(c, operands);
  require_type(c, "add_clamp_cpu", common, kFloats | kIntegers);
  // The number is a tensor of its own, so that the iterator sorts dimensions.
  const DimVector strides = iterator_strides(zeros_for(c, self));
  return c.empty_strided(self.sizes(), strides, common);
}

Value logcumsumexp(Call& c, const Tensor& self, int64_t dim) {
  wrap_dim(dim, self.dim());
  require_type(c, "logcumsumexp_out_cpu", self.dtype(), kFloats | kComplexTypes);
  return c.empty(self.sizes(), self.dtype());
}

// Writes both results; a scalar is not looked at.
void scan_helper(Call& c, std::string_view kernel, const Tensor& self, const Tensor& values,
                 const Tensor& indices, int64_t dim) {
  require_type(c, kernel, self.dtype(), kAllNumbers | kBoolType);
  require_data_type(c, self.dtype(), values);
  require_data_type(c, DType::kInt64, indices);
  wrap_dim(dim, self.dim());
}
void cummax_helper(Call& c, const Tensor& self, const Tensor& values, const Tensor& indices,
                   int64_t dim) {
  scan_helper(c, "cummax_cpu", self, values, indices, dim);
}
void cummin_helper(Call& c, const Tensor& self, const Tensor& values, const Tensor& indices,
                   int64_t dim) {
  scan_helper(c, "cummin_cpu", self, values, indices, dim);
}

// --- masked softmax ---

// Mirrors masked_softmax_cpu, ATen/native/SoftMax.cpp. A mask of type 0 is [L, L], of type 1 [B,
// L].
Value masked_softmax(Call& c, const Tensor& self, const Tensor& mask, std::optional<int64_t> dim,
                     std::optional<int64_t> mask_type) {
  c.check(is_bool(mask.dtype()), "Mask should be a boolean tensor");
  const bool is_special =
      mask_type && (*mask_type == 0 || *mask_type == 1) && self.dim() == 4 && mask.dim() == 2;
  if (!is_special)
    c.check(guard_equal(self.sizes(), mask.sizes()),
            "For mask_type == 2 mask shape should match input shape");
  wrap_dim(dim.value_or(self.dim() == 0 ? 0 : self.dim() - 1), self.dim());
  require_type(c, "masked_softmax", self.dtype(), kFloats);
  return like_zeros(c, self, self.dtype());
}

Value masked_softmax_backward(Call& c, const Tensor& grad, const Tensor&, const Tensor& mask,
                              std::optional<int64_t> dim) {
  c.check(guard_equal(grad.sizes(), mask.sizes()), "Mask shape should match grad shape");
  wrap_dim(dim.value_or(grad.dim() == 0 ? 0 : grad.dim() - 1), grad.dim());
  require_type(c, "masked_softmax_backward", grad.dtype(), kFloats);
  if (grad.dim() == 0) return c.empty({1}, grad.dtype());  // the kernel wants a dimension
  return c.empty(grad.sizes(), grad.dtype());
}

// --- gated linear units ---

// The second half of `x`, which starts where the first, as long as `glu`, ends.
void check_halves(Call& c, SymInt half, const Tensor& x, int64_t dim) {
  c.check(x.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  c.check(guard_bool(half + half <= x.size(dim)),
          "start ({}) + length ({}) exceeds dimension size ({}).", half, half, x.size(dim));
}
Value glu_jvp(Call& c, const Tensor& glu, const Tensor& x, const Tensor& dx, int64_t dim) {
  dim = wrap_dim(dim, x.dim());
  const SymInt half = glu.size(dim);
  check_halves(c, half, x, dim);
  check_halves(c, half, dx, dim);
  return c.empty_like(glu);
}
Value glu_backward_jvp(Call& c, const Tensor& grad_x, const Tensor& grad_glu, const Tensor& x,
                       const Tensor&, const Tensor& dx, int64_t dim) {
  dim = wrap_dim(dim, x.dim());
  const SymInt half = grad_glu.size(dim);
  check_halves(c, half, x, dim);
  check_halves(c, half, dx, dim);
  return c.empty_like(grad_x);
}

// --- matrices ---

// Mirrors _compute_linear_combination, ATen/native/LinearAlgebra.cpp.
Value linear_combination(Call& c, const Tensor& input, const Tensor& coefficients) {
  c.check(input.dim() > 0 && guard_bool(input.numel() > 0), "Empty tensor not supported");
  const SymInt rows = coefficients.size(0);
  coefficients.size(1);
  DimVector sizes = {rows};
  for (int64_t i = 1; i < input.dim(); ++i) sizes.push_back(input.size(i));
  return c.empty(sizes, input.dtype());
}

// Mirrors transform_bias_rescale_qkv_cpu: three parts of one storage.
Value transform_bias_rescale_qkv(Call& c, const Tensor& qkv, const Tensor&, int64_t heads) {
  const SymInt batch = qkv.size(0), length = qkv.size(1), triple = qkv.size(2);
  const SymInt width = floor_div(triple, 3);
  require_condition(c, heads > 0 && guard_bool(mod(width, heads) == 0), "D % num_head == 0");
  require_condition(c, guard_bool(mod(triple, 3) == 0), "_3D % 3 == 0");
  require_type(c, "transform_bias_rescale_qkv", qkv.dtype(), kFloats);
  const DimVector sizes = {batch, heads, length, floor_div(width, heads)};
  const DimVector strides = contiguous_strides(sizes);
  const SymInt part = batch * length * width;
  const Tensor* whole = c.empty({3 * part}, qkv.dtype());
  SmallVector<Value, 3> parts;
  for (int i = 0; i < 3; ++i) {
    Tensor* view = c.view(*whole, sizes, strides, part * i);
    view->base = nullptr;
    parts.push_back(Value(view));
  }
  return c.list(parts.span());
}

// --- pieces of nested tensors ---

Value nested_strides_offsets(Call& c, const Tensor& sizes) {
  if (sizes.dim() == 0) return c.tuple({sizes, c.empty({0}, DType::kInt64)});
  const SymInt count = sizes.size(0);
  sizes.size(1);
  require_data_type(c, DType::kInt64, sizes);
  return c.tuple({c.empty(sizes.sizes(), DType::kInt64), c.empty({count}, DType::kInt64)});
}

void check_mask(Call& c, const Tensor& t, const Tensor& mask) {
  c.check(mask.dim() == 2, "Padding mask should be 2D");
  c.check(t.dim() == 3, "Input should be a 3D tensor, N * L * D");
  c.check(is_bool(mask.dtype()), "Mask should be a boolean tensor");
}
Value nested_from_mask(Call& c, const Tensor& t, const Tensor& mask) {
  check_mask(c, t, mask);
  throw_no_kernel(c.op(), "NestedTensorMeta");
}
Value is_left_aligned(Call& c, const Tensor& t, const Tensor& mask) {
  check_mask(c, t, mask);
  return true;
}
Value nested_from_padded(Call& c, const Tensor& padded, const Tensor& sizes) {
  require_data_type(c, DType::kInt64, sizes);
  c.fail(ErrorKind::kRuntimeError,
         format("dimension {} doesn't match length {} of goal shape.", padded.numel(),
                padded.dim() > 1 ? padded.size(1) : SymInt(0)));
}

// --- others ---

// Real tensors of zeros never share a storage.
Value is_set_to(Call&, const Tensor&, const Tensor&) { return false; }

// Mirrors dense_to_mkldnn.
Value to_mkldnn(Call& c, const Tensor& self, std::optional<DType> dtype) {
  const auto known = [](DType type) {
    return type == DType::kFloat32 || is_reduced_floating(type) || type == DType::kUInt8 ||
           type == DType::kInt8;
  };
  c.check(known(self.dtype()),
          "dense_to_mkldnn expects float, bfloat16, half, uint8, int8 tensor input");
  c.check(
      known(dtype.value_or(self.dtype())),
      "cpu tensor only can be converted to be a float, bfloat16, half, uint8, int8 mkldnn tensor");
  c.check(self.dim() != 0,
          "could not create a primitive descriptor for the reorder primitive. Run workload with "
          "environment variable ONEDNN_VERBOSE=all to get additional diagnostic information.");
  throw_no_kernel(c.op(), "MkldnnMeta");
}

// clang-format off
constexpr OpDef kKernelMiscRules[] = {
    {"aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", rule<&add_relu>(), kRealKernel},
    {"aten::_aminmax(Tensor self) -> (Tensor, Tensor)", rule<&aminmax>(), kRealKernel},
    {"aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", rule<&aminmax_dim>(), kRealKernel},
    {"aten::_compute_linear_combination(Tensor input, Tensor coefficients) -> Tensor", rule<&linear_combination>(), kRealKernel},
    {"aten::_cummax_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()", rule<&cummax_helper>(), kRealKernel},
    {"aten::_cummin_helper(Tensor self, Tensor(a!) values, Tensor(b!) indices, int dim) -> ()", rule<&cummin_helper>(), kRealKernel},
    {"aten::_logcumsumexp(Tensor self, int dim) -> Tensor", rule<&logcumsumexp>(), kRealKernel},
    {"aten::_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor", rule<&masked_softmax>(), kRealKernel | kRealDerivative},
    {"aten::_masked_softmax_backward(Tensor grad_output, Tensor output, Tensor mask, int? dim=None) -> Tensor", rule<&masked_softmax_backward>(), kRealKernel},
    {"aten::_nested_compute_contiguous_strides_offsets(Tensor nested_size) -> (Tensor, Tensor)", rule<&nested_strides_offsets>(), kRealKernel},
    {"aten::_nested_from_padded(Tensor padded, Tensor cpu_nested_shape_example, bool fuse_transform_0213=False) -> Tensor", rule<&nested_from_padded>(), kRealKernel},
    {"aten::_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor", rule<&nested_from_mask>(), kRealKernel},
    {"aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool", rule<&is_left_aligned>(), kRealKernel},
    {"aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor", rule<&sample_dirichlet>(), kRandom | kRealKernel},
    {"aten::_standard_gamma_grad(Tensor self, Tensor output) -> Tensor", rule<&standard_gamma_grad>(), kRealKernel | kRealDerivative},
    {"aten::_transform_bias_rescale_qkv(Tensor qkv, Tensor qkv_bias, int num_heads) -> (Tensor, Tensor, Tensor)", rule<&transform_bias_rescale_qkv>(), kRealKernel},
    {"aten::batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, float momentum) -> (Tensor, Tensor)", rule<&batch_norm_update_stats>(), kRealKernel},
    {"aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", rule<&binomial>(), kRandom | kRealKernel},
    {"aten::glu_backward_jvp(Tensor grad_x, Tensor grad_glu, Tensor x, Tensor dgrad_glu, Tensor dx, int dim) -> Tensor", rule<&glu_backward_jvp>(), kRealKernel},
    {"aten::glu_jvp(Tensor glu, Tensor x, Tensor dx, int dim) -> Tensor", rule<&glu_jvp>(), kRealKernel},
    {"aten::is_set_to(Tensor self, Tensor tensor) -> bool", rule<&is_set_to>(), kRealKernel},
    {"aten::to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor", rule<&to_mkldnn>(), kRealKernel | kRealDerivative},
};
// clang-format on

}  // namespace
}  // namespace rules_of_kernel_misc

std::span<const OpDef> kernel_misc_rules() { return rules_of_kernel_misc::kKernelMiscRules; }

}  // namespace faketensor
