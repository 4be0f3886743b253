#include "core/ops/families/pooling.h"

#include "core/ops/families/factory.h"

namespace faketensor {

namespace {

// An int[n] argument: one number stands for all dimensions.
SymInt along(Dims values, size_t dim) { return values.size() == 1 ? values[0] : values[dim]; }

void check_length(Call& c, const PoolName& name, std::string_view argument, Dims values,
                  size_t rank, bool may_be_empty = false) {
  const bool fits = values.size() == 1 || values.size() == rank || (may_be_empty && values.empty());
  const bool is_average3d = name.op == "avg_pool3d";
  const bool is_late = name.op == "max_pool3d" && argument == "dilation";
  c.check(fits, "{}: {} must {}{}a single int, or a tuple of {} ints", name.op, argument,
          is_average3d ? ""
          : is_late    ? "be either "
                       : "either ",
          may_be_empty   ? "be omitted, "
          : is_average3d ? "be "
          : is_late      ? ""
                         : "be ",
          rank == 2 ? "two" : "three");
}

}  // namespace

Windows windows(Call& c, const PoolName& name, size_t rank, Dims kernel, Dims stride, Dims padding,
                Dims dilation) {
  check_length(c, name, "kernel_size", kernel, rank);
  check_length(c, name, "stride", stride, rank, true);
  check_length(c, name, "padding", padding, rank);
  check_length(c, name, "dilation", dilation, rank);
  Windows result;
  result.count = rank;
  for (size_t i = 0; i < rank; ++i) {
    result.along[i] = {along(kernel, i), stride.empty() ? along(kernel, i) : along(stride, i),
                       along(padding, i), along(dilation, i)};
  }
  return result;
}

SymInt pooled_size(Call& c, SymInt size, const Window& window, bool ceil_mode) {
  c.check(window.stride != 0, "stride should not be zero");
  c.check(window.padding >= 0, "pad must be non-negative, but got pad: {}", window.padding);
  c.check(window.padding <= floor_div((window.kernel - 1) * window.dilation + 1, 2),
          "pad should be at most half of effective kernel size, but got pad={}, kernel_size={} and "
          "dilation={}",
          window.padding, window.kernel, window.dilation);
  const SymInt span = size + window.padding * 2 - window.dilation * (window.kernel - 1) - 1;
  SymInt result = floor_div(ceil_mode ? span + window.stride - 1 : span, window.stride) + 1;
  // With ceil_mode the last window must begin inside the input or its left padding.
  if (ceil_mode && guard_bool((result - 1) * window.stride >= size + window.padding))
    result = result - 1;
  return result;
}

DimVector pooled_sizes(Call& c, const Tensor& input, const Windows& windows, bool ceil_mode) {
  DimVector result;
  for (size_t i = 0; i < windows.count; ++i) {
    const int64_t dim = static_cast<int64_t>(i) - static_cast<int64_t>(windows.count);
    result.push_back(pooled_size(c, input.size(dim), windows[i], ceil_mode));
  }
  return result;
}

namespace {
SymBool all_positive(const Windows& windows, SymInt Window::*member) {
  SymBool result = true;
  for (size_t i = 0; i < windows.count; ++i) result = sym_and(result, windows[i].*member > 0);
  return result;
}

}  // namespace

SymBool no_zero(Dims sizes) {
  SymBool result = true;
  for (const SymInt size : sizes) result = sym_and(result, size != 0);
  return result;
}

void check_pool2d(Call& c, const Tensor& input, const Windows& w, const DimVector& output,
                  MemoryFormat format) {
  const Window& h = w[0];
  const Window& v = w[1];
  c.check(all_positive(w, &Window::kernel),
          "kernel size should be greater than zero, but got kH: {}, kW: {}", h.kernel, v.kernel);
  c.check(all_positive(w, &Window::stride),
          "stride should be greater than zero, but got dH: {}, dW: {}", h.stride, v.stride);
  c.check(all_positive(w, &Window::dilation),
          "dilation should be greater than zero, but got dilationH: {}, dilationW: {}", h.dilation,
          v.dilation);
  input.size(1);
  input.size(2);
  if (format == MemoryFormat::kChannelsLast) {
    c.check(input.dim() == 4 ? no_zero(input.sizes().subspan(1)) : SymBool(false),
            "Expected 4D (batch mode) tensor expected for input with channels_last layout with "
            "optional 0 dim batch size for input, but got: {}",
            size_text(input.sizes()));
  } else {
    const bool has_rank = input.dim() == 3 || input.dim() == 4;
    const size_t batch_dims = input.dim() == 4 ? 1 : 0;
    c.check(has_rank ? no_zero(input.sizes().subspan(batch_dims)) : SymBool(false),
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            "got: {}",
            size_text(input.sizes()));
  }
  c.check(sym_and(floor_div(v.kernel, 2) >= v.padding, floor_div(h.kernel, 2) >= h.padding),
          "pad should be smaller than or equal to half of kernel size, but got padW = {}, padH = "
          "{}, kW = {}, kH = {}",
          v.padding, h.padding, v.kernel, h.kernel);
  c.check(sym_and(output[1] >= 1, output[0] >= 1),
          "Given input size: ({}x{}x{}). Calculated output size: ({}x{}x{}). Output size is too "
          "small",
          input.size(-3), input.size(-2), input.size(-1), input.size(-3), output[0], output[1]);
}

void check_pool3d(Call& c, const PoolName& name, const Tensor& input, const Windows& w,
                  const DimVector& output, bool check_input_size) {
  const Window& t = w[0];
  const Window& h = w[1];
  const Window& v = w[2];
  c.check(all_positive(w, &Window::kernel),
          "kernel size should be greater than zero, but got kT: {}, kH: {}, kW: {}", t.kernel,
          h.kernel, v.kernel);
  c.check(all_positive(w, &Window::stride),
          "stride should be greater than zero, but got dT: {}, dH: {}, dW: {}", t.stride, h.stride,
          v.stride);
  c.check(all_positive(w, &Window::dilation),
          "dilation should be greater than zero, but got dilationT: {}, dilationH: {}, dilationW: "
          "{}",
          t.dilation, h.dilation, v.dilation);
  for (int64_t i = input.dim() == 5 ? 1 : 0; i < input.dim(); ++i) {
    c.check(input.size(i) > 0,
            "{}: Expected input's non-batch dimensions to have positive length, but input has a "
            "shape of {} and non-batch dimension {} has length zero!",
            name.function, size_text(input.sizes()), input.size(i));
  }
  if (check_input_size) {
    c.check(sym_and(input.size(-3) >= t.kernel,
                    sym_and(input.size(-2) >= h.kernel, input.size(-1) >= v.kernel)),
            "input image (T: {} H: {} W: {}) smaller than kernel size (kT: {} kH: {} kW: {})",
            input.size(-3), input.size(-2), input.size(-1), t.kernel, h.kernel, v.kernel);
  }
  c.check(sym_and(t.kernel >= t.padding * 2,
                  sym_and(v.kernel >= v.padding * 2, h.kernel >= h.padding * 2)),
          "pad should be smaller than or equal to half of kernel size, but got kT: {} kW: {} kH: "
          "{} padT: {} padW: {} padH: {}",
          t.kernel, v.kernel, h.kernel, t.padding, v.padding, h.padding);
  c.check(sym_and(output[0] >= 1, sym_and(output[2] >= 1, output[1] >= 1)),
          "Given input size: ({}x{}x{}x{}). Calculated output size: ({}x{}x{}x{}). Output size is "
          "too small",
          input.size(-4), input.size(-3), input.size(-2), input.size(-1), input.size(-4), output[0],
          output[1], output[2]);
}

DimVector with_spatial(const Tensor& input, Dims spatial) {
  DimVector sizes(input.sizes().first(input.sizes().size() - spatial.size()));
  sizes.append(spatial);
  return sizes;
}

Tensor* empty_as(Call& c, Dims sizes, DType dtype, MemoryFormat format) {
  if (format == MemoryFormat::kContiguous) return c.empty(sizes, dtype);
  return empty_restrided(c, sizes, strides_for(sizes, format), dtype);
}

PooledOutput max_pool2d_output(Call& call, const Tensor& input, Dims kernel, Dims stride,
                               Dims padding, Dims dilation, bool ceil_mode) {
  constexpr PoolName kName = {"max_pool2d", "max_pool2d"};
  const Windows w = windows(call, kName, 2, kernel, stride, padding, dilation);
  input.size(-3);  // raises for tensors of few dimensions
  const MemoryFormat format = suggest_memory_format(input);
  call.check(format != MemoryFormat::kChannelsLast3d,
             "Unsupported memory format. Supports only ChannelsLast, Contiguous");
  call.check(format == MemoryFormat::kChannelsLast || input.dim() == 3 || input.dim() == 4,
             "non-empty 3D or 4D (batch mode) tensor expected for input");
  const DimVector sizes = pooled_sizes(call, input, w, ceil_mode);
  check_pool2d(call, input, w, sizes, format);
  return {sizes, format};
}

}  // namespace faketensor
