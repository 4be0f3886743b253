#include "core/replay/answer_call.h"

#include <optional>

#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/replay/recorded_constants.h"
#include "core/support/format.h"

namespace faketensor {

using nlohmann::json;

namespace {

void append_error(std::string& out, const Error& error) {
  out.append("\"raises\":\"").append(error.class_name()).append("\",\"message\":");
  append_json_string(out, error.message());
}

// Arguments whose metadata (or storage size) the call changed.
void append_after(std::string& out, const ValueReader& reader, ValueWriter& writer) {
  bool any = false;
  for (const TensorRecord& before : reader.tensors()) {
    const Tensor& tensor = *before.tensor;
    const SymInt bytes = tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes;
    if (tensor.meta == before.meta && tensor.storage == before.storage &&
        same_expr(bytes, before.nbytes))
      continue;
    out += any ? "," : ",\"after\":[";
    any = true;
    writer.append_tensor(out, {&tensor, tensor.meta, tensor.storage, bytes});
  }
  if (any) out += ']';
}

}  // namespace

void answer_call(std::string& out, FakeTensorMode& mode, OpId op, const json& question,
                 const std::function<void()>& called,
                 const std::function<void(ValueReader&)>& ready) {
  ValueReader reader(mode);
  ValueWriter writer;
  std::optional<RecordedConstants> constants;
  reader.on_constant = [&](Tensor& tensor, const json& data) {
    if (!constants) constants.emplace(mode);
    constants->adopt(tensor, data);
  };
  try {
    const Schema& schema = Registry::builtin().entry(op).schema;
    const std::vector<Value> args =
        bind_arguments(schema, list_member_or_empty(question, "args"),
                       object_member_or_empty(question, "kwargs"), reader, &writer);
    if (ready) ready(reader);
    const Value result = mode.context().call(op, args);
    if (called) called();
    out += "\"out\":";
    writer.append(out, result);
    append_after(out, reader, writer);
  } catch (const Error& error) {
    if (called) called();
    append_error(out, error);
  }
}

}  // namespace faketensor
