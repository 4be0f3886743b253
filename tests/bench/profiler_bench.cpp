// What a profile costs: calls of an operator without one, and with one that records names, or sizes
// too. The difference is the cost of an event.
#include <benchmark/benchmark.h>

#include "core/mode/mode.h"
#include "core/profiler/profile.h"

namespace faketensor {
namespace {

// Calls aten::relu and gives back what it made, so that memory does not grow.
void call_relu(benchmark::State& state, const EventOptions* record) {
  FakeTensorMode mode;
  const SymInt sizes[] = {64, 64};
  Tensor* const x = mode.context().empty(sizes, DType::kFloat32, Device{});
  const Value arg(x);
  const OpId relu = Registry::builtin().find("aten::relu");
  std::unique_ptr<Profile> profile;
  for (auto _ : state) {
    state.PauseTiming();
    profile.reset();
    Tensor* const kept[] = {x};
    mode.context().free_all_but(kept);
    if (record != nullptr) {
      profile = std::make_unique<Profile>(mode.context(), ProfileOptions{.record = *record});
      profile->start();
    }
    state.ResumeTiming();
    for (int i = 0; i < 10000; ++i) benchmark::DoNotOptimize(mode.context().call(relu, {&arg, 1}));
  }
  state.SetItemsProcessed(state.iterations() * 10000);
}

void profiler_off(benchmark::State& state) { call_relu(state, nullptr); }
void profiler_on(benchmark::State& state) {
  const EventOptions record;
  call_relu(state, &record);
}
void profiler_shapes(benchmark::State& state) {
  const EventOptions record{.record_shapes = true};
  call_relu(state, &record);
}
BENCHMARK(profiler_off);
BENCHMARK(profiler_on);
BENCHMARK(profiler_shapes);

}  // namespace
}  // namespace faketensor
