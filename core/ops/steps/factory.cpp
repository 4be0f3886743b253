// New tensors, copies and casts: torch/_refs/__init__.py, torch/_decomp/decompositions.py.
#include "core/ops/steps/reference.h"
#include "core/ops/steps/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace steps_of_factory {
namespace {

using Taken = StepsDef::Taken;

// Options of a new tensor that are those of `self` where they are not given.
struct Options {
  DType dtype;
  Layout layout;
  Device device;
};
Options options_like(const Tensor& self, std::optional<DType> dtype, std::optional<Layout> layout,
                     std::optional<Device> device) {
  return {dtype.value_or(self.dtype()), layout.value_or(self.layout()),
          device.value_or(self.device())};
}

Value new_empty(Call& c, const Tensor& self, Dims size, std::optional<DType> dtype,
                std::optional<Layout> layout, std::optional<Device> device) {
  const Options options = options_like(self, dtype, layout, device);
  return c.call<"aten::empty.memory_format">(size, options.dtype, options.layout, options.device,
                                             false);
}
Value new_empty_strided(Call& c, const Tensor& self, Dims size, Dims stride,
                        std::optional<DType> dtype, std::optional<Layout> layout,
                        std::optional<Device> device) {
  const Options options = options_like(self, dtype, layout, device);
  return c.call<"aten::empty_strided">(size, stride, options.dtype, options.layout, options.device,
                                       false);
}

Value filled(Call& c, const Tensor& self, Dims size, const Value& number,
             std::optional<DType> dtype, std::optional<Layout> layout,
             std::optional<Device> device) {
  const Options options = options_like(self, dtype, layout, device);
  return c.call<"aten::full">(size, number, options.dtype, options.layout, options.device, false);
}
// 0 or 1, which of booleans is False or True.
Value filling(int number, DType dtype) {
  return dtype == DType::kBool ? Value(number != 0) : Value(number);
}
Value new_zeros(Call& c, const Tensor& self, Dims size, std::optional<DType> dtype,
                std::optional<Layout> layout, std::optional<Device> device) {
  const Value zero = filling(0, dtype.value_or(self.dtype()));
  return filled(c, self, size, zero, dtype, layout, device);
}
Value new_ones(Call& c, const Tensor& self, Dims size, std::optional<DType> dtype,
               std::optional<Layout> layout, std::optional<Device> device) {
  const Value one = filling(1, dtype.value_or(self.dtype()));
  return filled(c, self, size, one, dtype, layout, device);
}

// The order of the dimensions in memory, of which torch.empty_permuted makes the strides.
Value empty_like(Call& c, const Tensor& self, std::optional<DType> dtype,
                 std::optional<Layout> layout, std::optional<Device> device, const Value&,
                 std::optional<MemoryFormat> format) {
  const Options options = options_like(self, dtype, layout, device);
  if (format && *format != MemoryFormat::kPreserve)
    return c.call<"aten::empty.memory_format">(self.sizes(), options.dtype, options.layout,
                                               options.device, false, *format);
  DimVector order;
  for (int64_t dim = 0; dim < self.dim(); ++dim) {
    order.push_back(dim);
    for (size_t i = order.size() - 1; i > 0; --i) {
      if (!guard_or_false(self.stride(order[i - 1].as_int()) < self.stride(order[i].as_int())))
        break;
      std::swap(order[i - 1], order[i]);
    }
  }
  return c.call<"aten::empty_permuted">(self.sizes(), order, options.dtype, options.layout,
                                        options.device, false);
}

Value ones_like(Call& c, const Tensor& self, const Value& dtype, const Value& layout,
                const Value& device, const Value&, const Value& format) {
  return c.call<"aten::full_like">(self, 1, dtype, layout, device, false,
                                   format.is_none() ? Value(MemoryFormat::kPreserve) : format);
}

// The number's type is the dtype's.
Value zero_of(DType dtype) { return is_bool(dtype) ? Value(false) : Value(0); }
Value zeros_like(Call& c, const Tensor& self, const Value& dtype, const Value& layout,
                 const Value& device, const Value&, const Value& format) {
  const DType made = dtype.is_none() ? self.dtype() : dtype.dtype();
  return c.call<"aten::full_like">(self, zero_of(made), dtype, layout, device, false,
                                   format.is_none() ? Value(MemoryFormat::kPreserve) : format);
}
template <int number>
Value filled_new(Call& c, Dims size, const Value& dtype, const Value& layout, const Value& device) {
  const DType made = dtype.is_none() ? c.context().default_dtype : dtype.dtype();
  const Device on = device.is_none() ? Device{} : device.device();
  const Value one = is_bool(made) ? Value(number != 0) : Value(number);
  return c.call<"aten::full">(size, one, made, layout.is_none() ? Value(Layout::kStrided) : layout,
                              on, false);
}

// The default of a layout in PyTorch's Python.
Value strided_if_none(const Value& layout) {
  return layout.is_none() ? Value(Layout::kStrided) : layout;
}

Value arange(Call& c, const Value& end, const Value& dtype, const Value& layout,
             const Value& device, const Value& pin) {
  return c.call<"aten::arange.start_step">(0, end, 1, dtype, strided_if_none(layout), device, pin);
}
Value arange_start(Call& c, const Value& start, const Value& end, const Value& dtype,
                   const Value& layout, const Value& device, const Value& pin) {
  return c.call<"aten::arange.start_step">(start, end, 1, dtype, strided_if_none(layout), device,
                                           pin);
}
// Ranges of integers are iota; others are computed from one.
Value arange_step(Call& c, const Value& start, const Value&, const Value& step, const Value&,
                  const Value&, const Value& device) {
  const OpEntry& op = c.op();
  const Tensor& result = op.rule.function(c, op.rule.params).tensor();
  const Device on = device.is_none() ? Device{} : device.device();
  const bool is_integral = is_integral_or_bool(result.dtype());
  const SymInt first = is_integral && start.is(Value::Tag::kInt) ? start.as_sym_int() : SymInt(0);
  const SymInt by = is_integral && step.is(Value::Tag::kInt) ? step.as_sym_int() : SymInt(1);
  const DType dtype = is_integral ? result.dtype() : DType::kInt64;
  const Value index = c.call<"prims::iota">(result.size(0), first, by, dtype, on, false);
  if (is_integral) return index;
  const Value cast = c.call<"aten::to.dtype">(index, result.dtype());
  return c.call<"aten::add.Tensor">(c.call<"aten::mul.Tensor">(cast, step), start);
}

// Mirrors _to_copy, torch/_decomp/decompositions.py.
Value to_copy(Call& c, const Tensor& x, std::optional<DType> dtype, const Value&,
              std::optional<Device> device, const Value&, bool non_blocking,
              std::optional<MemoryFormat> format) {
  Value self(x);
  if (!dtype && !device && !format) return c.call<"aten::clone">(self);
  const bool moves = device && device->normalized() != x.device();
  bool is_cast = false;
  const auto cast = [&] {
    self = c.call<"prims::convert_element_type">(self, *dtype);
    is_cast = true;
  };
  if (moves) {
    if (dtype && device->is_cpu()) cast();
    self = c.call<"prims::device_put">(self, *device, non_blocking);
  }
  if (dtype && !is_cast) cast();
  return format ? c.call<"aten::clone">(self, *format) : self;
}

Value clone(Call& c, const Tensor& self, const Value& format) {
  return c.call<"prims::clone">(self, format);
}

// Mirrors _view_meta and the like of fake_impls.py: what a meta function calls inside of the mode.
Value nonzero(Call& c, const Tensor& self) {
  const OpEntry& op = c.op();
  const Tensor& result = op.rule.function(c, op.rule.params).tensor();
  return c.call<"aten::new_empty_strided">(self, result.sizes(), result.strides(), DType::kInt64,
                                           nullptr, nullptr, false);
}

Value cat(Call& c, TensorList tensors, int64_t dim) {
  c.check_as(ErrorKind::kValueError, !tensors.empty(),
             "cat expects at least one tensor, but received zero!");
  const Promoted types(c, tensors.values(), Promotion::kNoOpmath);
  SmallVector<Value, 8> parts;
  for (const Value& tensor : tensors.values()) parts.push_back(types.cast(tensor));
  // One-dimensional tensors of size 0 go with tensors of any rank, and are left out.
  const Tensor* like = &parts[0].tensor();
  for (const Value& part : parts) {
    if (part.tensor().dim() != 1) {
      like = &part.tensor();
      break;
    }
  }
  SmallVector<Value, 8> filtered;
  for (const Value& part : parts) {
    if (part.tensor().dim() == like->dim()) filtered.push_back(part);
  }
  if (filtered.empty()) filtered.push_back(parts[0]);
  const Value joined = c.call<"prims::cat">(c.list(filtered.span()), wrap_dim(dim, like->dim()));
  MemoryFormat format = suggest_memory_format(parts[0].tensor());
  for (const Value& part : parts) {
    if (suggest_memory_format(part.tensor()) != format) format = MemoryFormat::kContiguous;
  }
  return c.call<"aten::clone">(joined, format);
}

Value stack(Call& c, TensorList tensors, int64_t dim) {
  c.check_as(ErrorKind::kAssertionError, !tensors.empty(), "stack expects a non-empty TensorList");
  const Tensor& first = tensors[0];
  const int64_t at = wrap_dim(dim, first.dim() + 1);
  if (at < first.dim()) {
    DimVector sizes(first.sizes());
    sizes.insert(static_cast<size_t>(at), static_cast<int64_t>(tensors.size()));
    return c.call<"aten::view">(c.call<"aten::cat">(tensors, at), sizes);
  }
  SmallVector<Value, 8> parts;
  for (const Value& tensor : tensors.values())
    parts.push_back(c.call<"aten::unsqueeze">(tensor, at));
  return c.call<"aten::cat">(c.list(parts.span()), dim);
}

// clang-format off
constexpr StepsDef kFactorySteps[] = {
    {"aten::_to_copy", rule<&to_copy>()},
    {"aten::arange", rule<&arange>()},
    {"aten::arange.start", rule<&arange_start>()},
    {"aten::arange.start_step", rule<&arange_step>(), Taken::kSymbols},
    {"aten::cat", rule<&cat>()},
    {"aten::clone", rule<&clone>(), Taken::kSymbols},
    {"aten::empty_like", rule<&empty_like>(), Taken::kSymbols},
    {"aten::new_empty", rule<&new_empty>(), Taken::kSymbols},
    {"aten::new_empty_strided", rule<&new_empty_strided>(), Taken::kSymbols},
    {"aten::new_full", rule<&filled>(), Taken::kSymbols},
    {"aten::new_ones", rule<&new_ones>(), Taken::kSymbols},
    {"aten::new_zeros", rule<&new_zeros>(), Taken::kSymbols},
    {"aten::nonzero", rule<&nonzero>(), Taken::kAll},
    {"aten::ones", rule<&filled_new<1>>(), Taken::kNobody},
    {"aten::ones_like", rule<&ones_like>(), Taken::kSymbols},
    {"aten::stack", rule<&stack>()},
    {"aten::zeros", rule<&filled_new<0>>(), Taken::kNobody},
    {"aten::zeros_like", rule<&zeros_like>(), Taken::kNobody},
};
// clang-format on

}  // namespace
}  // namespace steps_of_factory

std::span<const StepsDef> factory_steps() { return steps_of_factory::kFactorySteps; }

}  // namespace faketensor
