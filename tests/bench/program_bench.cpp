// Opening and propagating real programs: nanoseconds per node for each, and how many nodes were not
// answered (a figure counts only where that is none).
//
//   FAKETENSOR_BENCH_FILES=one.pt2:two.json.gz bench_faketensor --benchmark_filter=program
//
// Without files named: the example of the end-to-end tests.
#include <cstdlib>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "../unit/test_files.h"
#include "core/analysis/call_log.h"
#include "core/analysis/memory_timeline.h"
#include "core/io/open.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {
namespace {

Program open_file(const std::string& path) { return open_program(FileSource(path), path); }

void count_per_node(benchmark::State& state, size_t nodes) {
  using benchmark::Counter;
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["per_node"] =
      Counter(static_cast<double>(nodes), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void open(benchmark::State& state, const std::string& path) {
  size_t nodes = 0;
  for (auto _ : state) nodes = open_file(path).plan().size();
  count_per_node(state, nodes);
}

void propagate_under(benchmark::State& state, const std::string& path,
                     const PropagateOptions& options) {
  const Program program = open_file(path);
  size_t unanswered = 0;
  for (auto _ : state) {
    const Run run = propagate(program, options);
    unanswered = run.records().size() - run.count(NodeStatus::kOk);
  }
  count_per_node(state, program.plan().size());
  state.counters["unanswered"] = static_cast<double>(unanswered);
}

void propagate_opened(benchmark::State& state, const std::string& path) {
  propagate_under(state, path, {});
}

// On a GPU, where some operators are composed of more: what `retarget` is to be held against.
void propagate_moved(benchmark::State& state, const std::string& path) {
  PropagateOptions options;
  options.device = Device{DeviceType::kCUDA, 0};
  propagate_under(state, path, options);
}

// With another batch, dtype and device, as a new export would answer: `runs` propagations, of which
// those but the last found out what the file does not tell.
void retarget(benchmark::State& state, const std::string& path) {
  const Program program = open_file(path);
  RetargetOptions options;
  options.dims["batch"] = 8;
  options.dtype = DType::kBFloat16;
  options.device = Device{DeviceType::kCUDA, 0};
  size_t unanswered = 0;
  int runs = 0;
  for (auto _ : state) {
    const RetargetedRun answer = propagate_retargeted(program, options);
    unanswered = answer.run.records().size() - answer.run.count(NodeStatus::kOk);
    runs = answer.runs;
  }
  count_per_node(state, program.plan().size());
  state.counters["runs"] = runs;
  state.counters["unanswered"] = static_cast<double>(unanswered);
}

// What a propagation that logs its calls takes, and what the timeline of bytes takes after it.
void log_calls(benchmark::State& state, const std::string& path) {
  const Program program = open_file(path);
  for (auto _ : state) {
    CallLog log;
    PropagateOptions options;
    options.watcher = &log;
    const Run run = propagate(program, options);
    benchmark::DoNotOptimize(log.calls().size());
  }
  count_per_node(state, program.plan().size());
}

void memory_timeline(benchmark::State& state, const std::string& path) {
  const Program program = open_file(path);
  CallLog log;
  PropagateOptions options;
  options.watcher = &log;
  const Run run = propagate(program, options);
  for (auto _ : state) {
    const MemoryTimeline memory(run, log);
    benchmark::DoNotOptimize(memory.peak_row());
  }
  count_per_node(state, program.plan().size());
}

bool register_files() {
  const char* named = std::getenv("FAKETENSOR_BENCH_FILES");
  const std::string files = named != nullptr ? named : test_file("../e2e/files/classifier.pt2");
  std::string_view rest = files;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const std::string path(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    benchmark::RegisterBenchmark(("program/open/" + path).c_str(), open, path)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("program/propagate/" + path).c_str(), propagate_opened, path)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("program/propagate_moved/" + path).c_str(), propagate_moved, path)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("program/log_calls/" + path).c_str(), log_calls, path)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("program/memory_timeline/" + path).c_str(), memory_timeline, path)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("program/retarget/" + path).c_str(), retarget, path)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}

const bool kRegistered = register_files();

}  // namespace
}  // namespace faketensor
