#include "core/ops/dispatch_cache.h"

#include <algorithm>
#include <vector>

#include "core/ops/families/view.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// Only these have a format to be decided.
bool has_format(const Tensor& tensor) { return tensor.dim() == 4 || tensor.dim() == 5; }

bool has_constant(const Tensor& tensor) { return tensor.constant != nullptr; }

// Operators whose results are not kept (FakeTensorMode._validate_cache_key); those that change
// metadata in place return their argument.
bool is_uncached(const Call& call) {
  constexpr uint32_t kData = kDataDependent | kDynamicShape;
  if (call.op().name == "aten::index.Tensor") {
    const TensorList indices(call.arg(1));
    for (size_t i = 0; i < indices.size(); ++i) {
      const Tensor* index = indices.at(i);
      if (index != nullptr && (is_bool(index->dtype()) || index->dtype() == DType::kInt8))
        return true;
    }
    return false;
  }
  return (call.op().tags & kData) != 0 || call.op().name == "aten::_unsafe_view.default";
}

class Symbols {
 public:
  void add(SymInt value) {
    if (!value.is_symbolic()) return;
    const ExprNode* node = value.node();
    for (const ExprNode* symbol : free_symbols(node)) symbols_.push_back(symbol);
    for (const ExprNode* symbol : free_symbols(shape_env_of(node).replace(node)))
      symbols_.push_back(symbol);
  }
  void add(const Tensor& tensor) {
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
    if (!value.is_symbolic()) return true;
    const auto& needed = free_symbols(shape_env_of(value.node()).replace(value.node()));
    return std::all_of(needed.begin(), needed.end(), [this](const ExprNode* symbol) {
      return std::find(symbols_.begin(), symbols_.end(), symbol) != symbols_.end();
    });
  }

 private:
  std::vector<const ExprNode*> symbols_;
};

}  // namespace

void grow_storage(const Context& context, const Tensor& view) {
  const SuppressGuards suppressed(context.shape_env());
  // What is decided here leaves no guard, so the view's meta must not remember it.
  if (guard_or_false(view.numel() == 0)) return;
  const SymInt bytes =
      guard_or_false(contiguity(view.sizes(), view.strides()))
          ? (view.offset() + view.numel()) * itemsize(view.dtype())
          : storage_bytes(view.sizes(), view.strides(), view.offset(), view.dtype());
  SymInt& held = view.storage->nbytes;
  if (hint(bytes) && hint(held) && guard_or_false(bytes > held)) held = bytes;
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
  return true;
}

bool CacheQuestions::is_argument(const Tensor& tensor) const {
  return std::any_of(call_.args().begin(), call_.args().end(),
                     [&](const Value& arg) { return arg.is_tensor() && &arg.tensor() == &tensor; });
}

// A result with symbols that the arguments do not have is not kept.
bool CacheQuestions::is_known(const Value& result) const {
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
