// What a program would answer if it were exported anew with other sizes, dtype or device.
//
// FakeTensorProp says what the nodes of a program answer for other inputs; but the example's sizes,
// dtypes and devices are written into the nodes, so that most programs raise. Here what is written
// follows the inputs where it was taken from them (retarget.h). Each decision is an assumption, is
// listed, and can be made otherwise.
//
//   const RetargetedRun answer = propagate_retargeted(program, {{.dims = {{"batch", 64}}}});
//   for (const Assumption& assumption : answer.assumptions) ... answer.run.record(assumption.row) ...
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/passes/argument_changes.h"
#include "core/passes/assumptions.h"

namespace faketensor {

struct RetargetOptions : PropagateOptions {
  // What FakeTensorProp says of the nodes as they are written. Exact `inputs` are always taken so.
  bool literal = false;
  // By the name of a site, decisions that stand: "literal", "follows" (dtypes and devices), or a
  // number.
  std::map<std::string, std::string> assume = {};
  // Told what the arguments became that are written in the nodes. Must outlive the run; holds what
  // the answer's run changed.
  ArgumentChanges* changes = nullptr;
};

struct RetargetedRun {
  Run run;
  std::vector<Assumption> assumptions;
  int runs = 1;  // how often the program was propagated until all fitted

  size_t guesses() const;
};

// Raises UsageError as `propagate` does, and for what cannot be assumed.
RetargetedRun propagate_retargeted(const Program& program, const RetargetOptions& options);

}  // namespace faketensor
