// Profile: what a user starts, steps and stops, and asks for events, tables and traces.
//
// Mirrors torch.profiler.profile (torch/profiler/profiler.py), whose actions follow from a
// schedule: each step() goes from the action of one step to that of the next, and where recording
// ends, `on_trace_ready` is called. Without a schedule everything between start() and stop() is one
// trace.
//
//   Profile profile(mode.context(), {.record = {.record_shapes = true}});
//   profile.start();
//   mode.call("aten::relu", {&x, 1});
//   profile.stop();
//   std::string text = table(profile.key_averages());
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/profiler/event_recorder.h"
#include "core/profiler/schedule.h"

namespace faketensor {

class Profile;

struct ProfileOptions {
  EventOptions record = {};
  Schedule schedule = {};
  std::function<void(Profile&)> on_trace_ready = {};
  Clock* clock = nullptr;  // null: the machine's steady clock
};

// The spans of a recorder as events: of operators with one child of the same name, one is left
// (EventList._remove_dup_nodes).
std::vector<FunctionEvent> function_events(const EventRecorder& recorder);

class Profile {
 public:
  explicit Profile(Context& context, ProfileOptions options = {});
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void start();
  // Raises AssertionError before start().
  void stop();
  // The next step of the loop begins.
  void step();
  // What start(), step() and stop() do in turn. start_trace() and stop_trace() raise AssertionError
  // before prepare_trace(), start_trace() RuntimeError while it records.
  void prepare_trace();
  void start_trace();
  void stop_trace();

  int64_t step_num() const { return step_num_; }
  ProfilerAction current_action() const { return action_; }
  // What PyTorch would warn of: schedules without warmup, or that give up what was recorded.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // The recorder while it records, else null: for spans (SpanScope).
  EventRecorder* recorder() const;

  // The last trace; empty while it is still recorded. Raises AssertionError where nothing was
  // prepared.
  EventList events() const { return trace("accessing events"); }
  AverageList key_averages(const GroupBy& group = {}) const {
    return trace("getting key averages").key_averages(group);
  }
  // The text of a Chrome trace (chrome_trace.h).
  std::string export_chrome_trace() const;
  // Raises AssertionError without with_stack (EventList::stacks).
  std::string export_stacks(std::string_view metric) const;

  // The bytes alive over time by category, as it is written to a file of that name
  // (memory_timeline_file): of the GPU unless there is none. Raises ValueError without record_shapes,
  // profile_memory and with_stack.
  std::string export_memory_timeline(std::string_view path,
                                     std::optional<Device> device = {}) const;

  // Members of the exported trace: the value as a text, or as JSON.
  void add_metadata(std::string_view key, std::string_view value);
  void add_metadata_json(std::string_view key, std::string_view json);

 private:
  struct Trace;
  void transit(ProfilerAction before, std::optional<ProfilerAction> after);
  void ready();
  void begin_step();
  void end_step();
  EventList trace(std::string_view purpose) const;

  Context& context_;
  ProfileOptions options_;
  SteadyClock steady_clock_;
  Clock& clock_;
  ProfilerAction action_;
  int64_t step_num_ = 0;
  std::unique_ptr<Trace> trace_;
  std::optional<size_t> step_span_;
  std::vector<std::string> warnings_;
  std::map<std::string, std::string> metadata_;  // as JSON
};

}  // namespace faketensor
