#include "core/mode/dispatch_cache.h"

namespace faketensor {

bool DispatchCache::count(const CachedCall& call, const ShapeEnv* env) {
  return count(call, call.key, env);
}

bool DispatchCache::count(const CachedCall& call, const std::string& key, const ShapeEnv* env) {
  const auto count_inner = [&] {
    bool hit = false;
    for (const CachedCall& inner : call.calls)
      hit = count(inner, inner.sees_hit && hit ? inner.key + " cached" : inner.key, env);
  };
  if (!call.has_key) {
    ++counts_.bypasses[call.bypass];
    count_inner();
    return false;
  }
  Entries& entries = call.is_symbolic ? by_env_[env] : entries_;
  if (const auto known = entries.find(key); known != entries.end()) {
    if (known->second.empty()) {
      ++counts_.hits;
      return true;
    }
    ++counts_.bypasses[known->second];
    count_inner();
    return false;
  }
  count_inner();
  if (!call.is_answered) return false;
  if (call.bypass.empty()) {
    ++counts_.misses;
  } else {
    ++counts_.bypasses[call.bypass];
  }
  entries.emplace(key, call.bypass);
  return false;
}

void DispatchCache::clear() {
  entries_.clear();
  counts_ = {};
}

DispatchCache::Info DispatchCache::info() const {
  Info info = counts_;
  info.size = entries_.size();
  return info;
}

}  // namespace faketensor
