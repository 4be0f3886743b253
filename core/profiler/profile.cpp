#include "core/profiler/profile.h"

#include "core/formats/json_writer.h"
#include "core/profiler/chrome_trace.h"
#include "core/profiler/memory_export.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

// One recording: prepared, running, finished.
struct Profile::Trace {
  Trace(Context& context, Clock& clock, const EventOptions& options)
      : recorder(&context, clock, options) {}

  EventRecorder recorder;
  std::optional<ModeScope> scope;
  bool is_finished = false;
};

Profile::Profile(Context& context, ProfileOptions options)
    : context_(context),
      options_(std::move(options)),
      clock_(options_.clock == nullptr ? steady_clock_ : *options_.clock),
      action_(options_.schedule.action(0)) {
  options_.record.record_shapes |= options_.record.with_flops;  // which are counted from them
  if (const std::string_view warning = options_.schedule.warning(); !warning.empty())
    warnings_.emplace_back(warning);
}

Profile::~Profile() = default;

// One recorder for all traces: spans that are open from one to the next end in it.
void Profile::prepare_trace() {
  if (trace_ == nullptr) trace_ = std::make_unique<Trace>(context_, clock_, options_.record);
  trace_->scope.reset();
  trace_->recorder.clear();
  trace_->is_finished = false;
}

void Profile::start_trace() {
  if (trace_ == nullptr)
    throw_error(ErrorKind::kAssertionError, "Profiler must be initialized before starting trace");
  if (trace_->scope)
    throw_error(ErrorKind::kRuntimeError, "Profiler is already enabled on this thread.");
  trace_->scope.emplace(context_, trace_->recorder);
}

void Profile::stop_trace() {
  if (trace_ == nullptr)
    throw_error(ErrorKind::kAssertionError, "Profiler must be initialized before stopping trace");
  trace_->recorder.end_all();
  trace_->scope.reset();
  trace_->is_finished = true;
}

void Profile::ready() {
  if (options_.on_trace_ready) options_.on_trace_ready(*this);
}

// What happens between two steps (profile.action_map). After no action comes the end.
void Profile::transit(ProfilerAction before, std::optional<ProfilerAction> after) {
  const bool records = after && *after >= ProfilerAction::kRecord;
  const bool warms_up = after == ProfilerAction::kWarmup;
  switch (before) {
    case ProfilerAction::kNone:
      if (records || warms_up) prepare_trace();
      if (records) start_trace();
      return;
    case ProfilerAction::kWarmup:
      if (warms_up) return;
      if (after == ProfilerAction::kNone)
        warnings_.emplace_back("Incorrect schedule: WARMUP followed by NONE");
      start_trace();
      if (!records) stop_trace();
      return;
    case ProfilerAction::kRecord:
      if (records) return;
      if (after)
        warnings_.push_back(format("Incorrect schedule: RECORD followed by {}", name(*after)));
      stop_trace();
      if (!after) ready();
      return;
    case ProfilerAction::kRecordAndSave:
      stop_trace();
      ready();
      if (records || warms_up) prepare_trace();
      if (records) start_trace();
      return;
  }
}

void Profile::begin_step() {
  if (!options_.schedule.has_steps()) return;
  EventRecorder* const recorder = this->recorder();
  if (recorder != nullptr)
    step_span_ = recorder->begin(format("ProfilerStep#{}", step_num_), SpanKind::kAnnotation);
}

void Profile::end_step() {
  EventRecorder* const recorder = this->recorder();
  if (step_span_ && recorder != nullptr) recorder->end(*step_span_);
  step_span_.reset();
}

void Profile::start() {
  transit(ProfilerAction::kNone, action_);
  begin_step();
}

void Profile::stop() {
  end_step();
  transit(action_, std::nullopt);
}

void Profile::step() {
  end_step();
  const ProfilerAction before = action_;
  action_ = options_.schedule.action(step_num_ + 1);
  ++step_num_;
  transit(before, action_);
  begin_step();
}

EventRecorder* Profile::recorder() const {
  return trace_ != nullptr && trace_->scope ? &trace_->recorder : nullptr;
}

EventList Profile::trace(std::string_view purpose) const {
  if (trace_ == nullptr)
    throw_error(ErrorKind::kAssertionError,
                format("Profiler must be initialized before {}", purpose));
  const EventOptions& record = options_.record;
  TableColumns columns{.profile_memory = record.profile_memory, .with_flops = record.with_flops};
  if (!trace_->is_finished) return EventList({}, columns);
  return EventList(function_events(trace_->recorder), columns);
}

std::string Profile::export_chrome_trace() const {
  const EventList events = trace("exporting chrome trace");
  if (!trace_->is_finished)
    throw_error(ErrorKind::kAttributeError, "'NoneType' object has no attribute 'save'");
  return chrome_trace(events,
                      {.metadata = metadata_, .record_shapes = options_.record.record_shapes});
}

std::string Profile::export_stacks(std::string_view metric) const {
  const EventList events = trace("exporting stacks");
  if (!options_.record.with_stack)
    throw_error(ErrorKind::kAssertionError, "export_stacks() requires with_stack=True");
  return events.stacks(metric);
}

std::string Profile::export_memory_timeline(std::string_view path,
                                            std::optional<Device> device) const {
  const EventOptions& record = options_.record;
  std::string missing;
  const auto require = [&](bool is_there, std::string_view option) {
    if (!is_there) missing += format("{}{}=True", missing.empty() ? "" : ", ", option);
  };
  require(record.record_shapes, "record_shapes");
  require(record.profile_memory, "profile_memory");
  require(record.with_stack, "with_stack");
  if (!missing.empty())
    throw_error(ErrorKind::kValueError, missing + " required for memory profiling.");
  if (trace_ == nullptr || !trace_->is_finished)
    throw_error(ErrorKind::kAssertionError,
                "Profiler and kineto_results must be initialized for memory profiling");
  const std::vector<TimelineEvent> events = memory_events(trace_->recorder);
  return memory_timeline_file(events, device ? device->normalized() : main_device(events), path);
}

void Profile::add_metadata(std::string_view key, std::string_view value) {
  std::string json;
  JsonWriter(json).value(value);
  metadata_[std::string(key)] = json;
}

void Profile::add_metadata_json(std::string_view key, std::string_view json) {
  metadata_[std::string(key)] = json;
}

}  // namespace faketensor
