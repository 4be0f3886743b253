#include "core/symbolic/python_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

[[noreturn, gnu::cold]] void throw_unsupported(std::string_view what, const PythonNumber& a,
                                               const PythonNumber& b) {
  throw_error(ErrorKind::kTypeError, format("unsupported operand type(s) for {}: {} and {}", what,
                                            python_type_text(a), python_type_text(b)));
}

// The pool of two operands, one of them symbolic.
ExprPool& pool_of(const PythonNumber& a, const PythonNumber& b) {
  return *(a.is_symbolic() ? a : b).pool();
}

PythonNumber made(ExprPool& pool, ExprKind kind, const ExprNode* a) {
  return PythonNumber::symbolic(pool.make(kind, a));
}

// --- promotion ---

// True + True is 2: a bool becomes an int, and a SymBool has to say which.
PythonNumber as_arithmetic(const PythonNumber& a) {
  if (!a.is_bool()) return a;
  const int64_t value = guard_bool(a.as_bool()) ? 1 : 0;
  if (!a.is_symbolic()) return SymInt(value);
  return PythonNumber::symbolic(a.pool()->integer(value));
}

// A bool as 0 or 1 without deciding it.
PythonNumber as_truth_value(const PythonNumber& a) {
  if (!a.is_bool()) return a;
  if (!a.is_symbolic()) return SymInt(a.as_bool().as_bool() ? 1 : 0);
  ExprPool& pool = *a.pool();
  return PythonNumber::symbolic(
      pool.make(ExprKind::kWhere, a.node(pool), pool.integer(1), pool.integer(0)));
}

PythonNumber as_float(const PythonNumber& a) {
  if (a.is_float()) return a;
  if (!a.is_symbolic()) {
    const int64_t value = a.is_bool() ? a.as_bool().as_bool() : a.as_int().as_int();
    return SymFloat(static_cast<double>(value));
  }
  ExprPool& pool = *a.pool();
  return made(pool, ExprKind::kToFloat, a.node(pool));
}

// --- plain numbers ---

int64_t plain_power(int64_t base, int64_t exponent) {
  // By squaring, so that a large exponent ends quickly: in a result, or in an overflow.
  int64_t result = 1;
  for (int64_t rest = exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = checked_multiply(result, base);
    if (rest > 1) base = checked_multiply(base, base);
  }
  return result;
}

PythonNumber plain_ints(PythonBinary op, SymInt a, SymInt b) {
  const int64_t x = a.as_int();
  const int64_t y = b.as_int();
  const bool shifts = op == PythonBinary::kShiftLeft || op == PythonBinary::kShiftRight;
  if (shifts && y < 0) throw_error(ErrorKind::kValueError, "negative shift count");
  switch (op) {
    case PythonBinary::kAdd:
      return a + b;
    case PythonBinary::kSub:
      return a - b;
    case PythonBinary::kMul:
      return a * b;
    case PythonBinary::kTrueDiv:
      return int_true_div(a, b);
    case PythonBinary::kFloorDiv:
      return floor_div(a, b);
    case PythonBinary::kMod:
      return mod(a, b);
    case PythonBinary::kAnd:
      return SymInt(x & y);
    case PythonBinary::kOr:
      return SymInt(x | y);
    case PythonBinary::kShiftLeft:
      return a * SymInt(plain_power(2, y));
    case PythonBinary::kShiftRight:
      return SymInt(x >> std::min<int64_t>(y, 63));
    case PythonBinary::kMax:
      return sym_max(a, b);
    default:
      return sym_min(a, b);
  }
}

PythonNumber plain_floats(PythonBinary op, SymFloat a, SymFloat b) {
  switch (op) {
    case PythonBinary::kAdd:
      return a + b;
    case PythonBinary::kSub:
      return a - b;
    case PythonBinary::kMul:
      return a * b;
    case PythonBinary::kTrueDiv:
      return a / b;
    case PythonBinary::kFloorDiv:
      return SymFloat(std::floor((a / b).as_double()));
    case PythonBinary::kMod:
      return SymFloat(float_modulo(a.as_double(), b.as_double()));
    case PythonBinary::kMax:
      return sym_max(a, b);
    case PythonBinary::kMin:
      return sym_min(a, b);
    default:
      throw_unsupported("an operator of integers", a, b);
  }
}

// --- symbolic numbers ---

const ExprNode* modulo(ExprPool& pool, const ExprNode* a, const ExprNode* b) {
  ShapeEnv* env = pool.shape_env();
  return env == nullptr ? pool.python_mod(a, b) : env->python_mod(a, b);
}

// x << n is x * 2**n, and x >> n is x // 2**n.
const ExprNode* shifted(ExprPool& pool, PythonBinary op, const ExprNode* a, const ExprNode* n) {
  // A hint is calculated with the operator, so Python refuses one of a negative count.
  const auto hint_of = [&](const ExprNode* node) { return hint(pool.sym_int(node)); };
  const bool is_negative = n->has(kNegative) || (hint_of(a) && hint_of(n).value_or(0) < 0);
  if (is_negative) throw_error(ErrorKind::kValueError, "negative shift count");
  const ExprNode* factor = pool.make(ExprKind::kPowByNatural, pool.integer(2), n);
  return op == PythonBinary::kShiftLeft ? pool.mul(a, factor)
                                        : pool.make(ExprKind::kFloorDiv, a, factor);
}

// The operators that are alike for integers and floats; null for others.
const ExprNode* symbolic_numbers(ExprPool& pool, PythonBinary op, const ExprNode* a,
                                 const ExprNode* b) {
  switch (op) {
    case PythonBinary::kAdd:
      return pool.add(a, b);
    case PythonBinary::kSub:
      return pool.subtract(a, b);
    case PythonBinary::kMul:
      return pool.mul(a, b);
    case PythonBinary::kMax:
      return pool.make(ExprKind::kMax, a, b);
    case PythonBinary::kMin:
      return pool.make(ExprKind::kMin, a, b);
    default:
      return nullptr;
  }
}

const ExprNode* symbolic_ints(ExprPool& pool, PythonBinary op, const ExprNode* a,
                              const ExprNode* b) {
  switch (op) {
    case PythonBinary::kTrueDiv:
      return pool.make(ExprKind::kIntTrueDiv, a, b);
    case PythonBinary::kFloorDiv:
      return pool.make(ExprKind::kFloorDiv, a, b);
    case PythonBinary::kMod:
      return modulo(pool, a, b);
    case PythonBinary::kAnd:
      return pool.make(ExprKind::kBitAnd, a, b);
    case PythonBinary::kOr:
      return pool.make(ExprKind::kBitOr, a, b);
    case PythonBinary::kShiftLeft:
    case PythonBinary::kShiftRight:
      return shifted(pool, op, a, b);
    default:
      return symbolic_numbers(pool, op, a, b);
  }
}

// Null for an operator that floats do not have.
const ExprNode* symbolic_floats(ExprPool& pool, PythonBinary op, const ExprNode* a,
                                const ExprNode* b) {
  switch (op) {
    case PythonBinary::kTrueDiv:
      return pool.make(ExprKind::kFloatTrueDiv, a, b);
    case PythonBinary::kFloorDiv:  // math.floor, made a float again
      return pool.make(ExprKind::kToFloat,
                       pool.make(ExprKind::kFloorToInt, pool.make(ExprKind::kFloatTrueDiv, a, b)));
    case PythonBinary::kMod:
      return modulo(pool, a, b);
    default:
      return symbolic_numbers(pool, op, a, b);
  }
}

// PyTorch computes hints beside expressions, so a divisor whose hint is 0 raises what Python raises
// for numbers, if the dividend has a hint.
void check_hint_of_divisor(PythonBinary op, const PythonNumber& a, const PythonNumber& b) {
  const bool divides =
      op == PythonBinary::kTrueDiv || op == PythonBinary::kFloorDiv || op == PythonBinary::kMod;
  if (!divides || !b.is_symbolic()) return;
  ShapeEnv* env = b.pool()->shape_env();
  if (env == nullptr) return;
  const ExprNode* dividend = a.node(*b.pool());
  const ExprNode* divisor = b.node(*b.pool());
  if (dividend->has(kHasUnbacked) || divisor->has(kHasUnbacked)) return;
  const std::optional<Number> hint = env->hint(divisor);
  if (!hint || hint->as_double() != 0) return;
  const bool floats = a.is_float() || b.is_float();
  if (op == PythonBinary::kTrueDiv || (floats && op == PythonBinary::kFloorDiv)) {
    throw_error(ErrorKind::kZeroDivisionError,
                floats ? "float division by zero" : "division by zero");
  }
  if (op == PythonBinary::kMod) {
    throw_error(ErrorKind::kZeroDivisionError, floats ? "float modulo" : "integer modulo by zero");
  }
  throw_error(ErrorKind::kZeroDivisionError, "integer division or modulo by zero");
}

PythonNumber arithmetic(PythonBinary op, const PythonNumber& a, const PythonNumber& b) {
  const bool symbolic = a.is_symbolic() || b.is_symbolic();
  check_hint_of_divisor(op, a, b);
  if (!a.is_float() && !b.is_float()) {
    if (!symbolic) return plain_ints(op, a.as_int(), b.as_int());
    ExprPool& pool = pool_of(a, b);
    return PythonNumber::symbolic(symbolic_ints(pool, op, a.node(pool), b.node(pool)));
  }
  const PythonNumber x = as_float(a);
  const PythonNumber y = as_float(b);
  if (!symbolic) return plain_floats(op, x.as_float(), y.as_float());
  ExprPool& pool = pool_of(a, b);
  const ExprNode* result = symbolic_floats(pool, op, x.node(pool), y.node(pool));
  if (result == nullptr) throw_unsupported("an operator of integers", a, b);
  return PythonNumber::symbolic(result, ExprType::kFloat);
}

// --- powers ---

PythonNumber power_of_floats(const PythonNumber& base, const PythonNumber& exponent) {
  if (!base.is_symbolic() && !exponent.is_symbolic())
    return float_pow(as_float(base).as_float(), as_float(exponent).as_float());
  // A negative base could give a complex result: torch._check(base >= 0).
  const PythonNumber allowed = apply(PythonBinary::kGe, base, PythonNumber(SymInt(0)));
  if (!expect_true(allowed.as_bool()))
    throw_error(ErrorKind::kRuntimeError, std::string(kCheckFailedText));
  ExprPool& pool = pool_of(base, exponent);
  return PythonNumber::symbolic(
      pool.make(ExprKind::kFloatPow, as_float(base).node(pool), as_float(exponent).node(pool)),
      ExprType::kFloat);
}

// base ** exponent of integers is an integer, or a float where the exponent is negative: a guard
// on its sign.
PythonNumber power(const PythonNumber& base, const PythonNumber& exponent) {
  if (base.is_float() || exponent.is_float()) return power_of_floats(base, exponent);
  if (!guard_bool(exponent.as_int() >= 0))
    return power_of_floats(as_float(base), as_float(exponent));
  if (!base.is_symbolic() && !exponent.is_symbolic())
    return SymInt(plain_power(base.as_int().as_int(), exponent.as_int().as_int()));
  ExprPool& pool = pool_of(base, exponent);
  return PythonNumber::symbolic(
      pool.make(ExprKind::kPowByNatural, base.node(pool), exponent.node(pool)));
}

// --- comparisons ---

bool is_comparison(PythonBinary op) { return op >= PythonBinary::kEq && op <= PythonBinary::kGe; }

ExprKind relation_kind(PythonBinary op) {
  constexpr std::array kKinds = {ExprKind::kEq, ExprKind::kNe, ExprKind::kLt,
                                 ExprKind::kLe, ExprKind::kGt, ExprKind::kGe};
  return kKinds[static_cast<size_t>(op) - static_cast<size_t>(PythonBinary::kEq)];
}

PythonNumber compare_numbers(PythonBinary op, PythonNumber a, PythonNumber b) {
  if (a.is_float() != b.is_float()) {
    a = as_float(a);
    b = as_float(b);
  } else if (a.is_bool() != b.is_bool()) {
    a = as_truth_value(a);
    b = as_truth_value(b);
  }
  ExprKind kind = relation_kind(op);
  if (!a.is_symbolic() && !b.is_symbolic()) {
    ExprPool constants;
    return SymBool(constants.make(kind, a.node(constants), b.node(constants))->is_true());
  }
  // Python asks the symbolic side: 1 < s0 is written s0 > 1.
  if (!a.is_symbolic()) {
    std::swap(a, b);
    kind = mirrored_relation(kind);
  }
  ExprPool& pool = *a.pool();
  return PythonNumber::symbolic(pool.make(kind, a.node(pool), b.node(pool)));
}

// --- one operand ---

PythonNumber plain_rounded(PythonUnary op, SymFloat a) {
  switch (op) {
    case PythonUnary::kFloor:
      return floor_to_int(a);
    case PythonUnary::kCeil:
      return ceil_to_int(a);
    case PythonUnary::kRound:
      return round_to_int(a);
    default:
      return trunc_to_int(a);
  }
}

PythonNumber rounded(PythonUnary op, const PythonNumber& a) {
  const bool keeps_int = op == PythonUnary::kRound || op == PythonUnary::kInt;
  if (!a.is_float() && (keeps_int || !a.is_symbolic())) return a;
  if (!a.is_symbolic()) return plain_rounded(op, a.as_float());
  // math.floor of a SymInt is a function of it, as PyTorch writes it.
  const ExprKind kind = op == PythonUnary::kFloor   ? ExprKind::kFloorToInt
                        : op == PythonUnary::kCeil  ? ExprKind::kCeilToInt
                        : op == PythonUnary::kRound ? ExprKind::kRoundToInt
                                                    : ExprKind::kTruncToInt;
  return made(*a.pool(), kind, a.node(*a.pool()));
}

PythonNumber square_root(const PythonNumber& a) {
  const PythonNumber value = as_float(a);
  if (value.is_symbolic()) return made(*a.pool(), ExprKind::kSqrt, value.node(*a.pool()));
  const double x = value.as_float().as_double();
  if (x < 0) throw_error(ErrorKind::kValueError, "math domain error");
  return SymFloat(std::sqrt(x));
}

PythonNumber negated(const PythonNumber& a) {
  if (a.is_symbolic()) return PythonNumber::symbolic(a.pool()->negate(a.node(*a.pool())), a.type());
  return a.is_float() ? PythonNumber(-a.as_float()) : PythonNumber(-a.as_int());
}

PythonNumber absolute(const PythonNumber& a) {
  if (a.is_symbolic())
    return PythonNumber::symbolic(a.pool()->make(ExprKind::kAbs, a.node(*a.pool())), a.type());
  return a.is_float() ? PythonNumber(SymFloat(std::fabs(a.as_float().as_double())))
                      : PythonNumber(sym_abs(a.as_int()));
}

PythonNumber logical_not(const PythonNumber& a) {
  if (!a.is_bool()) return compare_numbers(PythonBinary::kEq, a, PythonNumber(SymInt(0)));
  if (!a.is_symbolic()) return SymBool(!a.as_bool().as_bool());
  return made(*a.pool(), ExprKind::kNot, a.node(*a.pool()));
}

PythonNumber connective(PythonBinary op, const PythonNumber& a, const PythonNumber& b) {
  if (!a.is_symbolic() && !b.is_symbolic()) {
    return op == PythonBinary::kAnd ? sym_and(a.as_bool(), b.as_bool())
                                    : sym_or(a.as_bool(), b.as_bool());
  }
  ExprPool& pool = pool_of(a, b);
  const ExprKind kind = op == PythonBinary::kAnd ? ExprKind::kAnd : ExprKind::kOr;
  return PythonNumber::symbolic(pool.make(kind, a.node(pool), b.node(pool)));
}

}  // namespace

PythonNumber::PythonNumber(SymInt value) : type_(ExprType::kInt) {
  if (value.is_symbolic()) {
    node_ = value.node();
  } else {
    integer_ = value.as_int();
  }
}

PythonNumber::PythonNumber(SymFloat value) : type_(ExprType::kFloat) {
  if (value.is_symbolic()) {
    node_ = value.node();
  } else {
    real_ = value.as_double();
  }
}

PythonNumber::PythonNumber(SymBool value) : type_(ExprType::kBool) {
  if (value.is_symbolic()) {
    node_ = value.node();
  } else {
    integer_ = value.as_bool() ? 1 : 0;
  }
}

PythonNumber PythonNumber::symbolic(const ExprNode* node, ExprType type) {
  PythonNumber result;
  result.type_ = type;
  result.node_ = node;
  return result;
}

SymInt PythonNumber::as_int() const {
  return node_ == nullptr ? SymInt(integer_) : node_->pool->sym_int(node_);
}
SymFloat PythonNumber::as_float() const {
  return node_ == nullptr ? SymFloat(real_) : sym_float_of(node_);
}
SymBool PythonNumber::as_bool() const {
  return node_ == nullptr ? SymBool(integer_ != 0) : node_->pool->sym_bool(node_);
}

const ExprNode* PythonNumber::node(ExprPool& pool) const {
  if (node_ != nullptr) {
    ShapeEnv* env = pool.shape_env();
    return env == nullptr ? node_ : env->as_shown(node_);
  }
  switch (type_) {
    case ExprType::kInt:
      return pool.integer(integer_);
    case ExprType::kFloat:
      return pool.real(real_);
    default:
      return pool.boolean(integer_ != 0);
  }
}

PythonNumber apply(PythonUnary op, const PythonNumber& a) {
  switch (op) {
    case PythonUnary::kPos:
      return as_arithmetic(a);
    case PythonUnary::kNeg:
      return negated(as_arithmetic(a));
    case PythonUnary::kAbs:
      return absolute(as_arithmetic(a));
    case PythonUnary::kNot:
      return logical_not(a);
    case PythonUnary::kFloat:
      return as_float(a);
    case PythonUnary::kSqrt:
      return square_root(a);
    default:
      return rounded(op, as_arithmetic(a));
  }
}

PythonNumber apply(PythonBinary op, const PythonNumber& a, const PythonNumber& b) {
  if (is_comparison(op)) return compare_numbers(op, a, b);
  const bool logic = op == PythonBinary::kAnd || op == PythonBinary::kOr;
  if (logic && a.is_bool() && b.is_bool()) return connective(op, a, b);
  const PythonNumber x = as_arithmetic(a);
  const PythonNumber y = as_arithmetic(b);
  return op == PythonBinary::kPow ? power(x, y) : arithmetic(op, x, y);
}

PythonNumber select(const PythonNumber& condition, const PythonNumber& a, const PythonNumber& b) {
  if (!condition.is_bool())
    throw_error(ErrorKind::kAssertionError,
                format("expected SymBool or bool, got {}", python_type_text(condition)));
  if (a.type() != b.type() || a.is_symbolic() != b.is_symbolic()) {
    throw_error(ErrorKind::kAssertionError,
                format("type mismatch: {} vs {}", python_type_text(a), python_type_text(b)));
  }
  if (!condition.is_symbolic()) return condition.as_bool().as_bool() ? a : b;
  ExprPool& pool = *condition.pool();
  return PythonNumber::symbolic(
      pool.make(ExprKind::kWhere, condition.node(pool), a.node(pool), b.node(pool)), a.type());
}

std::optional<PythonUnary> python_unary(std::string_view name) {
  constexpr std::pair<std::string_view, PythonUnary> kNames[] = {
      {"pos", PythonUnary::kPos},     {"neg", PythonUnary::kNeg},
      {"abs", PythonUnary::kAbs},     {"not", PythonUnary::kNot},
      {"float", PythonUnary::kFloat}, {"int", PythonUnary::kInt},
      {"floor", PythonUnary::kFloor}, {"ceil", PythonUnary::kCeil},
      {"trunc", PythonUnary::kTrunc}, {"round", PythonUnary::kRound},
      {"sqrt", PythonUnary::kSqrt},
  };
  for (const auto& [known, op] : kNames) {
    if (known == name) return op;
  }
  return std::nullopt;
}

std::optional<PythonBinary> python_binary(std::string_view name) {
  constexpr std::pair<std::string_view, PythonBinary> kNames[] = {
      {"add", PythonBinary::kAdd},
      {"sub", PythonBinary::kSub},
      {"mul", PythonBinary::kMul},
      {"truediv", PythonBinary::kTrueDiv},
      {"floordiv", PythonBinary::kFloorDiv},
      {"mod", PythonBinary::kMod},
      {"pow", PythonBinary::kPow},
      {"eq", PythonBinary::kEq},
      {"ne", PythonBinary::kNe},
      {"lt", PythonBinary::kLt},
      {"le", PythonBinary::kLe},
      {"gt", PythonBinary::kGt},
      {"ge", PythonBinary::kGe},
      {"and", PythonBinary::kAnd},
      {"or", PythonBinary::kOr},
      {"bitand", PythonBinary::kAnd},
      {"bitor", PythonBinary::kOr},
      {"lshift", PythonBinary::kShiftLeft},
      {"rshift", PythonBinary::kShiftRight},
      {"max", PythonBinary::kMax},
      {"min", PythonBinary::kMin},
  };
  for (const auto& [known, op] : kNames) {
    if (known == name) return op;
  }
  return std::nullopt;
}

std::string_view python_type_text(const PythonNumber& number) {
  switch (number.type()) {
    case ExprType::kInt:
      return number.is_symbolic() ? "<class 'torch.SymInt'>" : "<class 'int'>";
    case ExprType::kFloat:
      return number.is_symbolic() ? "<class 'torch.SymFloat'>" : "<class 'float'>";
    default:
      return number.is_symbolic() ? "<class 'torch.SymBool'>" : "<class 'bool'>";
  }
}

}  // namespace faketensor
