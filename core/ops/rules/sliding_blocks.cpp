// Sliding blocks as columns and back, un-pooling, and pooling over random regions.
#include <algorithm>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/linalg.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_sliding_blocks {
namespace {

struct Window {
  Dims kernel, dilation, padding, stride;
};

void check_pair(Call& c, Dims values, std::string_view prefix, std::string_view name) {
  c.check(values.size() == 2, "{}only 2D {} supported", prefix, name);
}
void check_positive(Call& c, Dims values, std::string_view name, int64_t least = 1) {
  bool is_positive = true;
  for (const SymInt value : values) is_positive = is_positive && guard_bool(value >= least);
  c.check(is_positive, "{} should be greater than zero, but got {}", name, values);
}

// How many blocks lie along a dimension.
SymInt block_count(SymInt size, const Window& window, size_t i) {
  const SymInt reach = window.dilation[i] * (window.kernel[i] - 1);
  return floor_div(size + window.padding[i] * 2 - reach - 1, window.stride[i]) + 1;
}

Value padded(Call& c, const Value& input, const Window& window, int64_t sign) {
  const SymInt h = window.padding[0] * sign;
  const SymInt w = window.padding[1] * sign;
  return c.call<"aten::pad">(input, DimVector{w, w, h, h});
}

// The positions of each block's elements, for rows and columns (_im2col_col2im_indices_along_dim).
struct BlockIndices {
  Value rows, columns;
};
BlockIndices block_indices(Call& c, const Tensor& input, const Window& window, Dims blocks) {
  const auto index = [&](size_t i) -> Tensor& {
    const auto range = [&](std::initializer_list<SymInt> sizes) {
      return c.context().empty(Dims(sizes.begin(), sizes.size()), DType::kInt64, input.device());
    };
    const Tensor& block_starts = *range({1, blocks[i]});
    return *arithmetic(c, block_starts, *range({window.kernel[i], 1}));
  };
  const Tensor& rows = index(0);
  const Tensor& columns = index(1);
  const DimVector widened = {rows.size(0), rows.size(1), 1, 1};
  return {c.context().empty(widened, DType::kInt64, input.device()), columns};
}

bool has_no_empty_dims(Dims sizes) {
  for (const SymInt size : sizes)
    if (!guard_bool(size != 0)) return false;
  return true;
}

// Mirrors im2col, torch/_decomp/decompositions.py (which looks at dilation where it means padding).
Value im2col(Call& c, const Tensor& self, Dims kernel, Dims dilation, Dims padding, Dims stride) {
  const Window window = {kernel, dilation, padding, stride};
  check_pair(c, kernel, "im2col(): ", "kernel");
  check_pair(c, dilation, "im2col(): ", "dilation");
  check_pair(c, padding, "im2col(): ", "padding");
  check_pair(c, stride, "im2col(): ", "stride");
  check_positive(c, kernel, "kernel_size");
  check_positive(c, dilation, "dilation");
  check_positive(c, stride, "stride");
  const bool is_image = self.dim() == 3 || self.dim() == 4;
  c.check(is_image && has_no_empty_dims(self.sizes().last(3)),
          "Expected 3D or 4D (batch mode) tensor for input with possible 0 batch size and non-zero "
          "dimensions, but got: {}",
          tuple_text(self.sizes()));
  const DimVector blocks = {block_count(self.size(-2), window, 0),
                            block_count(self.size(-1), window, 1)};
  c.check(guard_bool(blocks[0] > 0) && guard_bool(blocks[1] > 0),
          "Given an input with spatial size {}, kernel_size={}, dilation={}, padding={}, "
          "stride={}, the calculated shape of the array of sliding blocks is {}, but its "
          "components must be at least one.",
          tuple_text(self.sizes().last(2)), kernel, dilation, padding, stride, tuple_text(blocks));
  const Tensor& input = self.dim() == 4 ? self : c.tensor<"aten::unsqueeze">(self, 0);
  const BlockIndices indices = block_indices(c, input, window, blocks);
  const Value places[] = {Value(), Value(), indices.rows, indices.columns};
  const Value taken =
      c.call<"aten::index.Tensor">(padded(c, input, window, 1), Value::list(places));
  const Value ordered = c.call<"aten::permute">(taken, DimVector{0, 1, 2, 4, 3, 5});
  const DimVector columns = {input.size(0), input.size(1) * kernel[0] * kernel[1],
                             blocks[0] * blocks[1]};
  const Value result = c.call<"aten::reshape">(ordered, columns);
  return self.dim() == 4 ? result : c.call<"aten::squeeze.dim">(result, 0);
}

// Mirrors col2im, torch/_decomp/decompositions.py.
Value col2im(Call& c, const Tensor& self, Dims output, Dims kernel, Dims dilation, Dims padding,
             Dims stride) {
  const Window window = {kernel, dilation, padding, stride};
  check_pair(c, output, "", "output_size");
  check_pair(c, kernel, "", "kernel");
  check_pair(c, dilation, "", "dilation");
  check_pair(c, padding, "", "padding");
  check_pair(c, stride, "", "stride");
  check_positive(c, kernel, "kernel_size");
  check_positive(c, dilation, "dilation");
  check_positive(c, padding, "padding", 0);
  check_positive(c, stride, "stride");
  check_positive(c, output, "output_size");
  const bool is_columns = self.dim() == 2 || self.dim() == 3;
  c.check(is_columns && has_no_empty_dims(self.sizes().last(2)),
          "Expected 2D or 3D (batch mode) tensor for input with possible 0 batch size and non-zero "
          "dimensions, but got: {}",
          tuple_text(self.sizes()));
  const SymInt elements = kernel[0] * kernel[1];
  c.check(mod(self.size(-2), elements) == 0,
          "Expected size of input's first non-batch dimension to be divisible by the product of "
          "kernel_size, but got input.shape[-2] = {} and kernel_size={}",
          self.size(-2), kernel);
  const DimVector blocks = {block_count(output[0], window, 0), block_count(output[1], window, 1)};
  const SymInt count = blocks[0] * blocks[1];
  c.check(sym_and(self.size(-1) == count, count > 0),
          "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, expected "
          "input.size(-1) to be {} but got {}.",
          output, kernel, dilation, padding, stride, count, self.size(-1));
  const Tensor& input = self.dim() == 3 ? self : c.tensor<"aten::unsqueeze">(self, 0);
  const SymInt channels = floor_div(input.size(1), elements);
  const DimVector split = {input.size(0), channels, kernel[0], kernel[1], blocks[0], blocks[1]};
  const Value values =
      c.call<"aten::permute">(c.call<"aten::reshape">(input, split), DimVector{0, 1, 2, 4, 3, 5});
  const BlockIndices indices = block_indices(c, input, window, blocks);
  const DimVector sizes = {input.size(0), channels, output[0] + padding[0] * 2,
                           output[1] + padding[1] * 2};
  const Value places[] = {Value(), Value(), indices.rows, indices.columns};
  const Value image = c.call<"aten::_unsafe_index_put">(c.call<"aten::new_zeros">(input, sizes),
                                                        Value::list(places), values, true);
  const Value result = padded(c, image, window, -1);
  return self.dim() == 3 ? result : c.call<"aten::squeeze.dim">(result, 0);
}

// --- un-pooling: torch/_decomp/decompositions.py ---

void check_same_shape(Call& c, const Tensor& self, const Tensor& indices) {
  c.check(guard_equal(self.sizes(), indices.sizes()),
          "Expected shape of indices to be same as that of the input tensor (torch.Size({})) but "
          "got indices tensor with shape: torch.Size({})",
          self.sizes(), indices.sizes());
}
void check_not_empty(Call& c, const Tensor& self, std::string_view name) {
  for (int64_t i = 1; i < self.dim(); ++i) {
    c.check(self.size(i) > 0,
            "{}(): Expected input to have non-zero size for non-batch dimensions, but got "
            "torch.Size({}) with dimension {} being empty.",
            name, self.sizes(), i);
  }
}

// The indices of each plane, moved to where the plane begins in the flat output.
Value moved_indices(Call& c, const Tensor& self, const Tensor& indices, Dims output) {
  const Dims planes = without_last(self.sizes(), output.size());
  DimVector plane_sizes(self.sizes().size(), 1);
  std::copy(planes.begin(), planes.end(), plane_sizes.begin());
  const Tensor& plane = *c.context().empty(DimVector{numel(planes)}, DType::kInt64, self.device());
  const Value begin =
      c.call<"aten::mul.Tensor">(c.call<"aten::view">(plane, plane_sizes), numel(output));
  return c.call<"aten::add.Tensor">(indices, begin);
}

// Mirrors _max_unpoolnd. The indices are moved by positions on the input's device.
Value max_unpool(Call& c, const Tensor& self, const Tensor& indices, Dims output,
                 std::string_view name) {
  for (size_t i = 0; i < output.size(); ++i) {
    c.check(output[i] >= 0,
            "{}(): output_size must contain non-negative spatial dimensions, but got "
            "output_size[{}]={}",
            name, i, output[i]);
  }
  DimVector sizes(without_last(self.sizes(), output.size()));
  sizes.append(output);
  if (!has_no_empty_dims(sizes)) return c.call<"aten::new_zeros">(self, sizes);
  const Value moved = moved_indices(c, self, indices, output);
  Tensor& result = *c.context().empty(sizes, self.dtype(), moved.tensor().device());
  if (!has_symbolic_sizes(c)) return result;
  const DimVector flat = {-1};
  for (const Value& flattened : {moved, Value(result), Value(self)})
    c.call<"aten::reshape">(flattened, flat);
  return result;
}

// Mirrors max_unpool2d.
Value max_unpool2d(Call& c, const Tensor& self, const Tensor& indices, Dims output_size) {
  c.check(indices.dtype() == DType::kInt64, "elements in indices should be type int64 but got: {}",
          indices.dtype());
  c.check(output_size.size() == 2,
          "There should be exactly two elements (height, width) in output_size, but got {} "
          "elements.",
          output_size.size());
  c.check(self.dim() == 3 || self.dim() == 4,
          "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with {} "
          "dimensions.",
          self.dim());
  check_same_shape(c, self, indices);
  check_not_empty(c, self, "max_unpooling2d");
  return max_unpool(c, self, indices, output_size, "max_unpooling2d");
}

// Mirrors max_unpool3d.
Value max_unpool3d(Call& c, const Tensor& self, const Tensor& indices, Dims output_size,
                   Dims stride, Dims padding) {
  c.check(indices.dtype() == DType::kInt64, "elements in indices should be type int64");
  c.check(self.dim() == 4 || self.dim() == 5,
          "Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with {} "
          "dimensions.",
          self.dim());
  c.check(output_size.size() == 3,
          "There should be exactly three elements (depth, height, width) in output_size, but got "
          "{} elements.",
          output_size.size());
  const auto check_three = [&](Dims values, std::string_view name) {
    c.check(values.size() == 3,
            "There should be exactly three elements (depth, height, width) in {}, but got: {} "
            "elements.",
            name, values.size());
  };
  check_three(stride, "stride");
  check_three(padding, "padding");
  check_same_shape(c, self, indices);
  check_not_empty(c, self, "max_unpooling3d");
  c.check(guard_bool(stride[0] > 0) && guard_bool(stride[1] > 0) && guard_bool(stride[2] > 0),
          "strides should be greater than zero, but got stride: {}", stride);
  return max_unpool(c, self, indices, output_size, "max_unpooling3d");
}

// --- fractional pooling ---

Value values_and_indices(Call& c, const Tensor& self, Dims sizes) {
  return c.tuple({c.empty(sizes, self.dtype()), c.empty(sizes, DType::kInt64)});
}

void check_samples(Call& c, const Tensor& samples, const Tensor& self, SymInt batch) {
  c.check(self.dtype() == samples.dtype(),
          "Expect _random_samples to have the same dtype as input");
  c.check(samples.dim() == 3, "Expect _random samples to have 3 dimensions got, {}", samples.dim());
  c.check(samples.size(0) >= batch,
          "Expect _random_samples.size(0) no less then input batch size.");
  c.check(samples.size(1) == self.size(-3),
          "Expect _random_samples.size(1) equals to input channel size.");
  c.check(samples.size(2) == 2, "Expect _random_samples.size(2) equals to 2 got {}.",
          samples.size(2));
}

// Mirrors meta_fractional_max_pool2d, torch/_meta_registrations.py.
Value fractional_max_pool2d(Call& c, const Tensor& self, Dims kernel, Dims output,
                            const Tensor& samples) {
  constexpr std::string_view kName = "fractional_max_pool2d";
  const bool is_structured = c.op().output_count != 0;
  c.check(self.dim() == 3 || self.dim() == 4, "{}: Expected 3D or 4D tensor, but got: {}", kName,
          self.dim());
  for (int64_t i = self.dim() - 3; i < self.dim(); ++i) {
    c.check(self.size(i) > 0,
            "{}: Expected input to have non-zero  size for non-batch dimensions, but got "
            "torch.Size({}) with dimension {} empty",
            kName, self.sizes(), i);
  }
  c.check(kernel.size() == 2, "{}: kernel_size musteither be a single int or tuple of Ints", kName);
  c.check(output.size() == 2, "{}: output_size must either be a single int or tuple of Ints",
          kName);
  // The structured kernel leaves the samples to the computation.
  if (!is_structured) check_samples(c, samples, self, self.dim() == 4 ? self.size(0) : SymInt(1));
  const auto check_fits = [&](size_t i, int64_t dim, std::string_view side) {
    c.check(output[i] + kernel[i] - 1 <= self.size(dim),
            "{}: kernel {} {} is too large relative to input {} {}", kName, side, kernel[i], side,
            self.size(dim));
  };
  check_fits(0, -2, "height");
  check_fits(1, -1, "width");
  DimVector sizes(without_last(self.sizes(), 2));
  sizes.append(output);
  if (is_structured) return write_structured(c, [&] { return values_and_indices(c, self, sizes); });
  return values_and_indices(c, self, sizes);
}

// Mirrors the meta function of fractional_max_pool3d, aten/src/ATen/native/FractionalMaxPool3d.cpp.
Value fractional_max_pool3d(Call& c, const Tensor& self, Dims kernel, Dims output) {
  constexpr std::string_view kName = "fractional_max_pool3d_out(): ";
  const auto check_three = [&](Dims values, std::string_view name) {
    c.check(values.size() == 3,
            "fractional_max_pool3d: {} must either be a single Int or tuple of three Ints", name);
  };
  check_three(kernel, "kernel_size");
  check_three(output, "output_size");
  c.check(self.dim() == 4 || self.dim() == 5, "{}Expected 4D or 5D tensor, but got: {}", kName,
          self.sizes());
  for (int64_t i = 1; i < self.dim(); ++i) {
    c.check(self.size(i) > 0,
            "{}Expected input to have non-zero size for non-batch dimensions, but got{} with "
            "dimension {} being empty.",
            kName, self.sizes(), i);
  }
  const auto check_fits = [&](size_t i, int64_t dim, std::string_view side) {
    c.check(output[i] + kernel[i] - 1 < self.size(dim),
            "{}pool {} {} too large relative to input {} {}", kName, side, kernel[i], side,
            self.size(dim));
  };
  check_fits(0, -3, "time");
  check_fits(1, -2, "height");
  check_fits(2, -1, "width");
  DimVector sizes(without_last(self.sizes(), 3));
  sizes.append(output);
  return values_and_indices(c, self, sizes);
}

// clang-format off
constexpr OpDef kSlidingBlocksRules[] = {
    {"aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", rule<&col2im>(), kByDecomp},
    {"aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)", rule<&fractional_max_pool2d>(), kRealDerivative, derivative<Derivative{.without_formula = "random_samples"}>},
    {"aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)", rule<&fractional_max_pool3d>(), kByStructured | kRealDerivative, derivative<Derivative{.without_formula = "random_samples"}>},
    {"aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", rule<&im2col>(), kByDecomp},
    {"aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", rule<&max_unpool2d>(), kByDecomp | kRealDerivative},
    {"aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor", rule<&max_unpool3d>(), kByDecomp | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_sliding_blocks

std::span<const OpDef> sliding_blocks_rules() {
  return rules_of_sliding_blocks::kSlidingBlocksRules;
}

}  // namespace faketensor
