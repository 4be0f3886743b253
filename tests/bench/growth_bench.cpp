// time(2N) / time(N) of opening and propagating programs whose inputs each have a symbol of their
// own: what is linear doubles. A cat of them all is one size of N terms.
//
//   bench_faketensor --benchmark_filter=ProgramOfManySymbols
#include <algorithm>
#include <chrono>
#include <string>

#include <benchmark/benchmark.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/io/open.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// The JSON of a program of `count` inputs [s0, 4], [s1, 4], ... that are joined.
std::string many_symbols(int64_t count) {
  std::string names, specs, values, ranges;
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view comma = i == 0 ? "" : ",";
    names += format("{}{\"name\":\"x{}\"}", comma, i);
    specs += format("{}{\"user_input\":{\"arg\":{\"as_tensor\":{\"name\":\"x{}\"}}}}", comma, i);
    values += format(
        "{}\"x{}\":{\"dtype\":7,\"sizes\":[{\"as_expr\":{\"expr_str\":\"Symbol('s{}', "
        "positive=True, integer=True)\",\"hint\":{\"as_int\":3}}},{\"as_int\":4}],"
        "\"requires_grad\":false,\"device\":{\"type\":\"cpu\"},\"strides\":[{\"as_int\":4},"
        "{\"as_int\":1}],\"storage_offset\":{\"as_int\":0},\"layout\":7}",
        comma, i, i);
    ranges += format("{}\"s{}\":{\"min_val\":2,\"max_val\":null}", comma, i);
  }
  std::string inputs;
  for (int64_t i = 0; i < count; ++i)
    inputs += format("{}{\"as_tensor\":{\"name\":\"x{}\"}}", i == 0 ? "" : ",", i);
  return R"({"graph_module":{"graph":{"inputs":[)" + inputs +
         R"(],"outputs":[{"as_tensor":{"name":"cat"}}],"nodes":[{"target":"torch.ops.aten.cat.default",)"
         R"("inputs":[{"name":"tensors","arg":{"as_tensors":[)" +
         names +
         R"(]}}],"outputs":[{"as_tensor":{"name":"cat"}}],"metadata":{}}],"tensor_values":{)" +
         values + R"(},"sym_int_values":{},"sym_bool_values":{}},"signature":{"input_specs":[)" +
         specs +
         R"(],"output_specs":[{"user_output":{"arg":{"as_tensor":{"name":"cat"}}}}]},)"
         R"("module_call_graph":[]},"range_constraints":{)" +
         ranges + R"(},"schema_version":{"major":8,"minor":20}})";
}

double seconds_to_propagate(const std::string& json) {
  const auto start = std::chrono::steady_clock::now();
  const Program program = open_program(MemorySource(json), "many.json");
  const Run run = propagate(program);
  benchmark::DoNotOptimize(run.records().back().status);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void ProgramOfManySymbols(benchmark::State& state) {
  const std::string once = many_symbols(state.range(0));
  const std::string twice = many_symbols(2 * state.range(0));
  double least_once = 1e9;
  double least_twice = 1e9;
  for (auto _ : state) {
    least_once = std::min(least_once, seconds_to_propagate(once));
    least_twice = std::min(least_twice, seconds_to_propagate(twice));
  }
  state.counters["ratio"] = least_twice / least_once;
}
BENCHMARK(ProgramOfManySymbols)->Arg(4000)->Iterations(5)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faketensor
