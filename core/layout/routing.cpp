#include <algorithm>
#include <cmath>
#include <limits>

#include "core/layout/layered_graph.h"
#include "core/layout/tracks.h"

namespace faketensor::layout {
namespace {

using Kind = LayeredGraph::Kind;

// A leg goes straight down into a box if it is so far inside.
constexpr int32_t kStraightInset = 12;
constexpr int32_t kSlotInset = 4;  // other legs keep so far from its corner
// From a layer's lower edge to the first track below it: room for a size beside the leg. The legs of
// open modules have none: their sizes stand inside.
constexpr int32_t kFirstTrack = 14;
constexpr int32_t kFirstTrackOfOpen = 8;
// From the last track to the next layer: room for an arrow head, which open modules do without.
constexpr int32_t kBelowTracks = 12;
constexpr int32_t kBelowTracksOfOpen = 8;
// A channel without tracks: room for a size, for an arrow head, and between two open modules.
constexpr int32_t kStraightFromBox = 20;
constexpr int32_t kStraightFromBoxToOpen = 14;
constexpr int32_t kStraightToBox = 12;
constexpr int32_t kStraightOfOpen = 8;
constexpr int32_t kTrackGap = 8;
constexpr int32_t kWidestChannel = 64;  // the tracks of one channel share at most this much

size_t at(int32_t index) { return static_cast<size_t>(index); }

// The outline of the drawing on one side: per layer how far it reaches, with rails put beside it.
// Segment tree over the layers: both the farthest reach among layers and raising layers to a reach
// take logarithmic time.
class Outline {
 public:
  explicit Outline(size_t layers) : size_(layers) {
    reach_.assign(2 * layers, kNone);
    inside_ = reach_;
  }

  static constexpr int32_t kNone = std::numeric_limits<int32_t>::min();

  int32_t farthest(size_t first, size_t last) const {  // of layers [first, last)
    int32_t result = kNone;
    for_cover(first, last, [&](size_t node) { result = std::max(result, reach_[node]); });
    // A raise that covered a larger range lies further up.
    for (const size_t end : {first, last - 1}) {
      for (size_t node = (end + size_) / 2; node > 0; node /= 2)
        result = std::max(result, inside_[node]);
    }
    return result;
  }

  void raise(size_t first, size_t last, int32_t reach) {
    for_cover(first, last, [&](size_t node) {
      inside_[node] = std::max(inside_[node], reach);
      for (; node > 0; node /= 2) reach_[node] = std::max(reach_[node], reach);
    });
  }

 private:
  template <typename Visit>
  void for_cover(size_t first, size_t last, Visit visit) const {
    for (first += size_, last += size_; first < last; first /= 2, last /= 2) {
      if (first & 1) visit(first++);
      if (last & 1) visit(--last);
    }
  }

  size_t size_;
  std::vector<int32_t> reach_;   // farthest reach of the layers below a tree node
  std::vector<int32_t> inside_;  // reach that all layers below a tree node have
};

class Router {
 public:
  explicit Router(LayeredGraph& graph) : graph_(graph), problem_(graph.problem) {}

  ScopeDrawing run() {
    place_rails();
    choose_slots();
    collect_jumps();
    assign_tracks();
    find_ends();
    place_layers();
    frame();
    draw_legs();
    return std::move(drawing_);
  }

 private:
  int32_t center(int32_t node) const { return graph_.x[at(node)] + graph_.width(node) / 2; }

  int32_t source_x(int32_t net) const {
    const ScopeProblem::Net& from = problem_.nets[at(net)];
    const int32_t node = graph_.source_node(from);
    return graph_.x[at(node)] + graph_.out_offset(node, from.port);
  }

  // Rails run beside the layers between their ends, the shorter ones nearer, on the side that makes
  // them reach less far.
  void place_rails() {
    if (graph_.rails.empty()) return;
    const size_t layers = graph_.layers.size();
    Outline right(layers), left(layers);
    for (size_t layer = 0; layer < layers; ++layer) {
      for (const int32_t node : graph_.layers[layer]) {
        right.raise(layer, layer + 1, graph_.x[at(node)] + graph_.width(node));
        left.raise(layer, layer + 1, -graph_.x[at(node)]);
      }
    }
    const auto rails = static_cast<int64_t>(graph_.rails.size());
    std::vector<int32_t> order(graph_.rails.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    const auto first_layer = [&](const LayeredGraph::Rail& rail) {
      return graph_.layer[at(graph_.source_node(problem_.nets[at(rail.net)]))];
    };
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      const LayeredGraph::Rail &one = graph_.rails[at(a)], &other = graph_.rails[at(b)];
      return one.last_layer - first_layer(one) < other.last_layer - first_layer(other);
    });
    for (int64_t i = 0; i < rails; ++i) {
      LayeredGraph::Rail& rail = graph_.rails[at(order[static_cast<size_t>(i)])];
      const auto gap = static_cast<int32_t>(
          rails * kLineGap <= kBundle ? kLineGap : (i + 1) * kBundle / rails - i * kBundle / rails);
      const size_t first = at(first_layer(rail)) + 1, last = at(rail.last_layer);
      const int32_t from = source_x(rail.net);
      const int32_t to = mean_arrival(rail.net);
      const int32_t on_right = beyond(right.farthest(first, last) + gap, from, to);
      const int32_t on_left = -beyond(left.farthest(first, last) + gap, -from, -to);
      const auto length = [&](int32_t x) { return std::abs(x - from) + std::abs(x - to); };
      rail.left = length(on_left) < length(on_right);
      rail.x = rail.left ? on_left : on_right;
      if (rail.left) {
        left.raise(first, last, -rail.x);
      } else {
        right.raise(first, last, rail.x);
      }
    }
  }

  // The x at or right of `bound` with the fewest turns: above the reader, below the source, or at
  // the bound.
  static int32_t beyond(int32_t bound, int32_t from, int32_t to) {
    return to >= bound ? to : from >= bound ? from : bound;
  }

  // Of the readers on the net's rail.
  int32_t mean_arrival(int32_t net) const {
    int64_t sum = 0, count = 0;
    for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
      if (graph_.target_segment[at(t)] >= 0) continue;
      const int32_t node = graph_.target_node(problem_.targets[at(t)]);
      sum += graph_.x[at(node)] + graph_.in_offset(node, problem_.targets[at(t)].port);
      ++count;
    }
    return static_cast<int32_t>(sum / std::max<int64_t>(count, 1));
  }

  // Where each leg reaches its box: straight from above if it can, the others spread over the side
  // they come from.
  void choose_slots() {
    arrival_x_.assign(problem_.targets.size(), 0);
    std::vector<std::vector<int32_t>> at_item(problem_.items.size());
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        const ScopeProblem::Target& target = problem_.targets[at(t)];
        const int32_t node = graph_.target_node(target);
        arrival_x_[at(t)] = graph_.x[at(node)] + graph_.in_offset(node, target.port);
        if (target.item != kBorder && problem_.items[at(target.item)].drawing < 0) {
          at_item[at(target.item)].push_back(t);
          approach_.resize(problem_.targets.size());
          approach_[at(t)] = approach(net, t);
        }
      }
    }
    for (int32_t item = 0; item < graph_.items(); ++item) spread(item, at_item[at(item)]);
  }

  int32_t approach(int32_t net, int32_t target) const {
    const int32_t segment = graph_.target_segment[at(target)];
    if (segment < 0) return graph_.rails[at(graph_.net_rail[at(net)])].x;
    const LayeredGraph::Segment& last = graph_.segments[at(segment)];
    return graph_.x[at(last.upper)] + graph_.out_offset(last.upper, last.upper_port);
  }

  void spread(int32_t item, std::vector<int32_t>& targets) {
    if (targets.empty()) return;
    std::stable_sort(targets.begin(), targets.end(),
                     [&](int32_t a, int32_t b) { return approach_[at(a)] < approach_[at(b)]; });
    const int32_t left = graph_.x[at(item)], end = left + graph_.width(item);
    const auto is_left = [&](int32_t target) {
      return approach_[at(target)] < left + kStraightInset;
    };
    const auto is_not_right = [&](int32_t target) {
      return approach_[at(target)] <= end - kStraightInset;
    };
    const int32_t low = left + kSlotInset, high = end - kSlotInset;
    const auto straight = std::partition_point(targets.begin(), targets.end(), is_left);
    const auto right = std::partition_point(straight, targets.end(), is_not_right);
    for (auto target = straight; target != right; ++target)
      arrival_x_[at(*target)] = approach_[at(*target)];
    if (straight == right) {
      divide(targets.begin(), targets.end(), low, high);
    } else {
      divide(targets.begin(), straight, low, approach_[at(*straight)]);
      divide(right, targets.end(), approach_[at(*(right - 1))], high);
    }
  }

  // Spreads arrivals evenly between two places, both excluded.
  template <typename Iterator>
  void divide(Iterator first, Iterator last, int32_t low, int32_t high) {
    const int32_t parts = static_cast<int32_t>(last - first) + 1;
    for (int32_t i = 1; first != last; ++first, ++i) {
      arrival_x_[at(*first)] = low + static_cast<int32_t>(int64_t{high - low} * i / parts);
    }
  }

  // Every passage of a net through the channel below a layer: from x `above` to x `below`.
  void collect_jumps() {
    jumps_.reserve(graph_.segments.size() + graph_.rails.size());
    for (const LayeredGraph::Segment& segment : graph_.segments) {
      const int32_t above =
          graph_.x[at(segment.upper)] + graph_.out_offset(segment.upper, segment.upper_port);
      const int32_t below =
          graph_.x[at(segment.lower)] + graph_.in_offset(segment.lower, segment.lower_port);
      jumps_.push_back({graph_.layer[at(segment.upper)], segment.net, above, below, 0});
    }
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        if (graph_.target_segment[at(t)] >= 0)
          jumps_[at(graph_.target_segment[at(t)])].below = arrival_x_[at(t)];
      }
    }
    rail_start_.assign(graph_.rails.size(), 0);
    for (size_t i = 0; i < graph_.rails.size(); ++i) {
      const LayeredGraph::Rail& rail = graph_.rails[i];
      const int32_t source = graph_.source_node(problem_.nets[at(rail.net)]);
      rail_start_[i] = add_jump(graph_.layer[at(source)], rail.net, source_x(rail.net), rail.x);
    }
    tap_.assign(problem_.targets.size(), -1);
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        if (graph_.target_segment[at(t)] >= 0) continue;
        const int32_t layer = graph_.layer[at(graph_.target_node(problem_.targets[at(t)]))];
        tap_[at(t)] = add_jump(layer - 1, net, graph_.rails[at(graph_.net_rail[at(net)])].x,
                               arrival_x_[at(t)]);
      }
    }
  }

  int32_t add_jump(int32_t layer, int32_t net, int32_t above, int32_t below) {
    jumps_.push_back({layer, net, above, below, 0});
    return static_cast<int32_t>(jumps_.size() - 1);
  }

  void assign_tracks() {
    tracks_ = assign_channel_tracks(jumps_, static_cast<int32_t>(graph_.layers.size()),
                                    static_cast<int32_t>(problem_.nets.size()));
  }

  // y of the layers, and of the items in them: upper edges in line, but what has no input hangs
  // above its readers.
  void place_layers() {
    const size_t layers = graph_.layers.size();
    layer_bottom_.assign(layers, 0);
    item_y_.assign(problem_.items.size(), 0);
    int32_t y = problem_.title_height;
    for (size_t layer = 0; layer < layers; ++layer) {
      int32_t height = 0;
      for (const int32_t node : graph_.layers[layer])
        height = std::max(height, graph_.height(node));
      for (const int32_t node : graph_.layers[layer]) {
        if (graph_.kind[at(node)] != Kind::kItem) continue;
        const bool fed = graph_.up_start[at(node)] != graph_.up_start[at(node) + 1];
        item_y_[at(node)] = fed ? y : y + height - graph_.height(node);
      }
      layer_bottom_[layer] = y + height;
      y += height;
      if (layer + 1 < layers) y += channel_height(layer);
    }
    drawing_.height = y;
  }

  // What legs need in a channel: those that begin at a box carry a size, those that end at one an
  // arrow head.
  struct Ends {
    bool from_box = false, to_box = false;
  };

  bool is_plain(int32_t node) const {
    return graph_.kind[at(node)] == Kind::kItem && graph_.open_drawing(node) == nullptr;
  }

  void find_ends() {
    ends_.assign(graph_.layers.size(), {});
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      const int32_t source = graph_.source_node(problem_.nets[at(net)]);
      if (is_plain(source)) ends_[at(graph_.layer[at(source)])].from_box = true;
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        const int32_t target = graph_.target_node(problem_.targets[at(t)]);
        if (is_plain(target)) ends_[at(graph_.layer[at(target)] - 1)].to_box = true;
      }
    }
  }

  int32_t above_tracks(size_t layer) const {
    return ends_[layer].from_box ? kFirstTrack : kFirstTrackOfOpen;
  }

  int32_t tracks_height(size_t layer) const {
    return std::min(kWidestChannel, std::max(0, tracks_[layer] - 1) * kTrackGap);
  }

  int32_t channel_height(size_t layer) const {
    const bool at_border = layer == 0 || layer + 2 == graph_.layers.size();
    const Ends ends = ends_[layer];
    int32_t height = ends.to_box ? kStraightToBox : kStraightOfOpen;
    if (ends.from_box) height = ends.to_box ? kStraightFromBox : kStraightFromBoxToOpen;
    if (tracks_[layer] > 0)
      height = above_tracks(layer) + tracks_height(layer) +
               (ends.to_box ? kBelowTracks : kBelowTracksOfOpen);
    return at_border ? std::max(height, metrics::kPadding) : height;
  }

  int32_t track_y(const Jump& jump) const {
    const int32_t tracks = tracks_[at(jump.layer)];
    const int32_t room = tracks_height(at(jump.layer));
    return layer_bottom_[at(jump.layer)] + above_tracks(at(jump.layer)) +
           (tracks < 2 ? 0 : jump.track * room / (tracks - 1));
  }

  // Moves everything so that the drawing begins at its padding, and wide enough for the title.
  void frame() {
    int32_t low = std::numeric_limits<int32_t>::max(), high = std::numeric_limits<int32_t>::min();
    const auto cover = [&](int32_t from, int32_t to) {
      low = std::min(low, from);
      high = std::max(high, to);
    };
    for (int32_t node = 0; node < graph_.nodes(); ++node)
      cover(graph_.x[at(node)], graph_.x[at(node)] + graph_.width(node));
    for (const LayeredGraph::Rail& rail : graph_.rails) cover(rail.x, rail.x);
    if (low > high) low = high = 0;
    const int32_t content = high - low + 2 * metrics::kPadding;
    drawing_.width = std::max(content, problem_.title_width);
    offset_ = metrics::kPadding - low + (drawing_.width - content) / 2;

    for (int32_t item = 0; item < graph_.items(); ++item) {
      drawing_.corners.push_back({graph_.x[at(item)] + offset_, item_y_[at(item)]});
    }
    for (int32_t i = 0; i < problem_.top_ports; ++i)
      drawing_.top_port_x.push_back(graph_.x[at(graph_.first_top_port() + i)] + offset_);
    for (int32_t i = 0; i < problem_.bottom_ports; ++i) {
      drawing_.bottom_port_x.push_back(graph_.x[at(graph_.first_bottom_port() + i)] + offset_);
    }
  }

  void draw_legs() {
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      const int32_t source = graph_.source_node(problem_.nets[at(net)]);
      const int32_t start_y = source < graph_.items() ? item_y_[at(source)] + graph_.height(source)
                                                      : problem_.title_height;
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        way_.clear();
        if (tap_[at(t)] >= 0) {
          way_ = {tap_[at(t)], rail_start_[at(graph_.net_rail[at(net)])]};
        } else {
          for (int32_t segment = graph_.target_segment[at(t)];;) {
            way_.push_back(segment);
            const int32_t upper = graph_.segments[at(segment)].upper;
            if (upper < graph_.first_bend()) break;
            segment = graph_.bend_segment[at(upper - graph_.first_bend())];
          }
        }
        draw_way(start_y, problem_.targets[at(t)]);
      }
    }
  }

  // `way_` holds the jumps from the reader up to the source.
  void draw_way(int32_t start_y, const ScopeProblem::Target& target) {
    const auto add = [&](int32_t x, int32_t y) { drawing_.points.push_back({x + offset_, y}); };
    add(jumps_[at(way_.back())].above, start_y);
    for (size_t i = way_.size(); i-- > 0;) {
      const Jump& jump = jumps_[at(way_[i])];
      if (jump.above == jump.below) continue;
      add(jump.above, track_y(jump));
      add(jump.below, track_y(jump));
    }
    add(jumps_[at(way_.front())].below,
        target.item == kBorder ? drawing_.height : item_y_[at(target.item)]);
    drawing_.point_end.push_back(static_cast<uint32_t>(drawing_.points.size()));
  }

  LayeredGraph& graph_;
  const ScopeProblem& problem_;
  ScopeDrawing drawing_;
  std::vector<int32_t> arrival_x_, approach_;  // per target
  std::vector<Jump> jumps_;                // per segment, then per rail its start, then the taps
  std::vector<int32_t> rail_start_, tap_;  // per rail, per target: index into jumps_
  std::vector<int32_t> tracks_;            // per channel: how many
  std::vector<Ends> ends_;                 // per channel
  std::vector<int32_t> layer_bottom_, item_y_, way_;
  int32_t offset_ = 0;  // added to x when points are drawn
};

}  // namespace

ScopeDrawing route(LayeredGraph& graph) { return Router(graph).run(); }

ScopeDrawing draw_scope(const ScopeProblem& problem, const std::vector<ScopeDrawing>& drawings) {
  LayeredGraph graph(problem, drawings);
  assign_layers(graph);
  order_layers(graph);
  place_columns(graph);
  return route(graph);
}

}  // namespace faketensor::layout
