#include "core/symbolic/python_number.h"

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

ExprPool* pool_of(const PythonNumber& a, const PythonNumber& b) {
  ExprPool* pool = a.pool();
  return pool != nullptr ? pool : b.pool();
}

// --- promotion ---

// True + True is 2: a bool becomes an int, and a SymBool has to say which.
PythonNumber as_arithmetic(const PythonNumber& a) {
  if (!a.is_bool()) return a;
  return PythonNumber(SymInt(guard_bool(a.as_bool()) ? 1 : 0)).marked_symbolic(a.is_symbolic());
}

PythonNumber as_float(const PythonNumber& a) {
  if (a.is_float()) return a;
  const SymInt value = a.is_bool() ? sym_int(a.as_bool()) : a.as_int();
  return PythonNumber(sym_float(value)).marked_symbolic(a.is_symbolic());
}

// --- integers ---

// base ** exponent of integers: an integer, or a float where the exponent is negative. Which of
// them is decided by a guard.
PythonNumber power(const PythonNumber& base, const PythonNumber& exponent);

SymInt integer_power(SymInt base, SymInt exponent) {
  if (base.is_symbolic() || exponent.is_symbolic()) return pow_by_natural(base, exponent);
  // By squaring, so that a large exponent ends quickly: in a result, or in an overflow.
  SymInt result = 1;
  SymInt square = base;
  for (int64_t rest = exponent.as_int(); rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result *= square;
    if (rest > 1) square *= square;
  }
  return result;
}

SymInt shift(PythonBinary op, SymInt a, SymInt b) {
  const bool negative = b.is_symbolic() ? b.node()->has(kNegative) : b.as_int() < 0;
  if (negative) throw_error(ErrorKind::kValueError, "negative shift count");
  const SymInt factor = integer_power(2, b);  // x << n = x * 2**n, x >> n = x // 2**n
  return op == PythonBinary::kShiftLeft ? a * factor : floor_div(a, factor);
}

SymInt bitwise(PythonBinary op, SymInt a, SymInt b) {
  const bool is_and = op == PythonBinary::kAnd;
  if (symbolic_detail::both_plain(a, b))
    return is_and ? a.as_int() & b.as_int() : a.as_int() | b.as_int();
  ExprPool& pool = *pool_of(a, b);
  return pool.sym_int(pool.make(is_and ? ExprKind::kBitAnd : ExprKind::kBitOr,
                                PythonNumber(a).node(pool), PythonNumber(b).node(pool)));
}

PythonNumber on_ints(PythonBinary op, SymInt a, SymInt b) {
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
    case PythonBinary::kOr:
      return bitwise(op, a, b);
    case PythonBinary::kShiftLeft:
    case PythonBinary::kShiftRight:
      return shift(op, a, b);
    case PythonBinary::kMax:
      return sym_max(a, b);
    default:
      return sym_min(a, b);
  }
}

// --- floats ---

double float_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

SymFloat on_floats(PythonBinary op, SymFloat a, SymFloat b) {
  switch (op) {
    case PythonBinary::kAdd:
      return a + b;
    case PythonBinary::kSub:
      return a - b;
    case PythonBinary::kMul:
      return a * b;
    case PythonBinary::kTrueDiv:
      return a / b;
    case PythonBinary::kFloorDiv: {
      const SymFloat quotient = a / b;
      if (!quotient.is_symbolic()) return std::floor(quotient.as_double());
      return sym_float(floor_to_int(quotient));  // math.floor, made a float again
    }
    case PythonBinary::kMod: {
      if (a.is_symbolic() || b.is_symbolic()) break;
      if (b.as_double() == 0)
        throw_error(ErrorKind::kZeroDivisionError, "float floor division by zero");
      return float_modulo(a.as_double(), b.as_double());
    }
    case PythonBinary::kMax:
      return sym_max(a, b);
    case PythonBinary::kMin:
      return sym_min(a, b);
    default:
      break;
  }
  throw_unsupported("a number", a, b);
}

PythonNumber power_of_floats(const PythonNumber& base, const PythonNumber& exponent) {
  const SymFloat a = as_float(base).as_float();
  const SymFloat b = as_float(exponent).as_float();
  if (base.is_symbolic() || exponent.is_symbolic()) {
    // A negative base could give a complex result: torch._check(base >= 0).
    const PythonNumber allowed = apply(PythonBinary::kGe, base, PythonNumber(SymInt(0)));
    if (!expect_true(allowed.as_bool()))
      throw_error(ErrorKind::kRuntimeError,
                  "Expected cond to be True, but got False. (Could this error message be improved? "
                  "If so, please report an enhancement request to PyTorch.)");
  }
  return float_pow(a, b);
}

PythonNumber power(const PythonNumber& base, const PythonNumber& exponent) {
  if (base.is_float() || exponent.is_float()) return power_of_floats(base, exponent);
  const SymInt a = as_arithmetic(base).as_int();
  const SymInt b = as_arithmetic(exponent).as_int();
  if (guard_bool(b >= 0)) return integer_power(a, b);
  return power_of_floats(as_float(base), as_float(exponent));
}

// --- comparisons ---

ExprKind relation_kind(PythonBinary op) {
  constexpr std::array kKinds = {ExprKind::kEq, ExprKind::kNe, ExprKind::kLt,
                                 ExprKind::kLe, ExprKind::kGt, ExprKind::kGe};
  return kKinds[static_cast<size_t>(op) - static_cast<size_t>(PythonBinary::kEq)];
}
bool is_comparison(PythonBinary op) { return op >= PythonBinary::kEq && op <= PythonBinary::kGe; }

PythonNumber compare_numbers(PythonBinary op, PythonNumber a, PythonNumber b) {
  if (a.is_float() != b.is_float()) {
    a = as_float(a);
    b = as_float(b);
  }
  ExprKind kind = relation_kind(op);
  // Python asks the symbolic side: 1 < s0 is written s0 > 1.
  if (!a.is_symbolic() && b.is_symbolic()) {
    std::swap(a, b);
    kind = mirrored_relation(kind);
  }
  ExprPool* pool = pool_of(a, b);
  ExprPool constants;  // for two constants
  if (pool == nullptr) pool = &constants;
  const ExprNode* relation = pool->make(kind, a.node(*pool), b.node(*pool));
  return relation->is_constant() ? SymBool(relation->is_true()) : SymBool::from_node(relation);
}

// --- rounding ---

PythonNumber rounded(PythonUnary op, const PythonNumber& a) {
  const PythonNumber number = as_arithmetic(a);
  if (op == PythonUnary::kRound && !number.is_float()) return number;
  if (op == PythonUnary::kInt && !number.is_float()) return number;
  ExprPool* pool = number.pool();
  if (!number.is_float()) {
    // math.floor of a SymInt is a function of it, as PyTorch writes it.
    if (pool == nullptr) return number;
    const ExprKind kind = op == PythonUnary::kFloor  ? ExprKind::kFloorToInt
                          : op == PythonUnary::kCeil ? ExprKind::kCeilToInt
                                                     : ExprKind::kTruncToInt;
    return pool->sym_int(pool->make(kind, number.node(*pool)));
  }
  switch (op) {
    case PythonUnary::kFloor:
      return floor_to_int(number.as_float());
    case PythonUnary::kCeil:
      return ceil_to_int(number.as_float());
    case PythonUnary::kRound:
      return round_to_int(number.as_float());
    default:
      return trunc_to_int(number.as_float());
  }
}

PythonNumber square_root(const PythonNumber& a) {
  const SymFloat value = as_float(a).as_float();
  if (!value.is_symbolic() && value.as_double() < 0)
    throw_error(ErrorKind::kValueError, "math domain error");
  return sym_sqrt(value);
}

PythonNumber negated(const PythonNumber& a) {
  if (a.is_float()) return -a.as_float();
  return -as_arithmetic(a).as_int();
}

PythonNumber absolute(const PythonNumber& a) {
  if (!a.is_float()) return sym_abs(as_arithmetic(a).as_int());
  if (ExprPool* pool = a.pool()) return sym_float_of(pool->make(ExprKind::kAbs, a.node(*pool)));
  return SymFloat(std::fabs(a.as_float().as_double()));
}

PythonNumber logical_not(const PythonNumber& a) {
  if (a.is_bool()) return sym_not(a.as_bool());
  return compare_numbers(PythonBinary::kEq, a, PythonNumber(SymInt(0)));
}

}  // namespace

PythonNumber PythonNumber::symbolic(const ExprNode* node) {
  PythonNumber result;
  switch (node->type) {
    case ExprType::kInt:
      result = node->pool->sym_int(node);
      break;
    case ExprType::kFloat:
      result = sym_float_of(node);
      break;
    case ExprType::kBool:
      result = node->pool->sym_bool(node);
      break;
  }
  return result.marked_symbolic(true);
}

ExprPool* PythonNumber::pool() const {
  switch (type_) {
    case ExprType::kInt:
      return integer_.is_symbolic() ? integer_.node()->pool : nullptr;
    case ExprType::kFloat:
      return real_.is_symbolic() ? real_.node()->pool : nullptr;
    default:
      return boolean_.is_symbolic() ? boolean_.node()->pool : nullptr;
  }
}

const ExprNode* PythonNumber::node(ExprPool& pool) const {
  const ExprNode* node = nullptr;
  switch (type_) {
    case ExprType::kInt:
      node = pool.node_of(integer_);
      break;
    case ExprType::kFloat:
      node = real_.is_symbolic() ? real_.node() : pool.real(real_.as_double());
      break;
    case ExprType::kBool:
      node = pool.node_of(boolean_);
      break;
  }
  ShapeEnv* env = pool.shape_env();
  return env == nullptr ? node : env->replace(node);
}

PythonNumber apply(PythonUnary op, const PythonNumber& a) {
  PythonNumber result;
  switch (op) {
    case PythonUnary::kPos:
      result = as_arithmetic(a);
      break;
    case PythonUnary::kNeg:
      result = negated(a);
      break;
    case PythonUnary::kAbs:
      result = absolute(a);
      break;
    case PythonUnary::kNot:
      result = logical_not(a);
      break;
    case PythonUnary::kFloat:
      result = as_float(a);
      break;
    case PythonUnary::kSqrt:
      result = square_root(a);
      break;
    default:
      result = rounded(op, a);
      break;
  }
  return result.marked_symbolic(a.is_symbolic());
}

PythonNumber apply(PythonBinary op, const PythonNumber& a, const PythonNumber& b) {
  const bool symbolic = a.is_symbolic() || b.is_symbolic();
  if (is_comparison(op)) return compare_numbers(op, a, b).marked_symbolic(symbolic);
  const bool logic = op == PythonBinary::kAnd || op == PythonBinary::kOr;
  if (logic && a.is_bool() && b.is_bool()) {
    const SymBool result = op == PythonBinary::kAnd ? sym_and(a.as_bool(), b.as_bool())
                                                    : sym_or(a.as_bool(), b.as_bool());
    return PythonNumber(result).marked_symbolic(symbolic);
  }
  if (op == PythonBinary::kPow) return power(a, b).marked_symbolic(symbolic);
  const PythonNumber x = as_arithmetic(a);
  const PythonNumber y = as_arithmetic(b);
  if (x.is_float() || y.is_float()) {
    const SymFloat result = on_floats(op, as_float(x).as_float(), as_float(y).as_float());
    return PythonNumber(result).marked_symbolic(symbolic);
  }
  return on_ints(op, x.as_int(), y.as_int()).marked_symbolic(symbolic);
}

PythonNumber select(const PythonNumber& condition, const PythonNumber& a, const PythonNumber& b) {
  if (!condition.is_bool())
    throw_error(ErrorKind::kAssertionError,
                format("expected SymBool or bool, got {}", python_type_text(condition)));
  if (a.type() != b.type() || a.is_symbolic() != b.is_symbolic()) {
    throw_error(ErrorKind::kAssertionError,
                format("type mismatch: {} vs {}", python_type_text(a), python_type_text(b)));
  }
  const SymBool chosen = condition.as_bool();
  if (!chosen.is_symbolic()) {
    return (chosen.as_bool() ? a : b).marked_symbolic(condition.is_symbolic() || a.is_symbolic());
  }
  ExprPool& pool = *chosen.node()->pool;
  return PythonNumber::symbolic(
      pool.make(ExprKind::kWhere, condition.node(pool), a.node(pool), b.node(pool)));
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
