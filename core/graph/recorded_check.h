// The values that a file records, held against those of a run.
//
// PyTorch's exporter wrote down what it saw at every node. A run that changes nothing about the
// inputs should give the same, but for three reasons, which are told apart from mistakes: the rules
// of some operators changed between the exporting PyTorch and the one that answers
// (core/devices/version_changes.h); an exporter did not write everything down; and an operator that
// nobody knows has no answer but the record itself.
//
//   const RecordedCheck check = check_recorded(run);
//   for (const Problem& difference : check.differences) ...
#pragma once

#include <string>
#include <vector>

#include "core/devices/version_changes.h"
#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

struct RecordedCheck {
  // Of kind kMismatch. Their messages say what the file records and what propagation gives; those
  // of `explained` begin with the reason.
  std::vector<Problem> differences;
  std::vector<Problem> explained;
  // What was not compared, a sentence each with the reason.
  std::vector<std::string> skipped;
  // Those of `run.problems()` that the exporting PyTorch did not have.
  std::vector<Problem> explained_problems;

  // Whether this one of `run.problems()` is among them.
  bool is_explained(const Problem& problem) const;
};

RecordedCheck check_recorded(const Run& run);

// The release that exported a program, by what the file says, else by its schema version; nothing
// where neither tells.
std::optional<TorchVersion> exporting_version(const Program& program);

}  // namespace faketensor
