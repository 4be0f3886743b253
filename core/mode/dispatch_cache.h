// DispatchCache: what FakeTensorMode's dispatch cache would have counted.
//
// PyTorch keeps the metadata of an operator's results by a key made of the operator, its arguments'
// metadata and the surroundings (FakeTensorMode._cached_dispatch_impl); FakeTensorMode.cache_info()
// tells its users how often that helped. Here rules are faster than such a look-up, so nothing is
// kept but the counts: hits, misses, and the reasons for which a call was not cached.
//
//   DispatchCache cache;
//   const CachedCall call = describe_call(op, args, surroundings);
//   if (cache.find(call, env) == DispatchCache::Found::kNothing) {
//     ...                                             // the call, and others that answering it makes
//     cache.keep(call, why_not, env);
//   }
//   cache.info().misses;                              // 1
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace faketensor {

class ShapeEnv;

// One operator call as the cache sees it, before it is answered.
struct CachedCall {
  std::string key;           // the operator, its arguments, the surroundings
  bool is_symbolic = false;  // symbols among the arguments: kept by their ShapeEnv
  std::string bypass;        // why there is no key; empty where there is
};

class DispatchCache {
 public:
  struct Info {
    int64_t hits = 0;
    int64_t misses = 0;
    std::map<std::string, int64_t> bypasses;
    size_t size = 0;  // entries that no ShapeEnv keeps
  };

  // kBypass: not kept, which the cache knows before the call is answered.
  enum class Found : uint8_t { kNothing, kBypass, kHit };
  // Looks for an answer, and counts a hit or a bypass.
  Found find(const CachedCall& call, const ShapeEnv* env);
  // Of a call that nothing was found for, once it is answered: kept, or not for the reason
  // `bypass`. `answer` is for does_contradict; empty where nobody compares.
  void keep(const CachedCall& call, const std::string& bypass, const ShapeEnv* env,
            std::string answer = {});
  // Whether another answer than this one is kept.
  bool does_contradict(const CachedCall& call, const std::string& answer,
                       const ShapeEnv* env) const;
  // FakeTensorMode.cache_clear(): the entries that ShapeEnvs keep stay.
  void clear();
  Info info() const;

 private:
  struct Entry {
    std::string bypass;  // why the call is not cached; empty where it is
    std::string answer;  // of a mode that crosschecks
  };
  using Entries = std::unordered_map<std::string, Entry>;

  Entries entries_;
  std::map<const ShapeEnv*, Entries> by_env_;
  Info counts_;
};

}  // namespace faketensor
