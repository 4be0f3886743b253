#include "core/mode/vmap.h"

#include <algorithm>

#include "core/mode/batch_rules.h"
#include "core/ops/arguments.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"

namespace faketensor {

namespace {

constexpr size_t kMaxLevels = 32;  // a rule calls that of the level below

VmapRandomness randomness_of(std::string_view name) {
  if (name == "error") return VmapRandomness::kError;
  if (name == "different") return VmapRandomness::kDifferent;
  if (name == "same") return VmapRandomness::kSame;
  throw_error(ErrorKind::kRuntimeError,
              format("randomness argument must be error, same, or different. Got {}", name));
}

template <typename Visit>
void for_each_tensor(std::span<const Value> args, Visit&& visit) {
  for (const Value& arg : args) {
    if (arg.is_tensor()) visit(arg);
    if (arg.is(Value::Tag::kList)) for_each_tensor(arg.values(), visit);
  }
}

bool has_tensor(std::span<const Argument> values) {
  return std::any_of(values.begin(), values.end(),
                     [](const Argument& value) { return value.type.kind == ArgKind::kTensor; });
}

// vmap_check_escaped
[[noreturn, gnu::cold]] void throw_escaped() {
  throw_error(
      ErrorKind::kRuntimeError,
      "Either your tensor may have escaped from inside a function being vmapped and this is "
      "a user error (see https://pytorch.org/functorch/stable/ux_limitations.html), or there "
      "is an internal functorch error in `gen_vmap_plumbing` Please file an issue if it "
      "looks like the latter");
}

}  // namespace

int64_t Vmap::increment_nesting(SymInt batch_size, std::string_view randomness) {
  if (layers_.size() >= kMaxLevels)
    throw_error(ErrorKind::kLimitExceeded, format("vmap nested more than {} deep", kMaxLevels));
  layers_.push_back({batch_size, randomness_of(randomness)});
  active_ = static_cast<int64_t>(layers_.size());
  return active_;
}

int64_t Vmap::decrement_nesting() {
  if (layers_.empty()) throw_error(ErrorKind::kRuntimeError, "vmap: no level to leave");
  const auto level = static_cast<int64_t>(layers_.size());
  layers_.pop_back();
  active_ = level - 1;
  return level;
}

const Vmap::Batched* Vmap::find(const Value& value) const {
  if (!value.is_tensor()) return nullptr;
  const auto found = batched_.find(&value.tensor());
  return found == batched_.end() ? nullptr : &found->second;
}

Vmap::Unwrapped Vmap::unwrap(const Value& tensor, int64_t level) const {
  const Batched* batched = find(tensor);
  if (batched == nullptr || batched->level != level) return {tensor, {}};
  return {batched->value, batched->dim};
}

const TensorMeta* Vmap::seen_of(const Tensor& value, int64_t dim) const {
  MetaSpec spec = value.meta->spec();
  DimVector sizes(spec.sizes);
  DimVector strides(value.strides());
  const auto hidden = static_cast<size_t>(std::min(dim, value.dim() - 1));
  sizes.erase(hidden);
  strides.erase(hidden);
  spec.sizes = sizes;
  spec.strides = strides;
  return context_.metas().intern(spec);
}

Value Vmap::wrap(const Value& value, int64_t dim, int64_t level) {
  Tensor& tensor = value.tensor();
  Tensor* seen = context_.make_tensor(seen_of(tensor, dim), tensor.storage);
  batched_[seen] = {&tensor, dim, level};
  return seen;
}

void Vmap::refresh(Tensor& seen, int64_t dim) {
  Batched& batched = batched_.at(&seen);
  batched.dim = dim;
  seen.meta = seen_of(*batched.value, dim);
}

Value Vmap::add_batch_dim(const Value& tensor, int64_t dim, int64_t level) {
  const int64_t rank = tensor.tensor().dim();
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) {
    throw_error(ErrorKind::kIndexError,
                format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                       -rank, rank - 1, dim));
  }
  if (level < 1 || level > static_cast<int64_t>(layers_.size()))
    throw_error(ErrorKind::kRuntimeError, format("vmap: there is no level {}", level));
  return wrap(tensor, dim, level);
}

// Mirrors _remove_batch_dim, torch/csrc/functorch/init.cpp.
Value Vmap::remove_batch_dim(const Value& tensor, int64_t level, SymInt batch_size,
                             int64_t out_dim) {
  const Unwrapped unwrapped = unwrap(tensor, level);
  if (unwrapped.dim) {
    if (*unwrapped.dim == out_dim) return unwrapped.value;
    static const OpId kMovedim = Registry::builtin().find("aten::movedim.int");
    const Value args[] = {unwrapped.value, *unwrapped.dim, out_dim};
    return context_.call(kMovedim, args);
  }
  static const OpId kExpand = Registry::builtin().find("aten::expand");
  DimVector sizes(tensor.tensor().sizes());
  if (out_dim < 0 || out_dim > tensor.tensor().dim()) {
    throw_error(ErrorKind::kIndexError,
                format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                       0, tensor.tensor().dim(), out_dim));
  }
  sizes.insert(static_cast<size_t>(out_dim), batch_size);
  const Value args[] = {tensor, context_.make_ints(sizes)};
  return context_.call(kExpand, args);
}

int64_t Vmap::level_of(std::span<const Value> args) const {
  int64_t level = 0;
  for_each_tensor(args, [&](const Value& tensor) {
    const Batched* batched = find(tensor);
    if (batched != nullptr) level = std::max(level, batched->level);
  });
  return level;
}

Value Vmap::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  const Value result = answer(op, args, next);
  if (composites_ > 0) {
    for_each_tensor({&result, 1},
                    [this](const Value& made) { made_by_operators_.insert(&made.tensor()); });
  }
  return result;
}

Value Vmap::answer(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  int64_t level = level_of(args);
  const bool is_composite = (op.tags & kComposite) != 0;
  if (!is_composite && (op.tags & kRandom) != 0) level = std::max(level, active_);
  if (level == 0) return next(op, args);
  if (level > static_cast<int64_t>(layers_.size())) throw_escaped();
  // Questions about sizes are about the tensors as their user sees them.
  const bool is_query = !has_tensor(op.schema.returns) && (op.tags & kDataDependent) == 0;
  if (is_query) return context_.call_below(op, args);
  if (is_composite && find_batch_rule(op) == nullptr) return call_composite(level, op, args);
  return call_at(level, op, args);
}

// A composite calls operators on the tensors as their user sees them. Those calls come here again,
// so that their results know of the batch. A tensor that the rule itself makes does not.
Value Vmap::call_composite(int64_t level, const OpEntry& op, std::span<const Value> args) {
  if (composites_ == 0) made_by_operators_.clear();
  const size_t first_new = context_.tensor_count();
  const ScopedValue inside(composites_, composites_ + 1);
  return adopted(context_.call_below(op, args), level, args, first_new);
}

// The result of a rule that did not know of the batch. A view of a batched tensor, as its user sees
// it, stands for that view of each slice; a new tensor stands for one for each slice.
Value Vmap::adopted(const Value& result, int64_t level, std::span<const Value> args,
                    size_t first_new) {
  if (result.is(Value::Tag::kList)) {
    SmallVector<Value, 4> results;
    for (const Value& value : result.values())
      results.push_back(adopted(value, level, args, first_new));
    return context_.make_list(results.span());
  }
  if (!result.is_tensor() || result.tensor().id < first_new) return result;
  const Tensor& tensor = result.tensor();
  if (made_by_operators_.contains(&tensor)) return result;
  DimVector sizes = {layers_[static_cast<size_t>(level) - 1].batch_size};
  sizes.append(tensor.sizes());
  const Batched* base = nullptr;
  bool is_view = false;
  for_each_tensor(args, [&](const Value& arg) {
    if (arg.tensor().storage != tensor.storage) return;
    is_view = true;
    const Batched* batched = find(arg);
    if (batched != nullptr && batched->level == level) base = batched;
  });
  if (is_view && base == nullptr) return result;
  MetaSpec spec = tensor.meta->spec();
  spec.sizes = sizes;
  DimVector strides;
  if (base != nullptr) {
    strides.push_back(base->value->stride(base->dim));
    strides.append(tensor.strides());
  }
  spec.strides = strides;
  Tensor* value = context_.make_tensor(context_.metas().intern(spec),
                                       base != nullptr ? tensor.storage : nullptr);
  return wrap(value, 0, level);
}

Value Vmap::call_at(int64_t level, const OpEntry& op, std::span<const Value> args) {
  const auto& layer = layers_[static_cast<size_t>(level) - 1];
  ArgumentRoom room;
  const std::span<const Value> complete = complete_arguments(context_, op, args, room);
  BatchCall call(*this, context_, op, complete, level, layer.batch_size);
  // While a rule runs, its level and those above answer no calls.
  const ScopedValue scope(active_, level - 1);
  if ((op.tags & kRandom) != 0) return batch_random(call, layer.randomness);
  const BatchRule* rule = find_batch_rule(op);
  return rule != nullptr ? rule->run(call, rule->params) : batch_by_slices(call);
}

}  // namespace faketensor
