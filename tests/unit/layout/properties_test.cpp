// What every drawing must hold, checked on random programs.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/unit/layout/graph_builder.h"

namespace faketensor::layout {
namespace {

// A drawing with what is needed to ask about it; valid for graphs in which every module is called
// once and nothing repeats.
struct Drawing {
  explicit Drawing(const GraphBuilder& graph) : input(graph.input()), drawn(graph.draw()) {
    for (uint32_t i = 0; i < drawn.boxes.size(); ++i) box_of_id[drawn.boxes[i].id] = i;
    children.resize(drawn.boxes.size());
    for (uint32_t i = 1; i < drawn.boxes.size(); ++i)
      children[static_cast<size_t>(drawn.boxes[i].parent)].push_back(i);
  }

  // The box that shows a row; -1 if it is folded.
  int64_t box_of(uint32_t row) const {
    if (input.flags[row] & kRowFolded) return -1;
    const auto own = box_of_id.find(static_cast<int32_t>(row));
    if (own != box_of_id.end()) return own->second;
    for (uint32_t module = input.module[row];; module = input.module_parent[module]) {
      const auto box = box_of_id.find(~static_cast<int32_t>(module));
      if (box != box_of_id.end()) return box->second;
    }
  }

  std::vector<Point> points(uint32_t edge) const {
    const uint32_t first = edge == 0 ? 0 : drawn.edges[edge - 1].point_end;
    return {drawn.points.begin() + first, drawn.points.begin() + drawn.edges[edge].point_end};
  }

  uint32_t parent(uint32_t box) const { return static_cast<uint32_t>(drawn.boxes[box].parent); }
  bool enters(const Edge& edge) const {
    return drawn.boxes[edge.to].parent == static_cast<int32_t>(edge.from);
  }
  bool leaves(const Edge& edge) const {
    return drawn.boxes[edge.from].parent == static_cast<int32_t>(edge.to);
  }

  GraphInput input;
  GraphLayout drawn;
  std::map<int32_t, uint32_t> box_of_id;
  std::vector<std::vector<uint32_t>> children;
};

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

class RandomProgram : public testing::TestWithParam<uint64_t> {
 protected:
  GraphBuilder graph = random_graph(GetParam(), 20 + static_cast<uint32_t>(GetParam() % 7) * 40, 4);
  Drawing drawing{graph};
  const std::vector<Box>& boxes = drawing.drawn.boxes;
};

TEST_P(RandomProgram, ChildrenLieInsideTheirParentBelowItsTitle) {
  for (size_t i = 1; i < boxes.size(); ++i) {
    const Box& box = boxes[i];
    ASSERT_GE(box.parent, 0);
    ASSERT_LT(static_cast<size_t>(box.parent), i);
    const Box& around = boxes[static_cast<size_t>(box.parent)];
    EXPECT_TRUE(around.open);
    EXPECT_EQ(box.depth, around.depth + 1);
    EXPECT_GE(box.x, around.x + metrics::kPadding);
    EXPECT_LE(box.x + box.width, around.x + around.width - metrics::kPadding);
    EXPECT_GE(box.y, around.y + (box.parent > 0 ? metrics::kTitleHeight : 0));
    EXPECT_LE(box.y + box.height, around.y + around.height - metrics::kPadding);
  }
}

TEST_P(RandomProgram, SiblingsDoNotOverlap) {
  for (const std::vector<uint32_t>& siblings : drawing.children) {
    for (size_t i = 0; i < siblings.size(); ++i) {
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(boxes[siblings[i]], boxes[siblings[j]]));
    }
  }
}

TEST_P(RandomProgram, ValuesRunDownwards) {
  for (const Edge& edge : drawing.drawn.edges) {
    if (drawing.enters(edge) || drawing.leaves(edge)) continue;
    EXPECT_GE(boxes[edge.to].y, boxes[edge.from].y + boxes[edge.from].height);
  }
}

TEST_P(RandomProgram, EdgesAreOrthogonalAndJoinTheirBoxes) {
  for (uint32_t i = 0; i < drawing.drawn.edges.size(); ++i) {
    const Edge& edge = drawing.drawn.edges[i];
    const std::vector<Point> points = drawing.points(i);
    ASSERT_GE(points.size(), 2u);
    for (size_t k = 1; k < points.size(); ++k) {
      EXPECT_TRUE(points[k].x == points[k - 1].x || points[k].y == points[k - 1].y);
      EXPECT_GE(points[k].y, points[k - 1].y);
    }
    const Box &from = boxes[edge.from], &to = boxes[edge.to];
    const int32_t start = drawing.enters(edge)
                              ? from.y + (edge.from == 0 ? 0 : metrics::kTitleHeight)
                              : from.y + from.height;
    const int32_t end = drawing.leaves(edge) ? to.y + to.height : to.y;
    EXPECT_EQ(points.front().y, start);
    EXPECT_EQ(points.back().y, end);
    EXPECT_TRUE(points.front().x >= from.x && points.front().x <= from.x + from.width);
    EXPECT_TRUE(points.back().x >= to.x && points.back().x <= to.x + to.width);
  }
}

TEST_P(RandomProgram, EdgesDoNotRunThroughBoxesOfTheirLevel) {
  for (uint32_t i = 0; i < drawing.drawn.edges.size(); ++i) {
    const Edge& edge = drawing.drawn.edges[i];
    const uint32_t scope = drawing.enters(edge) ? edge.from : drawing.parent(edge.from);
    const std::vector<Point> points = drawing.points(i);
    for (size_t k = 1; k < points.size(); ++k) {
      Box line;
      line.x = std::min(points[k].x, points[k - 1].x);
      line.y = std::min(points[k].y, points[k - 1].y);
      line.width = std::abs(points[k].x - points[k - 1].x);
      line.height = std::abs(points[k].y - points[k - 1].y);
      for (const uint32_t box : drawing.children[scope]) {
        EXPECT_FALSE(overlap(line, boxes[box])) << "edge " << i << " through box " << box;
      }
    }
  }
}

// The legs of one source box form a tree that reaches each of its readers once, and they meet at
// the borders they cross.
TEST_P(RandomProgram, EveryVisibleEdgeIsDrawnExactlyOnce) {
  std::map<int64_t, std::set<int64_t>> wanted;
  for (uint32_t row = 0; row < graph.rows(); ++row) {
    for (uint32_t i = drawing.input.input_start[row]; i < drawing.input.input_start[row + 1]; ++i) {
      const int64_t from = drawing.box_of(drawing.input.inputs[i]), to = drawing.box_of(row);
      if (from >= 0 && to >= 0 && from != to) wanted[from].insert(to);
    }
  }
  std::map<int64_t, std::vector<uint32_t>> legs;
  for (uint32_t i = 0; i < drawing.drawn.edges.size(); ++i)
    legs[drawing.box_of(drawing.drawn.edges[i].value)].push_back(i);
  EXPECT_EQ(wanted.size(), legs.size());
  for (const auto& [source, edges] : legs) {
    std::map<std::pair<uint32_t, bool>, int32_t> crossed;  // border (module, lower) to x
    std::set<int64_t> reached;
    for (const uint32_t i : edges) {
      const Edge& edge = drawing.drawn.edges[i];
      const int32_t x = drawing.points(i).back().x;
      const bool arrives = !boxes[edge.to].open;
      EXPECT_TRUE(arrives ? reached.insert(edge.to).second
                          : crossed.insert({{edge.to, drawing.leaves(edge)}, x}).second);
    }
    EXPECT_EQ(reached, wanted[source]);
    for (const uint32_t i : edges) {
      const Edge& edge = drawing.drawn.edges[i];
      if (edge.from == source) continue;
      const auto border = crossed.find({edge.from, !drawing.enters(edge)});
      ASSERT_NE(border, crossed.end()) << "a leg starts where none arrives";
      EXPECT_EQ(border->second, drawing.points(i).front().x);
    }
  }
}

TEST_P(RandomProgram, IsDrawnTheSameEveryTime) {
  EXPECT_EQ(to_text(drawing.drawn), to_text(graph.draw()));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range<uint64_t>(1, 61));

}  // namespace
}  // namespace faketensor::layout
