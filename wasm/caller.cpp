#include "wasm/caller.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/profiles/fake_by_text.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"
#include "wasm/reply.h"

namespace faketensor::wasm {

namespace {

constexpr int kMaxDepth = 16;  // of lists in an argument
constexpr size_t kMaxConstants = 4096;
constexpr int64_t kMaxExactDouble = int64_t{1} << 53;

// A list of sizes: numbers and expressions.
std::vector<std::string> size_texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& size : list_of(list, "size", ErrorKind::kUsage)) {
    texts.push_back(size.is_string() ? size.get<std::string>()
                                     : std::to_string(integer_of(size, "size", ErrorKind::kUsage)));
  }
  return texts;
}

template <typename T>
std::optional<T> named(const Json& given, const char* name,
                       std::optional<T> (*parse)(std::string_view)) {
  const Json* text = find_member(given, name);
  if (text == nullptr || *text == "") return std::nullopt;
  const std::optional<T> value = parse(text_of(*text, name, ErrorKind::kUsage));
  if (!value) throw_error(ErrorKind::kUsage, format("'{}' is no {}", excerpt(*text), name));
  return value;
}

ShapeRule shape_rule(const Json& given) {
  ShapeRule rule;
  rule.sizes = size_texts(member(given, "size", ErrorKind::kUsage));
  if (const Json* stride = find_member(given, "stride")) rule.strides = size_texts(*stride);
  rule.dtype = named(given, "dtype", &parse_dtype);
  rule.device = named(given, "device", &parse_device);
  return rule;
}

// A fake without code: {"body": "graph(): ..."} or {"shapes": [{"size": ["x0_0 + 4", 2]}]}.
FakeImpl fake_by_json(const std::string& text) {
  const Json given = parse_json(text, "a fake");
  if (const Json* body = find_member(given, "body"))
    return fake_by_body(text_of(*body, "body", ErrorKind::kUsage));
  std::vector<ShapeRule> rules;
  const Json& shapes = member(given, "shapes", ErrorKind::kUsage);
  for (const Json& shape : list_of(shapes, "shapes", ErrorKind::kUsage))
    rules.push_back(shape_rule(shape));
  return fake_by_shapes(std::move(rules));
}

// The metadata, before a call, of the tensors that the call may change.
class Written {
 public:
  Written(const OpEntry& op, std::span<const Value> args) {
    for (size_t i = 0; op.written_arguments != 0 && i < args.size(); ++i) {
      if (op.schema.arguments[i].is_written()) add(args[i]);
    }
  }
  // Other tensors change only with these: views of a storage that was resized.
  bool has_changed() const {
    return std::any_of(before_.begin(), before_.end(), [](const TensorRecord& before) {
      const TensorRecord now = TensorRecord::of(*before.tensor);
      return now.meta != before.meta || now.storage != before.storage ||
             !same_expr(now.nbytes, before.nbytes);
    });
  }

 private:
  void add(const Value& value) {
    if (value.is_tensor()) before_.push_back(TensorRecord::of(value.tensor()));
    if (!value.is(Value::Tag::kList)) return;
    for (const Value& element : value.values()) add(element);
  }
  SmallVector<TensorRecord, 4> before_;
};

bool is_exact(SymInt value) {
  return !value.is_symbolic() && value.as_int() <= kMaxExactDouble &&
         value.as_int() >= -kMaxExactDouble;
}

// Whether sizes, strides, offset, dtype, device and storage describe all of a tensor.
bool is_plain(const Tensor& tensor) {
  const TensorMeta& meta = *tensor.meta;
  return meta.layout() == Layout::kStrided && (meta.flags() & kGivenFlags) == 0 &&
         tensor.storage != nullptr && is_exact(meta.offset()) && is_exact(tensor.storage->nbytes) &&
         std::all_of(meta.sizes().begin(), meta.sizes().end(), is_exact) &&
         std::all_of(meta.strides().begin(), meta.strides().end(), is_exact);
}

}  // namespace

// --- tensors by number ---

namespace {

bool contains(std::span<const Value> values, const Tensor& tensor) {
  return std::any_of(values.begin(), values.end(), [&](const Value& value) {
    return value.is_tensor() ? &value.tensor() == &tensor
                             : value.is(Value::Tag::kList) && contains(value.values(), tensor);
  });
}

}  // namespace

// Lists are as deep as a schema's return type.
void Caller::hold_tensors(const Value& value, std::span<const Value> arguments) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) hold_tensors(element, arguments);
  }
  if (!value.is_tensor() || contains(arguments, value.tensor())) return;
  Held& held = held_[number_of(value.tensor())];
  held.tensor = &value.tensor();
  ++held.times;
}

void Caller::release(size_t count, CallArea& area) {
  area.rewind();
  for (size_t i = 0; i < std::min(count, CallArea::kSize); ++i) {
    const double number = area.take();
    if (!(number >= 0 && number < 0x1p32)) continue;
    const auto found = held_.find(static_cast<uint32_t>(number));
    if (found != held_.end() && --found->second.times == 0) held_.erase(found);
  }
}

// Marking takes time in proportion to what is kept, so it is done once in as many calls.
void Caller::count_call() {
  constexpr size_t kFewest = size_t{1} << 13;
  // A call that a fake makes: the outer one has values of its own. A profile points to what it saw.
  if (frame_ != nullptr || keepers_ > 0) return;
  const size_t made = mode_.context().tensor_count() - tensors_before_;
  if (++calls_ + made > std::max(kFewest, 2 * held_.size())) free_unheld();
}

void Caller::free_unheld() {
  std::vector<Tensor*> kept;
  kept.reserve(held_.size());
  for (const auto& [id, held] : held_) {
    if (mode_.context().owns(*held.tensor)) kept.push_back(held.tensor);
  }
  mode_.context().free_all_but(kept);
  // These know tensors by their addresses.
  start_reader();
  writer_ = ValueWriter();
  calls_ = 0;
  tensors_before_ = mode_.context().tensor_count();
}

void Caller::start_reader() {
  reader_.emplace(mode_);
  reader_->resolve = [this](const Json& object) { return resolve(object); };
}

Tensor* Caller::known_tensor(double number) const {
  const bool is_id = number >= 0 && number < 0x1p32;
  const auto found = is_id ? held_.find(static_cast<uint32_t>(number)) : held_.end();
  if (found == held_.end()) throw_error(ErrorKind::kUsage, format("there is no tensor {}", number));
  return found->second.tensor;
}

void Caller::tensor(JsonWriter& json, double number) { write(json, Value(known_tensor(number))); }

// --- operators ---

OpId Caller::find(const std::string& name) {
  const OpId op = library().find(name);
  if (op != kNoOp) return op;
  Error error(ErrorKind::kUnsupportedOperator, name);
  error.set_op(name);
  throw error;
}

void Caller::find_operator(JsonWriter& json, const std::string& name) {
  const OpId op = find(name);
  const auto found = std::find(operators_.begin(), operators_.end(), op);
  const auto number = static_cast<size_t>(found - operators_.begin());
  if (found == operators_.end()) operators_.push_back(op);
  const auto object = json.object();
  json.field("op", number);
  const auto arguments = json.array("arguments");
  for (const Argument& argument : library().entry(op).schema.arguments) json.value(argument.name);
}

int Caller::push_fake(const std::string& name, const emscripten::val& fake) {
  FakeImpl run = fake.isString()
                     ? fake_by_json(fake.as<std::string>())
                     : FakeImpl([this, fake](FakeCall& call) { return run_fake(call, fake); });
  fakes_.emplace(++last_scope_, Library::ScopedFake(library(), name, std::move(run)));
  return last_scope_;
}

void Caller::push_profiles(JsonWriter& json, const OpProfiles& profiles) {
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& line) { warnings.push_back(line); };
  generated_.emplace(++last_scope_, GeneratedFakes(library(), profiles, warn));
  const auto object = json.object();
  json.field("scope", last_scope_);
  json.field("warnings", warnings);
}

Value Caller::run_fake(FakeCall& call, const emscripten::val& fake) {
  const std::string arguments = written([&](JsonWriter& json) {
    const auto object = json.object();
    for (size_t i = 0; i < call.args().size(); ++i) {
      write(json.key(call.op().schema.arguments[i].name), call.arg(i));
      hold_tensors(call.arg(i));
    }
  });
  const std::string numbers =
      written([&](JsonWriter& json) { json.value(numbers_in(Value::list(call.args()))); });
  FakeCall* const outer = std::exchange(frame_, &call);
  const emscripten::val answer = fake(arguments, numbers);
  frame_ = outer;
  if (!answer.isString())
    throw_error(ErrorKind::kUsage, format("the fake of {} failed", call.op().schema.name));
  const Json result = parse_json(answer.as<std::string>(), "a fake's result");
  return read(result);
}

Value Caller::read(const Json& value) {
  name_known(value);
  return reader_->read(value);
}

void Caller::new_size(JsonWriter& json, const Json& range) {
  if (frame_ == nullptr) throw_error(ErrorKind::kUsage, "sizes are made while a fake runs");
  std::optional<int64_t> max;
  if (const Json* most = find_member(range, "max"))
    max = integer_of(*most, "max", ErrorKind::kUsage);
  const Json* least = find_member(range, "min");
  const int64_t min = least == nullptr ? 0 : integer_of(*least, "min", ErrorKind::kUsage);
  reply(json, frame_->new_dynamic_size(min, max), false);
}

// --- calls as numbers ---

namespace {

// A value that stays good when what calls made is freed.
Value kept_in(Arena& arena, const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kString:
      return Value::string(arena.copy(value.text()));
    case Value::Tag::kComplex:
      return Value::complex(arena.copy(std::span<const double>(value.as_complex(), 2)).data());
    case Value::Tag::kIntList:
      return Value::ints(arena.copy(value.ints()));
    case Value::Tag::kList: {
      const std::span<Value> kept = arena.make_array<Value>(value.size());
      for (size_t i = 0; i < kept.size(); ++i) kept[i] = kept_in(arena, value[i]);
      return Value::list(kept);
    }
    default:
      return value;
  }
}

bool has_tensor(const Value& value) {
  if (!value.is(Value::Tag::kList)) return value.is_tensor();
  return std::any_of(value.values().begin(), value.values().end(), has_tensor);
}

}  // namespace

// Tensors are named by their numbers, which are not kept: null for these, too.
void Caller::add_constant(JsonWriter& json, const Json& value) {
  if (constants_.size() >= kMaxConstants) return json.value(nullptr);
  const Value constant = reader_->read(value);
  if (has_tensor(constant)) return json.value(nullptr);
  constants_.push_back(kept_in(constants_arena_, constant));
  json.value(constants_.size() - 1);
}

Value Caller::read(CallArea& area, int depth) {
  switch (area.take_tag()) {
    case PackedTag::kUnset:
      return Value::unset();
    case PackedTag::kFalse:
      return false;
    case PackedTag::kTrue:
      return true;
    case PackedTag::kInt: {
      const double number = area.take();
      // Below 2^63, where the conversion is defined; larger ones come as JSON.
      if (!(std::fabs(number) < 0x1p63)) throw_error(ErrorKind::kUsage, "an int out of range");
      return static_cast<int64_t>(number);
    }
    case PackedTag::kFloat:
      return area.take();
    case PackedTag::kTensor:
      return known_tensor(area.take());
    case PackedTag::kList:
      return read_list(area, depth + 1);
    case PackedTag::kConstant: {
      const double number = area.take();
      if (!(number >= 0 && number < static_cast<double>(constants_.size())))
        throw_error(ErrorKind::kUsage, format("there is no constant {}", number));
      return constants_[static_cast<size_t>(number)];
    }
    case PackedTag::kNone:
      break;
  }
  return Value();
}

// As ValueReader reads a list: one of ints alone is packed.
Value Caller::read_list(CallArea& area, int depth) {
  if (depth > kMaxDepth)
    throw_error(ErrorKind::kLimitExceeded, format("a value nested more than {} deep", kMaxDepth));
  const size_t count = area.take_count();
  SmallVector<Value, 8> values;
  bool all_ints = count > 0;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(read(area, depth));
    all_ints = all_ints && values.back().is(Value::Tag::kInt);
  }
  if (!all_ints) return mode_.context().make_list(values.span());
  DimVector ints;
  for (const Value& element : values) ints.push_back(element.as_sym_int());
  return mode_.context().make_ints(ints);
}

namespace {
void put(CallArea& area, SymInt value) { area.put(static_cast<double>(value.as_int())); }
}  // namespace

// False for what the area cannot hold.
bool Caller::write_answer(CallArea& area, const Value& out, std::span<const Value> args) {
  switch (out.tag()) {
    case Value::Tag::kNone:
      area.put(PackedTag::kNone);
      return true;
    case Value::Tag::kBool:
      if (out.as_sym_bool().is_symbolic()) return false;
      area.put(out.as_sym_bool().as_bool() ? PackedTag::kTrue : PackedTag::kFalse);
      return true;
    case Value::Tag::kInt:
      if (!is_exact(out.as_sym_int())) return false;
      area.put(PackedTag::kInt);
      put(area, out.as_sym_int());
      return true;
    case Value::Tag::kTensor:
      area.put(PackedTag::kTensor);
      return write_tensor(area, out.tensor(), args);
    case Value::Tag::kList:
    case Value::Tag::kIntList:
      area.put(PackedTag::kList);
      area.put(static_cast<double>(out.size()));
      for (size_t i = 0; i < out.size(); ++i) {
        if (!write_answer(area, out[i], args)) return false;
      }
      return true;
    default:
      return false;
  }
}

bool Caller::write_tensor(CallArea& area, const Tensor& tensor, std::span<const Value> args) {
  const bool is_argument = contains(args, tensor);
  area.put(number_of(tensor));
  area.put(is_argument ? 1 : 0);
  if (is_argument) return true;
  if (!is_plain(tensor)) return false;
  const TensorMeta& meta = *tensor.meta;
  area.put(static_cast<double>(meta.rank()));
  for (const SymInt size : meta.sizes()) put(area, size);
  for (const SymInt stride : meta.strides()) put(area, stride);
  put(area, meta.offset());
  area.put(static_cast<double>(meta.dtype()));
  area.put(static_cast<double>(meta.device().type));
  area.put(meta.device().index);
  area.put(number_of(*tensor.storage));
  put(area, tensor.storage->nbytes);
  return true;
}

std::string Caller::call_packed(size_t number, CallArea& area) {
  if (number >= operators_.size())
    throw_error(ErrorKind::kUsage, format("there is no operator {}", number));
  count_call();
  const OpId op = operators_[number];
  area.rewind();
  SmallVector<Value, 8> args;
  const size_t count = area.take_count();
  for (size_t i = 0; i < count; ++i) args.push_back(read(area, 0));
  const Written arguments(library().entry(op), args.span());
  const Value out = run(op, args.span());
  const bool has_changed = arguments.has_changed();
  area.start_answer();
  const bool fits = write_answer(area, out, args.span());
  area.put(has_changed ? 1 : 0);
  if (!fits || area.is_full())
    return written([&](JsonWriter& json) { reply(json, out, has_changed); });
  hold_tensors(out, args.span());
  return {};
}

// --- calls as JSON ---

void Caller::call(JsonWriter& json, const Json& request) {
  count_call();
  const OpId op = find(text_member(request, "op"));
  const OpEntry& entry = library().entry(op);
  name_known(request);
  const std::vector<Value> args =
      bind_arguments(entry.schema, member(request, "args"), member(request, "kwargs"), *reader_);
  const Written arguments(entry, args);
  const Value out = run(op, args);
  reply(json, out, arguments.has_changed());
}

void Caller::reply(JsonWriter& json, const Value& out, bool has_changed) {
  hold_tensors(out);
  const auto object = json.object();
  write(json.key("out"), out);
  json.field("changed", has_changed);
  const std::optional<std::vector<uint32_t>> numbers = numbers_in(out);
  if (numbers) json.field("numbers", *numbers);
}

void Caller::write(JsonWriter& json, const Value& value) {
  name_tensors(value);
  writer_.write(json, value);
}

// In texts tensors and storages have the numbers that JavaScript knows.
void Caller::name_tensors(const Value& value) {
  if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) name_tensors(element);
  }
  if (!value.is_tensor()) return;
  const Tensor& tensor = value.tensor();
  writer_.name_tensor(&tensor, number_of(tensor));
  if (tensor.storage != nullptr) writer_.name_storage(tensor.storage, number_of(*tensor.storage));
}

// Tells the reader of the tensors that a request names.
void Caller::name_known(const Json& value, int depth) {
  if (depth > kMaxDepth) return;  // the reader refuses it
  if (value.is_object() && value.contains("t")) {
    const int64_t number = integer_of(value["t"], "t");
    reader_->name_tensor(number, known_tensor(static_cast<double>(number)));
  } else if (value.is_structured()) {
    for (const Json& element : value) name_known(element, depth + 1);
  }
}

// --- ft.mode() ---

ModeCaller::ModeCaller(const ModeOptions& options) : Caller(options.target) {
  if (!options.shape_env) return;
  Context& context = mode_.context();
  mode_.attach_shape_env(std::make_shared<ShapeEnv>(*options.shape_env));
  context.allow_scalar_outputs = options.shape_env->allow_scalar_outputs;
  context.allow_dynamic_shapes = options.shape_env->allow_dynamic_output_shape_ops;
}

void ModeCaller::check_between_calls() const {
  if (is_in_fake()) throw_error(ErrorKind::kUsage, "a fake cannot start, step or stop a profile");
}

void ModeCaller::begin_profile(const Profile& profile) {
  check_between_calls();
  if (is_traced_)
    throw_error(ErrorKind::kUsage, "a profile cannot start while a function is traced");
  if (profile_ != nullptr)
    throw_error(ErrorKind::kRuntimeError, "Profiler is already enabled on this thread.");
  profile_ = &profile;
  ++keepers_;
}

void ModeCaller::end_profile() {
  profile_ = nullptr;
  --keepers_;
}

bool ModeCaller::decide(const std::string& condition) {
  ShapeEnv* const env = mode_.context().shape_env();
  ExprPool numbers;
  ExprPool& pool = env == nullptr ? numbers : env->pool();
  const ExprNode* const parsed = parse_expr(pool, condition);
  if (parsed->kind == ExprKind::kBoolean) return parsed == pool.boolean(true);
  if (env == nullptr || parsed->type != ExprType::kBool)
    throw_error(ErrorKind::kUsage,
                format("'{}' is no condition of numbers and the mode's sizes", condition));
  return env->evaluate_bool(parsed);
}

std::vector<std::string> ModeCaller::guards() { return guards_of(mode_.context().shape_env()); }

std::vector<std::string> guards_of(const ShapeEnv* env) {
  std::vector<std::string> texts;
  if (env == nullptr) return texts;
  for (const Guard& guard : env->guards()) texts.push_back(to_string(guard.condition));
  for (const RuntimeAssert& deferred : env->deferred_runtime_asserts())
    texts.push_back(to_string(deferred.condition));
  return texts;
}

}  // namespace faketensor::wasm
