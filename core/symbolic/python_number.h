// Python's operators on numbers that may be symbolic: what `a // b`, `round(x)` or
// torch.sym_max(a, b) gives for an int, float or bool, or a SymInt, SymFloat or SymBool.
//
// Mirrors the operators of torch.SymInt, SymFloat and SymBool (torch/__init__.py and
// torch/fx/experimental/sym_node.py): which operand is promoted, which way a comparison is written
// (`1 < s0` is asked of s0 and so becomes s0 > 1), where Python would need the value itself and so
// guards (an exponent's sign, a bool that is added). A number remembers whether Python sees a
// symbolic object: s0 - s0 is a SymInt even though its expression is the constant 0.
//
//   PythonNumber half = apply(PythonBinary::kTrueDiv, SymInt(s0), SymInt(2));   // IntTrueDiv(s0,
//   2) apply(PythonUnary::kInt, half);                              // TruncToInt(IntTrueDiv(s0,
//   2))
#pragma once

#include <optional>
#include <string_view>

#include "core/symbolic/expr.h"
#include "core/symbolic/sym_bool.h"
#include "core/symbolic/sym_float.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

class PythonNumber {
 public:
  PythonNumber() = default;
  // By the value's own kind: plain, or symbolic with its expression.
  PythonNumber(SymInt value)
      : type_(ExprType::kInt), symbolic_(value.is_symbolic()), integer_(value) {}
  PythonNumber(SymFloat value)
      : type_(ExprType::kFloat), symbolic_(value.is_symbolic()), real_(value) {}
  PythonNumber(SymBool value)
      : type_(ExprType::kBool), symbolic_(value.is_symbolic()), boolean_(value) {}
  // The symbolic object of an expression, which may be a constant.
  static PythonNumber symbolic(const ExprNode* node);

  ExprType type() const { return type_; }
  bool is_float() const { return type_ == ExprType::kFloat; }
  bool is_bool() const { return type_ == ExprType::kBool; }
  // Whether Python's object is symbolic; its expression may still be a constant.
  bool is_symbolic() const { return symbolic_; }
  // Each accessor is valid only for its type.
  SymInt as_int() const { return integer_; }
  SymFloat as_float() const { return real_; }
  SymBool as_bool() const { return boolean_; }

  // The expression of the value in `pool`, replaced symbols seen as what replaced them.
  const ExprNode* node(ExprPool& pool) const;
  // The pool of its expression; null for a constant.
  ExprPool* pool() const;

  // The same number as a result of symbolic operands.
  PythonNumber marked_symbolic(bool symbolic) const {
    PythonNumber result = *this;
    result.symbolic_ = symbolic;
    return result;
  }

 private:
  ExprType type_ = ExprType::kInt;
  bool symbolic_ = false;
  SymInt integer_ = 0;
  SymFloat real_ = 0.0;
  SymBool boolean_ = false;
};

enum class PythonUnary : uint8_t {
  kPos,
  kNeg,
  kAbs,
  kNot,    // torch.sym_not
  kFloat,  // torch.sym_float
  kInt,    // torch.sym_int: towards zero
  kFloor,
  kCeil,
  kTrunc,
  kRound,
  kSqrt,  // torch.sym_sqrt
};

enum class PythonBinary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kTrueDiv,
  kFloorDiv,
  kMod,
  kPow,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr,
  kShiftLeft,
  kShiftRight,
  kMax,  // torch.sym_max
  kMin,
};

// Raise Python's errors: ZeroDivisionError, ValueError, OverflowError, TypeError.
PythonNumber apply(PythonUnary op, const PythonNumber& a);
PythonNumber apply(PythonBinary op, const PythonNumber& a, const PythonNumber& b);
// torch.sym_ite(condition, a, b).
PythonNumber select(const PythonNumber& condition, const PythonNumber& a, const PythonNumber& b);

// The operator of a short name: "floordiv", "le", "max", "lshift", "bitand"; "neg", "sqrt", ...
std::optional<PythonUnary> python_unary(std::string_view name);
std::optional<PythonBinary> python_binary(std::string_view name);

// What Python prints for type(number): "<class 'torch.SymInt'>", "<class 'int'>".
std::string_view python_type_text(const PythonNumber& number);

}  // namespace faketensor
