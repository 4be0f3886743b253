#include "wasm/session_caller.h"

#include <utility>

#include "core/formats/json_fields.h"
#include "core/io/session_json.h"
#include "core/io/shape_env_description.h"
#include "core/ops/families/sparse.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor::wasm {

using nlohmann::json;

namespace {

constexpr ErrorKind kUsage = ErrorKind::kUsage;

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

json SessionCaller::numbers_in(const Value& value) {
  json numbers = json::array();
  collect_numbers(numbers, value);
  return numbers;
}

// Lists are as deep as a schema's return type.
void SessionCaller::collect_numbers(json& numbers, const Value& value) {
  for (size_t i = 0; value.is_list() && i < value.size(); ++i) collect_numbers(numbers, value[i]);
  const ExprNode* expression = expression_of(value);
  if (expression == nullptr) return;
  const auto [known, is_new] = number_numbers_.emplace(expression, numbers_.size());
  if (is_new) numbers_.push_back(value);
  numbers.push_back(known->second);
}

std::optional<Value> SessionCaller::resolve(const json& object) {
  const json* given = find_member(object, "number");
  if (given == nullptr) return std::nullopt;
  const int64_t number = integer_of(*given, "number", kUsage);
  if (number < 0 || static_cast<size_t>(number) >= numbers_.size())
    throw_error(kUsage, format("there is no number {}", number));
  return numbers_[static_cast<size_t>(number)];
}

SessionMode& SessionCaller::mode_at(const json& mode) {
  const int64_t number = integer_of(mode, "mode", kUsage);
  if (number < 0 || static_cast<size_t>(number) >= modes_.size())
    throw_error(kUsage, format("there is no mode {}", number));
  return *modes_[static_cast<size_t>(number)];
}

json SessionCaller::number_of_mode(const SessionMode* mode) const {
  for (size_t i = 0; i < modes_.size(); ++i) {
    if (modes_[i] == mode) return i;
  }
  return nullptr;
}

// --- modes and scopes ---

json SessionCaller::add_mode(const json& options) {
  std::shared_ptr<ShapeEnv> env;
  const json* described = find_member(options, "shape_env");
  if (described != nullptr && described->is_object()) {
    const json* of = find_member(*described, "of");
    env = of != nullptr ? mode_at(*of).shape_env()
                        : std::make_shared<ShapeEnv>(read_shape_env_options(*described));
  } else if (described != nullptr && bool_of(*described, "shape_env", kUsage)) {
    env = std::make_shared<ShapeEnv>();
  }
  modes_.push_back(&session_.add_mode(read_session_mode(options), std::move(env)));
  return {{"mode", modes_.size() - 1}};
}

void SessionCaller::enter(const json& scope) {
  if (const json* mode = find_member(scope, "mode")) {
    session_.enter(mode_at(*mode));
  } else if (const json* dtype = find_member(scope, "default_dtype")) {
    session_.enter_default_dtype(read_dtype(*dtype));
  } else if (const json* device = find_member(scope, "device")) {
    session_.enter_default_device(read_device(*device));
  } else {
    const std::string& name = faketensor::text_of(member(scope, "scope", kUsage), "scope", kUsage);
    const std::optional<SessionScope> known = session_scope(name);
    if (!known) throw_error(kUsage, format("no such scope: {}", name));
    session_.enter(*known);
  }
}

json SessionCaller::detect_fake_mode(const json& args) {
  const Value given = read(args);
  const Value one[] = {given};
  return number_of_mode(session_.detect_fake_mode(
      given.is(Value::Tag::kList) ? given.values() : std::span<const Value>(one)));
}

json SessionCaller::mode_facts(const json& number) {
  const SessionMode& mode = mode_at(number);
  return {{"epoch", mode.epoch()},
          {"allowNonFakeInputs", mode.options().allow_non_fake_inputs},
          {"allowMeta", mode.options().allow_meta},
          {"staticShapes", mode.static_shapes()},
          {"export", mode.options().is_export}};
}

std::string SessionCaller::shape_env(const json& mode) {
  const std::shared_ptr<ShapeEnv>& env = mode_at(mode).shape_env();
  if (env == nullptr) return "null";
  std::string text;
  append_shape_env(text, *env);
  return text;
}

std::vector<std::string> SessionCaller::guards(const json& mode) {
  return guards_of(mode_at(mode).shape_env().get());
}

std::string SessionCaller::cache_info() {
  std::string text;
  append_cache_info(text, session_.cache().info());
  return text;
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

json SessionCaller::real(const json& given) {
  return reply(Value(make_real(session_, reader(), given)), true);
}

json SessionCaller::torch_tensor(const json& given) {
  return reply(Value(make_tensor(session_, given)), true);
}

json SessionCaller::constant(const json& given) {
  return reply(Value(make_constant(session_, mode_at(member(given, "mode", kUsage)), given)), true);
}

json SessionCaller::from_tensor(const json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  Tensor* tensor =
      known_tensor(faketensor::number_of(member(given, "tensor", kUsage), "tensor", kUsage));
  const ConversionReader conversion(given, mode);
  return reply(Value(session_.from_tensor(mode, *tensor, conversion.options)), true);
}

json SessionCaller::from_descriptions(const json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  return reply(mode.context().make_list(faketensor::from_descriptions(session_, mode, given)),
               true);
}

json SessionCaller::fake_copy(const json& given) {
  SessionMode& mode = mode_at(member(given, "mode", kUsage));
  std::vector<Tensor*> tensors;
  for (const json& number : list_of(member(given, "tensors", kUsage), "tensors", kUsage))
    tensors.push_back(known_tensor(faketensor::number_of(number, "tensors", kUsage)));
  std::vector<Value> copies;
  for (Tensor* copy : session_.fake_copy(mode, tensors)) copies.emplace_back(*copy);
  return reply(mode.context().make_list(copies), true);
}

json SessionCaller::facts(double number) {
  const Tensor& tensor = *known_tensor(number);
  const SessionMode* mode = session_.mode_of(tensor);
  const TensorState& state = session_.state(tensor);
  const bool has_history = tensor.meta->has(kRequiresGrad) && !state.grad_fn.empty();
  return {{"isLeaf", session_.is_leaf(tensor)},
          {"isParameter", state.is_parameter},
          {"isFake", mode != nullptr},
          {"mode", number_of_mode(mode)},
          {"gradFn", has_history ? json(state.grad_fn) : json(nullptr)}};
}

json SessionCaller::grad(double number) {
  return reply(Value(session_.state(*known_tensor(number)).grad), false);
}

json SessionCaller::item(double number) {
  return reply(session_.call("aten::item", {known_tensor(number)}), true);
}

json SessionCaller::tolist(double number) {
  return reply(session_.tolist(*known_tensor(number)), true);
}

}  // namespace faketensor::wasm
