// DraftReport: what torch.export.draft_export would report of a program, as far as its file tells.
//
// Three kinds of failures of torch/export/_draft_export.py: operators without a fake kernel, with the
// profiles that answer for them; conditions on data that the program takes for true, which are the
// asserts of its graph, and those that could not be decided; and guards that were added: sizes of
// inputs that turn out to be one number. It is propagated with those profiles. Which asserts
// draft_export put there and which the code's own torch._check, no file says.
//
//   const DraftReport report(program);
//   for (const DraftFailure& each : report.failures()) ... each.text   // "4 <= u3"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/fake_tensor_prop.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

struct DraftFailure {
  enum class Kind : uint8_t { kMissingFakeKernel, kDataDependentError, kGuardAdded };
  Kind kind = Kind::kMissingFakeKernel;
  std::string text = {};                  // "mylib.foo.default", a condition, "s77 = 4"
  Row row = kNoRow;                       // where it is first met; kNoRow: the file says so
  size_t occurrences = 1;                 // calls of the operator
  std::string message = {};               // of what could not be decided: PyTorch's error
  std::vector<std::string> symbols = {};  // of a condition: "u3 is the value of item"
};
// FailureType: "MISSING_FAKE_KERNEL"
std::string_view name(DraftFailure::Kind kind);

class DraftReport {
 public:
  // The program must outlive this.
  explicit DraftReport(const Program& program);

  const Run& run() const { return run_; }
  std::span<const DraftFailure> failures() const { return failures_; }
  // Of the operators without a fake kernel, in the order of their first calls.
  const OpProfiles& profiles() const { return profiles_; }
  // Of the run, those that are no failures of the report.
  std::span<const Problem> problems() const { return problems_; }
  bool is_successful() const { return failures_.empty() && problems_.empty(); }

 private:
  void add_operators();
  void add_decisions();
  void add_problems();

  OpProfiles profiles_;
  Run run_;
  std::vector<DraftFailure> failures_;
  std::vector<Problem> problems_;
};

}  // namespace faketensor
