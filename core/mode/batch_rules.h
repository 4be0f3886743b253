// Batching rules: how an operator answers where tensors have a batch dimension that it does not
// see.
//
// Each mirrors a rule of aten/src/ATen/functorch/BatchRules*.cpp: it moves the batch dimension to a
// place where it suits the operator, calls operators on the values, and says where the batch
// dimension of the result is. Most operators share one of a few rules (batch_rules.cpp); views,
// look-ups, products and the like have their own (batch_rules_*.cpp).
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/mode/vmap.h"
#include "core/support/small_vector.h"

namespace faketensor {

// The frame of a batching rule.
class BatchCall {
 public:
  BatchCall(Vmap& vmap, Context& context, const OpEntry& op, std::span<const Value> args,
            int64_t level, SymInt batch_size)
      : vmap_(vmap), context_(context), op_(op), args_(args), level_(level), batch_(batch_size) {}

  Context& context() const { return context_; }
  const OpEntry& op() const { return op_; }
  std::span<const Value> args() const { return args_; }
  const Value& arg(size_t index) const { return args_[index]; }
  SymInt batch_size() const { return batch_; }

  Vmap::Unwrapped unwrap(const Value& tensor) const { return vmap_.unwrap(tensor, level_); }
  Vmap::Unwrapped unwrap_arg(size_t index) const { return unwrap(args_[index]); }
  // The dimensions that a user of the tensor sees.
  int64_t logical_rank(const Vmap::Unwrapped& tensor) const {
    return tensor.value.tensor().dim() - (tensor.dim ? 1 : 0);
  }

  // An operator on values, below the level, or on batched tensors again.
  Value call(std::string_view op, std::initializer_list<Value> args) const;
  // The operator itself.
  Value run(std::span<const Value> args) const { return context_.call(op_.id, args); }

  // The results as tensors that hide dimension `dim`.
  Value wrap(const Value& result, int64_t dim) const;
  // The result of an in-place operator: the argument that was written to.
  Value written(size_t index) const { return args_[index]; }
  // The same of one that changed the first argument's value to another shape, with its batch
  // dimension at `dim`.
  Value reshaped(int64_t dim) const {
    vmap_.refresh(args_[0].tensor(), dim);
    return args_[0];
  }

  // moveBatchDimToFront, ensure_has_bdim, maybePadToLogicalRank
  Value move_to_front(const Vmap::Unwrapped& tensor) const;
  Value with_batch_dim(const Vmap::Unwrapped& tensor) const;
  Value padded(const Value& front, bool is_batched, int64_t logical_rank) const;
  Value movedim(const Value& tensor, int64_t from, int64_t to) const;
  // reshape_dim_into, reshape_dim_outof
  Value reshape_dim_into(int64_t from, int64_t to, const Value& tensor) const;
  Value reshape_dim_outof(int64_t from, SymInt size, const Value& tensor) const;
  // A dimension of a tensor whose batch dimension is in front. Raises IndexError.
  int64_t physical_dim(int64_t dim, int64_t logical_rank) const;
  // An int list with the batch dimension's size in front.
  Value with_batch_size(const Value& sizes) const;
  int64_t integer(size_t index) const { return args_[index].to_int(); }

 private:
  Vmap& vmap_;
  Context& context_;
  const OpEntry& op_;
  std::span<const Value> args_;
  int64_t level_;
  SymInt batch_;
};

// _binary_pointwise_helper: both tensors with the batch dimension in front and dimensions that
// broadcast.
struct Pair {
  Value first;
  Value second;
};
Pair aligned_pair(const BatchCall& call, const Vmap::Unwrapped& first,
                  const Vmap::Unwrapped& second, bool promote);

struct BatchRule {
  std::string_view op;  // without "aten::"; "add.Tensor", "sin.default"
  Value (*run)(BatchCall& call, uint32_t params);
  uint32_t params = 0;
};

// The rule of an operator; null where it has none.
const BatchRule* find_batch_rule(const OpEntry& op);
std::span<const BatchRule> shared_batch_rules();
std::span<const BatchRule> view_batch_rules();
std::span<const BatchRule> indexing_batch_rules();
std::span<const BatchRule> product_batch_rules();

// An operator that draws random numbers.
Value batch_random(BatchCall& call, VmapRandomness randomness);

// Mirrors batchedTensorForLoopFallback.
Value batch_by_slices(BatchCall& call);

}  // namespace faketensor
