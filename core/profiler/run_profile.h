// RunProfile: a run of a program as a profile, in every form that there is of one.
//
// The program is propagated under a tracer (run_trace.h), on a device's target where one is given: then
// each kernel takes as long as the device's roofline says.
//
//   const RunProfile profile(program, options, device_named("h100"));
//   profile.chrome_trace("model.pt2"), table(profile.averages({.input_shape = true}))
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/program_costs.h"
#include "core/devices/device_model.h"
#include "core/profiler/clock.h"
#include "core/profiler/function_event.h"
#include "core/profiler/memory_export.h"
#include "core/profiler/table.h"

namespace faketensor {

class RunProfile {
 public:
  // The program must outlive this. `device`: one without hardware is a PyTorch alone, and simulates
  // nothing. `clock`: null for the steady one. Raises UsageError as propagate_retargeted does.
  RunProfile(const Program& program, RetargetOptions options, std::optional<DeviceModel> device,
             Clock* clock = nullptr);

  const Run& run() const { return answer_->run; }
  // Nodes and in them the operators that they call, in their order.
  const std::vector<FunctionEvent>& events() const { return events_; }
  bool is_simulated() const { return device_ && device_->hardware.has_value(); }
  // "NVIDIA H100 SXM"; empty where nothing is simulated.
  std::string device_name() const { return is_simulated() ? device_->title : std::string(); }
  // Of all kernels.
  int64_t device_ns() const;

  // By name: operators, and nodes, whose own names are keys.
  AverageList averages(const GroupBy& group) const;
  // `process`: what the trace calls the program.
  std::string chrome_trace(std::string_view process) const;
  // What export_memory_timeline writes (memory_export.h).
  std::vector<TimelineEvent> memory() const;

 private:
  std::optional<DeviceModel> device_;
  ProgramCosts costs_;
  std::optional<RetargetedRun> answer_;
  std::vector<FunctionEvent> events_;
};

}  // namespace faketensor
