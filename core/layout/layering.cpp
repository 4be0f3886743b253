#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/layout/bands.h"
#include "core/layout/layered_graph.h"

namespace faketensor::layout {
namespace {

using Kind = LayeredGraph::Kind;

// A leg that spans more layers than this hangs on a rail.
constexpr int32_t kLongestBentLeg = 8;
// Layers of more items are broken into several, as many as make the drawing about as wide as high.
constexpr int32_t kWidestLayer = 14;
constexpr int32_t kColumn = 100;  // about a box and its gap
// A module is not made narrower than this, or than half as wide as a square of all its boxes, by
// standing its branches below each other; what is wider is weighed against so much height of what
// may stand above and below it.
constexpr int32_t kComfortable = 600;
constexpr int32_t kHeightAround = 10000;
constexpr int32_t kGap = 20, kChannel = 28;  // about, between boxes and between layers
// From this height on an item is placed by what stands beside it.
constexpr int32_t kTall = 200;

size_t at(int32_t index) { return static_cast<size_t>(index); }

class Layering {
 public:
  explicit Layering(LayeredGraph& graph) : graph_(graph), problem_(graph.problem) {}

  void run() {
    make_nodes();
    index_nets();
    find_earliest_layers();
    mark_main_path();
    find_anchored();
    sink_towards_readers();
    lower_dead_ends();
    break_wide_layers();
    place_bottom_ports();
    make_segments();
    index_segments();
    fill_layers();
  }

 private:
  void make_nodes() {
    graph_.kind.assign(at(graph_.first_bend()), Kind::kItem);
    std::fill_n(graph_.kind.begin() + graph_.first_top_port(), problem_.top_ports, Kind::kTopPort);
    std::fill_n(graph_.kind.begin() + graph_.first_bottom_port(), problem_.bottom_ports,
                Kind::kBottomPort);
    graph_.layer.assign(at(graph_.first_bend()), 0);
    graph_.main_next.assign(at(graph_.first_bend()), -1);
  }

  // Nets by the item they start from, and how many nets reach an item.
  void index_nets() {
    net_start_.assign(at(graph_.items() + 1), 0);
    nets_in_.assign(at(graph_.items()), 0);
    for (const ScopeProblem::Net& net : problem_.nets) {
      if (net.item != kBorder) ++net_start_[at(net.item) + 1];
    }
    for (size_t i = 1; i < net_start_.size(); ++i) net_start_[i] += net_start_[i - 1];
    nets_of_.resize(at(net_start_.back()));
    std::vector<int32_t> next(net_start_.begin(), net_start_.end() - 1);
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      const int32_t item = problem_.nets[at(net)].item;
      if (item != kBorder) nets_of_[at(next[at(item)]++)] = net;
    }
    for (const ScopeProblem::Target& target : problem_.targets) {
      if (target.item != kBorder) ++nets_in_[at(target.item)];
    }
  }

  template <typename Visit>
  void for_each_reader(int32_t item, Visit visit) const {
    for (int32_t i = net_start_[at(item)]; i < net_start_[at(item) + 1]; ++i) {
      const int32_t net = nets_of_[at(i)];
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t)
        visit(problem_.targets[at(t)]);
    }
  }

  // One layer below the lowest input; layer 0 is the upper border's.
  void find_earliest_layers() {
    for (int32_t item = 0; item < graph_.items(); ++item) {
      int32_t& layer = graph_.layer[at(item)];
      layer = std::max(layer, 1);
      for_each_reader(item, [&](const ScopeProblem::Target& target) {
        if (target.item == kBorder) return;
        graph_.layer[at(target.item)] = std::max(graph_.layer[at(target.item)], layer + 1);
      });
    }
  }

  // The heaviest way through the module, of equal ones the last in order of execution;
  // place_columns keeps it straight.
  void mark_main_path() {
    std::vector<int64_t> weight(
        at(graph_.items()), 0);  // of the heaviest way down to the item's inputs, then to the item
    std::vector<int32_t> before(at(graph_.items()), -1);
    int32_t last = -1;
    for (int32_t item = 0; item < graph_.items(); ++item) {
      weight[at(item)] += problem_.items[at(item)].weight;
      for_each_reader(item, [&](const ScopeProblem::Target& target) {
        if (target.item == kBorder || weight[at(target.item)] > weight[at(item)]) return;
        weight[at(target.item)] = weight[at(item)];
        before[at(target.item)] = item;
      });
      if (last < 0 || weight[at(item)] >= weight[at(last)]) last = item;
    }
    main_.assign(at(graph_.items()), 0);
    for (int32_t item = last; item >= 0; item = before[at(item)]) {
      main_[at(item)] = 1;
      if (before[at(item)] >= 0) graph_.main_next[at(before[at(item)])] = item;
    }
  }

  // What depends on the main path or on a value from outside. The rest (a mask made from constants)
  // can sink as a whole.
  void find_anchored() {
    anchored_ = main_;
    for (const ScopeProblem::Net& net : problem_.nets) {
      if (net.item != kBorder) continue;
      const int32_t index = static_cast<int32_t>(&net - problem_.nets.data());
      for (int32_t t = graph_.target_begin(index); t < net.target_end; ++t) {
        if (problem_.targets[at(t)].item != kBorder)
          anchored_[at(problem_.targets[at(t)].item)] = 1;
      }
    }
    for (int32_t item = 0; item < graph_.items(); ++item) {
      if (!anchored_[at(item)]) continue;
      for_each_reader(item, [&](const ScopeProblem::Target& target) {
        if (target.item != kBorder) anchored_[at(target.item)] = 1;
      });
    }
  }

  // Brings what has room below it down to its readers: the main path, and what makes the drawing no
  // longer by it.
  void sink_towards_readers() {
    lowest_ = 0;
    for (const int32_t layer : graph_.layer) lowest_ = std::max(lowest_, layer);
    LayerHeights heights;
    heights.highest.assign(at(lowest_) + 1, {0, 0});
    for (int32_t item = 0; item < graph_.items(); ++item)
      heights.add(graph_.layer[at(item)], graph_.height(item));
    for (int32_t item = graph_.items(); item-- > 0;) {
      const int32_t nets_out = net_start_[at(item) + 1] - net_start_[at(item)];
      const bool free = main_[at(item)] || !anchored_[at(item)];
      if (nets_out == 0 || (nets_in_[at(item)] > nets_out && !free)) continue;
      int32_t room = lowest_;
      bool read = false;
      for_each_reader(item, [&](const ScopeProblem::Target& target) {
        if (target.item != kBorder && is_dead_end(target.item)) return;
        read = true;
        if (target.item != kBorder) room = std::min(room, graph_.layer[at(target.item)] - 1);
      });
      if (!read || room <= graph_.layer[at(item)]) continue;
      const int32_t layer = best_layer(heights, item, room);
      heights.remove(graph_.layer[at(item)], graph_.height(item));
      heights.add(layer, graph_.height(item));
      graph_.layer[at(item)] = layer;
    }
  }

  // The two highest items of every layer.
  struct LayerHeights {
    std::vector<std::pair<int32_t, int32_t>> highest;

    void add(int32_t layer, int32_t height) {
      auto& [first, second] = highest[at(layer)];
      if (height > first) std::swap(height, first);
      second = std::max(second, height);
    }
    void remove(int32_t layer, int32_t height) {
      auto& [first, second] = highest[at(layer)];
      if (height == first) first = std::exchange(second, 0);
    }
    int32_t without(int32_t layer, int32_t height) const {
      const auto& [first, second] = highest[at(layer)];
      return height == first ? second : first;
    }
  };

  // The lowest layer down to `room`; for a tall item the lowest of those that it makes least higher,
  // so that parallel towers stand side by side.
  int32_t best_layer(const LayerHeights& heights, int32_t item, int32_t room) const {
    const int32_t height = graph_.height(item), own = graph_.layer[at(item)];
    if (height < kTall) return room;
    const auto growth = [&](int32_t layer) {
      const int32_t there =
          layer == own ? heights.without(layer, height) : heights.highest[at(layer)].first;
      return std::max(0, height - there);
    };
    int32_t best = room;
    for (int32_t layer = room - 1; layer >= own; --layer) {
      if (growth(layer) < growth(best)) best = layer;
    }
    return best;
  }

  // What nobody reads (an assertion) holds nothing up; it follows its inputs.
  bool is_dead_end(int32_t item) const { return net_start_[at(item)] == net_start_[at(item) + 1]; }

  void lower_dead_ends() {
    for (int32_t item = 0; item < graph_.items(); ++item) {
      for_each_reader(item, [&](const ScopeProblem::Target& target) {
        if (target.item == kBorder) return;
        graph_.layer[at(target.item)] =
            std::max(graph_.layer[at(target.item)], graph_.layer[at(item)] + 1);
      });
    }
    for (const int32_t layer : graph_.layer) lowest_ = std::max(lowest_, layer);
  }

  // What is wide is so for all that stands above and below it: branches that are many are put into
  // bands (bands.h), then layers into shelves.
  void break_wide_layers() {
    find_comfortable_width();
    Shelves unbroken = layers_as_they_are();
    for (const int32_t width : {comfortable_, 2 * comfortable_}) {
      if (unbroken.width <= width) break;
      std::vector<int32_t> layers = layers_in_bands(problem_, graph_.layer, width);
      if (layers.empty()) break;
      layers.resize(graph_.layer.size(), 0);
      std::swap(layers, graph_.layer);
      Shelves banded = layers_as_they_are();
      if (cost(banded) * 4 < cost(unbroken) * 3) {
        unbroken = std::move(banded);
      } else {
        std::swap(layers, graph_.layer);
      }
    }
    const Shelves best = break_layers();
    for (int32_t item = 0; item < graph_.items(); ++item)
      graph_.layer[at(item)] = 1 + best.first[at(graph_.layer[at(item)])] + best.shelf[at(item)];
    lowest_ = best.first.back();
    // Per layer, how many shelves there are above it that share a layer with others.
    shelves_above_.assign(at(lowest_) + 3, 0);
    for (size_t layer = 1; layer + 1 < best.first.size(); ++layer) {
      const int32_t shelves = best.first[layer + 1] - best.first[layer];
      for (int32_t i = 0; i < shelves && shelves > 1; ++i)
        shelves_above_[at(best.first[layer] + i + 2)] = 1;
    }
    std::partial_sum(shelves_above_.begin(), shelves_above_.end(), shelves_above_.begin());
  }

  // Layers broken into shelves.
  struct Shelves {
    std::vector<int32_t> first;  // per layer and one more: number of its first shelf
    std::vector<int32_t> shelf;  // per item: which of its layer's shelves
    int64_t width = 0, height = 0;

    int64_t area() const { return width * height; }
  };

  int64_t cost(const Shelves& shelves) const {
    return std::max<int64_t>(shelves.width, comfortable_) * (shelves.height + kHeightAround);
  }

  void find_comfortable_width() {
    int64_t area = 0;
    for (int32_t item = 0; item < graph_.items(); ++item)
      area += (int64_t{graph_.width(item)} + kGap) * (int64_t{graph_.height(item)} + kChannel);
    comfortable_ = kComfortable;
    while (int64_t{4} * comfortable_ * comfortable_ < area) comfortable_ += kComfortable / 4;
  }

  std::vector<int32_t> layer_sizes() const {
    int32_t last = lowest_;
    for (int32_t item = 0; item < graph_.items(); ++item)
      last = std::max(last, graph_.layer[at(item)]);
    std::vector<int32_t> sizes(at(last) + 1, 0);
    for (int32_t item = 0; item < graph_.items(); ++item) ++sizes[at(graph_.layer[at(item)])];
    return sizes;
  }

  Shelves layers_as_they_are() const {
    return put_on_shelves(layer_sizes(), std::numeric_limits<int32_t>::max());
  }

  Shelves break_layers() const {
    std::vector<int32_t> count = layer_sizes();
    for (int32_t& items : count) {
      int32_t columns = std::max(kWidestLayer, comfortable_ / kColumn);
      while (columns * columns < items / 2) columns *= 2;
      items = columns;
    }
    Shelves best = put_on_shelves(count, std::numeric_limits<int32_t>::max());
    const int64_t unbroken_height = best.height;
    int32_t widest = 0;
    for (int32_t item = 0; item < graph_.items(); ++item)
      widest = std::max(widest, graph_.width(item));
    for (const int32_t limit : {widest, widest + widest / 8, widest + widest / 3}) {
      if (limit >= best.width) break;
      Shelves narrow = put_on_shelves(count, limit);
      // Some layers that are much wider than the others; a module of wide layers stays as it is.
      if (narrow.height * 8 > unbroken_height * 9) continue;
      if (narrow.area() * 10 < best.area() * 9) best = std::move(narrow);
    }
    // Branches that are open modules are read beside each other: they go below each other only where
    // that saves much of the room beside all that stands above and below them.
    constexpr int kSaved = 9, kMuchSaved = 7;  // what is left of ten parts
    std::vector<int64_t> used(count.size(), 0);
    for (int32_t item = 0; item < graph_.items(); ++item)
      used[at(graph_.layer[at(item)])] += graph_.width(item) + kGap;
    bool is_flat = true;
    for (int32_t item = 0; item < graph_.items(); ++item)
      is_flat = is_flat &&
                (graph_.height(item) < kTall || used[at(graph_.layer[at(item)])] <= comfortable_);
    for (const int32_t limit : {comfortable_, comfortable_ + comfortable_ / 2, 2 * comfortable_}) {
      if (limit >= best.width) break;
      Shelves narrow = evened_out(put_on_shelves(count, limit), limit);
      if (cost(narrow) * 10 < cost(best) * (is_flat ? kSaved : kMuchSaved))
        best = std::move(narrow);
    }
    return best;
  }

  // As many shelves, with about as many items on each of a layer's: two and two, not three and one.
  Shelves evened_out(const Shelves& shelves, int32_t limit) const {
    std::vector<int32_t> most = layer_sizes();
    for (size_t layer = 1; layer < most.size(); ++layer) {
      const int32_t count = std::max(1, shelves.first[layer + 1] - shelves.first[layer]);
      most[layer] = (most[layer] + count - 1) / count;
    }
    return put_on_shelves(most, limit);
  }

  // `most` says per layer how many items a shelf holds, `limit` how wide it gets if it holds more
  // than one. Boxes that read nothing come after the others: what reads them stands below.
  Shelves put_on_shelves(const std::vector<int32_t>& most, int32_t limit) const {
    struct Open {
      int32_t items = 0, width = 0, height = 0, shelves = 0;
    };
    std::vector<Open> open(most.size());
    Shelves result;
    result.shelf.assign(at(graph_.items()), 0);
    const auto close = [&](Open& shelf) {
      result.width = std::max<int64_t>(result.width, shelf.width);
      result.height += shelf.height + kChannel;
      ++shelf.shelves;
      shelf.items = shelf.width = shelf.height = 0;
    };
    for (const bool sources : {false, true}) {
      for (int32_t item = 0; item < graph_.items(); ++item) {
        if ((nets_in_[at(item)] == 0) != sources) continue;
        Open& shelf = open[at(graph_.layer[at(item)])];
        const int32_t width = graph_.width(item) + kGap;
        if (shelf.items > 0 &&
            (shelf.items >= most[at(graph_.layer[at(item)])] || shelf.width + width > limit))
          close(shelf);
        ++shelf.items;
        shelf.width += width;
        shelf.height = std::max(shelf.height, graph_.height(item));
        result.shelf[at(item)] = shelf.shelves;
      }
    }
    result.first.assign(1, 0);
    for (size_t layer = 1; layer < open.size(); ++layer) {
      close(open[layer]);
      result.first.push_back(result.first.back() + open[layer].shelves);
    }
    result.first.insert(result.first.begin(), 0);
    return result;
  }

  void place_bottom_ports() {
    for (int32_t port = 0; port < problem_.bottom_ports; ++port) {
      graph_.layer[at(graph_.first_bottom_port() + port)] = lowest_ + 1;
    }
  }

  int32_t make_bend(int32_t layer) {
    graph_.kind.push_back(Kind::kBend);
    graph_.layer.push_back(layer);
    graph_.main_next.push_back(-1);
    return graph_.nodes() - 1;
  }

  int32_t make_segment(int32_t upper, int32_t lower, int32_t net, int32_t lower_port) {
    const int32_t port = upper < graph_.items() ? problem_.nets[at(net)].port : 0;
    graph_.segments.push_back({upper, lower, port, lower_port, net});
    return static_cast<int32_t>(graph_.segments.size() - 1);
  }

  void make_segments() {
    graph_.net_rail.assign(problem_.nets.size(), -1);
    graph_.target_segment.assign(problem_.targets.size(), -1);
    for (int32_t net = 0; net < static_cast<int32_t>(problem_.nets.size()); ++net) {
      const int32_t source = graph_.source_node(problem_.nets[at(net)]);
      chain_.assign(1, source);  // the source and its bends, a layer each
      int32_t main_span = 0;
      for (int32_t t = graph_.target_begin(net); t < problem_.nets[at(net)].target_end; ++t) {
        const ScopeProblem::Target& target = problem_.targets[at(t)];
        const int32_t node = graph_.target_node(target);
        const int32_t span = graph_.layer[at(node)] - graph_.layer[at(source)];
        if (span > kLongestBentLeg ||
            passes_shelf(graph_.layer[at(source)], graph_.layer[at(node)])) {
          hang_on_rail(net, graph_.layer[at(node)]);
          continue;
        }
        while (static_cast<int32_t>(chain_.size()) < span) {
          const int32_t bend = make_bend(graph_.layer[at(chain_.back())] + 1);
          graph_.bend_segment.push_back(make_segment(chain_.back(), bend, net, 0));
          chain_.push_back(bend);
        }
        graph_.target_segment[at(t)] = make_segment(chain_[at(span - 1)], node, net, target.port);
        if (source < graph_.items() && graph_.main_next[at(source)] == node) main_span = span;
      }
      lead_main_path(main_span);
    }
  }

  // A leg between the boxes of a shelf would hold their columns apart.
  bool passes_shelf(int32_t upper, int32_t lower) const {
    return lower > upper + 1 && shelves_above_[at(lower)] > shelves_above_[at(upper + 1)];
  }

  // The main path leads through the bends of `chain_` that are on its way.
  void lead_main_path(int32_t span) {
    const int32_t end = graph_.main_next[at(chain_[0])];
    for (int32_t i = 0; i < span; ++i)
      graph_.main_next[at(chain_[at(i)])] = i + 1 < span ? chain_[at(i + 1)] : end;
  }

  void hang_on_rail(int32_t net, int32_t layer) {
    int32_t& rail = graph_.net_rail[at(net)];
    if (rail < 0) {
      rail = static_cast<int32_t>(graph_.rails.size());
      graph_.rails.push_back({net, layer});
    }
    graph_.rails[at(rail)].last_layer = std::max(graph_.rails[at(rail)].last_layer, layer);
  }

  void index_segments() {
    const auto index = [&](std::vector<int32_t>& start, std::vector<int32_t>& list, auto node_of) {
      start.assign(at(graph_.nodes()) + 1, 0);
      for (const LayeredGraph::Segment& segment : graph_.segments)
        ++start[at(node_of(segment)) + 1];
      for (size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
      list.resize(graph_.segments.size());
      std::vector<int32_t> next(start.begin(), start.end() - 1);
      for (size_t i = 0; i < graph_.segments.size(); ++i) {
        list[at(next[at(node_of(graph_.segments[i]))]++)] = static_cast<int32_t>(i);
      }
    };
    index(graph_.down_start, graph_.down,
          [](const LayeredGraph::Segment& segment) { return segment.upper; });
    index(graph_.up_start, graph_.up,
          [](const LayeredGraph::Segment& segment) { return segment.lower; });
  }

  void fill_layers() {
    graph_.layers.assign(at(lowest_) + 2, {});
    graph_.position.resize(at(graph_.nodes()));
    for (int32_t node = 0; node < graph_.nodes(); ++node) {
      std::vector<int32_t>& layer = graph_.layers[at(graph_.layer[at(node)])];
      graph_.position[at(node)] = static_cast<int32_t>(layer.size());
      layer.push_back(node);
    }
    for (std::vector<int32_t>& layer : graph_.layers) center_main_path(layer);
  }

  // The main path begins in the middle; ordering keeps what is equally good where it was.
  void center_main_path(std::vector<int32_t>& layer) {
    const auto is_main = [&](int32_t node) { return node < graph_.items() && main_[at(node)]; };
    const auto main = std::find_if(layer.begin(), layer.end(), is_main);
    if (main == layer.end() || layer.size() < 3) return;
    const auto middle = layer.begin() + static_cast<int32_t>(layer.size() - 1) / 2;
    if (main < middle) std::rotate(main, main + 1, middle + 1);
    if (main > middle) std::rotate(middle, main, main + 1);
    for (size_t i = 0; i < layer.size(); ++i)
      graph_.position[at(layer[i])] = static_cast<int32_t>(i);
  }

  LayeredGraph& graph_;
  const ScopeProblem& problem_;
  std::vector<int32_t> net_start_, nets_of_, nets_in_, chain_;
  std::vector<char> main_, anchored_;  // per item
  int32_t lowest_ = 0;                 // the last layer of items
  int32_t comfortable_ = kComfortable;
  std::vector<int32_t> shelves_above_;
};

}  // namespace

void assign_layers(LayeredGraph& graph) { Layering(graph).run(); }

}  // namespace faketensor::layout
