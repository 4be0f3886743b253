#include "core/symbolic/dim_constraints.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"

namespace faketensor {

namespace {

// Whether the solver knows all functions in it: sums, products, // and %.
bool is_supported(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kSymbol:
      return true;
    case ExprKind::kAdd:
    case ExprKind::kMul:
    case ExprKind::kPow:
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
    case ExprKind::kEq:
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe: {
      const auto args = node->args();
      return std::all_of(args.begin(), args.end(), is_supported);
    }
    default:
      return false;
  }
}

int64_t ceil_divide(int64_t a, int64_t b) { return -floor_divide(-a, b); }

}  // namespace

// Note [Solving without remainders]
// For the example inputs b % d is some number k. Where it is that number for all inputs, b % d is k
// and b // d is (b - k) / d; that it is, is a congruence of its own: b - k is a multiple of d.
std::optional<DimConstraints::Linear> DimConstraints::without_remainder(const ExprNode* division,
                                                                        const ExprNode* symbol,
                                                                        Facts& facts) const {
  const std::optional<Linear> base = linear(division->arg(0), symbol, facts);
  const std::optional<Linear> divisor = linear(division->arg(1), symbol, facts);
  const std::optional<int64_t> hint = env_.hint_of_symbol(symbol);
  if (!base || !divisor || !hint || divisor->a != 0 || divisor->denominator != 1) return {};
  const int64_t d = divisor->b;
  if (d <= 0) return {};
  const int64_t value =
      floor_divide(checked_add(checked_multiply(base->a, *hint), base->b), base->denominator);
  const int64_t remainder = floor_modulo(value, d);
  const int64_t shifted = checked_subtract(base->b, checked_multiply(remainder, base->denominator));
  const int64_t modulus = checked_multiply(d, base->denominator);
  if (base->a % modulus != 0 || shifted % modulus != 0)
    facts.congruences.push_back({base->a, shifted, modulus});
  if (division->kind == ExprKind::kFloorDiv) return Linear{base->a, shifted, modulus};
  return Linear{0, remainder, 1};
}

std::optional<DimConstraints::Linear> DimConstraints::linear(const ExprNode* node,
                                                             const ExprNode* symbol,
                                                             Facts& facts) const {
  switch (node->kind) {
    case ExprKind::kInteger:
      return Linear{0, node->number.integer, 1};
    case ExprKind::kSymbol:
      return Linear{1, 0, 1};
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
      return without_remainder(node, symbol, facts);
    case ExprKind::kAdd: {
      Linear sum{0, node->number.integer, 1};
      for (const ExprNode* term : node->args()) {
        const std::optional<Linear> part = linear(term, symbol, facts);
        if (!part) return {};
        const int64_t common = std::lcm(sum.denominator, part->denominator);
        const auto scaled = [common](int64_t value, int64_t denominator) {
          return checked_multiply(value, common / denominator);
        };
        sum = {checked_add(scaled(sum.a, sum.denominator), scaled(part->a, part->denominator)),
               checked_add(scaled(sum.b, sum.denominator), scaled(part->b, part->denominator)),
               common};
      }
      return sum;
    }
    case ExprKind::kMul: {
      if (node->arg_count != 1) return {};
      const std::optional<Linear> part = linear(node->arg(0), symbol, facts);
      if (!part) return {};
      return Linear{checked_multiply(part->a, node->number.integer),
                    checked_multiply(part->b, node->number.integer), part->denominator};
    }
    default:
      return {};
  }
}

// a*s + b compared with 0, for a positive denominator.
bool DimConstraints::add_linear(ExprKind kind, Linear difference, const ExprNode* condition,
                                Facts& facts) {
  int64_t a = difference.a;
  int64_t b = difference.b;
  if (a == 0) {
    const bool holds = kind == ExprKind::kEq   ? b == 0
                       : kind == ExprKind::kLt ? b < 0
                       : kind == ExprKind::kLe ? b <= 0
                       : kind == ExprKind::kGt ? b > 0
                                               : b >= 0;
    if (!holds) inconsistencies_.push_back(format("{} is inconsistent!", to_string(condition)));
    return holds;
  }
  if (a < 0) {
    a = -a;
    b = -b;
    kind = mirrored_relation(kind);
  }
  const auto raise_lower = [&](int64_t bound) {
    facts.lower = std::max(facts.lower.value_or(bound), bound);
  };
  const auto lower_upper = [&](int64_t bound) {
    facts.upper = std::min(facts.upper.value_or(bound), bound);
  };
  switch (kind) {
    case ExprKind::kEq:
      if (b % a != 0) {
        inconsistencies_.push_back(format("{} is inconsistent!", to_string(condition)));
      } else {
        facts.value = -b / a;
      }
      break;
    case ExprKind::kGe:
      raise_lower(ceil_divide(-b, a));
      break;
    case ExprKind::kGt:
      raise_lower(floor_divide(-b, a) + 1);
      break;
    case ExprKind::kLe:
      lower_upper(floor_divide(-b, a));
      break;
    default:
      lower_upper(ceil_divide(-b, a) - 1);
      break;
  }
  return false;
}

bool DimConstraints::add(const ExprNode* condition) {
  if (condition->is_true()) return true;
  const std::vector<const ExprNode*> symbols = free_symbols(condition);
  const std::optional<Number> hinted =
      condition->has(kHasUnbacked) ? std::nullopt : env_.hint(condition);
  if (condition->is_false() || (hinted && hinted->integer == 0))
    inconsistencies_.push_back(format("{} is inconsistent!", to_string(condition)));
  if (symbols.empty() || !is_relation(condition->kind) || !is_supported(condition)) return false;
  if (symbols.size() > 1) {
    multivariate_.push_back(condition);
    return false;
  }
  const ExprNode* symbol = symbols[0];
  const auto [at, is_new] = facts_.try_emplace(symbol);
  if (is_new) symbols_.push_back(symbol);
  Facts& facts = at->second;
  const size_t congruences = facts.congruences.size();
  const ExprNode* difference = env_.pool().subtract(condition->arg(0), condition->arg(1));
  const std::optional<Linear> linear_difference = linear(difference, symbol, facts);
  if (!linear_difference) return false;
  return add_linear(condition->kind, *linear_difference, condition, facts) &&
         facts.congruences.size() == congruences;
}

void DimConstraints::add_equality(const Source& source, const ExprNode* value) {
  equivalences_.emplace_back(source.name(), value);
}

void DimConstraints::raise_inconsistencies() {
  if (inconsistencies_.empty()) return;
  std::string message = "The following inconsistencies were found:";
  for (const std::string& inconsistency : std::exchange(inconsistencies_, {}))
    message += "\n" + inconsistency;
  throw_error(ErrorKind::kValueError, std::move(message));
}

void DimConstraints::solve() {
  raise_inconsistencies();
  // A symbol that became a number makes conditions on others solvable: at most one round each.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const std::optional<int64_t> value = facts_.at(symbols_[i]).value;
      if (!value || substitutions_.count(symbols_[i]) != 0) continue;
      substitutions_[symbols_[i]] = env_.pool().integer(*value);
      changed = true;
    }
    if (!changed) break;
    for (const ExprNode* condition : std::exchange(multivariate_, {}))
      add(substitute(condition, substitutions_));
    raise_inconsistencies();
  }
  for (auto& [source, value] : equivalences_) value = substitute(value, substitutions_);
}

// s = remainder mod modulus, from those congruences that say as much.
std::optional<DimConstraints::Solution> DimConstraints::solve_congruences(
    const ExprNode* symbol, const Facts& facts) const {
  Solution solution;
  for (const Congruence& congruence : facts.congruences) {
    const bool is_solvable = congruence.a != 0 && congruence.modulus % congruence.a == 0 &&
                             congruence.b % congruence.a == 0;
    if (!is_solvable) continue;
    const int64_t modulus = congruence.modulus / congruence.a;
    solution.modulus = std::lcm(solution.modulus, modulus < 0 ? -modulus : modulus);
  }
  if (solution.modulus == 1) return {};
  // The example satisfies all of them, so its remainder is the common one.
  solution.remainder = floor_modulo(env_.hint_of_symbol(symbol).value_or(0), solution.modulus);
  return solution;
}

std::optional<std::string> DimConstraints::name_of(const ExprNode* symbol) const {
  const auto source = sources_.find(symbol);
  if (source == sources_.end()) return {};
  const auto name = names_.find(source->second);
  return name == names_.end() ? std::nullopt : std::optional<std::string>(name->second);
}

std::map<std::string, int64_t> DimConstraints::forced_specializations() const {
  std::map<std::string, int64_t> forced;
  for (const auto& [symbol, value] : substitutions_) {
    const auto source = sources_.find(symbol);
    if (source == sources_.end() || marked_dynamic_.count(symbol) == 0) continue;
    forced[source->second] = value->number.integer;
  }
  return forced;
}

// --- suggestions ---

namespace {

// What a Dim should be: a number, factor * root + offset, or a range.
struct Suggestion {
  std::optional<int64_t> number;
  std::string root;
  int64_t factor = 1;
  int64_t offset = 0;
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  bool has_range() const { return min || max; }
};

// In the order of names; PyTorch's own order is sorted before it is printed.
using Suggestions = std::map<std::string, Suggestion>;

class Suggester {
 public:
  Suggester(Suggestions results, std::vector<ExportDim> dims) : results_(std::move(results)) {
    for (ExportDim& dim : dims) {
      check_factor(dim);
      dims_.emplace(dim.name, std::move(dim));
    }
  }

  // Suggestions for roots only: those for dimensions derived from them follow.
  Suggestions finish() {
    introduce_roots();
    const std::set<std::string> roots = modified_roots();
    Suggestions modified;
    for (const std::string& root : roots) {
      if (const std::optional<Suggestion> value = value_of_root(root)) modified[root] = *value;
    }
    for (auto at = results_.begin(); at != results_.end();) {
      const auto dim = dims_.find(at->first);
      const bool drop =
          dim != dims_.end() && (dim->second.is_derived() || roots.count(at->first) != 0);
      at = drop ? results_.erase(at) : std::next(at);
    }
    results_.insert(modified.begin(), modified.end());
    return results_;
  }

 private:
  // Dim.__mul__, torch/export/dynamic_shapes.py.
  static void check_factor(const ExportDim& dim) {
    if (dim.factor > 0) return;
    throw_error(ErrorKind::kNotImplementedError,
                format("Attempted to multiply {} with {}, where a positive integer was expected. "
                       "(Only increasing linear operations with integer coefficients are "
                       "supported.)",
                       dim.factor, dim.root));
  }

  // dx = 3*_dx + 1 needs a Dim _dx, with the range that dx had.
  void introduce_roots() {
    Suggestions introduced;
    for (auto& [name, result] : results_) {
      if (result.root.empty() || dims_.count(result.root) != 0) continue;
      Suggestion root;
      root.min = ceil_divide(result.min.value_or(2) - result.offset, result.factor);
      root.max =
          result.max ? floor_divide(*result.max - result.offset, result.factor) : kIntInfinity;
      introduced[result.root] = root;
      introduced_[name] = result;
      result.min.reset();
      result.max.reset();
    }
    for (const auto& [name, root] : introduced) {
      results_[name] = root;
      dims_[name] = {name, *root.min, *root.max, "", 1, 0};
    }
    for (auto& [name, result] : results_) {
      const auto old_root = introduced_.find(result.root);
      if (old_root == introduced_.end()) continue;
      result.offset += result.factor * old_root->second.offset;
      result.factor *= old_root->second.factor;
      result.root = old_root->second.root;
    }
  }

  std::set<std::string> modified_roots() const {
    std::set<std::string> roots;
    for (const auto& [name, result] : results_) {
      const auto dim = dims_.find(name);
      if (dim == dims_.end()) continue;
      if (!dim->second.is_derived() && result.has_range()) {
        roots.insert(name);
      } else if (!result.root.empty()) {
        roots.insert(result.root);
      }
    }
    for (const auto& [name, result] : introduced_) roots.erase(result.root);
    return roots;
  }

  std::optional<Suggestion> value_of_root(const std::string& root) const {
    const auto dim = dims_.find(root);
    if (dim == dims_.end()) return {};
    const auto found = results_.find(root);
    if (found != results_.end() && (found->second.has_range() || found->second.number)) {
      return is_same_range(found->second, dim->second) ? std::nullopt
                                                       : std::optional(found->second);
    }
    for (const auto& [name, result] : results_) {
      const auto derived = dims_.find(name);
      if (derived == dims_.end() || derived->second.root != root || !result.has_range()) continue;
      Suggestion solved;
      const auto invert = [&](int64_t value) {
        return floor_divide(value - derived->second.offset, derived->second.factor);
      };
      if (result.min) solved.min = invert(*result.min);
      if (result.max) solved.max = invert(*result.max);
      if (!is_same_range(solved, dim->second)) return solved;
    }
    return {};
  }

  static bool is_same_range(const Suggestion& result, const ExportDim& dim) {
    const int64_t min = result.min.value_or(2);
    return !dim.is_derived() && result.has_range() &&
           ((dim.min < 2 && min == 2) || dim.min == min) &&
           dim.max == result.max.value_or(kIntInfinity);
  }

  Suggestions results_;
  std::map<std::string, ExportDim> dims_;
  Suggestions introduced_;  // by the name of the Dim that now has a new root
};

std::string text_of(const std::string& name, const Suggestion& result) {
  if (result.number) return format("{} = {}", name, *result.number);
  if (!result.root.empty()) {
    std::string text = format("{} = ", name);
    if (result.factor != 1) text += format("{}*", result.factor);
    text += result.root;
    if (result.offset > 0) text += format(" + {}", result.offset);
    if (result.offset < 0) text += format(" - {}", -result.offset);
    return text;
  }
  std::string text = format("{} = Dim('{}'", name, name);
  if (result.min && *result.min != 2) text += format(", min={}", *result.min);
  if (result.max) {
    // An unbounded new root prints sympy's infinity.
    text += *result.max == kIntInfinity ? ", max=oo" : format(", max={}", *result.max);
  }
  return text + ")";
}

}  // namespace

// A Dim's name with sources in the place of names: suggestions are sorted by it.
std::string DimConstraints::in_sources(std::string text) const {
  for (const auto& [source, name] : std::map(names_.begin(), names_.end())) {
    const size_t at = name.empty() ? std::string::npos : text.find(name);
    if (at != std::string::npos) return text.replace(at, name.size(), source);
  }
  return text;
}

std::string DimConstraints::suggested_fixes(std::vector<ExportDim> dims) const {
  Suggestions results;
  for (const auto& [source, value] : equivalences_) {
    const auto name = names_.find(source);
    if (name == names_.end()) continue;
    if (value->is_number()) {
      results[name->second].number = value->number.integer;
      continue;
    }
    const std::vector<const ExprNode*> symbols = free_symbols(value);
    const std::optional<std::string> root =
        symbols.size() == 1 ? name_of(symbols[0]) : std::nullopt;
    Facts unused;
    const std::optional<Linear> relation = root ? linear(value, symbols[0], unused) : std::nullopt;
    const bool is_expressible = relation && relation->denominator == 1 && *root != name->second;
    if (!is_expressible) continue;
    Suggestion& result = results[name->second];
    result.root = *root;
    result.factor = relation->a;
    result.offset = relation->b;
  }
  for (const ExprNode* symbol : symbols_) {
    const std::optional<std::string> name = name_of(symbol);
    if (!name) continue;
    const Facts& facts = facts_.at(symbol);
    Suggestion& result = results[*name];
    if (facts.value) {
      result.number = facts.value;
      continue;
    }
    result.min = facts.lower;
    result.max = facts.upper;
    if (const std::optional<Solution> solution = solve_congruences(symbol, facts)) {
      result.root = "_" + *name;
      result.factor = solution->modulus;
      result.offset = solution->remainder;
    }
  }
  std::string out;
  const std::map<std::string, int64_t> forced = forced_specializations();
  std::set<std::string> forced_names;
  for (const auto& [source, value] : forced) {
    const std::string& name = names_.at(source);
    const auto dim =
        std::find_if(dims.begin(), dims.end(), [&](const ExportDim& d) { return d.name == name; });
    forced_names.insert(dim != dims.end() && dim->is_derived() ? dim->root : name);
  }
  if (!forced.empty()) {
    std::string list;
    for (const std::string& name : forced_names) list += (list.empty() ? "" : ", ") + name;
    out += format(
        "Specializations unexpectedly required ({})! For more information, run with "
        "TORCH_LOGS=\"+dynamic\".\n",
        list);
    for (const auto& [source, value] : forced) {
      out += format(
          "  - solving the guards generated for {} = {} resulted in a specialized value "
          "of {}.\n",
          names_.at(source), source, value);
    }
  }
  const Suggestions finished = Suggester(std::move(results), std::move(dims)).finish();
  std::vector<std::string> names;
  for (const auto& [name, result] : finished) names.push_back(name);
  std::sort(names.begin(), names.end(), [this](const std::string& a, const std::string& b) {
    return in_sources(a) < in_sources(b);
  });
  std::string ranges;
  std::string others;
  for (const std::string& name : names) {
    const Suggestion& result = finished.at(name);
    const bool is_range = !result.number && result.root.empty();
    (is_range ? ranges : others) += "\n  " + text_of(name, result);
  }
  if (!ranges.empty() || !others.empty()) out += "\nSuggested fixes:" + ranges + others;
  return out;
}

}  // namespace faketensor
