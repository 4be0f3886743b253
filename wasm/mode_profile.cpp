#include "wasm/mode_profile.h"

#include <utility>

#include "core/profiler/chrome_trace.h"
#include "core/profiler/profile_json.h"
#include "wasm/objects.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

int64_t steps_of(const Json& given, std::string_view name, int64_t otherwise) {
  const Json* steps = find_member(given, name);
  return steps == nullptr ? otherwise : integer_of(*steps, name, kUsage);
}

Schedule schedule_of(const Json& given) {
  const ScheduleOptions none;
  return Schedule({.wait = steps_of(given, "wait", none.wait),
                   .warmup = steps_of(given, "warmup", none.warmup),
                   .active = steps_of(given, "active", none.active),
                   .repeat = steps_of(given, "repeat", none.repeat),
                   .skip_first = steps_of(given, "skipFirst", none.skip_first),
                   .skip_first_wait = steps_of(given, "skipFirstWait", none.skip_first_wait)});
}

std::shared_ptr<ModeProfile> profile_at(const Json& given) {
  return objects().profiles.at(
      static_cast<int>(integer_of(member(given, "profile", kUsage), "profile", kUsage)));
}

}  // namespace

ModeProfile::ModeProfile(std::shared_ptr<ModeCaller> mode, const Json& options,
                         const emscripten::val& clock)
    : mode_(std::move(mode)) {
  ProfileOptions profile;
  profile.record.record_shapes = bool_member(options, "recordShapes", false);
  profile.record.profile_memory = bool_member(options, "profileMemory", false);
  profile.record.with_flops = bool_member(options, "withFlops", false);
  has_shapes_ = profile.record.record_shapes || profile.record.with_flops;
  if (const Json* schedule = find_member(options, "schedule"))
    profile.schedule = schedule_of(*schedule);
  profile.on_trace_ready = [this](Profile& of) {
    last_ = of.events();
    is_ready_ = true;
  };
  if (!clock.isNull()) {
    clock_ = std::make_unique<JsClock>(clock);
    profile.clock = clock_.get();
  }
  profile_ = std::make_unique<Profile>(mode_->context(), std::move(profile));
  mode_->begin_profile(*profile_);
  profile_->start();
}

ModeProfile::~ModeProfile() {
  if (profile_ == nullptr) return;
  profile_.reset();
  mode_->end_profile();
}

void ModeProfile::step() {
  if (profile_ == nullptr) throw_error(kUsage, "the profile has stopped");
  mode_->check_between_calls();
  profile_->step();
}

// What was recorded points into the mode, which from here on may free it.
void ModeProfile::stop() {
  if (profile_ == nullptr) return;
  mode_->check_between_calls();
  profile_->stop();
  // After a schedule's end the last trace is still there; after steps without one, nothing ever was.
  if (is_ready_ || last_ || profile_->current_action() != ProfilerAction::kNone)
    last_ = profile_->events();
  warnings_ = profile_->warnings();
  profile_.reset();
  mode_->end_profile();
  mode_.reset();
}

void ModeProfile::write_state(JsonWriter& json) {
  const auto object = json.object();
  json.field("ready", std::exchange(is_ready_, false));
  json.field("warnings", profile_ == nullptr ? warnings_ : profile_->warnings());
}

std::optional<size_t> ModeProfile::begin(const std::string& name) {
  EventRecorder* const recorder = profile_ == nullptr ? nullptr : profile_->recorder();
  if (recorder == nullptr) return std::nullopt;
  return recorder->begin(name, SpanKind::kAnnotation);
}

void ModeProfile::end(size_t span) {
  EventRecorder* const recorder = profile_ == nullptr ? nullptr : profile_->recorder();
  if (recorder != nullptr) recorder->end(span);
}

EventList ModeProfile::events() const {
  if (last_) return *last_;
  if (profile_ != nullptr) return profile_->events();
  throw_error(ErrorKind::kAssertionError, "Profiler must be initialized before accessing events");
}

// --- questions ---

void step_profile(JsonWriter& json, const Json& given) {
  const std::shared_ptr<ModeProfile> profile = profile_at(given);
  profile->step();
  profile->write_state(json);
}

void stop_profile(JsonWriter& json, const Json& given) {
  const std::shared_ptr<ModeProfile> profile = profile_at(given);
  profile->stop();
  profile->write_state(json);
}

void close_profile(JsonWriter& json, const Json& given) {
  objects().profiles.remove(
      static_cast<int>(integer_of(member(given, "profile", kUsage), "profile", kUsage)));
  json.value(nullptr);
}

// The number of the span, or null.
void begin_span(JsonWriter& json, const Json& given) {
  const auto span =
      profile_at(given)->begin(text_of(member(given, "name", kUsage), "name", kUsage));
  if (!span) return json.value(nullptr);
  json.value(*span);
}

void end_span(JsonWriter& json, const Json& given) {
  profile_at(given)->end(
      static_cast<size_t>(integer_of(member(given, "span", kUsage), "span", kUsage)));
  json.value(nullptr);
}

void profile_events(JsonWriter& json, const Json& given) {
  write_events(json, profile_at(given)->events());
}

// {"groupByInputShape": true, "sortBy": text or null, "rowLimit": 10}
void profile_averages(JsonWriter& json, const Json& given) {
  const GroupBy group{.input_shape = bool_member(given, "groupByInputShape", false)};
  TableOptions options{.row_limit =
                           integer_of(member(given, "rowLimit", kUsage), "rowLimit", kUsage)};
  const Json& sort_by = member(given, "sortBy", kUsage);
  if (!sort_by.is_null()) options.sort_by = text_of(sort_by, "sortBy", kUsage);
  write_averages(json, profile_at(given)->events().key_averages(group), options);
}

void profile_chrome_trace(JsonWriter& json, const Json& given) {
  const std::shared_ptr<ModeProfile> profile = profile_at(given);
  json.value(chrome_trace(profile->events(), {.record_shapes = profile->has_shapes()}));
}

}  // namespace faketensor::wasm
