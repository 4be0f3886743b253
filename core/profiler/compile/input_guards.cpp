#include "core/profiler/compile/input_guards.h"

#include <algorithm>
#include <tuple>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// The keys that the dispatcher sees of a dense tensor. In inference mode autograd's is left out.
std::string dispatch_keys(const Tensor& tensor, const ProgramState& state) {
  const DeviceType type = tensor.device().type;
  const std::string_view backend = type == DeviceType::kCPU    ? "CPU"
                                   : type == DeviceType::kCUDA ? "CUDA"
                                                               : "Meta";
  std::string keys = format("DispatchKeySet({}, BackendSelect, ADInplaceOrView", backend);
  if (!state.inference_mode) keys += format(", Autograd{}", backend);
  return keys + ")";
}

// A size or stride of a traced tensor that is a number, or turned out to be one.
std::optional<int64_t> known(SymInt value, ShapeEnv& env) {
  if (!value.is_symbolic()) return hint(value);
  const ExprNode* now = env.replace(value.node());
  if (now->kind != ExprKind::kInteger) return std::nullopt;
  return now->number.integer;
}

bool is_same(const Target& a, const Target& b) {
  const auto fields = [](const Target& of) {
    return std::tie(of.name, of.torch, of.build, of.cudnn, of.sm, of.deterministic,
                    of.cudnn_enabled, of.mkldnn_enabled);
  };
  return fields(a) == fields(b);
}

bool has(const std::vector<size_t>& dims) { return !dims.empty(); }

}  // namespace

std::string_view python_class(const Value& value, bool is_tuple) {
  switch (value.tag()) {
    case Value::Tag::kNone:
      return "NoneType";
    case Value::Tag::kBool:
      return "bool";
    case Value::Tag::kInt:
      return "int";
    case Value::Tag::kFloat:
      return "float";
    case Value::Tag::kComplex:
      return "complex";
    case Value::Tag::kString:
      return "str";
    case Value::Tag::kTensor:
      return "torch.Tensor";
    case Value::Tag::kDType:
      return "torch.dtype";
    case Value::Tag::kDevice:
      return "torch.device";
    case Value::Tag::kList:
    case Value::Tag::kIntList:
      return is_tuple ? "tuple" : "list";
    default:
      return "object";
  }
}

std::string python_repr(const Value& value) {
  std::string text;
  if (!value.is(Value::Tag::kString)) {
    append_text(text, value);
    return text;
  }
  // Python quotes with ' unless the text has one and no ".
  const std::string_view content = value.text();
  const bool is_double =
      content.find('\'') != std::string_view::npos && content.find('"') == std::string_view::npos;
  const char quote = is_double ? '"' : '\'';
  text += quote;
  for (const char c : content) {
    if (c == quote || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + quote;
}

InputGuards::InputGuards(std::span<const FrameInput> inputs, const TracedInputs& traced,
                         ShapeEnv& env, const ProgramState& state)
    : state_(state) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    names_.push_back(inputs[i].name);
    if (inputs[i].use == FrameInput::kUnused) continue;
    guards_.push_back(
        guard_of(inputs[i], inputs[i].value, traced.values()[i], inputs[i].name, i, env));
  }
  std::stable_sort(guards_.begin(), guards_.end(), [](const Guard& a, const Guard& b) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  add_aliases(inputs);
  shape_guards_ = {produce_guards(env, traced.guarded()),
                   {traced.paths().begin(), traced.paths().end()}};
}

InputGuards::TensorGuard InputGuards::tensor_guard(const FrameInput& input, const Tensor& given,
                                                   const Tensor& traced, ShapeEnv& env,
                                                   const ProgramState& state) {
  TensorGuard guard;
  guard.dtype = given.dtype();
  guard.device = given.device();
  guard.requires_grad = given.meta->has(kRequiresGrad);
  guard.dispatch_keys = dispatch_keys(given, state);
  for (const SymInt size : traced.sizes()) guard.sizes.push_back(known(size, env));
  for (const SymInt stride : traced.strides()) guard.strides.push_back(known(stride, env));
  guard.dynamic_dims = input.dynamic_dims;
  guard.static_dims = input.static_dims;
  return guard;
}

InputGuards::Guard InputGuards::guard_of(const FrameInput& input, const Value& value,
                                         const Value& traced, const std::string& name,
                                         size_t position, ShapeEnv& env) {
  Guard guard{
      .position = position, .name = name, .type = std::string(python_class(value, input.is_tuple))};
  if (value.is_tensor()) {
    guard.kind = Guard::Kind::kTensor;
    guard.tensor = tensor_guard(input, value.tensor(), traced.tensor(), env, state_);
  } else if (value.is_list()) {
    guard.kind = Guard::Kind::kList;
    for (size_t i = 0; i < value.size(); ++i)
      guard.elements.push_back(
          guard_of(input, value[i], traced[i], format("{}[{}]", name, i), i, env));
  } else if (traced.is_symbolic() || traced.is_tensor()) {
    guard.kind = Guard::Kind::kType;
  } else {
    guard.constant = python_repr(value);
  }
  return guard;
}

void InputGuards::add_aliases(std::span<const FrameInput> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t j = i + 1; j < inputs.size(); ++j) {
      const Value& a = inputs[i].value;
      const Value& b = inputs[j].value;
      if (a.is_tensor() && b.is_tensor() && &a.tensor() == &b.tensor()) same_.emplace_back(i, j);
    }
  }
}

// --- the check of a call ---

std::optional<std::string> InputGuards::check_state(const ProgramState& state) const {
  std::string changed;
  if (state.grad_enabled != state_.grad_enabled) changed += "grad_mode ";
  if (state.default_dtype != state_.default_dtype) changed += "default_dtype ";
  if (!is_same(state.target, state_.target)) changed += "target ";  // PyTorch has one alone
  if (changed.empty()) return std::nullopt;
  return "GLOBAL_STATE changed: " + changed;
}

std::optional<std::string> InputGuards::check_tensor(const Guard& guard, const FrameInput& input,
                                                     const Value& value,
                                                     const ProgramState& state) {
  const auto fails = [&](const std::string& text) {
    return format("tensor '{}' {}", guard.name, text);
  };
  if (!value.is_tensor())
    return format("expected type of '{}' to be a tensor type, ' but found <class '{}'>", guard.name,
                  python_class(value));
  const Tensor& tensor = value.tensor();
  const TensorGuard& expected = guard.tensor;
  if (const std::string keys = dispatch_keys(tensor, state); keys != expected.dispatch_keys)
    return fails(
        format("dispatch key set mismatch. expected {}, actual {}", expected.dispatch_keys, keys));
  if (tensor.dtype() != expected.dtype)
    return fails(format("dtype mismatch. expected {}, actual {}", info(expected.dtype).cpp_name,
                        info(tensor.dtype()).cpp_name));
  if (tensor.device().index != expected.device.index)
    return fails(format("Tensor device index mismatch. Expected device index to be {}, actual {}",
                        int{expected.device.index}, int{tensor.device().index}));
  if (tensor.meta->has(kRequiresGrad) != expected.requires_grad)
    return fails(format("requires_grad mismatch. expected requires_grad={}",
                        expected.requires_grad ? 1 : 0));
  const Dims sizes = tensor.sizes();
  if (sizes.size() != expected.sizes.size())
    return fails(
        format("rank mismatch. expected {}, actual {}", expected.sizes.size(), sizes.size()));
  const auto mismatch = [](Dims actual, const std::vector<std::optional<int64_t>>& wanted,
                           std::string_view what) -> std::string {
    for (size_t i = 0; i < actual.size(); ++i) {
      const int64_t number = hint(actual[i]).value_or(-1);
      if (wanted[i].value_or(number) != number)
        return format("{} mismatch at index {}. expected {}, actual {}", what, i, *wanted[i],
                      number);
    }
    return {};
  };
  if (const std::string text = mismatch(sizes, expected.sizes, "size"); !text.empty())
    return fails(text);
  if (const std::string text = mismatch(tensor.strides(), expected.strides, "stride");
      !text.empty())
    return fails(text);
  const bool was_marked = has(expected.dynamic_dims) || has(expected.static_dims);
  if (!was_marked && (has(input.dynamic_dims) || has(input.static_dims)))
    return "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time";
  if (!has(expected.static_dims) && has(input.static_dims))
    return "_dynamo_static_indices should be absent but is present on runtime tensor";
  if (!has(expected.dynamic_dims) && has(input.dynamic_dims))
    return "_dynamo_dynamic_indices should be absent but is present on runtime tensor";
  return std::nullopt;
}

std::optional<std::string> InputGuards::check_list(const Guard& guard, const FrameInput& input,
                                                   const Value& value, const ProgramState& state) {
  if (!value.is_list() || python_class(value, input.is_tuple) != guard.type)
    return format("___check_type_id({}), type=<class '{}'>", guard.name, guard.type);
  if (value.size() != guard.elements.size())
    return format("len({}) == {}", guard.name, guard.elements.size());
  for (size_t i = 0; i < guard.elements.size(); ++i) {
    if (auto reason = check_value(guard.elements[i], input, value[i], state)) return reason;
  }
  return std::nullopt;
}

std::optional<std::string> InputGuards::check_value(const Guard& guard, const FrameInput& input,
                                                    const Value& value, const ProgramState& state) {
  switch (guard.kind) {
    case Guard::Kind::kTensor:
      return check_tensor(guard, input, value, state);
    case Guard::Kind::kList:
      return check_list(guard, input, value, state);
    case Guard::Kind::kType:
      if (python_class(value) == guard.type) return std::nullopt;
      return format("___check_type_id({}), type=<class '{}'>", guard.name, guard.type);
    case Guard::Kind::kConstant:
      break;
  }
  const bool is_same = python_class(value) == guard.type && !value.is_tensor() &&
                       python_repr(value) == guard.constant;
  if (is_same) return std::nullopt;
  return format(guard.type == "NoneType" ? "{} is {}" : "{} == {}", guard.name, guard.constant);
}

std::optional<std::string> InputGuards::check_aliases(std::span<const FrameInput> inputs) const {
  std::vector<std::string> duplicates;
  for (const auto& [i, j] : same_) {
    if (&inputs[i].value.tensor() != &inputs[j].value.tensor())
      return format("{} is {}", names_[i], names_[j]);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t j = i + 1; j < inputs.size(); ++j) {
      const bool is_one = inputs[i].value.is_tensor() && inputs[j].value.is_tensor() &&
                          &inputs[i].value.tensor() == &inputs[j].value.tensor();
      const std::pair<size_t, size_t> pair(i, j);
      if (is_one && std::find(same_.begin(), same_.end(), pair) == same_.end())
        return format("Duplicate tensors found: [\"{}\", \"{}\"]", names_[i], names_[j]);
    }
  }
  return std::nullopt;
}

Number InputGuards::number_at(const InputNumber& number, std::span<const FrameInput> inputs) const {
  using Property = InputNumber::Property;
  const InputPath& path = shape_guards_.paths[number.input];
  Value value = inputs[path[0]].value;
  for (size_t i = 1; i < path.size(); ++i) value = value[path[i]];
  if (number.property == Property::kValue)
    return value.is(Value::Tag::kFloat) ? Number::of_float(value.as_double())
                                        : Number::of(value.to_int());
  const Tensor& tensor = value.tensor();
  const SymInt found = number.property == Property::kSize     ? tensor.sizes()[number.dim]
                       : number.property == Property::kStride ? tensor.strides()[number.dim]
                                                              : tensor.offset();
  return Number::of(hint(found).value_or(-1));
}

std::optional<std::string> InputGuards::check_shapes(std::span<const FrameInput> inputs) const {
  const ProducedGuards& guards = shape_guards_.produced;
  if (guards.conditions.empty()) return std::nullopt;
  std::vector<Number> numbers;
  numbers.reserve(guards.numbers.size());
  for (const InputNumber& each : guards.numbers) numbers.push_back(number_at(each, inputs));
  Assignment symbols;
  for (const auto& [symbol, place] : guards.symbols) symbols[symbol] = numbers[place];
  for (size_t i = 0; i < guards.conditions.size(); ++i) {
    if (!holds(guards.conditions[i], numbers, symbols))
      return without_local_scope(guards.verbose[i]);
  }
  return std::nullopt;
}

std::vector<std::string> InputGuards::size_guards() const {
  std::vector<std::string> texts;
  for (const std::string& each : shape_guards_.produced.verbose)
    texts.push_back(without_local_scope(each));
  return texts;
}

std::optional<std::string> InputGuards::check(std::span<const FrameInput> inputs,
                                              const ProgramState& state, bool counts) {
  if (auto reason = check_state(state)) return reason;
  if (inputs.size() != names_.size())
    return format("{} inputs, not {}", inputs.size(), names_.size());
  for (size_t i = 0; i < guards_.size(); ++i) {
    const FrameInput& input = inputs[guards_[i].position];
    auto reason = check_value(guards_[i], input, input.value, state);
    if (!reason) continue;
    if (counts) {
      ++guards_[i].failures;
      if (i != 0)
        std::stable_sort(guards_.begin(), guards_.end(),
                         [](const Guard& a, const Guard& b) { return a.failures > b.failures; });
    }
    return reason;
  }
  if (auto reason = check_aliases(inputs)) return reason;
  return check_shapes(inputs);
}

}  // namespace faketensor
