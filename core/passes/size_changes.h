// SizeChanges: what sizes of the example have become.
//
// A what-if changes a few sizes of a program's inputs, and with them many of its values'. Each size
// is known twice: as it was in the example, which the file records, and as it is in the run. The
// pairs that differ are gathered here as the run meets them; from them numbers in nodes are
// attributed: `match_shape` for the target of a view, `candidates` for what else is written there.
//
//   SizeChanges changes;
//   changes.learn({2, 7}, row, 0);
//   changes.candidates(2);                                          // {7}
//   match_shape({{2, 7}, {16, 16}}, std::array{32}, changes);       // {112}
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/plan.h"
#include "core/support/small_vector.h"

namespace faketensor {

struct SizePair {
  int64_t was = 0;
  int64_t is = 0;

  bool is_changed() const { return was != is; }
  friend auto operator<=>(const SizePair&, const SizePair&) = default;
};
using SizePairs = SmallVector<SizePair, 8>;
using Sizes = SmallVector<int64_t, 8>;

// A product of sizes; the largest number where it is none.
int64_t times(int64_t a, int64_t b);

class SizeChanges {
 public:
  // Where a change was first seen: a dimension of a row's value.
  struct Place {
    Row row = kNoRow;
    size_t dim = 0;
  };

  void learn(SizePair size, Row row, size_t dim);
  // A view made one dimension of these.
  void learn_product(std::span<const SizePair> factors);
  // What a dimension of that size was made of, from the left; empty where nothing is known.
  std::span<const SizePair> factors(SizePair size) const;
  // How a size `was` has changed, first those seen first; empty for one that never did.
  std::span<const int64_t> candidates(int64_t was) const;
  // Null for a change that was not seen.
  const Place* find(SizePair size) const;
  bool knows(SizePair size) const { return find(size) != nullptr; }

 private:
  std::map<SizePair, Place> changes_;
  std::map<int64_t, std::vector<int64_t>> by_old_;
  std::map<SizePair, std::vector<SizePair>> products_;
};

// The sizes that a view had in the example, as they are where the viewed sizes are `from`: the
// dimensions are matched group by group from the left, and within a group the numbers change which
// explain the group's product. None where no choice of numbers does.
// What is merged is learned.
std::optional<Sizes> match_shape(std::span<const SizePair> from, std::span<const int64_t> shape,
                                 SizeChanges& changes);

}  // namespace faketensor
