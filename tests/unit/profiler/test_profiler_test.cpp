// Every scenario of PyTorch's test/dynamo/test_profiler.py, under its name.
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/profiler/compile/compiled_function.h"
#include "core/profiler/execution_trace.h"
#include "core/profiler/profile.h"

namespace faketensor {
namespace {

class DynamoProfilerTests : public testing::Test {
 protected:
  Value tensor(std::initializer_list<SymInt> sizes) {
    return mode_.empty(Dims(sizes.begin(), sizes.size()), DType::kFloat32);
  }

  // A function of one stage, in operators.
  using Body = std::function<Value(Frame&, std::span<const Value>)>;
  static Stage stage(Body body, std::string break_reason = {}) {
    return {
        [body](Frame& frame, std::span<const Value> in) { return std::vector{body(frame, in)}; },
        std::move(break_reason)};
  }

  std::vector<std::string> names_with(std::string_view text) const {
    std::vector<std::string> names;
    const EventList events = profile_.events();
    for (const FunctionEvent& event : events.events()) {
      if (event.name.find(text) != std::string::npos) names.push_back(event.name);
    }
    return names;
  }
  // The names of the spans around the first event of that name, innermost first.
  std::vector<std::string> around(std::string_view name) const {
    const EventList list = profile_.events();
    const std::vector<FunctionEvent>& events = list.events();
    std::vector<std::string> names;
    for (const FunctionEvent& event : events) {
      if (event.name != name) continue;
      for (int64_t at = event.parent; at >= 0; at = events[static_cast<size_t>(at)].parent)
        names.push_back(events[static_cast<size_t>(at)].name);
      break;
    }
    return names;
  }

  FakeTensorMode mode_;
  Compiler compiler_;
  Profile profile_{mode_.context()};
};

TEST_F(DynamoProfilerTests, test_dynamo_timed_profiling_isolated) {
  const Value x = tensor({2, 2});
  profile_.start();
  {
    const SpanScope span(profile_.recorder(), dynamo_timed("inner_fn"), SpanKind::kSpan);
    mode_.call("aten::sin", {&x, 1});
  }
  profile_.stop();
  EXPECT_EQ(names_with("inner_fn (dynamo_timed)").size(), 1u);
  EXPECT_EQ(around("aten::sin"), std::vector<std::string>{"inner_fn (dynamo_timed)"});
}

Value sin_times_cos(Frame& frame, std::span<const Value> in) {
  return frame.call("aten::mul.Tensor",
                    {frame.call("aten::sin", {in[0]}), frame.call("aten::cos", {in[1]})});
}

TEST_F(DynamoProfilerTests, test_dynamo_timed_profiling_backend_compile) {
  CompiledFunction fn(compiler_, "fn", {"x", "y"}, {stage(&sin_times_cos)},
                      {.backend = "aot_eager"});
  profile_.start();
  fn.call(mode_, {tensor({2, 2}), tensor({2, 2})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("call_user_compiler (dynamo_timed)").size(), 1u);
}

Value plus_one(Frame& frame, std::span<const Value> in) {
  return frame.call("aten::add.Tensor", {in[0], Value(1)});
}

TEST_F(DynamoProfilerTests, test_compile_events_visible_in_profiler) {
  CompiledFunction fn(compiler_, "fn", {"x"}, {stage(&plus_one)}, {.backend = "aot_eager"});
  profile_.start();
  fn.call(mode_, {tensor({2, 2})}, profile_.recorder());
  profile_.stop();
  EXPECT_FALSE(names_with("(dynamo_timed)").empty());
}

#ifndef __EMSCRIPTEN__  // which has no threads here
TEST_F(DynamoProfilerTests, test_record_functions_thread_local) {
  std::vector<size_t> counts(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < counts.size(); ++i) {
    threads.emplace_back([&counts, i] {
      FakeTensorMode mode;
      Profile profile(mode.context());
      profile.start();
      { const SpanScope span(profile.recorder(), "thread_" + std::to_string(i)); }
      profile.stop();
      counts[i] = profile.events().events().size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counts, std::vector<size_t>(3, 1));
}
#endif

TEST_F(DynamoProfilerTests, test_nested_compilation_events_in_profiler) {
  CompiledFunction fn(compiler_, "fn", {"x"}, {stage([](Frame& frame, std::span<const Value> in) {
                        return frame.call("aten::add.Tensor",
                                          {frame.call("aten::mul.Tensor", {in[0], Value(2)}),
                                           frame.call("aten::sin", {in[0]})});
                      })},
                      {.backend = "inductor"});
  profile_.start();
  fn.call(mode_, {tensor({10, 10})}, profile_.recorder());
  profile_.stop();
  const std::vector<std::string> outside = around("inductor (dynamo_timed)");
  ASSERT_EQ(outside.size(), 3u);
  EXPECT_EQ(outside[0], "OutputGraph.call_user_compiler (dynamo_timed)");
  EXPECT_EQ(outside[2], "_compile.compile_inner (dynamo_timed)");
}

Value matmul_plus(Frame& frame, std::span<const Value> in) {
  return frame.call("aten::add.Tensor", {frame.call("aten::matmul", {in[0], in[1]}), in[2]});
}

TEST_F(DynamoProfilerTests, test_profile_dynamic_shapes_runtime) {
  CompiledFunction fn(compiler_, "fn", {"x", "y", "z"}, {stage(&matmul_plus)},
                      {.backend = "aot_eager", .dynamic = true, .fullgraph = true});
  const auto call = [&](int64_t a, int64_t b, int64_t c, EventRecorder* recorder) {
    return fn.call(mode_, {tensor({a, b}), tensor({b, c}), tensor({a, c})}, recorder);
  };
  call(15, 16, 17, nullptr);
  call(15, 15, 16, nullptr);
  Profile profile(mode_.context(), {.record = {.record_shapes = true}});
  profile.start();
  const std::vector<Value> result = call(16, 16, 16, profile.recorder());
  profile.stop();
  EXPECT_EQ(hint(result[0].tensor().size(0)), 16);
  const EventList events = profile.events();
  for (const FunctionEvent& event : events.events()) {
    if (event.name == "aten::mm") {
      EXPECT_EQ(shapes_text(event.input_shapes), "[[16, 16], [16, 16]]");
    }
  }
  // A compiled region replays what was traced when no profiler asks for its operators.
  EXPECT_EQ(call(16, 16, 16, nullptr)[0].tensor().sizes().size(), 2u);
}

TEST_F(DynamoProfilerTests, test_profile_dynamic_shapes_compilation) {
  CompiledFunction fn(compiler_, "fn", {"x", "y", "z"}, {stage(&matmul_plus)},
                      {.backend = "aot_eager", .dynamic = true, .fullgraph = true});
  profile_.start();
  fn.call(mode_, {tensor({15, 16}), tensor({16, 17}), tensor({15, 17})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("Torch-Compiled Region"),
            std::vector<std::string>{"Torch-Compiled Region: 0/0"});
  // AOTAutograd's graph has what the composite operator calls.
  EXPECT_TRUE(names_with("aten::matmul").empty());
  EXPECT_EQ(names_with("aten::mm").size(), 1u);
}

TEST_F(DynamoProfilerTests, test_profile_dynamic_shapes_list_compilation) {
  CompiledFunction fn(
      compiler_, "fn", {"x", "y", "z"}, {stage([](Frame& frame, std::span<const Value> in) {
        const Value list = frame.mode().context().make_list(in.first(2));
        return frame.call("aten::add.Tensor", {frame.call("aten::cat", {list, Value(0)}), in[2]});
      })},
      {.backend = "aot_eager", .dynamic = true, .fullgraph = true});
  profile_.start();
  fn.call(mode_, {tensor({4, 16}), tensor({12, 16}), tensor({16, 16})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("aten::cat").size(), 1u);
}

TEST_F(DynamoProfilerTests, test_execution_trace_dynamic_shapes) {
  CompiledFunction fn(compiler_, "fn", {"x", "y", "z"}, {stage(&matmul_plus)},
                      {.backend = "aot_eager", .dynamic = true});
  ExecutionTraceObserver observer(mode_.context());
  observer.start();
  fn.call(mode_, {tensor({4, 4}), tensor({4, 4}), tensor({4, 4})}, &observer.recorder());
  observer.stop();
  const nlohmann::json trace = nlohmann::json::parse(observer.text());
  EXPECT_EQ(trace["schema"], "1.1.1-chakra.0.0.4");
  std::vector<std::string> names;
  for (const auto& node : trace["nodes"]) names.push_back(node["name"]);
  EXPECT_NE(std::find(names.begin(), names.end(), "aten::mm"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "Torch-Compiled Region: 0/0"), names.end());
}

TEST_F(DynamoProfilerTests, test_profiler_cache_lookup) {
  CompiledFunction fn(
      compiler_, "fn", {"x"}, {stage([](Frame& frame, std::span<const Value> in) {
        const Value square = frame.call("aten::pow.Tensor_Scalar", {in[0], Value(2)});
        const Value sum = frame.call("aten::add.Tensor", {square, Value(2)});
        return frame.call("aten::pow.Tensor_Scalar", {sum, Value(3)});
      })},
      {.backend = "aot_eager"});
  const Value x = tensor({2, 2});
  fn.call(mode_, {x});
  profile_.start();
  const std::vector<Value> result = fn.call(mode_, {x}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(result[0].tensor().meta->sizes().size(), 2u);
  EXPECT_EQ(names_with("TorchDynamo Cache Lookup").size(), 1u);
}

TEST_F(DynamoProfilerTests, test_profiler_cache_lookup_profiler_step) {
  CompiledFunction fn(compiler_, "fn", {"x", "y", "z"},
                      {stage([](Frame& frame, std::span<const Value> in) {
                        return frame.call("aten::add.Tensor",
                                          {frame.call("aten::sub.Tensor", {in[0], in[1]}), in[2]});
                      })},
                      {.backend = "aot_eager"});
  const Value x = tensor({4, 4});
  Profile profile(mode_.context(),
                  {.schedule = Schedule({.wait = 2, .warmup = 2, .active = 2, .repeat = 1})});
  for (int i = 0; i < 10; ++i) {
    fn.call(mode_, {x, x, x}, profile.recorder());
    profile.step();
  }
  size_t lookups = 0;
  const EventList events = profile.events();
  for (const FunctionEvent& event : events.events())
    lookups += event.name == "TorchDynamo Cache Lookup" ? 1 : 0;
  EXPECT_EQ(lookups, 2u);  // one for each active step
}

// A function may go another way while it is profiled; what is traced is the way that it goes.
TEST_F(DynamoProfilerTests, test_profiler_enabled_export) {
  bool is_profiled = false;
  const auto make = [&](const std::string& name) {
    return CompiledFunction(
        compiler_, name, {"x"}, {stage([&](Frame& frame, std::span<const Value> in) {
          const Value sine = frame.call("aten::sin", {in[0]});
          return frame.call(is_profiled ? "aten::cos" : "aten::sigmoid", {sine});
        })});
  };
  CompiledFunction exported = make("mod");
  exported.call(mode_, {tensor({4})});
  profile_.start();
  is_profiled = profile_.recorder() != nullptr;
  CompiledFunction again = make("mod_again");
  again.call(mode_, {tensor({4})}, profile_.recorder());
  profile_.stop();
  EXPECT_TRUE(is_profiled);
  EXPECT_EQ(profile_.recorder(), nullptr);
  EXPECT_EQ(names_with("aten::cos").size(), 1u);
  EXPECT_TRUE(names_with("aten::sigmoid").empty());
}

TEST_F(DynamoProfilerTests, test_profiler_dynamo_compiled_region) {
  CompiledFunction fn(compiler_, "fn", {"x", "y"},
                      {{[](Frame& frame, std::span<const Value> in) {
                          const int64_t dims[] = {1};
                          const DimVector list = {SymInt(dims[0])};
                          return std::vector{
                              in[0], frame.call("aten::sum.dim_IntList",
                                                {in[1], frame.mode().context().make_ints(list)})};
                        },
                        "print"},
                       stage([](Frame& frame, std::span<const Value> in) {
                         return frame.call("aten::mul.Tensor", {in[0], in[1]});
                       })});
  profile_.start();
  fn.call(mode_, {tensor({10}), tensor({10, 10})}, profile_.recorder());
  fn.call(mode_, {tensor({10}), tensor({10, 15})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("Torch-Compiled"),
            (std::vector<std::string>{"Torch-Compiled Region: 0/0", "Torch-Compiled Region: 1/0",
                                      "Torch-Compiled Region: 0/1", "Torch-Compiled Region: 1/0"}));
}

TEST_F(DynamoProfilerTests, test_dynamo_preserve_record_func) {
  CompiledFunction fn(compiler_, "fn", {"x"}, {stage([](Frame& frame, std::span<const Value> in) {
                        Value value = in[0];
                        for (const auto& [name, op] : {std::pair("my_net1", "aten::sin"),
                                                       std::pair("my_cos", "aten::cos")}) {
                          const SpanScope span(frame.recorder(), name);
                          value = frame.call(op, {value});
                        }
                        const SpanScope span(frame.recorder(), "my_net2");
                        return frame.call("aten::add.Tensor", {value, Value(2)});
                      })},
                      {.backend = "aot_eager"});
  fn.call(mode_, {tensor({10})});
  profile_.start();
  fn.call(mode_, {tensor({10})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("my_"), (std::vector<std::string>{"my_net1", "my_cos", "my_net2"}));
}

Stage recorded_stage(std::string name, std::string op, std::string break_reason = {}) {
  return {[name, op](Frame& frame, std::span<const Value> in) {
            const SpanScope span(frame.recorder(), name);
            return std::vector{frame.call(op, in)};
          },
          std::move(break_reason)};
}

TEST_F(DynamoProfilerTests, test_dynamo_preserve_record_func_with_graph_break) {
  CompiledFunction fn(
      compiler_, "fn", {"x"},
      {recorded_stage("pre_graph_break", "aten::sin", "torch._dynamo.graph_break()"),
       recorded_stage("post_graph_break", "aten::cos")},
      {.backend = "aot_eager"});
  fn.call(mode_, {tensor({10})});
  profile_.start();
  fn.call(mode_, {tensor({10})}, profile_.recorder());
  profile_.stop();
  EXPECT_EQ(names_with("_graph_break"),
            (std::vector<std::string>{"pre_graph_break", "post_graph_break"}));
  EXPECT_EQ(names_with("Torch-Compiled").size(), 2u);  // two graphs
}

// A span around a graph break is one span around both regions.
TEST_F(DynamoProfilerTests, test_dynamo_preserve_record_func_spanning_graph_break) {
  CompiledFunction fn(compiler_, "fn", {"x"},
                      {recorded_stage("in_first", "aten::sin", "torch._dynamo.graph_break()"),
                       recorded_stage("in_second", "aten::cos")},
                      {.backend = "aot_eager"});
  fn.call(mode_, {tensor({10})});
  profile_.start();
  {
    const SpanScope span(profile_.recorder(), "spanning_context");
    fn.call(mode_, {tensor({10})}, profile_.recorder());
  }
  profile_.stop();
  EXPECT_EQ(names_with("spanning_context").size(), 1u);
  EXPECT_EQ(around("in_second").back(), "spanning_context");
}

}  // namespace
}  // namespace faketensor
