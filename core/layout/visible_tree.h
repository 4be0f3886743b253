// The boxes of a drawing before they are placed: which modules are open, which rows hide in which
// closed module, which equal neighbours are drawn as one.
//
// Note [A box per call]: a module's box holds a run of consecutive rows. Rows are in order of
// execution and a run is convex in it, so edges between the boxes of one parent always point
// forward and no box graph has a cycle, whatever the program. The price: a module that is called
// twice (a ReLU shared by a block) has two boxes, which is also how it is best read.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/graph_layout.h"

namespace faketensor::layout {

inline constexpr uint32_t kNoBox = 0xFFFFFFFFu;

struct VisibleTree {
  struct Node {
    int32_t id = 0;
    uint32_t parent = kNoBox;
    uint32_t end = 0;    // the subtree is the nodes [this, end)
    uint32_t local = 0;  // position among its parent's children
    uint32_t children = 0;
    uint32_t repeat = 1;
    uint8_t depth = 0;
    // Of the row's label or the module's title; of the widest title in a run.
    uint8_t width_class = 0;
    bool open = false;
    bool learned = false;  // reads a parameter, or holds what does

    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;         // pre-order; [0] is the root
  std::vector<uint32_t> row_node;  // per row: the box that shows it, kNoBox for folded rows

  bool contains(uint32_t ancestor, uint32_t node) const {
    return ancestor <= node && node < nodes[ancestor].end;
  }
};

// Raises Error(kUsage) if the spans of `input` contradict each other.
VisibleTree build_visible_tree(const GraphInput& input);

}  // namespace faketensor::layout
