// Steps of a transcript that make tensors and call operators.
#include <algorithm>
#include <cmath>

#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/io/tensor_description_json.h"
#include "core/replay/session_runner.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

using nlohmann::json;

namespace {

template <typename T>
T parsed(const json& text, std::optional<T> (*parse)(std::string_view)) {
  const json& name = text.is_object() && !text.empty() ? text.begin().value() : text;
  const std::optional<T> value =
      name.is_string() ? parse(name.get_ref<const std::string&>()) : std::nullopt;
  if (!value) throw_error(ErrorKind::kUnreadable, format("not a value: {}", excerpt(text)));
  return *value;
}

// What torch.tensor makes of nested lists: the numbers in row-major order, their sizes and dtype.
// Mirrors internal_new_from_data, torch/csrc/utils/tensor_new.cpp.
class NestedData {
 public:
  DimVector sizes;
  std::vector<Element> elements;

  // Of the step's "data".
  explicit NestedData(const json& step) {
    const json& data = member(step, "data");
    measure(data);
    infer(data);
    if (guard_bool(numel(sizes) != 0)) store(data, 0);
  }
  // The step's "dtype", else what torch.tensor chooses.
  DType dtype(const json& step, DType default_dtype) const {
    const json* given = find_member(step, "dtype");
    return given != nullptr ? parsed(*given, &parse_dtype) : dtype(default_dtype);
  }

 private:
  static constexpr size_t kMaxDims = 128;  // MAX_DIMS

  // The sizes are those of the first elements. (compute_sizes)
  void measure(const json& data) {
    const json* first = &data;
    while (first->is_array()) {
      sizes.push_back(static_cast<int64_t>(first->size()));
      if (sizes.size() > kMaxDims) too_many_dimensions(*first);
      if (first->empty()) return;
      first = &first->front();
    }
    if (first->is_string() && !sizes.empty()) too_many_dimensions(*first);
  }
  [[noreturn]] static void too_many_dimensions(const json& data) {
    throw_error(ErrorKind::kValueError, format("too many dimensions '{}'", python_type(data)));
  }

  // The category of every number is promoted. (infer_scalar_type)
  void infer(const json& data) {
    if (data.is_array()) {
      if (data.empty()) raise(DTypeCategory::kFloating);
      for (const json& element : data) infer(element);
    } else if (data.is_string()) {
      throw_error(ErrorKind::kTypeError, "new(): invalid data type 'str'");
    } else if (data.is_boolean()) {
      // the least category
    } else if (data.is_number_integer()) {
      raise(DTypeCategory::kIntegral);
    } else if (is_complex(data)) {
      raise(DTypeCategory::kComplex);
    } else if (float_of(data)) {
      raise(DTypeCategory::kFloating);
    } else {
      throw_error(ErrorKind::kRuntimeError,
                  format("Could not infer dtype of {}", python_type(data)));
    }
  }

  // Every list must be as long as the first beside it. (recursive_store)
  void store(const json& data, size_t dim) {
    if (dim == sizes.size()) return elements.push_back(element(data));
    if (!data.is_array()) throw_error(ErrorKind::kTypeError, "not a sequence");
    const auto length = static_cast<int64_t>(data.size());
    if (length != sizes[dim].as_int())
      throw_error(
          ErrorKind::kValueError,
          format("expected sequence of length {} at dim {} (got {})", sizes[dim], dim, length));
    for (const json& part : data) store(part, dim + 1);
  }

  // (store_scalar)
  Element element(const json& data) const {
    if (data.is_boolean()) return Element::of(data.get<bool>() ? 1 : 0);
    if (data.is_array()) {
      if (category_ == DTypeCategory::kBool) return Element::of(data.empty() ? 0 : 1);
      throw_error(ErrorKind::kTypeError, category_ == DTypeCategory::kIntegral
                                             ? "'list' object cannot be interpreted as an integer"
                                             : "must be real number, not list");
    }
    if (!data.is_number_integer()) {
      if (!is_complex(data)) return Element::real(number(data));
      const double real = number(data["c"][0]);
      return Element::complex(real, number(data["c"][1]));
    }
    const bool is_too_large =
        data.is_number_unsigned() && data.get<uint64_t>() > uint64_t{INT64_MAX};
    if (!is_too_large) return Element::of(data.get<int64_t>());
    if (category_ == DTypeCategory::kIntegral)
      throw_error(ErrorKind::kValueError, "Overflow when unpacking long long");
    return Element::real(data.get<double>());
  }

  DType dtype(DType default_dtype) const {
    switch (category_) {
      case DTypeCategory::kBool:
        return DType::kBool;
      case DTypeCategory::kIntegral:
        return DType::kInt64;
      case DTypeCategory::kComplex:
        return to_complex(default_dtype);
      default:
        return default_dtype;
    }
  }
  void raise(DTypeCategory to) { category_ = std::max(category_, to); }

  // {"c": [re, im]}, {"f": "inf"}
  static bool is_complex(const json& data) {
    const json* parts = find_member(data, "c");
    return parts != nullptr && parts->is_array() && parts->size() == 2;
  }
  static double number(const json& data) {
    const std::optional<double> known = float_of(data);
    if (!known) refuse_json("data", "a number", data);
    return *known;
  }
  static std::string_view python_type(const json& data) {
    return data.is_array()    ? "list"
           : data.is_string() ? "str"
           : data.is_object() ? "dict"
                              : "NoneType";
  }

  DTypeCategory category_ = DTypeCategory::kBool;
};

// --- torch.empty and torch.empty_strided of a step ---

// A list of integers, a symbolic one specialised: there are no real tensors of unknown sizes.
DimVector int_list(const Value& given, std::string_view function, std::string_view argument,
                   size_t position) {
  if (!given.is_list())
    throw_error(ErrorKind::kTypeError,
                format("{}(): argument '{}' (position {}) must be tuple of ints, not {}", function,
                       argument, position, python_type(given)));
  DimVector ints;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].is(Value::Tag::kInt))
      throw_error(ErrorKind::kTypeError,
                  format("{}(): argument '{}' (position {}) must be tuple of ints, but found "
                         "element of type {} at pos {}",
                         function, argument, position, python_type(given[i]), i));
    ints.push_back(guard_int(given[i].as_sym_int()));
  }
  return ints;
}

void check_geometry(Dims sizes, Dims strides, int64_t offset) {
  for (const SymInt size : sizes) {
    if (size.as_int() < 0)
      throw_error(ErrorKind::kRuntimeError,
                  format("Trying to create tensor with negative dimension {}: {}", size, sizes));
  }
  if (sizes.size() != strides.size())
    throw_error(ErrorKind::kRuntimeError,
                format("dimensionality of sizes ({}) must match dimensionality of strides ({})",
                       sizes.size(), strides.size()));
  for (const SymInt stride : strides) {
    if (stride.as_int() < 0)
      throw_error(ErrorKind::kRuntimeError,
                  format("Storage size calculation overflowed with sizes={} and strides={}", sizes,
                         strides));
  }
  if (offset < 0)
    throw_error(ErrorKind::kRuntimeError, format("Tensor: invalid storage offset {}", offset));
}

}  // namespace

std::string_view python_type(const Value& value) {
  using enum Value::Tag;
  switch (value.tag()) {
    case kNone:
      return "NoneType";
    case kBool:
      return "bool";
    case kFloat:
    case kSymFloat:
      return "float";
    case kString:
      return "str";
    case kTensor:
      return "Tensor";
    case kList:
    case kIntList:
      return "list";
    default:
      return "object";
  }
}

std::vector<DimDynamic> read_dynamic(const json& names) {
  static const std::map<std::string_view, DimDynamic> kNames = {
      {"DUCK", DimDynamic::kDuck},
      {"DYNAMIC", DimDynamic::kDynamic},
      {"INFER_STRIDE", DimDynamic::kInferStride},
      {"STATIC", DimDynamic::kStatic},
      {"UNBACKED", DimDynamic::kUnbacked}};
  std::vector<DimDynamic> dynamic;
  for (const json& name : list_of(names, "dynamic")) {
    const auto found = kNames.find(text_of(name, "dynamic"));
    if (found == kNames.end())
      throw_error(ErrorKind::kUnreadable, format("no such DimDynamic: {}", excerpt(name)));
    dynamic.push_back(found->second);
  }
  return dynamic;
}

namespace {

// Mirrors StatelessSymbolicContext.__post_init__, torch/fx/experimental/symbolic_shapes.py.
std::vector<DimDynamic> read_dynamic_strides(const json& names) {
  std::vector<DimDynamic> dynamic = read_dynamic(names);
  for (const DimDynamic stride : dynamic) {
    if (stride == DimDynamic::kStatic || stride == DimDynamic::kUnbacked)
      throw_error(ErrorKind::kAssertionError,
                  "dynamic_strides must only contain INFER_STRIDE, DYNAMIC, or DUCK");
  }
  return dynamic;
}

}  // namespace

std::vector<DimConstraint> read_constraints(const json& given) {
  std::vector<DimConstraint> constraints;
  for (const json& constraint : list_of(given, "constraints")) {
    if (constraint.is_array() && constraint.size() == 2) {
      // Ends that are not integers are infinite: null, "int_oo".
      const auto end = [](const json& value, int64_t infinite) {
        return value.is_number_integer() ? integer_of(value, "constraints") : infinite;
      };
      const int64_t least = end(constraint[0], kMinusIntInfinity);
      const int64_t most = end(constraint[1], kIntInfinity);
      if (most < least)
        throw_error(ErrorKind::kValueRange, format("Invalid ranges [{}:{}]", least, most));
      constraints.push_back(DimConstraint::min_max(least, most));
    } else if (constraint.is_null()) {
      constraints.emplace_back();
    } else {
      constraints.push_back(DimConstraint::unspecified());
    }
  }
  return constraints;
}

StepResult SessionRunner::make_real(const json& step) {
  std::optional<DType> dtype;
  if (const json* given = find_member(step, "dtype")) dtype = parsed(*given, &parse_dtype);
  Tensor* made = nullptr;
  if (find_member(step, "data") != nullptr) {
    const NestedData data(step);
    made = session_.real().from_elements(data.sizes, data.dtype(step, session_.default_dtype()),
                                         data.elements);
    session_.state(*made).is_inference = session_.is_inside(SessionScope::kInference);
  } else {
    MetaSpec spec{.dtype = dtype.value_or(session_.default_dtype())};
    const json* stride = find_member(step, "stride");
    const DimVector sizes = int_list(read(member(step, "size")),
                                     stride == nullptr ? "empty" : "empty_strided", "size", 1);
    const DimVector strides = stride == nullptr
                                  ? contiguous_strides(sizes)
                                  : int_list(read(*stride), "empty_strided", "stride", 2);
    const int64_t offset = integer_member(step, "offset", 0);
    check_geometry(sizes, strides, offset);
    spec.sizes = sizes;
    spec.strides = strides;
    spec.offset = offset;
    if (const json* device = find_member(step, "device"))
      spec.device = parsed(*device, &parse_device).normalized();
    // The storage holds what lies before the offset, even where there are no elements.
    const SymInt before = spec.offset * itemsize(spec.dtype);
    const SymInt needed = storage_bytes(spec.sizes, spec.strides, spec.offset, spec.dtype);
    made = session_.make_real(spec, std::max(before.as_int(), needed.as_int()));
  }
  const bool is_parameter = bool_member(step, "parameter", false);
  session_.state(*made).is_parameter = is_parameter;
  if (bool_member(step, "requires_grad", is_parameter)) session_.set_requires_grad(*made, true);
  return Value(made);
}

StepResult SessionRunner::make_tensor(const json& step) {
  const NestedData data(step);
  const DType dtype = data.dtype(step, session_.default_dtype());
  std::optional<Device> device;
  if (const json* given = find_member(step, "device")) device = parsed(*given, &parse_device);
  Tensor* made = session_.tensor(data.sizes, dtype, data.elements, device);
  if (bool_member(step, "requires_grad", false)) session_.set_requires_grad(*made, true);
  return Value(made);
}

StepResult SessionRunner::wrap_constant(const json& step) {
  const NestedData data(step);
  const DType dtype = data.dtype(step, session_.default_dtype());
  Tensor* real = session_.real().from_elements(data.sizes, dtype, data.elements);
  return Value(mode_named(member(step, "mode")).constants().fake_of(*real));
}

// `context` is what the options point to.
ConversionOptions SessionRunner::read_conversion(const json& step, const SessionMode& mode,
                                                 std::optional<SymbolicContext>& context) {
  ConversionOptions options;
  if (find_member(step, "source") != nullptr)
    options.source = Source::local(text_member(step, "source"));
  if (const json* dynamic = find_member(step, "dynamic")) {
    context.emplace(read_dynamic(*dynamic));
    if (const json* strides = find_member(step, "dynamic_strides"))
      context->dynamic_strides = read_dynamic_strides(*strides);
    if (const json* constraints = find_member(step, "constraints"))
      context->constraint_sizes = read_constraints(*constraints);
    context->remembered_as = static_cast<uint64_t>(integer_member(step, "remembered_as", 0));
    options.symbolic_context = &*context;
  }
  options.static_shapes = bool_member(step, "static_shapes", mode.static_shapes());
  return options;
}

StepResult SessionRunner::from_tensor(const json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  Tensor& tensor = tensor_named(member(step, "arg"));
  std::optional<SymbolicContext> context;
  const ConversionOptions options = read_conversion(step, mode, context);
  return Value(session_.from_tensor(mode, tensor, options));
}

StepResult SessionRunner::from_descriptions(const json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  std::optional<SymbolicContext> context;
  const ConversionOptions options = read_conversion(step, mode, context);
  std::vector<Value> fakes;
  for (const DescribedTensor& described : read_tensor_descriptions(member(step, "records"))) {
    TensorState known;
    known.is_parameter = described.is_parameter;
    known.is_inference = described.is_inference;
    const bool has_history = !described.is_leaf && (described.tensor->flags & kRequiresGrad) != 0;
    // As for real tensors: views are remade, other history is a node that cannot run.
    if (has_history)
      known.grad_fn = described.tensor->base != nullptr ? "AsStridedBackward0" : "ErrorBackward";
    fakes.emplace_back(session_.from_description(mode, *described.tensor, known, options));
  }
  return mode.context().make_list(fakes);
}

// The tensors of a module, copied in FakeCopyMode.
StepResult SessionRunner::fake_copy(const json& step) {
  SessionMode& mode = mode_named(member(step, "mode"));
  std::vector<Tensor*> tensors;
  for (const json& name : list_member(step, "args")) tensors.push_back(&tensor_named(name));
  std::vector<Value> copies;
  for (Tensor* copy : session_.fake_copy(mode, tensors)) copies.emplace_back(*copy);
  return mode.context().make_list(copies);
}

StepResult SessionRunner::from_meta(const json& step) {
  return Value(session_.from_meta_and_device(mode_named(member(step, "mode")),
                                             tensor_named(member(step, "arg")),
                                             parsed(member(step, "device"), &parse_device)));
}

StepResult SessionRunner::construct(const json& step) {
  return Value(session_.construct(mode_named(member(step, "mode")),
                                  tensor_named(member(step, "arg")),
                                  parsed(member(step, "device"), &parse_device)));
}

StepResult SessionRunner::call(const json& step) {
  const std::string& name = text_member(step, "op");
  const OpId op = session_.find_operator(name);
  if (op == kNoOp) {
    std::string python_name = name;
    if (const size_t colons = name.find("::"); colons != std::string::npos)
      python_name.replace(colons, 2, ".");
    throw_error(ErrorKind::kUnsupportedOperator, python_name);
  }
  const std::vector<Value> args =
      bind_arguments(session_.operator_entry(op).schema, list_member_or_empty(step, "args"),
                     object_member_or_empty(step, "kwargs"), reader_);
  // Of custom operators the transcripts have no kernel that runs.
  const bool is_custom = session_.operator_entry(op).derived == OpEntry::Derived::kFake;
  if (is_custom && session_.mode_for(args) == nullptr)
    throw_error(ErrorKind::kRuntimeError, "real kernel");
  return session_.call(op, args);
}

StepResult SessionRunner::deepcopy(const json& step) {
  return Value(session_.deepcopy(tensor_named(member(step, "arg"))));
}

StepResult SessionRunner::pickle(const json& step) {
  const Tensor& tensor = tensor_named(member(step, "arg"));
  if (session_.mode_of(tensor) != nullptr)
    throw_error(ErrorKind::kAttributeError,
                "Can't pickle local object 'WeakValueDictionary.__init__.<locals>.remove'");
  names_[text_member(step, "as")] =
      SavedTensor{tensor.meta, tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
  return StepResult::json("null");
}

StepResult SessionRunner::unpickle(const json& step) {
  const SavedTensor* saved = std::get_if<SavedTensor>(&named(member(step, "arg")));
  if (saved == nullptr)
    throw_error(ErrorKind::kUnreadable, format("{} was not saved", excerpt(member(step, "arg"))));
  return Value(session_.load(*saved->meta, saved->storage_bytes));
}

// Tensors live as long as the session: what a memo holds weakly is never lost here, and the
// transcripts keep their tensors too.
StepResult SessionRunner::forget(const json& step) {
  names_.erase(text_member(step, "arg"));
  return {};
}

StepResult SessionRunner::backward(const json& step) {
  session_.backward(tensor_named(member(step, "arg")));
  return {};
}

}  // namespace faketensor
