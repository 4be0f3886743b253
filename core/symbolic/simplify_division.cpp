// Canonical forms of FloorDiv, Mod, PythonMod and ModularIndexing: common factors cancelled, whole
// parts taken out.
//
// Mirrors FloorDiv, Mod, PythonMod and ModularIndexing of torch/utils/_sympy/functions.py.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/polynomial.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

using Args = std::span<const ExprNode* const>;

SmallVector<Power, 8> factors_of(const ExprNode* node) {
  SmallVector<Power, 8> factors;
  const Args args = node->kind == ExprKind::kMul ? node->args() : Args(&node, 1);
  for (const ExprNode* arg : args) {
    if (arg->kind == ExprKind::kPow) {
      factors.push_back({arg->arg(0), arg->number.integer});
    } else if (!arg->is_number()) {
      factors.push_back({arg, 1});
    }
  }
  return factors;
}

// The integer coefficient of a term; a number is its own coefficient.
int64_t coefficient_of(const ExprNode* node) {
  if (node->kind == ExprKind::kInteger || node->kind == ExprKind::kMul)
    return node->number.is_float ? 1 : node->number.integer;
  return 1;
}

Exprs terms_of(ExprPool& pool, const ExprNode* node) {
  if (node->kind != ExprKind::kAdd) return {node};
  Exprs terms(node->args());
  if (!node->number.is_integer(0)) terms.push_back(pool.number(node->number));
  return terms;
}

int64_t integer_factor(ExprPool& pool, const ExprNode* node) {
  int64_t gcd = 0;
  for (const ExprNode* term : terms_of(pool, node)) {
    const int64_t coefficient = coefficient_of(term);
    // The gcd of the most negative integer is not representable: no common factor is claimed then.
    if (coefficient == INT64_MIN) return 1;
    gcd = std::gcd(gcd, coefficient);
  }
  return gcd == 0 ? 1 : gcd;
}

Args product_parts(const ExprNode* const& node) {
  return node->kind == ExprKind::kMul ? node->args() : Args(&node, 1);
}

// A product without one of its factors.
const ExprNode* without_factor(ExprPool& pool, const ExprNode* product, const ExprNode* factor) {
  Exprs rest;
  for (const ExprNode* part : product_parts(product)) {
    if (part != factor) rest.push_back(part);
  }
  if (product->kind == ExprKind::kMul) rest.push_back(pool.number(product->number));
  return pool.make(ExprKind::kMul, rest);
}

// n * x1 * x2 ... cancelled from both sides of a division, where n divides every coefficient and
// every xi is a factor of the divisor and of each term of the base. A power is one factor, as in
// PyTorch's simple_floordiv_gcd (torch/utils/_sympy/functions.py): (x**2) // x stays as it is. True
// if there was one.
bool cancel_common_factors(ExprPool& pool, const ExprNode*& base, const ExprNode*& divisor) {
  const ExprNode* common =
      pool.integer(std::gcd(integer_factor(pool, base), integer_factor(pool, divisor)));
  bool changed = !common->is_integer(1);
  if (changed) {
    base = exact_quotient(pool, base, common);
    divisor = exact_quotient(pool, divisor, common);
  }
  const Args parts = product_parts(divisor);
  const Exprs factors(parts);
  for (const ExprNode* factor : factors) {
    Exprs terms = terms_of(pool, base);
    const bool in_each = std::all_of(terms.begin(), terms.end(), [factor](const ExprNode* term) {
      const Args own = product_parts(term);
      return std::find(own.begin(), own.end(), factor) != own.end();
    });
    if (factor->is_number() || !in_each) continue;
    for (const ExprNode*& term : terms) term = without_factor(pool, term, factor);
    base = pool.make(ExprKind::kAdd, terms);
    divisor = without_factor(pool, divisor, factor);
    changed = true;
  }
  return changed;
}

// p / q where q divides p, as a product if one of its factors is divided.
const ExprNode* quotient_by_divisor(ExprPool& pool, const ExprNode* p, const ExprNode* q) {
  const Args parts = product_parts(p);
  for (const ExprNode* part : parts) {
    const bool power = part->kind == ExprKind::kPow;
    const ExprNode* base = power ? part->arg(0) : part;
    const ExprNode* quotient =
        base->kind == ExprKind::kAdd ? polynomial_quotient(base, q) : nullptr;
    if (quotient == nullptr) continue;
    Exprs rest = {quotient, without_factor(pool, p, part)};
    if (power) rest.push_back(pool.pow(base, part->number.integer - 1));
    return pool.make(ExprKind::kMul, rest);
  }
  return polynomial_quotient(p, q);
}

// Whether the coefficients of a product fit 64 bits.
bool product_fits(const ExprNode* a, const ExprNode* b) {
  int64_t product = 0;
  return !__builtin_mul_overflow(coefficient_of(a), coefficient_of(b), &product);
}

}  // namespace

const ExprNode* simplified_floor_div(ExprPool& pool, ExprKind kind, const ExprNode* base,
                                     const ExprNode* divisor) {
  if (divisor->is_integer(0)) throw_error(ErrorKind::kZeroDivisionError, "division by zero");
  if (base->is_integer(0)) return base;  // 0 // b = 0
  const bool integer = base->has(kIsInteger);
  if (integer && divisor->is_integer(1)) return base;                // a // 1 = a
  if (integer && divisor->is_integer(-1)) return pool.negate(base);  // a // -1 = -a
  if (base == divisor) return pool.integer(1);                       // a // a = 1
  if (base->kind == ExprKind::kInteger && divisor->kind == ExprKind::kInteger) {
    return pool.integer(floor_divide(base->number.integer, divisor->number.integer));
  }
  const bool nested = base->kind == ExprKind::kFloorDiv || base->kind == ExprKind::kCleanDiv;
  if (nested && product_fits(base->arg(1), divisor)) {
    // (a // b) // c = a // (b*c) for c > 0, which PyTorch takes for granted
    return pool.make(ExprKind::kFloorDiv, base->arg(0), pool.mul(base->arg(1), divisor));
  }
  if (divisor->kind == ExprKind::kInteger) {  // (n*x + y) // n = x + y // n
    Exprs whole;
    Exprs rest;
    for (const ExprNode* term : terms_of(pool, base)) {
      const ExprNode* quotient =
          term->has(kIsInteger) ? exact_quotient(pool, term, divisor) : nullptr;
      (quotient != nullptr ? whole : rest).push_back(quotient != nullptr ? quotient : term);
    }
    if (!whole.empty()) {
      whole.push_back(pool.make(ExprKind::kFloorDiv, pool.make(ExprKind::kAdd, rest), divisor));
      return pool.make(ExprKind::kAdd, whole);
    }
  }
  if (cancel_common_factors(pool, base, divisor)) {  // (g*a) // (g*b) = a // b
    return pool.make(ExprKind::kFloorDiv, base, divisor);
  }
  if (divisor->kind == ExprKind::kAdd && divisor->type == ExprType::kInt) {
    // (x**2 + 2*x + 1) // (x + 1) = x + 1
    if (const ExprNode* quotient = polynomial_quotient(base, divisor)) return quotient;
    const ExprNode* common = polynomial_gcd(base, divisor);  // (x - 1)**2 // (4*x - 4)
    if (!common->is_constant()) {
      // Null where a coefficient does not fit.
      const ExprNode* below = quotient_by_divisor(pool, divisor, common);
      const ExprNode* above = quotient_by_divisor(pool, base, common);
      if (above != nullptr && below != nullptr) return pool.make(ExprKind::kFloorDiv, above, below);
    }
  }
  const std::array args = {base, divisor};
  return pool.intern(kind, ExprType::kInt, Number(), args);
}

const ExprNode* simplified_mod(ExprPool& pool, ExprKind kind, const ExprNode* p,
                               const ExprNode* q) {
  if (q->is_integer(0)) throw_error(ErrorKind::kZeroDivisionError, "Modulo by zero");
  if (p->is_integer(0) || p == q || q->is_integer(1))
    return pool.integer(0);  // 0 % q = q % q = p % 1 = 0
  if (p->kind == ExprKind::kInteger && q->kind == ExprKind::kInteger) {
    return pool.integer(floor_modulo(p->number.integer, q->number.integer));
  }
  if (p->is_number() && q->is_number())
    return pool.real(float_modulo(p->number.as_double(), q->number.as_double()));
  if (p == pool.negate(q)) return pool.integer(0);  // -q % q = 0
  if (q->is_integer(2) && p->has(kEven)) return pool.integer(0);
  if (q->is_integer(2) && p->has(kOdd)) return pool.integer(1);
  if (exact_quotient(pool, p, q) != nullptr) return pool.integer(0);  // (k*q) % q = 0
  // A sum over an integer divisor: each term a multiple.
  if (q->kind == ExprKind::kInteger && integer_factor(pool, p) % q->number.integer == 0)
    return pool.integer(0);
  const bool same_sign = (p->has(kPositive) && q->has(kPositive));
  if (same_sign && pool.subtract(q, p)->has(kPositive)) return p;  // 0 < p < q  =>  p % q = p
  const bool is_float = p->type == ExprType::kFloat || q->type == ExprType::kFloat;
  // PythonMod asks sympy's Mod, too, which cancels what both have in common.
  const bool may_divide = kind == ExprKind::kPythonMod && p->kind == ExprKind::kAdd && !is_float;
  if (may_divide && polynomial_quotient(p, q) != nullptr) return pool.integer(0);
  const std::array args = {p, q};
  return pool.intern(kind, is_float ? ExprType::kFloat : ExprType::kInt, Number(), args);
}

const ExprNode* simplified_modular_indexing(ExprPool& pool, Args args) {
  const ExprNode* base = args[0];
  const ExprNode* divisor = args[1];
  const ExprNode* modulus = args[2];
  if (base->is_integer(0) || modulus->is_integer(1)) return pool.integer(0);
  if (base->kind == ExprKind::kInteger && divisor->kind == ExprKind::kInteger &&
      modulus->kind == ExprKind::kInteger) {
    if (divisor->is_integer(0) || modulus->is_integer(0))
      throw_error(ErrorKind::kZeroDivisionError, "Modulo by zero");
    return pool.integer(floor_modulo(floor_divide(base->number.integer, divisor->number.integer),
                                     modulus->number.integer));
  }
  if (base->kind == ExprKind::kFloorDiv) {  // ((a // b) // c) % m = (a // (b*c)) % m
    return pool.make(ExprKind::kModularIndexing, base->arg(0), pool.mul(base->arg(1), divisor),
                     modulus);
  }
  return pool.intern(ExprKind::kModularIndexing, ExprType::kInt, Number(), args);
}

const ExprNode* exact_quotient(ExprPool& pool, const ExprNode* p, const ExprNode* q) {
  if (p->number.is_float || q->number.is_float) return nullptr;
  if (p->kind == ExprKind::kInteger && p->number.integer == 0) return p;
  if (q->kind == ExprKind::kAdd && p->kind == ExprKind::kAdd)
    return p == q ? pool.integer(1) : nullptr;
  const int64_t divisor = coefficient_of(q);
  if (divisor == 0) return nullptr;
  if (p->kind == ExprKind::kAdd) {  // (a + b) / n, each term a multiple of the integer n
    if (q->kind != ExprKind::kInteger) return nullptr;
    Exprs terms = terms_of(pool, p);
    for (const ExprNode*& term : terms) {
      term = exact_quotient(pool, term, q);
      if (term == nullptr) return nullptr;
    }
    return pool.make(ExprKind::kAdd, terms);
  }
  const int64_t coefficient = coefficient_of(p);
  if (divisor == -1 ? coefficient == INT64_MIN : coefficient % divisor != 0) return nullptr;
  SmallVector<Power, 8> left = factors_of(p);
  for (const Power factor : factors_of(q)) {
    const auto at =
        std::find_if(left.begin(), left.end(), [&](Power f) { return f.base == factor.base; });
    if (at == left.end() || at->exponent < factor.exponent) return nullptr;
    at->exponent -= factor.exponent;
  }
  Exprs product = {pool.integer(coefficient / divisor)};
  for (const Power factor : left) {
    if (factor.exponent > 0) product.push_back(simplified_pow(pool, factor.base, factor.exponent));
  }
  return pool.make(ExprKind::kMul, product);
}

}  // namespace faketensor
