// Python's operators on numbers that may be symbolic: what `a // b`, `round(x)` or
// torch.sym_max(a, b) gives for an int, float or bool, or a SymInt, SymFloat or SymBool.
//
// Mirrors the operators of torch.SymInt, SymFloat and SymBool (torch/__init__.py and
// torch/fx/experimental/sym_node.py): which operand is promoted, which way a comparison is written
// (`1 < s0` is asked of s0 and so becomes s0 > 1), where Python would need the value itself and so
// guards (an exponent's sign, a bool that is added). A number remembers whether Python sees a
// symbolic object: s0 - s0 is a SymInt even though its expression is the constant 0.
//
//   PythonNumber half = apply(PythonBinary::kTrueDiv, SymInt(s0), SymInt(2));  // IntTrueDiv(s0, 2)
//   apply(PythonUnary::kInt, half);                                // TruncToInt(IntTrueDiv(s0, 2))
#pragma once

#include <optional>
#include <string_view>

#include "core/symbolic/expr.h"
#include "core/symbolic/sym_bool.h"
#include "core/symbolic/sym_float.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

// The message of torch._check without one.
inline constexpr std::string_view kCheckFailedText =
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please "
    "report an enhancement request to PyTorch.)";

class PythonNumber {
 public:
  PythonNumber() = default;
  // By the value's own kind: plain, or symbolic with its expression.
  PythonNumber(SymInt value);
  PythonNumber(SymFloat value);
  PythonNumber(SymBool value);
  // The symbolic object of an expression, which may be a constant. Its Python type need not be the
  // expression's: x - x of floats is a SymFloat that is the integer 0.
  static PythonNumber symbolic(const ExprNode* node, ExprType type);
  static PythonNumber symbolic(const ExprNode* node) { return symbolic(node, node->type); }

  ExprType type() const { return type_; }
  bool is_float() const { return type_ == ExprType::kFloat; }
  bool is_bool() const { return type_ == ExprType::kBool; }
  // Whether Python's object is symbolic; its expression may still be a constant.
  bool is_symbolic() const { return node_ != nullptr; }
  // Each accessor is valid only for its type.
  SymInt as_int() const;
  SymFloat as_float() const;
  SymBool as_bool() const;

  // The expression of the value in `pool`, replaced symbols seen as what replaced them.
  const ExprNode* node(ExprPool& pool) const;
  // The pool of its expression; null for a plain number.
  ExprPool* pool() const { return node_ == nullptr ? nullptr : node_->pool; }

 private:
  ExprType type_ = ExprType::kInt;
  const ExprNode* node_ = nullptr;  // of a symbolic number
  int64_t integer_ = 0;             // of a plain int, or bool
  double real_ = 0;
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
