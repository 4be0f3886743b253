// Events of an exported program's JSON, ours against nlohmann_json's. FAKETENSOR_BENCH_JSON names
// another file to read.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "core/formats/text.h"
#include "json_readers.h"

namespace faketensor {
namespace {

const std::string& input() {
  static const std::string kText = [] {
    const char* path = std::getenv("FAKETENSOR_BENCH_JSON");
    return path == nullptr ? program_like_json(10'000) : read_text(FileSource(path), {});
  }();
  return kText;
}

void JsonOurs(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::string text = input();
    text.reserve(text.size() + kTextPadding);
    state.ResumeTiming();
    benchmark::DoNotOptimize(read_with_ours(text));
  }
  state.SetBytesProcessed(static_cast<int64_t>(input().size()) * state.iterations());
}
BENCHMARK(JsonOurs)->Unit(benchmark::kMillisecond);

void JsonNlohmann(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(read_with_nlohmann(input()));
  state.SetBytesProcessed(static_cast<int64_t>(input().size()) * state.iterations());
}
BENCHMARK(JsonNlohmann)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace faketensor
