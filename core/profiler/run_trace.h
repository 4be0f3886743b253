// RunTrace: one propagation of a program as a profile.
//
// A span per node with the engine's measured time, in it the operators that the node calls, each
// with the sizes that it was given; modules as spans around their nodes; and the bytes alive as a
// counter. Where the time of a call on a device is known, kernels of that length run on a stream of
// their own: a trace of a model that never ran.
//
//   RunTracer tracer(nullptr, roofline_time(*device.hardware));
//   options.watcher = &tracer;
//   const RetargetedRun answer = propagate_retargeted(program, options);
//   std::string json = run_chrome_trace(tracer.finish(answer.run), memory, "NVIDIA H100");
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/memory_timeline.h"
#include "core/analysis/roofline.h"
#include "core/profiler/chrome_trace.h"
#include "core/profiler/event_recorder.h"

namespace faketensor {

// The time of each call on a device by its roofline (roofline.h): what launches no kernel takes none.
DeviceTime roofline_time(const Hardware& hardware, const RooflineOptions& options = {});

class RunTracer final : public RunWatcher {
 public:
  explicit RunTracer(Clock* clock = nullptr, DeviceTime device_time = {});

  void begin_run() override;
  void begin_row(Row row) override;
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    return recorder_.dispatch(op, args, next);
  }

  // Ends the last row and gives the events: of each node that calls something a span, whose `node`
  // and module path are the graph's. In a scope of the run's symbols (Run::shape_env).
  std::vector<FunctionEvent> finish(const Run& run);

 private:
  void finish_row();

  SteadyClock steady_clock_;
  EventRecorder recorder_;
  std::vector<Row> rows_;      // of the spans of rows, in their order
  std::vector<size_t> spans_;  // their numbers
};

// The events with a counter of the bytes alive after each node. `device`: what the kernels run on;
// empty: none. `process`: what the trace calls the program.
std::string run_chrome_trace(const Run& run, std::vector<FunctionEvent> events,
                             const MemoryTimeline& memory, std::string_view device,
                             std::string_view process);

}  // namespace faketensor
