#include "core/symbolic/guard_printer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/support/format.h"
#include "core/symbolic/display_order.h"
#include "core/symbolic/precedence.h"

namespace faketensor {
namespace {

int compare_values(int64_t a, int64_t b) { return a < b ? -1 : (a > b ? 1 : 0); }

// The place of an expression's class in sympy.core.core.ordering_of_classes; classes that are not
// there come last, by name.
int printing_rank(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
      if (node->is_integer(0)) return 0;
      if (node->is_integer(1)) return 1;
      return node->is_integer(-1) ? 2 : 3;
    case ExprKind::kFloat:
      return 4;
    case ExprKind::kSymbol:
      return 5;
    case ExprKind::kPow:
      return 6;
    case ExprKind::kMul:
      return 7;
    case ExprKind::kAdd:
      return 8;
    case ExprKind::kAbs:
      return 9;
    case ExprKind::kEq:
      return 10;
    case ExprKind::kNe:
      return 11;
    case ExprKind::kGt:
      return 12;
    case ExprKind::kLt:
      return 13;
    case ExprKind::kGe:
      return 14;
    case ExprKind::kLe:
      return 15;
    default:
      return 16;
  }
}

// How many assumptions follow from those a symbol was made with: sympy compares their number before
// the names.
int assumption_rank(const SymbolInfo& info) {
  if (info.type != ExprType::kInt) return 0;
  return info.positive ? 2 : 1;
}

int compare_symbols(const ExprNode* a, const ExprNode* b) {
  const SymbolInfo& left = a->pool->symbol_info(a);
  const SymbolInfo& right = b->pool->symbol_info(b);
  const int ranks = compare_values(assumption_rank(left), assumption_rank(right));
  return ranks != 0 ? ranks : left.name.compare(right.name);
}

// The arguments as sympy has them: the number of a sum or product first, an exponent last.
std::vector<const ExprNode*> sympy_args(const ExprNode* node) {
  std::vector<const ExprNode*> args(node->args().begin(), node->args().end());
  const bool is_sum = node->kind == ExprKind::kAdd;
  if (is_sum || node->kind == ExprKind::kMul) {
    std::sort(args.begin(), args.end(),
              [](const ExprNode* a, const ExprNode* b) { return compare_basic(a, b) < 0; });
    if (!node->number.is_integer(is_sum ? 0 : 1))
      args.insert(args.begin(), node->pool->number(node->number));
  } else if (node->kind == ExprKind::kPow) {
    args.push_back(node->pool->number(node->number));
  } else if (node->kind == ExprKind::kMax || node->kind == ExprKind::kMin ||
             node->kind == ExprKind::kAnd || node->kind == ExprKind::kOr) {
    args = ordered_by_size(node->args());
  }
  return args;
}

class PythonPrinter {
 public:
  explicit PythonPrinter(const SymbolText& symbol_text) : symbol_text_(symbol_text) {}

  std::string text(const ExprNode* node) const {
    switch (node->kind) {
      case ExprKind::kInteger:
        return std::to_string(node->number.integer);
      case ExprKind::kFloat:
        return format("{}", node->number.real);
      case ExprKind::kBoolean:
        return node->is_true() ? "True" : "False";
      case ExprKind::kSymbol:
        return symbol_text_(node);
      case ExprKind::kPow:
        return joined(
            std::vector<const ExprNode*>(static_cast<size_t>(node->number.integer), node->arg(0)),
            "*", kPrecedenceMul);
      case ExprKind::kFloorDiv:
      case ExprKind::kCleanDiv:
        return joined(sympy_args(node), " // ", kPrecedenceBelowAtom);
      case ExprKind::kModularIndexing:
        return modular_indexing(node);
      case ExprKind::kFloatTrueDiv:
        return "(" + joined(sympy_args(node), " / ", kPrecedenceBelowAtom) + ")";
      case ExprKind::kWhere:
        return format("({} if {} else {})", text(node->arg(1)), text(node->arg(0)),
                      text(node->arg(2)));
      case ExprKind::kNot:
        return format("not ({})", text(node->arg(0)));
      default:
        break;
    }
    if (const Operator* infix = infix_operator(node->kind)) {
      const int level = infix->level != 0 ? infix->level : print_precedence(node);
      return joined(sympy_args(node), infix->sign, level);
    }
    return call(node);
  }

 private:
  struct Operator {
    ExprKind kind;
    std::string_view sign;
    int level;  // 0: that of the expression itself
  };

  static const Operator* infix_operator(ExprKind kind) {
    static constexpr Operator kOperators[] = {
        {ExprKind::kAdd, " + ", 0},
        {ExprKind::kMul, "*", 0},
        {ExprKind::kEq, " == ", 0},
        {ExprKind::kNe, " != ", 0},
        {ExprKind::kLt, " < ", 0},
        {ExprKind::kLe, " <= ", 0},
        {ExprKind::kGt, " > ", 0},
        {ExprKind::kGe, " >= ", 0},
        {ExprKind::kAnd, " and ", 0},
        {ExprKind::kOr, " or ", 0},
        {ExprKind::kMod, " % ", kPrecedenceBelowAtom},
        {ExprKind::kPythonMod, " % ", kPrecedenceBelowAtom},
        {ExprKind::kIntTrueDiv, " / ", kPrecedenceBelowAtom},
        {ExprKind::kFloatPow, " ** ", kPrecedencePow},
        {ExprKind::kPowByNatural, " ** ", kPrecedencePow},
        {ExprKind::kBitAnd, " & ", kPrecedenceBitAnd},
        {ExprKind::kBitOr, " | ", kPrecedenceBitOr},
        {ExprKind::kBitXor, " ^ ", kPrecedenceBitXor},
    };
    const auto* found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                     [kind](const Operator& op) { return op.kind == kind; });
    return found == std::end(kOperators) ? nullptr : found;
  }

  static std::string_view python_function(ExprKind kind) {
    switch (kind) {
      case ExprKind::kMax:
        return "max";
      case ExprKind::kMin:
        return "min";
      case ExprKind::kAbs:
        return "abs";
      case ExprKind::kFloorToInt:
        return "math.floor";
      case ExprKind::kCeilToInt:
        return "math.ceil";
      case ExprKind::kTruncToInt:
        return "math.trunc";
      case ExprKind::kRoundToInt:
      case ExprKind::kRoundDecimal:
        return "round";
      case ExprKind::kToFloat:
        return "torch.sym_float";
      case ExprKind::kSqrt:
        return "torch._sym_sqrt";
      default:
        return function_name(kind);
    }
  }

  std::string parenthesized(const ExprNode* node, int level) const {
    return print_precedence(node) <= level ? "(" + text(node) + ")" : text(node);
  }

  std::string joined(const std::vector<const ExprNode*>& args, std::string_view separator,
                     int level) const {
    std::string out;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) out += separator;
      out += parenthesized(args[i], level);
    }
    return out;
  }

  std::string modular_indexing(const ExprNode* node) const {
    std::string base = parenthesized(node->arg(0), kPrecedenceBelowAtom);
    if (!node->arg(1)->is_integer(1)) {
      base = format("({} // {})", base, parenthesized(node->arg(1), kPrecedenceBelowAtom));
    }
    return format("({} % {})", base, parenthesized(node->arg(2), kPrecedenceBelowAtom));
  }

  std::string call(const ExprNode* node) const {
    std::string out = format("{}(", python_function(node->kind));
    const std::vector<const ExprNode*> args = sympy_args(node);
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) out += ", ";
      out += text(args[i]);
    }
    return out + ")";
  }

  const SymbolText& symbol_text_;
};

}  // namespace

int compare_basic(const ExprNode* a, const ExprNode* b) {
  if (a == b) return 0;
  const int classes = compare_values(printing_rank(a), printing_rank(b));
  if (classes != 0) return classes;
  if (a->kind != b->kind) return function_name(a->kind).compare(function_name(b->kind));
  if (a->kind == ExprKind::kSymbol) return compare_symbols(a, b);
  if (a->is_constant()) return compare(a->number, b->number);
  const std::vector<const ExprNode*> left = sympy_args(a);
  const std::vector<const ExprNode*> right = sympy_args(b);
  if (left.size() != right.size()) return left.size() < right.size() ? -1 : 1;
  for (size_t i = 0; i < left.size(); ++i) {
    const int order = compare_basic(left[i], right[i]);
    if (order != 0) return order;
  }
  return 0;
}

std::string python_text(const ExprNode* node, const SymbolText& symbol_text) {
  return PythonPrinter(symbol_text).text(node);
}

}  // namespace faketensor
