#include "core/graph/rebinding.h"

#include <set>

#include <gtest/gtest.h>

#include "core/graph/explain.h"
#include "core/graph/fake_tensor_prop.h"
#include "core/graph/text/read_program_text.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

Program read_named(std::string_view text) {
  TextProgram of = read_program_text(std::string(text), "typed.txt", {});
  for (const TextProblem& problem : of.text->problems()) ADD_FAILURE() << problem.message;
  return std::move(of.program);
}

std::string named_sizes_of(const faketensor::Run& run, std::string_view name) {
  const BranchScope env = run.shape_env();
  const NodeRecord& record = run.record(run.program().find(name));
  return record.value.is_tensor() ? format("{}", record.tensors[0].meta->sizes())
                                  : format("{}", record.value);
}

constexpr std::string_view kNonzeroText =
    "def forward(self, x: \"f32[6, 4]\"):\n"
    "    nonzero: \"i64[u0, 2]\" = torch.ops.aten.nonzero.default(x)\n"
    "    neg: \"i64[u0, 2]\" = torch.ops.aten.neg.default(nonzero)\n"
    "    select: \"f32[u1]\" = torch.ops.aten.masked_select.default(x, x)\n"
    "    cat: \"f32[2*u1]\" = torch.ops.aten.cat.default([select, select])\n"
    "    return (neg, cat)\n";

TEST(UnbackedNames, ARunGoesByTheNamesOfTheFile) {
  const Program program = read_named(kNonzeroText);
  for (int i = 0; i < 2; ++i) {
    const auto run = propagate(program);
    EXPECT_EQ(named_sizes_of(run, "nonzero"), "[u0, 2]");
    EXPECT_EQ(named_sizes_of(run, "neg"), "[u0, 2]");
    EXPECT_EQ(named_sizes_of(run, "select"), "[u1]");
    EXPECT_EQ(named_sizes_of(run, "cat"), "[2*u1]");
    EXPECT_TRUE(guard_report(run).empty());
    ASSERT_EQ(symbol_report(run).size(), 2u);
    EXPECT_EQ(symbol_report(run)[0].name, "u0");
  }
}

TEST(UnbackedNames, ARunHasEachSymbolOnce) {
  const Program program = read_named(kNonzeroText);
  const auto run = propagate(program);
  const BranchScope env = run.shape_env();
  const std::vector<const ExprNode*>& symbols = env->symbols();
  EXPECT_EQ(std::set<const ExprNode*>(symbols.begin(), symbols.end()).size(), symbols.size());
}

// The file's bounds are those of the example: the name is all that is taken over.
TEST(UnbackedNames, OtherSizesGiveOtherBoundsUnderTheSameName) {
  const Program program = read_named(kNonzeroText);
  const auto range = [&](const PropagateOptions& options) {
    return to_string(symbol_report(propagate(program, options))[0].range);
  };
  EXPECT_EQ(range({}), "[0, 24]");
  EXPECT_EQ(range({.dims = {{"batch", 100}}}), "[0, 400]");
}

TEST(UnbackedNames, ElementsOfAListAreBoundByTheCall) {
  const Program program = read_named(
      "def forward(self, x: \"f32[6]\"):\n"
      "    unique = torch.ops.aten._unique2.default(x, True, True)\n"
      "    getitem: \"f32[u7]\" = unique[0]\n"
      "    getitem_1: \"i64[6]\" = unique[1]\n"
      "    return (getitem, getitem_1)\n");
  const auto run = propagate(program);
  EXPECT_EQ(named_sizes_of(run, "getitem"), "[u7]");
  EXPECT_EQ(named_sizes_of(run, "getitem_1"), "[6]");
}

TEST(UnbackedNames, WhatIsAssertedOfThemIsSaidUnderTheirNames) {
  const Program program = read_named(
      "def forward(self, x: \"i64[]\"):\n"
      "    item: \"Sym(u3)\" = torch.ops.aten.item.default(x)\n"
      "    ge: \"Sym(u3 >= 2)\" = item >= 2\n"
      "    check = torch.ops.aten._assert_scalar.default(ge, 'two')\n"
      "    zeros: \"f32[u3]\" = torch.ops.aten.zeros.default([item])\n"
      "    return (zeros,)\n");
  const auto run = propagate(program);
  EXPECT_EQ(named_sizes_of(run, "item"), "u3");
  EXPECT_EQ(named_sizes_of(run, "zeros"), "[u3]");
  ASSERT_EQ(guard_report(run).size(), 1u);
  EXPECT_EQ(guard_report(run)[0].text, "2 <= u3");
}

}  // namespace
}  // namespace faketensor
