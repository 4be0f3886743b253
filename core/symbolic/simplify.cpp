#include "core/symbolic/simplify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/display_order.h"

namespace faketensor {

namespace {

using Args = std::span<const ExprNode* const>;

// --- sums and products ---

// coefficient * rest, the form of a term of a sum.
struct Term {
  const ExprNode* rest;
  Number coefficient;
};

Term as_term(ExprPool& pool, const ExprNode* node) {
  if (node->kind != ExprKind::kMul || node->number.is_integer(1)) return {node, Number::of(1)};
  if (node->arg_count == 1) return {node->arg(0), node->number};
  return {pool.intern(ExprKind::kMul, node->type, Number::of(1), node->args()), node->number};
}

ExprType arithmetic_type(Number number, Args args) {
  if (number.is_float) return ExprType::kFloat;
  const bool any_float = std::any_of(args.begin(), args.end(),
                                     [](auto* arg) { return arg->type == ExprType::kFloat; });
  return any_float ? ExprType::kFloat : ExprType::kInt;
}

const ExprNode* scaled(ExprPool& pool, const ExprNode* rest, Number coefficient) {
  if (coefficient.is_integer(1)) return rest;
  const Args factors = rest->kind == ExprKind::kMul ? rest->args() : Args(&rest, 1);
  return pool.intern(ExprKind::kMul, arithmetic_type(coefficient, factors), coefficient, factors);
}

const ExprNode* make_add(ExprPool& pool, Args args) {
  Number constant = Number::of(0);
  SmallVector<Term, 8> terms;
  for (const ExprNode* arg : args) {
    if (arg->is_number()) {
      constant = constant + arg->number;  // numbers fold
    } else if (arg->kind == ExprKind::kAdd) {
      constant = constant + arg->number;  // (a + b) + c = a + b + c
      for (const ExprNode* term : arg->args()) terms.push_back(as_term(pool, term));
    } else {
      terms.push_back(as_term(pool, arg));
    }
  }
  if (constant.is_float && constant.real == 0 && !terms.empty())
    constant = Number::of(0);  // x + 0.0 = x
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return a.rest->id < b.rest->id; });
  Exprs sum;
  sum.reserve(terms.size());
  for (size_t i = 0; i < terms.size();) {
    Term term = terms[i++];
    while (i < terms.size() && terms[i].rest == term.rest) {
      term.coefficient = term.coefficient + terms[i++].coefficient;  // 2*x + 3*x = 5*x
    }
    if (!term.coefficient.is_integer(0)) sum.push_back(scaled(pool, term.rest, term.coefficient));
  }
  if (sum.empty()) return pool.number(constant);
  if (sum.size() == 1 && constant.is_integer(0)) return sum[0];
  return pool.intern(ExprKind::kAdd, arithmetic_type(constant, sum), constant, sum);
}

const ExprNode* make_mul(ExprPool& pool, Args args);
const ExprNode* make_where(ExprPool& pool, Args args);

const ExprNode* raised(ExprPool& pool, Power factor) {
  if (factor.exponent == 1) return factor.base;
  if (factor.base->kind == ExprKind::kWhere) {  // (a if c else b)**n = a**n if c else b**n
    return make_where(pool, std::array{factor.base->arg(0),
                                       simplified_pow(pool, factor.base->arg(1), factor.exponent),
                                       simplified_pow(pool, factor.base->arg(2), factor.exponent)});
  }
  if (factor.base->kind == ExprKind::kAbs && factor.base->has(kIsReal)) {
    // |x|**2 = x**2, |x|**3 = x**2 * |x|
    const bool even = factor.exponent % 2 == 0;
    const ExprNode* power =
        simplified_pow(pool, factor.base->arg(0), even ? factor.exponent : factor.exponent - 1);
    return even ? power : make_mul(pool, std::array{power, factor.base});
  }
  return pool.intern(ExprKind::kPow, factor.base->type, Number::of(factor.exponent),
                     std::span(&factor.base, 1));
}

const ExprNode* make_mul(ExprPool& pool, Args args) {
  Number coefficient = Number::of(1);
  SmallVector<Power, 8> factors;
  const auto add_factor = [&factors](const ExprNode* node) {
    if (node->kind == ExprKind::kPow) {
      factors.push_back({node->arg(0), node->number.integer});
    } else {
      factors.push_back({node, 1});
    }
  };
  for (const ExprNode* arg : args) {
    if (arg->is_number()) {
      coefficient = coefficient * arg->number;
    } else if (arg->kind == ExprKind::kMul) {
      coefficient = coefficient * arg->number;  // (a*b)*c = a*b*c
      for (const ExprNode* factor : arg->args()) add_factor(factor);
    } else {
      add_factor(arg);
    }
  }
  const bool zero = coefficient.is_integer(0) || (coefficient.is_float && coefficient.real == 0);
  if (zero && !factors.empty()) return pool.integer(0);  // 0*x = 0.0*x = 0
  std::sort(factors.begin(), factors.end(),
            [](Power a, Power b) { return a.base->id < b.base->id; });
  Exprs product;
  product.reserve(factors.size());
  for (size_t i = 0; i < factors.size();) {
    Power factor = factors[i++];
    while (i < factors.size() && factors[i].base == factor.base) {
      factor.exponent =
          checked_add(factor.exponent, factors[i++].exponent);  // x**a * x**b = x**(a + b)
    }
    product.push_back(raised(pool, factor));
  }
  if (product.empty()) return pool.number(coefficient);
  if (product.size() == 1 && coefficient.is_integer(1)) return product[0];
  if (product.size() == 1 && product[0]->kind == ExprKind::kAdd) {  // 2*(x + 1) = 2*x + 2
    const ExprNode* sum = product[0];
    Exprs terms;
    for (const ExprNode* term : sum->args()) {
      const Term parts = as_term(pool, term);
      terms.push_back(scaled(pool, parts.rest, coefficient * parts.coefficient));
    }
    const Number constant = sum->number.is_integer(0) ? sum->number : coefficient * sum->number;
    return pool.intern(ExprKind::kAdd, arithmetic_type(constant, terms), constant, terms);
  }
  return pool.intern(ExprKind::kMul, arithmetic_type(coefficient, product), coefficient, product);
}

// --- Abs ---

const ExprNode* make_abs(ExprPool& pool, const ExprNode* value);

// A product with each sum in it turned to the sign that sympy prefers: s0*(3 - s1) is
// -(s0*(s1 - 3)).
const ExprNode* signs_extracted(ExprPool& pool, const ExprNode* term) {
  if (term->kind != ExprKind::kMul) return term;
  Exprs factors = {pool.number(term->number)};
  bool changed = false;
  for (const ExprNode* factor : term->args()) {
    const bool turned = factor->kind == ExprKind::kAdd && has_minus_sign(factor);
    factors.push_back(turned ? pool.negate(factor) : factor);
    if (turned) factors.push_back(pool.integer(-1));
    changed |= turned;
  }
  return changed ? make_mul(pool, factors) : term;
}

// |a - b|, for the sign of the sum that sympy prefers (signsimp).
const ExprNode* abs_of_sum(ExprPool& pool, const ExprNode* sum) {
  Exprs terms = {pool.number(sum->number)};
  for (const ExprNode* term : sum->args()) terms.push_back(signs_extracted(pool, term));
  const ExprNode* value = make_add(pool, terms);
  if (value->kind != ExprKind::kAdd) return make_abs(pool, value);
  if (has_minus_sign(value)) value = pool.negate(value);
  return pool.intern(ExprKind::kAbs, value->type, Number(), std::span(&value, 1));
}

// |2*x*s| = 2*s*|x| for s >= 0.
const ExprNode* abs_of_product(ExprPool& pool, const ExprNode* product) {
  Exprs known = {make_abs(pool, pool.number(product->number))};
  Exprs unknown;
  for (const ExprNode* factor : product->args()) {
    const ExprNode* absolute = make_abs(pool, factor);
    if (absolute->kind == ExprKind::kAbs) {
      unknown.push_back(absolute->arg(0));
    } else {
      known.push_back(absolute);
    }
  }
  if (!unknown.empty()) {
    const ExprNode* rest = make_mul(pool, unknown);
    known.push_back(pool.intern(ExprKind::kAbs, rest->type, Number(), std::span(&rest, 1)));
  }
  return make_mul(pool, known);
}

const ExprNode* make_abs(ExprPool& pool, const ExprNode* value) {
  if (value->kind == ExprKind::kAbs) return value;
  if (value->has(kNonNegative)) return value;               // x >= 0  =>  |x| = x
  if (value->has(kNonPositive)) return pool.negate(value);  // x <= 0  =>  |x| = -x
  if (value->kind == ExprKind::kAdd) return abs_of_sum(pool, value);
  if (value->kind == ExprKind::kMul) return abs_of_product(pool, value);
  if (value->kind == ExprKind::kPow && value->arg(0)->has(kIsReal))  // |x**3| = |x|**3 = x**2 * |x|
    return raised(pool, {make_abs(pool, value->arg(0)), value->number.integer});
  return pool.intern(ExprKind::kAbs, value->type, Number(), std::span(&value, 1));
}

// --- powers, rounding, floats ---

const ExprNode* make_pow_by_natural(ExprPool& pool, Args args) {
  if (args[1]->kind == ExprKind::kInteger)
    return simplified_pow(pool, args[0], args[1]->number.integer);
  return pool.intern(ExprKind::kPowByNatural, ExprType::kInt, Number(), args);
}

const ExprNode* make_right_shift(ExprPool& pool, const ExprNode* base, const ExprNode* shift) {
  if (shift->has(kNegative)) throw_error(ErrorKind::kValueError, "negative shift count");
  const std::array power = {pool.integer(2), shift};
  return simplified_floor_div(pool, ExprKind::kFloorDiv, base,
                              make_pow_by_natural(pool, power));  // x >> n = x // 2**n
}

const ExprNode* make_rounding(ExprPool& pool, ExprKind kind, const ExprNode* value) {
  if (value->kind == ExprKind::kInteger) return value;
  if (value->kind == ExprKind::kFloat && std::isfinite(value->number.real)) {
    const double x = value->number.real;
    double rounded = 0;
    switch (kind) {
      case ExprKind::kTruncToInt:
        rounded = std::trunc(x);
        break;
      case ExprKind::kFloorToInt:
        rounded = std::floor(x);
        break;
      case ExprKind::kCeilToInt:
        rounded = std::ceil(x);
        break;
      default:
        rounded = round_half_even(x);
        break;
    }
    return pool.integer(checked_to_int(rounded));
  }
  return pool.intern(kind, ExprType::kInt, Number(), std::span(&value, 1));
}

const ExprNode* make_float_function(ExprPool& pool, ExprKind kind, Args args) {
  const bool divides = kind == ExprKind::kIntTrueDiv || kind == ExprKind::kFloatTrueDiv;
  if (divides && args[1]->is_integer(0))
    throw_error(ErrorKind::kZeroDivisionError, "division by zero");
  if (!std::all_of(args.begin(), args.end(), [](auto* arg) { return arg->is_number(); })) {
    return pool.intern(kind, ExprType::kFloat, Number(), args);
  }
  const double a = args[0]->number.as_double();
  const double b = args.size() > 1 ? args[1]->number.as_double() : 0;
  if (divides && b == 0) throw_error(ErrorKind::kZeroDivisionError, "division by zero");
  switch (kind) {
    case ExprKind::kIntTrueDiv:
      if (!args[0]->number.is_float && !args[1]->number.is_float) {
        return pool.real(int_true_divide(args[0]->number.integer, args[1]->number.integer));
      }
      return pool.real(a / b);
    case ExprKind::kFloatTrueDiv:
      return pool.real(a / b);
    case ExprKind::kFloatPow:
      return pool.real(std::pow(a, b));
    case ExprKind::kSqrt:
      return pool.real(std::sqrt(a));
    case ExprKind::kTruncToFloat:
      return pool.real(std::trunc(a));
    case ExprKind::kRoundDecimal:
      return pool.real(round_decimal(a, args[1]->number.integer));
    default:
      return pool.real(a);  // ToFloat
  }
}

const ExprNode* make_bitwise(ExprPool& pool, ExprKind kind, const ExprNode* a, const ExprNode* b) {
  if (a->kind == ExprKind::kInteger && b->kind == ExprKind::kInteger) {
    const int64_t x = a->number.integer;
    const int64_t y = b->number.integer;
    return pool.integer(kind == ExprKind::kBitAnd  ? x & y
                        : kind == ExprKind::kBitOr ? x | y
                                                   : x ^ y);
  }
  const std::array args = {a, b};
  return pool.intern(kind, ExprType::kInt, Number(), args);
}

// Piecewise((a, c), (b, True)).
const ExprNode* make_where(ExprPool& pool, Args args) {
  const ExprNode* condition = piecewise_condition(args[0]);
  if (condition->kind == ExprKind::kBoolean) return condition->is_true() ? args[1] : args[2];
  const ExprNode* if_true = args[1];
  if (if_true->kind == ExprKind::kWhere && if_true->arg(0) == condition)
    if_true = if_true->arg(1);  // (a if c else b) if c else d = a if c else d
  if (if_true == args[2]) return if_true;
  const ExprType type = args[2]->type == ExprType::kFloat ? ExprType::kFloat : if_true->type;
  return pool.intern(ExprKind::kWhere, type, Number(), std::array{condition, if_true, args[2]});
}

}  // namespace

const ExprNode* simplified_pow(ExprPool& pool, const ExprNode* base, int64_t exponent) {
  if (exponent < 0) throw_error(ErrorKind::kValueError, "a negative power of a symbolic integer");
  if (exponent == 0) return pool.integer(1);  // x**0 = 1
  if (exponent == 1) return base;
  if (base->kind == ExprKind::kInteger)
    return pool.integer(checked_power(base->number.integer, exponent));
  if (base->kind == ExprKind::kFloat)
    return pool.real(std::pow(base->number.real, static_cast<double>(exponent)));
  if (base->kind == ExprKind::kPow) {  // (x**a)**b = x**(a*b)
    return raised(pool, {base->arg(0), checked_multiply(base->number.integer, exponent)});
  }
  if (base->kind == ExprKind::kMul) {  // (2*x*y)**n = 2**n * x**n * y**n
    Exprs factors = {simplified_pow(pool, pool.number(base->number), exponent)};
    for (const ExprNode* factor : base->args())
      factors.push_back(simplified_pow(pool, factor, exponent));
    return make_mul(pool, factors);
  }
  return raised(pool, {base, exponent});
}

const ExprNode* simplified(ExprPool& pool, ExprKind kind, Args args) {
  switch (kind) {
    case ExprKind::kAdd:
      return make_add(pool, args);
    case ExprKind::kMul:
      return make_mul(pool, args);
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      return simplified_floor_div(pool, kind, args[0], args[1]);
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
      return simplified_mod(pool, kind, args[0], args[1]);
    case ExprKind::kModularIndexing:
      return simplified_modular_indexing(pool, args);
    case ExprKind::kMax:
    case ExprKind::kMin:
      return simplified_extremum(pool, kind, args);
    case ExprKind::kAbs:
      return make_abs(pool, args[0]);
    case ExprKind::kPowByNatural:
      return make_pow_by_natural(pool, args);
    case ExprKind::kRShift:
      return make_right_shift(pool, args[0], args[1]);
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
      return make_bitwise(pool, kind, args[0], args[1]);
    case ExprKind::kTruncToInt:
    case ExprKind::kFloorToInt:
    case ExprKind::kCeilToInt:
    case ExprKind::kRoundToInt:
      return make_rounding(pool, kind, args[0]);
    case ExprKind::kToFloat:
    case ExprKind::kTruncToFloat:
    case ExprKind::kRoundDecimal:
    case ExprKind::kIntTrueDiv:
    case ExprKind::kFloatTrueDiv:
    case ExprKind::kFloatPow:
    case ExprKind::kSqrt:
      return make_float_function(pool, kind, args);
    case ExprKind::kWhere:
      return make_where(pool, args);
    case ExprKind::kEq:
    case ExprKind::kNe:
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe:
      return simplified_relation(pool, kind, args[0], args[1]);
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return simplified_connective(pool, kind, args);
    case ExprKind::kNot:
      return simplified_not(pool, args[0]);
    default:
      break;
  }
  throw_error(ErrorKind::kUsage, "not a function of arguments");
}

}  // namespace faketensor
