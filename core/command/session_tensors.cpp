// Steps of a transcript that make tensors and call operators.
#include <algorithm>
#include <cmath>

#include "core/command/session_runner.h"
#include "core/io/call_json.h"
#include "core/io/tensor_description_json.h"
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
  if (!value) throw_error(ErrorKind::kUnreadable, format("not a value: {}", text.dump()));
  return *value;
}

// The numbers of nested lists in row-major order, their sizes and what torch.tensor makes of them.
struct NestedData {
  DimVector sizes;
  std::vector<Element> elements;
  DTypeCategory category = DTypeCategory::kBool;

  // Of the step's "data".
  explicit NestedData(const json& step) { add(step.at("data"), 0); }
  // The step's "dtype", else what torch.tensor chooses.
  DType dtype(const json& step, DType default_dtype) const {
    return step.contains("dtype") ? parsed(step["dtype"], &parse_dtype) : dtype(default_dtype);
  }

 private:
  static constexpr size_t kMaxDepth = 64;  // the most dimensions that a tensor has

  void add(const json& data, size_t depth) {
    if (depth > kMaxDepth)
      throw_error(ErrorKind::kLimitExceeded, format("data nested more than {} deep", kMaxDepth));
    if (data.is_array()) {
      if (depth == sizes.size()) sizes.push_back(static_cast<int64_t>(data.size()));
      for (const json& element : data) add(element, depth + 1);
    } else if (data.is_boolean()) {
      elements.push_back(Element::of(data.get<bool>() ? 1 : 0));
    } else if (data.is_number_integer()) {
      raise(DTypeCategory::kIntegral);
      elements.push_back(Element::of(data.get<int64_t>()));
    } else if (data.is_object() && data.contains("c")) {
      raise(DTypeCategory::kComplex);
      elements.push_back(Element::complex(number(data["c"].at(0)), number(data["c"].at(1))));
    } else {
      raise(DTypeCategory::kFloating);
      elements.push_back(Element::real(number(data)));
    }
  }
  DType dtype(DType default_dtype) const {
    switch (category) {
      case DTypeCategory::kBool:
        return elements.empty() ? default_dtype : DType::kBool;
      case DTypeCategory::kIntegral:
        return DType::kInt64;
      case DTypeCategory::kComplex:
        return to_complex(default_dtype);
      default:
        return default_dtype;
    }
  }
  void raise(DTypeCategory to) { category = std::max(category, to); }
  static double number(const json& data) {
    if (data.is_number()) return data.get<double>();
    if (!data.is_object() || !data.contains("f"))
      throw_error(ErrorKind::kUnreadable, format("not a number: {}", data.dump()));
    const std::string& text = data["f"].get_ref<const std::string&>();
    return text == "nan" ? std::nan("") : text == "-inf" ? -INFINITY : INFINITY;
  }
};

}  // namespace

std::vector<DimDynamic> read_dynamic(const json& names) {
  static const std::map<std::string_view, DimDynamic> kNames = {
      {"DUCK", DimDynamic::kDuck},
      {"DYNAMIC", DimDynamic::kDynamic},
      {"INFER_STRIDE", DimDynamic::kInferStride},
      {"STATIC", DimDynamic::kStatic},
      {"UNBACKED", DimDynamic::kUnbacked}};
  std::vector<DimDynamic> dynamic;
  for (const json& name : names) {
    const auto found = kNames.find(name.get_ref<const std::string&>());
    if (found == kNames.end())
      throw_error(ErrorKind::kUnreadable, format("no such DimDynamic: {}", name.dump()));
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
  for (const json& constraint : given) {
    if (constraint.is_array() && constraint.size() == 2) {
      const auto end = [](const json& value, int64_t infinite) {
        return value.is_number_integer() ? value.get<int64_t>() : infinite;
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
  if (step.contains("dtype")) dtype = parsed(step["dtype"], &parse_dtype);
  Tensor* made = nullptr;
  if (step.contains("data")) {
    const NestedData data(step);
    made = session_.real().from_elements(data.sizes, data.dtype(step, session_.default_dtype()),
                                         data.elements);
    session_.state(*made).is_inference = session_.is_inside(SessionScope::kInference);
  } else {
    MetaSpec spec{.dtype = dtype.value_or(session_.default_dtype())};
    const Value sizes = read(step.at("size"));
    spec.sizes = sizes.ints();
    const DimVector contiguous = contiguous_strides(spec.sizes);
    const Value strides = read(step.value("stride", json::array()));
    spec.strides = step.contains("stride") ? strides.ints() : Dims(contiguous);
    spec.offset = step.value("offset", int64_t{0});
    if (step.contains("device")) spec.device = parsed(step["device"], &parse_device).normalized();
    // The storage holds what lies before the offset, even where there are no elements.
    const int64_t before = spec.offset.as_int() * itemsize(spec.dtype);
    const int64_t needed =
        storage_bytes(spec.sizes, spec.strides, spec.offset, spec.dtype).as_int();
    made = session_.make_real(spec, std::max(before, needed));
  }
  const bool is_parameter = step.value("parameter", false);
  session_.state(*made).is_parameter = is_parameter;
  if (step.value("requires_grad", is_parameter)) session_.set_requires_grad(*made, true);
  return Value(made);
}

StepResult SessionRunner::make_tensor(const json& step) {
  const NestedData data(step);
  const DType dtype = data.dtype(step, session_.default_dtype());
  std::optional<Device> device;
  if (step.contains("device")) device = parsed(step["device"], &parse_device);
  Tensor* made = session_.tensor(data.sizes, dtype, data.elements, device);
  if (step.value("requires_grad", false)) session_.set_requires_grad(*made, true);
  return Value(made);
}

StepResult SessionRunner::wrap_constant(const json& step) {
  const NestedData data(step);
  const DType dtype = data.dtype(step, session_.default_dtype());
  Tensor* real = session_.real().from_elements(data.sizes, dtype, data.elements);
  return Value(mode_named(step.at("mode")).constants().fake_of(*real));
}

// `context` is what the options point to.
ConversionOptions SessionRunner::read_conversion(const json& step, const SessionMode& mode,
                                                 std::optional<SymbolicContext>& context) {
  ConversionOptions options;
  if (step.contains("source"))
    options.source = Source::local(step["source"].get_ref<const std::string&>());
  if (step.contains("dynamic")) {
    context.emplace(read_dynamic(step["dynamic"]));
    if (step.contains("dynamic_strides"))
      context->dynamic_strides = read_dynamic_strides(step["dynamic_strides"]);
    if (step.contains("constraints"))
      context->constraint_sizes = read_constraints(step["constraints"]);
    context->remembered_as = step.value("remembered_as", uint64_t{0});
    options.symbolic_context = &*context;
  }
  options.static_shapes = step.value("static_shapes", mode.static_shapes());
  return options;
}

StepResult SessionRunner::from_tensor(const json& step) {
  SessionMode& mode = mode_named(step.at("mode"));
  Tensor& tensor = tensor_named(step.at("arg"));
  std::optional<SymbolicContext> context;
  const ConversionOptions options = read_conversion(step, mode, context);
  return Value(session_.from_tensor(mode, tensor, options));
}

StepResult SessionRunner::from_descriptions(const json& step) {
  SessionMode& mode = mode_named(step.at("mode"));
  std::optional<SymbolicContext> context;
  const ConversionOptions options = read_conversion(step, mode, context);
  std::vector<Value> fakes;
  for (const DescribedTensor& described : read_tensor_descriptions(step.at("records"))) {
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
  SessionMode& mode = mode_named(step.at("mode"));
  std::vector<Tensor*> tensors;
  for (const json& name : step.at("args")) tensors.push_back(&tensor_named(name));
  std::vector<Value> copies;
  for (Tensor* copy : session_.fake_copy(mode, tensors)) copies.emplace_back(*copy);
  return mode.context().make_list(copies);
}

StepResult SessionRunner::from_meta(const json& step) {
  return Value(session_.from_meta_and_device(mode_named(step.at("mode")),
                                             tensor_named(step.at("arg")),
                                             parsed(step.at("device"), &parse_device)));
}

StepResult SessionRunner::construct(const json& step) {
  return Value(session_.construct(mode_named(step.at("mode")), tensor_named(step.at("arg")),
                                  parsed(step.at("device"), &parse_device)));
}

StepResult SessionRunner::call(const json& step) {
  const std::string& name = step.at("op").get_ref<const std::string&>();
  const OpId op = session_.find_operator(name);
  if (op == kNoOp) {
    std::string python_name = name;
    if (const size_t colons = name.find("::"); colons != std::string::npos)
      python_name.replace(colons, 2, ".");
    throw_error(ErrorKind::kUnsupportedOperator, python_name);
  }
  const std::vector<Value> args =
      bind_arguments(session_.operator_entry(op).schema, step.value("args", json::array()),
                     step.value("kwargs", json::object()), reader_);
  // Of custom operators the transcripts have no kernel that runs.
  const bool is_custom = session_.operator_entry(op).derived == OpEntry::Derived::kFake;
  if (is_custom && session_.mode_for(args) == nullptr)
    throw_error(ErrorKind::kRuntimeError, "real kernel");
  return session_.call(op, args);
}

StepResult SessionRunner::deepcopy(const json& step) {
  return Value(session_.deepcopy(tensor_named(step.at("arg"))));
}

StepResult SessionRunner::pickle(const json& step) {
  const Tensor& tensor = tensor_named(step.at("arg"));
  if (session_.mode_of(tensor) != nullptr)
    throw_error(ErrorKind::kAttributeError,
                "Can't pickle local object 'WeakValueDictionary.__init__.<locals>.remove'");
  names_[step.at("as").get<std::string>()] =
      SavedTensor{tensor.meta, tensor.storage == nullptr ? SymInt(0) : tensor.storage->nbytes};
  return StepResult::json("null");
}

StepResult SessionRunner::unpickle(const json& step) {
  const SavedTensor* saved = std::get_if<SavedTensor>(&named(step.at("arg")));
  if (saved == nullptr)
    throw_error(ErrorKind::kUnreadable, format("{} was not saved", step["arg"].dump()));
  return Value(session_.load(*saved->meta, saved->storage_bytes));
}

// Tensors live as long as the session: what a memo holds weakly is never lost here, and the
// transcripts keep their tensors too.
StepResult SessionRunner::forget(const json& step) {
  names_.erase(step.at("arg").get<std::string>());
  return {};
}

StepResult SessionRunner::backward(const json& step) {
  session_.backward(tensor_named(step.at("arg")));
  return {};
}

}  // namespace faketensor
