// Tensors put together from lists of tensors or of segments, and taken apart again. What joins
// tensors along a dimension: join.cpp.
#include <algorithm>

#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_tensor_lists {
namespace {
constexpr auto kAssertion = ErrorKind::kAssertionError;

// --- flattened lists ---

Value flat(Call& c, const Tensor& tensor) {
  return c.call<"aten::view">(c.tensor<"aten::contiguous">(tensor), DimVector{-1});
}

// Mirrors flatten_dense_tensors, torch/csrc/utils/tensor_flatten.h.
Value flatten_dense_tensors(Call& c, TensorList tensors) {
  c.check(!tensors.empty(), "expected a non-empty list of Tensors");
  if (tensors.size() == 1) return flat(c, tensors[0]);
  SmallVector<Value, 8> parts;
  for (size_t i = 0; i < tensors.size(); ++i) parts.push_back(flat(c, tensors[i]));
  return c.call<"aten::cat">(c.list(parts.span()));
}

// Mirrors unflatten_dense_tensors, torch/csrc/utils/tensor_flatten.h.
Value unflatten_dense_tensors(Call& c, const Tensor& flat_tensor, TensorList tensors) {
  SmallVector<Value, 8> parts;
  SymInt offset = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const SymInt elements = tensors[i].numel();
    if (guard_bool(elements == 0)) {
      parts.push_back(
          c.context().empty(tensors[i].sizes(), flat_tensor.dtype(), flat_tensor.device()));
      continue;
    }
    Tensor& part = c.tensor<"aten::narrow">(flat_tensor, 0, offset, elements);
    parts.push_back(c.call<"aten::view">(part, tensors[i].sizes()));
    offset += elements;
  }
  return c.list(parts.span());
}

// --- stacks and chunks ---

// Mirrors _stack, aten/src/ATen/native/TensorShape.cpp.
Value stack(Call& c, TensorList tensors, int64_t dim) {
  c.check(!tensors.empty(), "stack expects a non-empty TensorList");
  SmallVector<Value, 8> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    c.check(guard_equal(tensors[0].sizes(), tensors[i].sizes()),
            "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {}",
            tensors[0].sizes(), tensors[i].sizes(), i);
    inputs.push_back(c.call<"aten::unsqueeze">(tensors[i], dim));
  }
  return c.call<"aten::cat">(c.list(inputs.span()), dim);
}

// Mirrors _preprocess_chunk_cat_inputs, torch/_decomp/decompositions.py.
int64_t checked_chunk_dim(const Call& c, TensorList tensors, int64_t dim, SymInt num_chunks) {
  c.check(num_chunks >= 1, "_chunk_cat expects positive num_chunks");
  c.check(!tensors.empty(), "_chunk_cat expects a non-empty input tensor list");
  const Tensor& first = tensors[0];
  bool same_ranks = true;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    c.check(tensor.numel() > 0, "_chunk_cat expects non-empty tensor");
    c.check(tensor.dtype() == first.dtype(),
            "_chunk_cat expects all input tensors with the same dtype");
    c.check(tensor.device() == first.device(),
            "_chunk_cat expects all inputs tensors on the same device");
    same_ranks = same_ranks && tensor.dim() == first.dim();
  }
  if (same_ranks) {
    dim = wrap_dim(dim, first.dim());
  } else {
    c.check(dim >= 0,
            "_chunk_cat expects non-negative dim when input tensors have different ndims");
  }
  for (size_t i = 0; i < tensors.size() && !same_ranks; ++i) {
    c.check(dim < tensors[i].dim(), "_chunk_cat expects dim < ndim for all input tensors");
  }
  const auto leading = [&](const Tensor& tensor) {
    return tensor.sizes().first(std::min(tensor.sizes().size(), static_cast<size_t>(dim)));
  };
  for (size_t i = 0; i < tensors.size(); ++i) {
    c.check(guard_equal(leading(first), leading(tensors[i])),
            "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors");
  }
  return dim;
}

// Mirrors _chunk_cat, torch/_decomp/decompositions.py: each tensor is padded to whole chunks.
Value chunk_cat(Call& c, TensorList tensors, int64_t dim, SymInt num_chunks) {
  dim = checked_chunk_dim(c, tensors, dim, num_chunks);
  SmallVector<Value, 8> parts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor* tensor = &tensors[i];
    c.check_as(ErrorKind::kIndexError, dim < tensor->dim(), "tuple index out of range");
    const SymInt size = tensor->size(dim);
    const SymInt padded = ceil_div(size, num_chunks) * num_chunks;
    if (guard_bool(padded != size)) {
      DimVector pad(2 * static_cast<size_t>(tensor->dim() - dim), SymInt(0));
      pad[pad.size() - 1] = padded - size;
      tensor = &c.tensor<"aten::constant_pad_nd">(*tensor, pad, 0);
    }
    DimVector shape(tensor->sizes().first(static_cast<size_t>(dim)));
    shape.push_back(num_chunks);
    shape.push_back(-1);
    parts.push_back(c.call<"aten::reshape">(*tensor, shape));
  }
  return c.call<"aten::cat">(c.list(parts.span()), dim + 1);
}

// --- segments of one tensor ---

// A Python index into sizes.
SymInt& size_at(const Call& c, DimVector& sizes, int64_t axis, std::string_view refusal) {
  const auto rank = static_cast<int64_t>(sizes.size());
  c.check_as(ErrorKind::kIndexError, axis >= -rank && axis < rank, "{}", refusal);
  return sizes[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
}

// Mirrors meta_segment_reduce, torch/_meta_registrations.py.
Tensor* segment_reduce(Call& c, const Tensor& data, std::string_view, Tensor* lengths,
                       Tensor* indices, Tensor* offsets, int64_t axis) {
  c.check_as(ErrorKind::kNotImplementedError, indices == nullptr,
             "segment_reduce(): indices based reduction is not supported yet.");
  c.check(lengths != nullptr || offsets != nullptr,
          "segment_reduce(): Either lengths or offsets must be defined.");
  DimVector segments((lengths != nullptr ? lengths : offsets)->sizes());
  DimVector sizes(data.sizes());
  const SymInt count = size_at(c, segments, axis, "tuple index out of range");
  size_at(c, sizes, axis, "list assignment index out of range") =
      lengths != nullptr ? count : count - 1;
  return c.empty(sizes, data.dtype());
}

void check_one_jagged_dim(const Call& c, std::string_view what, size_t count) {
  c.check_as(kAssertion, count == 1, "Only one jagged dim is supported, got {} {}", count, what);
}

// Mirrors meta__jagged_to_padded_dense_forward, torch/_meta_registrations.py.
Tensor* jagged_to_padded(Call& c, const Tensor& values, TensorList offsets, Dims max_lengths) {
  check_one_jagged_dim(c, "offsets", offsets.size());
  check_one_jagged_dim(c, "max_lengths", max_lengths.size());
  c.check_as(ErrorKind::kIndexError, offsets[0].dim() != 0, "tuple index out of range");
  DimVector sizes = {offsets[0].sizes()[0] - 1, max_lengths[0]};
  if (values.dim() > 1) sizes.append(values.sizes().subspan(1));
  return c.empty(sizes, values.dtype());
}

// Mirrors _padded_dense_to_jagged_forward, torch/_subclasses/fake_impls.py.
Tensor* padded_to_jagged(Call& c, const Tensor& dense, TensorList offsets,
                         std::optional<SymInt> total_length) {
  check_one_jagged_dim(c, "offsets", offsets.size());
  DimVector sizes = {total_length ? *total_length : c.unbacked_int(ErrorKind::kDynamicOutputShape)};
  if (dense.dim() > 2) sizes.append(dense.sizes().subspan(2));
  return c.empty(sizes, dense.dtype());
}

// clang-format off
constexpr OpDef kTensorListRules[] = {
    {"aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", rule<&chunk_cat>(), kByDecomp},
    {"aten::_jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor", rule<&jagged_to_padded>()},
    {"aten::_padded_dense_to_jagged_forward(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor", rule<&padded_to_jagged>(), kSizeIsData | kByFakeImpl},
    {"aten::_stack(Tensor[] tensors, int dim=0) -> Tensor", rule<&stack>(), kByCompositeExplicit},
    {"aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor", rule<&flatten_dense_tensors>(), kComposite},
    {"aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor", rule<&segment_reduce>(), kRealDerivative, derivative<Derivative{.without_formula = "lengths,indices,offsets"}>},
    {"aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]", rule<&unflatten_dense_tensors>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_tensor_lists

std::span<const OpDef> tensor_list_rules() { return rules_of_tensor_lists::kTensorListRules; }

}  // namespace faketensor
