// Symbolic sizes. StaticSizes against PlainIntegers shows what SymInt costs where nothing is
// symbolic (it must be near 1); the others are per operation, and must not grow with the number of
// guards or symbols.
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
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

// Sizes of 4096 stacked convolutions of one symbol, each decided on as a layer does.
void StackedLayers(benchmark::State& state) {
  for (auto _ : state) {
    ShapeEnv env;
    SymInt size = env.create_backed("s0", 1 << 20, ValueRange::ints(8, kIntInfinity));
    for (int64_t i = 0; i < state.range(0); ++i) {
      size = floor_div(size + 2 * (i % 3) - 1, 1 + (i % 2)) + 1;
      benchmark::DoNotOptimize(guard_or_false(size == 1));
      if (i % 2 != 0) size = size * 2;
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StackedLayers)->Arg(1024)->Arg(2048)->Arg(4096)->Unit(benchmark::kMillisecond);

// time(2N) / time(N), which is 2 for what is linear: guards, symbols and layers. Of processor time,
// the least of several.
void Growth(benchmark::State& state, void (*measured)(ShapeEnv&, int64_t), int64_t count) {
  const auto least = [&](double& known, int64_t n) {
    ShapeEnv env;
    const std::clock_t start = std::clock();
    measured(env, n);
    known = std::min(known, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  };
  double once = HUGE_VAL;
  double twice = HUGE_VAL;
  for (auto _ : state) {
    least(once, count / 2);
    least(twice, count);
  }
  state.counters["time(2N)/time(N)"] = twice / once;
  state.counters["ns_each"] = twice / static_cast<double>(count) * 1e9;
}

void add_guards(ShapeEnv& env, int64_t count) {
  const SymInt s0 = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
  const SymInt s1 = env.create_backed("s1", 64, ValueRange::ints(2, kIntInfinity));
  for (int64_t i = 0; i < count; ++i) guard_bool(s0 * i + 3 < s1 * s1 * (i + 7));
}
void add_symbols(ShapeEnv& env, int64_t count) {
  const SymInt first = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
  for (int64_t i = 1; i < count; ++i) {
    const SymInt next =
        env.create_backed("s" + std::to_string(i), 64, ValueRange::ints(2, kIntInfinity));
    guard_bool(next == first);
  }
}
void stack_layers(ShapeEnv& env, int64_t count) {
  SymInt size = env.create_backed("s0", 1 << 20, ValueRange::ints(8, kIntInfinity));
  for (int64_t i = 0; i < count; ++i) size = floor_div(size + i % 3, 1 + i % 2) * (1 + i % 2) + 1;
}
// Sizes of as many inputs, named as PyTorch names them.
void add_inputs(ShapeEnv& env, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    env.create_symbol(64 + i, Source::local("x" + std::to_string(i)).size(0), DimDynamic::kDynamic);
}
// Guards that are asked again, each time of another size.
void repeat_guards(ShapeEnv& env, int64_t count) {
  const SymInt s0 = env.create_backed("s0", 64, ValueRange::ints(2, kIntInfinity));
  const SymInt s1 = env.create_backed("s1", 64, ValueRange::ints(2, kIntInfinity));
  for (int64_t i = 0; i < count; ++i) guard_bool(s0 * (i % 16) + 3 < s1 * s1 * (i % 16 + 7));
}
// Each symbol is the one before and 1, known by a check.
void chain_symbols(ShapeEnv& env, int64_t count) {
  SymInt last = env.create_unbacked_int();
  for (int64_t i = 1; i < count; ++i) {
    const SymInt next = env.create_unbacked_int();
    expect_true(next == last + 1);
    last = next;
  }
}
// Layers whose sizes nest: beyond a depth they are opaque.
void nest_layers(ShapeEnv& env, int64_t count) {
  SymInt size = env.create_backed("s0", 1 << 20, ValueRange::ints(8, kIntInfinity));
  for (int64_t i = 0; i < count; ++i) {
    size = floor_div(size * 3 + 1, 3 + i % 2) + 1;
    benchmark::DoNotOptimize(guard_or_false(size == 1));
  }
}
BENCHMARK_CAPTURE(Growth, of_10000_guards, add_guards, 10'000)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_10000_repeated_guards, repeat_guards, 10'000)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_10000_symbols, add_symbols, 10'000)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_10000_inputs, add_inputs, 10'000)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_10000_chained_symbols, chain_symbols, 10'000)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_4096_layers, stack_layers, 4096)->Iterations(5);
BENCHMARK_CAPTURE(Growth, of_4096_nested_layers, nest_layers, 4096)->Iterations(5);

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
