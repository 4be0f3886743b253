// Answers of invoke_subgraph: a graph that is called again with inputs of the same description gives
// results of the same description, so that a model of many equal layers is propagated as one.
//
// PyTorch keeps them in FakeTensorMode's dispatch cache (invoke_subgraph is cacheable). Not kept is
// what a description does not determine: results that share memory with an input or with each other,
// numbers of data, inputs whose values are known or that the graph describes anew. While a mode sees
// the calls (costs, profiles, autocast), or a what-if edits them, each call is run.
//
//   const auto key = SubgraphCache::key_of(context, graph, inputs);
//   if (key) known = cache.find(context, *key);
//   if (!known) cache.keep(*key, inputs, result);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ops/context.h"

namespace faketensor {

class Graph;

class SubgraphCache {
 public:
  // What is asked: the graph, and a word for each input.
  using Key = std::vector<uint64_t>;

  // Nothing for inputs that are not described by a word.
  static std::optional<Key> key_of(const Context& context, const Graph& graph,
                                   std::span<const Value> inputs);
  // New tensors as the graph returned then.
  std::optional<Value> find(Context& context, const Key& key) const;
  // Does nothing for results that the key does not determine.
  void keep(const Key& key, std::span<const Value> inputs, const Value& result);

 private:
  struct Result {
    const TensorMeta* meta;
    SymInt nbytes;  // of its storage
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, std::vector<Result>, Hash> results_;
};

}  // namespace faketensor
