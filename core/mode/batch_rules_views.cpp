// Batching rules of views and joins. Mirrors aten/src/ATen/functorch/BatchRulesViews.cpp and
// LegacyBatchingRegistrations.cpp.
#include <algorithm>
#include <utility>

#include "core/mode/batch_rules.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

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
      args[i] = call.physical_dim(args[i].to_int(), rank);
      continue;
    }
    DimVector dims;
    for (size_t d = 0; d < args[i].size(); ++d)
      dims.push_back(call.physical_dim(args[i][d].to_int(), rank));
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
    dims.push_back(call.physical_dim(call.arg(1)[i].to_int(), rank_of(call)));
  args[1] = call.context().make_ints(dims);
  return run_on(call, front(call), args);
}

bool transposes_a_number(const BatchCall& call) {
  const auto is_allowed = [&](size_t i) { return call.integer(i) == 0 || call.integer(i) == -1; };
  return rank_of(call) == 0 && is_allowed(1) && is_allowed(2);
}

// transpose_int_batch_rule: of numbers it is nothing.
Value transpose(BatchCall& call, uint32_t) {
  if (transposes_a_number(call)) {
    const Vmap::Unwrapped self = call.unwrap_arg(0);
    return call.wrap(self.value, *self.dim);
  }
  return on_dims(call, at(1) | at(2), 0);
}

// at::native::t and t_, which swap the dimensions that are seen.
Value t(BatchCall& call, uint32_t is_inplace) {
  const int64_t rank = rank_of(call);
  if (rank > 2) {
    throw_error(ErrorKind::kRuntimeError,
                format("{} expects a tensor with <= 2 dimensions, but self is {}D",
                       is_inplace != 0 ? "t_()" : "t()", rank));
  }
  return call.call(is_inplace != 0 ? "aten::transpose_" : "aten::transpose.int",
                   {call.arg(0), 0, rank < 2 ? 0 : 1});
}

// view(self, size), _unsafe_view, _reshape_alias: the batch's size in front of the sizes.
Value view(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  args[1] = call.with_batch_size(call.arg(1));
  return run_on(call, front(call), args);
}

// _unsafe_view_batch_rule: copies where there is no view.
Value unsafe_view(BatchCall& call, uint32_t) {
  Args args = arguments(call);
  args[1] = call.with_batch_size(call.arg(1));
  Value self = front(call);
  const Tensor& tensor = self.tensor();
  DimVector sizes;
  for (size_t i = 0; i < args[1].size(); ++i) sizes.push_back(args[1][i].as_sym_int());
  if (!view_strides(tensor.sizes(), tensor.strides(), infer_shape(sizes, tensor.numel())))
    self = call.call("aten::contiguous", {self});
  return run_on(call, self, args);
}

// as_strided_batching_rule: each slice's view begins where the slice does.
Value as_strided(BatchCall& call, uint32_t) {
  const Value self = front(call);
  const Tensor& tensor = self.tensor();
  DimVector given_sizes;
  DimVector given_strides;
  for (size_t i = 0; i < call.arg(1).size(); ++i)
    given_sizes.push_back(call.arg(1)[i].as_sym_int());
  for (size_t i = 0; i < call.arg(2).size(); ++i)
    given_strides.push_back(call.arg(2)[i].as_sym_int());
  const Dims sizes = given_sizes;
  const Dims strides = given_strides;
  if (sizes.size() != strides.size()) {
    throw_error(ErrorKind::kRuntimeError,
                format("Tensor.as_strided(size, stride, ...): size and stride must have the same "
                       "length! Got size {} and stride {}",
                       sizes, strides));
  }
  const SymInt begin = tensor.offset();
  const SymInt offset = call.arg(3).is_none() ? begin : call.arg(3).as_sym_int();
  const SymInt elements = storage_elements(sizes, strides, 0);
  const SymInt slice = storage_elements(tensor.sizes().subspan(1), tensor.strides().subspan(1), 0);
  constexpr std::string_view kAdvice =
      "This is not supported inside of vmap, please try to rewrite the `as_strided` call as a "
      "sequence of PyTorch view operations";
  if (guard_bool(elements != 0) && guard_bool(slice == 0)) {
    throw_error(ErrorKind::kRuntimeError,
                format("result = tensor.as_strided({}, {}, {}) can access memory outside of "
                       "`tensor`. `tensor` has no storage but the passed-in (size, stride, "
                       "storage_offset) imply a result with some storage. {}",
                       sizes, strides, offset, kAdvice));
  }
  if (guard_bool(elements != 0) &&
      !(guard_bool(elements + offset <= slice + begin) && guard_bool(begin <= offset))) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("result = tensor.as_strided({}, {}, {}) can access memory outside of "
               "`tensor`. `result` can access some memory in range [{}, {}], but `tensor` "
               "can only access some memory in range [{}, {}]. {}",
               sizes, strides, offset, offset, elements + offset, begin, slice + begin, kAdvice));
  }
  Args args = arguments(call);
  args[1] = call.with_batch_size(call.arg(1));
  DimVector all_strides = {tensor.stride(0)};
  all_strides.append(strides);
  args[2] = call.context().make_ints(all_strides);
  return run_on(call, self, args);
}

Value reshape_alias(BatchCall& call, uint32_t) {
  return call.wrap(call.call("aten::reshape", {front(call), call.with_batch_size(call.arg(1))}), 0);
}

// expand_batch_rule: dimensions of size 1 between the batch dimension and the tensor's own.
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

// The dimensions to squeeze, and those of the value that they are.
struct Squeezed {
  DimVector dims;
  int64_t batch_dim;  // where the batch dimension is then
};

Squeezed squeezed_dims(const BatchCall& call) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Tensor& tensor = self.value.tensor();
  DimVector seen;
  if (call.arg(1).is_list()) {
    for (size_t i = 0; i < call.arg(1).size(); ++i) seen.push_back(call.arg(1)[i].as_sym_int());
  } else {
    seen.push_back(call.arg(1).as_sym_int());
  }
  Squeezed result{{}, *self.dim};
  if (tensor.dim() == 1) {
    if (seen.size() > 1 || (seen.size() == 1 && !guard_bool(seen[0] == 0))) {
      throw_error(ErrorKind::kRuntimeError, format("Dimension is out of range (expected to be in "
                                                   "range of [-1, 0], but got {}",
                                                   Dims(seen)));
    }
    return result;
  }
  for (const SymInt each : seen) {
    const int64_t dim = wrap_dim(guard_int(each), tensor.dim() - 1);
    const bool is_before = dim < *self.dim;
    if (is_before && guard_bool(tensor.size(dim) == 1)) --result.batch_dim;
    result.dims.push_back(is_before ? dim : dim + 1);
  }
  return result;
}

// squeeze_dims_batch_rule
Value squeeze_dims(BatchCall& call, uint32_t) {
  const Squeezed to = squeezed_dims(call);
  const Value self = call.unwrap_arg(0).value;
  const Value result =
      self.tensor().dim() == 1
          ? call.call("aten::alias", {self})
          : call.call("aten::squeeze.dims", {self, call.context().make_ints(to.dims)});
  return call.wrap(result, to.batch_dim);
}

// --- views in place: the value becomes another view, and the batched tensor shows it again ---

// A dimension that the user sees, as a dimension of the value, wherever its batch dimension is.
int64_t value_dim(const BatchCall& call, size_t index) {
  const int64_t dim = wrap_dim(call.integer(index), rank_of(call));
  return dim < *call.unwrap_arg(0).dim ? dim : dim + 1;
}

// transpose__batching_rule
Value transpose_inplace(BatchCall& call, uint32_t) {
  if (transposes_a_number(call)) return call.written(0);
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  call.call("aten::transpose_", {self.value, value_dim(call, 1), value_dim(call, 2)});
  return call.reshaped(*self.dim);
}

// unsqueeze__batching_rule
Value unsqueeze_inplace(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const int64_t dim = wrap_dim(call.integer(1), rank_of(call) + 1);
  const bool is_before = dim < *self.dim;
  call.call("aten::unsqueeze_", {self.value, is_before ? dim : dim + 1});
  return call.reshaped(is_before ? *self.dim + 1 : *self.dim);
}

// squeeze_dims__batching_rule
Value squeeze_dims_inplace(BatchCall& call, uint32_t) {
  const Squeezed to = squeezed_dims(call);
  const Value self = call.unwrap_arg(0).value;
  if (self.tensor().dim() == 1) return call.written(0);
  call.call("aten::squeeze_.dims", {self, call.context().make_ints(to.dims)});
  return call.reshaped(to.batch_dim);
}

// squeeze__batching_rule, by which a batch of one is lost: the dimension that takes its place is
// hidden instead.
Value squeeze_inplace(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Tensor& tensor = self.value.tensor();
  int64_t batch_dim = *self.dim;
  for (int64_t i = 0; i < *self.dim; ++i)
    if (guard_bool(tensor.size(i) == 1)) --batch_dim;
  call.call("aten::squeeze_", {self.value});
  if (tensor.dim() == 0) {
    throw_error(ErrorKind::kRuntimeError,
                "SmallVector unable to grow. Requested capacity (18446744073709551615) is larger "
                "than maximum value for size type (4294967295)");
  }
  return call.reshaped(batch_dim);
}

// resize__plumbing
Value resize_inplace(BatchCall& call, uint32_t) {
  const Value& format_argument = call.arg(2);
  if (format_argument.is(Value::Tag::kMemoryFormat) &&
      format_argument.memory_format() != MemoryFormat::kContiguous) {
    throw_error(ErrorKind::kRuntimeError,
                "resize_: batching rule only supports None or Contiguous MemoryFormat");
  }
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  if (*self.dim != 0) {
    throw_error(ErrorKind::kRuntimeError,
                "self_bdim == 0 INTERNAL ASSERT FAILED at "
                "\"/__w/pytorch/pytorch/aten/src/ATen/functorch/BatchRulesViews.cpp\":170, please "
                "report a bug to PyTorch. NYI: resize_ batch rule for batch dim != 0");
  }
  call.call("aten::resize_", {self.value, call.with_batch_size(call.arg(1))});
  return call.reshaped(0);
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

// In order of their names.
constexpr BatchRule kViewRules[] = {
    {"_reshape_alias.default", &reshape_alias},
    {"_unsafe_view.default", &unsafe_view},
    {"as_strided.default", &as_strided},
    {"cat.default", &cat},
    {"clone.default", &clone},
    {"diag_embed.default", &on_dims_of_result, at(2) | at(3)},
    {"diagonal.default", &on_dims_of_self, at(2) | at(3)},
    {"expand.default", &expand},
    {"expand_copy.default", &expand},
    {"flip.default", &on_dims_of_self, at(1)},
    {"movedim.intlist", &on_dims_of_self, at(1) | at(2)},
    {"narrow_copy.default", &on_dims_of_self, at(1)},
    {"permute.default", &permute},
    {"repeat.default", &repeat},
    {"resize_.default", &resize_inplace},
    {"roll.default", &roll},
    {"select.int", &on_dims_of_self, at(1)},
    {"slice.Tensor", &on_dims_of_self, at(1)},
    {"split.Tensor", &on_dims_of_self, at(2)},
    {"split_with_sizes.default", &on_dims_of_self, at(2)},
    {"squeeze.default", &squeeze},
    {"squeeze.dim", &squeeze_dims},
    {"squeeze.dims", &squeeze_dims},
    {"squeeze_.default", &squeeze_inplace},
    {"squeeze_.dim", &squeeze_dims_inplace},
    {"squeeze_.dims", &squeeze_dims_inplace},
    {"stack.default", &stack},
    {"t.default", &t},
    {"t_.default", &t, true},
    {"transpose.int", &transpose},
    {"transpose_.default", &transpose_inplace},
    {"unbind.int", &on_dims_of_self, at(1)},
    {"unfold.default", &unfold},
    {"unsafe_split.Tensor", &on_dims_of_self, at(2)},
    {"unsqueeze.default", &on_dims_of_result, at(1)},
    {"unsqueeze_.default", &unsqueeze_inplace},
    {"view.default", &view},
    {"view_copy.default", &view},
};

}  // namespace

std::span<const BatchRule> view_batch_rules() { return kViewRules; }

}  // namespace faketensor
