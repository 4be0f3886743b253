#include "core/passes/size_changes.h"

#include <algorithm>
#include <numeric>

namespace faketensor {

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

void SizeChanges::learn(SizePair size, Row row, size_t dim) {
  if (size.is_changed() && changes_.emplace(size, Place{row, dim}).second)
    by_old_[size.was].push_back(size.is);
}

std::span<const int64_t> SizeChanges::candidates(int64_t was) const {
  const auto found = by_old_.find(was);
  return found == by_old_.end() ? std::span<const int64_t>() : found->second;
}

const SizeChanges::Place* SizeChanges::find(SizePair size) const {
  const auto found = changes_.find(size);
  return found == changes_.end() ? nullptr : &found->second;
}

void SizeChanges::learn_product(std::span<const SizePair> factors) {
  SizePair product{1, 1};
  std::vector<SizePair> parts;
  for (const SizePair factor : factors) {
    product = {times(product.was, factor.was), times(product.is, factor.is)};
    if (factor != SizePair{1, 1}) parts.push_back(factor);
  }
  if (product.is_changed() && parts.size() > 1) products_.emplace(product, std::move(parts));
}

std::span<const SizePair> SizeChanges::factors(SizePair size) const {
  const auto found = products_.find(size);
  return found == products_.end() ? std::span<const SizePair>() : found->second;
}

namespace {

// A run of dimensions on either side whose products in the example are equal.
struct Group {
  std::span<const SizePair> from;
  std::span<const int64_t> to;
};

// Chooses what the numbers of a group have become.
class GroupMatcher {
 public:
  GroupMatcher(const Group& group, SizeChanges& changes) : group_(group), changes_(changes) {
    for (const SizePair size : group.from) {
      if (size.is == 0) has_zero_ = true;
      product_ = times(product_, size.is);
    }
  }

  bool match(std::span<int64_t> result) {
    result_ = result;
    if (group_.to.empty()) return product_ == 1;  // dimensions of 1 that are dropped
    if (group_.to.size() == 1) {
      result[0] = product_;
      return true;
    }
    return !has_zero_ && (deal() || choose(0, 0, product_) || scale());
  }

 private:
  // Elements keep their order, so the numbers take up the dimensions from the left: (2 -> 7, 16, 8)
  // viewed as (128, 2) has the 2, the 16 and a 4 of the 8 in its 128. False where a dimension that
  // changed would be cut.
  bool deal() {
    std::vector<SizePair> left(group_.from.begin(), group_.from.end());
    std::vector<std::vector<SizePair>> parts(group_.to.size());
    size_t next = 0;
    for (size_t at = 0; at < group_.to.size(); ++at) {
      result_[at] = 1;
      for (int64_t need = group_.to[at]; need != 1 || takes_one(left, next);) {
        if (next == left.size()) return false;
        SizePair& size = left[next];
        const int64_t part = std::gcd(need, size.was);
        if (part == size.was) {
          result_[at] = times(result_[at], size.is);
          parts[at].push_back(size);
          ++next;
        } else if (part == 1 || size.is_changed()) {
          return false;
        } else {
          result_[at] *= part;
          parts[at].push_back({part, part});
          size = {size.was / part, size.is / part};
        }
        need /= part;
      }
    }
    if (next != left.size()) return false;
    for (const std::vector<SizePair>& merged : parts) changes_.learn_product(merged);
    return true;
  }
  // A dimension of 1 that grew belongs to the number that comes next.
  static bool takes_one(std::span<const SizePair> left, size_t next) {
    return next + 1 == left.size() && left[next].was == 1;
  }
  // Takes the numbers one by one from the left, each as a dimension of the group that was of this
  // size has become, as changes seen elsewhere say, or unchanged.
  bool choose(size_t at, size_t first_from, int64_t left) {
    if (++steps_ > kMostSteps) return false;
    if (at == group_.to.size()) return left == 1;
    const int64_t was = group_.to[at];
    for (size_t i = first_from; i < group_.from.size(); ++i) {
      if (group_.from[i].was == was && take(at, group_.from[i].is, i + 1, left)) return true;
    }
    // A 1 among numbers is one that was written, unless a dimension of the group was it.
    if (was != 1) {
      for (const int64_t is : changes_.candidates(was)) {
        if (take(at, is, first_from, left)) return true;
      }
    }
    return take(at, was, first_from, left);
  }
  bool take(size_t at, int64_t is, size_t next_from, int64_t left) {
    if (is <= 0 || left % is != 0) return false;
    result_[at] = is;
    return choose(at + 1, next_from, left / is);
  }
  // One number takes up the whole change: the first that can.
  bool scale() {
    for (size_t at = 0; at < group_.to.size(); ++at) {
      int64_t others = 1;
      for (size_t i = 0; i < group_.to.size(); ++i)
        if (i != at) others = times(others, group_.to[i]);
      if (group_.to[at] == 1 || others == 0 || product_ % others != 0) continue;
      for (size_t i = 0; i < group_.to.size(); ++i) result_[i] = group_.to[i];
      result_[at] = product_ / others;
      return true;
    }
    return false;
  }

  static constexpr int kMostSteps = 10000;  // of what is tried; a handful is, but for malice

  const Group& group_;
  SizeChanges& changes_;
  int steps_ = 0;
  std::span<int64_t> result_;
  int64_t product_ = 1;
  bool has_zero_ = false;
};

// How many dimensions, and how many numbers, the next group takes.
struct Extent {
  size_t from = 0;
  size_t to = 0;
};

Extent next_extent(std::span<const SizePair> from, std::span<const int64_t> to) {
  const bool has_one = !from.empty() && from[0].was == 1;
  if (has_one && !to.empty() && to[0] == 1) return {1, 1};
  if (!has_one && !to.empty() && to[0] == 1) return {0, 1};  // a new one
  Extent taken;
  // A dimension of 1 without a place of its own belongs with what follows it.
  while (taken.from < from.size() && from[taken.from].was == 1) ++taken.from;
  int64_t left = taken.from < from.size() ? from[taken.from++].was : 1;
  int64_t right = taken.to < to.size() ? to[taken.to++] : 1;
  while (left != right && (taken.from < from.size() || taken.to < to.size())) {
    if (taken.from < from.size() && (left < right || taken.to == to.size())) {
      left = times(left, from[taken.from++].was);
    } else {
      right = times(right, to[taken.to++]);
    }
  }
  return taken;
}

// How many dimensions of 1 that grew and have no place of their own belong to the group before them:
// all at the end, and those before a group that is merged: (16, 1 -> 7, 12, 64) viewed as (16, 768)
// has 7 in its 16, viewed as (16, 12, 64) in its 12.
size_t grown_ones_after(std::span<const SizePair> from, std::span<const int64_t> to) {
  size_t ones = 0;
  while (ones < from.size() && from[ones].was == 1 && from[ones].is_changed()) ++ones;
  if (ones == 0 || to.empty()) return ones;
  if (to[0] == 1) return 0;
  return next_extent(from.subspan(ones), to).to == 1 ? ones : 0;
}

Group next_group(std::span<const SizePair>& from, std::span<const int64_t>& to) {
  Extent taken = next_extent(from, to);
  if (taken.from > 0)
    taken.from += grown_ones_after(from.subspan(taken.from), to.subspan(taken.to));
  const Group group{from.first(taken.from), to.first(taken.to)};
  from = from.subspan(taken.from);
  to = to.subspan(taken.to);
  return group;
}

// Several dimensions that are one now; also the ones among them that a number has taken up.
void learn_merged(const Group& group, std::span<const int64_t> result, SizeChanges& changes) {
  if (group.to.size() == 1) return changes.learn_product(group.from);
  std::vector<SizePair> factors;
  int64_t grown = 1;
  for (const SizePair size : group.from) {
    if (size.was != 1 || !size.is_changed()) continue;
    factors.push_back(size);
    grown = times(grown, size.is);
  }
  for (size_t i = 0; grown > 1 && i < result.size(); ++i) {
    if (group.to[i] == 1 || result[i] != times(group.to[i], grown)) continue;
    factors.push_back({group.to[i], group.to[i]});
    return changes.learn_product(factors);
  }
}

// Dimensions that views have made of several, as those.
SizePairs unmerged(std::span<const SizePair> from, const SizeChanges& changes) {
  SizePairs all;
  for (const SizePair size : from) {
    const std::span<const SizePair> factors = changes.factors(size);
    if (factors.empty()) {
      all.push_back(size);
    } else {
      all.append(factors);
    }
  }
  return all;
}

}  // namespace

std::optional<Sizes> match_shape(std::span<const SizePair> from, std::span<const int64_t> shape,
                                 SizeChanges& changes) {
  const SizePairs parts = unmerged(from, changes);
  std::span<const SizePair> left = parts.span();
  std::span<const int64_t> right = shape;
  Sizes result(shape.size());
  size_t done = 0;
  while (!left.empty() || !right.empty()) {
    const Group group = next_group(left, right);
    if (!GroupMatcher(group, changes).match({result.data() + done, group.to.size()}))
      return std::nullopt;
    learn_merged(group, {result.data() + done, group.to.size()}, changes);
    done += group.to.size();
  }
  return result;
}

}  // namespace faketensor
