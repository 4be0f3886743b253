// Factories: operators that make a tensor out of sizes and options alone.
//
// FakeTensorMode runs them on the meta device and puts the result where the `device` argument says
// (constructors, torch/_subclasses/fake_impls.py): cpu without one, for `like` and `new_` operators
// the device of their input. What the elements are does not matter to the answer.
//
//   {"aten::zeros(SymInt[] size, *, ScalarType? dtype=None, ...) -> Tensor", filled({.sizes = 0})},
#pragma once

#include "core/ops/call.h"

namespace faketensor {

// Where in the schema a factory finds what it needs. The options are the run `dtype, layout,
// device, pin_memory`, and after it `memory_format` where the schema has one.
struct FactoryParams {
  int8_t sizes = 0;           // position of the sizes; -1: those of argument 0 (`like`)
  int8_t options = 1;         // position of dtype
  bool from_self = false;     // dtype and device default to argument 0's
  bool only_inexact = false;  // refuses integers, as normal distributions do
  bool zeros = false;         // zeros_like, which makes COO tensors of strided ones
};

Value factory(Call& call, uint64_t params);

// torch.empty and all that fill it with something.
consteval Rule filled(FactoryParams params) { return family_rule(&factory, params); }
// new_empty(self, size, ...)
consteval Rule new_filled(FactoryParams params) {
  params.from_self = true;
  return family_rule(&factory, params);
}
// empty_like(self, ...): memory_format decides the strides, preserve_format where it is none.
consteval Rule like(FactoryParams params) {
  params.sizes = -1;
  params.from_self = true;
  return family_rule(&factory, params);
}

struct FactoryOptions {
  DType dtype = DType::kFloat32;
  Device device;
  Layout layout = Layout::kStrided;
  std::optional<MemoryFormat> format;
};
// The options that begin at argument `at`. `dtype` is what none stands for, the default dtype
// without it; `like` gives dtype and device.
FactoryOptions factory_options(Call& call, size_t at, std::optional<DType> dtype = {},
                               const Tensor* like = nullptr);

// A tensor as torch.empty makes it, sparse ones without elements. Raises RuntimeError for negative
// sizes.
Tensor* new_tensor(Call& call, Dims sizes, const FactoryOptions& options);

// Raises for a size that is known to be negative (check_size_nonnegative, c10).
void check_sizes(const Call& call, Dims sizes);

// What torch.empty_strided asks of the sizes of a row-major tensor: none is negative; and, until
// one is known to be, whether it is 0 (computeStorageNbytes, aten/src/ATen/EmptyTensor.cpp).
void check_row_major(const Call& call, Dims sizes);

// Raises LimitExceeded for a tensor of more dimensions than this library makes, before its sizes
// are written down: the number came from an argument or from another tensor's size.
void check_rank(const Call& call, int64_t rank);

// Context::empty_restrided on the call's device.
Tensor* empty_restrided(Call& call, Dims sizes, Dims strides, DType dtype);

}  // namespace faketensor
