#include "core/profiles/op_profile.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <set>

#include "core/formats/yaml/constructor.h"
#include "core/formats/yaml/emitter.h"
#include "core/formats/yaml/python_text.h"
#include "core/support/format.h"
#include "core/tensor/schema_numbers.h"

namespace faketensor {

// --- devices ---

namespace {

constexpr std::string_view kDeviceTypes[] = {
    "cpu",  "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",  "ve",
    "fpga", "maia", "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "mtia", "privateuseone"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[noreturn]] void refuse_device(std::string message) {
  // C strings end at a NUL.
  throw_error(ErrorKind::kRuntimeError, message.substr(0, message.find('\0')));
}

}  // namespace

DeviceName DeviceName::of(Device device) { return {std::string(name(device.type)), device.index}; }

std::optional<Device> DeviceName::device() const {
  std::optional<Device> known = parse_device(type);
  if (known) known->index = index;
  return known;
}

std::string to_string(const DeviceName& device) {
  return device.index == -1 ? device.type : format("{}:{}", device.type, int{device.index});
}

// c10::Device::Device(const std::string&), c10/core/Device.cpp.
DeviceName parse_device_name(std::string_view text) {
  if (text.empty()) refuse_device("Device string must not be empty");
  size_t at = 0;
  while (at < text.size() && is_letter(text[at])) ++at;
  const std::string_view type = text.substr(0, at);
  std::string_view index;
  bool is_valid = !type.empty();
  if (at < text.size()) {
    index = text.substr(at + 1);
    const bool has_leading_zero = index.size() > 1 && index[0] == '0';
    is_valid = is_valid && text[at] == ':' && !index.empty() && !has_leading_zero &&
               std::all_of(index.begin(), index.end(), is_digit);
  }
  if (!is_valid) refuse_device(format("Invalid device string: '{}'", text));
  DeviceName device;
  if (!index.empty()) {
    constexpr long long kMaxInt = 0x7FFFFFFF;
    const long long number = std::strtoll(std::string(index).c_str(), nullptr, 10);
    if (index.size() > 10 || number > kMaxInt) {
      refuse_device(format("Could not parse device index '{}' in device string '{}'", index, text));
    }
    device.index = static_cast<int8_t>(number);
  }
  if (std::find(std::begin(kDeviceTypes), std::end(kDeviceTypes), type) == std::end(kDeviceTypes)) {
    std::string list;
    for (const std::string_view known : kDeviceTypes)
      list.append(list.empty() ? "" : ", ").append(known);
    refuse_device(
        format("Expected one of {} device type at start of device string: {}", list, type));
  }
  device.type = type;
  return device;
}

// --- numbers of dtypes and layouts ---

namespace {

template <typename Enum, size_t count>
python::Scalar number_scalar(const SchemaNumber<Enum> (&rows)[count], Enum value) {
  const std::optional<int> number = number_of(rows, value);
  if (!number) throw_error(ErrorKind::kKeyError, format("{}", value));
  return python::Scalar::integer(*number);
}

// What a dictionary by these numbers gives for a key: 7, 7.0, and 1 for True.
template <typename Enum, size_t count>
Enum by_key(const SchemaNumber<Enum> (&rows)[count], const python::Value& key) {
  python::check_hashable(key);
  const std::string wanted = python::identity_key(key);
  for (const SchemaNumber<Enum>& row : rows) {
    if (python::identity_key(python::Scalar::integer(row.number)) == wanted) return row.value;
  }
  throw_error(ErrorKind::kKeyError, python::repr(key));
}

// --- writing ---

void write_entry(yaml::Emitter& out, std::string_view key, const python::Scalar& value) {
  out.key(python::Scalar::string(key));
  out.scalar(value);
}

void write_metadata(yaml::Emitter& out, const std::optional<TensorMetadata>& metadata) {
  if (!metadata)
    throw_error(ErrorKind::kAttributeError, "'NoneType' object has no attribute 'rank'");
  out.begin_mapping();
  write_entry(out, "rank", metadata->rank);
  write_entry(out, "dtype", number_scalar(kScalarTypeNumbers, metadata->dtype));
  write_entry(out, "device", python::Scalar::string(to_string(metadata->device)));
  write_entry(out, "layout", number_scalar(kLayoutNumbers, metadata->layout));
  out.end_mapping();
}

void write_profile(yaml::Emitter& out, const OpProfile& profile, const WriteMore& more) {
  const auto is_given = [](const std::optional<TensorMetadata>& arg) { return arg.has_value(); };
  const bool has_tensors = std::any_of(profile.args.begin(), profile.args.end(), is_given);
  out.begin_mapping();
  out.key(python::Scalar::string("args_profile"));
  out.begin_sequence(!has_tensors);
  for (const std::optional<TensorMetadata>& arg : profile.args) {
    if (arg) write_metadata(out, arg);
  }
  if (has_tensors) out.end_sequence();
  out.key(python::Scalar::string("out_profile"));
  if (profile.is_tuple) {
    out.begin_sequence(profile.out.empty());
    for (const std::optional<TensorMetadata>& result : profile.out) write_metadata(out, result);
    if (!profile.out.empty()) out.end_sequence();
  } else if (profile.out.empty() || !profile.out[0]) {
    throw_error(ErrorKind::kTypeError, "'NoneType' object is not iterable");
  } else {
    write_metadata(out, profile.out[0]);
  }
  if (more) more(out, profile);
  out.end_mapping();
}

}  // namespace

std::string generate_yaml_from_profiles(const OpProfiles& profiles) {
  return generate_yaml(profiles, {});
}

std::string generate_yaml(const OpProfiles& profiles, const WriteMore& more) {
  yaml::Emitter out;
  out.begin_mapping();
  write_entry(out, "torch_version", python::Scalar::string(kProfileVersion));
  out.key(python::Scalar::string("operators"));
  out.begin_mapping(profiles.empty());
  for (const OperatorProfiles& of_op : profiles) {
    out.key(of_op.op);
    out.begin_sequence(of_op.profiles.empty());
    for (const OpProfile& profile : of_op.profiles) write_profile(out, profile, more);
    if (!of_op.profiles.empty()) out.end_sequence();
  }
  if (!profiles.empty()) out.end_mapping();
  out.end_mapping();
  return out.finish();
}

// --- reading ---

namespace {

DeviceName read_device(const python::Value& value) {
  if (value.is(python::Scalar::Kind::kString) || value.is(python::Scalar::Kind::kBytes))
    return parse_device_name(value.text);
  if (!value.is(python::Scalar::Kind::kInt)) {
    throw_error(
        ErrorKind::kTypeError,
        format("device() received an invalid combination of arguments - got ({}), but expected one "
               "of:\n * (torch.device device)\n      didn't match because some of the arguments "
               "have invalid types: (!{}!)\n * (str type, int index = -1)\n",
               python::class_name(value), python::class_name(value)));
  }
  errno = 0;
  const long long index = std::strtoll(value.text.c_str(), nullptr, 10);
  if (errno == ERANGE) throw_error(ErrorKind::kValueError, "Overflow when unpacking long long");
  if (index < 0) refuse_device("Device index must not be negative");
  return {"cuda", static_cast<int8_t>(index)};
}

class ProfileReader {
 public:
  OpProfile read(const python::Value& value) {
    OpProfile profile;
    for (const python::Value* arg : python::iterate(python::subscript(value, "args_profile")))
      profile.args.push_back(read_metadata(*arg));
    const python::Value& out = python::subscript(value, "out_profile");
    profile.is_tuple = out.is(python::Scalar::Kind::kList);
    if (profile.is_tuple) {
      for (const python::Value* result : out.items) profile.out.push_back(read_metadata(*result));
    } else {
      profile.out.push_back(read_metadata(out));
    }
    // The profile goes into a set, which asks for the hash of all it holds.
    for (const python::Value* rank : ranks_) python::check_hashable(*rank);
    ranks_.clear();
    return profile;
  }

 private:
  TensorMetadata read_metadata(const python::Value& value) {
    if (++count_ > kMaxProfileTensors) {
      throw_error(ErrorKind::kLimitExceeded,
                  format("profiles of more than {} tensors", kMaxProfileTensors));
    }
    TensorMetadata metadata;
    const python::Value& rank = python::subscript(value, "rank");
    metadata.dtype = by_key(kScalarTypeNumbers, python::subscript(value, "dtype"));
    metadata.device = read_device(python::subscript(value, "device"));
    metadata.layout = by_key(kLayoutNumbers, python::subscript(value, "layout"));
    metadata.rank = rank;
    ranks_.push_back(&rank);
    return metadata;
  }

  size_t count_ = 0;
  std::vector<const python::Value*> ranks_;
};

}  // namespace

OpProfile read_profile(const python::Value& value) { return ProfileReader().read(value); }

OpProfiles read_profiles_from_yaml(std::string_view text) {
  const yaml::Document document(text);
  const yaml::PythonValues values(document);
  const python::Value& loaded = *values.root();
  const python::Value& version = python::subscript(loaded, "torch_version");
  if (!version.is(python::Scalar::Kind::kString) || version.text != kProfileVersion) {
    throw_error(ErrorKind::kRuntimeError,
                format("Unable to load outdated profile. It was saved with torch version: {} but "
                       "the current torch version is: {}",
                       python::str(version), kProfileVersion));
  }
  const python::Value& operators = python::subscript(loaded, "operators");
  if (!operators.is(python::Scalar::Kind::kDict)) {
    throw_error(ErrorKind::kAttributeError,
                format("'{}' object has no attribute 'items'", python::class_name(operators)));
  }
  ProfileReader reader;
  OpProfiles profiles;
  for (size_t i = 0; i < operators.items.size(); i += 2) {
    OperatorProfiles& of_op = profiles.emplace_back();
    of_op.op = *operators.items[i];
    std::set<std::string> seen;
    for (const python::Value* value : python::iterate(*operators.items[i + 1])) {
      OpProfile profile = reader.read(*value);
      if (seen.insert(identity(profile)).second) of_op.profiles.push_back(std::move(profile));
    }
  }
  return profiles;
}

OpProfiles load_op_profiles(std::string_view bytes) {
  if (python::to_utf8(python::from_utf8(bytes)) != bytes)
    throw_error(ErrorKind::kUnreadable, "op profiles are UTF-8 text; these bytes are not");
  return read_profiles_from_yaml(bytes);
}

namespace {
void append_identity(std::string& out, const std::optional<TensorMetadata>& metadata) {
  if (!metadata) {
    out += "None;";
    return;
  }
  const std::string rank = python::identity_key(metadata->rank);
  out += format("{} {} {} {} {};", rank.size(), rank, static_cast<int>(metadata->dtype),
                to_string(metadata->device), static_cast<int>(metadata->layout));
}
}  // namespace

std::string identity(const OpProfile& profile) {
  std::string out;
  for (const std::optional<TensorMetadata>& arg : profile.args) append_identity(out, arg);
  out += profile.is_tuple ? " -> tuple " : " -> ";
  for (const std::optional<TensorMetadata>& result : profile.out) append_identity(out, result);
  return out;
}

}  // namespace faketensor
