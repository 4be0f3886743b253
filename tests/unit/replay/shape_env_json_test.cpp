#include "core/replay/shape_env_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/support/error.h"
#include "core/symbolic/parse.h"

namespace faketensor {
namespace {

using nlohmann::json;

const json kSymbols = json::parse(R"([
  {"name": "s77", "hint": 5, "range": [2, "int_oo"], "source": "L['x'].size()[0]"},
  {"name": "s20", "hint": 0, "range": ["-int_oo", "int_oo"], "unspecified": true},
  {"name": "u0", "hint": null, "range": [0, 8], "size_like": true, "input": true}])");

TEST(ShapeEnvJson, SymbolsHaveTheirHintsRangesAndMarks) {
  ShapeEnv env;
  make_symbols(env, kSymbols);
  ASSERT_EQ(env.symbols().size(), 3u);
  EXPECT_EQ(env.hint_of_symbol(env.symbols()[0]), 5);
  EXPECT_EQ(env.range(env.symbols()[0]), ValueRange::ints(2, kIntInfinity));
  EXPECT_FALSE(env.symbols()[1]->has(kPositive));
  EXPECT_TRUE(env.is_size_like(env.symbols()[2]));
}

TEST(ShapeEnvJson, WhatACallAddedIsNoMoreThanWhatIsNew) {
  ShapeEnv env;
  make_symbols(env, kSymbols);
  const ShapeEnvSnapshot before(env);
  EXPECT_EQ(before.added(env), "{}");
  env.evaluate_bool(parse_expr(env.pool(), "Eq(s77, 5)"));
  const std::string wanted =
      R"json({"guards":["Eq(s77, 5)"],"replacements":{"s77":5},"ranges":{"s77":[5,5]}})json";
  EXPECT_EQ(before.added(env), wanted);
}

TEST(ShapeEnvJson, SettingsAreNamed) {
  EXPECT_TRUE(
      read_settings("export_deferred").shape_env.prefer_deferred_runtime_asserts_over_guards);
  EXPECT_TRUE(read_settings("compile+dispatcher").python_dispatcher);
  EXPECT_FALSE(read_settings("compile_partial").allow_scalar_outputs);
  EXPECT_THROW(read_settings("other"), Error);
}

TEST(ShapeEnvJson, WhatIsNoSymbolIsRefused) {
  ShapeEnv env;
  EXPECT_THROW(make_symbols(env, json::parse(R"([{"name": "s0"}])")), Error);
  EXPECT_THROW(make_symbols(env, json::parse(R"([{"name": "s0", "hint": 1, "range": [0, "x"]}])")),
               Error);
}

}  // namespace
}  // namespace faketensor
