#include "core/layout/bands.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/layout/links.h"

namespace faketensor::layout {
namespace {

// An item joined to more others than this is a hub.
constexpr int32_t kMostLinks = 12;
constexpr int32_t kGap = 20;  // between boxes of one layer

size_t at(int32_t index) { return static_cast<size_t>(index); }

class Folder {
 public:
  Folder(const ScopeProblem& problem, const std::vector<int32_t>& layer, int32_t width)
      : problem_(problem), layer_(layer), width_(width), items_(problem.items.size()) {}

  std::vector<int32_t> run() {
    find_wide_layers();
    if (std::none_of(wide_.begin(), wide_.end(), [](char wide) { return wide != 0; })) return {};
    collect_links();
    find_branches();
    make_bands();
    if (bands_.empty()) return {};
    // What a branch reads may itself have moved below the begin of its band; the band then begins
    // lower, and those after it too.
    std::vector<int32_t> folded = place();
    for (int32_t item = 0; item < count(); ++item) {
      if (band_of(item) < 0) continue;
      Band& band = bands_[at(band_of(item))];
      band.push = std::max(band.push, folded[at(item)] - place_in(band, item));
    }
    return place();
  }

 private:
  struct Branch {
    int32_t low = 0, high = 0, width = 0;
    int32_t band = -1;
  };
  struct Band {
    int32_t low, high, width;  // layers as they were
    int32_t zone;
    int32_t push = 0;
    int32_t begin = 0;  // where its layer `low` is now
  };

  void find_wide_layers() {
    const int32_t layers = *std::max_element(layer_.begin(), layer_.begin() + count()) + 1;
    std::vector<int64_t> used(at(layers), 0);
    for (int32_t i = 0; i < count(); ++i)
      used[at(layer_[at(i)])] += problem_.items[at(i)].width + kGap;
    wide_.resize(used.size());
    for (size_t l = 0; l < used.size(); ++l) wide_[l] = used[l] > width_;
  }

  int32_t count() const { return static_cast<int32_t>(items_); }

  void collect_links() {
    links_.assign(items_, 0);
    int32_t first = 0;
    for (const ScopeProblem::Net& net : problem_.nets) {
      for (int32_t t = first; t < net.target_end; ++t) {
        const int32_t target = problem_.targets[at(t)].item;
        if (net.item == kBorder || target == kBorder) continue;
        readings_.push_back({net.item, target});
        ++links_[at(net.item)];
        ++links_[at(target)];
      }
      first = net.target_end;
    }
    std::stable_sort(readings_.begin(), readings_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }

  int32_t root(int32_t item) {
    while (parent_[at(item)] != item) item = parent_[at(item)] = parent_[at(parent_[at(item)])];
    return item;
  }

  bool is_hub(int32_t item) const { return links_[at(item)] > kMostLinks; }

  // What hangs together without hubs.
  void find_branches() {
    parent_.resize(items_);
    std::iota(parent_.begin(), parent_.end(), 0);
    for (const auto& [from, to] : readings_) {
      if (is_hub(from) || is_hub(to)) continue;
      const int32_t a = root(from), b = root(to);
      parent_[at(std::max(a, b))] = std::min(a, b);
    }
    branch_.assign(items_, -1);
    for (int32_t item = 0; item < count(); ++item) {
      if (is_hub(item)) continue;
      const int32_t top = root(item), layer = layer_[at(item)];
      if (top == item) {
        branch_[at(item)] = static_cast<int32_t>(branches_.size());
        branches_.push_back({layer, layer, 0, -1});
      }
      branch_[at(item)] = branch_[at(top)];
      Branch& branch = branches_[at(branch_[at(item)])];
      branch.low = std::min(branch.low, layer);
      branch.high = std::max(branch.high, layer);
    }
    measure_branches();
  }

  // A branch is as wide as its widest layer.
  void measure_branches() {
    std::vector<int32_t> order(items_);
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](int32_t item) { return std::pair(branch_[at(item)], layer_[at(item)]); };
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return place(a) < place(b); });
    int32_t width = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const int32_t item = order[i];
      if (branch_[at(item)] < 0) continue;
      const bool is_same = i > 0 && place(order[i - 1]) == place(item);
      width = (is_same ? width : 0) + problem_.items[at(item)].width + kGap;
      Branch& branch = branches_[at(branch_[at(item)])];
      branch.width = std::max(branch.width, width);
    }
  }

  // A narrow branch of several layers, at least half of them wide ones.
  bool is_foldable(const Branch& branch) const {
    const int32_t wide = wide_up_to_[at(branch.high + 1)] - wide_up_to_[at(branch.low)];
    return branch.high > branch.low && branch.width <= width_ / 2 && wide > 0 &&
           2 * wide >= branch.high - branch.low + 1;
  }

  // The layers of branches that can be folded, where they overlap as one zone.
  void number_zones() {
    wide_up_to_.assign(wide_.size() + 1, 0);
    for (size_t l = 0; l < wide_.size(); ++l) wide_up_to_[l + 1] = wide_up_to_[l] + wide_[l];
    std::vector<int32_t> reach(wide_.size(), -1);  // of the branches that begin there
    for (const Branch& branch : branches_) {
      if (is_foldable(branch)) reach[at(branch.low)] = std::max(reach[at(branch.low)], branch.high);
    }
    zone_.assign(wide_.size(), -1);
    int32_t zone = -1, end = -1;
    for (int32_t l = 0; l < static_cast<int32_t>(reach.size()); ++l) {
      if (l > end && reach[at(l)] >= 0) zone = l;
      end = std::max(end, reach[at(l)]);
      if (l <= end) zone_[at(l)] = zone;
    }
  }

  void make_bands() {
    number_zones();
    std::vector<int32_t> order;
    std::vector<int32_t> zone(branches_.size());
    for (size_t b = 0; b < branches_.size(); ++b) {
      zone[b] = is_foldable(branches_[b]) ? zone_[at(branches_[b].low)] : -1;
      if (zone[b] >= 0) order.push_back(static_cast<int32_t>(b));
    }
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return zone[at(a)] != zone[at(b)] ? zone[at(a)] < zone[at(b)]
                                        : branches_[at(a)].low < branches_[at(b)].low;
    });
    for (const int32_t index : order) {
      Branch& branch = branches_[at(index)];
      if (bands_.empty() || bands_.back().zone != zone[at(index)] ||
          branch.low > bands_.back().high || bands_.back().width + branch.width > width_)
        bands_.push_back({branch.low, branch.high, 0, zone[at(index)]});
      Band& band = bands_.back();
      band.high = std::max(band.high, branch.high);
      band.width += branch.width;
      branch.band = static_cast<int32_t>(bands_.size() - 1);
    }
  }

  int32_t band_of(int32_t item) const {
    return branch_[at(item)] < 0 ? -1 : branches_[at(branch_[at(item)])].band;
  }
  int32_t place_in(const Band& band, int32_t item) const {
    return band.begin + layer_[at(item)] - band.low;
  }

  std::vector<int32_t> place() {
    // Per layer, how much lower what is in no band stands.
    std::vector<int32_t> lower(wide_.size() + 1, 0);
    int32_t shift = 0, bottom = 0;
    for (size_t b = 0; b < bands_.size(); ++b) {
      Band& band = bands_[b];
      band.begin = std::max(band.low + shift, bottom) + band.push;
      bottom = band.begin + band.high - band.low + 1;
      if (b + 1 == bands_.size() || bands_[b + 1].zone != band.zone) {
        int32_t end = band.zone;
        while (end + 1 < static_cast<int32_t>(zone_.size()) && zone_[at(end + 1)] == band.zone)
          ++end;
        shift = std::max(shift, bottom - (end + 1));
        lower[at(end + 1)] = shift;
      }
    }
    for (size_t l = 1; l < lower.size(); ++l) lower[l] = std::max(lower[l], lower[l - 1]);
    std::vector<int32_t> result(items_);
    for (int32_t item = 0; item < count(); ++item) {
      const int32_t layer = layer_[at(item)], band = band_of(item);
      result[at(item)] = band < 0 ? layer + lower[at(layer)] : place_in(bands_[at(band)], item);
    }
    // Readings are in order of what is read, which comes before its readers.
    for (const auto& [from, to] : readings_)
      result[at(to)] = std::max(result[at(to)], result[at(from)] + 1);
    return result;
  }

  const ScopeProblem& problem_;
  const std::vector<int32_t>& layer_;
  const int32_t width_;
  const size_t items_;
  std::vector<char> wide_;                             // per layer
  std::vector<int32_t> wide_up_to_;                    // wide layers before
  std::vector<int32_t> zone_;                          // per layer: the first of its zone, or -1
  std::vector<std::pair<int32_t, int32_t>> readings_;  // what is read, and the reader
  std::vector<int32_t> links_, parent_, branch_;       // per item
  std::vector<Branch> branches_;
  std::vector<Band> bands_;
};

}  // namespace

std::vector<int32_t> layers_in_bands(const ScopeProblem& problem, const std::vector<int32_t>& layer,
                                     int32_t width) {
  return problem.items.empty() ? std::vector<int32_t>() : Folder(problem, layer, width).run();
}

}  // namespace faketensor::layout
