// The caches of keys and values that a decoder's step reads and writes: what a token adds to them, and
// how long they can get on a device.
//
//   const KvCaches caches(costs);
//   caches.per_token(), caches.longest(hardware.usable())
//
// Note [What a cache is]
// A floating-point input or buffer of rank 3 or more that the program appends to, or writes at
// positions: aten.cat of it whose result is an output (it grows), or aten.index_copy and
// aten.index_put with one index (its length is its capacity). The dimension is the operator's.
//
// Note [How the context is found]
// By arithmetic: a token more adds its bytes to each cache, and once more where the operator makes a new
// value of it (aten.cat, index_copy and index_put that are not in place), since the caller's tensor is
// alive beside it. The rest of the peak stays as it is: attention that makes a table of scores, masks
// and further copies of a cache would need more.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/program_costs.h"

namespace faketensor {

struct KvCache {
  Row row = kNoRow;  // the placeholder
  size_t dim = 0;    // the one that counts tokens
  int64_t length = 0;
  int64_t bytes_per_token = 0;  // of the whole batch
  bool grows = false;
  int64_t copies = 1;  // alive at once: 2 where the operator makes a new value of it
};

class KvCaches {
 public:
  // Sizes that are symbols count by their hints.
  explicit KvCaches(const ProgramCosts& costs);

  std::span<const KvCache> caches() const { return caches_; }
  int64_t per_token() const;  // bytes of all caches
  int64_t length() const;     // of the longest; 0: there is no cache
  // The longest context with which the peak is at most `usable` bytes; 0: none fits.
  int64_t longest(int64_t usable) const;

 private:
  void find(const Run& run, Row row, const std::vector<Row>& last_uses);

  std::vector<KvCache> caches_;
  int64_t peak_ = 0;
};

}  // namespace faketensor
