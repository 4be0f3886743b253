// SymFloat: a floating-point scalar that may depend on symbolic sizes (1 / sqrt(s0), a scale
// factor).
//
// Eight bytes: a double, or the tagged pointer to an ExprNode in the payload of a NaN that no
// computation produces (highest 16 bits 0xFFFC). Arithmetic follows Python: true division by zero
// raises ZeroDivisionError, rounding gives integers.
//
//   SymFloat scale = sym_float(1) / sym_sqrt(head_dim);
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "core/symbolic/sym_int.h"

namespace faketensor {

class SymFloat {
 public:
  SymFloat() : SymFloat(0.0) {}
  SymFloat(double value) {  // NOLINT(google-explicit-constructor)
    std::memcpy(&word_, &value, sizeof word_);
    // A NaN given with our tag becomes the common quiet NaN.
    if (is_symbolic()) word_ = kQuietNan;
  }
  // The value of a float expression node, which must not be a constant (sym_float_of folds those).
  static SymFloat from_node(const ExprNode* node) {
    SymFloat result;
    result.word_ = kTag | static_cast<uint64_t>(reinterpret_cast<uintptr_t>(node));
    return result;
  }

  bool is_symbolic() const { return (word_ & kTag) == kTag; }
  // The value of a constant; only if !is_symbolic().
  double as_double() const {
    double value = 0;
    std::memcpy(&value, &word_, sizeof value);
    return value;
  }
  std::optional<double> maybe_as_double() const {
    return is_symbolic() ? std::nullopt : std::optional<double>(as_double());
  }
  // The expression; only if is_symbolic().
  const ExprNode* node() const {
    return reinterpret_cast<const ExprNode*>(static_cast<uintptr_t>(word_ & ~kTag));
  }
  uint64_t word() const { return word_; }

 private:
  static constexpr uint64_t kTag = 0xFFFC'0000'0000'0000u;
  static constexpr uint64_t kQuietNan = 0x7FF8'0000'0000'0000u;
  uint64_t word_ = 0;
};
static_assert(sizeof(SymFloat) == 8);

// Identity: the same bits, or the same expression of the same pool.
inline bool same_expr(SymFloat a, SymFloat b) { return a.word() == b.word(); }

// The scalar of a float expression, a constant unpacked.
SymFloat sym_float_of(const ExprNode* node);

// torch.sym_float: the nearest double.
SymFloat sym_float(SymInt value);

SymFloat operator+(SymFloat a, SymFloat b);
SymFloat operator-(SymFloat a, SymFloat b);
SymFloat operator*(SymFloat a, SymFloat b);
// Raises ZeroDivisionError for the constant divisor 0.
SymFloat operator/(SymFloat a, SymFloat b);
SymFloat operator-(SymFloat a);
// Python's a / b of integers.
SymFloat int_true_div(SymInt a, SymInt b);
// Python's a ** b of floats.
SymFloat float_pow(SymFloat a, SymFloat b);
SymFloat sym_sqrt(SymFloat a);
SymFloat sym_max(SymFloat a, SymFloat b);
SymFloat sym_min(SymFloat a, SymFloat b);

// Python's int(x) (towards zero), math.floor, math.ceil and round(x) (halves to even). Raises
// OverflowError for a constant beyond 64 bits.
SymInt trunc_to_int(SymFloat a);
SymInt floor_to_int(SymFloat a);
SymInt ceil_to_int(SymFloat a);
SymInt round_to_int(SymFloat a);

SymBool operator==(SymFloat a, SymFloat b);
SymBool operator!=(SymFloat a, SymFloat b);
SymBool operator<(SymFloat a, SymFloat b);
SymBool operator<=(SymFloat a, SymFloat b);
SymBool operator>(SymFloat a, SymFloat b);
SymBool operator>=(SymFloat a, SymFloat b);

// The double itself; a symbolic value is specialised to its hint and a guard recorded. Raises
// GuardOnDataDependentSymNode if it depends on unbacked symbols.
double guard_float(SymFloat value);
// The value under the hints, without a guard; nothing if it depends on unbacked symbols.
std::optional<double> hint(SymFloat value);

// PyTorch's printing: "2.5", "IntTrueDiv(s0, 2)".
std::string to_string(SymFloat value);

// 0 or 1 by a condition that may be undecided.
SymInt sym_int(SymBool condition);
// Python's abs(x) and base ** exponent for an exponent >= 0 (raises ValueError for a negative
// constant).
SymInt sym_abs(SymInt value);
SymInt pow_by_natural(SymInt base, SymInt exponent);

}  // namespace faketensor
