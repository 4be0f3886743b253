#include <algorithm>
#include <utility>

#include "core/layout/layered_graph.h"

namespace faketensor::layout {
namespace {

constexpr int kSweeps = 6;
constexpr int kSwapPasses = 2;
// A node with more segments than this is not moved by swaps: comparing two nodes costs the product
// of their degrees.
constexpr int32_t kLargestSwapDegree = 12;

size_t at(int32_t index) { return static_cast<size_t>(index); }

class Ordering {
 public:
  explicit Ordering(LayeredGraph& graph) : graph_(graph) {}

  void run() {
    const auto alone = [](const std::vector<int32_t>& layer) { return layer.size() < 2; };
    if (std::all_of(graph_.layers.begin(), graph_.layers.end(), alone)) return;
    keys_.resize(at(graph_.nodes()));
    int64_t fewest = -1;
    std::vector<int32_t> best;
    for (int sweep = 0; sweep < kSweeps && fewest != 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (size_t layer = 1; layer < graph_.layers.size(); ++layer) sort_layer(layer, true);
      } else {
        for (size_t layer = graph_.layers.size() - 1; layer-- > 0;) sort_layer(layer, false);
      }
      const int64_t crossings = count_crossings();
      if (fewest < 0 || crossings < fewest) {
        fewest = crossings;
        best = graph_.position;
      }
    }
    graph_.position = std::move(best);
    for (std::vector<int32_t>& layer : graph_.layers) {
      std::sort(layer.begin(), layer.end(),
                [&](int32_t a, int32_t b) { return position(a) < position(b); });
    }
    for (int pass = 0; pass < kSwapPasses && fewest != 0; ++pass) swap_neighbours();
  }

 private:
  int32_t position(int32_t node) const { return graph_.position[at(node)]; }

  // Where a segment meets the layer above (or below), in 1/1024 of a place: ports of one open
  // module count as different places.
  int64_t place(const LayeredGraph::Segment& segment, bool above) const {
    const int32_t node = above ? segment.upper : segment.lower;
    const int64_t width = graph_.width(node);
    int64_t part = 512;
    if (width > 0) {
      part = (above ? graph_.out_offset(node, segment.upper_port)
                    : graph_.in_offset(node, segment.lower_port)) *
             int64_t{1024} / width;
    }
    return position(node) * int64_t{1024} + part;
  }

  // Sorts by the mean place of the neighbours; who has none stays beside the node on its left.
  void sort_layer(size_t index, bool from_above) {
    std::vector<int32_t>& layer = graph_.layers[index];
    if (layer.size() < 2) return;
    const std::vector<int32_t>& start = from_above ? graph_.up_start : graph_.down_start;
    const std::vector<int32_t>& list = from_above ? graph_.up : graph_.down;
    int64_t left = -1;
    for (const int32_t node : layer) {
      const int32_t first = start[at(node)], last = start[at(node) + 1];
      int64_t sum = 0;
      for (int32_t i = first; i < last; ++i)
        sum += place(graph_.segments[at(list[at(i)])], from_above);
      left = keys_[at(node)] = first == last ? left : sum / (last - first);
    }
    std::stable_sort(layer.begin(), layer.end(),
                     [&](int32_t a, int32_t b) { return keys_[at(a)] < keys_[at(b)]; });
    for (size_t i = 0; i < layer.size(); ++i)
      graph_.position[at(layer[i])] = static_cast<int32_t>(i);
  }

  // Inversions between neighbouring layers, counted with a Fenwick tree. Segments that meet at one
  // place do not cross.
  int64_t count_crossings() {
    int64_t crossings = 0;
    for (size_t index = 0; index + 1 < graph_.layers.size(); ++index) {
      ends_.clear();
      for (const int32_t node : graph_.layers[index]) {
        for (int32_t i = graph_.down_start[at(node)]; i < graph_.down_start[at(node) + 1]; ++i) {
          const LayeredGraph::Segment& segment = graph_.segments[at(graph_.down[at(i)])];
          ends_.push_back({place(segment, true), place(segment, false)});
        }
      }
      if (ends_.size() > 1) crossings += count_inversions();
    }
    return crossings;
  }

  int64_t count_inversions() {
    std::sort(ends_.begin(), ends_.end());
    lower_.clear();
    for (const auto& end : ends_) lower_.push_back(end.second);
    std::sort(lower_.begin(), lower_.end());
    lower_.erase(std::unique(lower_.begin(), lower_.end()), lower_.end());
    if (lower_.size() < 2) return 0;
    const auto rank = [&](int64_t place) {
      return static_cast<size_t>(std::lower_bound(lower_.begin(), lower_.end(), place) -
                                 lower_.begin()) +
             1;
    };
    tree_.assign(lower_.size() + 1, 0);
    int64_t inversions = 0;
    for (size_t i = 0, counted = 0; i < ends_.size(); ++i) {
      for (; ends_[counted].first < ends_[i].first; ++counted) {
        for (size_t p = rank(ends_[counted].second); p < tree_.size(); p += p & (~p + 1))
          ++tree_[p];
      }
      inversions += static_cast<int64_t>(counted);
      for (size_t p = rank(ends_[i].second); p > 0; p &= p - 1) inversions -= tree_[p];
    }
    return inversions;
  }

  // Crossings between the segments of a and of b on both sides, with a left of b, less those with b
  // left of a.
  int32_t gain_of_swap(int32_t a, int32_t b) const {
    int32_t gain = 0;
    const auto side = [&](const std::vector<int32_t>& start, const std::vector<int32_t>& list,
                          bool above) {
      for (int32_t i = start[at(a)]; i < start[at(a) + 1]; ++i) {
        for (int32_t j = start[at(b)]; j < start[at(b) + 1]; ++j) {
          const int64_t of_a = place(graph_.segments[at(list[at(i)])], above);
          const int64_t of_b = place(graph_.segments[at(list[at(j)])], above);
          gain += of_a > of_b ? 1 : of_a < of_b ? -1 : 0;
        }
      }
    };
    side(graph_.down_start, graph_.down, false);
    side(graph_.up_start, graph_.up, true);
    return gain;
  }

  int32_t degree(int32_t node) const {
    return graph_.down_start[at(node) + 1] - graph_.down_start[at(node)] +
           graph_.up_start[at(node) + 1] - graph_.up_start[at(node)];
  }

  void swap_neighbours() {
    for (std::vector<int32_t>& layer : graph_.layers) {
      for (size_t i = 0; i + 1 < layer.size(); ++i) {
        if (degree(layer[i]) > kLargestSwapDegree || degree(layer[i + 1]) > kLargestSwapDegree)
          continue;
        if (gain_of_swap(layer[i], layer[i + 1]) <= 0) continue;
        std::swap(layer[i], layer[i + 1]);
        std::swap(graph_.position[at(layer[i])], graph_.position[at(layer[i + 1])]);
      }
    }
  }

  LayeredGraph& graph_;
  std::vector<int64_t> keys_;  // per node
  std::vector<std::pair<int64_t, int64_t>> ends_;
  std::vector<int64_t> lower_, tree_;
};

}  // namespace

void order_layers(LayeredGraph& graph) { Ordering(graph).run(); }

}  // namespace faketensor::layout
