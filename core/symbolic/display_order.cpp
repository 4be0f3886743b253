#include "core/symbolic/display_order.h"

#include <algorithm>
#include <string_view>

#include "core/symbolic/shared_parts.h"

namespace faketensor {

namespace {

// A product read as coefficient * factors; anything else has the coefficient 1 and itself as
// factor.
struct Product {
  Number coefficient = Number::of(1);
  std::vector<const ExprNode*> factors;
};

Product as_product(const ExprNode* node) {
  if (node->is_number()) return {node->number, {}};
  if (node->kind != ExprKind::kMul) return {Number::of(1), {node}};
  return {node->number, {node->args().begin(), node->args().end()}};
}

struct ClassKey {
  int group;
  int index;
  std::string_view name;
};

ClassKey class_key(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
      return {1, 0, "Number"};
    case ExprKind::kSymbol:
      return {2, 0, "Symbol"};
    case ExprKind::kMul:
      return {3, 0, "Mul"};
    case ExprKind::kAdd:
      return {3, 1, "Add"};
    case ExprKind::kPow:
      return {3, 2, "Pow"};
    case ExprKind::kWhere:
      return {4, 0, "Piecewise"};
    case ExprKind::kMax:
      return {5, 0, "Max"};
    case ExprKind::kMin:
      return {5, 0, "Min"};
    case ExprKind::kEq:
      return {5, 0, "Equality"};
    case ExprKind::kNe:
      return {5, 0, "Unequality"};
    case ExprKind::kBoolean:
      return {5, 0, node->is_true() ? "BooleanTrue" : "BooleanFalse"};
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe:
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kNot:
      return {5, 0, function_name(node->kind)};
    default:
      return {4, 10000, function_name(node->kind)};
  }
}

int compare_ints(int64_t a, int64_t b) { return (a > b) - (a < b); }

int compare_class(const ExprNode* a, const ExprNode* b) {
  const ClassKey left = class_key(a);
  const ClassKey right = class_key(b);
  if (const int order = compare_ints(left.group, right.group)) return order;
  if (const int order = compare_ints(left.index, right.index)) return order;
  return left.name.compare(right.name);
}

int compare_lists(const std::vector<const ExprNode*>& a, const std::vector<const ExprNode*>& b) {
  if (const int order =
          compare_ints(static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())))
    return order;
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare_display_order(a[i], b[i])) return order;
  }
  return 0;
}

// The key of an expression without its coefficient: the factors of a product, otherwise one node
// and its exponent.
struct SortParts {
  Number coefficient = Number::of(1);
  const ExprNode* product = nullptr;  // a product of several factors
  const ExprNode* base = nullptr;     // or a single factor ...
  int64_t exponent = 1;               // ... and its exponent
};

SortParts sort_parts(const ExprNode* node) {
  SortParts parts;
  const ExprNode* single = node;
  if (node->kind == ExprKind::kMul) {
    parts.coefficient = node->number;
    if (node->arg_count > 1) {
      parts.product = node;
      return parts;
    }
    single = node->arg(0);
  }
  parts.base = single;
  if (single->kind == ExprKind::kPow) {
    parts.base = single->arg(0);
    parts.exponent = single->number.integer;
  }
  return parts;
}

std::vector<const ExprNode*> key_arguments(const SortParts& parts) {
  if (parts.product != nullptr) {
    std::vector<const ExprNode*> factors(parts.product->args().begin(),
                                         parts.product->args().end());
    std::sort(factors.begin(), factors.end(), displayed_before);
    return factors;
  }
  const ExprNode* base = parts.base;
  if (base->kind == ExprKind::kAdd) return ordered_terms(base);
  if (base->kind == ExprKind::kMul) return ordered_factors(base);
  std::vector<const ExprNode*> args(base->args().begin(), base->args().end());
  if (base->kind == ExprKind::kMax || base->kind == ExprKind::kMin) {
    std::sort(args.begin(), args.end(),
              [](auto* a, auto* b) { return compare_display_order(a, b) < 0; });
  }
  return args;
}

}  // namespace

int compare_display_order(const ExprNode* a, const ExprNode* b) {
  if (a == b) return 0;
  if (a->is_number() && b->is_number()) return compare(a->number, b->number);
  const SortParts left = sort_parts(a);
  const SortParts right = sort_parts(b);
  if (left.product != nullptr || right.product != nullptr) {
    // A product's class is Mul whatever its factors are.
    static constexpr ClassKey kMulKey = {3, 0, "Mul"};
    const ClassKey l = left.product != nullptr ? kMulKey : class_key(left.base);
    const ClassKey r = right.product != nullptr ? kMulKey : class_key(right.base);
    if (const int order = compare_ints(l.group, r.group)) return order;
    if (const int order = compare_ints(l.index, r.index)) return order;
    if (const int order = l.name.compare(r.name)) return order;
  } else if (const int order = compare_class(left.base, right.base)) {
    return order;
  }
  const bool both_symbols =
      left.base != nullptr && right.base != nullptr && left.base->kind == ExprKind::kSymbol;
  if (both_symbols) {
    const std::string& l = left.base->pool->symbol_info(left.base).name;
    const std::string& r = right.base->pool->symbol_info(right.base).name;
    if (const int order = l.compare(r)) return order;
  } else if (const int order = compare_lists(key_arguments(left), key_arguments(right))) {
    return order;
  }
  if (const int order = compare_ints(left.exponent, right.exponent)) return order;
  return compare(left.coefficient, right.coefficient);
}

bool displayed_before(const ExprNode* a, const ExprNode* b) {
  return compare_display_order(a, b) < 0;
}

namespace {

uint32_t float_count(const ExprNode* node, SharedParts<uint32_t>& parts) {
  uint32_t count = node->number.is_float ? 1 : 0;
  for (const ExprNode* arg : node->args())
    count += parts.of(arg, [&] { return float_count(arg, parts); });
  return count;
}

// Twice the number of nodes: a float counts for half a node (sympy.core.sorting._nodes).
uint32_t node_weight(const ExprNode* node) {
  SharedParts<uint32_t> parts;
  return 2 * node->size - float_count(node, parts);
}

}  // namespace

// sympy.core.sorting.ordered: fewer nodes first.
std::vector<const ExprNode*> ordered_by_size(std::span<const ExprNode* const> args) {
  std::vector<std::pair<uint32_t, const ExprNode*>> weighed;
  weighed.reserve(args.size());
  for (const ExprNode* arg : args) weighed.emplace_back(node_weight(arg), arg);
  std::sort(weighed.begin(), weighed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : displayed_before(a.second, b.second);
  });
  std::vector<const ExprNode*> out;
  out.reserve(weighed.size());
  for (const auto& [weight, arg] : weighed) out.push_back(arg);
  return out;
}

bool has_minus_sign(const ExprNode* node) {
  if (node->is_number() || node->kind == ExprKind::kMul) return node->number.negative();
  if (node->kind != ExprKind::kAdd) return false;
  size_t negative = node->number.negative() ? 1 : 0;
  for (const ExprNode* term : node->args()) negative += has_minus_sign(term) ? 1 : 0;
  const size_t count = node->arg_count + (node->number.is_integer(0) ? 0 : 1);
  if (2 * negative != count) return 2 * negative > count;
  return displayed_before(node, node->pool->negate(node));
}

std::vector<const ExprNode*> ordered_factors(const ExprNode* product) {
  std::vector<const ExprNode*> factors;
  if (product->kind == ExprKind::kMul) {
    factors.assign(product->args().begin(), product->args().end());
    std::sort(factors.begin(), factors.end(), displayed_before);
    if (!product->number.is_integer(1)) {
      factors.insert(factors.begin(), product->pool->number(product->number));
    }
  } else {
    factors.push_back(product);
  }
  return factors;
}

namespace {

struct Monomial {
  const ExprNode* term;
  Number coefficient;
  // Generator, exponent; by display order of the generator.
  std::vector<std::pair<const ExprNode*, int64_t>> powers;
};

Monomial as_monomial(const ExprNode* term) {
  const Product product = as_product(term);
  Monomial monomial{term, product.coefficient, {}};
  for (const ExprNode* factor : product.factors) {
    if (factor->kind == ExprKind::kPow) {
      monomial.powers.emplace_back(factor->arg(0), factor->number.integer);
    } else {
      monomial.powers.emplace_back(factor, 1);
    }
  }
  std::sort(monomial.powers.begin(), monomial.powers.end(),
            [](const auto& a, const auto& b) { return displayed_before(a.first, b.first); });
  return monomial;
}

// Lexicographic order of exponents, the highest power of the first generator first.
bool monomial_before(const Monomial& a, const Monomial& b) {
  size_t i = 0;
  for (; i < a.powers.size() && i < b.powers.size(); ++i) {
    const auto& [left, left_exponent] = a.powers[i];
    const auto& [right, right_exponent] = b.powers[i];
    if (left != right) return displayed_before(left, right);
    if (left_exponent != right_exponent) return left_exponent > right_exponent;
  }
  if (a.powers.size() != b.powers.size()) return a.powers.size() > b.powers.size();
  return compare(a.coefficient, b.coefficient) < 0;
}

}  // namespace

std::vector<const ExprNode*> ordered_terms(const ExprNode* sum) {
  ExprPool& pool = *sum->pool;
  std::vector<Monomial> monomials;
  for (const ExprNode* term : sum->args()) monomials.push_back(as_monomial(term));
  std::sort(monomials.begin(), monomials.end(), monomial_before);
  std::vector<const ExprNode*> terms;
  terms.reserve(monomials.size() + 1);  // and the number
  for (const Monomial& monomial : monomials) terms.push_back(monomial.term);
  if (!sum->number.is_integer(0)) {
    // 8 - x rather than -x + 8: as_ordered_terms keeps a positive number before a single negative
    // multiple.
    const ExprNode* only = terms[0];
    const bool number_first = terms.size() == 1 && !sum->number.negative() &&
                              only->kind == ExprKind::kMul && only->arg_count == 1 &&
                              only->number.negative();
    terms.insert(number_first ? terms.begin() : terms.end(), pool.number(sum->number));
  }
  return terms;
}

}  // namespace faketensor
