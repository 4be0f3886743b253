// A profile as a Chrome trace: what Perfetto and chrome://tracing open.
//
// The trace-event format with PyTorch's members and categories (`cpu_op`, `user_annotation`,
// `python_function` for modules, `kernel` for simulated device time), as
// prof.export_chrome_trace() writes it. Times are microseconds since the first event.
//
//   std::string json = chrome_trace(profile.events());
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/profiler/function_event.h"

namespace faketensor {

// A number over time: bytes alive, for example.
struct CounterSample {
  int64_t time_ns = 0;
  double value = 0;
};
struct CounterTrack {
  std::string name;  // "Memory (bytes)"
  bool is_device = false;
  std::vector<CounterSample> samples = {};
};

struct ChromeTraceOptions {
  std::map<std::string, std::string> metadata = {};  // members of the trace: name -> JSON
  bool record_shapes = false;
  // What simulated kernels run on, "NVIDIA H100"; empty: there is none, and no kernel is written.
  std::string device_name = {};
  std::vector<CounterTrack> counters = {};
  std::string process_name = "faketensor";
};

// When each event's own kernel begins, in nanoseconds since the first event: when the event does, or
// when the kernel before it has ended. -1 for one without a kernel.
std::vector<int64_t> kernel_starts(const std::vector<FunctionEvent>& events);

// Kernels of `events` run on stream 7 of device 0, one after the other: each begins when its
// operator does, or when the kernel before it has ended.
std::string chrome_trace(const EventList& events, const ChromeTraceOptions& options = {});

}  // namespace faketensor
