// Gradients of pooling and of padding: laid out as the input, or contiguous.
#include "core/ops/families/pooling.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_pool_backward {
namespace {

// --- pooling ---

// Mirrors check_dim_size, torch/_meta_registrations.py.
void check_dim_size(Call& c, const Tensor& tensor, int64_t rank, int64_t dim, SymInt size) {
  const auto given = [&]() -> SymInt { return tensor.sizes()[static_cast<size_t>(dim)]; };
  if (tensor.dim() == rank && expect_true(given() == size)) return;
  c.check_as(ErrorKind::kIndexError, dim < tensor.dim(), "tuple index out of range");
  c.check(false,
          "Expected a tensor of dimension {} and tensor.size[{}] == {}, but got : dimension {} and "
          "tensor.size[{}] = {}",
          rank, dim, size, tensor.dim(), dim, given());
}

// That a gradient or its indices have the planes of the input and the sizes of the output.
void check_pooled(Call& c, const Tensor& tensor, const Tensor& input, const DimVector& output) {
  const int64_t rank = input.dim();
  const auto spatial = static_cast<int64_t>(output.size());
  check_dim_size(c, tensor, rank, rank - spatial - 1, input.size(-spatial - 1));
  for (int64_t i = 0; i < spatial; ++i)
    check_dim_size(c, tensor, rank, rank - spatial + i, output[static_cast<size_t>(i)]);
}

void check_divisor(Call& c, std::optional<SymInt> divisor) {
  c.check(divisor ? *divisor != 0 : SymBool(true), "divisor must be not zero");
}

// Mirrors meta_max_pool2d_with_indices_backward, torch/_meta_registrations.py.
Value max_pool2d_with_indices_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                                       Dims kernel, Dims stride, Dims padding, Dims dilation,
                                       bool ceil_mode, const Tensor& indices) {
  const auto [output, format] =
      max_pool2d_output(c, self, kernel, stride, padding, dilation, ceil_mode);
  c.check(self.dtype() == grad_output.dtype(),
          "Expected dtype {} for `gradOutput` but got dtype {}", self.dtype(), grad_output.dtype());
  check_pooled(c, grad_output, self, output);
  check_pooled(c, indices, self, output);
  return empty_as(c, self.sizes(), self.dtype(), format);
}

// Mirrors meta_max_pool3d_with_indices_backward, torch/_meta_registrations.py.
Value max_pool3d_with_indices_backward(Call& c, const Tensor& grad_output, const Tensor& self,
                                       Dims kernel, Dims stride, Dims padding, Dims dilation, bool,
                                       const Tensor& indices) {
  constexpr PoolName kName = {"max_pool3d", "max_pool3d_with_indices_backward()"};
  const Windows w = windows(c, kName, 3, kernel, stride, padding, dilation);
  c.check(self.dim() == 4 || self.dim() == 5,
          "non-empty 4D or 5D (batch mode) tensor expected for input");
  const DimVector output = {grad_output.size(-3), grad_output.size(-2), grad_output.size(-1)};
  check_pool3d(c, kName, self, w, output, false);
  check_pooled(c, grad_output, self, output);
  check_pooled(c, indices, self, output);
  const bool channels_last =
      self.dim() == 5 && suggest_memory_format(self) == MemoryFormat::kChannelsLast3d;
  return empty_as(c, self.sizes(), self.dtype(),
                  channels_last ? MemoryFormat::kChannelsLast3d : MemoryFormat::kContiguous);
}

// Mirrors meta_avg_pool2d_backward, torch/_meta_registrations.py.
Value avg_pool2d_backward(Call& c, const Tensor& grad_output, const Tensor& self, Dims kernel,
                          Dims stride, Dims padding, bool ceil_mode, bool,
                          std::optional<SymInt> divisor_override) {
  constexpr PoolName kName = {"avg_pool2d", "avg_pool2d"};
  const SymInt one = 1;
  const Windows w = windows(c, kName, 2, kernel, stride, padding, Dims(&one, 1));
  check_divisor(c, divisor_override);
  c.check_as(ErrorKind::kIndexError, self.dim() >= 3, "tuple index out of range");
  const DimVector output = pooled_sizes(c, self, w, ceil_mode);
  const MemoryFormat format = suggest_memory_format(self);
  check_pool2d(c, self, w, output, format);
  check_pooled(c, grad_output, self, output);
  return empty_as(c, self.sizes(), self.dtype(), format);
}

// Mirrors meta_avg_pool3d_backward, torch/_meta_registrations.py.
Value avg_pool3d_backward(Call& c, const Tensor& grad_output, const Tensor& self, Dims kernel,
                          Dims stride, Dims padding, bool ceil_mode, bool,
                          std::optional<SymInt> divisor_override) {
  constexpr PoolName kName = {"avg_pool3d", "avg_pool3d_backward()"};
  const SymInt one = 1;
  const Windows w = windows(c, kName, 3, kernel, stride, padding, Dims(&one, 1));
  c.check(self.dim() == 4 || self.dim() == 5,
          "non-empty 4D or 5D (batch mode) tensor expected for input");
  check_divisor(c, divisor_override);
  const DimVector output = pooled_sizes(c, self, w, ceil_mode);
  check_pool3d(c, kName, self, w, output, true);
  check_pooled(c, grad_output, self, output);
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors _adaptive_pool_empty_output_check, torch/_meta_registrations.py.
void check_not_empty(Call& c, std::string_view function, const Tensor& grad) {
  for (int64_t i = 1; i < grad.dim(); ++i) {
    c.check(grad.size(i) > 0,
            "{}(): Expected grad_output to have non-zero size for non-batch dimensions, but "
            "grad_output has sizes {} with dimension {} being empty",
            function, size_text(grad.sizes()), i);
  }
}

void check_same_dtype(Call& c, const Tensor& self, const Tensor& grad) {
  c.check(self.dtype() == grad.dtype(), "expected dtype {} for `grad_output` but got dtype {}",
          self.dtype(), grad.dtype());
}

// Mirrors is_channels_last, torch/_meta_registrations.py: only tensors of four dimensions are.
MemoryFormat adaptive_format(const Tensor& self) {
  const bool channels_last = suggest_memory_format(self) == MemoryFormat::kChannelsLast;
  return channels_last ? MemoryFormat::kChannelsLast : MemoryFormat::kContiguous;
}

// Mirrors meta__adaptive_avg_pool2d_backward, torch/_meta_registrations.py.
Value adaptive_avg_pool2d_backward(Call& c, const Tensor& grad, const Tensor& self) {
  for (int64_t i = 1; i < grad.dim(); ++i) {
    c.check(grad.size(i) > 0,
            "adaptive_avg_pool2d_backward(): Expected grad_output to have non-zero               "
            "        size for non-batch dimensions, {} with dimension {} being empty",
            size_text(grad.sizes()), i);
  }
  c.check(grad.dim() == 3 || grad.dim() == 4,
          "adaptive_avg_pool2d_backward(): Expected 3D or 4D tensor, but got {}",
          size_text(self.sizes()));
  check_same_dtype(c, self, grad);
  return empty_as(c, self.sizes(), self.dtype(), adaptive_format(self));
}

// Mirrors meta__adaptive_avg_pool3d_backward, torch/_meta_registrations.py.
Value adaptive_avg_pool3d_backward(Call& c, const Tensor& grad, const Tensor& self) {
  check_not_empty(c, "adaptive_avg_pool3d_backward", grad);
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors meta_adaptive_max_pool2d_backward, torch/_meta_registrations.py.
Value adaptive_max_pool2d_backward(Call& c, const Tensor& grad, const Tensor& self, const Tensor&) {
  c.check(grad.dim() == 3 || grad.dim() == 4,
          "adaptive_max_pooling2d_backward(): Expected 3D or 4D grad_output, but got: {}",
          size_text(grad.sizes()));
  check_not_empty(c, "adaptive_max_pool2d_backward", grad);
  check_same_dtype(c, self, grad);
  return empty_as(c, self.sizes(), self.dtype(), suggest_memory_format(self));
}

// Mirrors meta_adaptive_max_pool3d_backward, torch/_meta_registrations.py.
Value adaptive_max_pool3d_backward(Call& c, const Tensor& grad, const Tensor& self, const Tensor&) {
  check_not_empty(c, "adaptive_max_pool3d_backward", grad);
  return c.empty(self.sizes(), self.dtype());
}

// Mirrors the structured kernel fractional_max_pool2d_backward,
// aten/src/ATen/native/FractionalMaxPool2d.cpp.
Value fractional_max_pool2d_backward(Call& c, const Tensor& grad, const Tensor& self, Dims,
                                     Dims output_size, const Tensor& indices) {
  const int64_t first = self.dim() == 4 ? 2 : 1;
  self.size(first);
  self.size(first + 1);
  c.check(output_size.size() == 2,
          "fractional_max_pool2d_backward(): output_size.size() must be 2");
  const DimVector expected = with_spatial(self, output_size);
  const auto check = [&](const Tensor& tensor, std::string_view what) {
    SymBool fits = tensor.sizes().size() == expected.size();
    for (size_t i = 0; i < expected.size() && tensor.sizes().size() == expected.size(); ++i)
      fits = sym_and(fits, tensor.sizes()[i] == expected[i]);
    c.check(fits, "fractional_max_pool2d_backward(): {} sizes unexpected", what);
  };
  check(grad, "gradOutput");
  check(indices, "indices");
  return c.empty(self.sizes(), self.dtype());
}

// --- padding ---

struct PadBackwardParams {
  uint8_t spatial;
  bool reflects;
};

// Mirrors _pad1d_backward_common, meta_pad2d_backward and meta_pad3d_backward,
// torch/_meta_registrations.py.
Value pad_backward(Call& c, uint64_t params) {
  const auto [spatial, reflects] = rule_params<PadBackwardParams>(params);
  const Tensor& grad = c.arg(0).tensor();
  const Tensor& self = c.arg(1).tensor();
  const Dims padding = c.arg(2).ints();
  if (spatial == 3 || (spatial == 1 && !reflects)) {
    c.check(padding.size() == 2u * spatial, "padding size is expected to be {}", 2 * spatial);
  }
  c.check_as(ErrorKind::kAssertionError, spatial < 3 || self.dim() > 3,
             "input.ndim must be > 3, got {}", self.dim());
  c.check_as(ErrorKind::kAssertionError, spatial < 3 || grad.dim() == self.dim(),
             "grad_output.ndim must equal input.ndim, got {} != {}", grad.dim(), self.dim());
  c.check_as(ErrorKind::kValueError, padding.size() >= 2u * spatial,
             "not enough values to unpack (expected {}, got {})", 2 * spatial, padding.size());
  c.check_as(ErrorKind::kValueError, padding.size() == 2u * spatial,
             "too many values to unpack (expected {})", 2 * spatial);
  const int64_t first = self.dim() == spatial + 2 ? 2 : 1;
  constexpr std::string_view kNames[] = {"width", "height", "depth"};
  DimVector expected(spatial);
  for (int64_t i = spatial; i-- > 0;) {
    const int64_t dim = first + spatial - 1 - i;
    c.check_as(ErrorKind::kIndexError, spatial != 2 || dim < self.dim(),
               "tuple index out of range");
    const auto at = static_cast<size_t>(i);
    const SymInt size = self.size(dim);
    expected[at] = size + padding[2 * at] + padding[2 * at + 1];
    if (spatial > 1 || !reflects) continue;
    c.check(sym_and(padding[0] < size, padding[1] < size),
            "Argument #4: Padding size should be less than the corresponding input dimension, but "
            "got: padding ({}, {}) at dimension {} of input {}",
            padding[0], padding[1], dim, size_text(self.sizes()));
  }
  for (int64_t i = 0; i < spatial; ++i) {
    const int64_t dim = first + spatial - 1 - i;
    const auto at = static_cast<size_t>(i);
    c.check(expected[at] == grad.size(dim), "grad_output {} unexpected. Expected: {}, Got: {}",
            kNames[at], expected[at], grad.size(dim));
  }
  return c.empty(self.sizes(), self.dtype());
}

consteval Rule reflection(uint8_t spatial) {
  return family_rule(&pad_backward, PadBackwardParams{spatial, true});
}
consteval Rule replication(uint8_t spatial) {
  return family_rule(&pad_backward, PadBackwardParams{spatial, false});
}

// clang-format off
constexpr OpDef kPoolBackward[] = {
    {"aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&adaptive_avg_pool2d_backward>(), kRealDerivative, derivative<Derivative{.saved_sizes = {-1, -2}}>},
    {"aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor", rule<&adaptive_avg_pool3d_backward>(), kRealDerivative, derivative<Derivative{.saved_sizes = {-1, -2, -3}}>},
    {"aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", rule<&adaptive_max_pool2d_backward>(), kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor", rule<&adaptive_max_pool3d_backward>(), kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor", rule<&avg_pool2d_backward>(), kRealDerivative},
    {"aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor", rule<&avg_pool3d_backward>(), kRealDerivative},
    {"aten::fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] output_size, Tensor indices) -> Tensor", rule<&fractional_max_pool2d_backward>(), kByStructured | kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor", rule<&max_pool2d_with_indices_backward>(), kRealDerivative},
    {"aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor", rule<&max_pool3d_with_indices_backward>(), kRealDerivative},
    {"aten::reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor", reflection(1)},
    {"aten::reflection_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor", reflection(2)},
    {"aten::reflection_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor", reflection(3)},
    {"aten::replication_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor", replication(1)},
    {"aten::replication_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor", replication(2)},
    {"aten::replication_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor", replication(3)},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pool_backward

std::span<const OpDef> pool_backward_rules() { return rules_of_pool_backward::kPoolBackward; }

}  // namespace faketensor
