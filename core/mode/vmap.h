// vmap: tensors with a hidden batch dimension, and operators on them.
//
// Mirrors functorch's vmap layers (aten/src/ATen/functorch): a batched tensor is a value with one
// dimension that its user does not see, at a level; what the user sees of it (sizes and strides
// without that dimension) is a tensor of its own here, on the value's storage. An operator that
// gets one is answered by its batching rule (batch_rules.h), which calls operators on the values; a
// composite is taken apart; an operator that has neither is called on one slice and its results
// stacked, as functorch's fallback does slice by slice.
//
//   Vmap vmap(context);
//   const ModeScope entered(context, vmap);
//   const int64_t level = vmap.increment_nesting(batch_size, "error");
//   const Value x = vmap.add_batch_dim(values, 0, level);
//   const Value y = vmap.remove_batch_dim(context.call(op, {&x, 1}), level, batch_size, 0);
//   vmap.decrement_nesting();
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ops/context.h"

namespace faketensor {

enum class VmapRandomness : uint8_t { kError, kDifferent, kSame };

class Vmap final : public DispatchMode {
 public:
  explicit Vmap(Context& context) : context_(context) {}

  // The new level, counted from 1. Raises RuntimeError for a randomness that there is not.
  int64_t increment_nesting(SymInt batch_size, std::string_view randomness);
  // The level that was left. Raises RuntimeError outside of all.
  int64_t decrement_nesting();
  Value add_batch_dim(const Value& tensor, int64_t dim, int64_t level);
  Value remove_batch_dim(const Value& tensor, int64_t level, SymInt batch_size, int64_t out_dim);

  // Operators that no level answers go on to what is below.
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  DispatchKey key() const override { return DispatchKey::kBatched; }

  // A tensor's value at a level and where its batch dimension is; the tensor itself, and nothing,
  // where it is not batched there.
  struct Unwrapped {
    Value value;
    std::optional<int64_t> dim;
  };
  Unwrapped unwrap(const Value& tensor, int64_t level) const;
  // The tensor that hides dimension `dim` of a value.
  Value wrap(const Value& value, int64_t dim, int64_t level);
  // Shows the value of a batched tensor again after an operator changed its sizes or strides in
  // place; its batch dimension is `dim` now. (BatchedTensorImpl::refreshTensorMetadata)
  void refresh(Tensor& seen, int64_t dim);

 private:
  struct Layer {
    SymInt batch_size;
    VmapRandomness randomness;
  };
  struct Batched {
    Tensor* value;
    int64_t dim;
    int64_t level;
  };
  const Batched* find(const Value& value) const;
  const TensorMeta* seen_of(const Tensor& value, int64_t dim) const;
  int64_t level_of(std::span<const Value> args) const;
  Value answer(const OpEntry& op, std::span<const Value> args, const NextMode& next);
  Value call_at(int64_t level, const OpEntry& op, std::span<const Value> args);
  Value call_composite(int64_t level, const OpEntry& op, std::span<const Value> args);
  Value adopted(const Value& result, int64_t level, std::span<const Value> args, size_t first_new);

  Context& context_;
  std::vector<Layer> layers_;
  int64_t active_ = 0;  // levels of which a rule is running answer no more
  // While composites run: how many are inside one another, and what the operators they call
  // returned.
  int64_t composites_ = 0;
  std::unordered_set<const Tensor*> made_by_operators_;
  std::unordered_map<const Tensor*, Batched> batched_;
};

}  // namespace faketensor
