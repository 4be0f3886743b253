#include "core/profiler/run_trace.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../graph/program_builder.h"
#include "core/analysis/program_costs.h"
#include "core/devices/presets.h"
#include "core/profiler/compile/compiled_function.h"
#include "core/profiler/memory_export.h"

namespace faketensor {
namespace {

// relu(linear(x, weight)).
struct Layer : ProgramBuilder {
  Row weight = input("weight", {8, 8}, DType::kFloat32, InputSpec::Kind::kParameter);
  Row x = input("x", {4, 8});
  Row linear = call("aten.linear.default", {ref(x), ref(weight)});
  Row relu = call("aten.relu.default", {ref(linear)});
  Layer() { output({relu}); }
};

struct Traced {
  explicit Traced(const Program& program, DeviceTime device_time = {})
      : costs(program, {}), tracer(&clock, std::move(device_time)) {
    RetargetOptions options;
    options.watcher = &tracer;
    answer = propagate_retargeted(program, options);
    events = tracer.finish(answer.run);
  }

  ManualClock clock{1000};
  ProgramCosts costs;
  RunTracer tracer;
  RetargetedRun answer;
  std::vector<FunctionEvent> events;
};

TEST(RunTrace, ANodeIsASpanAroundWhatItCalls) {
  const Layer layer;
  const Traced traced(layer.program);
  std::string text;
  for (const FunctionEvent& event : traced.events)
    text += (event.parent < 0 ? event.node + ":" : " " + event.name) +
            (event.input_shapes.empty() ? "" : shapes_text(event.input_shapes));
  EXPECT_EQ(text,
            "aten.linear.default_2: aten::t[[8, 8]] aten::mm[[4, 8], [8, 8]]"
            "aten.relu.default_3: aten::relu[[4, 8]]");
}

TEST(RunTrace, KernelsAreAsLongAsTheyAreSaidToBe) {
  const Layer layer;
  const Traced traced(layer.program, [](const OpEntry& op, std::span<const Value>, const Value&) {
    return op.schema.name == "aten::mm" ? int64_t{7000} : 0;
  });
  const nlohmann::json trace = nlohmann::json::parse(run_chrome_trace(
      traced.answer.run, traced.events, traced.costs.memory(), "NVIDIA H100", "layer"));
  EXPECT_EQ(trace["simulatedDeviceNanoseconds"], 7000);
  std::vector<std::string> kernels;
  std::vector<double> alive;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "kernel") {
      kernels.push_back(event["name"]);
      EXPECT_EQ(event["dur"], 7.0);
    }
    if (event["ph"] == "C") alive.push_back(event["args"]["value"]);
  }
  EXPECT_EQ(kernels, std::vector<std::string>{"aten::mm"});
  EXPECT_EQ(alive, (std::vector<double>{512, 512}));  // weight and x, and a result of 128 bytes
}

// x meets a parameter: it is an input, and what comes of them are activations (MemoryProfile).
TEST(RunTrace, TheMemoryTimelineHasPyTorchsCategories) {
  const Layer layer;
  const Traced traced(layer.program);
  const auto events = memory_events(traced.costs, traced.events, false);
  std::vector<std::pair<MemoryAction, int64_t>> seen;
  std::vector<MemoryCategory> categories;
  for (const TimelineEvent& event : events) {
    seen.emplace_back(event.action, event.bytes);
    categories.push_back(event.category);
  }
  using Action = MemoryAction;
  using Category = MemoryCategory;
  EXPECT_EQ(seen, (std::vector<std::pair<Action, int64_t>>{{Action::kPreexisting, 256},
                                                           {Action::kPreexisting, 128},
                                                           {Action::kCreate, 128},
                                                           {Action::kCreate, 128},
                                                           {Action::kDestroy, 128}}));
  EXPECT_EQ(categories,
            (std::vector<Category>{Category::kParameter, Category::kInput, Category::kActivation,
                                   Category::kActivation, Category::kActivation}));
  // Nothing was there before the first event; the last has the bytes of all.
  const nlohmann::json points = nlohmann::json::parse(memory_timeline_json(events, Device{}));
  EXPECT_EQ(points[1].back(), (std::vector<int64_t>{0, 256, 0, 128, 0, 128, 0, 0, 0}));
  EXPECT_EQ(points[0].size(), points[1].size());
}

// Nothing depends on a parameter where there is none: PyTorch says of no storage what it is for.
TEST(RunTrace, WithoutParametersStoragesAreOfNoCategory) {
  struct Sum : ProgramBuilder {
    Row x = input("x", {4});
    Row y = call("aten.relu.default", {ref(x)});
    Sum() { output({y}); }
  };
  const Sum sum;
  const Traced traced(sum.program);
  for (const TimelineEvent& event : memory_events(traced.costs, traced.events, false))
    EXPECT_EQ(event.category, MemoryCategory::kNone);
}

TEST(RunTrace, ThePictureOfTheMemoryTimelineIsRefusedAsWithoutMatplotlib) {
  try {
    memory_timeline_file({}, Device{}, "memory.html");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("because matplotlib was not found"),
              std::string::npos);
  }
}

// What a kernel's module is stands above the stream, too.
TEST(RunTrace, ModulesAreSpansOverTheirKernels) {
  std::vector<FunctionEvent> events(2);
  events[0] = {.name = "node", .start_ns = 10, .end_ns = 30, .module_path = "layer.0"};
  events[1] = {.name = "aten::mm", .parent = 0, .start_ns = 15, .end_ns = 20, .device_ns = 400};
  const nlohmann::json trace =
      nlohmann::json::parse(chrome_trace(EventList(events), {.device_name = "GPU"}));
  std::vector<std::string> modules;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "gpu_user_annotation") continue;
    modules.push_back(event["name"]);
    EXPECT_EQ(event["dur"], 0.4);
    EXPECT_EQ(event["ts"], 0.005);
  }
  EXPECT_EQ(modules, (std::vector<std::string>{"nn.Module: layer.0", "nn.Module: layer"}));
}

// The kernels of a trace are those of a step by its roofline.
TEST(RunTrace, TheSumOfTheKernelsIsTheRooflinesStep) {
  const Layer layer;
  const Hardware hardware = *device_preset("h100")->hardware;
  const Traced traced(layer.program, roofline_time(hardware));
  int64_t sum = 0;
  for (const FunctionEvent& event : traced.events) sum += event.device_ns;
  const ProgramWork work(layer.program, {});
  EXPECT_NEAR(static_cast<double>(sum), StepTime(work, hardware).seconds() * 1e9, 3);
  EXPECT_GT(sum, 0);
}

// A loaded graph is compiled as a function is: its parameters stay as they are, its inputs change.
TEST(CompiledGraph, IsUsedAgainForOtherSizes) {
  Layer layer;
  layer.program.name = "layer";
  Compiler compiler;
  CompiledFunction compiled(compiler, layer.program);
  FakeTensorMode mode;
  const Value weight = mode.empty(DimVector{8, 8}.span(), DType::kFloat32);
  for (const int64_t batch : {4, 5, 6}) {
    const SymInt sizes[] = {batch, 8};
    const std::vector<Value> results =
        compiled.call(mode, {weight, mode.empty(sizes, DType::kFloat32)});
    const Value& result = results[0].is_list() ? results[0][0] : results[0];
    EXPECT_EQ(hint(result.tensor().size(0)), batch);
  }
  EXPECT_EQ(compiled.cache_size(), 2u);
  EXPECT_EQ(compiler.recompiles().size(), 1u);
}

}  // namespace
}  // namespace faketensor
