// Profiles and programs: profiles of a program's unknown operators, from what the file records, and
// unknown operators answered by profiles.
//
// An exported program records what PyTorch saw at every node, also at those of custom operators.
// That is enough for a profile of each, and with the profile the program propagates from end to
// end.
//
//   const OpProfiles profiles = record_profiles(program, {});
//   propagate(program, {.prepare = answer_by_profiles(profiles)});
#pragma once

#include <functional>

#include "core/graph/fake_tensor_prop.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

struct RecordOptions {
  // Keep sizes and strides too: expressions of the arguments' sizes where they are symbolic, else
  // the numbers of the file.
  bool with_sizes = false;
};

// The profiles of the operators of the main graph that have no rule, as draft_export collects them
// (torch/_export/passes/insert_custom_op_guards.py, get_op_profiles).
OpProfiles record_profiles(const Program& program, const RecordOptions& options);

// For PropagateOptions::prepare: defines the program's unknown operators that have profiles, their
// schemas as the calls show them, and overrides the fakes of those that are known.
std::function<void(const Program&, FakeTensorMode&)> answer_by_profiles(OpProfiles profiles);

}  // namespace faketensor
