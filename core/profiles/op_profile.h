// Op profiles: the ranks, dtypes, devices and layouts that were seen at the tensors of an operator.
//
// Mirrors torch/_library/fake_profile.py: an OpProfile says "given arguments like these, results
// like those"; a set of them stands in for the fake that an operator does not have
// (fake_kernels.h). The YAML form is PyTorch's, byte for byte, and reading follows PyTorch's reader
// to its errors (yaml/ follows PyYAML's).
//
//   const OpProfiles profiles = read_profiles_from_yaml(text);
//   generate_yaml_from_profiles(profiles) == text
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml/python_value.h"
#include "core/tensor/device.h"
#include "core/tensor/dtype.h"

namespace faketensor {

namespace yaml {
class Emitter;
}

// The release whose profiles are read and written.
inline constexpr std::string_view kProfileVersion = "2.13";
// What one file may hold: tensors of profiles, over all operators.
inline constexpr size_t kMaxProfileTensors = 1'000'000;

// A device as torch.device names it, of any kind that PyTorch knows.
struct DeviceName {
  std::string type = "cpu";
  int8_t index = -1;  // -1: none; torch.device("cuda:128") has -128

  friend bool operator==(const DeviceName&, const DeviceName&) = default;
  static DeviceName of(Device device);
  // The device of tensors; nothing for kinds that no tensor is on here ("ideep").
  std::optional<Device> device() const;
};
// "cuda:1"
std::string to_string(const DeviceName& device);
// torch.device(text). Raises RuntimeError as it does.
DeviceName parse_device_name(std::string_view text);

struct TensorMetadata {
  python::Scalar rank;  // an integer, but PyTorch's reader takes what is there
  DType dtype = DType::kFloat32;
  DeviceName device;
  Layout layout = Layout::kStrided;
};

// What the superset format (extended.h) adds of one result. Expressions are PyTorch's text over
// x<argument>_<dimension>: "2*x0_1" is twice the size of the first argument's dimension 1.
struct ResultDetail {
  std::optional<std::vector<std::string>> sizes;    // none: fresh unbacked sizes
  std::optional<std::vector<std::string>> strides;  // none: PyTorch's order
  std::optional<size_t> alias;                      // the argument whose storage it is on

  bool is_plain() const { return !sizes && !strides && !alias; }
  friend bool operator==(const ResultDetail&, const ResultDetail&) = default;
};

struct OpProfile {
  // None for arguments that are no tensors.
  std::vector<std::optional<TensorMetadata>> args;
  // One tensor, or a tuple of them. A None in it is what generate_yaml_from_profiles refuses.
  std::vector<std::optional<TensorMetadata>> out;
  bool is_tuple = false;
  std::vector<ResultDetail> details;  // empty, or one per result; PyTorch's form has none
};

struct OperatorProfiles {
  python::Scalar op;  // "mylib.foo.default"; any key that YAML has
  std::vector<OpProfile> profiles;
};
// By operator, in the order of the file. Profiles of one operator are a set: each once.
using OpProfiles = std::vector<OperatorProfiles>;

// One text per profile; equal for equal profiles.
std::string identity(const OpProfile& profile);

// torch._library.fake_profile.generate_yaml_from_profiles. Raises KeyError for a dtype or layout
// that has no number in exported programs.
std::string generate_yaml_from_profiles(const OpProfiles& profiles);

// The same with what `more` adds to each profile's mapping.
using WriteMore = std::function<void(yaml::Emitter& out, const OpProfile& profile)>;
std::string generate_yaml(const OpProfiles& profiles, const WriteMore& more);

// One profile of a file that was read.
OpProfile read_profile(const python::Value& value);

// read_profiles_from_yaml. Raises what PyYAML and PyTorch raise; LimitExceeded for texts past the
// limits of yaml/source.h and kMaxProfileTensors.
OpProfiles read_profiles_from_yaml(std::string_view text);

// load_op_profiles from the bytes of a file: UTF-8. Raises UnreadableInput for other bytes.
OpProfiles load_op_profiles(std::string_view bytes);

}  // namespace faketensor
