// Indexing: reading and writing at positions that a tensor or a slice tells.
#include "core/ops/families/indexing.h"

#include <algorithm>

#include "core/ops/derived.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/copy.h"
#include "core/ops/families/into.h"
#include "core/ops/families/memory_overlap.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_indexing {
namespace {

// An out= overload whose kernel is another than the functional one's: `answer` is asked for as on
// the meta device and written as torch._prims_common.wrappers.out_wrapper does.
template <typename Answer>
Value write_reference(Call& c, const Answer& answer) {
  const auto on_meta = [&] {
    const OnMeta scope(c.context(), c.args());
    return answer();
  };
  return write_result(c, *output_of(c), on_meta().tensor());
}

// `shape` broadcast with `sizes`; false where they do not fit.
bool broadcast_into(DimVector& shape, Dims sizes) {
  while (shape.size() < sizes.size()) shape.insert(0, 1);
  const size_t missing = shape.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    SymInt& size = shape[missing + i];
    if (guard_or_false(sizes[i] == 1) || guard_or_false(sizes[i] == size)) continue;
    if (!guard_or_false(size == 1)) return false;
    size = sizes[i];
  }
  return true;
}

// make_info, aten/src/ATen/native/TensorAdvancedIndexing.cpp, in the words of the C++ kernel.
void check_indices(const Call& c, const Tensor& self, TensorList indices) {
  constexpr ErrorKind kIndexError = ErrorKind::kIndexError;
  DimVector shape;
  std::string shapes;
  bool fit = true;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor* index = indices.at(i);
    if (index == nullptr) continue;
    const DType dtype = index->dtype();
    const bool selects = dtype == DType::kBool || dtype == DType::kUInt8;
    c.check_as(kIndexError, selects || dtype == DType::kInt64 || dtype == DType::kInt32,
               "tensors used as indices must be long, int, byte or bool tensors");
    if (selects) return;  // their shapes are data
    shapes += format("{}{}", shapes.empty() ? "" : ", ", index->sizes());
    fit = fit && broadcast_into(shape, index->sizes());
  }
  c.check_as(kIndexError, !indices.empty(), "at least one index must be provided");
  c.check_as(kIndexError, fit,
             "shape mismatch: indexing tensors could not be broadcast together with shapes {}",
             shapes);
  const auto is_zero = [](SymInt size) { return guard_or_false(size == 0); };
  if (std::any_of(shape.begin(), shape.end(), is_zero)) return;
  for (size_t i = 0; i < indices.size(); ++i) {
    c.check_as(kIndexError, indices.at(i) == nullptr || !is_zero(self.sizes()[i]),
               "index is out of bounds for dimension with size 0");
  }
}

// Mirrors TORCH_PRECOMPUTE_META_FUNC2(index, Tensor) of the same file.
Value index_into(Call& c, const Tensor& self, TensorList indices, Tensor& out) {
  c.check_as(ErrorKind::kIndexError, indices.size() <= static_cast<size_t>(self.dim()),
             "too many indices for tensor of dimension {} (got {})", self.dim(), indices.size());
  c.check(self.dtype() == out.dtype(),
          "index_out: self ({}) and result ({}) must have the same scalar type",
          info(self.dtype()).cpp_name, info(out.dtype()).cpp_name);
  check_no_internal_overlap(c, out);
  check_no_overlap(c, out, self);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices.at(i) != nullptr) check_no_overlap(c, out, *indices.at(i));
  }
  check_indices(c, self, indices);
  const auto answer = [&] {
    const OnMeta scope(c.context(), c.args());
    return indexed(c, self, indices);
  };
  const Tensor* result = answer();
  resize_output(c.context(), out, result->sizes(), result->strides());
  Call wrapping(c.context(), c.op(), c.args());
  return written(wrapping, out);
}

// Mirrors index_tensor, torch/_subclasses/fake_impls.py: the device of the indices does not matter.
Value index(Call& c, const Tensor& self, TensorList indices) {
  if (Tensor* out = output_of(c); out != nullptr) return index_into(c, self, indices, *out);
  return indexed(c, self, indices, self.device());
}
Tensor* unsafe_index(Call& c, const Tensor& self, TensorList indices) {
  return indexed(c, self, indices);
}

// Mirrors _unsafe_masked_index, torch/_decomp/decompositions.py.
Value unsafe_masked_index(Call& c, const Tensor& self, const Tensor& mask, TensorList indices,
                          const Value& fill) {
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor* index = indices.at(i);
    c.check(index == nullptr || index->dtype() == DType::kInt64 || index->dtype() == DType::kInt32,
            "tensors used as indices must be long or int tensors");
  }
  c.check(is_bool(mask.dtype()), "tensors used as masks must be bool tensors");
  if (guard_or_false(self.numel() == 0)) {
    return c.call<"aten::new_full">(self, indexed(c, self, indices, self.device())->sizes(), fill);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices.at(i) != nullptr) self.size(static_cast<int64_t>(i));
  }
  return c.call<"aten::masked_fill.Scalar">(c.tensor<"aten::_unsafe_index.Tensor">(self, indices),
                                            mask, fill);
}
Value unsafe_masked_index_put(Call& c, const Tensor& self, const Tensor& mask, TensorList indices,
                              const Tensor& values) {
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor* index = indices.at(i);
    c.check(index == nullptr || index->dtype() == DType::kInt64 || index->dtype() == DType::kInt32,
            "tensors used as indices must be long or int tensors");
  }
  c.check(is_bool(mask.dtype()), "tensors used as masks must be bool tensors");
  if (guard_bool(self.numel() == 0)) return c.call<"aten::clone">(self);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices.at(i) != nullptr) self.size(static_cast<int64_t>(i));
  }
  const Value masked = c.call<"aten::masked_fill.Scalar">(values, mask, 0);
  return c.call<"aten::_unsafe_index_put">(self, indices, masked, true);
}

// --- index_put ---

// Mirrors index_put_impl, torch/_subclasses/fake_impls.py: values of one element may come from any
// device, indices too.
void check_values(const Call& c, const Tensor& self, const Tensor& values) {
  c.check(self.device() == values.device() || values.dim() == 0,
          "Mismatching {} device between self ({}) and values ({})", c.op().python_name(),
          self.device(), values.device());
}
Tensor* index_put(Call& c, const Tensor& self, TensorList, const Tensor& values) {
  check_values(c, self, values);
  return c.empty_like(self);
}
Value index_put_in_place(Call& c, Tensor& self, TensorList, const Tensor& values) {
  check_values(c, self, values);
  return self;
}
Tensor* unsafe_index_put(Call& c, const Tensor& self) { return c.empty_like(self); }
Tensor* index_put_impl(Call& c, const Tensor& self) {
  return empty_as_cloned(c, self, self.dtype(), c.device());
}
Value write_in_place(Call& c, Tensor& self) { return written(c, self); }

// --- along one dimension ---

// Mirrors meta_index_select, torch/_meta_registrations.py.
DimVector selected_sizes(Call& c, const Tensor& self, int64_t dim, const Tensor& index) {
  DimVector sizes(self.sizes());
  if (self.dim() > 0) {
    c.check_as(ErrorKind::kIndexError, dim >= -self.dim() && dim < self.dim(),
               "list assignment index out of range");
    sizes[static_cast<size_t>(dim < 0 ? dim + self.dim() : dim)] = index.numel();
  }
  return sizes;
}
// Its out= overload is the reference, torch/_refs/__init__.py.
Value index_select(Call& c, const Tensor& self, int64_t dim, const Tensor& index) {
  if (output_of(c) == nullptr) return c.empty(selected_sizes(c, self, dim, index), self.dtype());
  return write_reference(c, [&] {
    const int64_t at = wrap_dim(dim, self.dim());
    c.check(index.dim() <= 1, "Index should have dimension 1 or 0 (got {})", index.dim());
    c.check(is_integral_or_bool(index.dtype()),
            "tensors used as indices must be long, int, byte or bool tensors");
    return Value(c.empty(selected_sizes(c, self, at, index), self.dtype()));
  });
}

void check_same_device(const Call& c, const Tensor& self, const Tensor& index,
                       const Tensor& source) {
  c.check(self.device() == index.device() && self.device() == source.device(),
          "{}(): self, index and source expected to be in the same device, but got (self) {}, "
          "(index) {}, and (source) {}",
          c.op().base_name(), self.device(), index.device(), source.device());
  c.check(index.dim() <= 1, "Index should have dimension 1 or 0 (got {})", index.dim());
}

// index_put on a copy, made contiguous.
Value updated_copy(Call& c, const Tensor& self) {
  Tensor* copy = c.empty_like(self);
  return self.dim() == 0 ? Value(copy) : c.call<"aten::contiguous">(*copy);
}

// Mirrors _index_add, torch/_decomp/decompositions.py.
Value index_add(Call& c, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                const Value& alpha) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_same_device(c, self, index, source);
  const SymInt indices = index.dim() == 1 ? index.size(0) : SymInt(1);
  const SymInt slices = source.dim() > 0 ? source.size(at) : SymInt(1);
  c.check(slices == indices,
          "Number of indices ({}) should be equal to tensor.size(dim) ({}), for dim={}", indices,
          slices, at);
  const bool is_one = alpha.is(Value::Tag::kInt) && guard_or_false(alpha.as_sym_int() == 1);
  if (!is_one && !is_bool(self.dtype()))
    check_number_fits(c, ErrorKind::kRuntimeError, "alpha", alpha, self.dtype());
  if (!is_one && has_symbolic_sizes(c)) arithmetic(c, source, alpha);
  return updated_copy(c, self);
}

// The sizes of `tensor` but for dimension `dim`.
DimVector slice_shape(const Tensor& tensor, int64_t dim) {
  DimVector shape(tensor.sizes());
  if (!shape.empty()) shape.erase(static_cast<size_t>(dim));
  return shape;
}

// Mirrors _index_copy, torch/_decomp/decompositions.py.
Value index_copy(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                 const Tensor& source) {
  const int64_t at = wrap_dim(dim, self.dim());
  check_same_device(c, self, index, source);
  const SymInt indices = index.numel();
  if (source.dim() == 0) {
    c.check(indices == 1,
            "index_copy_(): When source is scalar, index should have one element (got {})",
            indices);
  } else if (self.dim() != 0) {
    c.check(source.dim() == self.dim(),
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            "match. Source dimensionality ({}), destination dimensionality ({})",
            source.dim(), self.dim());
  }
  const DimVector own = slice_shape(self, at);
  const DimVector other = slice_shape(source, at);
  SymBool equal = own.size() == other.size();
  for (size_t i = 0; i < own.size() && own.size() == other.size(); ++i) {
    equal = sym_and(equal, own[i] == other[i]);
  }
  c.check(equal,
          "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice "
          "shape: torch.Size({}) at dimension {} and source slice shape: torch.Size({}) at "
          "dimension 0.",
          own.span(), at, other.span());
  c.check(source.dim() == 0 ? SymBool(true) : indices == source.size(at),
          "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})", indices,
          source.dim() == 0 ? SymInt(1) : source.size(at));
  return updated_copy(c, self);
}

// Mirrors _index_fill, torch/_refs/__init__.py.
Value index_fill(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                 const Value& value) {
  c.check(index.dim() <= 1, "Index should have dimension 1 or 0 (got {})", index.dim());
  if (value.is_tensor()) {
    c.check(value.tensor().dim() == 0,
            "Only supports 0-dimensional value tensor. Got a tensor with {} dimensions.",
            value.tensor().dim());
  }
  const int64_t rank = std::max<int64_t>(self.dim(), 1);
  c.check_as(ErrorKind::kIndexError, dim >= -rank && dim < rank,
             "list assignment index out of range");
  const Device device = c.device();
  if (has_symbolic_sizes(c) && self.dim() > 0) {
    DimVector filled(self.sizes());
    filled[static_cast<size_t>(wrap_dim(dim, self.dim()))] = index.numel();
    c.call<"aten::expand">(value.is_tensor() ? value : Value(c.empty({}, self.dtype())), filled);
  }
  // What is copied to is contiguous, and strides are compared as Python compares tuples.
  const DimVector strides = contiguous_strides(self.sizes());
  const bool is_like_copy = self.meta->has_symbols() && guard_equal(strides, self.strides());
  if (!is_like_copy && self.is_non_overlapping_and_dense()) {
    return c.context().empty(self.sizes(), self.dtype(), device, self.strides());
  }
  return updated_copy(c, self);
}

// Mirrors index_func_meta_impl, aten/src/ATen/native/TensorAdvancedIndexing.cpp, which answers for
// the out= overload.
void check_index_reduce(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                        const Tensor& source, std::string_view reduce) {
  c.check(reduce == "prod" || reduce == "mean" || reduce == "amax" || reduce == "amin",
          "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.",
          reduce);
  const int64_t at = wrap_dim(dim, self.dim());
  c.check_as(ErrorKind::kIndexError, index.dim() <= 1,
             "index_reduce_(): Index is supposed to be a vector, but got dim: {} with type: {} and "
             "size: {}",
             index.dim(), info(index.dtype()).cpp_name, index.sizes());
  c.check(index.dtype() == DType::kInt64 || index.dtype() == DType::kInt32,
          "index_reduce_(): Expected dtype int32/int64 for index but got: {}",
          info(index.dtype()).cpp_name);
  c.check(self.dtype() == source.dtype(),
          "index_reduce_(): self ({}) and source ({}) must have the same scalar type",
          info(self.dtype()).cpp_name, info(source.dtype()).cpp_name);
  c.check(at == 0 || at < source.dim(),
          "index_reduce_(): Indexing dim {} is out of bounds of the source tensor with dim {}", at,
          source.dim());
  const SymInt length = source.dim() == 0 ? SymInt(1) : source.size(at);
  if (source.dim() == 0 && !guard_bool(index.numel() == length))
    source.size(at);  // for the message
  c.check(index.numel() == length,
          "index_reduce_(): Number of indices ({}) should be equal to source.size(dim): ({}), for "
          "dim: {}",
          index.numel(), length, at);
  DimVector sizes(self.sizes());
  DimVector source_sizes(source.sizes());
  if (self.dim() > 0 && source.dim() > 0) {
    sizes[static_cast<size_t>(at)] = source_sizes[static_cast<size_t>(at)] = 1;
  }
  const bool same = guard_equal(sizes, source_sizes);
  c.check(same,
          "source tensor shape must match self tensor shape, excluding the specified dimension. "
          "Got self.shape = {} source.shape = {}",
          self.sizes(), source.sizes());
}
// Mirrors meta_index_reduce, torch/_meta_registrations.py.
Value index_reduce(Call& c, const Tensor& self, int64_t dim, const Tensor& index,
                   const Tensor& source, std::string_view reduce) {
  Tensor* out = output_of(c);
  if (out == nullptr) return c.empty(self.sizes(), self.dtype());
  check_index_reduce(c, self, dim, index, source, reduce);
  c.check(out->dtype() == self.dtype(), "Expected out tensor to have dtype {}, but got {} instead",
          cpp_type_name(self.dtype()), cpp_type_name(out->dtype()));
  resize_output(c.context(), *out, self.sizes());
  check_no_internal_overlap(c, *out);
  check_no_overlap(c, *out, index);
  check_no_overlap(c, *out, source);
  Call wrapping(c.context(), c.op(), c.args());
  return written(wrapping, *out);
}

// --- flat positions ---

// Mirrors meta_take, torch/_meta_registrations.py.
Tensor* take(Call& c, const Tensor& self, const Tensor& index) {
  c.check(index.dtype() == DType::kInt64, "take(): Expected a long tensor for index, but got {}",
          index.dtype());
  const bool from_nothing = guard_bool(self.numel() == 0) && guard_bool(index.numel() != 0);
  c.check_as(ErrorKind::kIndexError, !from_nothing, "take(): tried to take from an empty tensor");
  return c.empty(index.sizes(), self.dtype());
}
Tensor* put(Call& c, const Tensor& self) {
  return empty_as_cloned(c, self, self.dtype(), c.device());
}

// Mirrors meta_masked_scatter, torch/_meta_registrations.py.
void check_masked_scatter(const Call& c, const Tensor& self, const Tensor& mask,
                          const Tensor& source) {
  c.check(is_bool(mask.dtype()) || mask.dtype() == DType::kUInt8, "Mask must be bool or uint8");
  c.check(self.dtype() == source.dtype(),
          "masked_scatter: expected self and source to have same dtypes but got {} and {}",
          self.dtype(), source.dtype());
}
Tensor* masked_scatter(Call& c, const Tensor& self, const Tensor& mask, const Tensor& source) {
  const Value operands[] = {self, mask};
  const DimVector sizes = broadcast_operands(c, operands);
  check_masked_scatter(c, self, mask, source);
  return c.empty(sizes, self.dtype());
}
Value masked_scatter_in_place(Call& c, Tensor& self, const Tensor& mask, const Tensor& source) {
  check_masked_scatter(c, self, mask, source);
  return written(c, self);
}

// Mirrors one_hot, aten/src/ATen/native/Onehot.cpp, as fake tensors take it.
Value one_hot(Call& c, const Tensor& self, SymInt num_classes) {
  c.check(self.dtype() == DType::kInt64,
          "one_hot is only applicable to index tensor of type LongTensor.");
  if (guard_or_false(num_classes == -1)) {
    // toLong: the number has to be one.
    num_classes = c.call<"aten::item">(c.tensor<"aten::max">(self)).to_int() + 1;
  }
  Tensor& classes =
      c.tensor<"aten::arange">(num_classes, self.dtype(), Layout::kStrided, self.device());
  Tensor& hot = c.tensor<"aten::eq.Tensor">(c.tensor<"aten::unsqueeze">(self, -1), classes);
  return c.call<"aten::to.dtype">(hot, DType::kInt64);
}

// --- writing a view of a copy ---

// The out= overloads are references, which look at the source.

// Mirrors _scatter_meta_output, torch/_meta_registrations.py; select_scatter,
// torch/_refs/__init__.py.
Value select_scatter(Call& c, const Tensor& self, const Tensor& src, int64_t dim) {
  if (output_of(c) == nullptr) {
    if (c.device() != self.device()) return c.empty(self.sizes(), self.dtype());  // a CPU scalar
    return clone_preserve_strides(c, self, StorageExtent::kReached);
  }
  return write_reference(c, [&] {
    const int64_t at = wrap_dim(dim, self.dim());
    c.check_as(ErrorKind::kIndexError, self.dim() > 0, "list assignment index out of range");
    DimVector mask_sizes(self.sizes().size(), SymInt(1));
    mask_sizes[static_cast<size_t>(at)] = self.size(at);
    const Value source = c.call<"aten::expand">(c.call<"aten::unsqueeze">(src, at), self.sizes());
    return c.call<"aten::where.self">(c.context().empty(mask_sizes, DType::kBool, self.device()),
                                      source, self);
  });
}
// The source may be on any device. Mirrors slice_scatter, torch/_decomp/decompositions.py.
Value slice_scatter(Call& c, const Tensor& self, const Tensor& src, int64_t dim, const Value& start,
                    const Value& end, const Value& step) {
  Tensor* out = output_of(c);
  if (out == nullptr) return clone_preserve_strides(c, self, StorageExtent::kReached);
  const OnMeta scope(c.context(), c.args());
  const Tensor& part = c.tensor<"aten::slice.Tensor">(self, dim, start, end, step);
  const Value source = c.call<"aten::expand">(src, part.sizes());
  if (guard_bool(part.size(dim) == self.size(dim))) return write_result(c, *out, source.tensor());
  const Value operands[] = {self, source};
  return write_result(c, *out, *c.empty(self.sizes(), promoted_dtype(c, operands)));
}
// Mirrors diagonal_scatter, torch/_refs/__init__.py.
Value diagonal_scatter(Call& c, const Tensor& self, const Tensor& src, const Value& offset,
                       const Value& dim1, const Value& dim2) {
  const auto copy = [&] { return clone_preserve_strides(c, self, StorageExtent::kReached); };
  if (output_of(c) == nullptr) return copy();
  return write_reference(c, [&] {
    Tensor* output = copy();
    const Tensor& line = c.tensor<"aten::diagonal">(*output, offset, dim1, dim2);
    c.check(guard_equal(src.sizes(), line.sizes()),
            "expected src to have a size equal to the diagonal of the input.Got torch.Size({}) for "
            "a diagonal of shape torch.Size({})",
            src.sizes(), line.sizes());
    return Value(output);
  });
}
// Mirrors as_strided_scatter_symint, aten/src/ATen/native/TensorShape.cpp.
Value as_strided_scatter(Call& c, const Tensor& self, const Tensor& src, Dims size, Dims stride,
                         std::optional<SymInt> storage_offset) {
  if (output_of(c) != nullptr) {
    return write_reference(c, [&] {
      return c.call<"prims::as_strided_scatter">(self, src, size, stride,
                                                 storage_offset.value_or(0));
    });
  }
  Tensor* output = clone_preserve_strides(c, self);
  const SymInt held = output->storage->nbytes;
  const Tensor& slice = c.tensor<"aten::as_strided">(*output, size, stride, storage_offset);
  output->storage->nbytes = held;  // which as_strided would let grow
  const bool equal = guard_equal(src.sizes(), slice.sizes());
  c.check(equal,
          "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
          src.sizes(), slice.sizes());
  return output;
}

// Mirrors _convert_indices_from_coo_to_csr and _convert_indices_from_csr_to_coo,
// aten/src/ATen/native/TensorConversions.cpp (whose message names one rank twice).
Value coo_to_csr(Call& c, const Tensor& self, SymInt size, bool out_int32) {
  c.check(self.dim() <= 1, "Input is supposed to be a vector, but got {} dimensional tensor.",
          self.dim());
  return c.empty({size + 1}, out_int32 ? DType::kInt32 : DType::kInt64);
}
Value csr_to_coo(Call& c, const Tensor& crow_indices, const Tensor& col_indices, bool out_int32) {
  c.check(crow_indices.dim() == col_indices.dim(),
          "crow_indices and col_indices are supposed to have the same dimensionality, but got {} "
          "and {} dimensional tensors, respectively.",
          crow_indices.dim(), crow_indices.dim());
  return c.empty({col_indices.dim() + 1, col_indices.numel()},
                 out_int32 ? DType::kInt32 : DType::kInt64);
}

// clang-format off
constexpr OpDef kIndexingRules[] = {
    {"aten::_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor", rule<&coo_to_csr>(), kByStructured},
    {"aten::_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool out_int32=False, bool transpose=False) -> Tensor", rule<&csr_to_coo>(), kByStructured},
    {"aten::_index_put_impl(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor", rule<&index_put_impl>(), kByCompositeExplicit | kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)", rule<&write_in_place>(), kByMetaCpp | kRealDerivative, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", rule<&unsafe_index>(), 0, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", rule<&unsafe_index_put>(), kByFakeImpl, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor", rule<&unsafe_masked_index>(), kByDecomp, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor", rule<&unsafe_masked_index_put>(), kByDecomp, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor", rule<&as_strided_scatter>(), kByCompositeExplicit},
    {"aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", rule<&diagonal_scatter>(), kByFakeImpl},
    {"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", rule<&index>(), kDynamicShapeByMask | kByFakeImpl, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", rule<&index_add>(), kInplace | kByDecomp},
    {"aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", rule<&index_copy>(), kInplace | kByDecomp},
    {"aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", rule<&index_fill>(), kInplace | kByRef},
    {"aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", rule<&index_fill>(), kInplace | kByRef},
    {"aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", rule<&index_put>(), kByFakeImpl, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", rule<&index_put_in_place>(), kByFakeImpl, derivative<Derivative{.without_formula = "indices"}>},
    {"aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor", rule<&index_reduce>(), kInplace | kRealDerivative},
    {"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", rule<&index_select>()},
    {"aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", rule<&masked_scatter>()},
    {"aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)", rule<&masked_scatter_in_place>()},
    {"aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", rule<&one_hot>(), kComposite},
    {"aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", rule<&put>(), kInplace | kByCompositeExplicit},
    {"aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", rule<&select_scatter>(), kRealDerivative},
    {"aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor", rule<&slice_scatter>(), kByFakeImpl | kRealDerivative},
    {"aten::take(Tensor self, Tensor index) -> Tensor", rule<&take>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_indexing

std::span<const OpDef> indexing_rules() { return rules_of_indexing::kIndexingRules; }

}  // namespace faketensor
