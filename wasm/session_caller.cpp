#include "wasm/session_caller.h"

#include <utility>

#include "core/formats/json_fields.h"
#include "core/io/session_json.h"
#include "core/io/shape_env_description.h"
#include "core/ops/families/sparse.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

// The expression of a number that is one; null for other values.
const ExprNode* expression_of(const Value& value) {
  if (value.is(Value::Tag::kInt))
    return value.as_sym_int().is_symbolic() ? value.as_sym_int().node() : nullptr;
  if (value.is(Value::Tag::kBool))
    return value.as_sym_bool().is_symbolic() ? value.as_sym_bool().node() : nullptr;
  return value.is(Value::Tag::kSymFloat) ? value.as_node() : nullptr;
}

}  // namespace

// --- numbers ---

uint32_t SessionCaller::number_of(const Tensor& tensor) {
  return tensor_numbers_.emplace(&tensor, tensor_numbers_.size()).first->second;
}

uint32_t SessionCaller::number_of(const Storage& storage) {
  return storage_numbers_.emplace(&storage, storage_numbers_.size()).first->second;
}

std::optional<std::vector<uint32_t>> SessionCaller::numbers_in(const Value& value) {
  std::vector<uint32_t> numbers;
  collect_numbers(numbers, value);
  return numbers;
}

// Lists are as deep as a schema's return type.
void SessionCaller::collect_numbers(std::vector<uint32_t>& numbers, const Value& value) {
  for (size_t i = 0; value.is_list() && i < value.size(); ++i) collect_numbers(numbers, value[i]);
  const ExprNode* expression = expression_of(value);
  if (expression == nullptr) return;
  const auto [known, is_new] = number_numbers_.emplace(expression, numbers_.size());
  if (is_new) numbers_.push_back(value);
  numbers.push_back(known->second);
}

std::optional<Value> SessionCaller::resolve(const Json& object) {
  const Json* given = find_member(object, "number");
  if (given == nullptr) return std::nullopt;
  const int64_t number = integer_of(*given, "number", kUsage);
  if (number < 0 || static_cast<size_t>(number) >= numbers_.size())
    throw_error(kUsage, format("there is no number {}", number));
  return numbers_[static_cast<size_t>(number)];
}

SessionMode& SessionCaller::mode_at(const Json& mode) {
  const int64_t number = integer_of(mode, "mode", kUsage);
  if (number < 0 || static_cast<size_t>(number) >= modes_.size())
    throw_error(kUsage, format("there is no mode {}", number));
  return *modes_[static_cast<size_t>(number)];
}

std::optional<size_t> SessionCaller::number_of_mode(const SessionMode* mode) const {
  for (size_t i = 0; i < modes_.size(); ++i) {
    if (modes_[i] == mode) return i;
  }
  return std::nullopt;
}

// --- modes and scopes ---

void SessionCaller::add_mode(JsonWriter& json, const Json& options) {
  std::shared_ptr<ShapeEnv> env;
  const Json* described = find_member(options, "shape_env");
  if (described != nullptr && described->is_object()) {
    const Json* of = find_member(*described, "of");
    env = of != nullptr ? mode_at(*of).shape_env()
                        : std::make_shared<ShapeEnv>(read_shape_env_options(*described));
  } else if (described != nullptr && bool_of(*described, "shape_env", kUsage)) {
    env = std::make_shared<ShapeEnv>();
  }
  modes_.push_back(&session_.add_mode(read_session_mode(options), std::move(env)));
  const auto object = json.object();
  json.field("mode", modes_.size() - 1);
}

void SessionCaller::enter(const Json& scope) {
  if (const Json* mode = find_member(scope, "mode")) {
    session_.enter(mode_at(*mode));
  } else if (const Json* dtype = find_member(scope, "default_dtype")) {
    session_.enter_default_dtype(read_dtype(*dtype));
  } else if (const Json* device = find_member(scope, "device")) {
    session_.enter_default_device(read_device(*device));
  } else {
    const std::string& name = faketensor::text_of(member(scope, "scope", kUsage), "scope", kUsage);
    const std::optional<SessionScope> known = session_scope(name);
    if (!known) throw_error(kUsage, format("no such scope: {}", name));
    session_.enter(*known);
  }
}

void SessionCaller::detect_fake_mode(JsonWriter& json, const Json& args) {
  const Value given = read(args);
  const Value one[] = {given};
  json.value(number_of_mode(session_.detect_fake_mode(
      given.is(Value::Tag::kList) ? given.values() : std::span<const Value>(one))));
}

void SessionCaller::mode_facts(JsonWriter& json, const Json& number) {
  const SessionMode& mode = mode_at(number);
  const auto object = json.object();
  json.field("epoch", mode.epoch());
  json.field("allowNonFakeInputs", mode.options().allow_non_fake_inputs);
  json.field("allowMeta", mode.options().allow_meta);
  json.field("staticShapes", mode.static_shapes());
  json.field("export", mode.options().is_export);
}

void SessionCaller::shape_env(JsonWriter& json, const Json& mode) {
  const std::shared_ptr<ShapeEnv>& env = mode_at(mode).shape_env();
  if (env == nullptr) return json.value(nullptr);
  write_shape_env(json, *env);
}

std::vector<std::string> SessionCaller::guards(const Json& mode) {
  return guards_of(mode_at(mode).shape_env().get());
}

void SessionCaller::cache_info(JsonWriter& json) {
  write_cache_info(json, session_.cache().info());
}

// --- calls ---

// There is no kernel of a custom operator that runs on real tensors, only its fake.
Value SessionCaller::run(OpId op, std::span<const Value> args) {
  const OpEntry& entry = session_.operator_entry(op);
  if (entry.derived == OpEntry::Derived::kFake && session_.mode_for(args) == nullptr)
    throw_no_kernel(entry, "CPU");
  return session_.call(op, args);
}

// --- tensors ---

void SessionCaller::real(JsonWriter& json, const Json& given) {
  reply(json, Value(make_real(session_, reader(), given)), true);
}

void SessionCaller::torch_tensor(JsonWriter& json, const Json& given) {
  reply(json, Value(make_tensor(session_, given)), true);
}

void SessionCaller::constant(JsonWriter& json, const Json& given) {
  reply(json, Value(make_constant(session_, mode_at(member(given, "mode", kUsage)), given)), true);
}

void SessionCaller::from_tensor(JsonWriter& json, const Json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  Tensor* tensor =
      known_tensor(faketensor::number_of(member(given, "tensor", kUsage), "tensor", kUsage));
  const ConversionReader conversion(given, mode);
  reply(json, Value(session_.from_tensor(mode, *tensor, conversion.options)), true);
}

void SessionCaller::from_descriptions(JsonWriter& json, const Json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  reply(json, mode.context().make_list(faketensor::from_descriptions(session_, mode, given)), true);
}

void SessionCaller::fake_copy(JsonWriter& json, const Json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  std::vector<Tensor*> tensors;
  for (const Json& number : list_of(member(given, "tensors", kUsage), "tensors", kUsage))
    tensors.push_back(known_tensor(faketensor::number_of(number, "tensors", kUsage)));
  std::vector<Value> copies;
  for (Tensor* copy : session_.fake_copy(mode, tensors)) copies.emplace_back(*copy);
  reply(json, mode.context().make_list(copies), true);
}

void SessionCaller::facts(JsonWriter& json, double number) {
  const Tensor& tensor = *known_tensor(number);
  const SessionMode* mode = session_.mode_of(tensor);
  const TensorState& state = session_.state(tensor);
  const bool has_history = tensor.meta->has(kRequiresGrad) && !state.grad_fn.empty();
  const auto object = json.object();
  json.field("isLeaf", session_.is_leaf(tensor));
  json.field("isParameter", state.is_parameter);
  json.field("isFake", mode != nullptr);
  json.field("mode", number_of_mode(mode));
  json.field("gradFn", has_history ? std::optional(state.grad_fn) : std::nullopt);
}

void SessionCaller::grad(JsonWriter& json, double number) {
  reply(json, Value(session_.state(*known_tensor(number)).grad), false);
}

void SessionCaller::item(JsonWriter& json, double number) {
  reply(json, session_.call("aten::item", {known_tensor(number)}), true);
}

void SessionCaller::tolist(JsonWriter& json, double number) {
  reply(json, session_.tolist(*known_tensor(number)), true);
}

}  // namespace faketensor::wasm
