#include "core/symbolic/polynomial.h"

#include <algorithm>
#include <vector>

#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

constexpr size_t kMaxSummands = 20;
constexpr size_t kMaxTerms = 128;
constexpr int kMaxSteps = 128;

std::vector<Power> powers_of(const ExprNode* term) {
  std::vector<Power> powers;
  if (term->is_number()) return powers;
  const auto factors = term->kind == ExprKind::kMul ? term->args() : std::span(&term, 1);
  for (const ExprNode* factor : factors) {
    const bool power = factor->kind == ExprKind::kPow;
    powers.push_back({power ? factor->arg(0) : factor, power ? factor->number.integer : 1});
  }
  std::sort(powers.begin(), powers.end(), [](Power a, Power b) { return a.base->id < b.base->id; });
  return powers;
}

// Lexicographic order of monomials, by the age of their bases: a monomial order, so leading terms
// multiply.
bool leads(const ExprNode* a, const ExprNode* b) {
  const std::vector<Power> left = powers_of(a);
  const std::vector<Power> right = powers_of(b);
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (left[i].base != right[i].base) return left[i].base->id < right[i].base->id;
    if (left[i].exponent != right[i].exponent) return left[i].exponent > right[i].exponent;
  }
  return left.size() > right.size();
}

const ExprNode* leading_term(const std::vector<const ExprNode*>& terms) {
  return *std::min_element(terms.begin(), terms.end(), leads);
}

}  // namespace

std::vector<const ExprNode*> terms_of(const ExprNode* sum) {
  if (sum->kind != ExprKind::kAdd) return {sum};
  std::vector<const ExprNode*> terms(sum->args().begin(), sum->args().end());
  if (!sum->number.is_integer(0)) terms.push_back(sum->pool->number(sum->number));
  return terms;
}

bool is_wide(const ExprNode* node) {
  return node->kind == ExprKind::kAdd && node->arg_count > kMaxSummands;
}

const ExprNode* polynomial_quotient(const ExprNode* p, const ExprNode* q) {
  if (is_wide(p) || is_wide(q)) return nullptr;
  ExprPool& pool = *p->pool;
  const ExprNode* divisor = expand(q);
  const std::vector<const ExprNode*> divisor_terms = terms_of(divisor);
  if (divisor_terms.size() > kMaxTerms) return nullptr;
  const ExprNode* lead = leading_term(divisor_terms);
  const ExprNode* rest = expand(p);
  std::vector<const ExprNode*> quotient;
  // Long division: every step cancels the leading term.
  for (int step = 0; step < kMaxSteps && !rest->is_integer(0); ++step) {
    const std::vector<const ExprNode*> terms = terms_of(rest);
    if (terms.size() > kMaxTerms) return nullptr;
    const ExprNode* next = exact_quotient(pool, leading_term(terms), lead);
    if (next == nullptr) return nullptr;
    quotient.push_back(next);
    rest = pool.subtract(rest, expand(pool.mul(next, divisor)));
  }
  return rest->is_integer(0) ? pool.make(ExprKind::kAdd, quotient) : nullptr;
}

}  // namespace faketensor
