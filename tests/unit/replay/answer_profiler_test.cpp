#include "core/replay/answer_profiler.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faketensor {
namespace {

nlohmann::json answer(const nlohmann::json& question) {
  std::string text;
  {
    JsonWriter json(text);
    EXPECT_TRUE(answer_profiler(json, "profiler", question));
  }
  return nlohmann::json::parse(text);
}

nlohmann::json tensor(int number, std::vector<int> sizes) {
  std::vector<int> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return {{"t", number},        {"size", sizes},   {"stride", strides}, {"offset", 0},
          {"dtype", "float32"}, {"device", "cpu"}, {"storage", number}};
}

// A call of a compiled function of x, with the operators that it runs.
nlohmann::json call(const nlohmann::json& x, const nlohmann::json& body) {
  return {{"do", "call"}, {"fn", 0},      {"name", "fn"},      {"params", {"x"}},
          {"args", {x}},  {"body", body}, {"backend", "eager"}};
}
nlohmann::json op(const char* name, nlohmann::json args, std::vector<int> result) {
  return {{"do", "op"}, {"op", name}, {"args", std::move(args)}, {"result", std::move(result)}};
}

// Note [Sizes in a body]
TEST(AnswerProfiler, NumbersThatChangeWithASizeAreThatSize) {
  nlohmann::json steps;
  for (const int size : {4, 6, 8}) {
    const nlohmann::json x = tensor(0, {size});
    const nlohmann::json view = op("aten::view", {x, {size / 2, 2}}, {1});
    steps.push_back(call(x, nlohmann::json::array({view})));
    steps.push_back({{"do", "cache_size"}, {"fn", 0}});
  }
  const nlohmann::json got = answer({{"id", "q"}, {"steps", steps}, {"ask", {"cache_sizes"}}});
  EXPECT_EQ(got["cache_sizes"], nlohmann::json({1, 2, 2}));
}

// Numbers of tensors are used again: t1 is the result of the sum, then a number.
TEST(AnswerProfiler, ABreakMakesTwoRegions) {
  const nlohmann::json x = tensor(0, {3});
  nlohmann::json sum = tensor(1, {});
  const nlohmann::json body = {op("aten::sum", {x, nullptr}, {1}), op("aten::item", {sum}, {}),
                               op("aten::add.Tensor", {x, sum, 1}, {2})};
  const nlohmann::json steps = {{{"do", "profile_start"}}, call(x, body), {{"do", "profile_stop"}}};
  const nlohmann::json got = answer({{"id", "q"}, {"steps", steps}, {"ask", {"regions"}}});
  EXPECT_EQ(got["regions"],
            nlohmann::json({"Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/0"}));
}

TEST(AnswerProfiler, WhatIsNoOperatorHereIsACallAllTheSame) {
  const nlohmann::json steps = {{{"do", "profile_start"}},
                                op("foo::bar", nlohmann::json::array(), {}),
                                op("aten::relu", {{{"py", "x"}}}, {}),
                                {{"do", "profile_stop"}}};
  const nlohmann::json got = answer({{"id", "q"}, {"steps", steps}, {"ask", {"events"}}});
  ASSERT_EQ(got["events"].size(), 2u);
  EXPECT_EQ(got["events"][0]["name"], "foo::bar");
  EXPECT_EQ(got["events"][1]["name"], "aten::relu");
}

}  // namespace
}  // namespace faketensor
