#include "core/symbolic/sym_float.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// The expression as it reads now, after replacements of its symbols.
const ExprNode* current(const ExprNode* node) {
  ShapeEnv* env = node->pool->shape_env();
  return env == nullptr ? node : env->as_shown(node);
}

const ExprNode* float_operand(ExprPool& pool, SymFloat value) {
  return value.is_symbolic() ? current(value.node()) : pool.real(value.as_double());
}

const ExprNode* float_operand(ExprPool& pool, SymInt value) {
  return value.is_symbolic() ? current(value.node()) : pool.integer(value.as_int());
}

template <typename Scalar>
ExprPool& pool_of(Scalar a, Scalar b) {
  return *(a.is_symbolic() ? a : b).node()->pool;
}

bool both_constant(SymFloat a, SymFloat b) { return !a.is_symbolic() && !b.is_symbolic(); }

SymFloat binary(ExprKind kind, SymFloat a, SymFloat b) {
  ExprPool& pool = pool_of(a, b);
  return sym_float_of(pool.make(kind, float_operand(pool, a), float_operand(pool, b)));
}

SymBool relation(ExprKind kind, SymFloat a, SymFloat b) {
  ExprPool& pool = pool_of(a, b);
  return pool.sym_bool(pool.make(kind, float_operand(pool, a), float_operand(pool, b)));
}

int64_t to_int(double value) {
  if (std::isnan(value)) throw_error(ErrorKind::kValueError, "cannot convert float NaN to integer");
  if (std::isinf(value))
    throw_error(ErrorKind::kOverflowError, "cannot convert float infinity to integer");
  return checked_to_int(value);
}

SymInt rounded(ExprKind kind, SymFloat a) {
  ExprPool& pool = *a.node()->pool;
  return pool.sym_int(pool.make(kind, float_operand(pool, a)));
}

}  // namespace

SymFloat sym_float_of(const ExprNode* node) {
  return node->is_number() ? SymFloat(node->number.as_double()) : SymFloat::from_node(node);
}

SymFloat sym_float(SymInt value) {
  if (!value.is_symbolic()) return static_cast<double>(value.as_int());
  ExprPool& pool = *value.node()->pool;
  return sym_float_of(pool.make(ExprKind::kToFloat, float_operand(pool, value)));
}

SymFloat operator+(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymFloat(a.as_double() + b.as_double())
                             : binary(ExprKind::kAdd, a, b);
}

SymFloat operator-(SymFloat a) {
  if (!a.is_symbolic()) return -a.as_double();
  return sym_float_of(a.node()->pool->negate(current(a.node())));
}

SymFloat operator-(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymFloat(a.as_double() - b.as_double()) : a + -b;
}

SymFloat operator*(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymFloat(a.as_double() * b.as_double())
                             : binary(ExprKind::kMul, a, b);
}

SymFloat operator/(SymFloat a, SymFloat b) {
  if (!b.is_symbolic() && b.as_double() == 0) {
    throw_error(ErrorKind::kZeroDivisionError, "float division by zero");
  }
  return both_constant(a, b) ? SymFloat(a.as_double() / b.as_double())
                             : binary(ExprKind::kFloatTrueDiv, a, b);
}

SymFloat int_true_div(SymInt a, SymInt b) {
  if (!b.is_symbolic() && b.as_int() == 0) {
    throw_error(ErrorKind::kZeroDivisionError, "division by zero");
  }
  if (symbolic_detail::both_plain(a, b)) return int_true_divide(a.as_int(), b.as_int());
  ExprPool& pool = pool_of(a, b);
  return sym_float_of(
      pool.make(ExprKind::kIntTrueDiv, float_operand(pool, a), float_operand(pool, b)));
}

SymFloat float_pow(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymFloat(std::pow(a.as_double(), b.as_double()))
                             : binary(ExprKind::kFloatPow, a, b);
}

SymFloat sym_sqrt(SymFloat a) {
  if (!a.is_symbolic()) return std::sqrt(a.as_double());
  return sym_float_of(a.node()->pool->make(ExprKind::kSqrt, current(a.node())));
}

SymFloat sym_max(SymFloat a, SymFloat b) {
  if (both_constant(a, b)) return a.as_double() < b.as_double() ? b : a;
  return binary(ExprKind::kMax, a, b);
}

SymFloat sym_min(SymFloat a, SymFloat b) {
  if (both_constant(a, b)) return b.as_double() < a.as_double() ? b : a;
  return binary(ExprKind::kMin, a, b);
}

SymInt trunc_to_int(SymFloat a) {
  return a.is_symbolic() ? rounded(ExprKind::kTruncToInt, a)
                         : SymInt(to_int(std::trunc(a.as_double())));
}

SymInt floor_to_int(SymFloat a) {
  return a.is_symbolic() ? rounded(ExprKind::kFloorToInt, a)
                         : SymInt(to_int(std::floor(a.as_double())));
}

SymInt ceil_to_int(SymFloat a) {
  return a.is_symbolic() ? rounded(ExprKind::kCeilToInt, a)
                         : SymInt(to_int(std::ceil(a.as_double())));
}

SymInt round_to_int(SymFloat a) {
  return a.is_symbolic() ? rounded(ExprKind::kRoundToInt, a)
                         : SymInt(to_int(round_half_even(a.as_double())));
}

SymBool operator==(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() == b.as_double())
                             : relation(ExprKind::kEq, a, b);
}
SymBool operator!=(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() != b.as_double())
                             : relation(ExprKind::kNe, a, b);
}
SymBool operator<(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() < b.as_double())
                             : relation(ExprKind::kLt, a, b);
}
SymBool operator<=(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() <= b.as_double())
                             : relation(ExprKind::kLe, a, b);
}
SymBool operator>(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() > b.as_double())
                             : relation(ExprKind::kGt, a, b);
}
SymBool operator>=(SymFloat a, SymFloat b) {
  return both_constant(a, b) ? SymBool(a.as_double() >= b.as_double())
                             : relation(ExprKind::kGe, a, b);
}

double guard_float(SymFloat value) {
  if (!value.is_symbolic()) return value.as_double();
  return shape_env_of(value.node()).evaluate_float(value.node());
}

std::optional<double> hint(SymFloat value) {
  if (!value.is_symbolic()) return value.as_double();
  const std::optional<Number> number = shape_env_of(value.node()).hint(value.node());
  return number ? std::optional<double>(number->as_double()) : std::nullopt;
}

std::string to_string(SymFloat value) {
  return value.is_symbolic() ? to_string(current(value.node())) : format("{}", value.as_double());
}

SymInt sym_int(SymBool condition) { return sym_ite(condition, 1, 0); }

SymInt sym_abs(SymInt value) {
  if (!value.is_symbolic()) return value.as_int() < 0 ? -value : value;
  ExprPool& pool = *value.node()->pool;
  return pool.sym_int(pool.make(ExprKind::kAbs, float_operand(pool, value)));
}

SymInt pow_by_natural(SymInt base, SymInt exponent) {
  if (!exponent.is_symbolic() && exponent.as_int() < 0) {
    throw_error(ErrorKind::kValueError, "a negative power of an integer is not an integer");
  }
  if (symbolic_detail::both_plain(base, exponent)) {
    return checked_power(base.as_int(), exponent.as_int());
  }
  ExprPool& pool = pool_of(base, exponent);
  return pool.sym_int(
      pool.make(ExprKind::kPowByNatural, float_operand(pool, base), float_operand(pool, exponent)));
}

}  // namespace faketensor
