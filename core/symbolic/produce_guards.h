// The conditions under which a traced program holds for other inputs, as text.
//
// Mirrors ShapeEnv.produce_guards_verbose. Three groups, in this order: every size, stride and
// offset of every input is what its symbol says; every recorded guard that still means something;
// every symbol is within its range. Numbers of tensors are left out, as callers compare those
// themselves.
//
//   ProducedGuards made = produce_guards(env, inputs);
//   // made.exprs: "L['x'].stride()[0] == L['x'].size()[1]", "2 <= L['x'].size()[0]"
//   // made.conditions: the same, to be checked for other inputs by holds()
//
// An input's constraint that the guards go beyond raises ConstraintViolationError.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/symbolic/dim_constraints.h"
#include "core/symbolic/evaluate.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// An input of the program: a tensor, or a number.
struct GuardedInput {
  Source source;
  std::vector<SymInt> sizes = {};
  std::vector<SymInt> strides = {};          // none for sparse layouts
  std::optional<SymInt> offset = {};         // none for sparse layouts
  const SymbolicContext* context = nullptr;  // a tensor's constraints
  const ExprNode* number = nullptr;          // set for a number
  DimConstraint constraint = {};             // of a number
};

// Input dimensions that the user declares to be related (EqualityConstraint). A root is another
// dimension, by its source, or a symbol that is no input's.
struct DerivedDim {
  Source dim;
  std::optional<Source> root;
  const ExprNode* root_symbol = nullptr;  // or an integer
  int64_t factor = 1;                     // dim = factor * root + offset
  int64_t offset = 0;
};
struct DeclaredEqualities {
  std::vector<std::pair<Source, Source>> equal;
  std::vector<DerivedDim> derived;
  bool warn_only = false;
};

struct GuardRequest {
  // The user's names for dimensions: "L['x'].size()[0]" is "batch".
  DebugNames debug_names;
  const DeclaredEqualities* equalities = nullptr;
  // Leaves out what follows from symbols being shared, and lower bounds that every size has.
  bool simplified = false;
  // Numbers that tensors have are not worth a guard.
  bool ignore_static = true;
  // Where what the guards demand of dimensions is collected, besides.
  DimConstraints* constraints = nullptr;
  // What a guard's origin is called in the verbose form; without it those have no comments.
  std::function<std::string(uint32_t origin)> describe_origin;
};

// A number of an input: itself, or of a tensor.
struct InputNumber {
  enum class Property : uint8_t { kValue, kSize, kStride, kOffset };
  size_t input = 0;  // among those that were given to produce_guards
  Property property = Property::kValue;
  size_t dim = 0;  // of a size or a stride
};

// A guard, for the numbers of other inputs.
struct GuardCondition {
  enum class Kind : uint8_t { kIsTrue, kEquals, kIsInRange, kIsNoNan };
  Kind kind = Kind::kIsTrue;
  size_t subject = 0;                    // among ProducedGuards::numbers; of all but kIsTrue
  const ExprNode* expression = nullptr;  // what is true, or what the subject equals
  ValueRange range = {};
};

struct ProducedGuards {
  std::vector<std::string> exprs;
  std::vector<std::string> verbose;                         // each with a comment that says why
  std::vector<GuardCondition> conditions;                   // each of exprs
  std::vector<InputNumber> numbers;                         // which the conditions are about
  std::vector<std::pair<const ExprNode*, size_t>> symbols;  // each is one of the numbers
};

// Whether a condition is true, exactly as Python evaluates its text; false too where that has no
// value (a division by zero). `numbers` are those of ProducedGuards in their order, and `symbols`
// gives each of its symbols its number.
bool holds(const GuardCondition& condition, std::span<const Number> numbers,
           const Assignment& symbols);

ProducedGuards produce_guards(ShapeEnv& env, std::span<const GuardedInput> inputs,
                              const GuardRequest& request = {});

// The end of an export: the guards, with torch.export's suggestions in the error if they go beyond
// the declared `dims`. Mirrors produce_guards_and_solve_constraints, torch/_export/
// non_strict_utils.py. The environment is frozen.
void check_export_guards(ShapeEnv& env, std::span<const GuardedInput> inputs, GuardRequest request,
                         const std::vector<ExportDim>& dims);

// All of them in one condition over L['t0'], L['t1'], ...; nothing if there are none. Mirrors
// ShapeEnv.produce_guards_expression.
std::optional<std::string> produce_guards_expression(ShapeEnv& env,
                                                     std::span<const GuardedInput> inputs,
                                                     bool ignore_static = true);

}  // namespace faketensor
