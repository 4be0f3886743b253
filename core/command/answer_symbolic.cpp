#include "core/command/answer_symbolic.h"

#include "core/command/answer_call.h"
#include "core/io/shape_env_json.h"

namespace faketensor {

using nlohmann::json;

void answer_symbolic_operator(std::string& out, OpId op, const json& question) {
  const ModeSettings settings = read_settings(question.value("settings", "default"));
  const auto env = std::make_shared<ShapeEnv>(settings.shape_env);
  make_symbols(*env, question.at("env"));
  FakeTensorMode mode;
  mode.attach_shape_env(env);
  Context& context = mode.context();
  context.grad_enabled = true;
  context.allow_scalar_outputs = settings.allow_scalar_outputs;
  context.allow_dynamic_shapes = settings.allow_dynamic_output_shape_ops;
  context.python_dispatcher = settings.python_dispatcher;
  const ShapeEnvSnapshot before(*env);
  std::string added;
  answer_call(out, mode, op, question, [&] { before.append_added(added, *env); });
  out.append(",\"added\":").append(added);
}

}  // namespace faketensor
