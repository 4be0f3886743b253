// Questions about a tensor or a dtype whose answer is no tensor.
#include <algorithm>

#include "core/ops/families/pointwise.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_query {
namespace {

template <bool answer>
bool always(Call&) {
  return answer;
}
template <int64_t answer>
int64_t constant(Call&) {
  return answer;
}

// --- geometry ---

// The overloads that answer SymInt give symbols; the others are C++'s sizes(), strides(), size(dim)
// and stride(dim), which ask for the numbers of all dimensions.
Value sym_sizes(Call& c, const Tensor& self) { return c.context().make_ints(self.sizes()); }
Value sym_strides(Call& c, const Tensor& self) { return c.context().make_ints(self.strides()); }
Value numbers(Call& c, Dims dims) {
  DimVector result;
  for (const SymInt dim : dims) result.push_back(guard_int(dim));
  return c.context().make_ints(result);
}
Value sizes(Call& c, const Tensor& self) { return numbers(c, self.sizes()); }
Value strides(Call& c, const Tensor& self) { return numbers(c, self.strides()); }
SymInt size(Call&, const Tensor& self, int64_t dim) {
  const SymInt length = self.size(dim);
  specialize_sizes(self);
  return guard_int(length);
}
SymInt stride(Call&, const Tensor& self, int64_t dim) {
  const SymInt step = self.stride(dim);
  specialize_sizes(self.strides());
  return guard_int(step);
}
// TensorImpl::numel, which unlike sym_numel refuses symbols.
SymInt numel(Call& c, const Tensor& self) {
  c.check(!self.meta->has_symbols(), "Cannot call numel() on tensor with symbolic sizes/strides");
  return self.numel();
}
SymInt storage_offset(Call& c, const Tensor& self) {
  c.check(!self.meta->has_symbols(),
          "Cannot call storage_offset() on tensor with symbolic sizes/strides");
  return self.offset();
}
int64_t dim(Call&, const Tensor& self) { return self.dim(); }

// These ask for an answer: where only data can tell, they raise GuardOnDataDependentSymNode.
bool is_contiguous(Call&, const Tensor& self) { return guard_bool(self.sym_is_contiguous()); }
bool is_contiguous_as(Call&, const Tensor& self, MemoryFormat format) {
  return guard_bool(self.sym_is_contiguous(format));
}
bool is_dense(Call&, const Tensor& self) {
  return guard_bool(self.meta->fact(kNonOverlappingAndDense));
}
bool is_strides_like(Call&, const Tensor& self, MemoryFormat format) {
  if (format == MemoryFormat::kChannelsLast) return self.meta->has(kChannelsLastStrides);
  if (format == MemoryFormat::kChannelsLast3d) return self.meta->has(kChannelsLast3dStrides);
  return false;
}

// Mirrors has_internal_overlap, aten/src/ATen/MemoryOverlap.cpp: no, yes, too hard to tell, which
// is what it says of unbacked strides.
int64_t internal_overlap(Call&, const Tensor& self) {
  const bool has_hints = std::all_of(self.strides().begin(), self.strides().end(),
                                     [](SymInt stride) { return hint(stride).has_value(); });
  if (has_hints && self.is_non_overlapping_and_dense()) return 0;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (guard_or_false(self.sizes()[i] > 1) &&
        guard_or_false(self.stride(static_cast<int64_t>(i)) == 0))
      return 1;
  }
  return 2;
}

bool is_same_size(Call&, const Tensor& self, const Tensor& other) {
  return guard_equal(self.sizes(), other.sizes());
}

bool has_same_storage_numel(Call&, const Tensor& self, const Tensor& other) {
  const auto elements = [](const Tensor& tensor) {
    return floor_div(tensor.storage->nbytes, itemsize(tensor.dtype()));
  };
  return guard_bool(elements(self) == elements(other));
}

// Mirrors TensorImpl::has_compatible_shallow_copy_type: strided tensors of the CPU and of GPUs
// fit each other; `meta` is none of these backends.
bool has_compatible_type(Call&, const Tensor& self, const Tensor& from) {
  const auto is_meta = [](const Tensor& tensor) {
    return tensor.device().type == DeviceType::kMeta;
  };
  return self.layout() == from.layout() && is_meta(self) == is_meta(from);
}

int64_t version(Call&, const Tensor& self) {
  return self.storage == nullptr ? 0 : self.storage->version;
}

// --- layout, device and dtype ---

int64_t sparse_dim(Call&, const Tensor& self) {
  return self.meta->sparse() == nullptr ? 0 : self.meta->sparse()->sparse_dim;
}
int64_t dense_dim(Call&, const Tensor& self) {
  return self.meta->sparse() == nullptr ? self.dim() : self.meta->sparse()->dense_dim;
}
bool is_coalesced(Call& c, const Tensor& self) {
  c.check(self.layout() == Layout::kSparseCoo,
          "is_coalesced expected sparse coordinate tensor layout but got Strided");
  return self.meta->has(kCoalesced);
}

int64_t get_device(Call&, const Tensor& self) {
  return self.device().type == DeviceType::kCUDA ? self.device().index : -1;
}
bool is_complex_tensor(Call&, const Tensor& self) { return is_complex(self.dtype()); }
bool is_floating_tensor(Call&, const Tensor& self) { return is_floating(self.dtype()); }
bool is_signed_tensor(Call&, const Tensor& self) {
  const DType dtype = self.dtype();
  const bool is_unsigned = is_bool(dtype) || dtype == DType::kUInt8 ||
                           (dtype >= DType::kUInt16 && dtype <= DType::kUInt64) ||
                           dtype == DType::kFloat8E8M0FNU;
  return !is_unsigned;
}
bool is_conj(Call&, const Tensor& self) { return self.is_conj(); }
bool is_neg(Call&, const Tensor& self) { return self.is_neg(); }

bool uses_cudnn(Call& c) { return c.target().cudnn != 0; }
// Mirrors cudnn_is_acceptable, aten/src/ATen/native/Convolution.cpp.
bool cudnn_is_acceptable(Call& c, const Tensor& self) {
  return c.target().cudnn_enabled && c.target().cudnn != 0 &&
         self.device().type == DeviceType::kCUDA && guard_bool(self.numel() != 0);
}

// --- promotion: dtypes are answered by c10's number ---

int64_t number_of(DType dtype) { return static_cast<int64_t>(dtype); }

bool can_cast_dtype(Call&, DType from, DType to) { return can_cast(from, to); }
int64_t promote(Call&, DType a, DType b) { return number_of(promote_types(a, b)); }
int64_t promote_operands(Call& c, const Value&, const Value&) {
  return number_of(result_type(c, c.args()));
}

// --- reductions to one answer ---

Value is_all_true(Call& c, const Tensor& self) { return c.call<"aten::all">(self); }
Value is_any_true(Call& c, const Tensor& self) { return c.call<"aten::any">(self); }

// clang-format off
constexpr OpDef kQueryRules[] = {
    {"aten::_debug_has_internal_overlap(Tensor self) -> int", rule<&internal_overlap>(), kComposite},
    {"aten::_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool", rule<&has_compatible_type>(), kComposite},
    {"aten::_has_same_storage_numel(Tensor self, Tensor other) -> bool", rule<&has_same_storage_numel>(), kByCompositeExplicit},
    {"aten::_is_all_true(Tensor self) -> Tensor", rule<&is_all_true>(), kByCompositeExplicit},
    {"aten::_is_any_true(Tensor self) -> Tensor", rule<&is_any_true>(), kByCompositeExplicit},
    {"aten::_is_zerotensor(Tensor self) -> bool", rule<&always<false>>(), kComposite},
    {"aten::_use_cudnn_rnn_flatten_weight() -> bool", rule<&uses_cudnn>(), kComposite},
    {"aten::_version(Tensor self) -> int", rule<&version>(), kComposite},
    {"aten::can_cast(ScalarType from_, ScalarType to) -> bool", rule<&can_cast_dtype>(), kComposite},
    {"aten::cudnn_is_acceptable(Tensor self) -> bool", rule<&cudnn_is_acceptable>(), kComposite},
    {"aten::dense_dim(Tensor self) -> int", rule<&dense_dim>(), kAnyLayout | kByCompositeExplicit},
    {"aten::dim(Tensor self) -> int", rule<&dim>(), kComposite},
    {"aten::get_device(Tensor self) -> int", rule<&get_device>(), kComposite},
    {"aten::is_coalesced(Tensor self) -> bool", rule<&is_coalesced>(), kAnyLayout | kByCompositeExplicit},
    {"aten::is_complex(Tensor self) -> bool", rule<&is_complex_tensor>(), kComposite},
    {"aten::is_conj(Tensor self) -> bool", rule<&is_conj>(), kComposite},
    {"aten::is_contiguous(Tensor self) -> bool", rule<&is_contiguous>(), kComposite},
    {"aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool", rule<&is_contiguous_as>(), kComposite},
    {"aten::is_distributed(Tensor self) -> bool", rule<&always<false>>(), kComposite},
    {"aten::is_floating_point(Tensor self) -> bool", rule<&is_floating_tensor>(), kComposite},
    {"aten::is_inference(Tensor self) -> bool", rule<&always<false>>(), kComposite},
    {"aten::is_leaf(Tensor self) -> bool", rule<&always<true>>(), kComposite},
    {"aten::is_neg(Tensor self) -> bool", rule<&is_neg>(), kComposite},
    {"aten::is_non_overlapping_and_dense(Tensor self) -> bool", rule<&is_dense>(), kComposite},
    {"aten::is_pinned(Tensor self, Device? device=None) -> bool", rule<&always<false>>(), kByFakeImpl},
    {"aten::is_same_size(Tensor self, Tensor other) -> bool", rule<&is_same_size>(), kByDecomp},
    {"aten::is_signed(Tensor self) -> bool", rule<&is_signed_tensor>(), kComposite},
    {"aten::is_strides_like_format(Tensor self, MemoryFormat memory_format) -> bool", rule<&is_strides_like>(), kComposite},
    {"aten::numel(Tensor self) -> int", rule<&numel>(), kComposite},
    {"aten::output_nr(Tensor self) -> int", rule<&constant<0>>(), kComposite},
    {"aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType", rule<&promote>(), kComposite},
    {"aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType", rule<&promote_operands>(), kComposite},
    {"aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType", rule<&promote_operands>(), kComposite},
    {"aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType", rule<&promote_operands>(), kComposite},
    {"aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType", rule<&promote_operands>(), kComposite},
    {"aten::retains_grad(Tensor self) -> bool", rule<&always<false>>(), kComposite},
    {"aten::size(Tensor self) -> int[]", rule<&sizes>(), kComposite},
    {"aten::size.int(Tensor self, int dim) -> int", rule<&size>(), kComposite},
    {"aten::sparse_dim(Tensor self) -> int", rule<&sparse_dim>(), kAnyLayout | kByCompositeExplicit},
    {"aten::storage_offset(Tensor self) -> int", rule<&storage_offset>(), kComposite},
    {"aten::stride(Tensor self) -> int[]", rule<&strides>(), kComposite},
    {"aten::stride.int(Tensor self, int dim) -> int", rule<&stride>(), kComposite},
    {"aten::sym_size(Tensor self) -> SymInt[]", rule<&sym_sizes>(), kComposite},
    {"aten::sym_stride(Tensor self) -> SymInt[]", rule<&sym_strides>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_query

std::span<const OpDef> query_rules() { return rules_of_query::kQueryRules; }

}  // namespace faketensor
