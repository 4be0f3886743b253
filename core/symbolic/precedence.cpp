#include "core/symbolic/precedence.h"

#include <algorithm>

namespace faketensor {

int print_precedence(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
      return node->number.negative() ? kPrecedenceAdd : kPrecedenceAtom;
    case ExprKind::kAdd:
      return kPrecedenceAdd;
    case ExprKind::kMul: {
      const bool low_function =
          std::any_of(node->args().begin(), node->args().end(), [](const ExprNode* arg) {
            return arg->kind != ExprKind::kAdd && !is_relation(arg->kind) &&
                   print_precedence(arg) < kPrecedenceMul;
          });
      return node->number.negative() && !low_function ? kPrecedenceAdd : kPrecedenceMul;
    }
    case ExprKind::kPow:
    case ExprKind::kFloatPow:
      return kPrecedencePow;
    case ExprKind::kPowByNatural:
    case ExprKind::kEq:
    case ExprKind::kNe:
      return kPrecedenceMul;
    case ExprKind::kFloorDiv:
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
    case ExprKind::kModularIndexing:
    case ExprKind::kCleanDiv:
    case ExprKind::kIntTrueDiv:
    case ExprKind::kFloatTrueDiv:
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe:
      return kPrecedenceRelational;
    case ExprKind::kBitAnd:
      return kPrecedenceBitAnd;
    case ExprKind::kBitOr:
      return kPrecedenceBitOr;
    case ExprKind::kBitXor:
      return kPrecedenceBitXor;
    case ExprKind::kAnd:
      return kPrecedenceAnd;
    case ExprKind::kOr:
      return kPrecedenceOr;
    case ExprKind::kNot:
      return kPrecedenceNot;
    case ExprKind::kSymbol:
    case ExprKind::kBoolean:
    case ExprKind::kMax:
    case ExprKind::kMin:
      return kPrecedenceAtom;
    default:
      return kPrecedenceFunction;
  }
}

}  // namespace faketensor
