#include "core/mode/dispatch_cache.h"

namespace faketensor {

DispatchCache::Outcome DispatchCache::count(const CachedCall& call, const ShapeEnv* env) {
  return count(call, call.key, env);
}

DispatchCache::Outcome DispatchCache::count(const CachedCall& call, const std::string& key,
                                            const ShapeEnv* env) {
  const auto count_inner = [&] {
    Outcome before = Outcome::kNone;
    for (const CachedCall& inner : call.calls) {
      const bool after_hit = inner.sees_hit && before == Outcome::kHit;
      before = count(inner, after_hit ? inner.key + " cached" : inner.key, env);
    }
  };
  if (!call.has_key) {
    ++counts_.bypasses[call.bypass];
    count_inner();
    return Outcome::kNone;
  }
  Entries& entries = call.is_symbolic ? by_env_[env] : entries_;
  if (const auto known = entries.find(key); known != entries.end()) {
    const Entry& entry = known->second;
    if (entry.bypass.empty()) {
      ++counts_.hits;
      const bool compares = !entry.answer.empty() && !call.answer.empty();
      return compares && entry.answer != call.answer ? Outcome::kContradicted : Outcome::kHit;
    }
    ++counts_.bypasses[entry.bypass];
    count_inner();
    return Outcome::kNone;
  }
  count_inner();
  if (!call.is_answered) return Outcome::kNone;
  if (call.bypass.empty()) {
    ++counts_.misses;
  } else {
    ++counts_.bypasses[call.bypass];
  }
  entries.emplace(key, Entry{call.bypass, call.answer});
  return Outcome::kNone;
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
