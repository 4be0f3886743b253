// Cuts the way of every value into legs, each of which lies inside one open module.
//
// Note [Legs and ports]: a value runs from the box S that makes it to boxes that read it. Out of
// each open module around S (up to the first module around both) it leaves by a port in the lower
// border, into each open module around a reader it comes by a port in the upper border; S has one
// port per border, however many readers are behind it. So each leg is a matter of one module and
// equal modules have equal legs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/visible_tree.h"

namespace faketensor::layout {

inline constexpr int32_t kBorder = -1;

struct Link {
  uint32_t scope;  // the open module (node of the tree) in which the leg lies
  // The box S where the value comes from; legs of one scope and source are one net.
  uint32_t source;
  uint32_t value;    // row
  int32_t from, to;  // children of the scope by their `local`, or kBorder
  int32_t from_port,
      to_port;  // which port, where that end is a border or an open module; otherwise 0
};

struct Links {
  std::vector<Link> links;            // by scope, then by net in order of first appearance
  std::vector<uint32_t> scope_start;  // per node of the tree, and one more
  std::vector<int32_t> top_ports, bottom_ports;  // per node of the tree: how many
};

Links link_boxes(const GraphInput& input, const VisibleTree& tree);

}  // namespace faketensor::layout
