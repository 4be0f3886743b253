// The working state of laying out one module: a layered drawing in the manner of Sugiyama, with a
// fixed number of passes.
//
//   assign_layers     items to layers, so that every leg points downwards; bends and rails for what
//                     skips layers
//   order_layers      each layer from left to right
//   place_columns     x
//   route             rails, attachment points, tracks between the layers, y, polylines
//
// Note [Bends and rails]: a leg that skips a few layers gets a bend (a node without width) in each,
// which keeps its place between the boxes. A leg that skips many becomes a rail: one vertical line
// beside all layers it passes. A value that the whole program reads (a mask, a rotary table) so
// costs one rail with a tap per reader; chains of bends would make layouts of such programs
// quadratic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/layout/links.h"
#include "core/layout/scope.h"

namespace faketensor::layout {

// Node numbers: items as in the problem, then upper ports, lower ports, bends.
struct LayeredGraph {
  struct Segment {  // joins nodes of neighbouring layers
    int32_t upper, lower;
    int32_t upper_port, lower_port;
    int32_t net;
  };
  struct Rail {
    int32_t net;
    int32_t last_layer;  // of its farthest reader
    int32_t x = 0;
    bool left = false;
  };
  enum class Kind : uint8_t { kItem, kTopPort, kBottomPort, kBend };

  LayeredGraph(const ScopeProblem& the_problem, const std::vector<ScopeDrawing>& the_drawings)
      : problem(the_problem), drawings(the_drawings) {}

  const ScopeProblem& problem;
  const std::vector<ScopeDrawing>& drawings;

  // Per node.
  std::vector<Kind> kind;
  std::vector<int32_t> layer, position;  // position: index within its layer
  std::vector<int32_t> x;                // left edge
  std::vector<int32_t> main_next;        // successor on the module's main path, -1 elsewhere

  std::vector<Segment> segments;
  // Nodes from left to right; [0] upper ports, back() lower ports.
  std::vector<std::vector<int32_t>> layers;
  // Segments by their upper and by their lower node: [down_start[n], down_start[n + 1]) in `down`.
  std::vector<int32_t> down_start, down, up_start, up;

  std::vector<Rail> rails;
  std::vector<int32_t> net_rail;  // per net: index into rails, or -1
  // Per target: its last segment, or -1 if it hangs on its net's rail.
  std::vector<int32_t> target_segment;
  std::vector<int32_t> bend_segment;  // per node - first_bend(): the segment from above

  int32_t items() const { return static_cast<int32_t>(problem.items.size()); }
  int32_t first_top_port() const { return items(); }
  int32_t first_bottom_port() const { return items() + problem.top_ports; }
  int32_t first_bend() const { return first_bottom_port() + problem.bottom_ports; }
  int32_t nodes() const { return static_cast<int32_t>(kind.size()); }

  int32_t source_node(const ScopeProblem::Net& net) const {
    return net.item == kBorder ? first_top_port() + net.port : net.item;
  }
  int32_t target_node(const ScopeProblem::Target& target) const {
    return target.item == kBorder ? first_bottom_port() + target.port : target.item;
  }
  int32_t target_begin(int32_t net) const {
    return net == 0 ? 0 : problem.nets[at(net - 1)].target_end;
  }

  int32_t width(int32_t node) const {
    return kind[at(node)] == Kind::kItem ? problem.items[at(node)].width : 0;
  }
  int32_t height(int32_t node) const {
    return kind[at(node)] == Kind::kItem ? problem.items[at(node)].height : 0;
  }

  // Where a leg leaves or reaches a node, from its left edge: at the port of an open module, else
  // in the middle.
  int32_t out_offset(int32_t node, int32_t port) const {
    const ScopeDrawing* open = open_drawing(node);
    return open ? open->bottom_port_x[at(port)] : width(node) / 2;
  }
  int32_t in_offset(int32_t node, int32_t port) const {
    const ScopeDrawing* open = open_drawing(node);
    return open ? open->top_port_x[at(port)] : width(node) / 2;
  }
  const ScopeDrawing* open_drawing(int32_t node) const {
    if (kind[at(node)] != Kind::kItem || problem.items[at(node)].drawing < 0) return nullptr;
    return &drawings[at(problem.items[at(node)].drawing)];
  }

  static size_t at(int32_t index) { return static_cast<size_t>(index); }
};

// Between two lines that run beside each other, and between a line and a box. Of many lines nobody
// follows one by eye: they stand closer, as one bundle of about this width, and what is more than
// that shares places.
constexpr int32_t kLineGap = 10, kBundle = 64;
inline int32_t line_gap(int32_t lines) {
  return std::clamp(kBundle / std::max(lines, 1), 1, kLineGap);
}

void assign_layers(LayeredGraph& graph);
void order_layers(LayeredGraph& graph);
void place_columns(LayeredGraph& graph);
ScopeDrawing route(LayeredGraph& graph);

}  // namespace faketensor::layout
