#include "core/support/near_name.h"

#include <algorithm>
#include <array>

namespace faketensor {

namespace {

constexpr size_t kMostLetters = 64;

// The distance, or `limit` where it is not below that.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference >= limit || b.size() > kMostLetters || a.size() > kMostLetters) return limit;
  using Line = std::array<size_t, kMostLetters + 1>;
  Line before{};
  Line above{};
  Line line{};
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    line[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      line[j] = std::min({changed, above[j] + 1, line[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        line[j] = std::min(line[j], before[j - 2] + 1);
    }
    before = above;
    above = line;
  }
  return above[b.size()];
}

}  // namespace

NearestName::NearestName(std::string_view wanted)
    : wanted_(wanted), distance_((wanted.size() + 2) / 3 + 1) {}

void NearestName::offer(std::string_view name) {
  const size_t found = distance(wanted_, name, distance_);
  if (found >= distance_) return;
  distance_ = found;
  name_ = name;
}

}  // namespace faketensor
