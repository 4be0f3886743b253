// DispatchCache: what FakeTensorMode's dispatch cache would have counted.
//
// PyTorch keeps the metadata of an operator's results by a key made of the operator, its arguments'
// metadata and the surroundings (FakeTensorMode._cached_dispatch_impl); FakeTensorMode.cache_info()
// tells its users how often that helped. Here rules are faster than such a look-up, so nothing is
// kept but the counts: hits, misses, and the reasons for which a call was not cached. An operator
// that PyTorch answers by others counts those too, unless it hits (cached_call.h).
//
//   DispatchCache cache;
//   cache.count(describe_call(op, args, result, surroundings), env);
//   cache.info().misses;                                                 // 1
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace faketensor {

class ShapeEnv;

// One operator call as the cache sees it.
struct CachedCall {
  std::string key;           // the operator, its arguments, the surroundings
  bool is_symbolic = false;  // symbols among the arguments: kept by their ShapeEnv
  std::string bypass;        // why it is not cached; empty where it is
  bool has_key = true;       // the reason was found after the call, and is remembered by the key
  bool is_answered = true;   // false: it raised, and leaves no trace but what it called
  std::string answer;        // what it answered; empty where nobody compares
  bool sees_hit = false;     // its key is another one where the call before it hit
  std::vector<CachedCall> calls;  // operators that answering it calls
};

class DispatchCache {
 public:
  struct Info {
    int64_t hits = 0;
    int64_t misses = 0;
    std::map<std::string, int64_t> bypasses;
    size_t size = 0;  // entries that no ShapeEnv keeps
  };

  // kContradicted: a hit, but the call's answer is not the one that was kept.
  enum class Outcome : uint8_t { kNone, kHit, kContradicted };
  Outcome count(const CachedCall& call, const ShapeEnv* env);
  // FakeTensorMode.cache_clear(): the entries that ShapeEnvs keep stay.
  void clear();
  Info info() const;

 private:
  Outcome count(const CachedCall& call, const std::string& key, const ShapeEnv* env);

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
