#include "core/profiler/run_trace.h"

#include "core/profiler/profile.h"
#include "core/support/format.h"

namespace faketensor {

DeviceTime roofline_time(const Hardware& hardware, const RooflineOptions& options) {
  return [hardware, options](const OpEntry& op, std::span<const Value> args, const Value& result) {
    constexpr double kNanoseconds = 1e9;
    const Work work = work_of(op, args, result);
    if (work.kind == WorkKind::kNone) return int64_t{0};
    return static_cast<int64_t>(time_of(work, hardware, options).seconds * kNanoseconds);
  };
}

RunTracer::RunTracer(Clock* clock, DeviceTime device_time)
    : recorder_(nullptr, clock == nullptr ? steady_clock_ : *clock,
                {.record_shapes = true, .with_flops = true}) {
  recorder_.set_device_time(std::move(device_time));
}

// A what-if may propagate more than once: the last run counts.
void RunTracer::begin_run() {
  recorder_.clear();
  rows_.clear();
  spans_.clear();
}

void RunTracer::finish_row() {
  if (!spans_.empty()) recorder_.end(spans_.back());
}

void RunTracer::begin_row(Row row) {
  finish_row();
  rows_.push_back(row);
  spans_.push_back(recorder_.begin({}, SpanKind::kSpan));
}

std::vector<FunctionEvent> RunTracer::finish(const Run& run) {
  finish_row();
  std::vector<FunctionEvent> events = function_events(recorder_);
  std::vector<bool> is_called(events.size(), false);
  for (const FunctionEvent& event : events) {
    if (event.parent >= 0) is_called[static_cast<size_t>(event.parent)] = true;
  }
  // Spans without an operator in them (placeholders, elements of tuples) are left out.
  std::vector<FunctionEvent> kept;
  std::vector<int64_t> places(events.size(), -1);
  size_t span = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    FunctionEvent& event = events[i];
    if (event.parent < 0) {
      const Row row = rows_[span++];
      if (!is_called[i]) continue;
      event.node = run.plan().name_of(row);
      event.name = event.trace_name = event.node;
      event.module_path = run.program().module_path(run.node(row));
    } else {
      event.parent = places[static_cast<size_t>(event.parent)];
    }
    places[i] = static_cast<int64_t>(kept.size());
    kept.push_back(std::move(event));
  }
  return kept;
}

namespace {

// When the kernels of each event have ended on a stream that runs one after the other.
std::vector<int64_t> ends_on_device(const std::vector<FunctionEvent>& events) {
  std::vector<int64_t> ends(events.size());
  int64_t free = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].device_ns > 0) free = std::max(free, events[i].start_ns) + events[i].device_ns;
    ends[i] = std::max(free, events[i].end_ns);
  }
  return ends;
}

}  // namespace

std::string run_chrome_trace(const Run& run, std::vector<FunctionEvent> events,
                             const MemoryTimeline& memory, std::string_view device,
                             std::string_view process) {
  CounterTrack bytes{.name = "Memory alive (bytes)", .is_device = !device.empty()};
  const std::vector<int64_t> ends = ends_on_device(events);
  int64_t total_ns = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    total_ns += events[i].device_ns;
    if (events[i].parent >= 0) continue;
    const Row row = run.program().find(events[i].node);
    if (row >= memory.rows().size()) continue;
    // Where the last kernel of the node has ended.
    size_t last = i;
    while (last + 1 < events.size() && events[last + 1].parent >= 0) ++last;
    const auto live = static_cast<double>(hint(memory.rows()[row].live).value_or(0));
    bytes.samples.push_back({device.empty() ? events[i].end_ns : ends[last], live});
  }
  ChromeTraceOptions options{.record_shapes = true, .device_name = std::string(device)};
  options.process_name = process;
  if (!bytes.samples.empty()) options.counters.push_back(std::move(bytes));
  if (!device.empty()) options.metadata["simulatedDeviceNanoseconds"] = format("{}", total_ns);
  return chrome_trace(EventList(std::move(events)), options);
}

}  // namespace faketensor
