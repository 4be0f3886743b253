// The other forms of view operators: in place (x.transpose_(0, 1) gives x other metadata) and as
// copies (transpose_copy is transpose, then a contiguous clone).
#include <algorithm>
#include <optional>

#include "core/ops/derived.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/reduction.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_view_variants {
namespace {

Value itself(Call&, const Tensor& self) { return self; }

// squeeze_ and, without the Python dispatcher, squeeze_copy are C++ kernels: they guard on each
// size that they may drop, where the reference of squeeze only asks what is known. A list of
// dimensions is a bit each.
void guard_on_squeezed(Call& c) {
  const Tensor& self = c.arg(0).tensor();
  SmallVector<bool, 16> asked(self.sizes().size(), true);
  if (c.args().size() > 1) {
    const Value& dim = c.arg(1);
    if (dim.is_list()) check_bitset_rank(c, self.dim());
    const SymInt one = dim.is_list() ? SymInt(0) : dim.as_sym_int();
    asked = dim_flags(c, dim.is_list() ? dim.ints() : Dims(&one, 1), self.dim());
  }
  for (size_t i = 0; i < self.sizes().size(); ++i)  // none, though a dimension may be named
    if (asked[i]) (void)guard_bool(self.sizes()[i] != 1);
}

template <FixedString view>
consteval Rule squeeze_in_place() {
  return {[](Call& c, uint64_t) {
    static const OpId kOp = Registry::builtin().find(view.view());
    guard_on_squeezed(c);
    std::optional<KernelScope> scope;
    if (!has_symbolic_sizes(c.arg(0).tensor())) scope.emplace(c.context());
    return view_in_place(c, kOp);
  }};
}
template <FixedString view>
consteval Rule squeeze_copy() {
  return {[](Call& c, uint64_t) {
    static const OpId kOp = Registry::builtin().find(view.view());
    if (!c.context().python_dispatcher) guard_on_squeezed(c);
    return copies_of_views(c, kOp);
  }};
}

// Mirrors as_strided__symint, aten/src/ATen/native/TensorShape.cpp. Unlike as_strided it holds the
// new geometry against the storage.
Value as_strided_in_place(Call& c, Tensor& self, Dims size, Dims stride,
                          std::optional<SymInt> storage_offset) {
  const SymInt held = self.storage->nbytes;
  const SymInt offset = storage_offset.value_or(self.offset());
  const Tensor& view = c.tensor<"aten::as_strided">(self, size, stride, offset);
  self.storage->nbytes = held;
  const SymInt needed = storage_bytes(size, stride, offset, self.dtype());
  c.check(
      !guard_or_false(needed > held),
      "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage "
      "size of {} are out of bounds for storage of size {}",
      size, stride, offset, itemsize(self.dtype()), needed, held);
  self.meta = view.meta;
  return self;
}

// Mirrors t_, torch/_meta_registrations.py.
Value t_in_place(Call& c, Tensor& self) {
  c.check_as(ErrorKind::kAssertionError, self.dim() <= 2,
             "t_ expects a tensor with <= 2 dimensions, but self is {}D", self.dim());
  return c.call<"aten::transpose_">(self, 0, self.dim() < 2 ? 0 : 1);
}

Value swapped_in_place(Call& c, Tensor& self, int64_t dim0, int64_t dim1) {
  return c.call<"aten::transpose_">(self, dim0, dim1);
}

// Three copies run C++ kernels that check their dimension where the views' rules do not.
Value slice_copy(Call& c, const Tensor& self) {
  c.check_as(ErrorKind::kIndexError, self.dim() != 0,
             "slice() cannot be applied to a 0-dim tensor.");
  return copies_of_views(c, Registry::builtin().find("aten::slice.Tensor"));
}
Value select_copy(Call& c, const Tensor& self, int64_t dim) {
  if (self.dim() != 0) wrap_dim(dim, self.dim());
  return copies_of_views(c, Registry::builtin().find("aten::select.int"));
}
// Mirrors split_with_sizes_copy, torch/_decomp/decompositions.py: with out=, as many parts are
// written as there are tensors.
Value split_with_sizes_copy(Call& c, const Tensor& self, const Value& sizes, const Value& dim) {
  if (c.op().output_count == 0)
    return copies_of_views(c, Registry::builtin().find("aten::split_with_sizes"));
  const Value parts = c.call<"aten::split_with_sizes">(self, sizes, dim);
  const TensorList outs(c.args().back());
  for (size_t i = 0; i < std::min(outs.size(), parts.size()); ++i) {
    const Tensor& part = parts[i].tensor();
    resize_output(c.context(), outs[i], part.sizes());
    c.check(part.device() == outs[i].device(),
            "Attempting to copy from device {} to device {}, but cross-device copies are not "
            "allowed!",
            part.device(), outs[i].device());
    c.check(part.dtype() == outs[i].dtype(),
            "Expected out tensor to have dtype {} but got {} instead", part.dtype(),
            outs[i].dtype());
  }
  return {};
}
// _reshape_alias takes what as_strided refuses: negative strides, under which nothing is read.
Value reshape_alias_copy(Call& c, const Tensor& self, Dims size, Dims stride) {
  const bool is_negative = std::any_of(stride.begin(), stride.end(),
                                       [](SymInt along) { return guard_or_false(along < 0); });
  if (is_negative) return c.empty(size, self.dtype());
  return copies_of_views(c, Registry::builtin().find("aten::as_strided"));
}
// Its out= overload (aten/src/ATen/native/TensorShape.cpp) copies to tensors as they are.
Value split_copy(Call& c, const Tensor& self, const Value& split_size, const Value& dim) {
  c.check(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  if (c.op().output_count == 0)
    return copies_of_views(c, Registry::builtin().find("aten::split.Tensor"));
  const Value parts = c.call<"aten::split.Tensor">(self, split_size, dim);
  const TensorList outs(c.args().back());
  c.check(outs.size() == parts.size(),
          "split_copy_Tensor_out() expected an out= argument of size {}, got size {}", parts.size(),
          outs.size());
  for (size_t i = 0; i < outs.size(); ++i) check_fits(c, outs[i], parts[i].tensor().sizes());
  return Value();
}

// Mirrors _autocast_to_full_precision and _autocast_to_reduced_precision,
// aten/src/ATen/native/AutogradComposite.cpp and TensorConversions.cpp.
bool is_autocast(const Tensor& self, bool cuda_enabled, bool cpu_enabled) {
  return (self.device().is_cuda() && cuda_enabled) || (self.device().is_cpu() && cpu_enabled);
}
Value autocast_to_full(Call& c, const Tensor& self, bool cuda_enabled, bool cpu_enabled) {
  const bool is_reduced = self.dtype() == DType::kFloat16 || self.dtype() == DType::kBFloat16;
  if (!is_reduced || !is_autocast(self, cuda_enabled, cpu_enabled)) return self;
  return c.call<"aten::to.dtype">(self, DType::kFloat32);
}
Value autocast_to_reduced(Call& c, const Tensor& self, bool cuda_enabled, bool cpu_enabled,
                          DType cuda_dtype, DType cpu_dtype) {
  if (self.dtype() != DType::kFloat32 || !is_autocast(self, cuda_enabled, cpu_enabled)) return self;
  return c.call<"aten::to.dtype">(self, self.device().is_cuda() ? cuda_dtype : cpu_dtype);
}

// Mirrors nested_tensors_unsupported, torch/_subclasses/fake_impls.py.
Value nested_unsupported(Call& c) { c.fail(ErrorKind::kUnsupportedOperator, c.op().python_name()); }

// Forward-mode differentiation, at whose level 0 no dual tensor was made
// (aten/src/ATen/native/AutogradComposite.cpp, torch/csrc/autograd/VariableTypeManual.cpp).
Tensor* fw_primal(Call& c, const Tensor& self) { return c.alias(self); }
Value make_dual(Call& c, const Tensor&, const Tensor&, int64_t level) {
  c.check(level == 0, "Invalid level given to _make_dual");
  c.fail(ErrorKind::kRuntimeError,
         "Trying to access a forward AD level with an invalid index. This index was either not "
         "created or is already deleted.");
}
Value unpack_dual(Call& c, const Tensor& dual) { return c.tuple({c.alias(dual), nullptr}); }

// A view of two tensors, which FakeTensorMode does not expect (get_view_op_arg).
Value slice_inverse(Call& c) {
  c.fail(ErrorKind::kAssertionError, "Expected exactly one tensor arg for view op, got 2");
}

// Mirrors narrow_tensor_symint, aten/src/ATen/native/TensorShape.cpp.
Value narrow_from(Call& c, const Tensor& self, int64_t dim, const Tensor& start, SymInt length) {
  c.check(start.dim() == 0 && is_integral(start.dtype()),
          "start must be an 0-dim integral Tensor.");
  return c.call<"aten::narrow">(self, dim, c.call<"aten::item">(start), length);
}

// The C++ kernel of expand asks for strides() and then sizes(), and takes its size as numbers.
Value expand_copy(Call& c, const Tensor& self, Dims size) {
  if (!c.context().python_dispatcher) {
    for (const SymInt length : size) guard_int(length);
    specialize_sizes(self.strides());
    specialize_sizes(self);
  }
  return copies_of_views(c, Registry::builtin().find("aten::expand"));
}

// That of narrow checks before slice asks for sizes().
Value narrow_copy(Call& c, const Tensor& self, int64_t dim, SymInt start, SymInt length) {
  static const OpId kNarrow = Registry::builtin().find("aten::narrow");
  if (has_symbolic_sizes(c) && self.dim() > 0 && !c.context().python_dispatcher) {
    const SymInt size = self.size(dim);
    c.check(length >= 0, "narrow(): length must be non-negative.");
    check_narrow_start(c, start, size);
    const SymInt from = guard_or_false(start < 0) ? start + size : start;
    c.check(from <= size - length, "start ({}) + length ({}) exceeds dimension size ({}).", from,
            length, size);
    specialize_sizes(self);
    c.check(false, "Cannot call storage_offset() on tensor with symbolic sizes/strides");
  }
  return copies_of_views(c, kNarrow);
}

// clang-format off
constexpr OpDef kViewVariantRules[] = {
    {"aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)", rule<&autocast_to_full>(), kView | kComposite},
    {"aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor(a)", rule<&autocast_to_reduced>(), kView | kComposite},
    {"aten::_conj_copy(Tensor self) -> Tensor", copy_of<"aten::_conj">(), kByCompositeExplicit | kRealDerivative},
    {"aten::_fw_primal(Tensor(a) self, int level) -> Tensor(a)", rule<&fw_primal>(), kView | kByCompositeExplicit},
    {"aten::_make_dual(Tensor(a) primal, Tensor tangent, int level) -> Tensor(a)", rule<&make_dual>(), kView | kByCompositeExplicit},
    {"aten::_neg_view_copy(Tensor self) -> Tensor", copy_of<"aten::_neg_view">(), kByCompositeExplicit | kRealDerivative},
    {"aten::_nested_view_from_buffer(Tensor(a) self, Tensor nested_size, Tensor nested_strides, Tensor offsets) -> Tensor(a)", rule<&nested_unsupported>(), kView | kByFakeImpl},
    {"aten::_nested_view_from_buffer_copy(Tensor self, Tensor nested_size, Tensor nested_strides, Tensor offsets) -> Tensor", rule<&nested_unsupported>(), kByFakeImpl},
    {"aten::_reshape_alias_copy(Tensor self, SymInt[] size, SymInt[] stride) -> Tensor", rule<&reshape_alias_copy>(), kByCompositeExplicit | kRealDerivative},
    {"aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor", copy_of<"aten::reshape">(), kByFakeImpl},
    {"aten::_unpack_dual(Tensor(a) dual, int level) -> (Tensor(a) primal, Tensor tangent)", rule<&unpack_dual>(), kView | kComposite},
    {"aten::alias_copy(Tensor self) -> Tensor", copy_of<"aten::alias">()},
    {"aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)", rule<&as_strided_in_place>(), kInplaceView | kByCompositeExplicit},
    {"aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor", copy_of<"aten::as_strided">()},
    {"aten::detach_(Tensor(a!) self) -> Tensor(a!)", rule<&itself>(), kInplaceView | kByCompositeExplicit | kDetaches},
    {"aten::detach_copy(Tensor self) -> Tensor", copy_of<"aten::detach">(), kByCompositeExplicit | kDetaches},
    {"aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", copy_of<"aten::diagonal">()},
    {"aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor", rule<&expand_copy>()},
    {"aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)", rule<&narrow_from>(), kView | kComposite},
    {"aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor", rule<&narrow_copy>()},
    {"aten::permute_copy(Tensor self, int[] dims) -> Tensor", copy_of<"aten::permute">(), kSpecializes},
    {"aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor", rule<&select_copy>(), kByCompositeExplicit | kRealDerivative},
    {"aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", rule<&slice_copy>(), kByCompositeExplicit | kRealDerivative},
    {"aten::slice_inverse(Tensor(a) self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)", rule<&slice_inverse>(), kView | kByCompositeExplicit | kRealDerivative},
    {"aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", rule<&split_copy>(), kByCompositeExplicit | kRealDerivative},
    {"aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", rule<&split_with_sizes_copy>(), kByDecomp | kRealDerivative},
    {"aten::squeeze_(Tensor(a!) self) -> Tensor(a!)", squeeze_in_place<"aten::squeeze">(), kInplaceView | kByCompositeExplicit},
    {"aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)", squeeze_in_place<"aten::squeeze.dim">(), kInplaceView | kByCompositeExplicit},
    {"aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)", squeeze_in_place<"aten::squeeze.dims">(), kInplaceView | kByCompositeExplicit},
    {"aten::squeeze_copy(Tensor self) -> Tensor", squeeze_copy<"aten::squeeze">()},
    {"aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor", squeeze_copy<"aten::squeeze.dim">()},
    {"aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor", squeeze_copy<"aten::squeeze.dims">()},
    {"aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)", rule<&swapped_in_place>(), kComposite | kInplaceView},
    {"aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)", rule<&swapped_in_place>(), kComposite | kInplaceView},
    {"aten::t_(Tensor(a!) self) -> Tensor(a!)", rule<&t_in_place>(), kInplaceView},
    {"aten::t_copy(Tensor self) -> Tensor", copy_of<"aten::t">()},
    {"aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)", in_place<"aten::transpose.int">(), kInplaceView},
    {"aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor", copy_of<"aten::transpose.int">()},
    {"aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", copy_of<"aten::unbind.int">(), kSpecializes},
    {"aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", copy_of<"aten::unfold">(), kSpecializes | kByRef},
    {"aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)", in_place<"aten::unsqueeze">(), kInplaceView},
    {"aten::unsqueeze_copy(Tensor self, int dim) -> Tensor", copy_of<"aten::unsqueeze">()},
    {"aten::view_as_complex_copy(Tensor self) -> Tensor", copy_of<"aten::view_as_complex">(), kByCompositeExplicit | kRealDerivative},
    {"aten::view_as_real_copy(Tensor self) -> Tensor", copy_of<"aten::view_as_real">(), kByCompositeExplicit | kRealDerivative},
    {"aten::view_copy(Tensor self, SymInt[] size) -> Tensor", copy_of<"aten::reshape">(), kByFakeImpl},
    {"aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", copy_of<"aten::view.dtype">()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_view_variants

std::span<const OpDef> view_variant_rules() { return rules_of_view_variants::kViewVariantRules; }

}  // namespace faketensor
