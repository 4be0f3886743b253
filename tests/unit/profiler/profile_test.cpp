#include "core/profiler/profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/mode/mode.h"
#include "core/profiler/chrome_trace.h"
#include "core/profiler/memory_export.h"
#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

class ProfileTest : public testing::Test {
 protected:
  Value tensor(std::initializer_list<SymInt> sizes) {
    return mode_.empty(Dims(sizes.begin(), sizes.size()), DType::kFloat32);
  }
  void linear() {
    const Value args[] = {tensor({4, 5}), tensor({6, 5}), tensor({6})};
    mode_.call("aten::linear", args);
  }
  // "aten::linear(aten::t aten::addmm )"
  static std::string tree(const EventList& list) {
    const std::vector<FunctionEvent>& events = list.events();
    const std::function<std::string(int64_t)> below = [&](int64_t parent) {
      std::string text;
      for (size_t i = 0; i < events.size(); ++i) {
        if (events[i].parent != parent) continue;
        const std::string inner = below(static_cast<int64_t>(i));
        text += events[i].name + (inner.empty() ? " " : "(" + inner + ")");
      }
      return text;
    };
    return below(-1);
  }

  FakeTensorMode mode_;
  ManualClock clock_{1000};  // a microsecond each time it is read
};

TEST_F(ProfileTest, CompositesShowWhatTheyCall) {
  Profile profile(mode_.context(), {.clock = &clock_});
  profile.start();
  linear();
  profile.stop();
  EXPECT_EQ(tree(profile.events()), "aten::linear(aten::t aten::addmm )");
}

TEST_F(ProfileTest, TimesComeFromTheClock) {
  Profile profile(mode_.context(), {.clock = &clock_});
  profile.start();
  {
    const SpanScope span(profile.recorder(), "outer");
    clock_.advance(5000);
    const Value x = tensor({2});
    mode_.call("aten::relu", {&x, 1});
  }
  profile.stop();
  const AverageList averages = profile.key_averages();
  ASSERT_EQ(averages.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(averages.rows[0].cpu_time_total, 8);       // four readings and five more
  EXPECT_DOUBLE_EQ(averages.rows[0].self_cpu_time_total, 7);  // one is the operator's
}

TEST_F(ProfileTest, NothingIsRecordedBeforeAndAfter) {
  linear();
  Profile profile(mode_.context());
  profile.start();
  profile.stop();
  linear();
  EXPECT_TRUE(profile.events().events().empty());
}

TEST_F(ProfileTest, AnOperatorThatRaisesEndsItsSpan) {
  Profile profile(mode_.context(), {.clock = &clock_});
  profile.start();
  const Value args[] = {tensor({2, 3}), tensor({2, 3})};
  EXPECT_TRUE(mode_.call("aten::mm", args).error.has_value());
  const Value x = tensor({2});
  mode_.call("aten::relu", {&x, 1});
  profile.stop();
  EXPECT_EQ(tree(profile.events()), "aten::mm aten::relu ");
}

TEST_F(ProfileTest, SymbolicSizesAreRecordedAsHintsAndExpressions) {
  mode_.attach_shape_env(nullptr);
  const SymInt size =
      mode_.context().shape_env()->create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
  Profile profile(mode_.context(), {.record = {.record_shapes = true}});
  profile.start();
  const Value x = tensor({size, 3});
  mode_.call("aten::relu", {&x, 1});
  profile.stop();
  const EventList events = profile.events();
  EXPECT_EQ(shapes_text(events.events()[0].input_shapes), "[[4, 3]]");
  EXPECT_EQ(events.events()[0].input_shapes[0].expressions, (std::vector<std::string>{"s0", "3"}));
}

TEST_F(ProfileTest, MemoryAndFlopsAreCounted) {
  Profile profile(mode_.context(), {.record = {.profile_memory = true, .with_flops = true}});
  profile.start();
  const Value args[] = {tensor({4, 5}), tensor({5, 6})};
  mode_.call("aten::mm", args);
  profile.stop();
  const EventList events = profile.events();
  EXPECT_EQ(events.events()[0].cpu_memory, 4 * 6 * 4);
  EXPECT_EQ(events.events()[0].flops, 2 * 4 * 5 * 6);
}

// Every event of a trace has what its phase asks for, and spans of one thread are nested.
void check_trace(const nlohmann::json& trace) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<double, double>>> spans;
  for (const auto& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    ASSERT_TRUE(event["pid"].is_number_integer());
    ASSERT_TRUE(event["name"].is_string());
    if (phase != "X") continue;
    ASSERT_TRUE(event["cat"].is_string());
    const double begin = event["ts"];
    ASSERT_GE(event["dur"].get<double>(), 0);
    spans[{event["pid"], event["tid"]}].emplace_back(begin, begin + event["dur"].get<double>());
  }
  for (auto& [thread, list] : spans) {
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    std::vector<double> ends;
    for (const auto& [begin, end] : list) {
      while (!ends.empty() && ends.back() <= begin + 1e-6) ends.pop_back();
      if (!ends.empty()) {
        EXPECT_LE(end, ends.back() + 1e-6);
      }
      ends.push_back(end);
    }
  }
}

TEST_F(ProfileTest, AChromeTraceIsOne) {
  Profile profile(mode_.context(), {.record = {.record_shapes = true}, .clock = &clock_});
  profile.start();
  {
    const SpanScope span(profile.recorder(), "forward \"pass\"");
    linear();
  }
  profile.stop();
  profile.add_metadata("k", "v");
  profile.add_metadata_json("j", "[1, 2]");
  const nlohmann::json trace = nlohmann::json::parse(profile.export_chrome_trace());
  EXPECT_EQ(trace["schemaVersion"], 1);
  EXPECT_EQ(trace["k"], "v");
  EXPECT_EQ(trace["j"], nlohmann::json({1, 2}));
  check_trace(trace);
  size_t operators = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "cpu_op") continue;
    ++operators;
    if (event["name"] == "aten::linear") {
      EXPECT_EQ(event["args"]["Input Dims"], nlohmann::json({{4, 5}, {6, 5}, {6}}));
    }
  }
  EXPECT_EQ(operators, 3u);
}

TEST(ChromeTrace, ModulesAreNestedSpansAndKernelsFollowEachOther) {
  std::vector<FunctionEvent> events;
  for (const char* path : {"layers.0.attn", "layers.0.mlp", "layers.1.attn", ""}) {
    FunctionEvent event{.name = "aten::mm"};
    event.trace_name = event.name;
    event.start_ns = static_cast<int64_t>(events.size()) * 100;
    event.end_ns = event.start_ns + 100;
    event.device_ns = 250;
    event.module_path = path;
    events.push_back(event);
  }
  const nlohmann::json trace =
      nlohmann::json::parse(chrome_trace(EventList(events), {.device_name = "NVIDIA H100"}));
  check_trace(trace);
  std::map<std::string, double> modules;
  std::vector<double> kernels;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "python_function") modules[event["name"]] = event["dur"];
    if (event.value("cat", "") == "kernel") kernels.push_back(event["ts"]);
  }
  EXPECT_EQ(modules["nn.Module: layers"], 0.3);
  EXPECT_EQ(modules["nn.Module: layers.0"], 0.2);
  EXPECT_EQ(modules["nn.Module: layers.1.attn"], 0.1);
  EXPECT_EQ(kernels, (std::vector<double>{0, 0.25, 0.5, 0.75}));
}

// --- export_memory_timeline ---

using MemoryRow = std::tuple<MemoryAction, int64_t, MemoryCategory>;

TEST_F(ProfileTest, TheMemoryTimelineHasStoragesFromTheCallThatBringsThemToTheLastThatReadsThem) {
  const Value x = tensor({4, 5});
  const Value weight = tensor({6, 5});
  MetaSpec spec = weight.tensor().meta->spec();
  spec.flags |= kRequiresGrad;
  weight.tensor().meta = mode_.context().metas().intern(spec);
  const Value bias = tensor({6});
  Profile profile(mode_.context(), {.record = {.record_shapes = true}, .clock = &clock_});
  profile.start();
  const Value args[] = {x, weight, bias};
  const Value hidden = mode_.call("aten::linear", args).value;
  const Value rectified = mode_.call("aten::relu", {&hidden, 1}).value;
  const Value scale[] = {rectified, Value(2)};
  mode_.call("aten::mul_.Scalar", scale);
  const std::vector<TimelineEvent> events = memory_events(*profile.recorder());
  profile.stop();
  std::vector<MemoryRow> rows;
  for (const TimelineEvent& each : events)
    rows.emplace_back(each.action, each.bytes, each.category);
  using enum MemoryAction;
  using Category = MemoryCategory;
  EXPECT_EQ(rows, (std::vector<MemoryRow>{{kPreexisting, 120, Category::kParameter},
                                          {kPreexisting, 24, Category::kInput},
                                          {kPreexisting, 80, Category::kInput},
                                          {kCreate, 96, Category::kActivation},
                                          {kCreate, 96, Category::kActivation},
                                          {kDestroy, 96, Category::kActivation},
                                          {kIncrementVersion, 96, Category::kActivation}}));
  EXPECT_EQ(events[0].time_ns, -1);
  EXPECT_LT(events[3].time_ns, events[4].time_ns);
}

TEST_F(ProfileTest, WhatOneCallBringsAndDropsIsTemporary) {
  Profile profile(mode_.context(), {.record = {.record_shapes = true}, .clock = &clock_});
  profile.start();
  const Value x = tensor({8});
  const Value args[] = {x, x};
  mode_.call("aten::mse_loss", args);
  int temporaries = 0;
  for (const TimelineEvent& each : memory_events(*profile.recorder()))
    temporaries += each.category == MemoryCategory::kTemporary ? 1 : 0;
  profile.stop();
  EXPECT_EQ(temporaries % 2, 0) << "each that comes goes";
}

TEST_F(ProfileTest, TheMemoryTimelineIsWrittenByItsSuffixAndNeedsItsOptions) {
  Profile profile(mode_.context(),
                  {.record = {.record_shapes = true, .profile_memory = true, .with_stack = true},
                   .clock = &clock_});
  profile.start();
  linear();
  profile.stop();
  const nlohmann::json points =
      nlohmann::json::parse(profile.export_memory_timeline("memory.json"));
  EXPECT_EQ(points[0].size(), points[1].size());
  EXPECT_EQ(points[1].back().size(), 9u);
  EXPECT_EQ(profile.export_memory_timeline("memory.raw.json.gz").substr(0, 2), "\x1f\x8b");
  Profile less(mode_.context(), {.record = {.record_shapes = true}});
  less.start();
  less.stop();
  try {
    less.export_memory_timeline("memory.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "profile_memory=True, with_stack=True required for memory profiling.");
  }
}

}  // namespace
}  // namespace faketensor
