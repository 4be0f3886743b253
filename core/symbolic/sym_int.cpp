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
// A program does the same with the same sizes at every layer. So the result of an operation is
// remembered by the words of its operands. It holds as long as the operands read the same; that of
// a remainder, which depends on ranges, as long as nothing is learnt. The look-up is a function of
// its own, apart from the computation: only cold functions call it, but where sizes are symbolic it
// is where the time goes.
constexpr auto kSubtraction = static_cast<uint8_t>(kExprKindCount);

constexpr uint8_t code(ExprKind kind) { return static_cast<uint8_t>(kind); }

uint64_t asked_now(const ShapeEnv& env, uint8_t operation) {
  const bool by_range = operation == code(ExprKind::kMod);
  return OperationCache::asked(operation, by_range ? env.learnt() : env.replaced_version());
}

// The result of an operation, found out by `compute(pool, operation, a, b)`.
template <typename Result, typename Scalar>
using Compute = Result (*)(ExprPool& pool, uint8_t operation, Scalar a, Scalar b);

template <typename Result, typename Scalar>
[[gnu::noinline]] Result find_out(Compute<Result, Scalar> compute, uint8_t operation, Scalar a,
                                  Scalar b) {
  ExprPool& pool = pool_of(a, b);
  ShapeEnv* env = pool.shape_env();
  if (env == nullptr) return compute(pool, operation, a, b);
  const uint64_t asked = asked_now(*env, operation);
  const Result result = compute(pool, operation, a, b);
  if (asked_now(*env, operation) == asked)
    env->operations().remember({a.word(), b.word(), asked, result.word()});
  return result;
}

template <typename Result, typename Scalar>
[[gnu::hot, gnu::noinline]] Result remembered(Compute<Result, Scalar> compute, uint8_t operation,
                                              Scalar a, Scalar b) {
  if (const ShapeEnv* env = pool_of(a, b).shape_env()) [[likely]] {
    const uint64_t asked = asked_now(*env, operation);
    const OperationCache::Operation* known = env->operations().find(asked, a.word(), b.word());
    if (known != nullptr) [[likely]]
      return __builtin_bit_cast(Result, known->result);
  }
  return find_out(compute, operation, a, b);
}

SymInt make_int(ExprPool& pool, uint8_t operation, SymInt a, SymInt b) {
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  return pool.sym_int(pool.make(static_cast<ExprKind>(operation), left, right));
}

SymInt make_difference(ExprPool& pool, uint8_t, SymInt a, SymInt b) {
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  return pool.sym_int(pool.subtract(left, right));
}

SymInt make_remainder(ExprPool& pool, uint8_t, SymInt a, SymInt b) {
  const ExprNode* dividend = operand(pool, a);
  const ExprNode* divisor = operand(pool, b);
  ShapeEnv* env = pool.shape_env();
  return pool.sym_int(env == nullptr ? pool.python_mod(dividend, divisor)
                                     : env->python_mod(dividend, divisor));
}

SymBool make_comparison(ExprPool& pool, uint8_t operation, SymInt a, SymInt b) {
  const auto kind = static_cast<ExprKind>(operation);
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  // Python asks the symbolic side: 1 < s0 is written s0 > 1.
  if (!a.is_symbolic()) return pool.sym_bool(pool.make(mirrored_relation(kind), right, left));
  return pool.sym_bool(pool.make(kind, left, right));
}

SymBool make_connective(ExprPool& pool, uint8_t operation, SymBool a, SymBool b) {
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  return pool.sym_bool(pool.make(static_cast<ExprKind>(operation), left, right));
}

SymInt binary(ExprKind kind, SymInt a, SymInt b) {
  return remembered<SymInt, SymInt>(make_int, code(kind), a, b);
}

SymBool connective(ExprKind kind, SymBool a, SymBool b) {
  return remembered<SymBool, SymBool>(make_connective, code(kind), a, b);
}

ExprKind relation_kind(symbolic_detail::Comparison comparison) {
  constexpr std::array kKinds = {ExprKind::kEq, ExprKind::kNe, ExprKind::kLt,
                                 ExprKind::kLe, ExprKind::kGt, ExprKind::kGe};
  return kKinds[static_cast<size_t>(comparison)];
}

[[gnu::noinline]] bool decide_anew(const ExprNode* condition, std::optional<bool> fallback) {
  return shape_env_of(condition).evaluate_bool(condition, fallback);
}

// Decided before, at most layers.
[[gnu::hot, gnu::noinline]] bool decide(SymBool condition, std::optional<bool> fallback) {
  const ExprNode* node = condition.node();
  if (const ShapeEnv* env = node->pool->shape_env()) [[likely]] {
    if (const ExprNode* decided = env->decided(node, fallback)) [[likely]]
      return decided->is_true();
  }
  return decide_anew(node, fallback);
}

[[gnu::hot, gnu::noinline]] std::optional<int64_t> found_hint(const ExprNode* node) {
  ShapeEnv& env = shape_env_of(node);
  if (const std::optional<int64_t>* known = env.known_hint(node)) [[likely]]
    return *known;
  const std::optional<Number> number = env.hint(node);
  // ceil(inf) has a value that is no integer.
  return number && !number->is_float ? std::optional<int64_t>(number->integer) : std::nullopt;
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
  return remembered<SymInt, SymInt>(make_difference, kSubtraction, a, b);
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
  return remembered<SymInt, SymInt>(make_remainder, code(ExprKind::kMod), a, b);
}

SymInt max_cold(SymInt a, SymInt b) { return binary(ExprKind::kMax, a, b); }
SymInt min_cold(SymInt a, SymInt b) { return binary(ExprKind::kMin, a, b); }

SymBool compare_cold(Comparison comparison, SymInt a, SymInt b) {
  if (same_expr(a, b) && comparison <= Comparison::kNe) return comparison == Comparison::kEq;
  return remembered<SymBool, SymInt>(make_comparison, code(relation_kind(comparison)), a, b);
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

bool guard_bool_cold(SymBool condition) { return decide(condition, std::nullopt); }
bool guard_or_false_cold(SymBool condition) { return decide(condition, false); }
bool guard_or_true_cold(SymBool condition) { return decide(condition, true); }

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

std::optional<int64_t> hint_cold(SymInt value) { return found_hint(value.node()); }

}  // namespace symbolic_detail

namespace {

bool holds(Comparison comparison, int64_t a, int64_t b) {
  switch (comparison) {
    case Comparison::kEq:
      return a == b;
    case Comparison::kNe:
      return a != b;
    case Comparison::kLt:
      return a < b;
    case Comparison::kLe:
      return a <= b;
    case Comparison::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace

SymBool cpp_compare(Comparison comparison, SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return holds(comparison, a.as_int(), b.as_int());
  ExprPool& pool = pool_of(a, b);
  const ExprNode* left = operand(pool, a);
  const ExprNode* right = operand(pool, b);
  return pool.sym_bool(pool.make(relation_kind(comparison), left, right));
}

bool has_unbacked(SymInt value) { return value.is_symbolic() && value.node()->has(kHasUnbacked); }

std::string to_string(SymInt value) {
  if (!value.is_symbolic()) return std::to_string(value.as_int());
  return to_string(operand(*value.node()->pool, value));
}

std::string to_string(SymBool value) {
  if (value.is_symbolic()) return to_string(operand(*value.node()->pool, value));
  return value.as_bool() ? "True" : "False";
}

}  // namespace faketensor
