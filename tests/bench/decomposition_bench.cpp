// run_decompositions to core ATen: time per node of the program, and time(2N) / time(N), which is 2
// for what is linear. PyTorch's own is quadratic.
//
//   bench_faketensor --benchmark_filter=RunDecompositions
#include <algorithm>
#include <chrono>
#include <string>

#include <benchmark/benchmark.h>

#include "core/graph/graph_text.h"
#include "core/passes/decompose/run_decompositions.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// Layers of five nodes: a linear one and an activation, which are taken apart, and a write.
constexpr int64_t kNodesPerLayer = 5;

std::string layers(int64_t nodes) {
  std::string text =
      "graph():\n"
      "    %x : [num_users=1] = placeholder[target=x]\n"
      "    %w : [num_users=1] = placeholder[target=w]\n";
  std::string last = "x";
  const auto call = [&](std::string_view op, std::string_view name, std::string_view args) {
    text += format(
        "    %{} : [num_users=1] = call_function[target=torch.ops.aten.{}](args = ({}), kwargs = "
        "{})\n",
        name, op, args, "{}");
  };
  for (int64_t i = 0; i < nodes / kNodesPerLayer; ++i) {
    call("linear.default", format("linear_{}", i), format("%{}, %w", last));
    call("silu.default", format("silu_{}", i), format("%linear_{},", i));
    call("add_.Tensor", format("add__{}", i), format("%silu_{}, 1", i));
    call("transpose.int", format("transpose_{}", i), format("%add__{}, 0, 1", i));
    last = format("transpose_{}", i);
    call("t.default", format("t_{}", i), format("%{},", last));
    last = format("t_{}", i);
  }
  return text + format("    return ({},)", last);
}

double seconds_of(const std::string& text) {
  FakeTensorMode mode;
  Program program = read_graph_text(text);
  Graph& graph = program.graph();
  for (const NodeId id : graph.order()) {
    if (graph.node(id).kind != NodeKind::kPlaceholder) continue;
    graph.meta(id).val = mode.empty(DimVector{16, 16}, DType::kFloat32);
    program.inputs.emplace_back();
  }
  PassSubject subject{program, mode, &graph};
  const auto start = std::chrono::steady_clock::now();
  run_decompositions(subject, {});
  benchmark::DoNotOptimize(subject.graph->size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void RunDecompositions(benchmark::State& state) {
  const std::string once = layers(state.range(0));
  const std::string twice = layers(2 * state.range(0));
  double least_once = 1e9;
  double least_twice = 1e9;
  for (auto _ : state) {
    least_once = std::min(least_once, seconds_of(once));
    least_twice = std::min(least_twice, seconds_of(twice));
  }
  state.counters["ratio"] = least_twice / least_once;
  state.counters["ns_per_node"] = least_once * 1e9 / static_cast<double>(state.range(0));
}
BENCHMARK(RunDecompositions)
    ->Arg(10000)
    ->Arg(50000)
    ->Arg(100000)
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faketensor
