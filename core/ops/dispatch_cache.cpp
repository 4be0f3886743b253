#include "core/ops/dispatch_cache.h"

#include <algorithm>
#include <vector>

#include "core/ops/families/view.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

const ExprNode* replaced(SymInt value) { return shape_env_of(value.node()).replace(value.node()); }

bool has_mask_index(std::span<const Value> args) {
  const TensorList indices(args[1]);
  for (size_t i = 0; i < indices.size(); ++i) {
    const Tensor* index = indices.at(i);
    if (index != nullptr && (is_bool(index->dtype()) || index->dtype() == DType::kInt8))
      return true;
  }
  return false;
}

namespace {

// Only these have a format to be decided.
bool has_format(const Tensor& tensor) { return tensor.dim() == 4 || tensor.dim() == 5; }

bool has_constant(const Tensor& tensor) { return tensor.constant != nullptr; }

// Operators whose results are not kept (FakeTensorMode._validate_cache_key); those that change
// metadata in place return their argument.
bool is_uncached(const Call& call) {
  switch (call.op().facts.cache_bypass) {
    case CacheBypass::kDynamicShapeByMask:
      return has_mask_index(call.args());
    case CacheBypass::kDataDependent:
    case CacheBypass::kDynamicShape:
    case CacheBypass::kUnsafeView:
      return true;
    default:
      return (call.op().tags & (kDynamicShape | kSizeIsData)) != 0;
  }
}

// The key of a call holds what the numbers of its tensors read now (_DispatchCacheKey's
// convert_sym_int); asking shortens chains of replacements (ShapeEnv._find).
void ask_for_expressions(const Tensor& tensor) {
  const auto ask = [](SymInt value) {
    if (value.is_symbolic() && !shape_env_of(value.node()).replaced_symbols().empty())
      replaced(value);
  };
  for (const SymInt size : tensor.sizes()) ask(size);
  for (const SymInt stride : tensor.strides()) ask(stride);
  ask(tensor.offset());
}

// The symbols in values, as they were made and as they read now.
class Symbols {
 public:
  void add(SymInt value) {
    if (!value.is_symbolic()) return;
    add(value.node());
  }
  void add(const Tensor& tensor) {
    if (!tensor.meta->has_symbols()) return;
    for (const SymInt size : tensor.sizes()) add(size);
    for (const SymInt stride : tensor.strides()) add(stride);
    add(tensor.offset());
  }
  void add(const Value& value) {
    if (value.is_tensor()) {
      add(value.tensor());
    } else if (value.is(Value::Tag::kList)) {
      for (const Value& element : value.values()) add(element);
    } else if (value.is(Value::Tag::kIntList)) {
      for (const SymInt element : value.ints()) add(element);
    } else if (value.is(Value::Tag::kInt)) {
      add(value.as_sym_int());
    }
  }
  bool has_all_of(SymInt value) const {
    if (!value.is_symbolic() || has_as_made(value.node())) return true;
    const ExprNode* now = replaced(value);
    if ((now->symbol_bits & kManySymbols) == 0) return (now->symbol_bits & ~bits_) == 0;
    const auto& needed = free_symbols(now);
    return std::all_of(needed.begin(), needed.end(), [this](const ExprNode* symbol) {
      return (symbol->symbol_bits & bits_ & ~kManySymbols) != 0 ||
             std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end();
    });
  }

 private:
  // As has_all_of where nothing was replaced.
  bool has_as_made(const ExprNode* node) const {
    return (node->symbol_bits & (~bits_ | kManySymbols)) == 0 &&
           shape_env_of(node).replaced_symbols().empty();
  }
  // With the replacements of its symbols. They are read without ShapeEnv._find, which shortens
  // their chains: PyTorch does not ask for those of arguments after a call.
  void add(const ExprNode* node) {
    // Symbols that are known came with their replacements.
    if ((node->symbol_bits & (~bits_ | kManySymbols)) != 0) add_replaced(node);
  }
  void add_replaced(const ExprNode* node) {
    const ShapeEnv& env = shape_env_of(node);
    SmallVector<const ExprNode*, 8> left = {node};
    while (!left.empty()) {
      const ExprNode* next = left.back();
      left.pop_back();
      bits_ |= next->symbol_bits;
      if (env.replaced_symbols().empty() && (bits_ & kManySymbols) == 0) continue;
      for (const ExprNode* symbol : free_symbols(next)) {
        if (std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end()) continue;
        symbols_.push_back(symbol);
        if (const ExprNode* target = env.replacement(symbol)) left.push_back(target);
      }
    }
  }

  uint64_t bits_ = 0;
  std::vector<const ExprNode*> symbols_;  // each once, where replacements or many are to be seen
};

}  // namespace

namespace {
SymInt grown_storage_bytes(const Tensor& view) {
  const SymInt held = view.storage->nbytes;
  // A decision here leaves no guard, so the view's meta must not remember it.
  if (guard_or_false(view.numel() == 0)) return held;
  const SymInt bytes =
      guard_or_false(contiguity(view.sizes(), view.strides()))
          ? (view.offset() + view.numel()) * itemsize(view.dtype())
          : storage_bytes(view.sizes(), view.strides(), view.offset(), view.dtype());
  return hint(bytes) && hint(held) && guard_or_false(bytes > held) ? bytes : held;
}
}  // namespace

void grow_storage(Context& context, const Tensor& view) {
  ShapeEnv* env = context.shape_env();
  const SuppressGuards suppressed(env);
  SymInt& held = view.storage->nbytes;
  CacheEmulation::GrownStorage& known = context.cache().grown_storage(*view.meta);
  const uint32_t learnt = env == nullptr ? 1 : env->learnt();
  const bool is_known =
      known.view == view.meta && same_expr(known.held, held) && known.found_at == learnt;
  if (!is_known) {
    known = {view.meta, held, grown_storage_bytes(view), learnt};
  }
  held = known.grown;
}

void ask_format(const Tensor& tensor) {
  if (tensor.layout() != Layout::kStrided || !has_symbolic_sizes(tensor)) return;
  if (has_format(tensor)) suggest_memory_format(tensor);
  ask_for_expressions(tensor);
}

CacheQuestions::CacheQuestions(Call& call) : call_(call) {
  if (call.context().shape_env() == nullptr) {
    bypassed_ = true;
    return;
  }
  for (const Value& arg : call.args()) {
    if (!ask_about_argument(arg)) {
      bypassed_ = true;
      return;
    }
  }
}

bool CacheQuestions::ask_about_argument(const Value& arg) {
  if (arg.is(Value::Tag::kList)) {
    return std::all_of(arg.values().begin(), arg.values().end(),
                       [this](const Value& element) { return ask_about_argument(element); });
  }
  if (!arg.is_tensor() || arg.tensor().is_wrapped_number) return true;
  const Tensor& tensor = arg.tensor();
  if (has_constant(tensor) || tensor.layout() != Layout::kStrided) return false;
  if (has_format(tensor)) suggest_memory_format(tensor);
  if (tensor.meta->has_symbols()) ask_for_expressions(tensor);
  return true;
}

bool CacheQuestions::is_argument(const Tensor& tensor) const {
  return std::any_of(call_.args().begin(), call_.args().end(),
                     [&](const Value& arg) { return arg.is_tensor() && &arg.tensor() == &tensor; });
}

// A result with symbols that the arguments do not have is not kept.
bool CacheQuestions::is_known(const Value& result) const {
  const auto has_symbols = [](const Value& value) {
    return value.is_tensor() && value.tensor().meta->has_symbols();
  };
  const bool any_symbol =
      result.is_tensor() ? has_symbols(result)
                         : std::any_of(result.values().begin(), result.values().end(), has_symbols);
  if (!any_symbol) return true;
  Symbols known;
  for (const Value& arg : call_.args()) known.add(arg);
  const auto is_known_tensor = [&](const Tensor& tensor) {
    const auto has_all = [&](SymInt value) { return known.has_all_of(value); };
    return std::all_of(tensor.sizes().begin(), tensor.sizes().end(), has_all) &&
           std::all_of(tensor.strides().begin(), tensor.strides().end(), has_all) &&
           has_all(tensor.offset());
  };
  if (result.is_tensor()) return is_known_tensor(result.tensor());
  return std::all_of(result.values().begin(), result.values().end(), [&](const Value& element) {
    return element.is_none() || is_known_tensor(element.tensor());
  });
}

void CacheQuestions::ask_about(const Value& result) const {
  if (bypassed_ || is_uncached(call_)) return;
  const bool is_view = (call_.op().tags & kView) != 0 && result.is_tensor() && is_known(result);
  if (is_view && !is_argument(result.tensor()) && has_symbolic_sizes(result.tensor()))
    grow_storage(call_.context(), result.tensor());
  const std::span<const Value> elements =
      result.is(Value::Tag::kList) ? result.values() : std::span<const Value>(&result, 1);
  const bool is_list = result.is(Value::Tag::kList) && call_.op().schema.returns.size() < 2;
  bool any_format = false;
  for (const Value& element : elements) {
    if (element.is_none()) continue;
    if (!element.is_tensor() || has_constant(element.tensor())) return;
    if (element.tensor().layout() != Layout::kStrided) return;
    any_format = any_format || has_format(element.tensor());
  }
  if (is_list || !any_format || !is_known(result)) return;
  for (const Value& element : elements) {
    if (element.is_tensor() && has_format(element.tensor()) && !is_argument(element.tensor()))
      suggest_memory_format(element.tensor());
  }
}

}  // namespace faketensor
