// Canonical forms of Max and Min: nested ones flattened, what another argument absorbs left out.
//
// Mirrors MinMaxBase (torch/utils/_sympy/functions.py), which compares its arguments only where
// that is cheap: numbers with each other, 0 and 1 with a single expression of known sign, and two
// multiples of one expression.
#include <algorithm>
#include <vector>

#include "core/symbolic/display_order.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

using Args = std::span<const ExprNode* const>;
using Values = std::vector<const ExprNode*>;

// More arguments than this are not searched for one another: the search is quadratic.
constexpr size_t kMaxAbsorbing = 64;

bool is_extremum(const ExprNode* node) {
  return node->kind == ExprKind::kMax || node->kind == ExprKind::kMin;
}
ExprKind opposite(ExprKind kind) {
  return kind == ExprKind::kMax ? ExprKind::kMin : ExprKind::kMax;
}

bool contains_value(const Values& values, const ExprNode* value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// Whether `a` is the more extreme number: the larger for Max.
bool wins(ExprKind kind, const ExprNode* a, const ExprNode* b) {
  return (compare(a->number, b->number) > 0) == (kind == ExprKind::kMax);
}

// The node of these arguments as they are, in order of creation; null for none.
const ExprNode* unevaluated(ExprPool& pool, ExprKind kind, Values values) {
  if (values.empty()) return nullptr;
  std::sort(values.begin(), values.end(), [](auto* a, auto* b) { return a->id < b->id; });
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() == 1) return values[0];
  const bool any_float = std::any_of(values.begin(), values.end(),
                                     [](auto* value) { return value->type == ExprType::kFloat; });
  return pool.intern(kind, any_float ? ExprType::kFloat : ExprType::kInt, Number(), values);
}

// --- numbers ---

// The most extreme of the numbers in `node` that stand in a nested Max or Min of this kind.
void find_nested_number(ExprKind kind, const ExprNode* node, const ExprNode*& best) {
  if (!is_extremum(node)) return;
  for (const ExprNode* arg : node->args()) {
    if (node->kind == kind && arg->is_number() && (best == nullptr || wins(kind, arg, best)))
      best = arg;
    find_nested_number(kind, arg, best);
  }
}

// sympy's first argument of a Max or Min: the smallest, numbers before symbols.
const ExprNode* first_argument(const ExprNode* extremum) {
  return ordered_by_size(extremum->args())[0];
}

// Max(5, Min(3, b)) = 5 : what can never exceed the number goes.
void drop_below_number(ExprPool& pool, ExprKind kind, const ExprNode* number, Values& values) {
  const ExprNode* bound = number;
  for (const ExprNode* value : values) find_nested_number(kind, value, bound);
  const ExprKind beyond = kind == ExprKind::kMax ? ExprKind::kLt : ExprKind::kGt;
  std::erase_if(values, [&](const ExprNode* value) {
    return value->kind == opposite(kind) &&
           pool.make(beyond, first_argument(value), bound)->is_true();
  });
}

// --- arguments inside other arguments ---

// `node` where `known` is an argument beside it: Min(a, Max(b, Min(a, c))) = Min(a, Max(b, c)) and
// Min(a, Max(b, Min(c, Max(a, e)))) = Min(a, Max(b, Min(c, a))).
const ExprNode* without_known(ExprKind kind, const ExprNode* node, const ExprNode* known) {
  if (!is_extremum(node)) return node;
  const Args args = node->args();
  const bool has = std::find(args.begin(), args.end(), known) != args.end();
  if (has && node->kind != kind) return known;
  Values rest;
  for (const ExprNode* arg : args) {
    if (arg != known) rest.push_back(without_known(kind, arg, known));
  }
  return unevaluated(*node->pool, node->kind, std::move(rest));
}

// Min(Max(x, y), Max(x, z)) = Max(x, Min(y, z)).
void factor_common(ExprPool& pool, ExprKind kind, Values& values) {
  const ExprKind other = opposite(kind);
  Values others;
  for (const ExprNode* value : values) {
    if (value->kind == other) others.push_back(value);
  }
  if (others.size() < 2) return;
  Values common(others[0]->args().begin(), others[0]->args().end());
  for (const ExprNode* value : others) {
    std::erase_if(common, [value](const ExprNode* part) {
      const Args args = value->args();
      return std::find(args.begin(), args.end(), part) == args.end();
    });
  }
  if (common.empty()) return;
  Values parts;
  bool all_differ = true;
  for (const ExprNode* value : others) {
    Values rest(value->args().begin(), value->args().end());
    std::erase_if(rest, [&common](const ExprNode* part) { return contains_value(common, part); });
    all_differ &= !rest.empty();
    if (!rest.empty()) parts.push_back(unevaluated(pool, other, std::move(rest)));
  }
  if (all_differ) common.push_back(unevaluated(pool, kind, std::move(parts)));
  std::erase_if(values, [other](const ExprNode* value) { return value->kind == other; });
  values.push_back(unevaluated(pool, other, std::move(common)));
}

void absorb(ExprPool& pool, ExprKind kind, const ExprNode* number, Values& values) {
  if (std::none_of(values.begin(), values.end(), is_extremum)) return;
  if (number != nullptr) drop_below_number(pool, kind, number, values);
  if (number != nullptr) values.push_back(number);
  values = ordered_by_size(values);
  if (values.size() <= kMaxAbsorbing) {
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = i + 1; j < values.size(); ++j)
        values[j] = without_known(kind, values[j], values[i]);
    }
  }
  factor_common(pool, kind, values);
  if (number != nullptr) std::erase(values, number);
}

// Of two multiples of one value of known sign, the larger wins: Max(2*x, 3*x) = 3*x. Null where
// that does not apply.
const ExprNode* collapsed_multiples(ExprKind kind, const Values& values) {
  if (values.size() != 2) return nullptr;
  const auto coefficient = [](const ExprNode* value) {
    return value->kind == ExprKind::kMul ? value->number : Number::of(1);
  };
  const auto factors = [](const ExprNode* const& value) {
    return value->kind == ExprKind::kMul ? value->args() : Args(&value, 1);
  };
  const Args left = factors(values[0]);
  const Args right = factors(values[1]);
  if (!std::equal(left.begin(), left.end(), right.begin(), right.end())) return nullptr;
  // The sign of the common factors is that of the value, mirrored by a negative coefficient.
  const uint16_t sign = coefficient(values[0]).negative() ? kNonPositive : kNonNegative;
  const uint16_t mirrored = sign == kNonNegative ? kNonPositive : kNonNegative;
  if (!values[0]->has(sign) && !values[0]->has(mirrored)) return nullptr;
  const int order = compare(coefficient(values[0]), coefficient(values[1]));
  const bool first_smaller = (order < 0) == values[0]->has(sign);
  return first_smaller == (kind == ExprKind::kMin) ? values[0] : values[1];
}

}  // namespace

const ExprNode* simplified_extremum(ExprPool& pool, ExprKind kind, Args args) {
  Values values;
  const ExprNode* number = nullptr;
  const auto add_value = [&](const ExprNode* value) {
    if (!value->is_number()) {
      values.push_back(value);
    } else if (number == nullptr || wins(kind, value, number)) {
      number = value;
    }
  };
  for (const ExprNode* arg : args) {
    if (arg->kind == kind) {
      for (const ExprNode* inner : arg->args())
        add_value(inner);  // Max(a, Max(b, c)) = Max(a, b, c)
    } else {
      add_value(arg);
    }
  }
  std::sort(values.begin(), values.end(), [](auto* a, auto* b) { return a->id < b->id; });
  values.erase(std::unique(values.begin(), values.end()), values.end());  // Max(a, a) = a
  absorb(pool, kind, number, values);
  if (values.empty()) return number;
  if (number == nullptr) {
    if (const ExprNode* one = collapsed_multiples(kind, values)) return one;
    return unevaluated(pool, kind, std::move(values));
  }
  const bool below =
      (compare(number->number, Number::of(0)) == 0 && values[0]->has(kNonNegative)) ||
      (number->is_integer(1) && values[0]->has(kPositive));
  if (values.size() == 1 && below)
    return kind == ExprKind::kMax ? values[0] : number;  // x > 0  =>  Max(1, x) = x
  values.push_back(number);
  return unevaluated(pool, kind, std::move(values));
}

}  // namespace faketensor
