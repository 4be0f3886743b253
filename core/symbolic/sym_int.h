// SymInt: an integer that may depend on symbolic sizes.
//
// Eight bytes, one word. A plain integer is any value in [-2^62, 2^63); a word below -2^62 (two
// highest bits `10`) carries a pointer to an ExprNode, as PyTorch's c10::SymInt does. So a static
// size costs what an int64_t costs: is_symbolic() is one compare, and arithmetic on two small
// non-negative operands is one test and the operation. Everything else (negative or large operands,
// overflow, expressions) is one call to a cold function. The expression knows its pool, and the
// pool its ShapeEnv: nothing is global, and SymInts of two environments never meet in one
// expression (checked).
//
// Arithmetic follows Python: floor_div and mod round towards minus infinity, division by zero
// raises ZeroDivisionError. Plain integers that leave the range raise OverflowError instead of
// wrapping.
//
// Comparison gives a SymBool, not a bool: see sym_bool.h for the ways to decide it. To ask whether
// two SymInts are the same word (the same number, or the same hash-consed expression), use
// same_expr.
//
// Example:
//   SymInt out = floor_div(in + 2 * padding - kernel, stride) + 1;
//   if (guard_bool(out <= 0)) ...
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#include "core/symbolic/sym_bool.h"

namespace faketensor {

namespace symbolic_detail {
[[noreturn, gnu::cold]] void throw_out_of_range();
}

class SymInt {
 public:
  constexpr SymInt() = default;
  // Implicit from every integer type, so that sizes mix with literals; never from bool or floating
  // point.
  template <std::integral T>
  requires(!std::same_as<T, bool>) constexpr SymInt(T value)
      : word_(static_cast<int64_t>(value)) {  // NOLINT(google-explicit-constructor)
    if constexpr (sizeof(T) >= sizeof(int64_t)) {
      if constexpr (std::is_unsigned_v<T>) {
        if (word_ < 0) symbolic_detail::throw_out_of_range();
      } else {
        if (word_ < symbolic_detail::kMinPlainInt) symbolic_detail::throw_out_of_range();
      }
    }
  }

  // A plain integer known to be in range, unchecked.
  static constexpr SymInt plain(int64_t value) {
    SymInt result;
    result.word_ = value;
    return result;
  }
  // The value of an integer expression node, which must not be a constant (ExprPool::sym_int folds
  // those).
  static SymInt from_node(const ExprNode* node) {
    SymInt result;
    result.word_ = symbolic_detail::word_of(node);
    return result;
  }

  constexpr bool is_symbolic() const { return word_ < symbolic_detail::kMinPlainInt; }
  // The value of a plain integer; only if !is_symbolic().
  constexpr int64_t as_int() const { return word_; }
  constexpr std::optional<int64_t> maybe_as_int() const {
    return is_symbolic() ? std::nullopt : std::optional<int64_t>(word_);
  }
  // The expression; only if is_symbolic().
  const ExprNode* node() const { return symbolic_detail::node_of(word_); }

  // The word itself: equal words are equal values of one environment (for hashing and interning).
  constexpr int64_t word() const { return word_; }

  SymInt& operator+=(SymInt other);
  SymInt& operator-=(SymInt other);
  SymInt& operator*=(SymInt other);

 private:
  int64_t word_ = 0;
};
static_assert(sizeof(SymInt) == 8 && std::is_trivially_copyable_v<SymInt>);

// Identity: the same integer, or the same expression of the same pool. Never guards.
constexpr bool same_expr(SymInt a, SymInt b) { return a.word() == b.word(); }

namespace symbolic_detail {

enum class Comparison : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

// Everything but the inline case: negative or large plain operands (checked) and expressions.
[[gnu::cold]] SymInt add_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt subtract_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt multiply_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt floor_div_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt mod_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt max_cold(SymInt a, SymInt b);
[[gnu::cold]] SymInt min_cold(SymInt a, SymInt b);
[[gnu::cold]] SymBool compare_cold(Comparison comparison, SymInt a, SymInt b);
[[gnu::cold]] SymInt select_cold(SymBool condition, SymInt if_true, SymInt if_false);
[[gnu::cold]] int64_t guard_int_cold(SymInt value);
[[gnu::cold]] std::optional<int64_t> hint_cold(SymInt value);

// Both in [0, 2^31): neither their sum nor their product can overflow. One test; and it avoids
// __builtin_mul_overflow, which is a 128-bit library call in wasm.
constexpr bool both_small(SymInt a, SymInt b) {
  return (static_cast<uint64_t>(a.word() | b.word()) >> 31) == 0;
}
constexpr bool both_plain(SymInt a, SymInt b) { return !a.is_symbolic() && !b.is_symbolic(); }

}  // namespace symbolic_detail

inline SymInt operator+(SymInt a, SymInt b) {
  if (symbolic_detail::both_small(a, b)) return SymInt::plain(a.as_int() + b.as_int());
  return symbolic_detail::add_cold(a, b);
}
inline SymInt operator-(SymInt a, SymInt b) {
  if (symbolic_detail::both_small(a, b)) return SymInt::plain(a.as_int() - b.as_int());
  return symbolic_detail::subtract_cold(a, b);
}
inline SymInt operator*(SymInt a, SymInt b) {
  if (symbolic_detail::both_small(a, b)) return SymInt::plain(a.as_int() * b.as_int());
  return symbolic_detail::multiply_cold(a, b);
}
inline SymInt operator-(SymInt a) { return SymInt(0) - a; }

inline SymInt& SymInt::operator+=(SymInt other) { return *this = *this + other; }
inline SymInt& SymInt::operator-=(SymInt other) { return *this = *this - other; }
inline SymInt& SymInt::operator*=(SymInt other) { return *this = *this * other; }

// Python's a // b. Raises ZeroDivisionError if b is the constant 0.
inline SymInt floor_div(SymInt a, SymInt b) {
  if (symbolic_detail::both_small(a, b) && b.as_int() != 0) {
    return static_cast<int32_t>(a.as_int()) / static_cast<int32_t>(b.as_int());
  }
  return symbolic_detail::floor_div_cold(a, b);
}
// Python's a % b: the sign of the result is that of b. Raises ZeroDivisionError if b is the
// constant 0.
inline SymInt mod(SymInt a, SymInt b) {
  if (symbolic_detail::both_small(a, b) && b.as_int() != 0) {
    return static_cast<int32_t>(a.as_int()) % static_cast<int32_t>(b.as_int());
  }
  return symbolic_detail::mod_cold(a, b);
}
// The least integer not below a / b, written as PyTorch's rules write it: (a + b - 1) // b.
inline SymInt ceil_div(SymInt a, SymInt b) { return floor_div(a + b - 1, b); }

// torch.sym_max and torch.sym_min.
inline SymInt sym_max(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() < b.as_int() ? b : a;
  return symbolic_detail::max_cold(a, b);
}
inline SymInt sym_min(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return b.as_int() < a.as_int() ? b : a;
  return symbolic_detail::min_cold(a, b);
}
// torch.sym_ite: one of the two values by a condition that may be undecided.
inline SymInt sym_ite(SymBool condition, SymInt if_true, SymInt if_false) {
  if (!condition.is_symbolic()) return condition.as_bool() ? if_true : if_false;
  return symbolic_detail::select_cold(condition, if_true, if_false);
}

inline SymBool operator==(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() == b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kEq, a, b);
}
inline SymBool operator!=(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() != b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kNe, a, b);
}
inline SymBool operator<(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() < b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kLt, a, b);
}
inline SymBool operator<=(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() <= b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kLe, a, b);
}
inline SymBool operator>(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() > b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kGt, a, b);
}
inline SymBool operator>=(SymInt a, SymInt b) {
  if (symbolic_detail::both_plain(a, b)) return a.as_int() >= b.as_int();
  return symbolic_detail::compare_cold(symbolic_detail::Comparison::kGe, a, b);
}

// The integer itself; a symbolic value is specialised to its hint and a guard recorded. Raises
// GuardOnDataDependentSymNode if the value depends on unbacked symbols.
inline int64_t guard_int(SymInt value) {
  return value.is_symbolic() ? symbolic_detail::guard_int_cold(value) : value.as_int();
}
// Whether an unbacked symbol is a part of it.
bool has_unbacked(SymInt value);
// The value under the hints, without a guard; nothing if it depends on unbacked symbols.
inline std::optional<int64_t> hint(SymInt value) {
  return value.is_symbolic() ? symbolic_detail::hint_cold(value)
                             : std::optional<int64_t>(value.as_int());
}

// PyTorch's printing: "12", "48*s53", "(s53//2) + 1".
std::string to_string(SymInt value);

}  // namespace faketensor

template <>
struct std::hash<faketensor::SymInt> {
  size_t operator()(faketensor::SymInt value) const noexcept {
    // Fibonacci hashing: sizes are small and often multiples of a power of two.
    return static_cast<size_t>((static_cast<uint64_t>(value.word()) * 0x9E3779B97F4A7C15u) >> 17);
  }
};
