// One call of a common operator with concrete sizes, through FakeTensorMode's own call with the
// operator resolved before: arguments in, a new tensor out. The table in README.md is written from
// these.
#include <vector>

#include <benchmark/benchmark.h>

#include "core/mode/mode.h"

namespace faketensor {
namespace {

constexpr DType kFloat = DType::kFloat32;

// What is called in a loop; a mode is made anew now and then, so that its memory stays that of a
// model's size.
struct Calls {
  FakeTensorMode mode;
  OpId op = kNoOp;
  std::vector<Value> args;

  Value tensor(std::initializer_list<int64_t> sizes, DType dtype = kFloat) {
    DimVector dims;
    for (const int64_t size : sizes) dims.push_back(size);
    return mode.empty(dims, dtype);
  }
  Value ints(std::initializer_list<int64_t> values) {
    DimVector list;
    for (const int64_t value : values) list.push_back(value);
    return mode.context().make_ints(list);
  }
  Value list(std::initializer_list<Value> values) {
    return mode.context().make_list({values.begin(), values.size()});
  }
};

constexpr int kCallsPerMode = 4096;

template <typename Prepare>
void run(benchmark::State& state, const char* name, Prepare prepare) {
  const OpId op = Registry::builtin().find(name);
  while (state.KeepRunningBatch(kCallsPerMode)) {
    state.PauseTiming();
    auto calls = std::make_unique<Calls>();
    prepare(*calls);
    if (calls->mode.call(op, calls->args).error) state.SkipWithError("the operator raised");
    state.ResumeTiming();
    for (int i = 0; i < kCallsPerMode; ++i)
      benchmark::DoNotOptimize(calls->mode.call(op, calls->args).value);
    state.PauseTiming();
    calls.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations());
}

void add(benchmark::State& state) {
  run(state, "aten::add.Tensor", [](Calls& c) {
    c.args = {c.tensor({8, 128, 768}), c.tensor({8, 128, 768}), 1};
  });
}
BENCHMARK(add);

void add_broadcast(benchmark::State& state) {
  run(state, "aten::add.Tensor", [](Calls& c) {
    c.args = {c.tensor({8, 128, 768}), c.tensor({768}), 1};
  });
}
BENCHMARK(add_broadcast);

void mm(benchmark::State& state) {
  run(state, "aten::mm", [](Calls& c) { c.args = {c.tensor({128, 768}), c.tensor({768, 3072})}; });
}
BENCHMARK(mm);

void view(benchmark::State& state) {
  run(state, "aten::view", [](Calls& c) {
    c.args = {c.tensor({8, 128, 768}), c.ints({8, 128, 12, 64})};
  });
}
BENCHMARK(view);

void transpose(benchmark::State& state) {
  run(state, "aten::transpose.int", [](Calls& c) { c.args = {c.tensor({8, 128, 12, 64}), 1, 2}; });
}
BENCHMARK(transpose);

void conv2d(benchmark::State& state) {
  run(state, "aten::convolution", [](Calls& c) {
    c.args = {c.tensor({8, 64, 56, 56}),
              c.tensor({128, 64, 3, 3}),
              c.tensor({128}),
              c.ints({2, 2}),
              c.ints({1, 1}),
              c.ints({1, 1}),
              false,
              c.ints({0, 0}),
              1};
  });
}
BENCHMARK(conv2d);

void softmax(benchmark::State& state) {
  run(state, "aten::_softmax", [](Calls& c) { c.args = {c.tensor({8, 12, 128, 128}), -1, false}; });
}
BENCHMARK(softmax);

void cat(benchmark::State& state) {
  run(state, "aten::cat", [](Calls& c) {
    c.args = {c.list({c.tensor({8, 12, 1, 64}), c.tensor({8, 12, 127, 64})}), 2};
  });
}
BENCHMARK(cat);

void index(benchmark::State& state) {
  run(state, "aten::index.Tensor", [](Calls& c) {
    c.args = {c.tensor({1000, 768}), c.list({c.tensor({8, 128}, DType::kInt64)})};
  });
}
BENCHMARK(index);

}  // namespace
}  // namespace faketensor
