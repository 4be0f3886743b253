// OperatorRules: an export pass written as data.
//
// Which operators are replaced, dropped, expanded into others, or get one before or after them; what
// happens to placeholders and to the output. Enough for most rewrites, and what a question of the
// conformance data describes its passes by.
//
//   OperatorRules rules;
//   rules.replace["aten.add.Tensor"] = "aten.sub.Tensor";
//   apply_operator_rules(subject, rules);
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/value.h"

namespace faketensor {

struct PassSubject;
struct PassResult;

// An operand of a step: an argument of the operator, what an earlier step made, or a constant.
struct StepOperand {
  enum class Kind : uint8_t { kArgument, kStep, kConstant };
  Kind kind = Kind::kConstant;
  size_t argument = 0;    // by position
  std::string step = {};  // by name
  Value constant = {};
};

// One call of those that an operator is expanded into; its result has a name, later ones hide
// earlier ones of the same. The last call's is the operator's.
struct ExpansionStep {
  std::string name = {};
  std::string op = {};
  std::vector<StepOperand> operands = {};
  std::optional<size_t> if_argument = {};  // made only where that argument is given and not None
};

// Operators are named as "aten.add.Tensor".
struct OperatorRules {
  std::map<std::string, std::string> replace = {};
  std::vector<std::string> after = {};  // of these, the result goes through `after_op`
  std::string after_op = {};
  std::vector<std::string> before = {};  // of these, an argument goes through `before_op`
  size_t before_argument = 0;
  std::string before_op = {};
  std::vector<std::string> drop = {};  // of these, an argument stands for the result
  size_t kept_argument = 0;
  std::map<std::string, std::vector<ExpansionStep>> expand = {};
  std::string placeholder_suffix = {};
  std::optional<DType> placeholder_dtype = {};  // placeholders of it go through `placeholder_op`
  std::string placeholder_op = {};
  std::vector<std::pair<std::string, Value>> placeholder_keywords = {};
  std::string output_op = {};  // each tensor that is returned goes through it
  std::vector<Value> output_operands = {};
  // What operators are called with instead of their arguments; for tests of errors.
  std::vector<StepOperand> operands = {};
};

// Retraces the graph by the rules (export_pass.h). Raises what its operators raise.
PassResult apply_operator_rules(PassSubject& subject, const OperatorRules& rules);

}  // namespace faketensor
