// Batching rules of views, joins and look-ups. Mirrors aten/src/ATen/functorch/BatchRulesViews.cpp,
// LegacyBatchingRegistrations.cpp and BatchRulesScatterOps.cpp.
#include <algorithm>
#include <utility>

#include "core/mode/batch_rules.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

using Args = SmallVector<Value, 16>;

// The first argument, its batch dimension in front.
Value front(const BatchCall& call) { return call.move_to_front(call.unwrap_arg(0)); }

int64_t rank_of(const BatchCall& call) { return call.logical_rank(call.unwrap_arg(0)); }

// The operator on the first argument's value, with another argument list behind it.
Value run_on(BatchCall& call, const Value& self, const Args& args) {
  Args all(args.span());
  all[0] = self;
  return call.wrap(call.run(all.span()), 0);
}

Args arguments(const BatchCall& call) { return Args(call.args()); }

// Dimensions of the batched tensor as dimensions of its value: the arguments that `mask` marks, of
// a tensor with `extra` more dimensions than the first argument has.
Value on_dims(BatchCall& call, uint32_t mask, int64_t extra) {
  Args args = arguments(call);
  const int64_t rank = rank_of(call) + extra;
  for (size_t i = 1; i < args.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (!args[i].is_list()) {
      args[i] = call.physical_dim(guard_int(args[i].as_sym_int()), rank);
      continue;
    }
    DimVector dims;
    for (size_t d = 0; d < args[i].size(); ++d)
      dims.push_back(call.physical_dim(guard_int(args[i][d].as_sym_int()), rank));
    args[i] = call.context().make_ints(dims);
  }
  return run_on(call, front(call), args);
}
Value on_dims_of_self(BatchCall& call, uint32_t mask) { return on_dims(call, mask, 0); }
Value on_dims_of_result(BatchCall& call, uint32_t mask) { return on_dims(call, mask, 1); }
constexpr uint32_t at(uint32_t index) { return 1u << index; }

Value permute(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  DimVector dims = {0};
  for (size_t i = 0; i < call.arg(1).size(); ++i)
    dims.push_back(call.physical_dim(guard_int(call.arg(1)[i].as_sym_int()), rank_of(call)));
  args[1] = call.context().make_ints(dims);
  return run_on(call, front(call), args);
}

// transpose_int_batch_rule: of numbers it is nothing.
Value transpose(BatchCall& call, uint32_t) {
  const auto is_allowed = [&](size_t i) { return call.integer(i) == 0 || call.integer(i) == -1; };
  if (rank_of(call) == 0 && is_allowed(1) && is_allowed(2)) {
    const Vmap::Unwrapped self = call.unwrap_arg(0);
    return call.wrap(self.value, *self.dim);
  }
  return on_dims(call, at(1) | at(2), 0);
}

// at::native::t, which swaps the dimensions that are seen.
Value t(BatchCall& call, uint32_t) {
  const int64_t rank = rank_of(call);
  if (rank > 2) {
    throw_error(ErrorKind::kRuntimeError,
                format("t() expects a tensor with <= 2 dimensions, but self is {}D", rank));
  }
  return call.call("aten::transpose.int", {call.arg(0), 0, rank < 2 ? 0 : 1});
}

// view(self, size), _unsafe_view, _reshape_alias: the batch's size in front of the sizes.
Value view(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  args[1] = call.with_batch_size(call.arg(1));
  return run_on(call, front(call), args);
}

Value reshape_alias(BatchCall& call, uint32_t) {
  return call.wrap(call.call("aten::reshape", {front(call), call.with_batch_size(call.arg(1))}), 0);
}

// expand_batch_rule: dimensions of size 1 between the batch and what it has.
Value expand(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  const auto wanted = static_cast<int64_t>(call.arg(1).size());
  const int64_t rank = rank_of(call);
  if (rank > wanted) {
    throw_error(ErrorKind::kRuntimeError,
                format("expand: the number of sizes provided ({}) must be greater or equal to the "
                       "number of dimensions in the tensor ({})",
                       wanted, rank));
  }
  const Value self = front(call);
  DimVector sizes = {self.tensor().size(0)};
  for (int64_t i = rank; i < wanted; ++i) sizes.push_back(1);
  sizes.append(self.tensor().sizes().subspan(1));
  const Value viewed = call.call("aten::view", {self, call.context().make_ints(sizes)});
  args[1] = call.with_batch_size(call.arg(1));
  return run_on(call, viewed, args);
}

Value repeat(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  DimVector repeats = {1};
  for (size_t i = 0; i < call.arg(1).size(); ++i) repeats.push_back(call.arg(1)[i].as_sym_int());
  Value self = front(call);
  while (self.tensor().dim() < static_cast<int64_t>(repeats.size()))
    self = call.call("aten::unsqueeze", {self, 1});
  args[1] = call.context().make_ints(repeats);
  return run_on(call, self, args);
}

// squeeze_batch_rule: the batch dimension stays whatever its size.
Value squeeze(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Tensor& tensor = self.value.tensor();
  if (tensor.dim() == 1) return call.wrap(call.call("aten::alias", {self.value}), *self.dim);
  DimVector sizes;
  int64_t batch_dim = 0;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    if (i == *self.dim) batch_dim = static_cast<int64_t>(sizes.size());
    if (i == *self.dim || !guard_bool(tensor.size(i) == 1)) sizes.push_back(tensor.size(i));
  }
  return call.wrap(call.call("aten::view", {self.value, call.context().make_ints(sizes)}),
                   batch_dim);
}

// squeeze_dims_batch_rule
Value squeeze_dims(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Tensor& tensor = self.value.tensor();
  if (tensor.dim() == 1) return call.wrap(call.call("aten::alias", {self.value}), *self.dim);
  const bool is_list = call.arg(1).is_list();
  int64_t batch_dim = *self.dim;
  DimVector dims;
  for (size_t i = 0; i < (is_list ? call.arg(1).size() : 1); ++i) {
    const Value dim = is_list ? call.arg(1)[i] : call.arg(1);
    const int64_t seen = call.physical_dim(guard_int(dim.as_sym_int()), tensor.dim() - 1) - 1;
    const bool is_before = seen < *self.dim;
    if (is_before && guard_bool(tensor.size(seen) == 1)) --batch_dim;
    dims.push_back(is_before ? seen : seen + 1);
  }
  return call.wrap(call.call("aten::squeeze.dims", {self.value, call.context().make_ints(dims)}),
                   batch_dim);
}

Value clone(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const bool is_contiguous = call.arg(1).is(Value::Tag::kMemoryFormat) &&
                             call.arg(1).memory_format() == MemoryFormat::kContiguous;
  if (is_contiguous) return run_on(call, front(call), arguments(call));
  Args args = arguments(call);
  args[0] = self.value;
  return call.wrap(call.run(args.span()), *self.dim);
}

Value unfold(BatchCall& call, uint32_t) {
  Value self = front(call);
  const int64_t rank = rank_of(call);
  if (rank == 0) self = call.call("aten::unsqueeze", {self, -1});
  const Value dim = call.physical_dim(call.integer(1), rank);
  const Value result = call.call("aten::unfold", {self, dim, call.arg(2), call.arg(3)});
  return call.wrap(rank == 0 ? call.call("aten::squeeze.dim", {result, -1}) : result, 0);
}

// roll_batch_rule
Value roll(BatchCall& call, uint32_t) {
  if (call.arg(2).size() > 0) return on_dims(call, at(2), 0);
  const Value self = front(call);
  const SymInt one[] = {1};
  const Value flat = call.call("aten::flatten.using_ints", {self, 1});
  const Value rolled = call.call("aten::roll", {flat, call.arg(1), call.context().make_ints(one)});
  return call.wrap(
      call.call("aten::reshape", {rolled, call.context().make_ints(self.tensor().sizes())}), 0);
}

// --- joins ---

// The tensors of a list with the batch dimension in front; those that have none get one.
SmallVector<Value, 8> joined(const BatchCall& call) {
  SmallVector<Value, 8> tensors;
  for (const Value& tensor : call.arg(0).values())
    tensors.push_back(call.with_batch_dim(call.unwrap(tensor)));
  return tensors;
}

Value cat(BatchCall& call, uint32_t) {
  const SmallVector<Value, 8> tensors = joined(call);
  int64_t rank = 0;
  for (const Value& tensor : tensors) rank = std::max(rank, tensor.tensor().dim() - 1);
  const Value dim = call.physical_dim(call.integer(1), rank);
  return call.wrap(call.call("aten::cat", {call.context().make_list(tensors.span()), dim}), 0);
}

Value stack(BatchCall& call, uint32_t) {
  const SmallVector<Value, 8> tensors = joined(call);
  const Value dim = call.physical_dim(call.integer(1), tensors[0].tensor().dim());
  return call.wrap(call.call("aten::stack", {call.context().make_list(tensors.span()), dim}), 0);
}

// --- look-ups ---

// A tensor of at least one dimension that has the batch in front.
Value as_rows(const BatchCall& call, size_t index) {
  const Vmap::Unwrapped tensor = call.unwrap_arg(index);
  const Value self = call.with_batch_dim(tensor);
  return call.logical_rank(tensor) == 0 ? call.call("aten::unsqueeze", {self, -1}) : self;
}

// gather(self, dim, index), scatter.src and scatter.value, scatter_add: indices and sources as the
// operator has them, every tensor with a batch dimension.
Value along_dim(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  const int64_t rank = rank_of(call);
  args[1] = call.physical_dim(call.integer(1), rank);
  for (size_t i = 0; i < args.size(); ++i)
    if (args[i].is_tensor()) args[i] = as_rows(call, i);
  Value result = call.run(args.span());
  const bool is_gather = call.op().name == "aten::gather.default";
  const int64_t out_rank = is_gather ? call.logical_rank(call.unwrap_arg(2)) : rank;
  if (out_rank == 0) result = call.call("aten::squeeze.dim", {result, -1});
  return call.wrap(result, 0);
}

// index_select_decomp: a gather with the index along one dimension.
Value index_select(BatchCall& call, uint32_t) {
  const Tensor& self = call.arg(0).tensor();
  Value index = call.arg(2);
  const int64_t dim = self.dim() == 0 ? 0 : call.physical_dim(call.integer(1), self.dim()) - 1;
  if (self.dim() > index.tensor().dim()) {
    DimVector sizes(self.sizes());
    DimVector ones;
    for (int64_t i = 0; i < self.dim(); ++i) ones.push_back(1);
    sizes[static_cast<size_t>(dim)] = index.tensor().numel();
    ones[static_cast<size_t>(dim)] = index.tensor().numel();
    const Value row = call.call("aten::view", {index, call.context().make_ints(ones)});
    index = call.call("aten::expand", {row, call.context().make_ints(sizes)});
  }
  const Value result = call.call("aten::gather", {call.arg(0), dim, index});
  return self.dim() == 0 && result.tensor().dim() != 0
             ? call.call("aten::squeeze.dim", {result, -1})
             : result;
}

// --- index.Tensor, index_batch_rule ---

// The index tensors of a call; an element that is none is a whole dimension.
struct Indices {
  SmallVector<Value, 8> values;
  SmallVector<bool, 8> batched;
  int64_t rank = -1;  // the largest that is seen
  int64_t leading_nones = 0;
  bool any_batched = false;
  bool adjacent = true;
};

Indices read_indices(const BatchCall& call) {
  Indices result;
  size_t regions = 0;
  bool inside = false;
  for (size_t i = 0; i < call.arg(1).size(); ++i) {
    const Value& index = call.arg(1).values()[i];
    const Vmap::Unwrapped unwrapped = call.unwrap(index);
    result.values.push_back(unwrapped.value);
    result.batched.push_back(unwrapped.dim.has_value());
    if (!index.is_tensor()) {
      inside = false;
      if (result.rank < 0) ++result.leading_nones;
      continue;
    }
    if (!std::exchange(inside, true)) ++regions;
    result.rank = std::max(result.rank, call.logical_rank(unwrapped));
    result.any_batched = result.any_batched || unwrapped.dim;
    if (unwrapped.dim && index.tensor().dtype() == DType::kBool) {
      throw_error(ErrorKind::kRuntimeError,
                  "vmap: We do not support batching operators that can support dynamic shape. "
                  "Attempting to batch over indexing with a boolean mask.");
    }
  }
  result.adjacent = regions <= 1;
  return result;
}

// batchIndices: lined up, and what indexes the batch itself in front.
Value batched_indices(const BatchCall& call, const Indices& indices, bool self_batched) {
  SmallVector<Value, 8> all;
  if (self_batched && !indices.any_batched) all.push_back(Value());
  if (self_batched && indices.any_batched) {
    Value batch = call.call("aten::arange.start", {0, call.batch_size()});
    while (batch.tensor().dim() < indices.rank + 1)
      batch = call.call("aten::unsqueeze", {batch, -1});
    all.push_back(batch);
  }
  for (size_t i = 0; i < indices.values.size(); ++i) {
    const Vmap::Unwrapped index = call.unwrap(call.arg(1).values()[i]);
    all.push_back(index.value.is_tensor()
                      ? call.padded(call.move_to_front(index), indices.batched[i], indices.rank)
                      : Value());
  }
  return call.context().make_list(all.span());
}

// The dimensions of the indices, which stand behind the batch, go behind `count` more.
Value swapped_regions(const BatchCall& call, const Value& result, int64_t size, int64_t count) {
  DimVector order;
  for (int64_t i = 0; i < result.tensor().dim(); ++i) {
    const bool in_second = i > 0 && i <= count;
    const bool in_first = i > count && i <= count + size;
    order.push_back(in_second ? i + size : in_first ? i - count : i);
  }
  return call.call("aten::permute", {result, call.context().make_ints(order)});
}

Value index(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Indices indices = read_indices(call);
  const Value moved = call.move_to_front(self);
  const Value batched = batched_indices(call, indices, self.dim.has_value());
  const Value result = call.call("aten::index.Tensor", {moved, batched});
  if (!indices.any_batched) return call.wrap(result, indices.adjacent ? 0 : indices.rank);
  if (!self.dim) return call.wrap(result, indices.adjacent ? indices.leading_nones : 0);
  if (!indices.adjacent || indices.leading_nones == 0) return call.wrap(result, 0);
  return call.wrap(swapped_regions(call, result, indices.rank, indices.leading_nones), 0);
}

// embedding_batch_rule
Value embedding(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped weight = call.unwrap_arg(0);
  const Vmap::Unwrapped indices = call.unwrap_arg(1);
  Args args = arguments(call);
  args[1] = indices.value;
  if (!weight.dim) {
    return call.wrap(call.run(args.span()), *indices.dim);
  }
  const SymInt batch = call.batch_size();
  if (!indices.dim) {
    args[0] = call.reshape_dim_into(*weight.dim, 1, weight.value);
    const Value result = call.reshape_dim_outof(-1, batch, call.run(args.span()));
    return call.wrap(result, result.tensor().dim() - 2);
  }
  const SymInt rows = weight.value.tensor().size(*weight.dim == 0 ? 1 : 0);
  args[0] = call.reshape_dim_into(*weight.dim, 0, weight.value);
  const Value moved = call.move_to_front(indices);
  const Tensor& places = moved.tensor();
  DimVector steps = {batch};
  for (int64_t i = 1; i < places.dim(); ++i) steps.push_back(1);
  const Value range = call.call("aten::arange.start_step", {0, batch * rows, rows, places.dtype(),
                                                            Value::unset(), places.device()});
  const Value column = call.call("aten::view", {range, call.context().make_ints(steps)});
  args[1] = call.call("aten::add.Tensor", {moved, column});
  return call.wrap(call.run(args.span()), 0);
}

// where_self_batch_rule
Value where(BatchCall& call, uint32_t) {
  int64_t rank = 0;
  for (const size_t i : {0, 1, 2}) rank = std::max(rank, call.logical_rank(call.unwrap_arg(i)));
  Args args = arguments(call);
  for (const size_t i : {0, 1, 2}) {
    const Vmap::Unwrapped tensor = call.unwrap_arg(i);
    args[i] = call.padded(call.move_to_front(tensor), tensor.dim.has_value(), rank);
  }
  return call.wrap(call.run(args.span()), 0);
}

Value masked_fill(BatchCall& call, uint32_t) {
  const Pair pair = aligned_pair(call, call.unwrap_arg(0), call.unwrap_arg(1), false);
  Args args = arguments(call);
  args[0] = pair.first;
  args[1] = pair.second;
  return call.wrap(call.run(args.span()), 0);
}

// In order of their names.
constexpr BatchRule kViewRules[] = {
    {"_reshape_alias.default", &reshape_alias},
    {"_unsafe_view.default", &view},
    {"cat.default", &cat},
    {"clone.default", &clone},
    {"diag_embed.default", &on_dims_of_result, at(2) | at(3)},
    {"diagonal.default", &on_dims_of_self, at(2) | at(3)},
    {"embedding.default", &embedding},
    {"expand.default", &expand},
    {"expand_copy.default", &expand},
    {"flip.default", &on_dims_of_self, at(1)},
    {"gather.default", &along_dim},
    {"index.Tensor", &index},
    {"index_select.default", &index_select},
    {"masked_fill.Scalar", &masked_fill},
    {"movedim.intlist", &on_dims_of_self, at(1) | at(2)},
    {"narrow_copy.default", &on_dims_of_self, at(1)},
    {"permute.default", &permute},
    {"repeat.default", &repeat},
    {"roll.default", &roll},
    {"scatter.src", &along_dim},
    {"scatter.value", &along_dim},
    {"scatter_add.default", &along_dim},
    {"select.int", &on_dims_of_self, at(1)},
    {"slice.Tensor", &on_dims_of_self, at(1)},
    {"split.Tensor", &on_dims_of_self, at(2)},
    {"split_with_sizes.default", &on_dims_of_self, at(2)},
    {"squeeze.default", &squeeze},
    {"squeeze.dim", &squeeze_dims},
    {"squeeze.dims", &squeeze_dims},
    {"stack.default", &stack},
    {"t.default", &t},
    {"transpose.int", &transpose},
    {"unbind.int", &on_dims_of_self, at(1)},
    {"unfold.default", &unfold},
    {"unsafe_split.Tensor", &on_dims_of_self, at(2)},
    {"unsqueeze.default", &on_dims_of_result, at(1)},
    {"view.default", &view},
    {"view_copy.default", &view},
    {"where.self", &where},
};

}  // namespace

std::span<const BatchRule> view_batch_rules() { return kViewRules; }

}  // namespace faketensor
