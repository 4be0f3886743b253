// Graphs for layout tests, written row by row, and drawings as text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/layout/graph_layout.h"

namespace faketensor::layout {

class GraphBuilder {
 public:
  uint32_t module(uint32_t parent) {
    parents_.push_back(parent);
    titles_.push_back(2);
    return static_cast<uint32_t>(parents_.size() - 1);
  }

  uint32_t row(uint32_t module, const std::vector<uint32_t>& inputs, uint32_t key = 0,
               uint8_t flags = 0) {
    modules_.push_back(module);
    inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
    starts_.push_back(static_cast<uint32_t>(inputs_.size()));
    flags_.push_back(flags);
    widths_.push_back(static_cast<uint8_t>(key % 3));
    keys_.push_back(key);
    return static_cast<uint32_t>(modules_.size() - 1);
  }

  uint32_t parameter() { return row(0, {}, 0, kRowFolded | kRowParameter); }

  void expand(uint32_t module) { expanded_.push_back(module); }
  void collapse_all() { expanded_.clear(); }
  void expand_all() {
    for (uint32_t i = 0; i < parents_.size(); ++i) expand(i);
  }

  uint32_t rows() const { return static_cast<uint32_t>(modules_.size()); }

  GraphInput input() const {
    return {starts_, inputs_, modules_, flags_, widths_, keys_, parents_, titles_, expanded_};
  }
  GraphLayout draw() const { return lay_out_graph(input()); }

 private:
  std::vector<uint32_t> starts_{0}, inputs_, modules_, keys_, parents_{0}, expanded_;
  std::vector<uint8_t> flags_, widths_, titles_{2};
};

// One line per box and edge, e.g. "box 3 in 0: 16,24 64x28", "edge 1->2 of 0: 48,52 48,80".
inline std::string to_text(const GraphLayout& drawn) {
  std::string text;
  for (const Box& box : drawn.boxes) {
    text += (box.id < 0 ? "module " + std::to_string(~box.id) : "row " + std::to_string(box.id)) +
            " in " + std::to_string(box.parent) + ": " + std::to_string(box.x) + "," +
            std::to_string(box.y) + " " + std::to_string(box.width) + "x" +
            std::to_string(box.height);
    if (box.repeat > 1) text += " x" + std::to_string(box.repeat);
    text += "\n";
  }
  uint32_t point = 0;
  for (const Edge& edge : drawn.edges) {
    text += std::to_string(edge.from) + "->" + std::to_string(edge.to) + " of " +
            std::to_string(edge.value) + ":";
    for (; point < edge.point_end; ++point) {
      text +=
          " " + std::to_string(drawn.points[point].x) + "," + std::to_string(drawn.points[point].y);
    }
    text += "\n";
  }
  return text;
}

// A program of nested modules, each called once, with inputs drawn mostly from nearby rows.
// Deterministic in `seed`.
inline GraphBuilder random_graph(uint64_t seed, uint32_t rows, uint32_t deepest) {
  uint64_t state = seed * 2 + 1;
  const auto random = [&state](uint32_t below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>((state >> 33) % below);
  };
  GraphBuilder graph;
  std::vector<uint32_t> chain{0};
  std::vector<uint32_t> all_modules{0};
  for (uint32_t row = 0; row < rows; ++row) {
    if (random(3) == 0 && chain.size() > 1) chain.pop_back();
    if (random(4) == 0 && chain.size() <= deepest) {
      chain.push_back(graph.module(chain.back()));
      all_modules.push_back(chain.back());
    }
    std::vector<uint32_t> inputs;
    const uint32_t count = row == 0 ? 0 : random(4);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t distance = random(8) == 0 ? random(row) : random(row < 6 ? row : 6);
      inputs.push_back(row - 1 - distance);
    }
    graph.row(chain.back(), inputs, row, random(12) == 0 ? uint8_t{kRowFolded} : uint8_t{0});
  }
  for (const uint32_t module : all_modules) {
    if (random(3) != 0) graph.expand(module);
  }
  return graph;
}

}  // namespace faketensor::layout
