// Steps of a transcript that concern modes, contexts and the dispatch cache.
#include "core/command/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

using nlohmann::json;

namespace {

ShapeEnvOptions read_options(const json& given) {
  ShapeEnvOptions options;
  const auto read = [&](const char* name, bool& option) {
    if (given.contains(name) && given[name].is_boolean()) option = given[name].get<bool>();
  };
  read("allow_scalar_outputs", options.allow_scalar_outputs);
  read("allow_dynamic_output_shape_ops", options.allow_dynamic_output_shape_ops);
  read("assume_static_by_default", options.assume_static_by_default);
  read("specialize_zero_one", options.specialize_zero_one);
  read("duck_shape", options.duck_shape);
  read("trace_asserts", options.trace_asserts);
  read("prefer_deferred_runtime_asserts_over_guards",
       options.prefer_deferred_runtime_asserts_over_guards);
  return options;
}

}  // namespace

StepResult SessionRunner::make_mode(const json& step) {
  const json given = step.value("options", json::object());
  SessionModeOptions options;
  options.allow_non_fake_inputs = given.value("allow_non_fake_inputs", false);
  options.is_export = given.value("export", false);
  options.allow_meta = given.value("allow_meta", true);
  if (given.contains("static_shapes") && given["static_shapes"].is_boolean())
    options.static_shapes = given["static_shapes"].get<bool>();
  std::shared_ptr<ShapeEnv> env;
  const json described = step.value("shape_env", json());
  if (described.is_object()) {
    env = described.contains("of") ? mode_named(described["of"]).shape_env()
                                   : std::make_shared<ShapeEnv>(read_options(described));
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

}  // namespace faketensor
