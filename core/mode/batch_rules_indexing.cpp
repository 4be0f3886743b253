// Batching rules of look-ups, scatters and searches. Mirrors
// aten/src/ATen/functorch/BatchRulesScatterOps.cpp and BatchRulesDecompositions.cpp.
#include <algorithm>
#include <utility>

#include "core/mode/batch_rules.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using Args = SmallVector<Value, 16>;

// A tensor of at least one dimension that has the batch in front.
Value as_rows(const BatchCall& call, size_t index) {
  const Vmap::Unwrapped tensor = call.unwrap_arg(index);
  const Value self = call.with_batch_dim(tensor);
  return call.logical_rank(tensor) == 0 ? call.call("aten::unsqueeze", {self, -1}) : self;
}

// gather(self, dim, index), scatter.src and scatter.value, scatter_add: indices and sources as the
// operator has them, every tensor with a batch dimension.
Value along_dim(BatchCall& call, uint32_t) {
  Args args(call.args());
  const int64_t rank = call.logical_rank(call.unwrap_arg(0));
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

// Moves the dimensions of the indices, which stand behind the batch, behind `count` more.
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

// --- index_put, index_put_batch_rule ---

// The rank of a tensor indexed so: a mask stands for as many dimensions as it has.
int64_t indexed_rank(const Value& self, const Value& indices) {
  int64_t rank = self.tensor().dim();
  int64_t index_rank = 0;
  for (const Value& index : indices.values()) {
    if (!index.is_tensor()) continue;
    const bool is_mask =
        index.tensor().dtype() == DType::kBool || index.tensor().dtype() == DType::kUInt8;
    rank -= is_mask ? index.tensor().dim() : 1;
    index_rank = std::max(index_rank, is_mask ? 1 : index.tensor().dim());
  }
  return rank + index_rank;
}

// What is put has the batch in front; the indexed tensor may have it elsewhere.
// (maybe_permute_values)
Value permuted_values(const BatchCall& call, const Value& values, const Indices& indices) {
  if (!indices.any_batched)
    return indices.adjacent ? values : call.movedim(values, 0, indices.rank);
  if (!indices.adjacent || indices.leading_nones == 0) return values;
  return swapped_regions(call, values, indices.leading_nones, indices.rank);
}

Value index_put(BatchCall& call, uint32_t) {
  const Value self = call.with_batch_dim(call.unwrap_arg(0));
  const Indices indices = read_indices(call);
  const Value batched = batched_indices(call, indices, true);
  const Value values =
      call.padded(call.with_batch_dim(call.unwrap_arg(2)), true, indexed_rank(self, batched) - 1);
  return call.wrap(call.call("aten::index_put",
                             {self, batched, permuted_values(call, values, indices), call.arg(3)}),
                   0);
}

// index_fill_int_scalar_batch_rule, index_fill_int_tensor_batch_rule: a copy is filled, indices that
// are batched as indices of the batch and the dimension in one.
Value index_fill(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped given = call.unwrap_arg(0);
  const Vmap::Unwrapped index = call.unwrap_arg(2);
  const Value& number = call.arg(3);
  const bool fills_slices = number.is_tensor() && call.unwrap(number).dim;
  const std::string_view op =
      number.is_tensor() ? "aten::index_fill_.int_Tensor" : "aten::index_fill_.int_Scalar";
  const int64_t rank = call.logical_rank(given);
  const int64_t dim = wrap_dim(call.integer(1), rank);
  Value self = call.with_batch_dim({call.call("aten::clone", {given.value}), given.dim});
  if (fills_slices) {
    const auto slice = [&](const Value& value) {
      return call.call("aten::select.int", {value, 0, 0});
    };
    call.call(op, {slice(self), dim, slice(call.with_batch_dim(index)),
                   slice(call.with_batch_dim(call.unwrap(number)))});
    return call.wrap(self, 0);
  }
  if (!index.dim) {
    if (rank == 0) self = call.call("aten::unsqueeze", {self, -1});
    call.call(op, {self, dim + 1, index.value, number});
    return call.wrap(rank == 0 ? call.call("aten::squeeze.dim", {self, -1}) : self, 0);
  }
  if (!given.dim) self = call.call("aten::clone", {self});
  Value places = call.move_to_front(index);
  if (rank == 0) {
    if (call.logical_rank(index) != 0) places = call.reshape_dim_into(0, 0, places);
    const Value column = call.call("aten::unsqueeze", {self, -1});
    call.call(op, {column, dim + 1, places, number});
    return call.wrap(self, 0);
  }
  if (call.logical_rank(index) == 0) places = call.call("aten::unsqueeze", {places, -1});
  const Tensor& rows = places.tensor();
  const Value range =
      call.call("aten::arange", {call.batch_size(), rows.dtype(), Value::unset(), rows.device()});
  const Value column = call.call("aten::unsqueeze", {range, -1});
  places = call.call("aten::add.Tensor", {places, column, self.tensor().size(dim + 1)});
  self = call.reshape_dim_into(0, dim, self);
  call.call(op, {self, dim, call.reshape_dim_into(0, 0, places), number});
  return call.wrap(call.reshape_dim_outof(dim, call.batch_size(), self), dim);
}

// diagonal_scatter_batch_rule
Value diagonal_scatter(BatchCall& call, uint32_t) {
  Args args(call.args());
  const int64_t rank = call.logical_rank(call.unwrap_arg(0));
  for (const size_t i : {0, 1}) args[i] = call.with_batch_dim(call.unwrap_arg(i));
  for (const size_t i : {3, 4}) args[i] = call.physical_dim(call.integer(i), rank);
  return call.wrap(call.run(args.span()), 0);
}

// --- searches ---

// searchsorted_batch_rule: boundaries of one dimension serve all; of several, each row its own.
Value searchsorted(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped boundaries = call.unwrap_arg(0);
  const Vmap::Unwrapped self = call.unwrap_arg(1);
  const bool has_sorter = call.arg(5).is_tensor();
  const Vmap::Unwrapped sorter = has_sorter ? call.unwrap_arg(5) : Vmap::Unwrapped{};
  Args args(call.args());
  const bool is_row = call.logical_rank(boundaries) == 1;
  if (is_row && !boundaries.dim && !sorter.dim) {
    args[1] = self.value;
    return call.wrap(call.run(args.span()), *self.dim);
  }
  if (!boundaries.dim && !sorter.dim) {
    args[1] = call.reshape_dim_into(*self.dim, -1, self.value);
    const Value found = call.reshape_dim_outof(-1, call.batch_size(), call.run(args.span()));
    return call.wrap(found, found.tensor().dim() - 2);
  }
  args[0] = call.with_batch_dim(boundaries);
  if (has_sorter) args[5] = call.with_batch_dim(sorter);
  const Value wanted = call.with_batch_dim(self);
  args[1] = wanted;
  if (!is_row) return call.wrap(call.run(args.span()), 0);
  const bool is_number = call.logical_rank(self) == 0;
  args[1] = is_number ? call.call("aten::unsqueeze", {wanted, -1})
                      : call.call("aten::flatten.using_ints", {wanted, 1});
  const Value found = call.run(args.span());
  const Value sizes = call.context().make_ints(wanted.tensor().sizes());
  return call.wrap(is_number ? call.call("aten::squeeze.dim", {found, -1})
                             : call.call("aten::view", {found, sizes}),
                   0);
}

// bucketize_decomp_Tensor
Value bucketize(BatchCall& call, uint32_t) {
  return call.call("aten::searchsorted.Tensor",
                   {call.arg(1), call.arg(0), call.arg(2), call.arg(3), Value(), Value()});
}

// embedding_batch_rule
Value embedding(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped weight = call.unwrap_arg(0);
  const Vmap::Unwrapped indices = call.unwrap_arg(1);
  Args args(call.args());
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
  Args args(call.args());
  for (const size_t i : {0, 1, 2}) {
    const Vmap::Unwrapped tensor = call.unwrap_arg(i);
    args[i] = call.padded(call.move_to_front(tensor), tensor.dim.has_value(), rank);
  }
  return call.wrap(call.run(args.span()), 0);
}

Value masked_fill(BatchCall& call, uint32_t) {
  const Pair pair = aligned_pair(call, call.unwrap_arg(0), call.unwrap_arg(1), false);
  Args args(call.args());
  args[0] = pair.first;
  args[1] = pair.second;
  return call.wrap(call.run(args.span()), 0);
}

// In order of their names.
constexpr BatchRule kIndexingRules[] = {
    {"bucketize.Tensor", &bucketize},
    {"diagonal_scatter.default", &diagonal_scatter},
    {"embedding.default", &embedding},
    {"gather.default", &along_dim},
    {"index.Tensor", &index},
    {"index_fill.int_Scalar", &index_fill},
    {"index_fill.int_Tensor", &index_fill},
    {"index_put.default", &index_put},
    {"index_select.default", &index_select},
    {"masked_fill.Scalar", &masked_fill},
    {"scatter.src", &along_dim},
    {"scatter.value", &along_dim},
    {"scatter_add.default", &along_dim},
    {"searchsorted.Tensor", &searchsorted},
    {"where.self", &where},
};

}  // namespace

std::span<const BatchRule> indexing_batch_rules() { return kIndexingRules; }

}  // namespace faketensor
