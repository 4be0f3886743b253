#include "core/replay/answer_call.h"

#include <algorithm>
#include <optional>

#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/replay/recorded_constants.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool has_changed(const TensorRecord& before) {
  const TensorRecord now = TensorRecord::of(*before.tensor);
  return now.meta != before.meta || now.storage != before.storage ||
         !same_expr(now.nbytes, before.nbytes);
}

// Arguments whose metadata (or storage size) the call changed.
void write_after(JsonWriter& json, const ValueReader& reader, ValueWriter& writer) {
  const std::span<const TensorRecord> tensors = reader.tensors();
  if (std::none_of(tensors.begin(), tensors.end(), has_changed)) return;
  const auto after = json.array("after");
  for (const TensorRecord& before : tensors) {
    if (has_changed(before)) writer.write(json, TensorRecord::of(*before.tensor));
  }
}

}  // namespace

void answer_call(JsonWriter& json, FakeTensorMode& mode, OpId op, const Json& question,
                 const std::function<void()>& called,
                 const std::function<void(ValueReader&)>& ready) {
  ValueReader reader(mode);
  ValueWriter writer;
  std::optional<RecordedConstants> constants;
  reader.on_constant = [&](Tensor& tensor, const Json& data) {
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
    writer.write(json.key("out"), result);
    write_after(json, reader, writer);
  } catch (const Error& error) {
    if (called) called();
    write_error_members(json, error);
  }
}

}  // namespace faketensor
