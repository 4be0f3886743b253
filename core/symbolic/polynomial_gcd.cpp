// The greatest common divisor of two sums of products, by Euclid's algorithm on primitive parts:
// one generator after the other is the main variable, and the coefficients are polynomials in those
// that follow.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/symbolic/polynomial.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

// The exponent of each generator; the leading term of a polynomial comes first.
using Exponents = std::vector<int64_t>;
using Polynomial = std::map<Exponents, int64_t, std::greater<>>;

constexpr size_t kMaxGenerators = 8;
constexpr size_t kMaxGcdTerms = 128;
constexpr int kMaxProducts = 4096;

// Reads and writes polynomials over the generators it has met: whatever is a factor of a term.
class Generators {
 public:
  // False where there are too many, or a coefficient is a float.
  bool collect(const ExprNode* expanded) {
    for (const ExprNode* term : terms_of(expanded)) {
      if (term->number.is_float) return false;
      for_each_power(term, [this](const ExprNode* base, int64_t) { places_.emplace(base, 0); });
    }
    size_t place = 0;
    for (auto& [base, at] : places_) at = place++;
    return places_.size() <= kMaxGenerators;
  }

  size_t count() const { return places_.size(); }

  Polynomial read(const ExprNode* expanded) const {
    Polynomial polynomial;
    for (const ExprNode* term : terms_of(expanded)) {
      Exponents exponents(places_.size());
      for_each_power(term, [&](const ExprNode* base, int64_t exponent) {
        exponents[places_.at(base)] = exponent;
      });
      const bool has_coefficient = term->is_number() || term->kind == ExprKind::kMul;
      polynomial[exponents] = has_coefficient ? term->number.integer : 1;
    }
    return polynomial;
  }

  const ExprNode* write(ExprPool& pool, const Polynomial& polynomial) const {
    std::vector<const ExprNode*> terms;
    for (const auto& [exponents, coefficient] : polynomial) {
      std::vector<const ExprNode*> factors = {pool.integer(coefficient)};
      for (const auto& [base, place] : places_) {
        for (int64_t i = 0; i < exponents[place]; ++i) factors.push_back(base);
      }
      terms.push_back(pool.make(ExprKind::kMul, factors));
    }
    return pool.make(ExprKind::kAdd, terms);
  }

 private:
  struct ByAge {
    bool operator()(const ExprNode* a, const ExprNode* b) const { return a->id < b->id; }
  };

  template <typename Visit>
  static void for_each_power(const ExprNode* term, Visit visit) {
    if (term->is_number()) return;
    const auto factors = term->kind == ExprKind::kMul ? term->args() : std::span(&term, 1);
    for (const ExprNode* factor : factors) {
      const bool power = factor->kind == ExprKind::kPow;
      visit(power ? factor->arg(0) : factor, power ? factor->number.integer : 1);
    }
  }

  std::map<const ExprNode*, size_t, ByAge> places_;
};

// Once something grows too large every result is 1, which cancels nothing.
class Euclid {
 public:
  explicit Euclid(size_t generators) : generators_(generators) {}

  Polynomial gcd(const Polynomial& a, const Polynomial& b) {
    const Polynomial result = gcd(a, b, 0);
    return too_large_ ? one() : result;
  }

 private:
  Polynomial one() const { return {{Exponents(generators_), 1}}; }

  static int64_t degree(const Polynomial& p, size_t variable) {
    int64_t highest = 0;
    for (const auto& [exponents, coefficient] : p) highest = std::max(highest, exponents[variable]);
    return highest;
  }

  // What stands before each power of the variable, without that power.
  static std::map<int64_t, Polynomial> coefficients(const Polynomial& p, size_t variable) {
    std::map<int64_t, Polynomial> parts;
    for (const auto& [exponents, coefficient] : p) {
      Exponents rest = exponents;
      rest[variable] = 0;
      parts[exponents[variable]][rest] = coefficient;
    }
    return parts;
  }

  // sum += factor * variable**power * p
  void add_product(Polynomial& sum, const Polynomial& factor, const Polynomial& p, size_t variable,
                   int64_t power, int64_t sign) {
    for (const auto& [left, a] : factor) {
      for (const auto& [right, b] : p) {
        if (++products_ > kMaxProducts || sum.size() > kMaxGcdTerms) too_large_ = true;
        if (too_large_) return;
        Exponents exponents(generators_);
        for (size_t i = 0; i < generators_; ++i) exponents[i] = left[i] + right[i];
        if (power != 0) exponents[variable] += power;
        int64_t product = 0;
        int64_t& coefficient = sum[exponents];
        too_large_ |= __builtin_mul_overflow(a, b, &product) ||
                      __builtin_mul_overflow(product, sign, &product) ||
                      __builtin_add_overflow(coefficient, product, &coefficient);
        if (coefficient == 0) sum.erase(exponents);
      }
    }
  }

  Polynomial multiply(const Polynomial& a, const Polynomial& b) {
    Polynomial product;
    add_product(product, a, b, 0, 0, 1);
    return product;
  }

  // b divides a.
  Polynomial divide(Polynomial a, const Polynomial& b) {
    Polynomial quotient;
    while (!a.empty() && !too_large_) {
      Exponents exponents = a.begin()->first;
      for (size_t i = 0; i < generators_; ++i) exponents[i] -= b.begin()->first[i];
      const Polynomial term = {{exponents, a.begin()->second / b.begin()->second}};
      quotient.insert(*term.begin());
      add_product(a, term, b, 0, 0, -1);
    }
    return quotient;
  }

  Polynomial content(const Polynomial& p, size_t variable) {
    Polynomial common;
    for (const auto& [power, coefficient] : coefficients(p, variable))
      common = gcd(common, coefficient, variable + 1);
    return common;
  }

  // The remainder of a, multiplied by what makes the division possible.
  Polynomial pseudo_remainder(Polynomial a, const Polynomial& b, size_t variable) {
    const int64_t divisor_degree = degree(b, variable);
    const Polynomial lead = coefficients(b, variable).at(divisor_degree);
    while (!a.empty() && !too_large_ && degree(a, variable) >= divisor_degree) {
      const int64_t power = degree(a, variable);
      const Polynomial own_lead = coefficients(a, variable).at(power);
      Polynomial next = multiply(lead, a);
      add_product(next, own_lead, b, variable, power - divisor_degree, -1);
      a = next;
    }
    return a;
  }

  static Polynomial with_positive_lead(Polynomial p) {
    if (!p.empty() && p.begin()->second < 0) {
      for (auto& [exponents, coefficient] : p) coefficient = -coefficient;
    }
    return p;
  }

  Polynomial gcd(const Polynomial& a, const Polynomial& b, size_t variable) {
    if (too_large_) return one();
    if (a.empty() || b.empty()) return with_positive_lead(a.empty() ? b : a);
    if (variable == generators_) {
      const int64_t x = a.begin()->second;
      const int64_t y = b.begin()->second;
      too_large_ |= x == INT64_MIN || y == INT64_MIN;
      return too_large_ ? one() : Polynomial{{Exponents(generators_), std::gcd(x, y)}};
    }
    const Polynomial left_content = content(a, variable);
    const Polynomial right_content = content(b, variable);
    Polynomial left = divide(a, left_content);
    Polynomial right = divide(b, right_content);
    if (degree(left, variable) < degree(right, variable)) std::swap(left, right);
    while (!right.empty() && !too_large_) {
      if (degree(right, variable) == 0) {
        left = one();
        break;
      }
      const Polynomial rest = pseudo_remainder(left, right, variable);
      left = right;
      right = rest.empty() ? rest : divide(rest, content(rest, variable));
    }
    if (too_large_) return one();
    const Polynomial common = gcd(left_content, right_content, variable + 1);
    return multiply(common, with_positive_lead(left));
  }

  size_t generators_;
  int products_ = 0;
  bool too_large_ = false;
};

}  // namespace

const ExprNode* polynomial_gcd(const ExprNode* p, const ExprNode* q) {
  ExprPool& pool = *p->pool;
  if (is_wide(p) || is_wide(q)) return pool.integer(1);
  const ExprNode* left = expand(p);
  const ExprNode* right = expand(q);
  Generators generators;
  if (!generators.collect(left) || !generators.collect(right)) return pool.integer(1);
  Euclid euclid(generators.count());
  return generators.write(pool, euclid.gcd(generators.read(left), generators.read(right)));
}

}  // namespace faketensor
