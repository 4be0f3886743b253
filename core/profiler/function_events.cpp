// From the spans of a recorder to events as their readers see them.
#include <algorithm>

#include "core/profiler/profile.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

InputShape shape_of(const TensorMeta& meta) {
  InputShape shape;
  for (const SymInt size : meta.sizes()) shape.sizes.push_back(hint(size).value_or(-1));
  if (!meta.has_symbols()) return shape;
  for (const SymInt size : meta.sizes()) shape.expressions.push_back(to_string(size));
  return shape;
}

InputShape shape_of(const RecordedInput& input) {
  if (input.metas.empty()) return {};
  if (input.value.is_tensor()) return shape_of(*input.metas[0]);
  InputShape list;
  for (const TensorMeta* meta : input.metas) list.tensors.push_back(shape_of(*meta));
  return list;
}

std::string type_of(const RecordedInput& input) {
  if (input.value.is_tensor()) return std::string(cpp_type(input.metas[0]->dtype()));
  if (!input.metas.empty()) return "TensorList";
  if (input.value.is_list()) return "ScalarList";
  const bool is_scalar = input.value.is_number() || input.value.is(Value::Tag::kDType) ||
                         input.value.is(Value::Tag::kLayout) ||
                         input.value.is(Value::Tag::kMemoryFormat);
  return is_scalar ? "Scalar" : "";
}

// A number as JSON, a list of numbers, or null: enumerations are their numbers in C++.
std::string concrete_of(const Value& value) {
  switch (value.tag()) {
    case Value::Tag::kBool:
      return value.as_sym_bool().is_symbolic() ? "null" : value.to_bool() ? "true" : "false";
    case Value::Tag::kInt: {
      const auto number = hint(value.as_sym_int());
      return number ? format("{}", *number) : "null";
    }
    case Value::Tag::kFloat:
      return format("{}", value.as_double());
    case Value::Tag::kDType:
      return format("{}", static_cast<int>(value.dtype()));
    case Value::Tag::kLayout:
      return format("{}", static_cast<int>(value.layout()));
    case Value::Tag::kMemoryFormat:
      return format("{}", static_cast<int>(value.memory_format()));
    case Value::Tag::kIntList:
    case Value::Tag::kList: {
      std::string list = "[";
      for (size_t i = 0; i < value.size(); ++i) {
        if (value[i].is_tensor()) return "null";
        if (i != 0) list += ',';
        list += concrete_of(value[i]);
      }
      return list + "]";
    }
    default:
      return "null";
  }
}

void add_inputs(FunctionEvent& event, const RecordedEvent& recorded) {
  for (const RecordedInput& input : recorded.inputs) {
    event.input_shapes.push_back(shape_of(input));
    event.input_types.push_back(type_of(input));
    event.concrete_inputs.push_back(concrete_of(input.value));
    std::vector<int64_t>& strides = event.input_strides.emplace_back();
    if (!input.value.is_tensor()) continue;
    for (const SymInt stride : input.metas[0]->strides())
      strides.push_back(hint(stride).value_or(-1));
  }
}

FunctionEvent event_of(const RecordedEvent& recorded) {
  FunctionEvent event{.name = std::string(recorded.name)};
  event.trace_name = event.name;
  if (event.name.starts_with("ProfilerStep#")) event.name = "ProfilerStep*";
  if (recorded.op != nullptr) event.overload_name = recorded.op->schema.overload;
  event.parent = recorded.parent;
  event.start_ns = recorded.start_ns;
  event.end_ns = recorded.end_ns;
  event.is_user_annotation = recorded.kind == SpanKind::kAnnotation;
  if (event.is_user_annotation) event.scope = EventScope::kUser;
  event.cpu_memory = recorded.cpu_memory;
  event.device_memory = recorded.device_memory;
  event.flops = recorded.flops;
  event.device_ns = recorded.device_ns;
  event.module_path = recorded.module_path;
  for (std::string_view rest = recorded.stack; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    event.stack.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  add_inputs(event, recorded);
  return event;
}

// Of an event that only holds one of the same name, that one goes; its children are lifted.
std::vector<FunctionEvent> without_duplicates(std::vector<FunctionEvent> events) {
  std::vector<size_t> children(events.size(), 0);
  for (const FunctionEvent& event : events) {
    if (event.parent >= 0) ++children[static_cast<size_t>(event.parent)];
  }
  std::vector<int64_t> places(events.size());
  std::vector<FunctionEvent> kept;
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t parent = events[i].parent;
    const auto above = static_cast<size_t>(parent);
    if (parent >= 0 && events[above].name == events[i].name && children[above] == 1) {
      places[i] = places[above];
      children[above] = children[i];  // what it holds is held by the other now
      continue;
    }
    places[i] = static_cast<int64_t>(kept.size());
    if (parent >= 0) events[i].parent = places[above];
    kept.push_back(events[i]);
  }
  return kept;
}

}  // namespace

std::string_view cpp_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float";
    case DType::kFloat64:
      return "double";
    case DType::kInt64:
      return "long int";
    case DType::kInt32:
      return "int";
    case DType::kInt16:
      return "short int";
    case DType::kInt8:
      return "signed char";
    case DType::kUInt8:
      return "unsigned char";
    case DType::kBool:
      return "bool";
    case DType::kFloat16:
      return "c10::Half";
    case DType::kBFloat16:
      return "c10::BFloat16";
    case DType::kComplex64:
      return "c10::complex<float>";
    case DType::kComplex128:
      return "c10::complex<double>";
    default:
      return name(dtype);
  }
}

std::vector<FunctionEvent> function_events(const EventRecorder& recorder) {
  std::vector<FunctionEvent> events;
  events.reserve(recorder.event_count());
  for (size_t i = 0; i < recorder.event_count(); ++i) events.push_back(event_of(recorder.event(i)));
  return without_duplicates(std::move(events));
}

}  // namespace faketensor
