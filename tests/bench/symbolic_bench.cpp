// Symbolic sizes. StaticSizes against PlainIntegers shows what SymInt costs where nothing is
// symbolic (it must be near 1); the others are per operation, and must not grow with the number of
// guards or symbols.
#include <array>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

constexpr size_t kSizes = 1024;

template <typename Int>
std::vector<Int> sizes() {
  std::vector<Int> out;
  for (size_t i = 0; i < kSizes; ++i) out.push_back(Int(static_cast<int64_t>(i % 61 + 1)));
  return out;
}

// The arithmetic of a convolution's output size.
void PlainIntegers(benchmark::State& state) {
  const std::vector<int64_t> in = sizes<int64_t>();
  for (auto _ : state) {
    int64_t sum = 0;
    for (const int64_t size : in) sum += (size * 4 + 2) / 3 + 1;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSizes));
}
BENCHMARK(PlainIntegers);

void StaticSizes(benchmark::State& state) {
  const std::vector<SymInt> in = sizes<SymInt>();
  for (auto _ : state) {
    SymInt sum = 0;
    for (const SymInt size : in) sum += floor_div(size * 4 + 2, 3) + 1;
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSizes));
}
BENCHMARK(StaticSizes);

void StaticConditions(benchmark::State& state) {
  const std::vector<SymInt> in = sizes<SymInt>();
  for (auto _ : state) {
    int64_t count = 0;
    for (const SymInt size : in) count += guard_or_false(size == 1) ? 1 : 0;
    benchmark::DoNotOptimize(count);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kSizes));
}
BENCHMARK(StaticConditions);

// The same expression again: hash-consed look-ups only.
void SymbolicArithmetic(benchmark::State& state) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
  for (auto _ : state) benchmark::DoNotOptimize(floor_div(s0 * 4 + 2, 3) + 1);
}
BENCHMARK(SymbolicArithmetic);

void ConditionKnownByRange(benchmark::State& state) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
  for (auto _ : state) benchmark::DoNotOptimize(guard_or_false(s0 * 2 == 1));
}
BENCHMARK(ConditionKnownByRange);

// Distinct guards in one environment.
void NewGuards(benchmark::State& state) {
  for (auto _ : state) {
    ShapeEnv env;
    const SymInt s0 = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
    const SymInt s1 = env.create_backed("s1", 64, ValueRange::ints(2, kIntInfinity));
    for (int64_t i = 0; i < state.range(0); ++i)
      benchmark::DoNotOptimize(guard_bool(s0 * i + 3 < s1 * s1 * (i + 7)));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(NewGuards)->Arg(1000)->Arg(2000)->Arg(4000)->Unit(benchmark::kMillisecond);

// One symbol per input, each equal to the first.
void ManySymbols(benchmark::State& state) {
  for (auto _ : state) {
    ShapeEnv env;
    const SymInt first = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
    for (int64_t i = 1; i < state.range(0); ++i) {
      const SymInt next =
          env.create_backed("s" + std::to_string(i), 64, ValueRange::ints(2, kIntInfinity));
      benchmark::DoNotOptimize(guard_bool(next == first));
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ManySymbols)->Arg(2500)->Arg(5000)->Arg(10000)->Unit(benchmark::kMillisecond);

void ParseExpression(benchmark::State& state) {
  constexpr std::string_view kText =
      "Add(Mul(Integer(50176), FloorDiv(Add(Symbol('s53', positive=True, integer=True), "
      "Integer(-1)), Integer(4))), "
      "Integer(50176))";
  ExprPool pool;
  for (auto _ : state) benchmark::DoNotOptimize(parse_expr(pool, kText));
}
BENCHMARK(ParseExpression);

}  // namespace
}  // namespace faketensor
