#include "wasm/mode_session.h"

#include <algorithm>
#include <utility>

#include "core/io/call_json.h"
#include "core/support/format.h"

namespace faketensor::wasm {

using nlohmann::json;

namespace {

TensorRecord record_of(const Tensor& tensor) {
  return {&tensor, tensor.meta, tensor.storage,
          tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
}

bool is_same(const TensorRecord& a, const TensorRecord& b) {
  return a.meta == b.meta && a.storage == b.storage && same_expr(a.nbytes, b.nbytes);
}

bool writes_arguments(const Schema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                     [](const Argument& argument) { return argument.is_written(); });
}

}  // namespace

json ModeSession::call(const json& request) {
  const std::string& name = request.at("op").get_ref<const std::string&>();
  const OpId op = Registry::builtin().find(name);
  if (op == kNoOp) {
    Error error(ErrorKind::kUnsupportedOperator, name);
    error.set_op(name);
    throw error;
  }
  const Schema& schema = Registry::builtin().entry(op).schema;
  const std::vector<Value> args =
      bind_arguments(schema, request.at("args"), request.at("kwargs"), reader_);
  const Value out = mode_.context().call(op, args);
  return reply(out, writes_arguments(schema) ? changed_tensors() : json::array());
}

json ModeSession::empty(const json& tensor) {
  const InputOverride given = read_override(tensor);
  if (!given.sizes) throw_error(ErrorKind::kUsage, "a tensor has a size");
  const DType dtype = given.dtype.value_or(mode_.context().default_dtype);
  const Device device = given.device.value_or(Device{}).normalized();
  const Dims strides = given.strides ? Dims(*given.strides) : Dims();
  return reply(mode_.context().empty(*given.sizes, dtype, device, strides), json::array());
}

json ModeSession::reply(const Value& out, json after) {
  name_tensors(out);
  return {{"out", json::parse(text_of(out))}, {"after", std::move(after)}};
}

std::string ModeSession::text_of(const Value& value) {
  std::string text;
  writer_.append(text, value);
  return text;
}

// Tensors and storages have their mode's own numbers, which JavaScript may use in later calls.
void ModeSession::name_tensors(const Value& value) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values())
      name_tensors(element);  // as deep as a schema's return type
  }
  if (!value.is_tensor()) return;
  Tensor& tensor = value.tensor();
  writer_.name_tensor(&tensor, tensor.id);
  if (tensor.storage != nullptr) writer_.name_storage(tensor.storage, tensor.storage->id);
  reader_.name_tensor(tensor.id, &tensor);
  known_.insert_or_assign(tensor.id, record_of(tensor));
}

json ModeSession::changed_tensors() {
  json result = json::array();
  for (auto& [number, seen] : known_) {
    const TensorRecord now = record_of(*seen.tensor);
    if (is_same(now, seen)) continue;
    seen = now;
    if (now.storage != nullptr) writer_.name_storage(now.storage, now.storage->id);
    std::string text;
    writer_.append_tensor(text, now);
    result.push_back(json::parse(text));
  }
  return result;
}

}  // namespace faketensor::wasm
