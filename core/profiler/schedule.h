// Schedule: what a profile does in each step of a training or inference loop.
//
// Mirrors torch.profiler.schedule and ProfilerAction (torch/profiler/profiler.py). After
// `skip_first` steps, cycles of `wait` steps without, `warmup` steps that are not kept and `active`
// steps that are recorded; `repeat` cycles, or without end where it is 0.
//
//   const Schedule schedule({.wait = 1, .warmup = 1, .active = 2, .repeat = 1});
//   schedule.action(3);   // ProfilerAction::kRecordAndSave
#pragma once

#include <cstdint>
#include <string_view>

namespace faketensor {

enum class ProfilerAction : uint8_t { kNone, kWarmup, kRecord, kRecordAndSave };

// "RECORD_AND_SAVE"
std::string_view name(ProfilerAction action);

struct ScheduleOptions {
  int64_t wait = 0;
  int64_t warmup = 0;
  int64_t active = 1;
  int64_t repeat = 0;
  int64_t skip_first = 0;
  int64_t skip_first_wait = 0;  // not 0: the first cycle does not wait
};

class Schedule {
 public:
  // What a profile without a schedule does: it records every step.
  Schedule() = default;
  // Raises AssertionError for a negative number of steps, and for no active one.
  explicit Schedule(const ScheduleOptions& options);

  // Raises AssertionError for a negative step.
  ProfilerAction action(int64_t step) const;

  // Whether the steps of the loop are recorded as spans: a profile without a schedule records none.
  bool has_steps() const { return has_steps_; }
  // "Profiler won't be using warmup, ..." where there is no warmup; empty otherwise.
  std::string_view warning() const;

 private:
  ScheduleOptions options_;
  bool has_steps_ = false;
};

}  // namespace faketensor
