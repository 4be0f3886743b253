// Steps of a transcript that concern modes, contexts and the dispatch cache.
#include "core/formats/json_fields.h"
#include "core/io/options_json.h"
#include "core/io/session_json.h"
#include "core/replay/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

StepResult SessionRunner::make_mode(const Json& step) {
  const SessionModeOptions options = read_session_mode(object_member_or_empty(step, "options"));
  std::shared_ptr<ShapeEnv> env;
  const Json* described = find_member(step, "shape_env");
  if (described != nullptr && described->is_object()) {
    const Json* of = find_member(*described, "of");
    env = of != nullptr ? mode_named(*of).shape_env()
                        : std::make_shared<ShapeEnv>(read_shape_env_options(*described));
  }
  SessionMode& mode = session_.add_mode(options, env);
  if (env != nullptr) newest_with_env_ = &mode;
  if (find_member(step, "as") != nullptr) names_[text_member(step, "as")] = &mode;
  return StepResult::null();
}

StepResult SessionRunner::enter(const Json& step) {
  if (const Json* mode = find_member(step, "mode")) {
    session_.enter(mode_named(*mode));
    return {};
  }
  const std::string& context = text_member(step, "context");
  if (context == "in_kernel_invocation") {
    session_.enter_in_kernel_invocation(mode_named(member(step, "of")));
  } else if (context.starts_with("default_dtype_")) {
    const std::optional<DType> dtype = parse_dtype(context.substr(14));
    if (!dtype) throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter_default_dtype(*dtype);
  } else if (context.starts_with("device_")) {
    const std::optional<Device> device = parse_device(context.substr(7));
    if (!device) throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter_default_device(*device);
  } else {
    const std::optional<SessionScope> scope = session_scope(context);
    if (!scope) throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter(*scope);
  }
  return {};
}

StepResult SessionRunner::exit(const Json&) {
  session_.exit();
  return {};
}

StepResult SessionRunner::next_epoch(const Json& step) {
  mode_named(member(step, "mode")).next_epoch();
  return {};
}

StepResult SessionRunner::detect_fake_mode(const Json& step) {
  const Value args = read(list_member_or_empty(step, "args"));
  const Value one[] = {args};
  SessionMode* mode = session_.detect_fake_mode(
      args.is(Value::Tag::kList) ? args.values() : std::span<const Value>(one));
  return mode == nullptr ? StepResult() : StepResult::string(name_of(mode));
}

StepResult SessionRunner::cache_info(const Json&) {
  return StepResult::written(
      [&](JsonWriter& json) { write_cache_info(json, session_.cache().info()); });
}

StepResult SessionRunner::cache_clear(const Json&) {
  session_.cache().clear();
  return {};
}

// --- custom operators ---

StepResult SessionRunner::define(const Json& step) {
  const std::string& name = text_member(step, "name");
  session_.library().define(name, text_member(step, "schema"));
  const Json* given = find_member(step, "fake");
  if (given == nullptr || !given->is_object()) return {};
  session_.library().register_fake(
      name, [this, fake = *given](FakeCall& frame) { return run_fake(fake, frame); });
  return {};
}

// The steps of a fake kernel run in the mode that called it, its parameters named as it says.
Value SessionRunner::run_fake(const Json& fake, FakeCall& frame) {
  constexpr int kMaxFakeDepth = 32;
  if (fake_depth_ >= kMaxFakeDepth)
    throw_error(ErrorKind::kLimitExceeded,
                format("fake kernels that call each other more than {} deep", kMaxFakeDepth));
  const std::map<std::string, Named> outside = names_;
  const int depth = fake_depth_++;
  const auto leave = [&] {
    names_ = outside;
    fake_depth_ = depth;
  };
  try {
    const Value result = run_fake_steps(fake, frame);
    leave();
    return result;
  } catch (...) {
    leave();
    throw;
  }
}

Value SessionRunner::run_fake_steps(const Json& fake, FakeCall& frame) {
  const Json& params = list_member(fake, "params");
  for (size_t i = 0; i < params.size() && i < frame.args().size(); ++i)
    names_[text_of(params[i], "params")] = frame.arg(i);
  for (const Json& step : list_member(fake, "steps")) {
    Value result;
    const std::string& kind = text_member(step, "do");
    if (kind == "new_dynamic_size") {
      std::optional<int64_t> most;
      const Json* max = find_member(step, "max");
      if (max != nullptr && !max->is_null()) most = integer_of(*max, "max");
      result = frame.new_dynamic_size(integer_member(step, "min", int64_t{0}), most);
    } else {
      const Handler run_step = handler(kind);
      if (run_step == nullptr)
        throw_error(ErrorKind::kUnreadable, format("no such kind of step: {}", kind));
      result = (this->*run_step)(step).value;
    }
    if (const Json* as = find_member(step, "as")) bind(*as, result);
  }
  const Json* returned = find_member(fake, "return");
  return returned == nullptr ? Value() : read(*returned);
}

}  // namespace faketensor
