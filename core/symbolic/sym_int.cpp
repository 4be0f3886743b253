// The cold halves of SymInt and SymBool: checked plain arithmetic, and expressions.
#include "core/symbolic/sym_int.h"

#include <array>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

ExprPool& pool_of(SymInt a, SymInt b) { return *(a.is_symbolic() ? a : b).node()->pool; }
ExprPool& pool_of(SymBool a, SymBool b) { return *(a.is_symbolic() ? a : b).node()->pool; }

// The expression of an operand as it reads now: symbols that were replaced are seen as what
// replaced them.
const ExprNode* operand(ExprPool& pool, SymInt value) {
  if (!value.is_symbolic()) return pool.integer(value.as_int());
  ShapeEnv* env = value.node()->pool->shape_env();
  return env == nullptr ? value.node() : env->as_shown(value.node());
}

const ExprNode* operand(ExprPool& pool, SymBool value) {
  if (!value.is_symbolic()) return pool.boolean(value.as_bool());
  ShapeEnv* env = value.node()->pool->shape_env();
  return env == nullptr ? value.node() : env->as_shown(value.node());
}

// Note [Operations are remembered]
// A program asks the same of the same sizes at every layer. So the result of an operation is
// remembered by the words of its operands; it holds as long as they read the same, that of a
// remainder, which ranges have a say in, as long as nothing is learnt.
constexpr auto kSubtraction = static_cast<uint8_t>(kExprKindCount);

constexpr uint8_t code(ExprKind kind) { return static_cast<uint8_t>(kind); }

// Only cold functions call it, but where sizes are symbolic it is where the time goes.
template <typename Scalar, typename Compute>
[[gnu::hot]] auto remembered(uint8_t operation, Scalar a, Scalar b, Compute compute) {
  using Result = std::invoke_result_t<Compute, ExprPool&>;
  ExprPool& pool = pool_of(a, b);
  ShapeEnv* env = pool.shape_env();
  if (env == nullptr) return compute(pool);
  const bool by_range = operation == code(ExprKind::kMod);
  const auto state = [&] { return by_range ? env->learnt() : env->replaced_version(); };
  const uint32_t before = state();
  const ShapeEnv::Operation& known = env->remembered(operation, a.word(), b.word());
  const bool is_known = known.found_at == before && known.a == a.word() && known.b == b.word() &&
                        known.operation == operation;
  if (is_known) return __builtin_bit_cast(Result, known.result);
  const Result result = compute(pool);
  if (state() == before)
    env->remembered(operation, a.word(), b.word()) = {a.word(), b.word(), result.word(), before,
                                                      operation};
  return result;
}

SymInt binary(ExprKind kind, SymInt a, SymInt b) {
  return remembered(code(kind), a, b, [=](ExprPool& pool) {
    const ExprNode* left = operand(pool, a);
    const ExprNode* right = operand(pool, b);
    return pool.sym_int(pool.make(kind, left, right));
  });
}

SymBool connective(ExprKind kind, SymBool a, SymBool b) {
  return remembered(code(kind), a, b, [=](ExprPool& pool) {
    const ExprNode* left = operand(pool, a);
    const ExprNode* right = operand(pool, b);
    return pool.sym_bool(pool.make(kind, left, right));
  });
}

ExprKind relation_kind(symbolic_detail::Comparison comparison) {
  constexpr std::array kKinds = {ExprKind::kEq, ExprKind::kNe, ExprKind::kLt,
                                 ExprKind::kLe, ExprKind::kGt, ExprKind::kGe};
  return kKinds[static_cast<size_t>(comparison)];
}

}  // namespace

namespace symbolic_detail {

void throw_out_of_range() {
  throw_error(ErrorKind::kOverflowError, "integer arithmetic on sizes does not fit 64 bits");
}

SymInt add_cold(SymInt a, SymInt b) {
  if (both_plain(a, b)) return checked_add(a.as_int(), b.as_int());
  return binary(ExprKind::kAdd, a, b);
}

SymInt subtract_cold(SymInt a, SymInt b) {
  if (both_plain(a, b)) return checked_subtract(a.as_int(), b.as_int());
  return remembered(kSubtraction, a, b, [=](ExprPool& pool) {
    const ExprNode* left = operand(pool, a);
    const ExprNode* right = operand(pool, b);
    return pool.sym_int(pool.subtract(left, right));
  });
}

SymInt multiply_cold(SymInt a, SymInt b) {
  if (both_plain(a, b)) return checked_multiply(a.as_int(), b.as_int());
  return binary(ExprKind::kMul, a, b);
}

SymInt floor_div_cold(SymInt a, SymInt b) {
  if (!both_plain(a, b)) return binary(ExprKind::kFloorDiv, a, b);
  if (b.as_int() == 0) throw_error(ErrorKind::kZeroDivisionError, "division by zero");
  return floor_divide(a.as_int(), b.as_int());
}

SymInt mod_cold(SymInt a, SymInt b) {
  if (both_plain(a, b)) {
    if (b.as_int() == 0) throw_error(ErrorKind::kZeroDivisionError, "Modulo by zero");
    return floor_modulo(a.as_int(), b.as_int());
  }
  return remembered(code(ExprKind::kMod), a, b, [=](ExprPool& pool) {
    const ExprNode* dividend = operand(pool, a);
    const ExprNode* divisor = operand(pool, b);
    ShapeEnv* env = pool.shape_env();
    return pool.sym_int(env == nullptr ? pool.python_mod(dividend, divisor)
                                       : env->python_mod(dividend, divisor));
  });
}

SymInt max_cold(SymInt a, SymInt b) { return binary(ExprKind::kMax, a, b); }
SymInt min_cold(SymInt a, SymInt b) { return binary(ExprKind::kMin, a, b); }

SymBool compare_cold(Comparison comparison, SymInt a, SymInt b) {
  if (same_expr(a, b) && comparison <= Comparison::kNe) return comparison == Comparison::kEq;
  const ExprKind kind = relation_kind(comparison);
  return remembered(code(kind), a, b, [=](ExprPool& pool) {
    const ExprNode* left = operand(pool, a);
    const ExprNode* right = operand(pool, b);
    // Python asks the symbolic side: 1 < s0 is written s0 > 1.
    if (!a.is_symbolic()) return pool.sym_bool(pool.make(mirrored_relation(kind), right, left));
    return pool.sym_bool(pool.make(kind, left, right));
  });
}

SymInt select_cold(SymBool condition, SymInt if_true, SymInt if_false) {
  ExprPool& pool = *condition.node()->pool;
  return pool.sym_int(pool.make(ExprKind::kWhere, operand(pool, condition), operand(pool, if_true),
                                operand(pool, if_false)));
}

SymBool and_cold(SymBool a, SymBool b) { return connective(ExprKind::kAnd, a, b); }

SymBool or_cold(SymBool a, SymBool b) { return connective(ExprKind::kOr, a, b); }

SymBool not_cold(SymBool a) {
  ExprPool& pool = *a.node()->pool;
  return pool.sym_bool(pool.logical_not(operand(pool, a)));
}

bool guard_bool_cold(SymBool condition) {
  return shape_env_of(condition.node()).evaluate_bool(condition.node());
}

bool guard_or_false_cold(SymBool condition) {
  return shape_env_of(condition.node()).evaluate_bool(condition.node(), false);
}

bool guard_or_true_cold(SymBool condition) {
  return shape_env_of(condition.node()).evaluate_bool(condition.node(), true);
}

bool guard_size_oblivious_cold(SymBool condition) {
  return shape_env_of(condition.node()).evaluate_bool(condition.node(), std::nullopt, true);
}

bool statically_known_true_cold(SymBool condition) {
  return shape_env_of(condition.node()).statically_known_true(condition.node());
}

bool expect_true_cold(SymBool condition) {
  return shape_env_of(condition.node()).expect_true(condition.node());
}

int64_t guard_int_cold(SymInt value) {
  return shape_env_of(value.node()).evaluate_int(value.node());
}

std::optional<int64_t> hint_cold(SymInt value) {
  const std::optional<Number> number = shape_env_of(value.node()).hint(value.node());
  return number ? std::optional<int64_t>(number->integer) : std::nullopt;
}

}  // namespace symbolic_detail

SymBool cpp_compare(Comparison comparison, SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) {
    const int64_t x = a.as_int();
    const int64_t y = b.as_int();
    const bool holds[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};  // as Comparison counts
    return holds[static_cast<size_t>(comparison)];
  }
  ExprPool& pool = pool_of(a, b);
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  return pool.sym_bool(pool.make(relation_kind(comparison), left, right));
}

std::string to_string(SymInt value) {
  if (!value.is_symbolic()) return std::to_string(value.as_int());
  return to_string(operand(*value.node()->pool, value));
}

std::string to_string(SymBool value) {
  if (value.is_symbolic()) return to_string(operand(*value.node()->pool, value));
  return value.as_bool() ? "True" : "False";
}

}  // namespace faketensor
