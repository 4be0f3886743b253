// Fakes made from profiles.
//
// Mirrors torch._library.fake_profile: the first profile that fits the arguments says what the
// results are; their sizes are fresh unbacked symbols and their strides the products of the sizes
// before (the first dimension is the innermost, as PyTorch generates them). The scope of
// unsafe_generate_fake_kernels is an object:
//
//   const GeneratedFakes scope(mode.library(), profiles);
//   mode.call("mylib::foo", {&x, 1});   // f32[u0, u1]
#pragma once

#include <functional>
#include <string>

#include "core/ops/library.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

// The fake of one operator. Raises MissingOpProfile for arguments that no profile fits.
FakeImpl generate_fake_kernel(std::string_view op, std::vector<OpProfile> profiles);

// Overrides the fakes of all operators in `profiles` while it lives. As in PyTorch, the overload in
// an operator's name is not looked at, and a custom_op without a fake keeps the generated one.
class GeneratedFakes {
 public:
  using Warn = std::function<void(const std::string&)>;
  // Raises RuntimeError for an operator that does not exist, IndexError for a name without a dot.
  // `warn` gets PyTorch's log lines.
  GeneratedFakes(Library& library, const OpProfiles& profiles, const Warn& warn = {});

 private:
  std::vector<Library::ScopedFake> fakes_;
};

// What a profile says of a tensor.
TensorMetadata metadata_of(const Tensor& tensor);

}  // namespace faketensor
