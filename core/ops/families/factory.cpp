#include "core/ops/families/factory.h"

#include "core/ops/families/sparse.h"
#include "core/tensor/strides.h"

namespace faketensor {

void check_sizes(const Call& call, Dims sizes) {
  for (const SymInt size : sizes) {
    call.check(!guard_or_false(size < 0), "Trying to create tensor with negative dimension {}: {}",
               size, sizes);
  }
}

void check_row_major(const Call& call, Dims sizes) {
  for (const SymInt length : sizes) {
    call.check(length >= 0, "Trying to create tensor with negative dimension {}: {}", length,
               sizes);
  }
  for (const SymInt length : sizes) {
    if (guard_or_false(length == 0)) return;
  }
}

FactoryOptions factory_options(Call& call, size_t at, std::optional<DType> dtype,
                               const Tensor* like) {
  FactoryOptions options;
  options.dtype = dtype.value_or(like != nullptr ? like->dtype() : call.context().default_dtype);
  if (like != nullptr) options.device = like->device();
  const std::span<const Value> args = call.args().subspan(at);
  if (args[0].is(Value::Tag::kDType)) options.dtype = args[0].dtype();
  if (args[1].is(Value::Tag::kLayout)) options.layout = args[1].layout();
  call.check_as(ErrorKind::kNotImplementedError,
                like != nullptr || options.layout != Layout::kMkldnn,
                "Unsupported device type for mkldnn layout: meta");
  if (args[2].is(Value::Tag::kDevice)) options.device = args[2].device().normalized();
  if (args.size() > 4 && args[4].is(Value::Tag::kMemoryFormat)) {
    options.format = args[4].memory_format();
  }
  return options;
}

Tensor* new_tensor(Call& call, Dims sizes, const FactoryOptions& options) {
  check_sizes(call, sizes);
  if (options.layout != Layout::kStrided)
    return empty_with_layout(call, options.layout, sizes, options.dtype, options.device);
  if (!options.format || *options.format == MemoryFormat::kContiguous) {
    return call.context().empty(sizes, options.dtype, options.device);
  }
  call.check(*options.format != MemoryFormat::kPreserve, "unsupported memory format Preserve");
  return call.context().empty(sizes, options.dtype, options.device,
                              strides_for(sizes, *options.format));
}

Value factory(Call& call, uint64_t params) {
  const auto given = rule_params<FactoryParams>(params);
  const Tensor* self = given.from_self ? &call.arg(0).tensor() : nullptr;
  const FactoryOptions options =
      factory_options(call, static_cast<size_t>(given.options), {}, self);
  if (given.only_inexact && options.layout == Layout::kStrided) {
    // randn_like makes the tensor before it looks at its dtype.
    if (given.sizes < 0 && options.format && *options.format != MemoryFormat::kPreserve)
      strides_for(self->sizes(), *options.format);
    call.check(is_float_or_complex(options.dtype),
               "expected a floating-point or complex dtype, but got dtype={}", options.dtype);
  }
  if (given.sizes >= 0) {
    return new_tensor(call, call.arg(static_cast<size_t>(given.sizes)).ints(), options);
  }
  if (given.zeros && options.layout == Layout::kSparseCoo) {
    call.check(!options.format, "memory format option is only supported by strided tensors");
    return new_tensor(call, self->sizes(), options);
  }
  if (options.format.value_or(MemoryFormat::kPreserve) != MemoryFormat::kPreserve) {
    return new_tensor(call, self->sizes(), options);
  }
  // Strides are preserved by torch.empty_permuted, which no sparse backend has.
  if (options.layout != Layout::kStrided) throw_no_kernel(call.op(), "SparseMeta");
  const DimVector strides = dense_strides_like(self->sizes(), self->strides());
  return call.empty_permuted(self->sizes(), strides, options.dtype, options.device);
}

void check_rank(const Call& call, int64_t rank) {
  constexpr int64_t kMostDims = 4096;
  call.check_as(ErrorKind::kLimitExceeded, rank <= kMostDims,
                "a tensor of {} dimensions, of which {} are possible", rank, kMostDims);
}

Tensor* empty_restrided(Call& call, Dims sizes, Dims strides, DType dtype) {
  return call.context().empty_restrided(sizes, strides, dtype, call.device());
}

}  // namespace faketensor
