#include "core/io/profile_json.h"

#include "core/formats/json_fields.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

[[noreturn]] void refuse(const Json& value, std::string_view what) {
  throw_error(ErrorKind::kUnreadable, format("{} is no {}", excerpt(value), what));
}

python::Scalar read_scalar(const Json& value) {
  python::Scalar scalar;
  if (value.is_string()) return python::Scalar::string(value.get_ref<const std::string&>());
  if (value.is_boolean()) {
    scalar.kind = python::Scalar::Kind::kBool;
    scalar.truth = value.get<bool>();
  } else if (value.is_number_integer()) {
    scalar.kind = python::Scalar::Kind::kInt;
    scalar.text = value.dump();
  } else if (value.is_number_float()) {
    scalar.kind = python::Scalar::Kind::kFloat;
    scalar.real = value.get<double>();
  } else if (!value.is_null()) {
    refuse(value, "rank or name");
  }
  return scalar;
}

template <typename T>
T parsed(std::optional<T> value, const Json& text, std::string_view what) {
  if (!value) refuse(text, what);
  return *value;
}

std::optional<TensorMetadata> read_metadata(const Json& value) {
  if (value.is_null()) return {};
  TensorMetadata metadata;
  metadata.rank = read_scalar(member(value, "rank"));
  const Json& dtype = member(value, "dtype");
  metadata.dtype = parsed(parse_dtype(text_of(dtype, "dtype")), dtype, "dtype");
  metadata.device = parse_device_name(text_member(value, "device"));
  const Json& layout = member(value, "layout");
  metadata.layout = parsed(parse_layout(text_of(layout, "layout")), layout, "layout");
  return metadata;
}

void write_scalar(JsonWriter& json, const python::Scalar& scalar) {
  using Kind = python::Scalar::Kind;
  switch (scalar.kind) {
    case Kind::kNone:
      return json.value(nullptr);
    case Kind::kBool:
      return json.value(scalar.truth);
    case Kind::kInt:
      return json.raw(scalar.text);
    case Kind::kFloat:
      return json.value(scalar.real);
    case Kind::kString:
      return json.value(scalar.text);
    default: {
      const auto other = json.object();
      json.field("py", python::scalar_repr(scalar));
    }
  }
}

void write_metadata(JsonWriter& json, const std::optional<TensorMetadata>& metadata) {
  if (!metadata) return json.value(nullptr);
  const auto object = json.object();
  write_scalar(json.key("rank"), metadata->rank);
  json.field("dtype", name(metadata->dtype));
  json.field("device", to_string(metadata->device));
  json.field("layout", name(metadata->layout));
}

void write_list(JsonWriter& json, const std::vector<std::optional<TensorMetadata>>& list) {
  const auto scope = json.array();
  for (const std::optional<TensorMetadata>& metadata : list) write_metadata(json, metadata);
}

void write_profile(JsonWriter& json, const OpProfile& profile) {
  const auto object = json.object();
  write_list(json.key("args"), profile.args);
  json.key("out");
  if (profile.is_tuple) return write_list(json, profile.out);
  write_metadata(json, profile.out.empty() ? std::nullopt : profile.out[0]);
}

}  // namespace

OpProfiles read_profiles(const Json& value) {
  OpProfiles profiles;
  for (const Json& pair : list_of(value, "profiles")) {
    OperatorProfiles& of_op = profiles.emplace_back();
    of_op.op = read_scalar(element(pair, 0, "profiles"));
    for (const Json& item : list_of(element(pair, 1, "profiles"), "profiles")) {
      OpProfile& profile = of_op.profiles.emplace_back();
      for (const Json& arg : list_member(item, "args")) profile.args.push_back(read_metadata(arg));
      const Json& out = member(item, "out");
      profile.is_tuple = out.is_array();
      if (!profile.is_tuple) {
        profile.out.push_back(read_metadata(out));
        continue;
      }
      for (const Json& result : out) profile.out.push_back(read_metadata(result));
    }
  }
  return profiles;
}

void write_profiles(JsonWriter& json, const OpProfiles& profiles) {
  const auto list = json.array();
  for (const OperatorProfiles& of_op : profiles) {
    const auto pair = json.array();
    write_scalar(json, of_op.op);
    const auto of_calls = json.array();
    for (const OpProfile& profile : of_op.profiles) write_profile(json, profile);
  }
}

}  // namespace faketensor
