#include "core/ops/library.h"

#include <algorithm>
#include <iterator>

#include "core/symbolic/shape_env.h"

namespace faketensor {

// --- FakeCall ---

SymInt FakeCall::new_dynamic_size(int64_t min, std::optional<int64_t> max) {
  const SymInt size = unbacked_int(ErrorKind::kDynamicOutputShape);
  if (min < 0) {
    fail(ErrorKind::kValueError,
         format("ctx.new_dynamic_size(min={}, ...): expected min to be greater than or equal to 0: "
                "this API can only create non-negative sizes.",
                min));
  }
  if (max && *max < min) {
    fail(ErrorKind::kValueError,
         format("Maximum value to constrain_as_size can't be less than the specified min value, "
                "received min={} and max={}",
                min, *max));
  }
  context().shape_env()->constrain_range_for_size(size, min, max.value_or(kIntInfinity));
  return size;
}

namespace {

// repr(). An integer given for a float is a float by the time Python sees it.
void append_argument(std::string& out, const Argument& argument, const Value& value) {
  if (value.is(Value::Tag::kDevice)) {
    out += format("device(type='{}'", name(value.device().type));
    if (value.device().index >= 0) out += format(", index={}", int{value.device().index});
    out += ')';
    return;
  }
  append_text(out, value);
  if (argument.type.kind == ArgKind::kFloat && value.is(Value::Tag::kInt)) out += ".0";
}

}  // namespace

std::span<const Value> FakeCall::positional() const {
  const std::span<const Argument> arguments = op().schema.arguments;
  size_t count = 0;
  while (count < arguments.size() && !arguments[count].is_keyword_only) ++count;
  while (count > 0 && is_default(arguments[count - 1], arg(count - 1))) --count;
  return args().first(count);
}

SmallVector<FakeCall::KeywordArgument, 4> FakeCall::keywords() const {
  SmallVector<KeywordArgument, 4> given;
  const std::span<const Argument> arguments = op().schema.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_keyword_only && !is_default(arguments[i], arg(i)))
      given.push_back({arguments[i].name, arg(i)});
  }
  return given;
}

std::string FakeCall::arguments_text() const {
  const std::span<const Argument> arguments = op().schema.arguments;
  const std::span<const Value> values = positional();
  std::string text = "((";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    append_argument(text, arguments[i], values[i]);
  }
  text += values.size() == 1 ? ",), {" : "), {";
  bool is_first = true;
  for (const KeywordArgument& keyword : keywords()) {
    text.append(is_first ? "'" : ", '").append(keyword.name).append("': ");
    append_argument(text, arguments[static_cast<size_t>(op().schema.find_argument(keyword.name))],
                    keyword.value);
    is_first = false;
  }
  return text + "})";
}

// --- Library ---

namespace {

[[noreturn]] void throw_bad_name(std::string_view name) {
  throw_error(ErrorKind::kValueError,
              format("Expected `qualname` to be of the form \"namespace::name\", but got {}. The "
                     "qualname passed to the torch.library APIs must consist of a namespace and a "
                     "name, e.g. aten::sin",
                     name));
}

void check_name(std::string_view name) {
  const size_t colons = name.find("::");
  if (colons == std::string_view::npos || colons == 0 || colons + 2 == name.size() ||
      name.find("::", colons + 2) != std::string_view::npos)
    throw_bad_name(name);
  if (name.starts_with("prim::")) {
    throw_error(ErrorKind::kValueError,
                "prim is a reserved namespace. Please try creating a library with another name.");
  }
}

// torch.library.define: NAMELESS_SCHEMA, r"\(.*\) -> .*".
void check_signature(std::string_view signature) {
  const size_t arrow = signature.rfind(") -> ");
  if (signature.starts_with("(") && arrow != std::string_view::npos) return;
  throw_error(
      ErrorKind::kValueError,
      format("define(qualname, schema, ...): expected schema to look like e.g. \"(Tensor x) "
             "-> Tensor\" but got \"{}\"",
             signature));
}

// The words that PyTorch's parser of schemas knows beside those that have an ArgKind; a word that
// begins in lower case is a type variable.
bool is_type_word(std::string_view word) {
  static constexpr std::string_view kOthers[] = {"Storage", "Stream",   "QScheme",     "Any",
                                                 "Dict",    "Future",   "Await",       "RRef",
                                                 "Union",   "NoneType", "AnyClassType"};
  return word.empty() || (word[0] >= 'a' && word[0] <= 'z') || word.starts_with("__torch__") ||
         std::find(std::begin(kOthers), std::end(kOthers), word) != std::end(kOthers);
}

void check_type(const Schema& schema, const Argument& argument) {
  const std::string_view word =
      argument.type.text.substr(0, argument.type.text.find_first_of("([?"));
  if (argument.type.kind != ArgKind::kOther || is_type_word(word)) return;
  throw_error(
      ErrorKind::kRuntimeError,
      format("unknown type specifier '{}'. Common valid schema types include Tensor, SymInt, "
             "int, float, bool, Scalar: {}",
             word, schema.text));
}

void check_default(const Schema& schema, const Argument& argument) {
  if (!argument.has_default || argument.default_text == "None") return;
  const ArgKind kind = argument.type.kind;
  const bool is_number = kind == ArgKind::kInt || kind == ArgKind::kFloat;
  const std::string_view text = argument.default_text;
  if (argument.type.is_list && text.starts_with("[") && !is_number && kind != ArgKind::kBool &&
      kind != ArgKind::kComplex) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("lists are only supported for float, int and complex types: {}", schema.text));
  }
  if (!is_number || argument.type.is_list || text == "Mean" || text == "inf" || text == "-inf" ||
      text.find_first_not_of("+-0123456789.eE") == std::string_view::npos)
    return;
  throw_error(ErrorKind::kRuntimeError,
              format("invalid numeric default value '{}': {}", text, schema.text));
}

Schema parse_definition(std::string_view text, Arena& arena) {
  Schema schema;
  try {
    schema = parse_schema(arena.copy(text), arena);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kValueError) throw;
    throw_error(ErrorKind::kRuntimeError, error.message());
  }
  for (const Argument& argument : schema.arguments) {
    if (argument.name.empty()) {
      throw_error(ErrorKind::kRuntimeError,
                  format("schema '{}': an argument without a name", schema.text));
    }
    check_type(schema, argument);
    check_default(schema, argument);
  }
  for (const Argument& result : schema.returns) check_type(schema, result);
  return schema;
}

OpEntry fake_entry(const Schema& schema, Arena& arena, OpId id) {
  OpEntry entry;
  entry.schema = schema;
  entry.name = arena.copy(std::string_view(schema.full_name()));
  entry.id = id;
  entry.derived = OpEntry::Derived::kFake;
  complete_entry(entry);
  return entry;
}

// A fake answers in place of the operator's rule; what else is known of the operator stays.
OpEntry override_entry(const OpEntry& builtin, Arena& arena) {
  OpEntry entry = fake_entry(builtin.schema, arena, builtin.id);
  entry.tags = builtin.tags & kInplaceView;
  entry.facts = builtin.facts;
  return entry;
}

[[noreturn]] void throw_no_operator(std::string_view name) {
  throw_error(ErrorKind::kRuntimeError, format("operator {} does not exist", name));
}

}  // namespace

OpId Library::define(std::string_view name, std::string_view signature, OperatorTraits traits) {
  check_name(name);
  check_signature(signature);
  if (find(name) != kNoOp) {
    throw_error(ErrorKind::kRuntimeError,
                format("Tried to register an operator ({}{}) with the same name and overload name "
                       "multiple times. Each overload's schema should only be registered with a "
                       "single call to def().",
                       name, signature));
  }
  const auto id = static_cast<OpId>(kFirstCustomOp + operators_.size());
  const Schema schema = parse_definition(std::string(name).append(signature), arena_);
  Operator& op = operators_.emplace_back();
  op.entry = fake_entry(schema, arena_, id);
  op.traits = std::move(traits);
  ids_[op.entry.name] = id;
  if (schema.overload.empty()) ids_[schema.name] = id;
  return id;
}

OpId Library::define(std::string_view schema, OperatorTraits traits) {
  const size_t open = std::min(schema.find('('), schema.size());
  return define(schema.substr(0, open), schema.substr(open), std::move(traits));
}

void Library::remove(std::string_view name) {
  Operator* op = own(find(name));
  if (op == nullptr) throw_no_operator(name);
  ids_.erase(op->entry.name);
  if (op->entry.schema.overload.empty()) ids_.erase(op->entry.schema.name);
  op->fakes.clear();
  op->kernel.reset();
}

OpId Library::find(std::string_view name) const {
  const auto found = ids_.find(Registry::qualified(name));
  return found == ids_.end() ? Registry::builtin().find(name) : found->second;
}

Library::Operator* Library::own(OpId id) {
  return const_cast<Operator*>(std::as_const(*this).own(id));
}

const Library::Operator* Library::own(OpId id) const {
  if (id == kNoOp) return nullptr;
  if (id >= kFirstCustomOp) return &operators_[id - kFirstCustomOp];
  const auto found = overrides_.find(id);
  return found == overrides_.end() || found->second.fakes.empty() ? nullptr : &found->second;
}

const OpEntry& Library::entry(OpId id) const {
  const Operator* op = own(id);
  return op != nullptr ? op->entry : Registry::builtin().entry(id);
}

OpId Library::find_or_override(std::string_view name) {
  const OpId id = find(name);
  if (id == kNoOp) throw_no_operator(name);
  if (id >= kFirstCustomOp) return id;
  const OpEntry& builtin = Registry::builtin().entry(id);
  if ((builtin.tags & kComposite) != 0) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("We should not register a meta kernel directly to the operator '{}', because "
               "it has a CompositeImplicitAutograd kernel in core. Instead we should let the "
               "operator decompose, and ensure that we have meta kernels for the base ops "
               "that it decomposes into.",
               name));
  }
  if (overrides_.find(id) == overrides_.end())
    overrides_[id].entry = override_entry(builtin, arena_);
  return id;
}

Library::Pushed Library::push(std::string_view name, FakeImpl fake) {
  Pushed pushed = {find_or_override(name), next_number_++, nullptr};
  Operator& op = pushed.op >= kFirstCustomOp ? operators_[pushed.op - kFirstCustomOp]
                                             : overrides_.at(pushed.op);
  if (!op.traits.custom_op_function.empty() && !op.fakes.empty()) {
    pushed.replaced = std::move(op.fakes.back().run);
    op.fakes.pop_back();
  }
  op.fakes.push_back({pushed.number, std::make_shared<const FakeImpl>(std::move(fake))});
  return pushed;
}

void Library::pop(const Pushed& pushed) {
  Operator* op = own(pushed.op);
  if (op == nullptr || op->fakes.empty()) return;
  if (!op->traits.custom_op_function.empty()) {
    if (pushed.replaced != nullptr) op->fakes.back() = {next_number_++, pushed.replaced};
    return;
  }
  std::erase_if(op->fakes, [&](const Fake& fake) { return fake.number == pushed.number; });
}

void Library::register_kernel(std::string_view name, FakeImpl kernel) {
  const OpId id = find(name);
  if (id == kNoOp || id < kFirstCustomOp) throw_no_operator(name);
  own(id)->kernel = std::make_shared<const FakeImpl>(std::move(kernel));
}

bool Library::has_fake(std::string_view name) const {
  const Operator* op = own(find(name));
  return op != nullptr && !op->fakes.empty();
}

Value Library::run_fake(FakeCall& call) const {
  const Operator& op = *own(call.op().id);
  // Held: the fake may take itself away.
  const std::shared_ptr<const FakeImpl> run = op.fakes.empty() ? op.kernel : op.fakes.back().run;
  return run != nullptr ? (*run)(call) : answer_without_fake(op, call);
}

// torch._library.utils.can_generate_trivial_fake_impl: who only writes to its arguments needs no
// fake.
Value Library::answer_without_fake(const Operator& op, FakeCall& call) {
  const Schema& schema = op.entry.schema;
  if (op.traits.returns_first_argument) return call.arg(0);
  if (op.traits.returns_out_arguments) {
    SmallVector<Value, 4> outs;
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].is_written()) outs.push_back(call.arg(i));
    }
    return outs.size() == 1 ? outs[0] : call.list(outs.span());
  }
  if (op.entry.written_arguments != 0 && schema.returns.empty()) return {};
  if (!op.traits.custom_op_function.empty()) {
    call.fail(
        ErrorKind::kRuntimeError,
        format("There was no fake impl registered for <CustomOpDef({})>. This is necessary for "
               "torch.compile/export/fx tracing to work. Please use `{}.register_fake` to add "
               "an fake impl.",
               schema.name, op.traits.custom_op_function));
  }
  call.fail(ErrorKind::kUnsupportedOperator, op.entry.python_name());
}

}  // namespace faketensor
