#include "core/command/graph_svg.h"

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/command/graph_files.h"
#include "core/io/open.h"
#include "core/support/error.h"
#include "test_io.h"

namespace faketensor {
namespace {

Program read_drawn(std::string_view text, std::string_view name = "typed.py") {
  return open_program(MemorySource(text), name);
}

constexpr std::string_view kDrawnText =
    "def forward(self, x: \"f32[2, 3]\"):\n"
    "    relu = torch.ops.aten.relu.default(x)\n"
    "    return (relu,)\n";

size_t count_of(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(GraphSvg, EveryNodeIsABoxWithItsNameAndShape) {
  const Program program = read_drawn(kDrawnText);
  const auto run = propagate(program);
  const std::string svg = svg_graph(run, {});
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count_of(svg, "class=\"input\""), 1u);
  EXPECT_EQ(count_of(svg, "class=\"op\""), 1u);
  EXPECT_EQ(count_of(svg, "class=\"output\""), 1u);
  EXPECT_EQ(count_of(svg, "class=\"edge\""), 2u);
  EXPECT_NE(svg.find(">relu</text>"), std::string::npos);
  EXPECT_NE(svg.find(">f32[2, 3]</text>"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(GraphSvg, WhatAFileNamedIsEscaped) {
  const Program program = read_drawn(kDrawnText, "<script>&\"");
  const auto run = propagate(program);
  for (const std::string& text : {svg_graph(run, {}), html_graph(run, {})}) {
    EXPECT_EQ(text.find("<script"), std::string::npos);
    EXPECT_NE(text.find("&lt;script&gt;&amp;&quot;"), std::string::npos);
  }
}

TEST(GraphSvg, APageHasNoScriptsAndAsksForNothing) {
  const Program program = read_drawn(kDrawnText);
  const std::string html = html_graph(propagate(program), {});
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
}

TEST(GraphSvg, ANodeThatRaisesIsMarkedWithItsError) {
  const Program program = read_drawn(
      "def forward(self, x: \"f32[2, 3]\"):\n"
      "    mm = torch.ops.aten.mm.default(x, x)\n"
      "    return (mm,)\n");
  const std::string svg = svg_graph(propagate(program), {});
  EXPECT_EQ(count_of(svg, "class=\"bad\""), 2u);
  EXPECT_NE(svg.find("RuntimeError: "), std::string::npos);
}

TEST(GraphSvg, ModulesAreOpenAsDeepAsWasAskedFor) {
  const Program program = open_program(
      FileSource(test_file("conformance/data/models/resnet18/static.json.gz")), "resnet18");
  const auto run = propagate(program);
  const std::string closed = svg_graph(run, 1);
  EXPECT_EQ(count_of(closed, "class=\"open\""), 0u);
  EXPECT_NE(closed.find(">layer1</text>"), std::string::npos);
  const std::string deeper = svg_graph(run, 2);
  EXPECT_GT(count_of(deeper, "class=\"open\""), 4u);
  EXPECT_GT(count_of(svg_graph(run, {}), "class=\"op\""), 60u);
}

constexpr std::string_view kBranches = R"(class GraphModule(torch.nn.Module):
    def forward(self, pred: "b8[]", x: "f32[2, 3]"):
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(pred, true_graph_0, false_graph_0, (x,));  true_graph_0 = false_graph_0 = None
        getitem: "f32[2, 3]" = cond[0]
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
            sin: "f32[2, 3]" = torch.ops.aten.sin.default(x)
            return (sin,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
            cos: "f32[2, 3]" = torch.ops.aten.cos.default(x)
            return (cos,)
)";

TEST(GraphSvg, BodiesOfHigherOrderOperatorsAreModules) {
  const CommandRun made =
      run({"convert", "branches.txt", "--to", "svg"}, {{"branches.txt", std::string(kBranches)}});
  ASSERT_EQ(made.code, 0) << made.error;
  for (const std::string_view part :
       {">cond  cond</text>", ">true_graph_0  graph</text>", ">sin</text>", ">cos</text>"})
    EXPECT_NE(made.out.find(part), std::string::npos) << part;
  EXPECT_EQ(count_of(made.out, ">f32[2, 3]</text>"), 5u);  // x, in both graphs, sin and cos
}

}  // namespace
}  // namespace faketensor
