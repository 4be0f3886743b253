#include "core/io/profile_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

using nlohmann::json;

namespace {

[[noreturn]] void refuse(const json& value, std::string_view what) {
  throw_error(ErrorKind::kUnreadable, format("{} is no {}", excerpt(value), what));
}

python::Scalar read_scalar(const json& value) {
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
T parsed(std::optional<T> value, const json& text, std::string_view what) {
  if (!value) refuse(text, what);
  return *value;
}

std::optional<TensorMetadata> read_metadata(const json& value) {
  if (value.is_null()) return {};
  TensorMetadata metadata;
  metadata.rank = read_scalar(member(value, "rank"));
  const json& dtype = member(value, "dtype");
  metadata.dtype = parsed(parse_dtype(text_of(dtype, "dtype")), dtype, "dtype");
  metadata.device = parse_device_name(text_member(value, "device"));
  const json& layout = member(value, "layout");
  metadata.layout = parsed(parse_layout(text_of(layout, "layout")), layout, "layout");
  return metadata;
}

void append_scalar(std::string& out, const python::Scalar& scalar) {
  switch (scalar.kind) {
    case python::Scalar::Kind::kNone:
      out += "null";
      return;
    case python::Scalar::Kind::kBool:
      out += scalar.truth ? "true" : "false";
      return;
    case python::Scalar::Kind::kInt:
      out += scalar.text;
      return;
    case python::Scalar::Kind::kFloat:
      if (std::isfinite(scalar.real)) {
        out += format("{}", scalar.real);
      } else {
        out += std::isnan(scalar.real) ? R"({"f":"nan"})"
               : scalar.real < 0       ? R"({"f":"-inf"})"
                                       : R"({"f":"inf"})";
      }
      return;
    case python::Scalar::Kind::kString:
      append_json_string(out, scalar.text);
      return;
    default:
      out += "{\"py\":";
      append_json_string(out, python::scalar_repr(scalar));
      out += '}';
  }
}

void append_metadata(std::string& out, const std::optional<TensorMetadata>& metadata) {
  if (!metadata) {
    out += "null";
    return;
  }
  out += "{\"rank\":";
  append_scalar(out, metadata->rank);
  out.append(",\"dtype\":\"").append(name(metadata->dtype)).append("\",\"device\":");
  append_json_string(out, to_string(metadata->device));
  out.append(",\"layout\":\"").append(name(metadata->layout)).append("\"}");
}

void append_list(std::string& out, const std::vector<std::optional<TensorMetadata>>& list) {
  out += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append_metadata(out, list[i]);
  }
  out += ']';
}

void append_profile(std::string& out, const OpProfile& profile) {
  out += "{\"args\":";
  append_list(out, profile.args);
  out += ",\"out\":";
  if (profile.is_tuple) {
    append_list(out, profile.out);
  } else {
    append_metadata(out, profile.out.empty() ? std::nullopt : profile.out[0]);
  }
  out += '}';
}

}  // namespace

OpProfiles read_profiles(const json& value) {
  OpProfiles profiles;
  for (const json& pair : list_of(value, "profiles")) {
    OperatorProfiles& of_op = profiles.emplace_back();
    of_op.op = read_scalar(element(pair, 0, "profiles"));
    for (const json& item : list_of(element(pair, 1, "profiles"), "profiles")) {
      OpProfile& profile = of_op.profiles.emplace_back();
      for (const json& arg : list_member(item, "args")) profile.args.push_back(read_metadata(arg));
      const json& out = member(item, "out");
      profile.is_tuple = out.is_array();
      if (!profile.is_tuple) {
        profile.out.push_back(read_metadata(out));
        continue;
      }
      for (const json& result : out) profile.out.push_back(read_metadata(result));
    }
  }
  return profiles;
}

void append_profiles(std::string& out, const OpProfiles& profiles) {
  out += '[';
  for (size_t i = 0; i < profiles.size(); ++i) {
    if (i > 0) out += ',';
    out += '[';
    append_scalar(out, profiles[i].op);
    out += ",[";
    for (size_t j = 0; j < profiles[i].profiles.size(); ++j) {
      if (j > 0) out += ',';
      append_profile(out, profiles[i].profiles[j]);
    }
    out += "]]";
  }
  out += ']';
}

}  // namespace faketensor
