// Writes by index, and random numbers: torch/_decomp/decompositions.py, torch/_refs/__init__.py.
#include "core/ops/families/operand.h"
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_indexing {
namespace {

using Taken = StepsDef::Taken;

// --- by index ---

// `index` for one dimension, as a list that skips those before it.
Value indices_at(Call& c, int64_t dim, const Value& index) {
  SmallVector<Value, 8> indices(static_cast<size_t>(dim), Value());
  indices.push_back(index);
  return c.list(indices.span());
}

// Mirrors _index_add and _index_copy: index_put along one dimension.
Value put_along(Call& c, const Tensor& x, int64_t given, const Tensor& index, const Value& source,
                bool accumulates, bool is_inplace) {
  const int64_t dim = wrap_dim(given, x.dim());
  const bool is_scalar = x.dim() == 0;
  const Value whole = is_scalar ? c.call<"aten::unsqueeze">(x, 0) : Value(x);
  const Value indices = indices_at(c, dim, index);
  if (is_inplace) {
    c.call<"aten::index_put_">(whole, indices, source, accumulates);
    return x;
  }
  const Value out = c.call<"aten::index_put">(whole, indices, source, accumulates);
  if (is_scalar) return c.call<"aten::squeeze.dim">(out, 0);
  return out.tensor().is_contiguous() ? out : c.call<"aten::contiguous">(out);
}
template <bool is_inplace>
Value index_add(Call& c, const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                const Value& alpha) {
  const Value scaled =
      alpha.to_double() == 1.0 ? Value(source) : c.call<"aten::mul.Tensor">(source, alpha);
  return put_along(c, x, dim, index, scaled, true, is_inplace);
}
template <bool is_inplace>
Value index_copy(Call& c, const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  const Value places = index.dim() == 0 ? c.call<"aten::unsqueeze">(index, 0) : Value(index);
  return put_along(c, x, dim, places.tensor(), source, false, is_inplace);
}
template <bool is_inplace>
Value index_fill(Call& c, const Tensor& x, int64_t given, const Tensor& index, const Value& value) {
  const bool is_number = !value.is_tensor() || value.tensor().is_wrapped_number;
  const Value filler =
      is_number ? c.call<"aten::scalar_tensor">(value, x.dtype(), x.layout(), x.device()) : value;
  const int64_t dim = wrap_dim(given, x.dim());
  const Value whole = x.dim() == 0 ? c.call<"aten::unsqueeze">(x, 0) : Value(x);
  DimVector sizes(whole.tensor().sizes());
  sizes[static_cast<size_t>(dim)] = index.numel();
  const Value values = c.call<"aten::expand">(filler, sizes);
  if (is_inplace) {
    c.call<"aten::index_copy_">(whole, dim, index, values);
    return x;
  }
  const Value out = c.call<"aten::index_copy">(whole, dim, index, values);
  return x.dim() == 0 ? c.call<"aten::clone">(c.call<"aten::squeeze.dim">(out, 0)) : out;
}

Value select_backward(Call& c, const Value& grad, const Value& sizes, int64_t dim, SymInt index) {
  const Value zeros = c.call<"aten::new_zeros">(grad, sizes, nullptr, nullptr, nullptr, false);
  return c.call<"aten::select_scatter">(zeros, grad, dim, index);
}

// --- random numbers ---

// torch.finfo(dtype).eps
double epsilon(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBFloat16:
      return 0x1p-7;
    case DType::kFloat64:
      return 0x1p-52;
    default:
      return 0x1p-23;
  }
}

Value like(Call& c, const Value& self, bool is_normal) {
  return is_normal ? c.call<"aten::randn_like">(self, nullptr, nullptr, nullptr, false)
                   : c.call<"aten::rand_like">(self, nullptr, nullptr, nullptr, false);
}
Value log_normal(Call& c, const Tensor& self, double mean, double std) {
  const Operand sample(c, like(c, self, true));
  return (sample * std + mean).op<"aten::exp">();
}
Value cauchy(Call& c, const Tensor& self, double median, double sigma) {
  const Operand sample(c, like(c, self, false));
  return ((sample - 0.5) * 3.141592653589793).op<"aten::tan">() * sigma + median;
}
// Samples of the standard distribution, scaled by `std` and moved by `mean`; each a number or a tensor.
Value normal_of(Call& c, Dims sizes, const Value& mean, const Value& std, DType dtype,
                Device device) {
  const Value samples = c.call<"prims::normal">(sizes, 0.0, 1.0, dtype, device, false);
  const Value scaled = c.call<"aten::mul.Tensor">(samples, std);
  return c.call<"aten::add.Tensor">(scaled, mean);
}
Value normal(Call& c, const Value& mean, const Value& std) {
  const Value given[] = {mean, std};
  const Promoted types(c, given, Promotion::kDefault);
  const Value centre = types.cast(mean);
  const Value width = types.cast(std);
  const Value tensors[] = {centre, width};
  const Tensor& like = centre.is_tensor() ? centre.tensor() : width.tensor();
  return types.back(
      normal_of(c, broadcast_operands(c, tensors), centre, width, like.dtype(), like.device()));
}
Value normal_in_place(Call& c, const Tensor& self, double mean, double std) {
  // Defaults are left out on the way to the reference, whose own are integers.
  const Value centre = mean == 0.0 ? Value(0) : Value(mean);
  const Value width = std == 1.0 ? Value(1) : Value(std);
  return c.call<"aten::copy_">(
      self, normal_of(c, self.sizes(), centre, width, self.dtype(), self.device()));
}
Value exponential(Call& c, const Tensor& self, double rate) {
  const Operand sample(c, like(c, self, false));
  const double half_step = epsilon(self.dtype()) / 2;
  const Operand is_one = sample.op<"aten::ge.Scalar">(1.0 - half_step);
  const Operand log = where(is_one, -half_step, sample.op<"aten::log">());
  return log * (-1 / rate);
}

Value uniform(Call& c, const Tensor& x, double low, double high) {
  return c.call<"prims::uniform">(x.sizes(), low, high, x.dtype(), x.device(), x.strides());
}
Value uniform_in_place(Call& c, const Tensor& x, double low, double high) {
  return c.call<"aten::copy_">(x, uniform(c, x, low, high));
}
Value dropout_backward(Call& c, const Tensor& grad, const Tensor& mask, double scale) {
  const Operand kept(c, c.call<"aten::type_as">(mask, grad));
  const Operand scaled = Operand(c, grad) * (kept * scale);
  return scaled.op<"aten::clone">(suggest_memory_format(grad));
}

// clang-format off
constexpr StepsDef kIndexingSteps[] = {
    {"aten::cauchy", rule<&cauchy>()},
    {"aten::exponential", rule<&exponential>()},
    {"aten::index_add", rule<&index_add<false>>()},
    {"aten::index_add_", rule<&index_add<true>>(), Taken::kAll},
    {"aten::index_copy", rule<&index_copy<false>>()},
    {"aten::index_copy_", rule<&index_copy<true>>(), Taken::kAll},
    {"aten::index_fill.int_Scalar", rule<&index_fill<false>>()},
    {"aten::index_fill.int_Tensor", rule<&index_fill<false>>()},
    {"aten::index_fill_.int_Scalar", rule<&index_fill<true>>(), Taken::kSymbols},
    {"aten::index_fill_.int_Tensor", rule<&index_fill<true>>(), Taken::kSymbols},
    {"aten::log_normal", rule<&log_normal>()},
    {"aten::native_dropout_backward", rule<&dropout_backward>()},
    {"aten::normal.Tensor_Tensor", rule<&normal>()},
    {"aten::normal.Tensor_float", rule<&normal>()},
    {"aten::normal.float_Tensor", rule<&normal>()},
    {"aten::normal_", rule<&normal_in_place>()},
    {"aten::select_backward", rule<&select_backward>()},
    {"aten::uniform", rule<&uniform>()},
    {"aten::uniform_", rule<&uniform_in_place>(), Taken::kAll},
};
// clang-format on

}  // namespace
}  // namespace steps_of_indexing

std::span<const StepsDef> indexing_steps() { return steps_of_indexing::kIndexingSteps; }

}  // namespace faketensor
