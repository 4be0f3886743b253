// Pooling: maximum and average over windows, and over as many windows as the output has elements.
#include "core/ops/derived.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pooling.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_pool {
namespace {

// --- maximum ---

// One value for each window dimension, as far as `list` has them; an empty one is `otherwise`.
DimVector window_list(Call& c, Dims list, Dims otherwise = {}) {
  c.check(!list.empty() || !otherwise.empty(), "default must be provided");
  const Dims given = list.empty() ? otherwise : list;
  return given.size() == 1 ? DimVector(2, given[0]) : DimVector(given);
}

// Mirrors _max_pool_nd_with_indices, torch/_decomp/decompositions.py, which answers for the out=
// overload: no check of what the meta function checks, and lists may be too long.
Value max_pool2d_by_windows(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                            Dims dilation, bool ceil_mode) {
  check_output_devices(c);
  const DimVector kernels = window_list(c, kernel);
  const DimVector strides = window_list(c, stride, kernels);
  const DimVector paddings = window_list(c, padding);
  const DimVector dilations = window_list(c, dilation);
  c.check(input.dim() == 3 || input.dim() == 4, "Expected 3D or 4D input, got {}D", input.dim());
  DimVector output;
  for (size_t i = 0; i < 2; ++i) {
    const Window window = {.kernel = kernels[i],
                           .stride = strides[i],
                           .padding = paddings[i],
                           .dilation = dilations[i]};
    const SymInt size = input.size(static_cast<int64_t>(i) - 2);
    output.push_back(pooled_size(c, size, window, ceil_mode));
  }
  c.check_as(ErrorKind::kTypeError, !is_complex(input.dtype()),
             "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
             "'torch.iinfo'");
  const DimVector sizes = with_spatial(input, output);
  // The windows of no output cannot be flattened.
  DimVector windows = sizes;
  if (windows.size() == 3) windows.insert(0, 1);
  windows.push_back(-1);
  c.check(
      guard_bool(numel(sizes) != 0),
      "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size "
      "-1 can be any value and is ambiguous",
      Dims(windows));
  const Value results[] = {*c.context().empty(sizes, input.dtype(), input.device()),
                           *c.context().empty(sizes, DType::kInt64, input.device())};
  return write_results(c, results, OutBy::kDecomposition);
}

// Mirrors meta_max_pool2d_with_indices, torch/_meta_registrations.py.
Value max_pool2d_with_indices(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                              Dims dilation, bool ceil_mode) {
  if (output_of(c) != nullptr)
    return max_pool2d_by_windows(c, input, kernel, stride, padding, dilation, ceil_mode);
  const auto [output, format] =
      max_pool2d_output(c, input, kernel, stride, padding, dilation, ceil_mode);
  const DimVector sizes = with_spatial(input, output);
  return c.tuple(
      {empty_as(c, sizes, input.dtype(), format), empty_as(c, sizes, DType::kInt64, format)});
}
Value max_pool2d(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                 Dims dilation, bool ceil_mode) {
  return c.call<"aten::max_pool2d_with_indices">(input, kernel, stride, padding, dilation,
                                                 ceil_mode)[0];
}

// Mirrors meta_max_pool3d_with_indices, torch/_meta_registrations.py.
Value max_pool3d_with_indices(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                              Dims dilation, bool ceil_mode) {
  constexpr PoolName kName = {"max_pool3d", "max_pool3d_with_indices()"};
  const Windows w = windows(c, kName, 3, kernel, stride, padding, dilation);
  c.check(input.dim() == 4 || input.dim() == 5,
          "non-empty 4D or 5D (batch mode) tensor expected for input");
  const DimVector output = pooled_sizes(c, input, w, ceil_mode);
  check_pool3d(c, kName, input, w, output, false);
  const bool channels_last = suggest_memory_format(input) == MemoryFormat::kChannelsLast3d;
  const MemoryFormat format =
      channels_last ? MemoryFormat::kChannelsLast3d : MemoryFormat::kContiguous;
  const DimVector sizes = with_spatial(input, output);
  return c.tuple(
      {empty_as(c, sizes, input.dtype(), format), empty_as(c, sizes, DType::kInt64, format)});
}
Value max_pool3d(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                 Dims dilation, bool ceil_mode) {
  return max_pool3d_with_indices(c, input, kernel, stride, padding, dilation, ceil_mode)[0];
}

// --- one dimension, as the second of two: aten/src/ATen/native/Pool.cpp and MaxPooling.cpp ---

void check_pool1d_rank(Call& c, std::string_view function, const Tensor& self) {
  c.check(self.dim() == 2 || self.dim() == 3,
          "Expected 2 to 3 dimensions, but got {}-dimensional tensor for argument #1 'self' (while "
          "checking arguments for {})",
          self.dim(), function);
}
void check_one(Call& c, std::string_view function, std::string_view argument, Dims values) {
  c.check(values.size() == 1, "{}() argument '{}' should contain one int (got {})", function,
          argument, values.size());
}

// Mirrors max_pool1d_with_indices, aten/src/ATen/native/Pool.cpp.
Value max_pool1d_with_indices(Call& c, const Tensor& self, Dims kernel, Dims stride, Dims padding,
                              Dims dilation, bool ceil_mode) {
  const Dims step = stride.empty() ? kernel : stride;
  check_pool1d_rank(c, "max_pool1d", self);
  check_one(c, "max_pool1d", "kernel_size", kernel);
  check_one(c, "max_pool1d", "stride", step);
  check_one(c, "max_pool1d", "padding", padding);
  check_one(c, "max_pool1d", "dilation", dilation);
  const Value pooled = c.call<"aten::max_pool2d_with_indices">(
      c.call<"aten::unsqueeze">(self, -2), DimVector{1, kernel[0]}, DimVector{1, step[0]},
      DimVector{0, padding[0]}, DimVector{1, dilation[0]}, ceil_mode);
  return c.tuple(
      {c.call<"aten::squeeze.dim">(pooled[0], -2), c.call<"aten::squeeze.dim">(pooled[1], -2)});
}

// Mirrors check_max_pool1d, aten/src/ATen/native/Pool.h.
void check_max_pool1d(Call& c, const Tensor& self, Dims kernel, Dims stride, Dims padding,
                      Dims dilation, bool ceil_mode) {
  const auto check_size = [&](std::string_view argument, Dims values, bool fits) {
    c.check(fits, "max_pool1d() {} ints of size 1 but got size {}", argument, values.size());
  };
  check_size("kernel_size must be an int, list of ints or tuple of", kernel, kernel.size() == 1);
  check_size("stride must be None, an int, list of ints, or tuple of", stride, stride.size() <= 1);
  check_size("padding must be an int, list of ints, or tuple of", padding, padding.size() == 1);
  check_size("dilation must be an int, list of ints or tuple of", dilation, dilation.size() == 1);
  const Window w = {kernel[0], stride.empty() ? kernel[0] : stride[0], padding[0], dilation[0]};
  c.check(w.kernel > 0, "max_pool1d() kernel_size must be greater than zero, but got {}", w.kernel);
  c.check(w.stride > 0, "max_pool1d() stride must be greater than zero, but got {}", w.stride);
  c.check(w.padding >= 0, "max_pool1d() padding must be non-negative, but got {}", w.padding);
  c.check(w.padding <= floor_div(w.kernel, 2),
          "max_pool1d() padding should be at most half of kernel size, but got padding={} and "
          "kernel_size={}",
          w.padding, w.kernel);
  c.check(w.dilation > 0, "max_pool1d() dilation must be greater than zero, but got {}",
          w.dilation);
  const SymInt output = pooled_size(c, guard_int(self.size(-1)), w, ceil_mode);
  c.check(output > 0, "max_pool1d() Invalid computed output size: {}", output);
}

// Mirrors max_pool1d, aten/src/ATen/native/MaxPooling.cpp: fake tensors are tensor subclasses.
Value max_pool1d(Call& c, const Tensor& self, Dims kernel, Dims stride, Dims padding, Dims dilation,
                 bool ceil_mode) {
  const bool has_rank = self.dim() == 2 || self.dim() == 3;
  c.check(has_rank && guard_bool(self.size(-2) != 0) && guard_bool(self.size(-1) != 0),
          "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
          "input, but got:{}",
          self.sizes());
  check_max_pool1d(c, self, kernel, stride, padding, dilation, ceil_mode);
  return max_pool1d_with_indices(c, self, kernel, stride, padding, dilation, ceil_mode)[0];
}

// Mirrors avg_pool1d, aten/src/ATen/native/Pool.cpp.
Value avg_pool1d(Call& c, const Tensor& self, Dims kernel, Dims stride, Dims padding,
                 bool ceil_mode, bool count_include_pad) {
  const Dims step = stride.empty() ? kernel : stride;
  check_pool1d_rank(c, "avg_pool1d", self);
  check_one(c, "avg_pool1d", "kernel_size", kernel);
  check_one(c, "avg_pool1d", "stride", step);
  check_one(c, "avg_pool1d", "padding", padding);
  const Value pooled = c.call<"aten::avg_pool2d">(
      c.call<"aten::unsqueeze">(self, -2), DimVector{1, kernel[0]}, DimVector{1, step[0]},
      DimVector{0, padding[0]}, ceil_mode, count_include_pad);
  return c.call<"aten::squeeze.dim">(pooled, -2);
}

// --- average ---

void check_average(Call& c, std::string_view op, const Tensor& input) {
  const DType dtype = input.dtype();
  const bool is_unsigned = dtype == DType::kUInt8 || dtype == DType::kUInt16 ||
                           dtype == DType::kUInt32 || dtype == DType::kUInt64;
  c.check(!is_unsigned, "\"{}\" not implemented for '{}'", op, dtype);
}

void check_divisor(Call& c, std::optional<SymInt> divisor) {
  c.check(divisor ? *divisor != 0 : SymBool(true), "divisor must be not zero");
}

// Mirrors meta_avg_pool2d, torch/_meta_registrations.py.
Value avg_pool2d(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                 bool ceil_mode, bool, std::optional<SymInt> divisor_override) {
  constexpr PoolName kName = {"avg_pool2d", "avg_pool2d"};
  const SymInt one = 1;
  check_average(c, kName.op, input);
  const Windows w = windows(c, kName, 2, kernel, stride, padding, Dims(&one, 1));
  check_divisor(c, divisor_override);
  input.size(-3);
  const DimVector output = pooled_sizes(c, input, w, ceil_mode);
  const MemoryFormat format = suggest_memory_format(input);
  check_pool2d(c, input, w, output, format);
  return empty_as(c, with_spatial(input, output), input.dtype(), format);
}

// Mirrors meta_avg_pool3d, torch/_meta_registrations.py.
Value avg_pool3d(Call& c, const Tensor& input, Dims kernel, Dims stride, Dims padding,
                 bool ceil_mode, bool, std::optional<SymInt> divisor_override) {
  constexpr PoolName kName = {"avg_pool3d", "avg_pool3d()"};
  const SymInt one = 1;
  check_average(c, kName.op, input);
  const Windows w = windows(c, kName, 3, kernel, stride, padding, Dims(&one, 1));
  c.check(input.dim() == 4 || input.dim() == 5,
          "non-empty 4D or 5D (batch mode) tensor expected for input");
  check_divisor(c, divisor_override);
  const DimVector output = pooled_sizes(c, input, w, ceil_mode);
  check_pool3d(c, kName, input, w, output, true);
  return c.empty(with_spatial(input, output), input.dtype());
}

// --- a given number of windows ---

// Mirrors meta_adaptive_avg_pool2d, torch/_meta_registrations.py.
Value fixed_avg_pool2d(Call& c, const Tensor& self, Dims output_size) {
  c.check(self.dim() == 3 || self.dim() == 4, "Expected 3D or 4D tensor, but got {}",
          size_text(self.sizes()));
  DimVector sizes(self.sizes().first(self.sizes().size() - 2));
  sizes.append(output_size);
  return empty_as(c, sizes, self.dtype(), suggest_memory_format(self));
}

// Mirrors meta_adaptive_avg_pool3d, torch/_meta_registrations.py.
Value fixed_avg_pool3d(Call& c, const Tensor& self, Dims output_size) {
  c.check(self.dim() == 4 || self.dim() == 5, "Expected 4D or 5D tensor, but got {}",
          size_text(self.sizes()));
  DimVector sizes(self.sizes().first(self.sizes().size() - 3));
  sizes.append(output_size);
  return c.empty(sizes, self.dtype());
}

bool is_all(Dims sizes, int64_t value) {
  for (const SymInt size : sizes) {
    if (!guard_bool(size == value)) return false;
  }
  return true;
}

// The mean over the last dimensions, in the memory format of the input.
Value global_average(Call& c, const Tensor& input, const DimVector& dims, MemoryFormat format) {
  const Value mean = c.call<"aten::mean.dim">(input, dims, true);
  if (tensor_memory_format(input) != format) return mean;
  const SymInt channels = input.size(1);
  DimVector sizes = {input.size(0), channels};
  DimVector strides = {channels, 1};
  for (size_t i = 0; i < dims.size(); ++i) {
    sizes.push_back(1);
    strides.push_back(channels);
  }
  return c.call<"aten::as_strided">(mean, sizes, strides);
}

// Mirrors adaptive_avg_pool2d, aten/src/ATen/native/AdaptiveAveragePooling.cpp.
Value adaptive_avg_pool2d(Call& c, const Tensor& input, Dims output_size) {
  c.check(output_size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
  c.check(sym_and(output_size[0] >= 0, output_size[1] >= 0),
          "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
          "received {}, {}}",
          format("{}{}", '{', output_size[0]), output_size[1]);
  if (is_all(output_size, 1))
    return global_average(c, input, {-1, -2}, MemoryFormat::kChannelsLast);
  if (has_symbolic_sizes(c)) return c.call<"aten::_adaptive_avg_pool2d">(input, output_size);
  return fixed_avg_pool2d(c, input, output_size);
}

// Mirrors adaptive_avg_pool3d, aten/src/ATen/native/AdaptiveAveragePooling3d.cpp.
Value adaptive_avg_pool3d(Call& c, const Tensor& input, Dims output_size) {
  c.check(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
  c.check(sym_and(output_size[0] >= 0, sym_and(output_size[1] >= 0, output_size[2] >= 0)),
          "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but "
          "received {}, {},{}}",
          format("{}{}", '{', output_size[0]), output_size[1], output_size[2]);
  if (is_all(output_size, 1))
    return global_average(c, input, {-1, -2, -3}, MemoryFormat::kChannelsLast3d);
  return fixed_avg_pool3d(c, input, output_size);
}

// Mirrors adaptive_avg_pool1d, aten/src/ATen/native/Pool.cpp.
Value adaptive_avg_pool1d(Call& c, const Tensor& self, Dims output_size) {
  check_pool1d_rank(c, "adaptive_avg_pool1d", self);
  check_one(c, "adaptive_avg_pool1d", "output_size", output_size);
  const Value pooled = c.call<"aten::adaptive_avg_pool2d">(c.call<"aten::unsqueeze">(self, -2),
                                                           DimVector{1, output_size[0]});
  return c.call<"aten::squeeze.dim">(pooled, -2);
}

template <typename Text>
void check_adaptive_max(Call& c, std::string_view op, const Tensor& input, const Text& sizes) {
  for (int64_t i = 1; i < input.dim(); ++i) {
    c.check(input.size(i) > 0,
            "{}(): Expected input to have non-zero size for non-batch dimensions, but input has "
            "sizes {} with dimension {} being empty",
            op, sizes, i);
  }
}

// Mirrors meta_adaptive_max_pool2d, torch/_meta_registrations.py.
Value adaptive_max_pool2d(Call& c, const Tensor& input, Dims output_size) {
  c.check(input.dim() == 3 || input.dim() == 4,
          "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: {}", size_text(input.sizes()));
  check_adaptive_max(c, "adaptive_max_pool2d", input, size_text(input.sizes()));
  c.check(output_size.size() == 2,
          "adaptive_max_pool2d(): internal error: output_size.size() must be 2");
  const DimVector sizes = with_spatial(input, output_size);
  Tensor* output = c.empty(sizes, input.dtype());
  Tensor* indices = c.empty(sizes, DType::kInt64);
  if (input.dim() == 3) return c.tuple({output, indices});
  const MemoryFormat format = suggest_memory_format(input);
  return c.tuple({c.call<"aten::to.dtype">(*output, input.dtype(), false, false, format),
                  c.call<"aten::to.dtype">(*indices, DType::kInt64, false, false, format)});
}

// Mirrors meta_adaptive_max_pool3d, torch/_meta_registrations.py.
Value adaptive_max_pool3d(Call& c, const Tensor& input, Dims output_size) {
  c.check(input.dim() == 4 || input.dim() == 5,
          "adaptive_max_pool3d(): Expected 4D or 5D tensor, but got: {}", size_text(input.sizes()));
  check_adaptive_max(c, "adaptive_max_pool3d", input, size_text(input.sizes()));
  c.check(output_size.size() == 3,
          "adaptive_max_pool3d(): internal error: output_size.size() must be 3");
  const DimVector sizes = with_spatial(input, output_size);
  return c.tuple({c.empty(sizes, input.dtype()), c.empty(sizes, DType::kInt64)});
}

// Mirrors adaptive_max_pool1d, aten/src/ATen/native/Pool.cpp.
Value adaptive_max_pool1d(Call& c, const Tensor& self, Dims output_size) {
  check_pool1d_rank(c, "adaptive_max_pool1d", self);
  check_one(c, "adaptive_max_pool1d", "output_size", output_size);
  for (int64_t i = 1; i < self.dim(); ++i) (void)guard_bool(self.size(i) > 0);  // in C++
  check_adaptive_max(c, "adaptive_max_pool1d", self, self.sizes());
  const Value pooled = c.call<"aten::adaptive_max_pool2d">(c.call<"aten::unsqueeze">(self, -2),
                                                           DimVector{1, output_size[0]});
  return c.tuple(
      {c.call<"aten::squeeze.dim">(pooled[0], -2), c.call<"aten::squeeze.dim">(pooled[1], -2)});
}

// clang-format off
constexpr OpDef kPool[] = {
    {"aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", rule<&fixed_avg_pool2d>(), kRealDerivative},
    {"aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", rule<&fixed_avg_pool3d>(), kRealDerivative},
    {"aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", rule<&adaptive_avg_pool1d>(), kComposite},
    {"aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", rule<&adaptive_avg_pool2d>(), kComposite},
    {"aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", rule<&adaptive_avg_pool3d>(), kComposite},
    {"aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", rule<&adaptive_max_pool1d>(), kComposite},
    {"aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", rule<&adaptive_max_pool2d>(), kRealDerivative},
    {"aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", rule<&adaptive_max_pool3d>(), kRealDerivative},
    {"aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor", rule<&avg_pool1d>(), kComposite},
    {"aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", rule<&avg_pool2d>(), kRealDerivative},
    {"aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor", rule<&avg_pool3d>(), kRealDerivative},
    {"aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> Tensor", rule<&max_pool1d>(), kComposite},
    {"aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False) -> (Tensor, Tensor)", rule<&max_pool1d_with_indices>(), kComposite},
    {"aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor", rule<&max_pool2d>(), kComposite | kRealDerivative},
    {"aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", rule<&max_pool2d_with_indices>(), kRealDerivative},
    {"aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor", rule<&max_pool3d>(), kComposite},
    {"aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)", rule<&max_pool3d_with_indices>(), kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_pool

std::span<const OpDef> pool_rules() { return rules_of_pool::kPool; }

}  // namespace faketensor
