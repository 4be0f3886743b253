// Images: rearranging channels and pixels, sampling on a grid.
#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/into.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_image {
namespace {

// --- rearranging ---

// Mirrors pixel_shuffle, torch/_refs/nn/functional/__init__.py, which answers for the out=
// overload.
Value pixel_shuffle_into(Call& c, const Tensor& self, int64_t factor, Tensor& out) {
  const Dims sizes = self.sizes();
  c.check(sizes.size() >= 3,
          "pixel_shuffle expects input to have at least 3 dimensions, but got input with {} "
          "dimension(s)",
          sizes.size());
  DimVector result(sizes.first(sizes.size() - 3));
  DimVector split = result;
  const SymInt channels = floor_div(self.size(-3), SymInt(factor) * factor);
  split.append(DimVector{channels, factor, factor, self.size(-2), self.size(-1)}.span());
  result.append(DimVector{channels, self.size(-2) * factor, self.size(-1) * factor}.span());
  const auto answer = [&] {
    const OnMeta scope(c.context(), c.args());
    c.call<"aten::view">(self, split);
    return c.empty(result, self.dtype());
  };
  return write_result(c, out, *answer());
}

// Mirrors meta_pixel_shuffle, torch/_meta_registrations.py.
Value pixel_shuffle(Call& c, const Tensor& self, int64_t factor) {
  const Dims sizes = self.sizes();
  if (Tensor* out = output_of(c); out != nullptr) return pixel_shuffle_into(c, self, factor, *out);
  c.check(sizes.size() > 2, "Invalid input shape for pixel_shuffle: {}", size_text(sizes));
  const SymInt area = SymInt(factor) * factor;
  c.check(mod(self.size(-3), area) == 0,
          "Invalid input shape for pixel_shuffle: {} with upscale_factor = {}", size_text(sizes),
          factor);
  DimVector result(sizes.first(sizes.size() - 3));
  result.push_back(floor_div(self.size(-3), area));
  result.push_back(self.size(-2) * factor);
  result.push_back(self.size(-1) * factor);
  const MemoryFormat format =
      self.device().is_cpu() ? suggest_memory_format(self) : MemoryFormat::kContiguous;
  return c.empty_strided(result, strides_for(result, format), self.dtype());
}

// Mirrors pixel_unshuffle, torch/_refs/nn/functional/__init__.py.
Value pixel_unshuffle(Call& c, const Tensor& self, int64_t factor) {
  const Dims sizes = self.sizes();
  c.check(sizes.size() >= 3,
          "pixel_unshuffle expects input to have at least 3 dimensions, but got input with {} "
          "dimension(s)",
          sizes.size());
  const size_t batch = sizes.size() - 3;
  const SymInt height = floor_div(self.size(-2), factor);
  const SymInt width = floor_div(self.size(-1), factor);
  DimVector split(sizes.first(batch + 1));
  split.append(DimVector{height, factor, width, factor}.span());
  DimVector order;
  for (size_t i = 0; i < batch; ++i) order.push_back(static_cast<int64_t>(i));
  for (const size_t i : {0u, 2u, 4u, 1u, 3u}) order.push_back(static_cast<int64_t>(batch + i));
  DimVector result(sizes.first(batch));
  result.append(DimVector{self.size(-3) * factor * factor, height, width}.span());
  const Value permuted = c.call<"aten::permute">(c.call<"aten::view">(self, split), order);
  return c.call<"aten::clone">(c.call<"aten::reshape">(permuted, result),
                               suggest_memory_format(self));
}

// The channels as [groups, channels / groups, the rest].
DimVector by_group(const Tensor& self, SymInt groups) {
  DimVector sizes = {self.size(0), groups, floor_div(self.size(1), groups)};
  sizes.append(self.sizes().subspan(2));
  return sizes;
}

void check_channel_groups(Call& c, const Tensor& self, SymInt groups) {
  c.check(self.dim() > 2,
          "channel_shuffle expects input with > 2 dims, but got input with sizes {}", self.sizes());
  c.check(groups > 0, "Number of groups to divide channels in must be positive. Value of groups:{}",
          groups);
  c.check(mod(self.size(1), groups) == 0,
          "Number of channels must be divisible by groups. Got {} channels and {} groups.",
          self.size(1), groups);
}

// Mirrors channel_shuffle, torch/_refs/nn/functional/__init__.py.
Value channel_shuffle(Call& c, const Tensor& self, SymInt groups) {
  check_channel_groups(c, self, groups);
  const bool trivial = guard_bool(groups == 1) || guard_bool(groups == self.size(1));
  if (guard_bool(self.numel() == 0) || (self.device().is_cuda() && trivial))
    return c.call<"aten::view">(self, self.sizes());
  const Value grouped = c.call<"aten::reshape">(self, by_group(self, groups));
  const Value swapped = c.call<"aten::transpose.int">(grouped, 1, 2);
  return c.call<"aten::contiguous">(c.call<"aten::reshape">(swapped, self.sizes()));
}

// Mirrors math_channel_shuffle, aten/src/ATen/native/ChanelShuffle.cpp.
Value native_channel_shuffle(Call& c, const Tensor& self, SymInt groups) {
  check_channel_groups(c, self, groups);
  const DimVector split = {self.size(0), groups, floor_div(self.size(1), groups), -1};
  const Value grouped = c.call<"aten::view">(self, split);
  const Value swapped = c.call<"aten::permute">(grouped, DimVector{0, 2, 1, 3});
  return c.call<"aten::reshape">(c.call<"aten::contiguous">(swapped), self.sizes());
}

// --- grids ---

// Mirrors check_grid_sampler_common and check_grid_sampler_3d, torch/_meta_registrations.py, which
// run on the meta device and see one device only.
void check_volume_and_grid(Call& c, const Tensor& input, const Tensor& grid,
                           int64_t interpolation) {
  c.check(input.size(0) == grid.size(0),
          "grid_sampler(): expected grid and input to have same batch size, but got input with "
          "sizes {} and grid with sizes {}",
          size_text(input.sizes()), size_text(grid.sizes()));
  c.check(grid.size(-1) == input.dim() - 2,
          "grid_sampler(): expected grid to have size {} in last dimension, but got grid with "
          "sizes {}",
          input.dim() - 2, size_text(grid.sizes()));
  for (int64_t i = 2; i < input.dim(); ++i) {
    c.check(input.size(i) > 0,
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            "sizes {} with dimension {} being empty",
            size_text(input.sizes()), i);
  }
  c.check(input.dim() == 5 && grid.dim() == 5,
          "grid_sampler(): expected 5D input and grid with same number of dimensions, but got "
          "input with sizes {} and grid with sizes {}",
          size_text(input.sizes()), size_text(grid.sizes()));
  c.check(interpolation != 2, "grid_sampler(): bicubic interpolation only supports 4D input");
}

// Mirrors grid_sampler_3d, torch/_meta_registrations.py.
Value grid_sampler_3d(Call& c, const Tensor& input, const Tensor& grid, int64_t interpolation) {
  check_volume_and_grid(c, input, grid, interpolation);
  return c.empty({input.size(0), input.size(1), grid.size(1), grid.size(2), grid.size(3)},
                 input.dtype());
}

// Mirrors _grid_sampler_2d, torch/_decomp/decompositions.py: the input is gathered at the grid's
// neighbours and multiplied by their weights. All neighbours are laid out alike.
Value grid_sampler_2d(Call& c, const Tensor& input, const Tensor& grid, int64_t interpolation,
                      int64_t padding) {
  const Value both[] = {input, grid};
  const DType dtype = promoted_dtype(c, both);
  const DType computation = computation_dtype(dtype);
  c.check(interpolation >= 0 && interpolation <= 2, "Invalid interpolation mode {}", interpolation);
  c.check(padding >= 0 && padding <= 2, "Invalid padding mode {}", padding);
  const auto check_rank = [&](const Tensor& x) {
    c.check_as(ErrorKind::kValueError, x.dim() <= 4, "too many values to unpack (expected 4)");
    c.check_as(ErrorKind::kValueError, x.dim() == 4,
               "not enough values to unpack (expected 4, got {})", x.dim());
  };
  check_rank(input);
  check_rank(grid);
  c.check_as(ErrorKind::kAssertionError, guard_bool(grid.size(3) == 2),
             "grid last dimension must be 2 (for x,y coords), got {}", grid.size(3));
  const SymInt batch = input.size(0);
  const SymInt channels = input.size(1);
  const SymInt height = grid.size(1);
  const SymInt width = grid.size(2);
  const Tensor& image = *cast_to(c, input, computation);
  const Value rows =
      c.call<"aten::view">(*cast_to(c, grid, computation), DimVector{batch, 1, height, width, 2});
  const Value spread = c.call<"aten::expand">(rows, DimVector{batch, channels, height, width, 2});
  const Value one = 1.0;
  const Tensor& x = *arithmetic(c, c.call<"aten::select.int">(spread, -1, 0), one);
  const Tensor& y = *arithmetic(c, c.call<"aten::select.int">(spread, -1, 1), one);
  const DimVector sizes = {batch, channels, height, width};
  const Value coordinates[] = {x, y};
  const Value at =
      c.call<"aten::view">(*elementwise(c, coordinates, computation, DType::kInt64), sizes);
  const auto range = [&](SymInt size, const DimVector& shape) {
    const Value values = c.call<"aten::arange">(size, nullptr, nullptr, input.device(), nullptr);
    return c.call<"aten::view">(values, shape);
  };
  const Value indices[] = {range(batch, {batch, 1, 1, 1}), range(channels, {1, channels, 1, 1}), at,
                           at};
  const Value gathered = c.call<"aten::index.Tensor">(image, c.list(indices));
  const Value weights = interpolation == 0 ? Value(*c.empty_like(at.tensor(), computation)) : at;
  Value result = *arithmetic(c, gathered, weights);
  if (interpolation == 0) result = *arithmetic(c, result, result);
  if (interpolation == 2) {
    result = *arithmetic(c, result, x);
    result = *arithmetic(c, result, y);
  }
  // Several products are added up, and the last sum repeats an earlier one (Call::empty_permuted),
  // but for that of coordinates which were clipped to the borders first.
  const bool is_repeated = interpolation == 2 || (interpolation == 0 && padding == 0);
  for (int times = 0; is_repeated && times < 2; ++times) {
    const Tensor& sum = result.tensor();
    result = *c.empty_permuted(sum.sizes(), sum.strides(), sum.dtype(), sum.device());
  }
  return *cast_to(c, result.tensor(), dtype);
}

// The gradients of the input, where it is asked for, and of the grid.
Value sampler_gradients(Call& c, const Tensor& input, const Tensor& grid, const Value& mask) {
  Tensor* grad_grid = c.empty(grid.sizes(), grid.dtype());
  if (!mask[0].to_bool()) return c.tuple({Value(), grad_grid});
  return c.tuple({c.empty(input.sizes(), input.dtype()), grad_grid});
}

// Mirrors grid_sampler_2d_backward_meta and grid_sampler_3d_backward,
// torch/_meta_registrations.py.
Value grid_sampler_2d_backward(Call& c, const Tensor&, const Tensor& input, const Tensor& grid,
                               int64_t, int64_t, bool, const Value& output_mask) {
  return sampler_gradients(c, input, grid, output_mask);
}
Value grid_sampler_3d_backward(Call& c, const Tensor&, const Tensor& input, const Tensor& grid,
                               int64_t interpolation, int64_t, bool, const Value& output_mask) {
  check_volume_and_grid(c, input, grid, interpolation);
  return sampler_gradients(c, input, grid, output_mask);
}

// Mirrors grid_sampler, aten/src/ATen/native/GridSampler.cpp.
Value grid_sampler(Call& c, const Tensor& input, const Tensor& grid, const Value& interpolation,
                   const Value& padding, const Value& align_corners) {
  if (input.dim() == 4)
    return c.call<"aten::grid_sampler_2d">(input, grid, interpolation, padding, align_corners);
  return c.call<"aten::grid_sampler_3d">(input, grid, interpolation, padding, align_corners);
}

// The length of the coordinates along dimension `i`, which are one number reshaped where no more
// than one is asked for: then -1 stands for one and other sizes do not fit.
SymInt coordinate_line(Call& c, Dims sizes, size_t i) {
  if (guard_bool(sizes[i] > 1)) return sizes[i];
  DimVector shape(sizes.size() + 1, 1);
  shape[i] = sizes[i];
  return c.tensor<"aten::view">(*c.empty(Dims(), DType::kFloat32), shape).numel();
}

// Mirrors affine_grid_generator, torch/_decomp/decompositions.py: a base grid of homogeneous
// coordinates times the transposed matrices.
Value affine_grid_generator(Call& c, const Tensor& theta, Dims size) {
  c.check(size.size() == 4 || size.size() == 5,
          "affine_grid_generator needs 4d (spatial) or 5d (volumetric) inputs.");
  const DType dtype = theta.dtype();
  const Tensor& matrices = *cast_to(c, theta, computation_dtype(dtype));
  const auto spatial = static_cast<int64_t>(size.size()) - 2;
  const Dims output = size.subspan(2);
  SymInt points = 1;
  for (size_t i = output.size(); i-- > 0;) points *= coordinate_line(c, output, i);
  const Value base = *c.empty({points, spatial + 1, 1}, matrices.dtype());
  const Value transposed = c.call<"aten::unsqueeze">(c.call<"aten::mT">(matrices), 1);
  const Value product = *arithmetic(c, base, transposed);
  const Value grid = c.call<"aten::sum.dim_IntList">(product, DimVector{-2});
  DimVector sizes = {size[0]};
  sizes.append(output);
  sizes.push_back(spatial);
  return *cast_to(c, c.tensor<"aten::view">(grid, sizes), dtype);
}

// Mirrors affine_grid_generator_backward, aten/src/ATen/native/AffineGridGenerator.cpp: the base
// grid transposed times the gradient, transposed back.
Value affine_grid_generator_backward(Call& c, const Tensor& grad, Dims size) {
  c.check(size.size() == 4 || size.size() == 5,
          "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
  const auto spatial = static_cast<int64_t>(size.size()) - 2;
  const SymInt points = numel(size.subspan(2));
  DimVector sizes = {size[0]};
  sizes.append(size.subspan(2));
  sizes.push_back(spatial + 1);
  const Value grid =
      c.call<"aten::view">(*c.empty(sizes, grad.dtype()), DimVector{size[0], points, spatial + 1});
  const Value base = c.call<"aten::transpose.int">(grid, 1, 2);
  const Value gradients = c.call<"aten::reshape">(grad, DimVector{size[0], points, spatial});
  return c.call<"aten::transpose.int">(c.call<"aten::bmm">(base, gradients), 1, 2);
}

// clang-format off
constexpr OpDef kImage[] = {
    {"aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", rule<&affine_grid_generator>(), kByDecomp | kRealDerivative},
    {"aten::affine_grid_generator_backward(Tensor grad, SymInt[] size, bool align_corners) -> Tensor", rule<&affine_grid_generator_backward>(), kComposite},
    {"aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", rule<&channel_shuffle>(), kByRef},
    {"aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", rule<&grid_sampler>(), kComposite},
    {"aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", rule<&grid_sampler_2d>(), kByDecomp | kRealDerivative},
    {"aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)", rule<&grid_sampler_2d_backward>(), kRealDerivative},
    {"aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", rule<&grid_sampler_3d>(), kRealDerivative},
    {"aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)", rule<&grid_sampler_3d_backward>(), kRealDerivative},
    {"aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", rule<&native_channel_shuffle>(), kComposite},
    {"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", rule<&pixel_shuffle>(), kDeviceHint},
    {"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", rule<&pixel_unshuffle>(), kByRef},
};
// clang-format on
}  // namespace
}  // namespace rules_of_image

std::span<const OpDef> image_rules() { return rules_of_image::kImage; }

}  // namespace faketensor
