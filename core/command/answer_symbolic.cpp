#include "core/command/answer_symbolic.h"

#include "core/command/answer_call.h"
#include "core/io/shape_env_json.h"

namespace faketensor {

using nlohmann::json;

namespace {
// The number in an input of no dimensions is known when the program starts, as the symbol whose
// source is "L['x'].item()" (Converter::make_item_symbol).
void set_items(Context& context, ValueReader& reader, const json& question) {
  for (const json& symbol : question.at("env")) {
    const auto source = symbol.find("source");
    if (source == symbol.end() || !source->is_string()) continue;
    for (const json& input : question.value("inputs", json::array())) {
      if (!input.contains("t") || *source != input.value("source", "") + ".item()") continue;
      const Tensor* tensor = reader.tensor(input["t"]);
      if (tensor == nullptr) continue;
      const bool is_kept = tensor->dtype() == DType::kInt64 || tensor->dtype() == DType::kFloat64;
      if (!is_kept) continue;
      const json item = {{"sym", symbol["name"]}, {"kind", symbol.value("kind", "int")}};
      context.set_memo(*tensor, Memo::kItem, reader.read(item));
    }
  }
}
}  // namespace

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
  answer_call(
      out, mode, op, question, [&] { before.append_added(added, *env); },
      [&](ValueReader& reader) { set_items(context, reader, question); });
  out.append(",\"added\":").append(added);
}

}  // namespace faketensor
