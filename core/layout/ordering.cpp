#include <algorithm>

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

  // Inversions between neighbouring layers, counted with a Fenwick tree.
  int64_t count_crossings() {
    int64_t crossings = 0;
    for (size_t index = 0; index + 1 < graph_.layers.size(); ++index) {
      const std::vector<int32_t>& upper = graph_.layers[index];
      const size_t lower_size = graph_.layers[index + 1].size();
      if (upper.size() < 2 || lower_size < 2) continue;
      tree_.assign(lower_size + 1, 0);
      int64_t seen = 0;
      for (const int32_t node : upper) {
        const int32_t first = graph_.down_start[at(node)], last = graph_.down_start[at(node) + 1];
        for (int32_t i = first; i < last; ++i) {
          int64_t not_right = 0;
          for (size_t p = at(position(lower_of(i)) + 1); p > 0; p &= p - 1) not_right += tree_[p];
          crossings += seen - not_right;
        }
        for (int32_t i = first; i < last; ++i) {
          for (size_t p = at(position(lower_of(i)) + 1); p < tree_.size(); p += p & (~p + 1))
            ++tree_[p];
          ++seen;
        }
      }
    }
    return crossings;
  }

  int32_t lower_of(int32_t i) const { return graph_.segments[at(graph_.down[at(i)])].lower; }
  int32_t upper_of(int32_t i) const { return graph_.segments[at(graph_.up[at(i)])].upper; }

  // Crossings between the segments of a and of b on both sides, with a left of b, less those with b
  // left of a.
  int32_t gain_of_swap(int32_t a, int32_t b) const {
    int32_t gain = 0;
    const auto side = [&](const std::vector<int32_t>& start, auto other_end) {
      for (int32_t i = start[at(a)]; i < start[at(a) + 1]; ++i) {
        for (int32_t j = start[at(b)]; j < start[at(b) + 1]; ++j) {
          const int32_t of_a = position(other_end(i)), of_b = position(other_end(j));
          gain += of_a > of_b ? 1 : of_a < of_b ? -1 : 0;
        }
      }
    };
    side(graph_.down_start, [&](int32_t i) { return lower_of(i); });
    side(graph_.up_start, [&](int32_t i) { return upper_of(i); });
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
  std::vector<int64_t> tree_;
};

}  // namespace

void order_layers(LayeredGraph& graph) { Ordering(graph).run(); }

}  // namespace faketensor::layout
