#include "core/graph/subgraph_cache.h"

#include <algorithm>

#include "core/support/hash.h"
#include "core/symbolic/expr.h"

namespace faketensor {

namespace {

uint64_t word_of(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

bool has_unbacked(Dims numbers) {
  return std::any_of(numbers.begin(), numbers.end(), [](SymInt n) { return has_unbacked(n); });
}

}  // namespace

size_t SubgraphCache::Hash::operator()(const Key& key) const {
  uint64_t hash = key.size();
  for (const uint64_t word : key) hash = hash_word(hash, word);
  return static_cast<size_t>(hash);
}

std::optional<SubgraphCache::Key> SubgraphCache::key_of(const Context& context, const Graph& graph,
                                                        std::span<const Value> inputs) {
  Key key = {word_of(&graph), context.grad_enabled ? uint64_t{1} : uint64_t{0}};
  for (const Value& input : inputs) {
    if (input.is_tensor() && input.tensor().constant == nullptr) {
      key.push_back(word_of(input.tensor().meta));
    } else if (input.is(Value::Tag::kInt)) {
      key.push_back(static_cast<uint64_t>(input.as_sym_int().word()));
    } else {
      return {};
    }
  }
  return key;
}

std::optional<Value> SubgraphCache::find(Context& context, const Key& key) const {
  const auto found = results_.find(key);
  if (found == results_.end()) return {};
  std::vector<Value> values;
  for (const Result& result : found->second) {
    Storage* storage = context.make_storage(result.meta->device(), result.nbytes);
    values.emplace_back(context.make_tensor(result.meta, storage));
  }
  return context.make_list(values);
}

void SubgraphCache::keep(const Key& key, std::span<const Value> inputs, const Value& result) {
  constexpr size_t kFirstInput = 2;
  if (!result.is(Value::Tag::kList)) return;
  std::vector<const Storage*> storages;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) continue;
    // An input that the graph has described anew.
    if (word_of(inputs[i].tensor().meta) != key[kFirstInput + i]) return;
    storages.push_back(inputs[i].tensor().storage);
  }
  std::vector<Result> results;
  for (const Value& value : result.values()) {
    if (!value.is_tensor() || value.tensor().constant != nullptr) return;
    const Tensor& tensor = value.tensor();
    if (tensor.storage == nullptr || has_unbacked(tensor.sizes()) ||
        has_unbacked(tensor.strides()) || has_unbacked(tensor.offset()) ||
        std::find(storages.begin(), storages.end(), tensor.storage) != storages.end())
      return;
    storages.push_back(tensor.storage);
    results.push_back({tensor.meta, tensor.storage->nbytes});
  }
  results_.emplace(key, std::move(results));
}

}  // namespace faketensor
