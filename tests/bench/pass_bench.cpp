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

// Two products of one value, and what is made of them.
std::string twins(int64_t nodes) {
  std::string text =
      "graph():\n"
      "    %x : [num_users=1] = placeholder[target=x]\n"
      "    %w : [num_users=1] = placeholder[target=w]\n";
  std::string last = "x";
  for (int64_t i = 0; i < nodes / 4; ++i) {
    const auto call = [&](std::string_view op, std::string_view args) {
      text += format(
          "    %{}_{} : [num_users=1] = call_function[target=torch.ops.aten.{}](args = ({}), "
          "kwargs = {})\n",
          op.substr(0, op.find('.')), i, op, args, "{}");
    };
    call("mm.default", format("%{}, %w", last));
    call("matmul.default", format("%{}, %w", last));
    call("add.Tensor", format("%mm_{}, %matmul_{}", i, i));
    call("relu.default", format("%add_{},", i));
    last = format("relu_{}", i);
  }
  return text + format("    return ({},)", last);
}

// Pairs of nodes that nothing connects but what is made of them all.
std::string strangers(int64_t nodes) {
  std::string text = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n";
  std::string last = "x";
  for (int64_t i = 0; i < nodes / 6; ++i) {
    const auto call = [&](std::string_view op, std::string_view args) {
      text += format(
          "    %{}_{} : [num_users=1] = call_function[target=torch.ops.aten.{}](args = ({}), "
          "kwargs "
          "= {})\n",
          op.substr(0, op.find('.')), i, op, args, "{}");
    };
    call("neg.default", "%x,");
    call("abs.default", "%x,");
    call("sin.default", format("%neg_{},", i));
    call("cos.default", format("%abs_{},", i));
    call("mul.Tensor", format("%sin_{}, %cos_{}", i, i));
    call("add.Tensor", format("%mul_{}, %{}", i, last));
    last = format("add_{}", i);
  }
  return text + format("    return ({},)", last);
}

struct PassCase {
  const char* name;  // of the benchmark; the pass, where `pass` is empty
  const char* pass = "";
  std::string (*text)(int64_t nodes) = &groups;
  GraphPattern pattern = {};
  bool has_modules = false;

  std::string_view pass_name() const { return *pass == '\0' ? name : pass; }
};

// A module for each group of nodes.
void set_modules(Program& program) {
  int64_t place = 0;
  Graph& graph = program.graph();
  for (const NodeId id : graph.order()) {
    const int64_t layer = place++ / kNodesPerGroup;
    graph.meta(id).module_stack = program.strings().intern(
        format(",,Net;layers.{},layers.{},Layer;layers.{}.part,layers.{}.part,Part", layer, layer,
               layer, layer));
  }
}

double seconds_of(const std::string& text, const PassCase& of) {
  FakeTensorMode mode;
  Program program = read_graph_text(text);
  Graph& graph = program.graph();
  for (const NodeId id : graph.order()) {
    if (graph.node(id).kind != NodeKind::kPlaceholder) continue;
    graph.meta(id).val = mode.empty(DimVector{16, 16}, DType::kFloat32);
    program.inputs.emplace_back();
  }
  program.outputs.emplace_back();
  if (of.has_modules) set_modules(program);
  PassSubject subject{program, mode, &graph};
  const std::string_view pass = of.pass_name();
  PassOptions options = read_pass_argument(pass);
  options.pattern = of.pattern;
  const auto start = std::chrono::steady_clock::now();
  find_pass(pass)->run(subject, options);
  benchmark::DoNotOptimize(subject.graph->size());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run_pass(benchmark::State& state, const PassCase& of) {
  const std::string once = of.text(state.range(0));
  const std::string twice = of.text(2 * state.range(0));
  double least_once = 1e9;
  double least_twice = 1e9;
  for (auto _ : state) {
    least_once = std::min(least_once, seconds_of(once, of));
    least_twice = std::min(least_twice, seconds_of(twice, of));
  }
  state.counters["ratio"] = least_twice / least_once;
  state.counters["ns_per_node"] = least_once * 1e9 / static_cast<double>(state.range(0));
}

const PassCase kCases[] = {
    {"replace_set_grad_with_hop"},
    {"replace_autocast_with_hop"},
    {.name = "replace_pattern",
     .pattern = {"def forward(self, a, b):\n    y = torch.ops.aten.add.Tensor(a, b)\n"
                 "    return torch.ops.aten.sigmoid.default(y)\n",
                 "def forward(self, a, b):\n    return torch.ops.aten.logaddexp.default(a, b)\n"}},
    {.name = "replace_pattern/twins",
     .pass = "replace_pattern",
     .text = &twins,
     .pattern = {"def forward(self, x, a, b):\n    q = torch.ops.aten.mm.default(x, a)\n"
                 "    k = torch.ops.aten.matmul.default(x, b)\n    return (q, k)\n",
                 "def forward(self, x, a, b):\n    q = torch.ops.aten.matmul.default(x, a)\n"
                 "    k = torch.ops.aten.mm.default(x, b)\n    return (q, k)\n"}},
    {.name = "replace_pattern/strangers",
     .pass = "replace_pattern",
     .text = &strangers,
     .pattern = {"def forward(self, x, y):\n    a = torch.ops.aten.sin.default(x)\n"
                 "    b = torch.ops.aten.cos.default(y)\n    return (a, b)\n",
                 "def forward(self, x, y):\n    a = torch.ops.aten.tan.default(x)\n"
                 "    b = torch.ops.aten.exp.default(y)\n    return (a, b)\n"}},
    {"functionalize"},
    {"functionalize/copy_back"},
    {"convert_dtype/bfloat16"},
    {"cse"},
    {"dce"},
    // An export pass refuses switches of the grad mode, as PyTorch's does.
    {.name = "export_pass/aten.relu.default=aten.gelu.default", .text = &twins},
    {"move_to_device/cuda:0"},
    {"legalize_graph"},
    {"remove_runtime_assertions"},
    {"partitioner/aten.relu.default+aten.mul.Tensor"},
    {"split_module/2"},
    {"split_by_tags/2"},
    {.name = "unflatten", .has_modules = true},
    {"unlift"},
};

const bool kAreRegistered = [] {
  for (const PassCase& of : kCases) {
    benchmark::RegisterBenchmark(format("Pass/{}", of.name).c_str(),
                                 [&of](benchmark::State& state) { run_pass(state, of); })
        ->Arg(1000)
        ->Arg(10000)
        ->Arg(50000)
        ->Arg(100000)
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace faketensor
