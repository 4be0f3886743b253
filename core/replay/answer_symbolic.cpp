#include "core/replay/answer_symbolic.h"

#include "core/formats/json_fields.h"
#include "core/replay/answer_call.h"
#include "core/replay/shape_env_json.h"

namespace faketensor {

namespace {
// The number in an input of no dimensions is known when the program starts, as the symbol whose
// source is "L['x'].item()" (Converter::make_item_symbol).
void set_items(Context& context, ValueReader& reader, const Json& question) {
  for (const Json& symbol : list_member(question, "env")) {
    const Json* source = find_member(symbol, "source");
    if (source == nullptr || !source->is_string()) continue;
    for (const Json& input : list_member_or_empty(question, "inputs")) {
      const Json* number = find_member(input, "t");
      if (number == nullptr || *source != text_member(input, "source", "") + ".item()") continue;
      const Tensor* tensor = reader.tensor(integer_of(*number, "t"));
      if (tensor == nullptr) continue;
      const bool is_kept = tensor->dtype() == DType::kInt64 || tensor->dtype() == DType::kFloat64;
      if (!is_kept) continue;
      const Json item = {{"sym", text_member(symbol, "name")},
                         {"kind", text_member(symbol, "kind", "int")}};
      context.memos().set(*tensor, Memo::kItem, reader.read(item));
    }
  }
}
}  // namespace

void answer_symbolic_operator(JsonWriter& json, OpId op, const Json& question) {
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
      json, mode, op, question, [&] { added = before.added(*env); },
      [&](ValueReader& reader) { set_items(context, reader, question); });
  json.key("added").raw(added);
}

}  // namespace faketensor
