// Steps of a transcript that concern modes, contexts and the dispatch cache.
#include "core/command/session_runner.h"
#include "core/io/shape_env_json.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

using nlohmann::json;

StepResult SessionRunner::make_mode(const json& step) {
  const json given = step.value("options", json::object());
  SessionModeOptions options;
  options.allow_non_fake_inputs = given.value("allow_non_fake_inputs", false);
  options.is_export = given.value("export", false);
  options.allow_meta = given.value("allow_meta", true);
  options.cache_crosscheck = given.value("cache_crosscheck", false);
  if (given.contains("static_shapes") && given["static_shapes"].is_boolean())
    options.static_shapes = given["static_shapes"].get<bool>();
  std::shared_ptr<ShapeEnv> env;
  const json described = step.value("shape_env", json());
  if (described.is_object()) {
    env = described.contains("of") ? mode_named(described["of"]).shape_env()
                                   : std::make_shared<ShapeEnv>(read_shape_env_options(described));
  }
  SessionMode& mode = session_.add_mode(options, env);
  if (env != nullptr) newest_with_env_ = &mode;
  if (step.contains("as")) names_[step["as"].get<std::string>()] = &mode;
  return StepResult::json("null");
}

StepResult SessionRunner::enter(const json& step) {
  if (step.contains("mode")) {
    session_.enter(mode_named(step["mode"]));
    return {};
  }
  const std::string& context = step.at("context").get_ref<const std::string&>();
  if (context == "in_kernel_invocation") {
    session_.enter_in_kernel_invocation(mode_named(step.at("of")));
  } else if (context.starts_with("default_dtype_")) {
    const std::optional<DType> dtype = parse_dtype(context.substr(14));
    if (!dtype) throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter_default_dtype(*dtype);
  } else if (context.starts_with("device_")) {
    const std::optional<Device> device = parse_device(context.substr(7));
    if (!device) throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter_default_device(*device);
  } else {
    static const std::map<std::string_view, SessionScope> kScopes = {
        {"autocast_cpu_bfloat16", SessionScope::kAutocastCpu},
        {"ignore_fresh_unbacked_symbols", SessionScope::kIgnoreFreshUnbacked},
        {"inference_mode", SessionScope::kInference},
        {"no_grad", SessionScope::kNoGrad},
        {"suppress_guards", SessionScope::kSuppressGuards},
        {"unset_fake_temporarily", SessionScope::kUnsetFake}};
    const auto found = kScopes.find(context);
    if (found == kScopes.end())
      throw_error(ErrorKind::kUnreadable, format("no such context: {}", context));
    session_.enter(found->second);
  }
  return {};
}

StepResult SessionRunner::exit(const json&) {
  session_.exit();
  return {};
}

StepResult SessionRunner::next_epoch(const json& step) {
  mode_named(step.at("mode")).next_epoch();
  return {};
}

StepResult SessionRunner::detect_fake_mode(const json& step) {
  const Value args = read(step.value("args", json::array()));
  const Value one[] = {args};
  SessionMode* mode = session_.detect_fake_mode(
      args.is(Value::Tag::kList) ? args.values() : std::span<const Value>(one));
  return mode == nullptr ? StepResult() : StepResult::string(name_of(mode));
}

StepResult SessionRunner::cache_info(const json&) {
  const DispatchCache::Info info = session_.cache().info();
  std::string text = format("{\"hits\":{},\"misses\":{},\"bypasses\":{", info.hits, info.misses);
  bool first = true;
  for (const auto& [reason, count] : info.bypasses) {
    if (!first) text += ',';
    first = false;
    append_json_string(text, reason);
    text += format(":{}", count);
  }
  return StepResult::json(text + format("},\"size\":{}}", info.size));
}

StepResult SessionRunner::cache_clear(const json&) {
  session_.cache().clear();
  return {};
}

// --- custom operators ---

StepResult SessionRunner::define(const json& step) {
  const std::string& name = step.at("name").get_ref<const std::string&>();
  session_.library().define(name, step.at("schema").get_ref<const std::string&>());
  if (!step.contains("fake") || !step["fake"].is_object()) return {};
  session_.library().register_fake(
      name, [this, fake = step["fake"]](FakeCall& frame) { return run_fake(fake, frame); });
  return {};
}

// The steps of a fake kernel run in the mode that called it, its parameters named as it says.
Value SessionRunner::run_fake(const json& fake, FakeCall& frame) {
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

Value SessionRunner::run_fake_steps(const json& fake, FakeCall& frame) {
  const json& params = fake.at("params");
  for (size_t i = 0; i < params.size() && i < frame.args().size(); ++i)
    names_[params[i].get<std::string>()] = frame.arg(i);
  for (const json& step : fake.at("steps")) {
    Value result;
    const std::string& kind = step.at("do").get_ref<const std::string&>();
    if (kind == "new_dynamic_size") {
      std::optional<int64_t> most;
      if (step.contains("max") && step["max"].is_number_integer())
        most = step["max"].get<int64_t>();
      result = frame.new_dynamic_size(step.value("min", int64_t{0}), most);
    } else {
      const Handler run_step = handler(kind);
      if (run_step == nullptr)
        throw_error(ErrorKind::kUnreadable, format("no such kind of step: {}", kind));
      result = (this->*run_step)(step).value;
    }
    if (step.contains("as")) bind(step["as"], result);
  }
  return read(fake.value("return", json()));
}

}  // namespace faketensor
