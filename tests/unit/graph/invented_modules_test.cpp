// Modules of programs whose files name none.
#include "core/graph/invented_modules.h"

#include <map>

#include <gtest/gtest.h>

#include "program_builder.h"

namespace faketensor {
namespace {

std::map<std::string, uint32_t> nodes_by_path(const Program& program) {
  std::map<std::string, uint32_t> nodes;
  for (const Module& module : program.modules)
    nodes.emplace(program.text(module.path), module.nodes);
  return nodes;
}

// Eight operators, of which the last reads the first: a layer with a residual.
Row layer(ProgramBuilder& b, Row x) {
  const Row first = b.call("aten.layer_norm.default", {ref(x)});
  Row value = first;
  for (const char* op : {"aten.mm.default", "aten.gelu.default", "aten.mm.default",
                         "aten.dropout.default", "aten.relu.default", "aten.mul.Tensor"})
    value = b.call(op, {ref(value)});
  return b.call("aten.add.Tensor", {ref(first), ref(value)});
}

// Operators of which no two neighbours repeat.
Row mixed(ProgramBuilder& b, Row value, int rows) {
  constexpr const char* kOps[] = {"aten.sin.default", "aten.cos.default", "aten.tan.default",
                                  "aten.exp.default"};
  uint32_t state = 7;
  for (int i = 0; i < rows; ++i) {
    state = state * 1664525u + 1013904223u;
    value = b.call(kOps[state >> 30], {ref(value)});
  }
  return value;
}

TEST(InventedModules, RepeatedRowsAreBlocksOfEqualContent) {
  ProgramBuilder b;
  Row value = mixed(b, b.input("x", {4, 8}), 20);
  for (int i = 0; i < 12; ++i) value = layer(b, value);
  b.output({value});
  invent_modules(b.program);
  const std::map<std::string, uint32_t> nodes = nodes_by_path(b.program);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(nodes.at("block." + std::to_string(i)), 8u);
  EXPECT_EQ(nodes.at("section.0"), 20u);
  // The cut is where one value is alive, not inside a layer.
  EXPECT_EQ(b.program.text(b.program.node(b.program.modules[2].first).target),
            "torch.ops.aten.layer_norm.default");
  EXPECT_EQ(b.program.text(b.program.modules[2].type), "invented (mm, dropout)");
}

TEST(InventedModules, LongRunsAreSectionsOfAboutFifty) {
  ProgramBuilder b;
  b.output({mixed(b, b.input("x", {4}), 500)});
  invent_modules(b.program);
  uint32_t rows = 0, sections = 0;
  for (const Module& module : b.program.modules) {
    if (module.parent != 0 || module.path == 0) continue;
    EXPECT_LE(module.nodes, 150u);
    rows += module.nodes;
    ++sections;
  }
  EXPECT_GE(sections, 5u);
  EXPECT_LE(rows, 500u);
}

TEST(InventedModules, AJointGraphIsPartedWhereItsForwardEnds) {
  ProgramBuilder b;
  const Row loss = mixed(b, b.input("x", {4}), 60);
  const Row gradient = mixed(b, loss, 90);
  b.program.outputs = {{OutputSpec::Kind::kLoss, 0}, {OutputSpec::Kind::kGradientToParameter, 0}};
  b.output({loss, gradient});
  invent_modules(b.program);
  const std::map<std::string, uint32_t> nodes = nodes_by_path(b.program);
  EXPECT_EQ(nodes.at("forward"), 60u);
  EXPECT_EQ(nodes.at("backward"), 90u);
}

TEST(InventedModules, SmallProgramsAndThoseWithModulesStayAsTheyAre) {
  ProgramBuilder small;
  small.output({mixed(small, small.input("x", {4}), 60)});
  invent_modules(small.program);
  EXPECT_EQ(small.program.modules.size(), 1u);

  ProgramBuilder named;
  Row value = named.input("x", {4});
  for (int i = 0; i < 200; ++i)
    value = named.call("aten.sin.default", {ref(value)}, "L__self__,,Net;L__self___a,a,Block");
  named.output({value});
  invent_modules(named.program);
  EXPECT_EQ(named.program.modules.size(), 2u);
}

}  // namespace
}  // namespace faketensor
