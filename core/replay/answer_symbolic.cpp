#include "core/replay/answer_symbolic.h"

#include "core/formats/json_fields.h"
#include "core/replay/answer_call.h"
#include "core/replay/shape_env_json.h"

namespace faketensor {

using nlohmann::json;

namespace {
// The number in an input of no dimensions is known when the program starts, as the symbol whose
// source is "L['x'].item()" (Converter::make_item_symbol).
void set_items(Context& context, ValueReader& reader, const json& question) {
  for (const json& symbol : list_member(question, "env")) {
    const json* source = find_member(symbol, "source");
    if (source == nullptr || !source->is_string()) continue;
    for (const json& input : list_member_or_empty(question, "inputs")) {
      const json* number = find_member(input, "t");
      if (number == nullptr || *source != text_member(input, "source", "") + ".item()") continue;
      const Tensor* tensor = reader.tensor(integer_of(*number, "t"));
      if (tensor == nullptr) continue;
      const bool is_kept = tensor->dtype() == DType::kInt64 || tensor->dtype() == DType::kFloat64;
      if (!is_kept) continue;
      const json item = {{"sym", text_member(symbol, "name")},
                         {"kind", text_member(symbol, "kind", "int")}};
      context.set_memo(*tensor, Memo::kItem, reader.read(item));
    }
  }
}
}  // namespace

void answer_symbolic_operator(std::string& out, OpId op, const json& question) {
  const ModeSettings settings = read_settings(text_member(question, "settings", "default"));
  const auto env = std::make_shared<ShapeEnv>(settings.shape_env);
  make_symbols(*env, member(question, "env"));
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
