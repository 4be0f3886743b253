#include "core/layout/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "tests/unit/layout/graph_builder.h"

namespace faketensor::layout {
namespace {

// norm, attention (q, k, v, product), residual add: `x` is read by the norm and by the add.
uint32_t add_block(GraphBuilder& graph, uint32_t block, uint32_t attention, uint32_t x,
                   uint32_t weight) {
  const uint32_t norm = graph.row(block, {x, weight}, 1);
  const uint32_t q = graph.row(attention, {norm, weight}, 2),
                 k = graph.row(attention, {norm, weight}, 2);
  const uint32_t product = graph.row(attention, {q, k}, 3);
  return graph.row(block, {x, product}, 4);
}

struct Transformer {
  GraphBuilder graph;
  std::vector<uint32_t> blocks, attentions;

  explicit Transformer(int count) {
    const uint32_t weight = graph.parameter();
    uint32_t value = graph.row(0, {}, 9);
    for (int i = 0; i < count; ++i) {
      blocks.push_back(graph.module(0));
      attentions.push_back(graph.module(blocks.back()));
      value = add_block(graph, blocks.back(), attentions.back(), value, weight);
    }
    graph.row(0, {value}, 10);
  }
};

const Box& box_of(const GraphLayout& drawn, int32_t id) {
  for (const Box& box : drawn.boxes) {
    if (box.id == id) return box;
  }
  ADD_FAILURE() << "no box for " << id;
  return drawn.boxes[0];
}

int32_t middle(const Box& box) { return 2 * box.x + box.width; }

TEST(GraphLayout, DrawsASmallBlockLikeThis) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  const uint32_t x = graph.row(0, {});
  const uint32_t block = graph.module(0), inner = graph.module(block);
  const uint32_t norm = graph.row(block, {x, weight});
  const uint32_t linear = graph.row(inner, {norm, weight});
  const uint32_t sum = graph.row(block, {x, linear});
  graph.row(0, {sum});
  graph.expand(block);
  EXPECT_EQ(to_text(graph.draw()),
            "module 0 in -1: 0,0 170x310\n"
            "row 1 in 0: 48,10 64x28\n"
            "module 1 in 0: 10,52 150x208\n"
            "row 2 in 2: 48,96 64x28\n"
            "module 2 in 2: 20,144 120x48\n"
            "row 4 in 2: 48,218 64x28\n"
            "row 5 in 0: 48,272 64x28\n"
            "1->2 of 1: 80,38 80,52\n"
            "2->6 of 4: 80,260 80,272\n"
            "2->3 of 1: 80,76 80,96\n"
            "2->5 of 1: 80,76 80,84 150,84 150,206 94,206 94,218\n"
            "3->4 of 2: 80,124 80,144\n"
            "4->5 of 3: 80,192 80,218\n"
            "5->2 of 4: 80,246 80,260\n");
}

TEST(GraphLayout, AnEmptyGraphIsAnEmptyRoot) {
  const GraphLayout drawn = GraphBuilder().draw();
  ASSERT_EQ(drawn.boxes.size(), 1u);
  EXPECT_EQ(drawn.boxes[0].id, ~0);
  EXPECT_TRUE(drawn.edges.empty());
}

TEST(GraphLayout, ParametersHaveNoBoxes) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  graph.row(0, {weight});
  const GraphLayout drawn = graph.draw();
  EXPECT_EQ(drawn.boxes.size(), 2u);
  EXPECT_TRUE(drawn.edges.empty());
}

TEST(GraphLayout, EqualNeighboursAreOneBoxWithACount) {
  Transformer model(12);
  const GraphLayout drawn = model.graph.draw();
  ASSERT_EQ(drawn.boxes.size(), 4u);
  EXPECT_EQ(drawn.boxes[2].id, ~static_cast<int32_t>(model.blocks[0]));
  EXPECT_EQ(drawn.boxes[2].repeat, 12u);
  EXPECT_EQ(drawn.edges.size(), 2u);
}

TEST(GraphLayout, OpeningOneOfARunLeavesItsNeighboursCounted) {
  Transformer model(12);
  model.graph.expand(model.blocks[4]);
  const GraphLayout drawn = model.graph.draw();
  EXPECT_EQ(box_of(drawn, ~static_cast<int32_t>(model.blocks[0])).repeat, 4u);
  EXPECT_TRUE(box_of(drawn, ~static_cast<int32_t>(model.blocks[4])).open);
  EXPECT_EQ(box_of(drawn, ~static_cast<int32_t>(model.blocks[5])).repeat, 7u);
}

TEST(GraphLayout, ModulesOfDifferentContentAreNotCountedTogether) {
  GraphBuilder graph;
  uint32_t value = graph.row(0, {});
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t module = graph.module(0);
    value = graph.row(module, {graph.row(module, {value}, 5)}, i);
  }
  EXPECT_EQ(graph.draw().boxes.size(), 6u);
}

TEST(GraphLayout, EqualModulesAreLaidOutOnceAndDrawnAlike) {
  Transformer model(20);
  model.graph.expand_all();
  const GraphLayout drawn = model.graph.draw();
  EXPECT_EQ(drawn.distinct_modules, 3u);  // attention, block, root
  const Box& first = box_of(drawn, ~static_cast<int32_t>(model.blocks[0]));
  const Box& last = box_of(drawn, ~static_cast<int32_t>(model.blocks[19]));
  const int64_t distance = &last - &first;
  for (int64_t i = 0; i < distance / 19; ++i) {
    const Box &box = (&first)[i], &twin = (&last)[i];
    EXPECT_EQ(box.x - first.x, twin.x - last.x);
    EXPECT_EQ(box.y - first.y, twin.y - last.y);
    EXPECT_EQ(box.width, twin.width);
    EXPECT_EQ(box.height, twin.height);
  }
}

TEST(GraphLayout, OpeningAModuleMovesNothingInsideAnother) {
  Transformer model(2);
  model.graph.expand(model.blocks[0]);
  const GraphLayout before = model.graph.draw();
  model.graph.expand(model.blocks[1]);
  model.graph.expand(model.attentions[1]);
  const GraphLayout after = model.graph.draw();
  const int32_t block = ~static_cast<int32_t>(model.blocks[0]);
  for (const Box& box : before.boxes) {
    if (box.parent < 0 || before.boxes[static_cast<size_t>(box.parent)].id != block) continue;
    EXPECT_EQ(box.x - box_of(before, block).x, box_of(after, box.id).x - box_of(after, block).x);
    EXPECT_EQ(box.y - box_of(before, block).y, box_of(after, box.id).y - box_of(after, block).y);
  }
}

TEST(GraphLayout, TheMainPathIsAVerticalLine) {
  Transformer model(2);
  for (const uint32_t block : model.blocks) model.graph.expand(block);
  const GraphLayout drawn = model.graph.draw();
  for (const Box& box : drawn.boxes) {
    if (box.open) continue;
    EXPECT_EQ(middle(box), middle(drawn.boxes[1]));
  }
}

// What goes on comes out at the side of each block, where it does not come in.
TEST(GraphLayout, OpenBlocksOfAChainStandInOneColumn) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  uint32_t value = graph.row(0, {});
  std::vector<int32_t> blocks;
  for (int i = 0; i < 20; ++i) {
    const uint32_t block = graph.module(0);
    blocks.push_back(~static_cast<int32_t>(block));
    const uint32_t first = graph.row(block, {value, weight}, 2);
    graph.row(block, {first, weight}, 2);
    graph.row(block, {first}, 2);
    value = graph.row(block, {first}, 1);
    value = graph.row(0, {value}, 3);
  }
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  for (const int32_t block : blocks)
    EXPECT_LE(std::abs(middle(box_of(drawn, block)) - middle(box_of(drawn, blocks[0]))),
              2 * metrics::kPadding);
}

// The part of the drawing that boxes of rows fill.
double ink(const GraphLayout& drawn) {
  double boxes = 0;
  for (const Box& box : drawn.boxes) {
    if (!box.open) boxes += static_cast<double>(box.width) * box.height;
  }
  return boxes / (static_cast<double>(drawn.width) * drawn.height);
}

// Layers of a row each, as a convolutional network has them: what is drawn around them is mostly
// borders.
TEST(GraphLayout, AChainOfModulesOfARowEachIsNotMostlyEmpty) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  uint32_t value = graph.row(0, {});
  for (int i = 0; i < 30; ++i) {
    const uint32_t block = graph.module(0);
    for (int k = 0; k < 3; ++k) value = graph.row(graph.module(block), {value, weight}, 2);
  }
  graph.expand_all();
  EXPECT_GE(ink(graph.draw()), 0.15);
}

TEST(GraphLayout, OpenedTransformersHaveEnoughInk) {
  Transformer model(12);
  model.graph.expand_all();
  EXPECT_GE(ink(model.graph.draw()), 0.12);
}

// The first tower is read late, and could stand beside anything above its reader.
TEST(GraphLayout, ParallelTowersStandSideBySide) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  const auto tower = [&](uint32_t value, int rows) {
    const uint32_t module = graph.module(0);
    for (int i = 0; i < rows; ++i) value = graph.row(module, {value, weight});
    return std::make_pair(value, ~static_cast<int32_t>(module));
  };
  const auto [text, text_tower] = tower(graph.row(0, {}), 40);
  const auto [image, image_tower] = tower(graph.row(0, {}), 30);
  uint32_t pooled = image;
  for (int i = 0; i < 5; ++i) pooled = graph.row(0, {pooled});
  graph.row(0, {text, pooled});
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  const Box &first = box_of(drawn, text_tower), &second = box_of(drawn, image_tower);
  EXPECT_LT(std::abs(first.y - second.y), second.height / 2);
}

// A loop over 91 classes, unrolled: in layers by depth alone the drawing is 91 boxes wide.
TEST(GraphLayout, ManyBranchesOfAFanStandBelowEachOther) {
  GraphBuilder graph;
  const uint32_t scores = graph.row(0, {});
  std::vector<uint32_t> kept, first;
  for (int label = 0; label < 91; ++label) {
    uint32_t value = graph.row(0, {scores});
    first.push_back(value);
    for (int i = 0; i < 7; ++i) value = graph.row(0, {value});
    kept.push_back(value);
  }
  graph.row(0, kept);
  const GraphLayout drawn = graph.draw();
  EXPECT_LT(drawn.width, 2500);
  EXPECT_GE(ink(drawn), 0.05);
  // A branch stays together.
  const Box& begin = box_of(drawn, static_cast<int32_t>(first[50]));
  const Box& end = box_of(drawn, static_cast<int32_t>(kept[50]));
  EXPECT_LT(end.y - begin.y, 1000);
}

// Chains of `rows` in open modules of their own that read one value, and a row that joins them.
uint32_t add_branches(GraphBuilder& graph, uint32_t parent, uint32_t value, int count, int rows,
                      std::vector<uint32_t>* modules = nullptr) {
  const uint32_t weight = graph.parameter();
  std::vector<uint32_t> ends;
  for (int branch = 0; branch < count; ++branch) {
    const uint32_t module = graph.module(parent);
    if (modules != nullptr) modules->push_back(module);
    uint32_t end = value;
    for (int i = 0; i < rows; ++i) end = graph.row(module, {end, weight}, 2);
    ends.push_back(end);
  }
  return graph.row(parent, ends);
}

// Above and below them the drawing would be as wide as all together.
TEST(GraphLayout, OpenBranchesThatAreManyStandBelowEachOther) {
  GraphBuilder graph;
  std::vector<uint32_t> modules;
  add_branches(graph, 0, graph.row(0, {}), 8, 4, &modules);
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  EXPECT_LE(drawn.width, 900);
  // About as many in each row.
  std::map<int32_t, int> in_row;
  for (const uint32_t module : modules) ++in_row[box_of(drawn, ~static_cast<int32_t>(module)).y];
  ASSERT_EQ(in_row.size(), 3u);
  for (const auto& [y, count] : in_row) EXPECT_GE(count, 2);
}

TEST(GraphLayout, QueryKeyAndValueStandSideBySide) {
  GraphBuilder graph;
  std::vector<uint32_t> modules;
  add_branches(graph, 0, graph.row(0, {}), 3, 8, &modules);
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  for (const uint32_t module : modules)
    EXPECT_EQ(box_of(drawn, ~static_cast<int32_t>(module)).y,
              box_of(drawn, ~static_cast<int32_t>(modules[0])).y);
}

// What each turn of an unrolled loop gets is cut out at the top: lines lead past the rows below.
TEST(GraphLayout, LinesFromABandOfBoxesDoNotPushTheNextAside) {
  GraphBuilder graph;
  const uint32_t first = graph.module(0);
  const uint32_t value = graph.row(first, {});
  std::vector<uint32_t> cuts;
  for (int i = 0; i < 24; ++i) cuts.push_back(graph.row(first, {graph.row(first, {value})}));
  const uint32_t second = graph.module(0);
  uint32_t state = value;
  for (const uint32_t cut : cuts) state = graph.row(second, {state, cut}, 1);
  graph.expand_all();
  EXPECT_LE(box_of(graph.draw(), ~static_cast<int32_t>(first)).width, 1000);
}

// What the backward of a training step reads of the forward.
TEST(GraphLayout, ManyLongLinesAreABundleOfFewPixels) {
  GraphBuilder graph;
  std::vector<uint32_t> values{graph.row(0, {})};
  for (int i = 0; i < 600; ++i) values.push_back(graph.row(0, {values.back()}));
  uint32_t gradient = values.back();
  for (size_t i = values.size(); i-- > 0;) gradient = graph.row(0, {gradient, values[i]}, 1);
  EXPECT_LE(graph.draw().width, 400);
}

// The second input is read below the encoder, which is as wide as the drawing may be.
TEST(GraphLayout, AnInputDoesNotStandBesideTheWidestModule) {
  GraphBuilder graph;
  const uint32_t weight = graph.parameter();
  uint32_t value = graph.row(0, {});
  const uint32_t other = graph.row(0, {}, 2);
  int32_t widest = 0;
  for (int part = 0; part < 2; ++part) {
    const uint32_t module = graph.module(0);
    widest = ~static_cast<int32_t>(module);
    for (int i = 0; i < 20; ++i) {
      const uint32_t a = graph.row(module, {value, weight}, 2), b = graph.row(module, {value}, 2),
                     c = graph.row(module, {value}, 2);
      value = graph.row(module, {a, b, c}, 2);
    }
    if (part == 0) value = graph.row(0, {value, other}, 2);
  }
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  EXPECT_LE(drawn.width, box_of(drawn, widest).width + 6 * metrics::kPadding);
}

TEST(GraphLayout, AModuleCalledTwiceHasABoxPerCall) {
  GraphBuilder graph;
  const uint32_t relu = graph.module(0);
  uint32_t value = graph.row(relu, {graph.row(0, {})});
  value = graph.row(relu, {graph.row(0, {value})});
  const GraphLayout drawn = graph.draw();
  ASSERT_EQ(drawn.boxes.size(), 5u);
  EXPECT_EQ(drawn.boxes[2].id, ~static_cast<int32_t>(relu));
  EXPECT_EQ(drawn.boxes[4].id, ~static_cast<int32_t>(relu));
  EXPECT_EQ(drawn.edges.size(), 3u);
}

TEST(GraphLayout, ValuesBetweenTwoClosedModulesAreOneEdge) {
  GraphBuilder graph;
  const uint32_t one = graph.module(0), other = graph.module(0);
  const uint32_t a = graph.row(one, {}), b = graph.row(one, {a});
  graph.row(other, {a, b});
  graph.row(other, {b});
  const GraphLayout drawn = graph.draw();
  ASSERT_EQ(drawn.edges.size(), 1u);
  EXPECT_EQ(drawn.edges[0].value, a);
}

TEST(GraphLayout, AValueThatManyLayersReadCostsOneRail) {
  GraphBuilder graph;
  const uint32_t mask = graph.row(0, {});
  uint32_t value = graph.row(0, {});
  for (int i = 0; i < 1000; ++i) value = graph.row(0, {value, mask}, 1);
  const GraphLayout drawn = graph.draw();
  EXPECT_LT(drawn.width, 400);
  EXPECT_LT(drawn.points.size(), 1000u * 12);
}

TEST(GraphLayout, AChainOfAHundredThousandRowsIsOneColumn) {
  GraphBuilder graph;
  uint32_t value = graph.row(0, {});
  for (int i = 1; i < 100'000; ++i) value = graph.row(0, {value});
  const GraphLayout drawn = graph.draw();
  EXPECT_EQ(drawn.width, metrics::kNarrowest + 2 * metrics::kPadding);
  EXPECT_EQ(drawn.edges.size(), 99'999u);
  EXPECT_EQ(drawn.points.size(), 2 * drawn.edges.size());
}

TEST(GraphLayout, AFanOfAHundredThousandReadersIsBrokenIntoLines) {
  GraphBuilder graph;
  const uint32_t source = graph.row(0, {});
  for (int i = 0; i < 100'000; ++i) graph.row(0, {source});
  const GraphLayout drawn = graph.draw();
  EXPECT_EQ(drawn.edges.size(), 100'000u);
  EXPECT_LT(drawn.width, 50'000);
  EXPECT_LT(drawn.height, 60'000);
}

TEST(GraphLayout, ARowOfAHundredThousandInputsIsDrawn) {
  GraphBuilder graph;
  std::vector<uint32_t> inputs;
  for (int i = 0; i < 100'000; ++i) inputs.push_back(graph.row(0, {}));
  graph.row(0, inputs);
  EXPECT_EQ(graph.draw().edges.size(), 100'000u);
}

TEST(GraphLayout, ModulesNestedAHundredThousandDeepAreDrawnToALimit) {
  GraphBuilder graph;
  uint32_t module = 0, value = graph.row(0, {});
  for (int i = 0; i < 100'000; ++i) {
    module = graph.module(module);
    value = graph.row(module, {value});
  }
  for (int i = 0; i < 1'000; ++i)
    value = graph.row(i % 2 == 0 ? 0 : module, {value});  // in and out again
  graph.expand_all();
  const GraphLayout drawn = graph.draw();
  int deepest = 0;
  for (const Box& box : drawn.boxes) deepest = std::max<int>(deepest, box.depth);
  EXPECT_EQ(deepest, metrics::kDeepestModule + 1);  // rows in the deepest module
}

TEST(GraphLayout, UseBeforeDefinitionDrawsNoEdge) {
  GraphBuilder graph;
  graph.row(0, {0, 1, 7});
  graph.row(0, {0});
  EXPECT_EQ(graph.draw().edges.size(), 1u);
}

TEST(GraphLayout, ContradictingArraysAreAnError) {
  GraphBuilder graph;
  graph.row(0, {});
  GraphInput input = graph.input();
  input.row_key = {};
  EXPECT_THROW(lay_out_graph(input), Error);
  const uint32_t missing_module[] = {3};
  input = graph.input();
  input.module = missing_module;
  EXPECT_THROW(lay_out_graph(input), Error);
  const uint32_t own_parent[] = {0, 1};
  const uint8_t titles[] = {0, 0};
  input = graph.input();
  input.module_parent = own_parent;
  input.module_width_class = titles;
  EXPECT_THROW(lay_out_graph(input), Error);
}

}  // namespace
}  // namespace faketensor::layout
