#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/layout/layered_graph.h"

namespace faketensor::layout {
namespace {

using Kind = LayeredGraph::Kind;

constexpr int32_t kBoxGap = 20;  // between boxes of one layer
constexpr int kSweeps = 8;
// Up to so many layers, and an eighth of all, give up their straight legs for a narrower drawing,
// and only if it gets narrower by at least 1 / kFreedGain.
constexpr size_t kMostFreed = 2;
constexpr int32_t kFreedGain = 24;

size_t at(int32_t index) { return static_cast<size_t>(index); }

// Note [Columns]: nodes joined by a leg that is drawn straight form a column, which moves as one.
// Of the legs between two layers those of the main path are made straight first, then those between
// bends, then others, as long as they do not cross straight ones: then "left of" is acyclic among
// columns (Brandes and Köpf, Fast and Simple Horizontal Coordinate Assignment, 2001). The columns
// are packed to the left, and then each is moved towards its neighbours as far as there is room, in
// a fixed number of sweeps. The column with the most boxes of the main path stays where it is: the
// others arrange themselves around it.
//
// A value leaves an open module elsewhere than where it came in. If each leg between the blocks of
// a model were straight, every block would stand further to one side than the one before, by
// hundreds of pixels. So open modules of one column stand centred below each other, and the legs
// into them may bend.
class Columns {
 public:
  explicit Columns(LayeredGraph& graph) : graph_(graph) {}

  void run() {
    mark_dead_ends();
    for (const std::vector<int32_t>& layer : graph_.layers) {
      const auto lines = std::count_if(layer.begin(), layer.end(), [&](int32_t node) {
        return graph_.kind[at(node)] != Kind::kItem;
      });
      line_gap_.push_back(line_gap(static_cast<int32_t>(lines)));
    }
    freed_.assign(graph_.layers.size(), 0);
    arrange();
    graph_.x = lefts();
    const int32_t straight_width = extent(graph_.x);
    if (free_wide_layers()) keep_if_narrower(straight_width - straight_width / kFreedGain);
    // Where each band of boxes stands beside the lines of the ones before, the module is as wide as all
    // of them.
    if (2 * extent(graph_.x) < 3 * widest_layer()) return;
    std::fill(freed_.begin(), freed_.end(), char{0});
    lines_bend_ = true;
    keep_if_narrower(extent(graph_.x) / 5 * 4);
  }

 private:
  // Arranges anew, with freed layers.
  void keep_if_narrower(int32_t width) {
    arrange();
    std::vector<int32_t> freed = lefts();
    if (extent(freed) < width) graph_.x = std::move(freed);
  }

  // What it needs where nothing is straight.
  int32_t widest_layer() const {
    int32_t widest = 0;
    for (const std::vector<int32_t>& layer : graph_.layers) {
      int32_t width = 0;
      for (size_t i = 0; i < layer.size(); ++i)
        width += graph_.width(layer[i]) + (i == 0 ? 0 : gap(layer[i - 1], layer[i]));
      widest = std::max(widest, width);
    }
    return widest;
  }

  void arrange() {
    align();
    build_columns();
    sort_columns();
    pack_left();
    const int32_t anchor = find_anchor();
    bool moved = true;
    for (int sweep = 0; sweep < kSweeps && moved; sweep += 2) {
      moved = false;
      for (size_t i = sorted_.size(); i-- > 0;) moved |= sorted_[i] != anchor && settle(sorted_[i]);
      for (const int32_t column : sorted_) moved |= column != anchor && settle(column);
    }
    keep_beside_widest();
  }

  std::vector<int32_t> lefts() const {
    std::vector<int32_t> x(at(graph_.nodes()));
    for (int32_t node = 0; node < graph_.nodes(); ++node) x[at(node)] = left_of(node);
    return x;
  }

  int32_t extent(const std::vector<int32_t>& x) const {
    if (x.empty()) return 0;
    int32_t low = std::numeric_limits<int32_t>::max(), high = std::numeric_limits<int32_t>::min();
    for (int32_t node = 0; node < graph_.nodes(); ++node) {
      low = std::min(low, x[at(node)]);
      high = std::max(high, x[at(node)] + graph_.width(node));
    }
    return high - low;
  }

  int32_t widest_item() const {
    int32_t widest = -1;
    for (int32_t item = 0; item < graph_.items(); ++item) {
      if (widest < 0 || graph_.width(item) > graph_.width(widest)) widest = item;
    }
    return widest;
  }

  // A few layers may reach further out than the widest box because columns hold their nodes. Their
  // legs need not be straight; false if there are none, or so many that the module is wide indeed.
  bool free_wide_layers() {
    const int32_t widest = widest_item();
    if (widest < 0) return false;
    const int32_t low = left_of(widest), high = low + graph_.width(widest);
    size_t wide = 0;
    for (int32_t item = 0; item < graph_.items(); ++item) {
      char& freed = freed_[at(graph_.layer[at(item)])];
      if (freed || (left_of(item) >= low && left_of(item) + graph_.width(item) <= high)) continue;
      freed = 1;
      ++wide;
    }
    return wide > 0 && wide <= kMostFreed + freed_.size() / 2;
  }

  // Boxes that nobody reads (assertions) stand aside; the rest goes straight on.
  void mark_dead_ends() {
    dead_end_.assign(at(graph_.nodes()), 0);
    std::fill_n(dead_end_.begin(), graph_.items(), 1);
    for (const ScopeProblem::Net& net : graph_.problem.nets) {
      if (net.item != kBorder) dead_end_[at(net.item)] = 0;
    }
  }

  int32_t weight(const LayeredGraph::Segment& segment) const {
    const bool bend_above = graph_.kind[at(segment.upper)] == Kind::kBend;
    const bool bend_below = graph_.kind[at(segment.lower)] == Kind::kBend;
    if (graph_.main_next[at(segment.upper)] == segment.lower) return 8;
    if (dead_end_[at(segment.lower)]) return 1;
    if (bend_above && bend_below) return 6;
    return bend_above || bend_below ? 1 : 4;
  }

  int32_t position(int32_t node) const { return graph_.position[at(node)]; }

  // Chooses the segments that are drawn straight.
  void align() {
    straight_down_.assign(at(graph_.nodes()), -1);
    straight_up_.assign(at(graph_.nodes()), -1);
    std::vector<int32_t> candidates;
    for (size_t layer = 0; layer + 1 < graph_.layers.size(); ++layer) {
      if (freed_[layer] || freed_[layer + 1]) continue;
      candidates.clear();
      for (const int32_t node : graph_.layers[layer]) {
        for (int32_t i = graph_.down_start[at(node)]; i < graph_.down_start[at(node) + 1]; ++i) {
          if (may_be_straight(graph_.segments[at(graph_.down[at(i)])]))
            candidates.push_back(graph_.down[at(i)]);
        }
      }
      std::stable_sort(candidates.begin(), candidates.end(),
                       [&](int32_t a, int32_t b) { return before(a, b); });
      std::map<int32_t, int32_t> chosen;  // upper position to lower position
      for (const int32_t index : candidates) {
        const LayeredGraph::Segment& segment = graph_.segments[at(index)];
        if (straight_down_[at(segment.upper)] >= 0 || straight_up_[at(segment.lower)] >= 0)
          continue;
        const auto right = chosen.lower_bound(position(segment.upper));
        if (right != chosen.end() && right->second < position(segment.lower)) continue;
        if (right != chosen.begin() && std::prev(right)->second > position(segment.lower)) continue;
        chosen.emplace_hint(right, position(segment.upper), position(segment.lower));
        straight_down_[at(segment.upper)] = index;
        straight_up_[at(segment.lower)] = index;
      }
    }
  }

  // A box with a neighbour in the next layer does not follow a line: lines are led around wide
  // boxes, and would drag it along.
  bool may_be_straight(const LayeredGraph::Segment& segment) const {
    const bool bend_above = graph_.kind[at(segment.upper)] == Kind::kBend;
    const bool bend_below = graph_.kind[at(segment.lower)] == Kind::kBend;
    if (lines_bend_ && bend_above != bend_below) return false;
    if (bend_above == bend_below || graph_.main_next[at(segment.upper)] == segment.lower)
      return true;
    const int32_t box = bend_above ? segment.lower : segment.upper;
    const std::vector<int32_t>& start = bend_above ? graph_.up_start : graph_.down_start;
    const std::vector<int32_t>& list = bend_above ? graph_.up : graph_.down;
    return std::all_of(
        list.begin() + start[at(box)], list.begin() + start[at(box) + 1], [&](int32_t index) {
          const LayeredGraph::Segment& other = graph_.segments[at(index)];
          return graph_.kind[at(bend_above ? other.upper : other.lower)] == Kind::kBend;
        });
  }

  // The heavier first; of equal ones those that stay nearest to the middle of their fan.
  bool before(int32_t a, int32_t b) const {
    const auto key = [&](int32_t index) {
      const LayeredGraph::Segment& segment = graph_.segments[at(index)];
      return std::make_tuple(-weight(segment), fan_distance(segment));
    };
    return key(a) < key(b);
  }

  int32_t fan_distance(const LayeredGraph::Segment& segment) const {
    const auto& down = graph_.down_start;
    const auto& up = graph_.up_start;
    return (down[at(segment.upper) + 1] - down[at(segment.upper)]) +
           (up[at(segment.lower) + 1] - up[at(segment.lower)]);
  }

  void build_columns() {
    column_.assign(at(graph_.nodes()), -1);
    shift_.assign(at(graph_.nodes()), 0);
    column_start_.assign(1, 0);
    column_nodes_.clear();
    for (const std::vector<int32_t>& layer : graph_.layers) {
      for (const int32_t top : layer) {
        if (straight_up_[at(top)] >= 0) continue;
        const int32_t column = static_cast<int32_t>(column_start_.size() - 1);
        int32_t node = top;
        int32_t shift = 0;
        int32_t open = -1;  // the first open module of the column
        for (;;) {
          if (graph_.open_drawing(node) != nullptr) {
            if (open >= 0) shift = centred(open, node);
            if (open < 0) open = node;
          }
          column_[at(node)] = column;
          shift_[at(node)] = shift;
          column_nodes_.push_back(node);
          if (straight_down_[at(node)] < 0) break;
          const LayeredGraph::Segment& segment = graph_.segments[at(straight_down_[at(node)])];
          shift += graph_.out_offset(node, segment.upper_port) -
                   graph_.in_offset(segment.lower, segment.lower_port);
          node = segment.lower;
        }
        column_start_.push_back(static_cast<int32_t>(column_nodes_.size()));
      }
    }
    column_x_.assign(column_start_.size() - 1, 0);
  }

  // Where a node stands below another that has its place in the column.
  int32_t centred(int32_t above, int32_t node) const {
    return shift_[at(above)] + (graph_.width(above) - graph_.width(node)) / 2;
  }

  int32_t beside(int32_t node, int32_t step) const {
    const std::vector<int32_t>& layer = graph_.layers[at(graph_.layer[at(node)])];
    const int32_t index = position(node) + step;
    return index < 0 || index >= static_cast<int32_t>(layer.size()) ? -1 : layer[at(index)];
  }

  // From left to right: a column after all that have a node directly left of one of its nodes.
  void sort_columns() {
    sorted_.clear();
    std::vector<int32_t> waiting(column_x_.size(), 0);
    for (int32_t node = 0; node < graph_.nodes(); ++node)
      waiting[at(column_[at(node)])] += beside(node, -1) >= 0;
    for (size_t column = 0; column < waiting.size(); ++column) {
      if (waiting[column] == 0) sorted_.push_back(static_cast<int32_t>(column));
    }
    for (size_t i = 0; i < sorted_.size(); ++i) {
      for_each_node(sorted_[i], [&](int32_t node) {
        const int32_t right = beside(node, 1);
        if (right >= 0 && --waiting[at(column_[at(right)])] == 0)
          sorted_.push_back(column_[at(right)]);
      });
    }
  }

  template <typename Visit>
  void for_each_node(int32_t column, Visit visit) const {
    for (int32_t i = column_start_[at(column)]; i < column_start_[at(column) + 1]; ++i)
      visit(column_nodes_[at(i)]);
  }

  int32_t left_of(int32_t node) const {
    return column_x_[at(column_[at(node)])] + shift_[at(node)];
  }

  int32_t gap(int32_t left, int32_t right) const {
    const bool boxes =
        graph_.kind[at(left)] == Kind::kItem && graph_.kind[at(right)] == Kind::kItem;
    return boxes ? kBoxGap : line_gap_[at(graph_.layer[at(left)])];
  }

  // The leftmost place of a column beside its left neighbours.
  int32_t left_bound(int32_t column, int32_t without) const {
    int32_t bound = without;
    for_each_node(column, [&](int32_t node) {
      const int32_t left = beside(node, -1);
      if (left < 0) return;
      bound =
          std::max(bound, left_of(left) + graph_.width(left) + gap(left, node) - shift_[at(node)]);
    });
    return bound;
  }

  int32_t right_bound(int32_t column, int32_t without) const {
    int32_t bound = without;
    for_each_node(column, [&](int32_t node) {
      const int32_t right = beside(node, 1);
      if (right < 0) return;
      bound = std::min(bound,
                       left_of(right) - gap(node, right) - graph_.width(node) - shift_[at(node)]);
    });
    return bound;
  }

  void pack_left() {
    for (const int32_t column : sorted_) column_x_[at(column)] = left_bound(column, 0);
  }

  int32_t find_anchor() const {
    int32_t anchor = 0, most = -1;
    for (int32_t column = 0; column < static_cast<int32_t>(column_x_.size()); ++column) {
      int32_t boxes = 0;
      for_each_node(column, [&](int32_t node) {
        boxes += (graph_.main_next[at(node)] >= 0 ? 4 : 0) +
                 (graph_.kind[at(node)] == Kind::kItem ? 1 : 0);
      });
      if (boxes > most) anchor = column;
      most = std::max(most, boxes);
    }
    return anchor;
  }

  // Moves a column towards the mean of where its bent legs would be straight, as far as there is
  // room; false if it stays.
  bool settle(int32_t column) {
    int64_t sum = 0, weights = 0;
    const int32_t x = column_x_[at(column)];
    const auto pull = [&](const LayeredGraph::Segment& segment, bool down) {
      if (column_[at(segment.upper)] == column_[at(segment.lower)]) return;
      const int32_t upper =
          left_of(segment.upper) + graph_.out_offset(segment.upper, segment.upper_port);
      const int32_t lower =
          left_of(segment.lower) + graph_.in_offset(segment.lower, segment.lower_port);
      sum += static_cast<int64_t>(weight(segment)) * (down ? lower - upper : upper - lower);
      weights += weight(segment);
    };
    for_each_node(column, [&](int32_t node) {
      for (int32_t i = graph_.down_start[at(node)]; i < graph_.down_start[at(node) + 1]; ++i) {
        pull(graph_.segments[at(graph_.down[at(i)])], true);
      }
      for (int32_t i = graph_.up_start[at(node)]; i < graph_.up_start[at(node) + 1]; ++i) {
        pull(graph_.segments[at(graph_.up[at(i)])], false);
      }
    });
    if (weights == 0) return false;
    const int32_t wanted = x + static_cast<int32_t>(sum / weights);
    if (wanted < x) column_x_[at(column)] = std::max(wanted, left_bound(column, wanted));
    if (wanted > x) column_x_[at(column)] = std::min(wanted, right_bound(column, wanted));
    return column_x_[at(column)] != x;
  }

  // What stands further out than the widest box is pushed in, as far as there is room: one input at
  // the side would make the whole drawing wider, and a bent leg costs nothing.
  void keep_beside_widest() {
    const int32_t widest = widest_item();
    if (widest < 0) return;
    const int32_t low = left_of(widest), high = low + graph_.width(widest);
    for (size_t i = sorted_.size(); i-- > 0;) {
      int32_t& x = column_x_[at(sorted_[i])];
      int32_t bound = x;
      for_each_node(sorted_[i], [&](int32_t node) {
        bound = std::min(bound, high - graph_.width(node) - shift_[at(node)]);
      });
      x = right_bound(sorted_[i], bound);
    }
    for (const int32_t column : sorted_) {
      int32_t& x = column_x_[at(column)];
      int32_t bound = x;
      for_each_node(column, [&](int32_t node) { bound = std::max(bound, low - shift_[at(node)]); });
      x = left_bound(column, bound);
    }
  }

  LayeredGraph& graph_;
  std::vector<char> dead_end_;                        // per node
  std::vector<int32_t> line_gap_;                     // per layer: beside a line
  bool lines_bend_ = false;                           // at the boxes that they join, all of them
  std::vector<char> freed_;                           // per layer: no leg to or from it is straight
  std::vector<int32_t> straight_down_, straight_up_;  // per node: segment, or -1
  std::vector<int32_t> column_,
      shift_;  // per node: its column, its left edge relative to the column's
  std::vector<int32_t> column_start_, column_nodes_;  // per column: its nodes from top to bottom
  std::vector<int32_t> column_x_, sorted_;
};

}  // namespace

void place_columns(LayeredGraph& graph) { Columns(graph).run(); }

}  // namespace faketensor::layout
