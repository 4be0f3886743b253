// Joins: tensors put together along a dimension, old or new.
#include <algorithm>

#include "core/ops/families/factory.h"
#include "core/ops/families/into.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_join {
namespace {

// The memory format a tensor suggests once it is cast to `dtype`: a cast makes strides dense.
MemoryFormat suggested_format(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype || tensor.is_non_overlapping_and_dense()) {
    return suggest_memory_format(tensor);
  }
  const DimVector strides = dense_strides_like(tensor.sizes(), tensor.strides());
  if (!are_strides_like_channels_last_or_false(tensor.sizes(), strides))
    return MemoryFormat::kContiguous;
  return tensor.dim() == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d;
}

// The format that all tensors suggest, else contiguous.
MemoryFormat joined_format(TensorList tensors, DType dtype) {
  const MemoryFormat first = suggested_format(tensors[0], dtype);
  for (size_t i = 1; i < tensors.size() && first != MemoryFormat::kContiguous; ++i) {
    if (suggested_format(tensors[i], dtype) != first) return MemoryFormat::kContiguous;
  }
  return first;
}

// A 1-dimensional empty tensor joins anything, for old programs' sake.
bool is_legacy_empty(const Tensor& tensor) {
  return tensor.dim() == 1 && guard_or_false(tensor.sizes()[0] == 0);
}

// The tensor whose rank all must have: the first that is not 1-dimensional.
const Tensor& rank_example(const Call& c, TensorList tensors) {
  const Tensor* example = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() == 1) continue;
    if (example == nullptr) example = &tensors[i];
    c.check(tensors[i].dim() == example->dim(),
            "Number of dimensions of tensors must match.  Expected {}-D tensors, but got {}-D for "
            "tensor number {} in the list",
            example->dim(), tensors[i].dim(), i);
  }
  return example != nullptr ? *example : tensors[0];
}

// The tensors in one dtype (elementwise_type_promotion_wrapper): symbolic ones are cast by the
// reference, before anything is checked.
TensorList cast_by_reference(Call& c, TensorList tensors, DType dtype) {
  const auto is_cast = [&](const Tensor& tensor) {
    return tensor.dtype() != dtype && has_symbolic_sizes(tensor);
  };
  size_t kept = 0;
  while (kept < tensors.size() && !is_cast(tensors[kept])) ++kept;
  if (kept == tensors.size()) return tensors;
  SmallVector<Value, 8> cast;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    cast.push_back(is_cast(tensor) ? c.call<"prims::convert_element_type">(tensor, dtype)
                                   : Value(tensor));
  }
  return TensorList(c.list(cast.span()));
}

// The sum of all, which are spent by it. Two at a time, and two of those: one after the other, the
// n-th partial sum would be an expression of n terms.
SymInt sum_of(SmallVector<SymInt, 8>& terms) {
  if (terms.empty()) return 0;
  for (size_t count = terms.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i + 1 < count; i += 2) terms[i / 2] = terms[i] + terms[i + 1];
    if (count % 2 == 1) terms[count / 2] = terms[count - 1];
  }
  return terms[0];
}

// Mirrors cat, torch/_refs/__init__.py.
Tensor* cat(Call& c, TensorList given, int64_t dim) {
  c.check_as(ErrorKind::kValueError, !given.empty(),
             "cat expects at least one tensor, but received zero!");
  const DType dtype = promoted_dtype(c, given.values());
  const TensorList tensors = cast_by_reference(c, given, dtype);
  const Tensor& example = rank_example(c, tensors);
  SmallVector<const Tensor*, 8> joined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() != example.dim()) {
      c.check(is_legacy_empty(tensors[i]),
              "Number of dimensions of tensors must match.  Expected {}-D tensors, but got 1-D for "
              "tensor number {} in the list",
              example.dim(), i);
    } else if (!is_legacy_empty(tensors[i])) {
      joined.push_back(&tensors[i]);
    }
  }
  const MemoryFormat format = joined_format(tensors, dtype);
  const auto made = [&](Dims sizes) {
    return format == MemoryFormat::kContiguous
               ? c.empty(sizes, dtype)
               : c.empty_strided(sizes, strides_for(sizes, format), dtype);
  };
  if (joined.empty()) return made(DimVector{0});
  DimVector sizes(joined[0]->sizes());
  const auto at = static_cast<size_t>(wrap_dim(dim, joined[0]->dim()));
  // Where there are no dimensions the prim writes to an empty list.
  c.check_as(ErrorKind::kIndexError, at < sizes.size(), "list assignment index out of range");
  SmallVector<SymInt, 8> lengths;
  for (size_t i = 0; i < joined.size(); ++i) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (d == at) continue;
      c.check(joined[i]->sizes()[d] == sizes[d],
              "Sizes of tensors must match except in dimension {}. Expected {} in dimension {} but "
              "got {} for tensor number {} in the list",
              at, sizes[d], d, joined[i]->sizes()[d], i);
    }
    lengths.push_back(joined[i]->sizes()[at]);
  }
  sizes[at] = sum_of(lengths);
  check_row_major(c, sizes);  // what prims.cat makes first, whatever the format is
  return made(sizes);
}

Value concat(Call& c, TensorList tensors, int64_t dim) { return c.call<"aten::cat">(tensors, dim); }

// Mirrors stack, torch/_refs/__init__.py.
Value stack(Call& c, TensorList tensors, int64_t dim) {
  c.check_as(ErrorKind::kAssertionError, !tensors.empty(), "stack expects a non-empty TensorList");
  const Dims first = tensors[0].sizes();
  const int64_t at = wrap_dim(dim, tensors[0].dim() + 1);
  if (at < tensors[0].dim()) {
    for (size_t i = 1; i < tensors.size(); ++i) {
      const Dims sizes = tensors[i].sizes();
      SymBool equal = sizes.size() == first.size();
      for (size_t d = 0; d < first.size() && sizes.size() == first.size(); ++d) {
        equal = sym_and(equal, sizes[d] == first[d]);
      }
      c.check(equal,
              "stack expects each tensor to be equal size, but got torch.Size({}) at entry 0 ",
              first);
    }
    DimVector sizes(first);
    sizes.insert(static_cast<size_t>(at), static_cast<int64_t>(tensors.size()));
    const Tensor& joined = *cat(c, tensors, at);
    if (has_symbolic_sizes(joined)) return c.call<"aten::view">(joined, sizes);
    // Below the mode numbers are viewed by the C++ kernel, whose strides of 1s are others.
    const auto strides = view_strides(joined.sizes(), joined.strides(), sizes);
    return c.view(joined, sizes, strides.value_or(contiguous_strides(sizes)));
  }
  SmallVector<Value, 8> unsqueezed;
  for (size_t i = 0; i < tensors.size(); ++i) {
    unsqueezed.push_back(c.call<"aten::unsqueeze">(tensors[i], at));
  }
  return cat(c, TensorList(c.list(unsqueezed.span())), dim);
}

// --- with a least rank ---

Value atleast_1d(Call& c, const Tensor& self) {
  return self.dim() == 0 ? c.call<"aten::reshape">(self, DimVector{1}) : Value(self);
}
Value atleast_2d(Call& c, const Tensor& self) {
  if (self.dim() == 0) return c.call<"aten::reshape">(self, DimVector{1, 1});
  return self.dim() == 1 ? c.call<"aten::unsqueeze">(self, 0) : Value(self);
}
Value atleast_3d(Call& c, const Tensor& self) {
  if (self.dim() == 0) return c.call<"aten::reshape">(self, DimVector{1, 1, 1});
  if (self.dim() == 1) {
    return c.call<"aten::unsqueeze">(c.tensor<"aten::unsqueeze">(self, 0), -1);
  }
  return self.dim() == 2 ? c.call<"aten::unsqueeze">(self, -1) : Value(self);
}

using Lift = Value (*)(Call&, const Tensor&);

template <Lift lift>
Value each(Call& c, TensorList tensors) {
  SmallVector<Value, 8> lifted;
  for (size_t i = 0; i < tensors.size(); ++i) lifted.push_back(lift(c, tensors[i]));
  return c.list(lifted.span());
}

void check_any(const Call& c, TensorList tensors) {
  c.check(!tensors.empty(), "{} expects a non-empty TensorList", c.op().packet());
}

Value hstack(Call& c, TensorList tensors) {
  check_any(c, tensors);
  const Value lifted = each<&atleast_1d>(c, tensors);
  return call_into<"aten::cat", "aten::cat.out">(c, lifted, lifted[0].tensor().dim() == 1 ? 0 : 1);
}
Value vstack(Call& c, TensorList tensors) {
  check_any(c, tensors);
  return call_into<"aten::cat", "aten::cat.out">(c, each<&atleast_2d>(c, tensors), 0);
}
Value dstack(Call& c, TensorList tensors) {
  check_any(c, tensors);
  return call_into<"aten::cat", "aten::cat.out">(c, each<&atleast_3d>(c, tensors), 2);
}

Value as_column(Call& c, const Tensor& self) {
  return self.dim() > 1 ? Value(self) : c.call<"aten::reshape">(self, DimVector{self.numel(), 1});
}
Value column_stack(Call& c, TensorList tensors) {
  check_any(c, tensors);
  return call_into<"aten::hstack", "aten::hstack.out">(c, each<&as_column>(c, tensors));
}

// --- grids ---

// PyTorch prints the tensor, for which it reads what is in it.
[[noreturn]] void refuse_grid_axis(Call& c, const Tensor& tensor) {
  if (guard_bool(tensor.numel() != 0)) fail_unallocated(c);
  std::string sizes = format("{}", tensor.sizes());
  sizes.erase(std::remove(sizes.begin(), sizes.end(), ' '), sizes.end());
  sizes.front() = '{';
  sizes.back() = '}';
  c.fail(ErrorKind::kRuntimeError,
         "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: [ " +
             class_text(tensor) + sizes + " ]");
}

// Mirrors meshgrid, aten/src/ATen/native/TensorShape.cpp: each tensor along a dimension of its own,
// the first two exchanged for "xy".
Value meshgrid_indexing(Call& c, TensorList tensors, std::string_view indexing) {
  check_any(c, tensors);
  for (size_t i = 0; i + 1 < tensors.size(); ++i) {
    c.check(tensors[i].dtype() == tensors[i + 1].dtype(),
            "meshgrid expects all tensors to have the same dtype");
    c.check(tensors[i].device() == tensors[i + 1].device(),
            "meshgrid expects all tensors to have the same device");
  }
  c.check(indexing == "ij" || indexing == "xy",
          "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {}", indexing);
  const bool swaps = indexing == "xy" && tensors.size() >= 2;
  SmallVector<Value, 8> inputs(tensors.values());
  if (swaps) std::swap(inputs[0], inputs[1]);
  DimVector shape;
  for (const Value& input : inputs) {
    const Tensor& tensor = input.tensor();
    if (tensor.dim() > 1) refuse_grid_axis(c, tensor);
    shape.push_back(tensor.dim() == 0 ? SymInt(1) : tensor.sizes()[0]);
  }
  SmallVector<Value, 8> grids;
  for (size_t i = 0; i < inputs.size(); ++i) {
    DimVector along(inputs.size(), SymInt(1));
    along[i] = -1;
    Tensor& line = c.tensor<"aten::view">(inputs[i].tensor(), along);
    grids.push_back(c.call<"aten::expand">(line, shape));
  }
  if (swaps) std::swap(grids[0], grids[1]);
  return c.list(grids.span());
}
Value meshgrid(Call& c, TensorList tensors) {
  return c.call<"aten::meshgrid.indexing">(tensors, "ij");
}

Value cartesian_prod(Call& c, TensorList tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    c.check(tensors[i].dim() == 1, "Expect a 1D vector, but got shape {}", tensors[i].sizes());
  }
  if (tensors.size() == 1) return tensors[0];
  const Value grids = c.call<"aten::meshgrid">(tensors);
  SmallVector<Value, 8> flat;
  for (const Value& grid : grids.values()) flat.push_back(c.call<"aten::flatten.using_ints">(grid));
  return c.call<"aten::stack">(c.list(flat.span()), 1);
}

// Mirrors _block_diag_iterable, torch/_refs/__init__.py.
Tensor* block_diag(Call& c, TensorList tensors) {
  DimVector sizes{0, 0};
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Dims block = tensors[i].sizes();
    c.check(tensors[i].dim() <= 2,
            "Input tensors must have 2 or fewer dimensions. Input {} has {} dimensions", i,
            tensors[i].dim());
    sizes[0] += block.size() == 2 ? block[0] : SymInt(1);
    sizes[1] += block.size() == 2 ? block[1] : tensors[i].numel();
  }
  // Blocks are made matrices before they are joined, so that none gives way as a scalar would.
  SmallVector<Value, 8> blocks(tensors.values());
  for (Value& block : blocks) {
    const Tensor& tensor = block.tensor();
    if (tensor.dim() == 0)
      block = c.context().empty(DimVector{1, 1}, tensor.dtype(), tensor.device());
  }
  return c.empty(sizes, promoted_dtype(c, blocks.span()));
}

// Mirrors pad_sequence, aten/src/ATen/native/PackedSequence.cpp.
Tensor* pad_sequence(Call& c, TensorList sequences, bool batch_first) {
  c.check(!sequences.empty(), "received an empty list of sequences");
  const Dims first = sequences[0].sizes();
  c.check(!first.empty(), "ArrayRef: invalid slice, N = 1; size = 0");
  SymInt longest = 0;
  for (size_t i = 0; i < sequences.size(); ++i) longest = sym_max(longest, sequences[i].size(0));
  for (size_t i = 0; i < sequences.size(); ++i) {
    // Each is copied into its slice of the result.
    DimVector slice(first);
    slice[0] = sequences[i].sizes()[0];
    const DimVector common = broadcast_shapes(slice, sequences[i].sizes());
    const bool fits = guard_equal(common, slice);
    c.check(fits, "output with shape {} doesn't match the broadcast shape {}", slice.span(),
            common.span());
  }
  DimVector sizes{static_cast<int64_t>(sequences.size()), longest};
  if (!batch_first) std::swap(sizes[0], sizes[1]);
  sizes.append(first.subspan(1));
  return c.context().empty(sizes, sequences[0].dtype(), sequences[0].device());
}

// clang-format off
constexpr OpDef kJoinRules[] = {
    {"aten::atleast_1d(Tensor self) -> Tensor", rule<&atleast_1d>(), kView | kComposite},
    {"aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]", rule<&each<&atleast_1d>>(), kView | kComposite},
    {"aten::atleast_2d(Tensor self) -> Tensor", rule<&atleast_2d>(), kView | kComposite},
    {"aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]", rule<&each<&atleast_2d>>(), kView | kComposite},
    {"aten::atleast_3d(Tensor self) -> Tensor", rule<&atleast_3d>(), kView | kComposite},
    {"aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]", rule<&each<&atleast_3d>>(), kView | kComposite},
    {"aten::block_diag(Tensor[] tensors) -> Tensor", rule<&block_diag>(), kByRef},
    {"aten::cartesian_prod(Tensor[] tensors) -> Tensor", rule<&cartesian_prod>(), kComposite},
    {"aten::cat(Tensor[] tensors, int dim=0) -> Tensor", rule<&cat>(), kByRef},
    {"aten::column_stack(Tensor[] tensors) -> Tensor", rule<&column_stack>(), kComposite},
    {"aten::concat(Tensor[] tensors, int dim=0) -> Tensor", rule<&concat>(), kComposite},
    {"aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", rule<&concat>(), kComposite},
    {"aten::dstack(Tensor[] tensors) -> Tensor", rule<&dstack>(), kComposite},
    {"aten::hstack(Tensor[] tensors) -> Tensor", rule<&hstack>(), kComposite},
    {"aten::meshgrid(Tensor[] tensors) -> Tensor[]", rule<&meshgrid>(), kView | kComposite},
    {"aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", rule<&meshgrid_indexing>(), kView | kComposite},
    {"aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., str padding_side=\"right\") -> Tensor", rule<&pad_sequence>(), kComposite},
    {"aten::row_stack(Tensor[] tensors) -> Tensor", rule<&vstack>(), kComposite},
    {"aten::stack(Tensor[] tensors, int dim=0) -> Tensor", rule<&stack>(), kByRef},
    {"aten::vstack(Tensor[] tensors) -> Tensor", rule<&vstack>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_join

std::span<const OpDef> join_rules() { return rules_of_join::kJoinRules; }

}  // namespace faketensor
