// Layout of decoder-like programs: everything open, only the top open, and without modules. Read
// two neighbouring sizes of one name: time(2N) / time(N), also printed as `ratio`, must stay
// near 2.
#include <ctime>
#include <map>

#include <benchmark/benchmark.h>

#include "core/layout/graph_layout.h"

namespace {

using namespace faketensor::layout;

enum class Shape { kAllOpen, kCollapsed, kAllDifferent, kNoModules };

// Blocks of 14 rows in four modules with two residuals, and a mask that all blocks read.
struct Program {
  std::vector<uint32_t> starts{0}, inputs, modules, keys, parents{0}, expanded;
  std::vector<uint8_t> flags, widths, titles{3};

  Program(uint32_t rows, Shape shape) : flat(shape == Shape::kNoModules) {
    const uint32_t weight = row(0, {}, kRowFolded | kRowParameter), mask = row(0, {});
    uint32_t x = row(0, {});
    for (uint32_t block = 0; modules.size() < rows; ++block) {
      const uint32_t layer = module(0), attention = module(layer), mlp = module(layer);
      const uint32_t norm = row(layer, {x, weight});
      const uint32_t q = row(attention, {norm, weight}), k = row(attention, {norm, weight}),
                     v = row(attention, {norm, weight});
      const uint32_t scores = row(attention, {row(attention, {q, k}), mask});
      const uint32_t product = row(attention, {row(attention, {scores}), v});
      x = row(layer, {x, row(attention, {product, weight})});
      uint32_t hidden = row(mlp, {x, weight});
      // One layer in a program of different ones has a chain of its own length.
      const uint32_t extra = shape == Shape::kAllDifferent ? block % 97 : 0;
      for (uint32_t i = 0; i < extra; ++i) hidden = row(mlp, {hidden});
      x = row(layer, {x, row(mlp, {row(mlp, {hidden}), weight})});
    }
    if (shape != Shape::kCollapsed) {
      for (uint32_t i = 0; i < parents.size(); ++i) expanded.push_back(i);
    }
  }

  uint32_t module(uint32_t parent) {
    if (flat) return 0;
    parents.push_back(parent);
    titles.push_back(3);
    return static_cast<uint32_t>(parents.size() - 1);
  }

  uint32_t row(uint32_t module, std::initializer_list<uint32_t> reads, uint8_t flag = 0) {
    modules.push_back(module);
    inputs.insert(inputs.end(), reads);
    starts.push_back(static_cast<uint32_t>(inputs.size()));
    flags.push_back(flag);
    widths.push_back(static_cast<uint8_t>(modules.size() % 14 % 3));
    keys.push_back(static_cast<uint32_t>(reads.size()));
    return static_cast<uint32_t>(modules.size() - 1);
  }

  GraphInput input() const {
    return {starts, inputs, modules, flags, widths, keys, parents, titles, expanded};
  }

  bool flat;
};

void lay_out(benchmark::State& state, Shape shape) {
  static std::map<std::pair<Shape, int64_t>, double> seconds;
  const Program program(static_cast<uint32_t>(state.range(0)), shape);
  // Processor time: neighbours on the machine do not count.
  const std::clock_t begin = std::clock();
  for (auto _ : state) {
    const GraphLayout drawn = lay_out_graph(program.input());
    benchmark::DoNotOptimize(drawn.points.data());
    state.counters["boxes"] = static_cast<double>(drawn.boxes.size());
  }
  const double each = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC /
                      static_cast<double>(state.iterations());
  seconds[{shape, state.range(0)}] = each;
  const auto half = seconds.find({shape, state.range(0) / 2});
  if (half != seconds.end()) state.counters["ratio"] = each / half->second;
  state.counters["ns/row"] = each * 1e9 / static_cast<double>(state.range(0));
}

#define LAYOUT_BENCHMARK(name, shape)     \
  BENCHMARK_CAPTURE(lay_out, name, shape) \
      ->Arg(25'000)                       \
      ->Arg(50'000)                       \
      ->Arg(100'000)                      \
      ->Unit(benchmark::kMillisecond)
LAYOUT_BENCHMARK(all_open, Shape::kAllOpen);
LAYOUT_BENCHMARK(collapsed, Shape::kCollapsed);
LAYOUT_BENCHMARK(all_open_all_different, Shape::kAllDifferent);
LAYOUT_BENCHMARK(no_modules, Shape::kNoModules);

}  // namespace
