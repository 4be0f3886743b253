// What is propagated again after an edit, and calls of a graph that was propagated already.
//
//   bench_faketensor --benchmark_filter='Edit|Subgraph'
#include <string>

#include <benchmark/benchmark.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/io/edited_program.h"
#include "core/io/open.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

std::string chain(int64_t count) {
  std::string text = "def forward(self, n0: \"f32[8, 8]\"):\n";
  for (int64_t i = 1; i <= count; ++i)
    text += format("    n{} = torch.ops.aten.sin.default(n{})\n", i, i - 1);
  return text + format("    return (n{},)\n", count);
}

// One node of many is edited, whose value stays what it was.
void EditOneNode(benchmark::State& state) {
  const std::string text = chain(state.range(0));
  EditedProgram edited(MemorySource(text), "chain");
  edited.propagate();
  Graph& graph = edited.graph();
  const NodeId middle = graph.order()[graph.order().size() / 2];
  bool is_cos = false;
  size_t run = 0;
  for (auto _ : state) {
    is_cos = !is_cos;
    graph.set_target(middle, is_cos ? "torch.ops.aten.cos.default" : "torch.ops.aten.sin.default");
    run = edited.propagate();
  }
  state.counters["run"] = static_cast<double>(run);
}
BENCHMARK(EditOneNode)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// All of them, for comparison.
void EditNothingKnown(benchmark::State& state) {
  const std::string text = chain(state.range(0));
  const Program program = open_program(MemorySource(text), "chain");
  for (auto _ : state) benchmark::DoNotOptimize(propagate(program).records().size());
}
BENCHMARK(EditNothingKnown)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// Layers that are calls of one graph of fifty nodes; the second argument is whether they are.
void SubgraphLayers(benchmark::State& state) {
  constexpr int kNodes = 50;
  const bool is_shared = state.range(1) != 0;
  std::string text =
      "class GraphModule(torch.nn.Module):\n    def forward(self, n0: \"f32[8, 8]\"):\n";
  std::string layers;
  for (int64_t i = 0; i < state.range(0); ++i) {
    const int64_t graph = is_shared ? 0 : i;
    text += format(
        "        g{} = self.layer{}\n        c{} = torch.ops.higher_order.invoke_subgraph(g{}, "
        "'l{}', "
        "n{})\n        n{} = c{}[0]\n",
        i, graph, i, i, graph, i, i + 1, i);
    if (graph != i || (is_shared && i > 0)) continue;
    layers += format(
        "\n    class layer{}(torch.nn.Module):\n        def forward(self, a0: \"f32[8, 8]\"):\n",
        i);
    for (int node = 1; node <= kNodes; ++node)
      layers += format("            a{} = torch.ops.aten.sin.default(a{})\n", node, node - 1);
    layers += format("            return (a{},)\n", kNodes);
  }
  text += format("        return (n{},)\n", state.range(0)) + layers;
  const Program program = open_program(MemorySource(text), "layers");
  for (auto _ : state) benchmark::DoNotOptimize(propagate(program).records().size());
}
BENCHMARK(SubgraphLayers)
    ->ArgNames({"layers", "shared"})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faketensor
