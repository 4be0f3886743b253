#include "core/ops/arguments.h"

#include <algorithm>
#include <iterator>

#include "core/ops/families/pointwise.h"
#include "core/ops/families/sparse.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

using Tag = Value::Tag;

bool list_fits(const Value& value, const ArgType& type) {
  if (value.is(Tag::kIntList))
    return type.kind == ArgKind::kInt || type.kind == ArgKind::kFloat ||
           type.kind == ArgKind::kScalar || type.kind == ArgKind::kOther;
  const uint32_t allowed =
      tags_of(type.kind) | (type.is_element_optional ? tag_bit(Tag::kNone) : 0);
  for (const Value& element : value.values()) {
    if ((allowed & tag_bit(element.tag())) == 0) return false;
  }
  return true;
}

// An `int` and a `float` are numbers: an expression that is given for one is specialised. A bool
// that is given for an integer becomes one. (A `SymInt` stays for a `SymInt`.)
bool needs_specializing(const Value& value, const ArgType& type) {
  if (type.kind == ArgKind::kFloat) {
    if (!type.is_list || !value.is_list()) return !value.is(Tag::kBool) && value.is_symbolic();
    for (size_t i = 0; i < value.size(); ++i)
      if (value[i].is_symbolic()) return true;
    return false;
  }
  if (type.kind != ArgKind::kInt) return false;
  if (value.is(Tag::kBool)) return !type.is_list || value.is_symbolic();
  if (type.is_symbolic_int) return false;
  if (value.is(Tag::kInt)) return value.is_symbolic();
  if (!value.is(Tag::kIntList)) return false;
  const Dims ints = value.ints();
  return std::any_of(ints.begin(), ints.end(), [](SymInt each) { return each.is_symbolic(); });
}

Value specialized(Context& context, const Value& value) {
  switch (value.tag()) {
    case Tag::kInt:
    case Tag::kBool:
      return value.to_int();
    case Tag::kSymFloat:
      return value.to_double();
    case Tag::kIntList: {
      DimVector ints;
      for (const SymInt each : value.ints()) ints.push_back(guard_int(each));
      return context.make_ints(ints);
    }
    case Tag::kList: {
      SmallVector<Value, 4> numbers;
      for (const Value& each : value.values()) numbers.push_back(specialized(context, each));
      return context.make_list(numbers.span());
    }
    default:
      return value;
  }
}

// Whether a rule may read the value without a conversion.
bool fits(const Value& value, const ArgType& type) {
  if (needs_specializing(value, type)) return false;
  // A condition is not a float before it is decided, and PyTorch does not decide it here.
  if (type.kind == ArgKind::kFloat && value.is(Tag::kBool) && value.is_symbolic()) return false;
  if (value.is_none()) return type.is_optional || type.kind == ArgKind::kOther;
  if (!type.is_list) return (tags_of(type.kind) & tag_bit(value.tag())) != 0;
  if (!value.is_list()) return type.kind == ArgKind::kOther;
  // The one list whose length PyTorch checks, since it is a std::array in C++: a mask.
  if (type.kind == ArgKind::kBool && type.list_size > 0 &&
      value.size() != static_cast<size_t>(type.list_size))
    return false;
  if (type.kind == ArgKind::kInt) return value.is(Tag::kIntList) || value.size() == 0;
  return list_fits(value, type);
}

// The type as PyTorch's parser calls it: "List[int]", "Optional[Tensor]".
std::string type_name(const ArgType& type) {
  static constexpr std::string_view kNames[] = {"Tensor", "int",     "float", "bool",
                                                "number", "complex", "int",   "int",
                                                "Device", "int",     "str",   "Generator"};
  const auto kind = static_cast<size_t>(type.kind);
  std::string name(kind < std::size(kNames) ? kNames[kind] : type.text);
  if (type.is_list)
    name = format(type.is_element_optional ? "List[Optional[{}]]" : "List[{}]", name);
  return type.is_optional ? format("Optional[{}]", name) : name;
}

// The name of the Python class of a value.
std::string_view python_type(const Value& value) {
  static constexpr std::string_view kNames[] = {
      "NoneType", "NoneType",   "bool",          "int",       "float", "complex",
      "SymFloat", "FakeTensor", "list",          "list",      "str",   "dtype",
      "device",   "layout",     "memory_format", "Generator", "Graph", "Node"};
  if (value.is(Tag::kInt) && value.is_symbolic()) return "SymInt";
  if (value.is(Tag::kBool) && value.is_symbolic()) return "SymBool";
  return kNames[static_cast<size_t>(value.tag())];
}

std::string uncastable(std::string_view module, std::string_view type) {
  return format(
      "Unable to cast Python instance of type <class '{}{}'> to C++ type '?' (#define "
      "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)",
      module, type);
}

// Why pybind11 does not cast a value: an int[] or float[] is refused as a whole, a SymInt[] at the
// first element that is no integer.
std::string cast_error(const ArgType& type, const Value& value) {
  if (type.kind == ArgKind::kTensor && !type.is_list)
    return format("Unable to cast {} to Tensor", value);
  if (value.is_tensor() && type.kind == ArgKind::kInt && !type.is_list)
    return "cannot extract int from tensor with meta storage";
  Value refused = value;
  for (size_t i = 0; type.is_symbolic_int && value.is(Tag::kList) && i < value.size(); ++i) {
    if (value[i].is(Tag::kInt) || value[i].is(Tag::kBool)) continue;
    refused = value[i];
    break;
  }
  const bool is_torchs =
      refused.is_symbolic() || (refused.tag() >= Tag::kDType && refused.tag() <= Tag::kGenerator);
  const std::string_view module = refused.is_tensor() ? "torch._subclasses.fake_tensor."
                                  : is_torchs         ? "torch."
                                                      : "";
  return uncastable(module, python_type(refused));
}

template <typename Printed>
[[noreturn, gnu::cold]] void refuse_as(const Schema& schema, size_t position, std::string_view type,
                                       const Printed& value, std::string_view details) {
  const Argument& argument = schema.arguments[position];
  Error error(ErrorKind::kRuntimeError,
              format("{}() Expected a value of type '{}' for argument '{}' but instead found type "
                     "'{}'.\nPosition: {}\nValue: {}\nDeclaration: {}\n{}",
                     schema.name, type_name(argument.type), argument.name, type, position, value,
                     schema.text, details));
  error.set_argument(std::string(argument.name));
  throw error;
}
[[noreturn, gnu::cold]] void refuse(const OpEntry& op, size_t position, const Value& value,
                                    std::string_view details) {
  refuse_as(op.schema, position, python_type(value), value, details);
}
[[noreturn, gnu::cold]] void refuse(const OpEntry& op, size_t position, const Value& value) {
  refuse(op, position, value,
         format("Cast error details: {}", cast_error(op.schema.arguments[position].type, value)));
}

// Any numbers serve as a list of bools.
Value as_bools(Context& context, const Value& list) {
  SmallVector<Value, 4> bools;
  for (size_t i = 0; i < list.size(); ++i) {
    const Value element = list[i];
    if (element.is(Tag::kInt)) {
      bools.push_back(element.as_sym_int() != 0);
    } else if (element.is(Tag::kFloat)) {
      bools.push_back(element.as_double() != 0);
    } else if (element.is(Tag::kBool)) {
      bools.push_back(element);
    } else {
      return {};
    }
  }
  return context.make_list(bools.span());
}

// Enumerations may be given by c10's number ("dtype=6" is float32, as schema defaults write them),
// a dtype or memory format serves as its number, and any number and None as a bool.
Value enumeration(const OpEntry& op, size_t position, const Value& value) {
  const ArgType& type = op.schema.arguments[position].type;
  if (type.kind == ArgKind::kInt && !type.is_list) {
    if (value.is(Tag::kDType)) return static_cast<int64_t>(value.dtype());
    if (value.is(Tag::kMemoryFormat)) return static_cast<int64_t>(value.memory_format());
  }
  if (!type.is_list && value.is(Tag::kBool) &&
      (type.kind == ArgKind::kDType || type.kind == ArgKind::kMemoryFormat))
    return enumeration(op, position, value.to_int());
  if (!type.is_list && type.kind == ArgKind::kBool && value.is_none()) return false;
  if (type.is_list || !value.is_number()) return {};
  if (type.kind == ArgKind::kBool && (value.is(Tag::kFloat) || value.is_symbolic())) {
    try {
      return value.to_double() != 0;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kGuardOnDataDependent) throw;
      return {};
    }
  }
  if (!value.is(Tag::kInt) || value.as_sym_int().is_symbolic()) return {};
  const int64_t number = value.as_sym_int().as_int();
  if (type.kind == ArgKind::kBool) return number != 0;
  static constexpr Layout kLayouts[] = {Layout::kStrided,   Layout::kSparseCoo, Layout::kSparseCsr,
                                        Layout::kMkldnn,    Layout::kSparseCsc, Layout::kSparseBsr,
                                        Layout::kSparseBsc, Layout::kJagged};
  static_assert(std::size(kLayouts) == kLayoutCount);
  const auto is_below = [&](int64_t count) { return number >= 0 && number < count; };
  if (type.kind == ArgKind::kDType) {
    if (is_below(kDTypeCount)) return static_cast<DType>(number);
    // PyTorch reads what lies before its table of dtypes: layouts.
    if (number < 0 && number >= -kLayoutCount)
      refuse(op, position, kLayouts[kLayoutCount + number]);
    throw_error(ErrorKind::kValueError, "unsupported scalarType");
  }
  if (type.kind == ArgKind::kLayout) {
    if (is_below(kLayoutCount)) return kLayouts[number];
    if ((op.tags & kComposite) != 0) throw_error(ErrorKind::kRuntimeError, "Unknown layout");
    throw_error(ErrorKind::kValueError, "unsupported at::Layout");
  }
  if (type.kind == ArgKind::kMemoryFormat && is_below(kMemoryFormatCount))
    return static_cast<MemoryFormat>(number);
  // A number that is no memory format asks whether the tensor is contiguous.
  if (type.kind == ArgKind::kMemoryFormat && op.schema.name == "aten::sym_is_contiguous")
    return MemoryFormat::kContiguous;
  return {};
}

// The one list whose length PyTorch checks: a mask, which is a std::array for C++ kernels.
// Attention's gradients have none.
bool has_wrong_length(const OpEntry& op, const ArgType& type, const Value& value) {
  return type.kind == ArgKind::kBool && type.list_size > 0 && value.is_list() &&
         value.size() != static_cast<size_t>(type.list_size) &&
         !op.schema.name.starts_with("aten::_scaled_dot_product_");
}

// Whether the rules of a call with these arguments take None for one that the schema calls a tensor,
// as kernels without an autograd formula do: they read `Tensor*` there, or do not read it.
bool takes_undefined(const OpEntry& op, std::span<const Value> args, size_t position) {
  const auto reads = [position](const Rule& rule) {
    const std::string_view signature = rule.signature == nullptr ? "" : rule.signature;
    return position < signature.size() ? signature[position] : '\0';
  };
  const char letter = reads(op.rule);
  if (op.rule.signature == nullptr || (letter != '\0' && letter != 't')) return false;
  return reads(op.sparse_rule) != 'T' || first_sparse(args) == nullptr;
}

// What Python's iteration over a tensor gives (Tensor.__iter__): createGenericList,
// torch/csrc/jit/python/pybind_utils.h, iterates over whatever it is handed for a Tensor?[].
Value iterated(Context& context, const OpEntry& op, size_t position, Tensor& tensor) {
  static const OpId kUnbind = Registry::builtin().find("aten::unbind.int");
  try {
    if (tensor.dim() == 0) throw_error(ErrorKind::kTypeError, "iteration over a 0-d tensor");
    const Value args[] = {tensor, 0};
    return context.call(kUnbind, args);
  } catch (const Error& error) {
    refuse(op, position, tensor,
           format(" Python error details: {}: {}", error.class_name(), error.message()));
  }
}

// The list with the numbers of its tensors in their places: toIValue
// (torch/csrc/jit/python/pybind_utils.cpp) asks integral tensors among sizes for their item.
std::optional<Value> with_items(Context& context, const Value& list, const ArgType& type) {
  static const OpId kItem = Registry::builtin().find("aten::item");
  if (type.kind != ArgKind::kInt || !type.is_list || !list.is(Tag::kList)) return std::nullopt;
  SmallVector<Value, 8> numbers;
  bool any = false;
  for (const Value& element : list.values()) {
    if (!element.is_tensor()) {
      numbers.push_back(element);
      continue;
    }
    if (is_float_or_complex(element.tensor().dtype())) return std::nullopt;
    any = true;
    const Value item = context.call(kItem, {&element, 1});
    if (!item.is(Tag::kInt) && !item.is(Tag::kBool)) return std::nullopt;
    numbers.push_back(item);
  }
  if (!any) return std::nullopt;
  DimVector ints;
  for (const Value& number : numbers) {
    if (!number.is(Tag::kInt) && !number.is(Tag::kBool)) return std::nullopt;
    ints.push_back(number.is(Tag::kBool) ? SymInt(number.to_int()) : number.as_sym_int());
  }
  return context.make_ints(ints);
}

// The value as the rule will read it. Raises for a value that no conversion makes fit.
Value converted(Context& context, const OpEntry& op, std::span<const Value> args, size_t position,
                const Value& value) {
  const ArgType& type = op.schema.arguments[position].type;
  if (fits(value, type) && !has_wrong_length(op, type, value)) return value;
  if (needs_specializing(value, type)) {
    try {
      return converted(context, op, args, position, specialized(context, value));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kGuardOnDataDependent) throw;
      if (value.is(Tag::kSymFloat))
        refuse(op, position, value,
               format(" Python error details: {}: {}", error.class_name(), error.message()));
      refuse(op, position, value);
    }
  }
  if (const std::optional<Value> numbers = with_items(context, value, type)) {
    if (!needs_specializing(*numbers, type)) return *numbers;
    try {
      return specialized(context, *numbers);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kGuardOnDataDependent) throw;
      refuse(op, position, value);
    }
  }
  if (value.is_none() && type.kind == ArgKind::kTensor && !type.is_list) {
    if (takes_undefined(op, args, position)) return value;
    throw_error(ErrorKind::kRuntimeError,
                format("Expected a proper Tensor but got None (or an undefined Tensor in C++) for "
                       "argument #{} '{}'",
                       position, op.schema.arguments[position].name));
  }
  if (type.kind == ArgKind::kTensor && !type.is_list && !type.is_optional && value.is_number() &&
      op.facts.has(kWrapsNumbers))
    return context.wrap_number(value);
  if (type.kind == ArgKind::kBool && type.is_list && value.is_list()) {
    const Value bools = as_bools(context, value);
    if (!bools.is_none() && has_wrong_length(op, type, bools)) {
      throw_error(
          ErrorKind::kRuntimeError,
          format("Tried to convert a List with {} elements to a fixed-size array of size {}",
                 bools.size(), type.list_size));
    }
    if (!bools.is_none()) return bools;
  }
  if (type.kind == ArgKind::kTensor && type.is_element_optional && value.is_tensor())
    return iterated(context, op, position, value.tensor());
  if (type.kind == ArgKind::kInt && type.is_list) {
    const bool is_one = value.is(Tag::kInt);
    if (is_one && type.list_size > 0)
      return context.make_ints(DimVector(static_cast<size_t>(type.list_size), value.as_sym_int()));
    if (value.is(Tag::kList) && list_fits(value, type)) {
      DimVector ints;
      for (const Value& element : value.values())
        ints.push_back(element.is(Tag::kBool) ? SymInt(element.to_int()) : element.as_sym_int());
      return context.make_ints(ints);
    }
  }
  if (type.kind == ArgKind::kFloat && type.is_list && value.is_number() && type.list_size > 0) {
    return context.make_list(
        SmallVector<Value, 4>(static_cast<size_t>(type.list_size), value).span());
  }
  if (type.kind == ArgKind::kDevice && !type.is_list && value.is(Tag::kString)) {
    if (const std::optional<Device> device = parse_device(value.text())) return *device;
  }
  if (type.kind == ArgKind::kBool && type.is_list && value.is_list() && list_fits(value, type)) {
    throw_error(ErrorKind::kRuntimeError,
                format("Tried to convert a List with {} elements to a fixed-size array of size {}",
                       value.size(), type.list_size));
  }
  const Value named = enumeration(op, position, value);
  if (!named.is_none()) return named;
  refuse(op, position, value);
}

bool all_fit(const OpEntry& op, std::span<const Value> args) {
  const std::span<const Argument> arguments = op.schema.arguments;
  if (args.size() != arguments.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if ((op.schema.fitting_tags[i] & tag_bit(args[i].tag())) != 0) continue;
    const ArgType& type = arguments[i].type;
    if (!fits(args[i], type) || has_wrong_length(op, type, args[i])) return false;
  }
  return true;
}

}  // namespace

void refuse_far_integer(const Schema& schema, size_t position, uint64_t number) {
  refuse_as(schema, position, "int", number,
            format("Cast error details: {}", uncastable("", "int")));
}

std::span<const Value> complete_arguments(Context& context, const OpEntry& op,
                                          std::span<const Value> args, ArgumentRoom& room) {
  if (all_fit(op, args)) return args;
  const std::span<const Argument> arguments = op.schema.arguments;
  if (args.size() > arguments.size()) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("{}() expected at most {} argument(s) but received {} argument(s). Declaration: {}",
               op.schema.name, arguments.size(), args.size(), op.schema.text));
  }
  room.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_given = i < args.size() && !args[i].is_unset();
    if (!is_given && !arguments[i].has_default) {
      throw_error(ErrorKind::kRuntimeError,
                  format("{}() is missing value for argument '{}'. Declaration: {}", op.schema.name,
                         arguments[i].name, op.schema.text));
    }
    room[i] = is_given ? converted(context, op, args, i, args[i]) : arguments[i].default_value;
  }
  return room;
}

namespace {
// torch::jit::toIValue (torch/csrc/jit/python/pybind_utils.cpp) of one result.
Value result_as(const ArgType& type, const Value& value) {
  if (value.is_none() && type.kind == ArgKind::kTensor && !type.is_list) return value;
  // A symbolic float goes back to Python as it is.
  if (type.kind == ArgKind::kFloat && !type.is_list && value.is(Tag::kSymFloat)) return value;
  if (type.kind == ArgKind::kInt && !type.is_list && value.is(Tag::kBool))
    return value.is_symbolic() && type.is_symbolic_int ? value : Value(value.to_int());
  if (fits(value, type)) return value;
  if (type.kind == ArgKind::kBool && !type.is_list && value.is(Tag::kInt))
    return value.as_sym_int() != 0;
  throw_error(ErrorKind::kRuntimeError, cast_error(type, value));
}
}  // namespace

// pushPyOutToStack, torch/csrc/autograd/python_variable.cpp.
Value checked_result(Context& context, const OpEntry& op, const Value& result) {
  const std::span<const Argument> returns = op.schema.returns;
  if (returns.empty()) {
    if (result.is_none()) return result;
    throw_error(
        ErrorKind::kRuntimeError,
        format("Expected __torch_dispatch__ for {} to return None but it returned something "
               "else instead.",
               op.schema.name));
  }
  if (returns.size() == 1) return result_as(returns[0].type, result);
  if (!result.is_list()) {
    throw_error(
        ErrorKind::kTypeError,
        format("Object of type '{}' is not an instance of 'sequence'", python_type(result)));
  }
  SmallVector<Value, 4> values;
  for (size_t i = 0; i < returns.size() && i < result.size(); ++i)
    values.push_back(result_as(returns[i].type, result[i]));
  if (values.size() == 1) return values[0];
  return context.make_list(values.span());
}

const Rule* sparse_rule(const OpEntry& op, std::span<const Value> args) {
  const bool has_row = op.sparse_rule.function != nullptr;
  if (op.derived == OpEntry::Derived::kOut && !has_row) {
    // What an out= overload calls looks for itself. Kernels that iterate over elements have none
    // for compressed outputs, which is found before their layout is looked at.
    const OpEntry& functional = Registry::builtin().entry(op.functional);
    const bool iterates = is_pointwise(functional.rule) &&
                          functional.sparse_rule.function == nullptr &&
                          (functional.tags & kComposite) == 0;
    if (const Tensor* compressed = iterates ? first_compressed(args) : nullptr) {
      const Device device = compressed->device();
      throw_no_kernel(op, device.is_cpu()    ? "SparseCsrCPU"
                          : device.is_meta() ? "SparseCsrMeta"
                                             : "SparseCsrCUDA");
    }
    return nullptr;
  }
  // An operator that depends on data says so before it looks at the layout
  // (torch/_subclasses/fake_impls.py).
  constexpr uint32_t kAnswersAll =
      kAnyLayout | kComposite | kDynamicShape | kSizeIsData | kDataDependent;
  if (!has_row && (op.tags & kAnswersAll) != 0) return nullptr;
  const Tensor* sparse = first_sparse(args);
  if (sparse == nullptr) return nullptr;
  // The rules of rows know sparse layouts only.
  const bool is_other = sparse->layout() == Layout::kMkldnn || sparse->layout() == Layout::kJagged;
  if (!has_row || is_other) refuse_sparse(op, args);
  return &op.sparse_rule;
}

void check_leaf(const Tensor& written) {
  if (!written.meta->has(kRequiresGrad)) return;
  throw_error(ErrorKind::kRuntimeError,
              format("a {}leaf Variable that requires grad is being used in an in-place operation.",
                     written.base != nullptr ? "view of a " : ""));
}

bool is_differentiable_inplace(const OpEntry& op, std::span<const Value> args) {
  return op.facts.has(kRecordedWrite) && !args.empty() && args[0].is_tensor();
}

void check_leaves(const OpEntry& op, std::span<const Value> args) {
  if (!is_differentiable_inplace(op, args)) return;
  if (op.facts.has(kResizes) && args[0].tensor().meta->has(kRequiresGrad))
    throw_error(ErrorKind::kRuntimeError, "cannot resize variables that require grad");
  check_leaf(args[0].tensor());
}

}  // namespace faketensor
