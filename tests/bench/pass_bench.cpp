// Passes on programs to 200,000 nodes: time per node, and time(2N) / time(N), which is 2 for what is
// linear.
//
//   bench_faketensor --benchmark_filter=Pass/
#include <algorithm>
#include <chrono>
#include <string>

#include <benchmark/benchmark.h>

#include "core/graph/graph_text.h"
#include "core/passes/pass.h"
#include "core/passes/program_values.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// Groups of ten nodes, among them a region without gradients and one of autocast.
constexpr int64_t kNodesPerGroup = 10;

std::string groups(int64_t nodes) {
  std::string text =
      "graph():\n"
      "    %x : [num_users=1] = placeholder[target=x]\n";
  std::string last = "x";
  const auto call = [&](std::string_view target, std::string_view name, std::string_view args) {
    text += format("    %{} : [num_users=1] = call_function[target={}](args = ({}), kwargs = {})\n",
                   name, target, args, "{}");
  };
  constexpr std::string_view kGrad = "torch._C._set_grad_enabled";
  for (int64_t i = 0; i < nodes / kNodesPerGroup; ++i) {
    call("torch.ops.aten.relu.default", format("relu_{}", i), format("%{},", last));
    call(kGrad, format("off_{}", i), "False,");
    call("torch.ops.aten.mul.Tensor", format("mul_{}", i), format("%relu_{}, 2", i));
    call("torch.ops.aten.add_.Tensor", format("add_{}", i), format("%mul_{}, %{}", i, last));
    call(kGrad, format("on_{}", i), "True,");
    call("torch.amp.autocast_mode._enter_autocast", format("enter_{}", i),
         "cpu, torch.bfloat16, True, False");
    call("torch.ops.aten.matmul.default", format("matmul_{}", i), format("%add_{}, %add_{}", i, i));
    call("torch.ops.aten.add.Tensor", format("sum_{}", i), format("%matmul_{}, %relu_{}", i, i));
    call("torch.amp.autocast_mode._exit_autocast", format("exit_{}", i), format("%enter_{},", i));
    call("torch.ops.aten.sigmoid.default", format("sigmoid_{}", i), format("%sum_{},", i));
    last = format("sigmoid_{}", i);
  }
  return text + format("    return ({},)", last);
}

double seconds_of(const std::string& text, std::string_view pass) {
  FakeTensorMode mode;
  Program program = read_graph_text(text);
  Graph& graph = program.graph();
  graph.meta(graph.first()).val = mode.empty(DimVector{16, 16}, DType::kFloat32);
  program.inputs.emplace_back();
  program.outputs.emplace_back();
  PassSubject subject{program, mode, &graph};
  PassOptions options = read_pass_argument(pass);
  options.pattern = {
      "def forward(self, a, b):\n    y = torch.ops.aten.add.Tensor(a, b)\n"
      "    return torch.ops.aten.sigmoid.default(y)\n",
      "def forward(self, a, b):\n    return torch.ops.aten.logaddexp.default(a, b)\n"};
  const auto start = std::chrono::steady_clock::now();
  find_pass(pass)->run(subject, options);
  benchmark::DoNotOptimize(subject.graph->size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_pass(benchmark::State& state, std::string_view pass) {
  const std::string once = groups(state.range(0));
  const std::string twice = groups(2 * state.range(0));
  double least_once = 1e9;
  double least_twice = 1e9;
  for (auto _ : state) {
    least_once = std::min(least_once, seconds_of(once, pass));
    least_twice = std::min(least_twice, seconds_of(twice, pass));
  }
  state.counters["ratio"] = least_twice / least_once;
  state.counters["ns_per_node"] = least_once * 1e9 / static_cast<double>(state.range(0));
}

const bool kAreRegistered = [] {
  for (const char* pass : {"replace_set_grad_with_hop", "replace_autocast_with_hop",
                           "replace_pattern", "functionalize", "functionalize/copy_back",
                           "convert_dtype/bfloat16", "cse", "split_module/2", "split_by_tags/2"}) {
    benchmark::RegisterBenchmark(format("Pass/{}", pass).c_str(),
                                 [pass](benchmark::State& state) { run_pass(state, pass); })
        ->Arg(10000)
        ->Arg(100000)
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace faketensor
