// The frame of a batching rule, and what answers where there is none.
#include <algorithm>
#include <array>

#include "core/mode/batch_rules.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

// --- the frame ---

Value BatchCall::call(std::string_view op, std::initializer_list<Value> args) const {
  return context_.call(Registry::builtin().find(op), {args.begin(), args.size()});
}

Value BatchCall::wrap(const Value& result, int64_t dim) const {
  if (result.is_tensor()) return vmap_.wrap(result, dim, level_);
  if (!result.is(Value::Tag::kList)) return result;
  SmallVector<Value, 4> wrapped;
  for (const Value& element : result.values()) wrapped.push_back(wrap(element, dim));
  return context_.make_list(wrapped.span());
}

Value BatchCall::movedim(const Value& tensor, int64_t from, int64_t to) const {
  return call("aten::movedim.int", {tensor, from, to});
}

Value BatchCall::move_to_front(const Vmap::Unwrapped& tensor) const {
  return tensor.dim.value_or(0) == 0 ? tensor.value : movedim(tensor.value, *tensor.dim, 0);
}

Value BatchCall::with_batch_dim(const Vmap::Unwrapped& tensor) const {
  if (tensor.dim) return move_to_front(tensor);
  DimVector sizes = {batch_};
  sizes.append(tensor.value.tensor().sizes());
  return call("aten::expand", {tensor.value, context_.make_ints(sizes)});
}

Value BatchCall::padded(const Value& front, bool is_batched, int64_t rank) const {
  const Tensor& tensor = front.tensor();
  if (!is_batched || tensor.dim() - 1 >= rank) return front;
  DimVector sizes = {tensor.size(0)};
  for (int64_t i = tensor.dim() - 1; i < rank; ++i) sizes.push_back(1);
  sizes.append(tensor.sizes().subspan(1));
  return call("aten::view", {front, context_.make_ints(sizes)});
}

Value BatchCall::reshape_dim_into(int64_t from, int64_t to, const Value& tensor) const {
  DimVector sizes(tensor.tensor().sizes());
  const int64_t rank = tensor.tensor().dim();
  if (from < 0) from += rank;
  if (to < 0) to += rank - 1;
  const SymInt batch = sizes[static_cast<size_t>(from)];
  sizes.erase(static_cast<size_t>(from));
  sizes[static_cast<size_t>(to)] = sizes[static_cast<size_t>(to)] * batch;
  return call("aten::reshape", {movedim(tensor, from, to), context_.make_ints(sizes)});
}

Value BatchCall::reshape_dim_outof(int64_t from, SymInt size, const Value& tensor) const {
  DimVector sizes(tensor.tensor().sizes());
  if (from < 0) from += tensor.tensor().dim();
  const auto at = static_cast<size_t>(from);
  const SymInt whole = sizes[at];
  const SymInt rest = guard_or_false(whole == 0) ? SymInt(0) : floor_div(whole, size);
  sizes[at] = size;
  sizes.insert(at + 1, rest);
  return call("aten::reshape", {tensor, context_.make_ints(sizes)});
}

int64_t BatchCall::physical_dim(int64_t dim, int64_t rank) const { return wrap_dim(dim, rank) + 1; }

Value BatchCall::with_batch_size(const Value& sizes) const {
  DimVector all = {batch_};
  for (size_t i = 0; i < sizes.size(); ++i) all.push_back(sizes[i].as_sym_int());
  return context_.make_ints(all);
}

namespace {

Value cast(const BatchCall& call, const Value& tensor, DType dtype) {
  return tensor.tensor().dtype() == dtype ? tensor : call.call("aten::to.dtype", {tensor, dtype});
}

// handleScalarTypePromotion: a batch of numbers promotes as a number does.
void promote_scalar(const BatchCall& call, Value& scalar, Value& other) {
  const Value one = call.call("aten::select.int", {scalar, 0, 0});
  const Value number = call.call("aten::result_type.Tensor", {one, other});
  const auto dtype = static_cast<DType>(number.as_sym_int().as_int());
  scalar = cast(call, scalar, dtype);
  other = cast(call, other, dtype);
}

}  // namespace

Pair aligned_pair(const BatchCall& call, const Vmap::Unwrapped& first,
                  const Vmap::Unwrapped& second, bool promote) {
  const int64_t first_rank = call.logical_rank(first);
  const int64_t second_rank = call.logical_rank(second);
  const int64_t rank = std::max(first_rank, second_rank);
  Value a = call.move_to_front(first);
  Value b = call.move_to_front(second);
  const bool first_is_scalar = first_rank == 0 && first.dim;
  const bool second_is_scalar = second_rank == 0 && second.dim;
  if (promote && first_is_scalar && !second_is_scalar) promote_scalar(call, a, b);
  if (promote && second_is_scalar && !first_is_scalar) promote_scalar(call, b, a);
  const Value padded_a = call.padded(a, first.dim.has_value(), rank);
  const Value padded_b = call.padded(b, second.dim.has_value(), rank);
  return {padded_a, padded_b};
}

namespace {

using Args = SmallVector<Value, 16>;

// --- factories of random numbers ---

constexpr std::string_view kErrorMode =
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap";
constexpr std::string_view kSameBatched =
    "Vmap does not currently support same randomness with a batched tensor input. Please file an "
    "issue with functorch";

const BatchRule* find_in(std::span<const BatchRule> rules, std::string_view op) {
  const auto found =
      std::lower_bound(rules.begin(), rules.end(), op,
                       [](const BatchRule& rule, std::string_view name) { return rule.op < name; });
  return found != rules.end() && found->op == op ? &*found : nullptr;
}

}  // namespace

const BatchRule* find_batch_rule(const OpEntry& entry) {
  if (!entry.is_aten()) return nullptr;
  const std::string_view op = entry.local_name();
  for (const auto rules :
       {shared_batch_rules(), view_batch_rules(), indexing_batch_rules(), product_batch_rules()}) {
    if (const BatchRule* rule = find_in(rules, op)) return rule;
  }
  return nullptr;
}

// Mirrors check_randomness and the rules of BatchRulesRandomness.cpp: numbers that differ in the
// batch are drawn for it as a dimension.
Value batch_random(BatchCall& call, VmapRandomness randomness) {
  bool is_batched = false;
  for (const Value& arg : call.args())
    is_batched = is_batched || (arg.is_tensor() && call.unwrap(arg).dim);
  if (randomness == VmapRandomness::kError)
    throw_error(ErrorKind::kRuntimeError, std::string(kErrorMode));
  if (randomness == VmapRandomness::kSame) {
    if (is_batched) throw_error(ErrorKind::kRuntimeError, std::string(kSameBatched));
    return call.run(call.args());
  }
  Args args(call.args());
  const int size = call.op().schema.find_argument("size");
  if (size >= 0)
    args[static_cast<size_t>(size)] = call.with_batch_size(args[static_cast<size_t>(size)]);
  bool has_tensor = size >= 0;
  for (Value& arg : args) {
    if (!arg.is_tensor()) continue;
    has_tensor = true;
    arg = call.with_batch_dim(call.unwrap(arg));
  }
  if (!has_tensor) return batch_by_slices(call);
  const Value result = call.run(args.span());
  if ((call.op().written_arguments & 1) != 0) return call.written(0);
  return call.wrap(result, 0);
}

Value batch_by_slices(BatchCall& call) {
  const OpEntry& op = call.op();
  if (op.name == "aten::_local_scalar_dense.default" || op.name == "aten::item.default") {
    throw_error(
        ErrorKind::kRuntimeError,
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over "
        "calling .item() on a Tensor, please try to rewrite what you're doing with other "
        "operations. If error is occurring somewhere inside PyTorch internals, please file "
        "a bug report.");
  }
  std::string_view name = op.name;
  if (name.ends_with(".default")) name.remove_suffix(8);
  if ((op.tags & (kDynamicShape | kSizeIsData)) != 0) {
    throw_error(ErrorKind::kRuntimeError,
                format("vmap: We do not support batching operators that can output dynamic shape. "
                       "Attempted to vmap over {}. Please file an issue at "
                       "https://github.com/pytorch/pytorch/issues if you need this feature.",
                       name));
  }
  const bool is_inplace = (op.written_arguments & 1) != 0;
  if (!is_inplace && (op.written_arguments != 0 || (op.tags & kView) != 0)) {
    throw_error(ErrorKind::kRuntimeError,
                format("Batching rule not implemented for {}; the fallback path doesn't work on "
                       "out= or view ops.",
                       name));
  }
  const auto slice = [&](const Value& value) {
    if (!value.is_tensor()) return value;
    const Vmap::Unwrapped tensor = call.unwrap(value);
    return tensor.dim ? call.call("aten::select.int", {tensor.value, *tensor.dim, 0}) : value;
  };
  Args args(call.args());
  for (Value& arg : args) {
    if (!arg.is(Value::Tag::kList)) {
      arg = slice(arg);
      continue;
    }
    SmallVector<Value, 8> elements;
    for (const Value& element : arg.values()) elements.push_back(slice(element));
    arg = call.context().make_list(elements.span());
  }
  const Value result = call.run(args.span());
  if (is_inplace && call.unwrap_arg(0).dim) return call.written(0);
  const auto stacked = [&](const Value& value) {
    if (!value.is_tensor()) return value;
    DimVector sizes = {call.batch_size()};
    sizes.append(value.tensor().sizes());
    return call.wrap(call.context().empty(sizes, value.tensor().dtype(), value.tensor().device()),
                     0);
  };
  if (!result.is(Value::Tag::kList)) return stacked(result);
  SmallVector<Value, 4> results;
  for (const Value& value : result.values()) results.push_back(stacked(value));
  return call.context().make_list(results.span());
}

}  // namespace faketensor
