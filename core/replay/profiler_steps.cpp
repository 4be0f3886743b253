#include "core/replay/profiler_steps.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/call_json.h"
#include "core/mode/mode.h"
#include "core/profiler/compile/compiler.h"
#include "core/profiler/profile.h"
#include "core/replay/profiled_call.h"
#include "core/support/format.h"
#include "core/support/scoped_value.h"

namespace faketensor {

namespace {

ScheduleOptions read_schedule(const Json& json) {
  ScheduleOptions options;
  options.wait = integer_member(json, "wait", 0);
  options.warmup = integer_member(json, "warmup", 0);
  options.active = integer_member(json, "active", 1);
  options.repeat = integer_member(json, "repeat", 0);
  options.skip_first = integer_member(json, "skip_first", 0);
  options.skip_first_wait = integer_member(json, "skip_first_wait", 0);
  return options;
}

EventOptions read_record_options(const Json& json) {
  EventOptions options;
  options.record_shapes = bool_member(json, "record_shapes", false);
  options.profile_memory = bool_member(json, "profile_memory", false);
  options.with_stack = bool_member(json, "with_stack", false);
  options.with_flops = bool_member(json, "with_flops", false);
  options.with_modules = bool_member(json, "with_modules", false);
  return options;
}

void write_event(JsonWriter& json, const FunctionEvent& event) {
  const auto object = json.object();
  json.field("name", event.name);
  json.key("parent").raw(event.parent < 0 ? "null" : format("{}", event.parent));
  if (!event.input_shapes.empty()) {
    {
      const auto shapes = json.array("shapes");
      for (const InputShape& shape : event.input_shapes) json.value(shape.sizes);
    }
    const auto concrete = json.array("concrete");
    for (const std::string& input : event.concrete_inputs) json.raw(input);
  }
  if (event.cpu_memory != 0) json.field("cpu_memory", event.cpu_memory);
  if (event.flops != 0) json.field("flops", event.flops);
  json.flag_if("annotation", event.is_user_annotation);
  if (event.scope != EventScope::kFunction) json.field("scope", static_cast<int>(event.scope));
}

// The methods that transcripts call on one profiler, in the words of PyTorch.
void call_method(Profile& profile, const std::string& method, const Json& args) {
  const auto text = [&](size_t i) { return text_of(element(args, i, "args"), "args"); };
  if (method == "start" || method == "__enter__") return profile.start();
  if (method == "stop" || method == "__exit__") return profile.stop();
  if (method == "step") return profile.step();
  if (method == "prepare_trace") return profile.prepare_trace();
  if (method == "start_trace") return profile.start_trace();
  if (method == "stop_trace") return profile.stop_trace();
  if (method == "events") return static_cast<void>(profile.events());
  if (method == "key_averages") return static_cast<void>(profile.key_averages());
  if (method == "export_chrome_trace") return static_cast<void>(profile.export_chrome_trace());
  if (method == "export_stacks") return static_cast<void>(profile.export_stacks(text(1)));
  if (method == "add_metadata") return profile.add_metadata(text(0), text(1));
  if (method == "add_metadata_json" || method == "preset_metadata_json")
    return profile.add_metadata_json(text(0), text(1));
  if (method == "export_memory_timeline")  // of a profile without options, which these are
    throw_error(ErrorKind::kValueError,
                "record_shapes=True, profile_memory=True, with_stack=True required for memory "
                "profiling.");
  const bool says_nothing = method == "toggle_collection_dynamic" || method == "get_trace_id" ||
                            method == "set_custom_trace_id_callback";
  if (!says_nothing)
    throw_error(ErrorKind::kAttributeError,
                format("'profile' object has no attribute '{}'", method));
}

// Whether the program's profiler goes on after `position`: of a profile with a schedule, the
// recorder wrote profile_stop where the first trace ended.
bool goes_on(const Json& steps, size_t position) {
  for (size_t i = position + 1; i < steps.size(); ++i) {
    if (text_member(steps[i], "do") == "profile_step") return true;
  }
  return false;
}

class StepRunner {
 public:
  StepRunner() { mode_.context().grad_enabled = true; }

  void run(const Json& steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::string& kind = text_member(steps[i], "do");
      if (kind == "profile_stop" && goes_on(steps, i)) continue;
      step(kind, steps[i]);
      if (kind == "profile_stop") is_running_ = false;
    }
    if (is_running_) stop_profile();
  }

  void write(JsonWriter& json, const Json& ask) {
    for (const Json& asked : ask) {
      const std::string& what = text_of(asked, "ask");
      if (what == "events") write_events(json.key(what));
      if (what == "log") write_list(json.key(what), log_);
      if (what == "regions") json.field(what, names_with("Torch-Compiled Region"));
      if (what == "cache_lookups") json.field(what, names_with("TorchDynamo Cache Lookup").size());
      if (what == "cache_sizes") json.field(what, cache_sizes_);
      if (what == "recompiles") json.field(what, compiler_.recompiles());
      if (what == "actions") json.field(what, actions_);
      if (what == "ok" && error_.empty()) json.field(what, true);
      if (what == "raises_" && !error_.empty()) json.field(what, error_);
    }
  }

 private:
  void step(const std::string& kind, const Json& step) {
    if (kind == "profile_start") return start_profile(step);
    if (kind == "profile_step") return step_profile();
    if (kind == "profile_stop") return stop_profile();
    if (kind == "op") return call(step);
    if (kind == "record") return record(step);
    if (kind == "call") return call_compiled(step);
    if (kind == "cache_size") return cache_sizes_.push_back(compiler_.cache_size(key_of(step)));
    if (kind == "reset") return compiler_.reset();
    if (kind == "mark_dynamic") {
      marked_dims_.push_back(static_cast<size_t>(integer_member(step, "dim", 0)));
      return;
    }
    if (kind == "schedule") return guarded([&] { list_actions(step); });
    if (kind == "lifecycle") return guarded([&] { live(list_member(step, "calls")); });
    if (kind != "fake_mode")  // every tensor is fake here
      throw_error(ErrorKind::kUnsupportedOperator, format("steps '{}'", kind));
  }

  // Runs what may raise: the class and text are part of the answer.
  template <typename Action>
  void guarded(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      error_ = {std::string(error.class_name()), error.message()};
    }
  }

  void start_profile(const Json& step) {
    ProfileOptions options{.record = read_record_options(step)};
    if (step.contains("schedule"))
      options.schedule = Schedule(read_schedule(object_member(step, "schedule")));
    if (bool_member(step, "on_trace_ready", false))
      options.on_trace_ready = [this](Profile& profile) { log_trace(profile); };
    profile_ = std::make_unique<Profile>(mode_.context(), std::move(options));
    profile_->start();
    is_running_ = true;
  }

  void stop_profile() {
    profile_->stop();
    log_.push_back(
        format("[\"end\",{},\"{}\"]", profile_->step_num(), name(profile_->current_action())));
  }

  void step_profile() {
    profile_->step();
    log_.push_back(format("[\"step\",{},{},\"{}\"]", profile_->step_num() - 1, profile_->step_num(),
                          name(profile_->current_action())));
  }

  void log_trace(Profile& profile) {
    std::string line;
    {
      JsonWriter json(line);
      const auto list = json.array();
      json.value("trace_ready");
      json.value(profile.step_num());
      const auto names = json.array();
      const EventList events = profile.events();
      for (const FunctionEvent& event : events.events()) {
        if (!event.name.starts_with("aten")) json.value(event.name);
      }
    }
    log_.push_back(std::move(line));
  }

  EventRecorder* recorder() { return profile_ == nullptr ? nullptr : profile_->recorder(); }

  void record(const Json& step) {
    const SpanScope span(recorder(), text_member(step, "name"));
    for (const Json& each : list_member(step, "steps")) this->step(text_member(each, "do"), each);
  }

  // An operator that the engine refuses, or whose arguments have no form here, was called all the
  // same. Numbers of tensors are used again in a transcript, each time with all metadata: every call
  // is read anew.
  void call(const Json& step) {
    const std::string& name = text_member(step, "op");
    const OpId op = Registry::builtin().find(name);
    if (op == kNoOp) {
      const SpanScope span(recorder(), name.substr(0, name.find('.')), SpanKind::kSpan);
      return;
    }
    std::vector<Value> args;
    ValueReader reader(mode_);
    try {
      args = bind_arguments(Registry::builtin().entry(op).schema, list_member(step, "args"),
                            Json::object(), reader);
    } catch (const Error&) {
      const SpanScope span(recorder(), name.substr(0, name.find('.')), SpanKind::kSpan);
      return;
    }
    mode_.call(op, args);
  }

  static std::string key_of(const Json& step) {
    return format("{}", integer_member(step, "fn", 0));
  }

  void call_compiled(const Json& step) {
    CompileOptions options{.backend = text_member(step, "backend", "eager")};
    if (const Json* dynamic = find_member(step, "dynamic");
        dynamic != nullptr && !dynamic->is_null())
      options.dynamic = bool_of(*dynamic, "dynamic");
    options.fullgraph = bool_member(step, "fullgraph", false);
    const ProgramState state{.grad_enabled = bool_member(step, "grad", true),
                             .inference_mode = bool_member(step, "inference", false)};
    const ScopedValue grad(mode_.context().grad_enabled, state.grad_enabled);
    const Json*& before = calls_[key_of(step)];
    ProfiledCall profiled(mode_, step, before, std::exchange(marked_dims_, {}),
                          [this](const Json& each) { call(each); });
    before = &step;
    ProfiledPart part(profiled, 0);
    compiler_.call(key_of(step), part, options, state, recorder());
  }

  // Names of compiled regions, or how often the cache was looked through, in the profile.
  std::vector<std::string> names_with(std::string_view beginning) const {
    std::vector<std::string> names;
    if (profile_ == nullptr) return names;
    const EventList events = profile_->events();
    for (const FunctionEvent& event : events.events()) {
      if (event.name.starts_with(beginning)) names.push_back(event.name);
    }
    return names;
  }

  void list_actions(const Json& step) {
    const Schedule schedule(read_schedule(step));
    for (int64_t i = 0; i < integer_member(step, "n", 0); ++i)
      actions_.emplace_back(name(schedule.action(i)));
  }

  void live(const Json& calls) {
    Profile profile(mode_.context());
    for (const Json& call : calls)
      call_method(profile, text_of(element(call, 0, "calls"), "calls"),
                  list_of(element(call, 1, "calls"), "calls"));
  }

  void write_events(JsonWriter& json) {
    const auto list = json.array();
    if (profile_ == nullptr) return;
    const EventList events = profile_->events();
    for (const FunctionEvent& event : events.events()) write_event(json, event);
  }
  static void write_list(JsonWriter& json, const std::vector<std::string>& lines) {
    const auto list = json.array();
    for (const std::string& line : lines) json.raw(line);
  }

  FakeTensorMode mode_;
  std::unique_ptr<Profile> profile_;
  bool is_running_ = false;
  Compiler compiler_;
  std::map<std::string, const Json*> calls_;  // of each compiled function, the last
  std::vector<size_t> marked_dims_;           // of the next call's first tensor
  std::vector<size_t> cache_sizes_;
  std::vector<std::string> log_;  // as JSON
  std::vector<std::string> actions_;
  std::vector<std::string> error_;  // class and text; empty where nothing was raised
};

}  // namespace

void answer_profiler_steps(JsonWriter& json, const Json& steps, const Json& ask) {
  StepRunner runner;
  try {
    runner.run(steps);
  } catch (const Error& error) {
    return json.field("unsupported", error.message());
  }
  runner.write(json, ask);
}

}  // namespace faketensor
