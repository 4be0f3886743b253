// Pooling: windows over two or three dimensions, their checks and the sizes they give.
//
// Shared by the pooling operators and their gradients.
//
//   const Windows w = windows(c, kName, 2, kernel, stride, padding, dilation);
//   const DimVector output = pooled_sizes(c, input, w, ceil_mode);
#pragma once

#include "core/ops/call.h"
#include "core/tensor/strides.h"

namespace faketensor {

// A window along one dimension.
struct Window {
  SymInt kernel;
  SymInt stride;
  SymInt padding;
  SymInt dilation;
};

// The windows of two or three dimensions, outermost first.
struct Windows {
  Window along[3] = {};
  size_t count = 0;

  const Window& operator[](size_t i) const { return along[i]; }
};

// What one pooling operator is called in its messages.
struct PoolName {
  std::string_view op;        // "max_pool2d"
  std::string_view function;  // "max_pool3d_with_indices()"
};

// The windows that a call's arguments describe; an empty stride is the kernel's size.
Windows windows(Call& call, const PoolName& name, size_t rank, Dims kernel, Dims stride,
                Dims padding, Dims dilation);

// Mirrors pooling_output_shape, torch/_meta_registrations.py.
SymInt pooled_size(Call& call, SymInt size, const Window& window, bool ceil_mode);
// The spatial output sizes.
DimVector pooled_sizes(Call& call, const Tensor& input, const Windows& windows, bool ceil_mode);

// Mirrors pool2d_shape_check and pool3d_shape_check, torch/_meta_registrations.py.
void check_pool2d(Call& call, const Tensor& input, const Windows& windows, const DimVector& output,
                  MemoryFormat format);
void check_pool3d(Call& call, const PoolName& name, const Tensor& input, const Windows& windows,
                  const DimVector& output, bool check_input_size);

// What max_pool2d answers for and its gradient was made of: the spatial sizes, and the format.
// Mirrors max_pool2d_checks_and_compute_shape, torch/_meta_registrations.py.
struct PooledOutput {
  DimVector sizes;
  MemoryFormat format;
};
PooledOutput max_pool2d_output(Call& call, const Tensor& input, Dims kernel, Dims stride,
                               Dims padding, Dims dilation, bool ceil_mode);

// That every size is other than zero.
SymBool no_zero(Dims sizes);
// The input's leading sizes, then these.
DimVector with_spatial(const Tensor& input, Dims spatial);
Tensor* empty_as(Call& call, Dims sizes, DType dtype, MemoryFormat format);

}  // namespace faketensor
