#include "core/io/options_json.h"

#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

template <typename Body>
void expect_usage(Body body, std::initializer_list<std::string_view> words) {
  expect_error(body, ErrorKind::kUsage, words);
}

PropagateOptions read(std::string_view text) {
  return read_propagate_options(parse_json(text, "options"));
}

TEST(OptionsJson, OptionsAreRead) {
  const PropagateOptions options = read(
      R"({"dims": {"batch": 4}, "dynamic": {"x.1": true, "x.2": [1, 8]}, "inputs": {"x": {"size": [4, 3], "dtype": "float16"}},
          "dtype": "bfloat16", "device": "cuda", "memoryFormat": "channels_last",
          "target": "h100", "pythonDispatcher": true, "stopAtFirstError": true})");
  EXPECT_EQ(options.dims.at("batch"), 4);
  EXPECT_EQ(options.dynamic.at("x.1").range, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(options.dynamic.at("x.2").range, ValueRange::ints(1, 8));
  EXPECT_EQ(options.inputs.at("x").sizes->size(), 2u);
  EXPECT_EQ(options.dtype, DType::kBFloat16);
  EXPECT_EQ(options.device, (Device{DeviceType::kCUDA, 0}));
  EXPECT_TRUE(options.python_dispatcher);
  EXPECT_TRUE(options.stop_at_first_error);
}

TEST(OptionsJson, ASizeThatIsNoIntegerIsRefusedInPlainWords) {
  expect_usage([&] { read(R"({"dims": {"batch": 2.7}})"); },
               {"'dims.batch' must be an integer, not 2.7"});
  expect_usage([&] { read(R"({"dims": {"batch": "2"}})"); },
               {"'dims.batch' must be an integer, not \"2\""});
  expect_usage([&] { read(R"({"dims": {"batch": 1e21}})"); }, {"'dims.batch'"});
  expect_usage([&] { read(R"({"dims": 3})"); }, {"'dims' must be an object, not 3"});
  expect_usage([&] { read(R"({"dynamic": {"batch": 3}})"); },
               {"dynamic.batch is true or [lower, upper]"});
  expect_usage([&] { read(R"({"dynamic": {"batch": [8, 2]}})"); },
               {"dynamic.batch: no sizes in [8, 2]"});
}

TEST(OptionsJson, WhatIsUnknownIsNamed) {
  expect_usage([&] { read(R"({"batch": 2})"); }, {"unknown option 'batch'"});
  expect_usage([&] { read(R"({"dtype": "float31"})"); }, {"unknown dtype 'float31'"});
  expect_usage([&] { read(R"({"dtype": 6})"); }, {"'dtype' must be text, not 6"});
  expect_usage([&] { read(R"({"target": "abacus"})"); }, {"unknown target 'abacus'"});
  expect_usage([&] { read(R"({"pythonDispatcher": "yes"})"); }, {"must be true or false"});
  expect_usage([&] { read(R"([])"); }, {"'options' must be an object"});
  expect_usage([&] { read(R"({"inputs": {"x": 3}})"); }, {"not a value: 3"});
  expect_usage([&] { read(R"({"inputs": {"x": {"size": [-1]}}})"); }, {"not a value"});
  expect_usage([&] { read(R"({"profiles": [[5]]})"); }, {"'profiles'"});
}

TEST(ModeOptionsJson, TheShapeEnvIsOneOrNoneOrHasOptions) {
  EXPECT_FALSE(read_mode_options(parse_json("{}", "x")).shape_env);
  EXPECT_FALSE(read_mode_options(parse_json(R"({"shapeEnv": false})", "x")).shape_env);
  EXPECT_TRUE(read_mode_options(parse_json(R"({"shapeEnv": true})", "x")).shape_env);
  const ModeOptions given =
      read_mode_options(parse_json(R"({"shapeEnv": {"duck_shape": false}})", "x"));
  ASSERT_TRUE(given.shape_env);
  EXPECT_FALSE(given.shape_env->duck_shape);
  expect_usage([] { read_mode_options(parse_json(R"({"shapeEnv": 1})", "x")); },
               {"'shapeEnv' must be true or false, not 1"});
  expect_usage([] { read_mode_options(parse_json(R"({"shapeEnv": {"duck_shape": 0}})", "x")); },
               {"'shapeEnv.duck_shape' must be true or false, not 0"});
  expect_usage([] { read_mode_options(parse_json(R"({"shapeEnv": {"duck": true}})", "x")); },
               {"unknown option 'shapeEnv.duck'"});
}

TEST(WhatIfJson, SymbolsAreNumbersOrRanges) {
  const WhatIfQuestion question =
      read_what_if(parse_json(R"({"symbols": {"s0": 6, "s1": [2, 64]}, "nodes": ["add"]})", "x"));
  ASSERT_EQ(question.symbols.size(), 2u);
  EXPECT_EQ(question.symbols[1].upper, 64);
  EXPECT_EQ(question.nodes[0], "add");
  expect_usage([] { read_symbol_settings(parse_json(R"({"s0": [2]})", "x")); },
               {"'symbols.s0' must be an integer, not [2]"});
  expect_usage([] { read_what_if(parse_json(R"({"nodes": []})", "x")); }, {"'symbols' is missing"});
  expect_usage([] { read_indices(parse_json("[-1]", "x"), "modules"); },
               {"'modules' must be an index, not -1"});
}

}  // namespace
}  // namespace faketensor
