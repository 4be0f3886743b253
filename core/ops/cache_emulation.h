// CacheEmulation: what a context remembers in order to answer as FakeTensorMode's dispatch cache
// makes it answer (dispatch_cache.h), which keeps no answers here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace faketensor {

class CacheEmulation {
 public:
  // What a storage of `held` bytes was found to grow to for a view, when the ShapeEnv had learnt so
  // much (grow_storage, dispatch_cache.h).
  struct GrownStorage {
    const TensorMeta* view = nullptr;
    SymInt held = 0;
    SymInt grown = 0;
    uint32_t found_at = 0;
  };
  // The place where that is remembered. Views may share one, which then holds the last view's.
  GrownStorage& grown_storage(const TensorMeta& view) {
    constexpr size_t kSlots = 256;
    if (grown_storages_.empty()) grown_storages_.resize(kSlots);
    return grown_storages_[view.hash() % kSlots];
  }

  // Whether torch.empty_permuted was asked for a tensor of this meta since the outermost call
  // began; it is from now on. The dispatch cache answers it the second time, by
  // torch.empty_strided.
  bool is_permuted_again(const TensorMeta& meta) {
    if (std::find(permuted_.begin(), permuted_.end(), &meta) != permuted_.end()) return true;
    permuted_.push_back(&meta);
    return false;
  }
  void begin_outermost_call() { permuted_.clear(); }

 private:
  std::vector<GrownStorage> grown_storages_;  // by a hash of the view's meta
  std::vector<const TensorMeta*> permuted_;
};

}  // namespace faketensor
