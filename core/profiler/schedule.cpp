#include "core/profiler/schedule.h"

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

std::string_view name(ProfilerAction action) {
  constexpr std::string_view kNames[] = {"NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"};
  return kNames[static_cast<size_t>(action)];
}

Schedule::Schedule(const ScheduleOptions& options) : options_(options), has_steps_(true) {
  const bool is_valid = options.wait >= 0 && options.warmup >= 0 && options.active > 0 &&
                        options.repeat >= 0 && options.skip_first >= 0;
  if (is_valid) return;
  throw_error(
      ErrorKind::kAssertionError,
      format("Invalid profiler schedule arguments. Got wait={} (need >= 0), warmup={} "
             "(need >= 0), active={} (need > 0), repeat={} (need >= 0), skip_first={} "
             "(need >= 0).",
             options.wait, options.warmup, options.active, options.repeat, options.skip_first));
}

ProfilerAction Schedule::action(int64_t step) const {
  if (step < 0)
    throw_error(ErrorKind::kAssertionError, format("Step must be non-negative. Got {}.", step));
  if (!has_steps_) return ProfilerAction::kRecord;
  if (step < options_.skip_first) return ProfilerAction::kNone;
  step -= options_.skip_first;
  if (options_.skip_first_wait != 0) step += options_.wait;
  const int64_t cycle = options_.wait + options_.warmup + options_.active;
  if (options_.repeat > 0 && step / cycle >= options_.repeat) return ProfilerAction::kNone;
  const int64_t place = step % cycle;
  if (place < options_.wait) return ProfilerAction::kNone;
  if (place < options_.wait + options_.warmup) return ProfilerAction::kWarmup;
  return place == cycle - 1 ? ProfilerAction::kRecordAndSave : ProfilerAction::kRecord;
}

std::string_view Schedule::warning() const {
  if (!has_steps_ || options_.warmup != 0) return {};
  return "Profiler won't be using warmup, this can skew profiler results";
}

}  // namespace faketensor
