#include "core/mode/dispatch_cache.h"

#include <utility>

namespace faketensor {

DispatchCache::Found DispatchCache::find(const CachedCall& call, const ShapeEnv* env) {
  if (!call.bypass.empty()) {
    ++counts_.bypasses[call.bypass];
    return Found::kBypass;
  }
  const Entries& entries = call.is_symbolic ? by_env_[env] : entries_;
  const auto known = entries.find(call.key);
  if (known == entries.end()) return Found::kNothing;
  if (known->second.bypass.empty()) {
    ++counts_.hits;
    return Found::kHit;
  }
  ++counts_.bypasses[known->second.bypass];
  return Found::kBypass;
}

void DispatchCache::keep(const CachedCall& call, const std::string& bypass, const ShapeEnv* env,
                         std::string answer) {
  ++(bypass.empty() ? counts_.misses : counts_.bypasses[bypass]);
  Entries& entries = call.is_symbolic ? by_env_[env] : entries_;
  entries.emplace(call.key, Entry{bypass, std::move(answer)});
}

bool DispatchCache::does_contradict(const CachedCall& call, const std::string& answer,
                                    const ShapeEnv* env) const {
  const auto of_env = by_env_.find(env);
  if (call.is_symbolic && of_env == by_env_.end()) return false;
  const Entries& entries = call.is_symbolic ? of_env->second : entries_;
  const auto known = entries.find(call.key);
  return known != entries.end() && !known->second.answer.empty() && known->second.answer != answer;
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
