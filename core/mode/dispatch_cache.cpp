#include "core/mode/dispatch_cache.h"

namespace faketensor {

void DispatchCache::count(const CachedCall& call, const ShapeEnv* env) {
  const auto count_inner = [&] {
    for (const CachedCall& inner : call.calls) count(inner, env);
  };
  if (!call.has_key) {
    ++counts_.bypasses[call.bypass];
    return count_inner();
  }
  Entries& entries = call.is_symbolic ? by_env_[env] : entries_;
  if (const auto known = entries.find(call.key); known != entries.end()) {
    if (known->second.empty()) {
      ++counts_.hits;
      return;
    }
    ++counts_.bypasses[known->second];
    return count_inner();
  }
  count_inner();
  if (!call.is_answered) return;
  if (call.bypass.empty()) {
    ++counts_.misses;
  } else {
    ++counts_.bypasses[call.bypass];
  }
  entries.emplace(call.key, call.bypass);
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
