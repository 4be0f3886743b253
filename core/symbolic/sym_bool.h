// SymBool: a truth value that may depend on symbolic sizes.
//
// Eight bytes: 0 is false, 1 is true, anything else is a tagged pointer to the ExprNode of a
// relation or of a boolean combination (same tag as SymInt, see sym_int.h). There is no conversion
// to bool: whoever needs a C++ bool says how an undecided condition is to be settled, with
// PyTorch's own functions (torch/fx/experimental/symbolic_shapes.py):
//
//   guard_bool(c)             decides with the hints and records a guard; unbacked: raises
//                             GuardOnDataDependentSymNode
//   guard_or_false(c)         as guard_bool, but false where only data can decide
//   guard_or_true(c)          as guard_bool, but true where only data can decide
//   statically_known_true(c)  true only if it holds for every value in range; never guards
//   expect_true(c)            the condition of torch._check: guards if backed, otherwise a deferred
//                             runtime assert is recorded and true returned
//
// Example:
//   if (guard_or_false(size == 1)) { ... }   // never raises, guards only on backed symbols
//
// All of them are one compare when the condition is a constant.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

namespace faketensor {

struct ExprNode;

namespace symbolic_detail {
// A word whose two highest bits are `10` carries a pointer in the other 62; see sym_int.h.
inline constexpr int64_t kMinPlainInt = -(int64_t{1} << 62);
inline constexpr uint64_t kPointerTag = uint64_t{1} << 63;

inline int64_t word_of(const ExprNode* node) {
  return static_cast<int64_t>(kPointerTag |
                              static_cast<uint64_t>(reinterpret_cast<uintptr_t>(node)));
}
inline const ExprNode* node_of(int64_t word) {
  return reinterpret_cast<const ExprNode*>(
      static_cast<uintptr_t>(static_cast<uint64_t>(word) & ~kPointerTag));
}
}  // namespace symbolic_detail

class SymBool {
 public:
  constexpr SymBool() = default;
  // Only from bool itself: an integer or a pointer is never silently a condition.
  template <std::same_as<bool> T>
  constexpr SymBool(T value) : word_(value ? 1 : 0) {}  // NOLINT(google-explicit-constructor)

  // The condition of a boolean expression node, which must not be a constant (ExprPool::sym_bool
  // folds those).
  static SymBool from_node(const ExprNode* node) {
    SymBool result;
    result.word_ = symbolic_detail::word_of(node);
    return result;
  }

  constexpr bool is_symbolic() const { return word_ < 0; }
  // The value of a constant; only if !is_symbolic().
  constexpr bool as_bool() const { return word_ != 0; }
  constexpr std::optional<bool> maybe_as_bool() const {
    return is_symbolic() ? std::nullopt : std::optional<bool>(as_bool());
  }
  // The expression; only if is_symbolic().
  const ExprNode* node() const { return symbolic_detail::node_of(word_); }

  constexpr int64_t word() const { return word_; }

 private:
  int64_t word_ = 0;
};
static_assert(sizeof(SymBool) == 8);

// Identity: the same constant, or the same expression of the same pool. Says nothing about values.
constexpr bool same_expr(SymBool a, SymBool b) { return a.word() == b.word(); }

namespace symbolic_detail {
// The symbolic cases, out of line and cold.
[[gnu::cold]] SymBool and_cold(SymBool a, SymBool b);
[[gnu::cold]] SymBool or_cold(SymBool a, SymBool b);
[[gnu::cold]] SymBool not_cold(SymBool a);
[[gnu::cold]] bool guard_bool_cold(SymBool condition);
[[gnu::cold]] bool guard_or_false_cold(SymBool condition);
[[gnu::cold]] bool guard_or_true_cold(SymBool condition);
[[gnu::cold]] bool guard_size_oblivious_cold(SymBool condition);
[[gnu::cold]] bool statically_known_true_cold(SymBool condition);
[[gnu::cold]] bool expect_true_cold(SymBool condition);
}  // namespace symbolic_detail

// Both operands are evaluated: these build an expression, they do not short-circuit.
inline SymBool sym_and(SymBool a, SymBool b) {
  if (!a.is_symbolic() && !b.is_symbolic()) return a.as_bool() && b.as_bool();
  return symbolic_detail::and_cold(a, b);
}
inline SymBool sym_or(SymBool a, SymBool b) {
  if (!a.is_symbolic() && !b.is_symbolic()) return a.as_bool() || b.as_bool();
  return symbolic_detail::or_cold(a, b);
}
inline SymBool sym_not(SymBool a) {
  if (!a.is_symbolic()) return !a.as_bool();
  return symbolic_detail::not_cold(a);
}

inline bool guard_bool(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::guard_bool_cold(condition)
                                 : condition.as_bool();
}
inline bool guard_or_false(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::guard_or_false_cold(condition)
                                 : condition.as_bool();
}
inline bool guard_or_true(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::guard_or_true_cold(condition)
                                 : condition.as_bool();
}
// As guard_bool, where size-like unbacked symbols are taken to be at least 2.
inline bool guard_size_oblivious(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::guard_size_oblivious_cold(condition)
                                 : condition.as_bool();
}
inline bool statically_known_true(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::statically_known_true_cold(condition)
                                 : condition.as_bool();
}
inline bool statically_known_false(SymBool condition) {
  return statically_known_true(sym_not(condition));
}
inline bool expect_true(SymBool condition) {
  return condition.is_symbolic() ? symbolic_detail::expect_true_cold(condition)
                                 : condition.as_bool();
}

// PyTorch's printing: "True", "Eq(u0, 3)", "s0 <= 4".
std::string to_string(SymBool value);

}  // namespace faketensor
