#include "core/profiler/run_profile.h"

#include "core/analysis/fit_devices.h"
#include "core/profiler/run_trace.h"

namespace faketensor {

namespace {

RetargetOptions options_for(RetargetOptions options, const std::optional<DeviceModel>& device) {
  return device && device->hardware ? options_on(options, *device) : options;
}

}  // namespace

RunProfile::RunProfile(const Program& program, RetargetOptions options,
                       std::optional<DeviceModel> device, Clock* clock)
    : device_(std::move(device)), costs_(program, options_for(options, device_)) {
  RunTracer tracer(clock, is_simulated() ? roofline_time(*device_->hardware) : DeviceTime());
  options = options_for(std::move(options), device_);
  options.watcher = &tracer;
  answer_.emplace(propagate_retargeted(program, options));
  const BranchScope env = run().shape_env();
  events_ = tracer.finish(run());
}

int64_t RunProfile::device_ns() const {
  int64_t sum = 0;
  for (const FunctionEvent& event : events_) sum += event.device_ns;
  return sum;
}

AverageList RunProfile::averages(const GroupBy& group) const {
  const TableColumns columns{.device_name = is_simulated() ? "CUDA" : ""};
  return EventList(events_, columns).key_averages(group);
}

std::string RunProfile::chrome_trace(std::string_view process) const {
  const BranchScope env = run().shape_env();
  return run_chrome_trace(run(), events_, costs_.memory(), device_name(), process);
}

std::vector<TimelineEvent> RunProfile::memory() const {
  return memory_events(costs_, events_, is_simulated());
}

}  // namespace faketensor
