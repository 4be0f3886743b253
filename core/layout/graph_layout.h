// Layout of a program's graph for drawing: where every box stands and how every edge runs.
//
// The graph comes as plain arrays (one row per node in order of execution), so this layer knows
// nothing of the graph IR. Rows belong to modules; a module is drawn open (its rows and submodules
// are boxes inside its own box) or closed (one box). Each open module is laid out on its own, in
// layers from top to bottom, from nothing but its own content: opening one module therefore moves
// nothing inside another, and modules of equal content are laid out once and copied. Time is linear
// in the rows plus what is drawn.
//
//   const GraphInput input{...};                 // spans over the caller's arrays
//   const GraphLayout drawn = lay_out_graph(input);
//   drawn.boxes[0].id == ~0                      // the root module, open, as large as the drawing
//
// Coordinates are pixels, y downwards, whole numbers (exact in a float up to 2^24). The result
// depends on the input alone: no clocks, no addresses, no floating-point arithmetic, the same on
// every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace faketensor::layout {

// What the page needs to know to draw into the boxes that the layout reserved.
namespace metrics {
inline constexpr int32_t kRowHeight = 28;           // box of a row
inline constexpr int32_t kClosedModuleHeight = 48;  // box of a closed module: two lines
// Title bar at the top of an open module; the root has none.
inline constexpr int32_t kTitleHeight = 24;
inline constexpr int32_t kPadding = 10;      // free space inside an open module's border
inline constexpr int32_t kWidthClasses = 8;  // class c is drawn kNarrowest + c * kWidthStep wide
inline constexpr int32_t kNarrowest = 64;
inline constexpr int32_t kWidthStep = 28;
// Deeper modules are drawn as a part of their ancestor at this depth.
inline constexpr int32_t kDeepestModule = 64;
}  // namespace metrics

enum RowFlag : uint8_t {
  kRowFolded =
      1,  // parameter, buffer, constant: no box and no edges; it belongs to its reader's label
  kRowParameter =
      2,  // learned: what reads it is what the model is about, and the main path leads through it
};

// A graph. Spans must outlive the call only. Sizes that contradict each other raise Error(kUsage).
struct GraphInput {
  // Rows + 1: row r reads the rows inputs[input_start[r] .. input_start[r + 1]).
  std::span<const uint32_t> input_start;
  // Rows before r; anything else (a broken file's use before definition) draws no edge.
  std::span<const uint32_t> inputs;
  std::span<const uint32_t> module;      // per row: its module's id
  std::span<const uint8_t> flags;        // per row: RowFlag
  std::span<const uint8_t> width_class;  // per row: how wide its label is, 0 .. kWidthClasses - 1
  // Per row: equal for rows that are drawn alike (by operator, and by sizes if they are shown).
  std::span<const uint32_t> row_key;
  // Per module, a parent before its children; [0] is the root.
  std::span<const uint32_t> module_parent;
  std::span<const uint8_t> module_width_class;  // per module: how wide its title is
  std::span<const uint32_t> expanded;           // ids of the modules drawn open; the root always is
};

struct Box {
  // >= 0: row; < 0: module ~id. A module that is called several times has a box per call.
  int32_t id = 0;
  int32_t parent = -1;  // index of the open module around it, -1 for the root
  uint8_t depth = 0;    // number of open modules around it
  bool open = false;
  // Closed modules only: how many consecutive siblings of equal content it stands for; id is the
  // first.
  uint32_t repeat = 1;
  int32_t x = 0, y = 0, width = 0, height = 0;
};

// One leg of a value's way. A value that stays in one module has one edge per reader; one that
// crosses the border of an open module has an edge up to the border and another from the border on:
// there `from` (or `to`) is the open module itself, the parent of the other end. Values from one
// closed module to one box are a single edge.
struct Edge {
  uint32_t from = 0, to = 0;  // box indices
  uint32_t value = 0;         // row whose value runs along it (the first of several)
  uint32_t point_end = 0;     // its points end here; they begin where those of the edge before end
};

struct Point {
  int32_t x = 0, y = 0;
};

struct GraphLayout {
  int32_t width = 0, height = 0;
  // An open module, then its children in order of execution, each followed by its own.
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  std::vector<Point> points;  // orthogonal polylines from the bottom of `from` to the top of `to`
  uint32_t distinct_modules = 0;  // open modules laid out; the others are copies of these
};

GraphLayout lay_out_graph(const GraphInput& input);

}  // namespace faketensor::layout
