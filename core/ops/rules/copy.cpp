// Copies, casts, moves between devices, and writes into a tensor as a whole.
#include "core/ops/families/copy.h"

#include <algorithm>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/expand.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/into.h"
#include "core/ops/families/list_out.h"
#include "core/ops/families/memory_overlap.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_copy {
namespace {

using Format = std::optional<MemoryFormat>;

Tensor* clone(Call& c, const Tensor& self, Format format) {
  if (format.value_or(MemoryFormat::kPreserve) == MemoryFormat::kPreserve) {
    return empty_as_cloned(c, self, self.dtype(), self.device());
  }
  return c.empty_like(self, {}, *format);
}

Value contiguous(Call& c, const Tensor& self, MemoryFormat format) {
  if (self.is_contiguous(format)) return self;
  c.check(format != MemoryFormat::kPreserve,
          "preserve memory format is unsupported by the contiguous operator");
  return c.call<"aten::clone">(self, format);
}

// What `to` and its kin ask for; absent is "as it is".
struct Conversion {
  std::optional<DType> dtype;
  std::optional<Device> device;
  Format format;
};

// Mirrors _to_copy, torch/_decomp/decompositions.py: a change of device keeps the strides as they
// are, one of dtype makes them dense, and what is left of a request for nothing is the tensor
// itself.
Value converted(Call& c, const Tensor& self, const Conversion& to) {
  if (!to.dtype && !to.device && !to.format) return clone(c, self, {});
  const Tensor* result = &self;
  const auto change_dtype = [&] {
    if (!to.dtype) return;
    const bool keeps = is_non_overlapping_and_dense_or_false(result->sizes(), result->strides());
    const DimVector strides = keeps ? DimVector(result->strides())
                                    : dense_strides_like(result->sizes(), result->strides());
    result = c.context().empty(result->sizes(), *to.dtype, result->device(), strides);
  };
  const bool to_cpu = to.device && to.device->is_cpu();
  const bool moves = to.device && *to.device != self.device();
  if (moves && to_cpu) change_dtype();
  if (moves) {
    result = c.context().empty(self.sizes(), result->dtype(), to.device->normalized(),
                               result->strides());
  }
  if (!moves || !to_cpu) change_dtype();
  return to.format ? c.call<"aten::clone">(*result, *to.format) : Value(*result);
}

Value to_copy(Call& c, const Tensor& self, std::optional<DType> dtype, std::optional<Layout> layout,
              std::optional<Device> device, std::optional<bool> pin_memory, bool, Format format) {
  c.check_as(ErrorKind::kAssertionError, layout.value_or(Layout::kStrided) == Layout::kStrided,
             "layout must be None or torch.strided, got {}", layout.value_or(Layout::kStrided));
  c.check_as(ErrorKind::kAssertionError, !pin_memory.value_or(false),
             "pin_memory=True is not supported in _to_copy decomposition");
  return converted(c, self, {dtype, device, format});
}

// Mirrors to_impl, aten/src/ATen/native/TensorConversions.cpp: the very tensor where nothing
// changes.
Value to(Call& c, const Tensor& self, const Conversion& to, bool copy) {
  const MemoryFormat format = to.format.value_or(MemoryFormat::kPreserve);
  const bool same = !copy && to.dtype.value_or(self.dtype()) == self.dtype() &&
                    to.device.value_or(self.device()).normalized() == self.device() &&
                    (format == MemoryFormat::kPreserve || tensor_memory_format(self) == format);
  if (same) return self;
  std::optional<Device> device = to.device;
  if (device) device = device->normalized();
  return c.call<"aten::_to_copy">(self, to.dtype, nullptr, device, nullptr, false, to.format);
}

Value to_dtype(Call& c, const Tensor& self, DType dtype, bool, bool copy, Format format) {
  return to(c, self, {dtype, {}, format}, copy);
}
Value to_device(Call& c, const Tensor& self, Device device, DType dtype, bool, bool copy,
                Format format) {
  return to(c, self, {dtype, device, format}, copy);
}
Value to_dtype_layout(Call& c, const Tensor& self, std::optional<DType> dtype,
                      std::optional<Layout> layout, std::optional<Device> device,
                      std::optional<bool>, bool, bool copy, Format format) {
  if (layout && *layout != self.layout())
    return c.call<"aten::_to_copy">(self, dtype, *layout, device, nullptr, false, format);
  return to(c, self, {dtype, device, format}, copy);
}
Value to_other(Call& c, const Tensor& self, const Tensor& other, bool, bool copy, Format format) {
  return to(c, self, {other.dtype(), other.device(), format}, copy);
}
template <DType dtype>
Value cast_as(Call& c, const Tensor& self) {
  return to(c, self, {dtype, {}, {}}, false);
}
Value type_as(Call& c, const Tensor& self, const Tensor& other) {
  return to(c, self, {other.dtype(), other.device(), {}}, false);
}

Value to_cpu(Call& c, TensorList tensors) {
  SmallVector<Value, 8> results;
  for (size_t i = 0; i < tensors.size(); ++i) {
    results.push_back(to(c, tensors[i], {tensors[i].dtype(), Device{}, {}}, false));
  }
  return c.list(results.span());
}

bool has_unbacked_size(const Tensor& tensor) {
  return std::any_of(tensor.sizes().begin(), tensor.sizes().end(),
                     [](SymInt size) { return !hint(size).has_value(); });
}

// Mirrors meta_copy_, torch/_meta_registrations.py.
void check_copied(Call& c, const Tensor& self, const Tensor& src) {
  c.check(has_unbacked_size(self) || !has_internal_overlap(self),
          "more than one element of the written-to tensor refers to a single memory location");
  const Tensor& cast = *cast_to(c, src, self.dtype());
  broadcast_strides(c, cast, expanded_sizes(c, cast, self.sizes()));
}

// Mirrors copy_meta_, aten/src/ATen/native/Copy.cpp, in whose place Python's meta function comes
// under the Python dispatcher; the source may be on any device.
Value copy_in_place(Call& c, Tensor& self, const Tensor& src) {
  if (c.context().python_dispatcher) {
    check_copied(c, self, src);
  } else {
    check_fits(c, self, src.sizes());
  }
  return self;
}
// Its out= overload may be on any device too (multi_device_op_out,
// torch/_subclasses/fake_impls.py).
Value copy(Call& c, const Tensor& self, const Tensor& src) {
  check_fits(c, self, src.sizes());
  if (output_of(c) == nullptr) {
    // Under the Python dispatcher a decomposition answers, with torch.empty_strided.
    Context& context = c.context();
    return context.python_dispatcher
               ? Value(context.empty(self.sizes(), self.dtype(), self.device(), self.strides()))
               : Value(clone_preserve_strides(c, self));
  }
  const Value out = *output_of(c);
  const Value result = self;
  write_copies(c, TensorList(Value::list({&out, 1})), TensorList(Value::list({&result, 1})));
  return out;
}

// --- filling ---

void check_fill(const Call& c, const Value& value) {
  if (!value.is_tensor()) return;
  c.check(value.tensor().dim() == 0,
          "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
          value.tensor().dim());
}
// Mirrors meta_fill_ and meta_fill, torch/_meta_registrations.py.
Value fill_in_place(Call& c, Tensor& self, const Value& value) {
  check_fill(c, value);
  return written(c, self);
}
Tensor* fill(Call& c, const Tensor& self, const Value& value) {
  check_fill(c, value);
  (void)c.device();
  return c.empty_like(self);
}
Value zero_in_place(Call&, Tensor& self) { return self; }
Tensor* zero(Call& c, const Tensor& self) { return c.empty_like(self); }

// Mirrors fill_diagonal_, aten/src/ATen/native/Fill.cpp.
Value fill_diagonal(Call& c, Tensor& self) {
  c.check(self.dim() >= 2, "dimensions must larger than 1");
  for (const SymInt size : self.sizes()) {
    c.check(self.dim() == 2 || guard_bool(size == self.sizes()[0]),
            "all dimensions of input must be of equal length");
  }
  return self;
}

// A tensor literal of the program, new to autograd.
Value lift_fresh(Call& c, const Tensor& self) { return c.call<"aten::alias">(self); }
Tensor* lift_fresh_copy(Call& c, const Tensor& self) {
  return c.empty_like(self, {}, MemoryFormat::kContiguous);
}

Value pin_memory(Call& c, const Tensor&) {
  c.fail(ErrorKind::kAssertionError, "NYI: aten._pin_memory.default");
}

// clang-format off
constexpr OpDef kCopyRules[] = {
    {"aten::_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kUInt8>>(), kComposite},
    {"aten::_cast_Char(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kInt8>>(), kComposite},
    {"aten::_cast_Double(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kFloat64>>(), kComposite},
    {"aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kFloat32>>(), kComposite},
    {"aten::_cast_Half(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kFloat16>>(), kComposite},
    {"aten::_cast_Int(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kInt32>>(), kComposite},
    {"aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kInt64>>(), kComposite},
    {"aten::_cast_Short(Tensor self, bool non_blocking=False) -> Tensor", rule<&cast_as<DType::kInt16>>(), kComposite},
    {"aten::_pin_memory(Tensor self, Device? device=None) -> Tensor", rule<&pin_memory>(), kByFakeImpl | kRealDerivative},
    {"aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", rule<&to_copy>(), kByDecomp},
    {"aten::_to_cpu(Tensor[] tensors) -> Tensor[]", rule<&to_cpu>(), kComposite},
    {"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", rule<&clone>(), kByCompositeExplicit},
    {"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", rule<&contiguous>(), kView | kComposite},
    {"aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", rule<&copy>(), kByFakeImpl},
    {"aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)", rule<&copy_in_place>(), kByFakeImpl},
    {"aten::data(Tensor self) -> Tensor", rule<&lift_fresh>(), kView | kComposite},
    {"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", rule<&fill>()},
    {"aten::fill.Tensor(Tensor self, Tensor value) -> Tensor", rule<&fill>()},
    {"aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)", rule<&fill_in_place>()},
    {"aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)", rule<&fill_in_place>()},
    {"aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)", rule<&fill_diagonal>(), kComposite},
    {"aten::lift(Tensor self) -> Tensor", rule<&lift_fresh>(), kView | kByDecomp | kRealDerivative},
    {"aten::lift_fresh(Tensor(a) self) -> Tensor(a)", rule<&lift_fresh>(), kView | kByDecomp | kRealDerivative},
    {"aten::lift_fresh_copy(Tensor self) -> Tensor", rule<&lift_fresh_copy>(), kByCompositeExplicit | kRealDerivative},
    {"aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)", rule<&pin_memory>(), kComposite},
    {"aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", rule<&to_device>(), kView | kComposite},
    {"aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", rule<&to_dtype>(), kView | kComposite},
    {"aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", rule<&to_dtype_layout>(), kView | kComposite},
    {"aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", rule<&to_other>(), kView | kComposite},
    {"aten::type_as(Tensor self, Tensor other) -> Tensor", rule<&type_as>(), kView | kComposite},
    {"aten::zero(Tensor self) -> Tensor", rule<&zero>(), kRealDerivative},
    {"aten::zero_(Tensor(a!) self) -> Tensor(a!)", rule<&zero_in_place>(), kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_copy

std::span<const OpDef> copy_rules() { return rules_of_copy::kCopyRules; }

}  // namespace faketensor
