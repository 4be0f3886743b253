// The text of expressions, as sympy's str and srepr give it for PyTorch's expressions.
// The order of terms, factors and arguments is display_order.h's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/symbolic/display_order.h"
#include "core/symbolic/expr.h"
#include "core/symbolic/precedence.h"

namespace faketensor {

namespace {

// --- text ---

// sympy's Float at 15 digits, zeros stripped as inside an expression: "3.0", "0.1", "1.0e-5".
void append_float(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-oo" : "oo";
    return;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  const std::string_view digits = text;
  const size_t exponent = digits.find('e');
  if (exponent == std::string_view::npos) {
    out += digits;
    if (digits.find('.') == std::string_view::npos) out += ".0";
    return;
  }
  out += digits.substr(0, exponent);
  if (digits.substr(0, exponent).find('.') == std::string_view::npos) out += ".0";
  out += 'e';
  const long power = std::strtol(text + exponent + 1, nullptr, 10);
  if (power > 0) out += '+';
  out += std::to_string(power);
}

void append_expr(std::string& out, const ExprNode* node);

void append_parenthesized(std::string& out, const ExprNode* node, int level) {
  const bool needs = print_precedence(node) <= level;
  if (needs) out += '(';
  append_expr(out, node);
  if (needs) out += ')';
}

void append_sum(std::string& out, const ExprNode* sum) {
  bool first = true;
  for (const ExprNode* term : ordered_terms(sum)) {
    std::string text;
    append_expr(text, term);
    const bool negative = text[0] == '-';
    if (negative) text.erase(0, 1);
    if (print_precedence(term) < kPrecedenceAdd) text = "(" + text + ")";
    if (first) {
      out += negative ? "-" : "";
    } else {
      out += negative ? " - " : " + ";
    }
    out += text;
    first = false;
  }
}

void append_product(std::string& out, const ExprNode* product) {
  const int level = print_precedence(product);
  Number coefficient = product->number;
  if (coefficient.negative()) {
    out += '-';
    coefficient = coefficient * Number::of(-1);
  }
  bool first = true;
  if (!coefficient.is_integer(1)) {
    append_expr(out, product->pool->number(coefficient));
    first = false;
  }
  std::vector<const ExprNode*> factors(product->args().begin(), product->args().end());
  std::sort(factors.begin(), factors.end(), displayed_before);
  for (const ExprNode* factor : factors) {
    if (!first) out += '*';
    append_parenthesized(out, factor, level);
    first = false;
  }
}

void append_list(std::string& out, std::span<const ExprNode* const> args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) out += ", ";
    append_expr(out, args[i]);
  }
}

void append_joined(std::string& out, std::span<const ExprNode* const> args,
                   std::string_view separator, int level) {
  bool first = true;
  for (const ExprNode* arg : ordered_by_size(args)) {
    if (!first) out += separator;
    append_parenthesized(out, arg, level);
    first = false;
  }
}

std::string_view relation_sign(ExprKind kind) {
  switch (kind) {
    case ExprKind::kLt:
      return " < ";
    case ExprKind::kLe:
      return " <= ";
    case ExprKind::kGt:
      return " > ";
    default:
      return " >= ";
  }
}

void append_expr(std::string& out, const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
      out += std::to_string(node->number.integer);
      break;
    case ExprKind::kFloat:
      append_float(out, node->number.real);
      break;
    case ExprKind::kBoolean:
      out += node->is_true() ? "True" : "False";
      break;
    case ExprKind::kSymbol:
      out += node->pool->symbol_info(node).name;
      break;
    case ExprKind::kAdd:
      append_sum(out, node);
      break;
    case ExprKind::kMul:
      append_product(out, node);
      break;
    case ExprKind::kPow:
      append_parenthesized(out, node->arg(0), kPrecedencePow);
      out += "**";
      out += std::to_string(node->number.integer);
      break;
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      out += '(';
      append_parenthesized(out, node->arg(0), kPrecedenceBelowAtom);
      out += "//";
      append_parenthesized(out, node->arg(1), kPrecedenceBelowAtom);
      out += ')';
      break;
    case ExprKind::kWhere:
      out += "Piecewise((";
      append_expr(out, node->arg(1));
      out += ", ";
      append_expr(out, node->arg(0));
      out += "), (";
      append_expr(out, node->arg(2));
      out += ", True))";
      break;
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe:
      append_parenthesized(out, node->arg(0), kPrecedenceRelational);
      out += relation_sign(node->kind);
      append_parenthesized(out, node->arg(1), kPrecedenceRelational);
      break;
    case ExprKind::kAnd:
      append_joined(out, node->args(), " & ", kPrecedenceBitAnd);
      break;
    case ExprKind::kOr:
      append_joined(out, node->args(), " | ", kPrecedenceBitOr);
      break;
    case ExprKind::kNot:
      out += '~';
      append_parenthesized(out, node->arg(0), kPrecedenceNot);
      break;
    default: {
      std::vector<const ExprNode*> args(node->args().begin(), node->args().end());
      if (node->kind == ExprKind::kMax || node->kind == ExprKind::kMin) {
        std::sort(args.begin(), args.end(), displayed_before);
      }
      out += function_name(node->kind);
      out += '(';
      append_list(out, args);
      out += ')';
      break;
    }
  }
}

// --- constructor form ---

void append_constructor(std::string& out, const ExprNode* node);

void append_call(std::string& out, std::string_view name, std::span<const ExprNode* const> args) {
  out += name;
  out += '(';
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) out += ", ";
    append_constructor(out, args[i]);
  }
  out += ')';
}

std::string_view constructor_name(ExprKind kind) {
  if (kind == ExprKind::kEq) return "Equality";
  if (kind == ExprKind::kNe) return "Unequality";
  return function_name(kind);
}

void append_constructor(std::string& out, const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
      out += "Integer(" + std::to_string(node->number.integer) + ")";
      break;
    case ExprKind::kFloat: {
      char text[40];
      std::snprintf(text, sizeof text, "%.17g", node->number.real);
      out += "Float('" + std::string(text) + "', precision=53)";
      break;
    }
    case ExprKind::kBoolean:
      out += node->is_true() ? "true" : "false";
      break;
    case ExprKind::kSymbol: {
      const SymbolInfo& info = node->pool->symbol_info(node);
      out += "Symbol('" + info.name + "'";
      if (info.positive) out += ", positive=True";
      if (info.type == ExprType::kInt) out += ", integer=True";
      if (info.type == ExprType::kFloat) out += ", real=True";
      out += ')';
      break;
    }
    case ExprKind::kAdd:
      append_call(out, "Add", ordered_terms(node));
      break;
    case ExprKind::kMul:
      append_call(out, "Mul", ordered_factors(node));
      break;
    case ExprKind::kPow: {
      const ExprNode* args[] = {node->arg(0), node->pool->integer(node->number.integer)};
      append_call(out, "Pow", args);
      break;
    }
    case ExprKind::kWhere:
      out += "Piecewise(ExprCondPair(";
      append_constructor(out, node->arg(1));
      out += ", ";
      append_constructor(out, node->arg(0));
      out += "), ExprCondPair(";
      append_constructor(out, node->arg(2));
      out += ", true))";
      break;
    case ExprKind::kMax:
    case ExprKind::kMin:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      append_call(out, function_name(node->kind), ordered_by_size(node->args()));
      break;
    default:
      append_call(out, constructor_name(node->kind), node->args());
      break;
  }
}

}  // namespace

std::string to_string(const ExprNode* node) {
  std::string out;
  if (node->kind == ExprKind::kFloat && std::isfinite(node->number.real)) {
    // A number by itself keeps its 15 digits, "2.00000000000000", unless it is zero.
    if (node->number.real == 0) return "0.0";
    char text[40];
    std::snprintf(text, sizeof text, "%#.15g", node->number.real);
    return text;
  }
  append_expr(out, node);
  return out;
}

std::string to_constructor_string(const ExprNode* node) {
  std::string out;
  append_constructor(out, node);
  return out;
}

}  // namespace faketensor
