// The superset format of op profiles, and a strict lint.
//
// PyTorch's own form loses what the results have to do with the arguments. The superset keeps
// PyTorch's form and adds keys that PyTorch's reader passes over, so that a file of it still loads
// there as the plain one:
//
//   mylib.foo.default:
//   - args_profile:
//     - {rank: 2, dtype: 7, device: cpu, layout: 7}
//     out_profile: {rank: 2, dtype: 7, device: cpu, layout: 7}
//     none_args: [1]              # positions of arguments that are no tensors
//     results:                    # one per result
//     - sizes: [x0_0, 2*x0_1]     # of the sizes of arguments: x<argument>_<dimension>
//       strides: [2*x0_1, 1]
//       alias: 0                  # on the storage of that argument
//
// The lint takes nothing that PyTorch would merely tolerate: no anchors, aliases, tags or second
// documents, no key twice, no key it does not know, ranks that are ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/profiles/op_profile.h"

namespace faketensor {

struct LintFinding {
  uint32_t line = 0;  // from 1
  uint32_t column = 0;
  std::string message;
};

// Everything that is wrong with a text, in its order. A text that is no YAML has one finding.
std::vector<LintFinding> lint_profiles(std::string_view text);

// The profiles of a text without findings, details included. Raises ValueError with the first
// finding's place otherwise.
OpProfiles read_extended_profiles(std::string_view text);

// PyTorch's form with the added keys where a profile has details or arguments that are no tensors.
std::string generate_extended_yaml(const OpProfiles& profiles);

// Both sets in one, and where they contradict each other: equal arguments, different results. The
// first one's profile stays in front, and so is what answers.
struct MergedProfiles {
  OpProfiles profiles;
  std::vector<std::string> conflicts;  // "mylib.foo.default: (f32 rank 2) gives ... and ..."
};
MergedProfiles merge_profiles(const OpProfiles& first, const OpProfiles& second);

// "(float32 rank 2 cpu, None) -> float32 rank 2 cpu"
std::string describe(const OpProfile& profile);

}  // namespace faketensor
