#include "core/io/session_json.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/io/nested_data.h"
#include "core/io/tensor_description_json.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

template <typename T>
T parsed(const Json& text, std::optional<T> (*parse)(std::string_view)) {
  const Json& name = text.is_object() && !text.empty() ? text.begin().value() : text;
  const std::optional<T> value =
      name.is_string() ? parse(name.get_ref<const std::string&>()) : std::nullopt;
  if (!value) throw_error(ErrorKind::kUnreadable, format("not a value: {}", excerpt(text)));
  return *value;
}

}  // namespace

DType read_dtype(const Json& given) { return parsed(given, &parse_dtype); }

Device read_device(const Json& given) { return parsed(given, &parse_device); }

std::optional<SessionScope> session_scope(std::string_view name) {
  static const std::map<std::string_view, SessionScope> kScopes = {
      {"autocast_cpu_bfloat16", SessionScope::kAutocastCpu},
      {"ignore_fresh_unbacked_symbols", SessionScope::kIgnoreFreshUnbacked},
      {"inference_mode", SessionScope::kInference},
      {"no_grad", SessionScope::kNoGrad},
      {"suppress_guards", SessionScope::kSuppressGuards},
      {"unset_fake_temporarily", SessionScope::kUnsetFake}};
  const auto found = kScopes.find(name);
  return found == kScopes.end() ? std::nullopt : std::optional(found->second);
}

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

SessionModeOptions read_session_mode(const Json& given) {
  SessionModeOptions options;
  options.allow_non_fake_inputs = bool_member(given, "allow_non_fake_inputs", false);
  options.is_export = bool_member(given, "export", false);
  options.allow_meta = bool_member(given, "allow_meta", true);
  options.cache_crosscheck = bool_member(given, "cache_crosscheck", false);
  // None means: as the ShapeEnv says.
  const Json* static_shapes = find_member(given, "static_shapes");
  if (static_shapes != nullptr && !static_shapes->is_null())
    options.static_shapes = bool_of(*static_shapes, "static_shapes");
  return options;
}

// --- tensors ---

namespace {

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
    ints.push_back(given[i].to_int());
  }
  return ints;
}

std::optional<DType> given_dtype(const Json& given) {
  const Json* dtype = find_member(given, "dtype");
  return dtype == nullptr ? std::nullopt : std::optional(read_dtype(*dtype));
}

DType dtype_of(const Json& given, const NestedData& data, DType default_dtype) {
  return given_dtype(given).value_or(data.dtype(default_dtype));
}

Tensor* make_of_size(Session& session, ValueReader& reader, const Json& given, DType dtype) {
  const Json* stride = find_member(given, "stride");
  const DimVector sizes = int_list(reader.read(member(given, "size")),
                                   stride == nullptr ? "empty" : "empty_strided", "size", 1);
  const DimVector strides = stride == nullptr
                                ? contiguous_strides(sizes)
                                : int_list(reader.read(*stride), "empty_strided", "stride", 2);
  const Json* device = find_member(given, "device");
  return session.empty_strided({.sizes = sizes,
                                .strides = strides,
                                .offset = integer_member(given, "offset", 0),
                                .dtype = dtype,
                                .device = device == nullptr ? Device() : read_device(*device)});
}

}  // namespace

Tensor* make_real(Session& session, ValueReader& reader, const Json& given) {
  const std::optional<DType> dtype = given_dtype(given);
  Tensor* made = nullptr;
  if (const Json* lists = find_member(given, "data")) {
    const NestedData data(*lists);
    made = session.real_from_elements(
        data.sizes, dtype.value_or(data.dtype(session.default_dtype())), data.elements);
  } else {
    made = make_of_size(session, reader, given, dtype.value_or(session.default_dtype()));
  }
  const bool is_parameter = bool_member(given, "parameter", false);
  session.state(*made).is_parameter = is_parameter;
  if (bool_member(given, "requires_grad", is_parameter)) session.set_requires_grad(*made, true);
  return made;
}

Tensor* make_tensor(Session& session, const Json& given) {
  const NestedData data(member(given, "data"));
  const DType dtype = dtype_of(given, data, session.default_dtype());
  std::optional<Device> device;
  if (const Json* named = find_member(given, "device")) device = read_device(*named);
  Tensor* made = session.tensor(data.sizes, dtype, data.elements, device);
  if (bool_member(given, "requires_grad", false)) session.set_requires_grad(*made, true);
  return made;
}

Tensor* make_constant(Session& session, SessionMode& mode, const Json& given) {
  const NestedData data(member(given, "data"));
  const DType dtype = dtype_of(given, data, session.default_dtype());
  Tensor* real = session.real().from_elements(data.sizes, dtype, data.elements);
  return mode.constants().fake_of(*real);
}

// --- conversion ---

std::vector<DimDynamic> read_dynamic(const Json& names) {
  static const std::map<std::string_view, DimDynamic> kNames = {
      {"DUCK", DimDynamic::kDuck},
      {"DYNAMIC", DimDynamic::kDynamic},
      {"INFER_STRIDE", DimDynamic::kInferStride},
      {"STATIC", DimDynamic::kStatic},
      {"UNBACKED", DimDynamic::kUnbacked}};
  std::vector<DimDynamic> dynamic;
  for (const Json& name : list_of(names, "dynamic")) {
    const auto found = kNames.find(text_of(name, "dynamic"));
    if (found == kNames.end())
      throw_error(ErrorKind::kUnreadable, format("no such DimDynamic: {}", excerpt(name)));
    dynamic.push_back(found->second);
  }
  return dynamic;
}

namespace {

// Mirrors StatelessSymbolicContext.__post_init__, torch/fx/experimental/symbolic_shapes.py.
std::vector<DimDynamic> read_dynamic_strides(const Json& names) {
  std::vector<DimDynamic> dynamic = read_dynamic(names);
  for (const DimDynamic stride : dynamic) {
    if (stride == DimDynamic::kStatic || stride == DimDynamic::kUnbacked)
      throw_error(ErrorKind::kAssertionError,
                  "dynamic_strides must only contain INFER_STRIDE, DYNAMIC, or DUCK");
  }
  return dynamic;
}

}  // namespace

std::vector<DimConstraint> read_constraints(const Json& given) {
  std::vector<DimConstraint> constraints;
  for (const Json& constraint : list_of(given, "constraints")) {
    if (constraint.is_array() && constraint.size() == 2) {
      // Ends that are not integers are infinite: null, "int_oo".
      const auto end = [](const Json& value, int64_t infinite) {
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

ConversionReader::ConversionReader(const Json& given, const SessionMode& mode) {
  if (find_member(given, "source") != nullptr)
    options.source = Source::local(text_member(given, "source"));
  if (const Json* dynamic = find_member(given, "dynamic")) {
    context_.emplace(read_dynamic(*dynamic));
    if (const Json* strides = find_member(given, "dynamic_strides"))
      context_->dynamic_strides = read_dynamic_strides(*strides);
    if (const Json* constraints = find_member(given, "constraints"))
      context_->constraint_sizes = read_constraints(*constraints);
    context_->remembered_as = static_cast<uint64_t>(integer_member(given, "remembered_as", 0));
    options.symbolic_context = &*context_;
  }
  options.static_shapes = bool_member(given, "static_shapes", mode.static_shapes());
}

std::vector<Value> from_descriptions(Session& session, SessionMode& mode, const Json& given) {
  const ConversionReader conversion(given, mode);
  std::vector<Value> fakes;
  for (const DescribedTensor& described : read_tensor_descriptions(member(given, "records"))) {
    TensorState known;
    known.is_parameter = described.is_parameter;
    known.is_inference = described.is_inference;
    const bool has_history = !described.is_leaf && (described.tensor->flags & kRequiresGrad) != 0;
    // As for real tensors: a view is made again by its operator, other history is a node that
    // cannot run.
    if (has_history)
      known.grad_fn = described.tensor->base != nullptr ? "AsStridedBackward0" : "ErrorBackward";
    fakes.emplace_back(
        session.from_description(mode, *described.tensor, known, conversion.options));
  }
  return fakes;
}

void write_cache_info(JsonWriter& json, const DispatchCache::Info& info) {
  const auto object = json.object();
  json.field("hits", info.hits);
  json.field("misses", info.misses);
  json.field("bypasses", info.bypasses);
  json.field("size", info.size);
}

}  // namespace faketensor
