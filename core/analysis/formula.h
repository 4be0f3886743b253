// Formula: the text of a derivative formula as a tree (Note [The language of formulas],
// core/ops/derivative_formulas.h).
//
//   const Formula formula = parse_formula("self: grad * other; other: grad * self");
//   formula.statements[0].targets;  // {"self"}
//   formula.statements[0].saved;    // {"other"}: what the node keeps for it
#pragma once

#include <string_view>
#include <vector>

namespace faketensor {

struct Expression {
  enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kName, kCall, kList };
  Kind kind = Kind::kNone;
  std::string_view text;  // of a name; of a call: the operator or function
  double number = 0;
  std::vector<Expression> arguments;
};

struct Statement {
  std::vector<std::string_view> targets;
  Expression expression;
  std::vector<std::string_view> saved;  // names whose tensors it reads, each once; `grad` is not
};

struct Formula {
  std::vector<Statement> statements;  // none: the results have no history

  // How many statements read a name.
  int readers(std::string_view name) const;
};

// The texts must outlive the result. Raises AssertionError for a text that is no formula.
Formula parse_formula(std::string_view text);

// Whether a function looks at metadata alone, so that its argument need not be kept.
bool is_metadata_function(std::string_view name);

}  // namespace faketensor
