// The layout of one open module: the question (`ScopeProblem`) and its answer (`ScopeDrawing`),
// both relative to the module's corner.
//
// Note [Laid out once]: a problem holds everything its answer depends on. Open children appear as
// the index of their drawing, which children of equal content share, so two modules are equal
// exactly when their problems are, and the answer is kept and copied.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/graph_layout.h"

namespace faketensor::layout {

struct ScopeProblem {
  struct Item {
    int32_t width, height;
    int32_t drawing;  // of an open child; -1 for a plain box
    int32_t weight;   // how much the module is about this item; the main path is the heaviest
    bool operator==(const Item&) const = default;
  };
  struct Target {
    int32_t item, port;  // item kBorder: the port in the lower border
    bool operator==(const Target&) const = default;
  };
  struct Net {
    int32_t item, port;  // item kBorder: the port in the upper border
    int32_t target_end;  // its targets begin where those of the net before end
    bool operator==(const Net&) const = default;
  };
  std::vector<Item> items;  // in order of execution: every net runs from a smaller to a larger item
  std::vector<Net> nets;
  std::vector<Target> targets;
  int32_t top_ports = 0, bottom_ports = 0;
  int32_t title_width = 0, title_height = 0;

  bool operator==(const ScopeProblem&) const = default;
  uint64_t hash() const;
};

struct ScopeDrawing {
  int32_t width = 0, height = 0;
  std::vector<Point> corners;  // per item
  std::vector<int32_t> top_port_x, bottom_port_x;
  std::vector<uint32_t> point_end;  // per target
  std::vector<Point> points;
};

// `drawings` are the answers that items refer to.
ScopeDrawing draw_scope(const ScopeProblem& problem, const std::vector<ScopeDrawing>& drawings);

}  // namespace faketensor::layout
