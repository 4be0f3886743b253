// The text of expressions, as sympy's str and srepr give it for PyTorch's expressions.
//
// Note [Order of printed terms]
// sympy prints the terms of a sum by descending exponents of their factors, the factors compared in
// its default_sort_key order (Expr.as_ordered_terms); the factors of a product in default_sort_key
// order; the arguments of Max and Min likewise; those of And and Or smaller first
// (sympy.core.sorting.ordered). default_sort_key compares class, then arguments, exponent,
// coefficient. Our nodes keep their arguments in order of creation, so the order is found here,
// when someone reads.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/symbolic/expr.h"

namespace faketensor {

namespace {

// sympy.printing.precedence.PRECEDENCE.
constexpr int kPrecedenceOr = 20;
constexpr int kPrecedenceAnd = 30;
constexpr int kPrecedenceRelational =
    35;  // also of FloorDiv, Mod and the true divisions, by their own `precedence`
constexpr int kPrecedenceBitOr = 36;
constexpr int kPrecedenceBitXor = 37;
constexpr int kPrecedenceBitAnd = 38;
constexpr int kPrecedenceAdd = 40;
constexpr int kPrecedenceMul = 50;
constexpr int kPrecedencePow = 60;
constexpr int kPrecedenceFunction = 70;
constexpr int kPrecedenceNot = 100;
constexpr int kPrecedenceBelowAtom = 999;
constexpr int kPrecedenceAtom = 1000;

// A product read as coefficient * factors; anything else has the coefficient 1 and itself as
// factor.
struct Product {
  Number coefficient = Number::of(1);
  std::vector<const ExprNode*> factors;
};

Product as_product(const ExprNode* node) {
  if (node->is_number()) return {node->number, {}};
  if (node->kind != ExprKind::kMul) return {Number::of(1), {node}};
  return {node->number, {node->args().begin(), node->args().end()}};
}

// --- order
// ---------------------------------------------------------------------------------------------------------------------

struct ClassKey {
  int group;
  int index;
  std::string_view name;
};

ClassKey class_key(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
      return {1, 0, "Number"};
    case ExprKind::kSymbol:
      return {2, 0, "Symbol"};
    case ExprKind::kMul:
      return {3, 0, "Mul"};
    case ExprKind::kAdd:
      return {3, 1, "Add"};
    case ExprKind::kPow:
      return {3, 2, "Pow"};
    case ExprKind::kWhere:
      return {4, 0, "Piecewise"};
    case ExprKind::kMax:
      return {5, 0, "Max"};
    case ExprKind::kMin:
      return {5, 0, "Min"};
    case ExprKind::kEq:
      return {5, 0, "Equality"};
    case ExprKind::kNe:
      return {5, 0, "Unequality"};
    case ExprKind::kBoolean:
      return {5, 0, node->is_true() ? "BooleanTrue" : "BooleanFalse"};
    case ExprKind::kLt:
    case ExprKind::kLe:
    case ExprKind::kGt:
    case ExprKind::kGe:
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kNot:
      return {5, 0, function_name(node->kind)};
    default:
      return {4, 10000, function_name(node->kind)};
  }
}

std::vector<const ExprNode*> ordered_terms(const ExprNode* sum);
std::vector<const ExprNode*> ordered_factors(const ExprNode* product);

int compare_ints(int64_t a, int64_t b) { return (a > b) - (a < b); }

int compare_class(const ExprNode* a, const ExprNode* b) {
  const ClassKey left = class_key(a);
  const ClassKey right = class_key(b);
  if (const int order = compare_ints(left.group, right.group)) return order;
  if (const int order = compare_ints(left.index, right.index)) return order;
  return left.name.compare(right.name);
}

int compare_lists(const std::vector<const ExprNode*>& a, const std::vector<const ExprNode*>& b) {
  if (const int order =
          compare_ints(static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())))
    return order;
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare_display_order(a[i], b[i])) return order;
  }
  return 0;
}

// The key of an expression without its coefficient: the factors of a product, otherwise one node
// and its exponent.
struct SortParts {
  Number coefficient = Number::of(1);
  const ExprNode* product = nullptr;  // a product of several factors
  const ExprNode* base = nullptr;     // or a single factor ...
  int64_t exponent = 1;               // ... and its exponent
};

SortParts sort_parts(const ExprNode* node) {
  SortParts parts;
  const ExprNode* single = node;
  if (node->kind == ExprKind::kMul) {
    parts.coefficient = node->number;
    if (node->arg_count > 1) {
      parts.product = node;
      return parts;
    }
    single = node->arg(0);
  }
  parts.base = single;
  if (single->kind == ExprKind::kPow) {
    parts.base = single->arg(0);
    parts.exponent = single->number.integer;
  }
  return parts;
}

std::vector<const ExprNode*> key_arguments(const SortParts& parts) {
  if (parts.product != nullptr) return ordered_factors(parts.product);
  const ExprNode* base = parts.base;
  if (base->kind == ExprKind::kAdd) return ordered_terms(base);
  if (base->kind == ExprKind::kMul) return ordered_factors(base);
  std::vector<const ExprNode*> args(base->args().begin(), base->args().end());
  if (base->kind == ExprKind::kMax || base->kind == ExprKind::kMin) {
    std::sort(args.begin(), args.end(),
              [](auto* a, auto* b) { return compare_display_order(a, b) < 0; });
  }
  return args;
}

}  // namespace

int compare_display_order(const ExprNode* a, const ExprNode* b) {
  if (a == b) return 0;
  if (a->is_number() && b->is_number()) return compare(a->number, b->number);
  const SortParts left = sort_parts(a);
  const SortParts right = sort_parts(b);
  if (left.product != nullptr || right.product != nullptr) {
    // A product's class is Mul whatever its factors are.
    const ClassKey kMulKey = {3, 0, "Mul"};
    const ClassKey l = left.product != nullptr ? kMulKey : class_key(left.base);
    const ClassKey r = right.product != nullptr ? kMulKey : class_key(right.base);
    if (const int order = compare_ints(l.group, r.group)) return order;
    if (const int order = compare_ints(l.index, r.index)) return order;
    if (const int order = l.name.compare(r.name)) return order;
  } else if (const int order = compare_class(left.base, right.base)) {
    return order;
  }
  const bool both_symbols =
      left.base != nullptr && right.base != nullptr && left.base->kind == ExprKind::kSymbol;
  if (both_symbols) {
    const std::string& l = left.base->pool->symbol_info(left.base).name;
    const std::string& r = right.base->pool->symbol_info(right.base).name;
    if (const int order = l.compare(r)) return order;
  } else if (const int order = compare_lists(key_arguments(left), key_arguments(right))) {
    return order;
  }
  if (const int order = compare_ints(left.exponent, right.exponent)) return order;
  return compare(left.coefficient, right.coefficient);
}

namespace {

bool displayed_before(const ExprNode* a, const ExprNode* b) {
  return compare_display_order(a, b) < 0;
}

// sympy.core.sorting.ordered: fewer nodes first.
std::vector<const ExprNode*> ordered_by_size(std::span<const ExprNode* const> args) {
  std::vector<const ExprNode*> out(args.begin(), args.end());
  std::sort(out.begin(), out.end(), [](const ExprNode* a, const ExprNode* b) {
    return a->size != b->size ? a->size < b->size : displayed_before(a, b);
  });
  return out;
}

std::vector<const ExprNode*> ordered_factors(const ExprNode* product) {
  std::vector<const ExprNode*> factors;
  if (product->kind == ExprKind::kMul) {
    factors.assign(product->args().begin(), product->args().end());
    std::sort(factors.begin(), factors.end(), displayed_before);
    if (!product->number.is_integer(1)) {
      factors.insert(factors.begin(), product->pool->number(product->number));
    }
  } else {
    factors.push_back(product);
  }
  return factors;
}

struct Monomial {
  const ExprNode* term;
  Number coefficient;
  std::vector<std::pair<const ExprNode*, int64_t>>
      powers;  // generator, exponent; by display order of the generator
};

Monomial as_monomial(const ExprNode* term) {
  const Product product = as_product(term);
  Monomial monomial{term, product.coefficient, {}};
  for (const ExprNode* factor : product.factors) {
    if (factor->kind == ExprKind::kPow) {
      monomial.powers.emplace_back(factor->arg(0), factor->number.integer);
    } else {
      monomial.powers.emplace_back(factor, 1);
    }
  }
  std::sort(monomial.powers.begin(), monomial.powers.end(),
            [](const auto& a, const auto& b) { return displayed_before(a.first, b.first); });
  return monomial;
}

// Lexicographic order of exponents, the highest power of the first generator first.
bool monomial_before(const Monomial& a, const Monomial& b) {
  size_t i = 0;
  for (; i < a.powers.size() && i < b.powers.size(); ++i) {
    const auto& [left, left_exponent] = a.powers[i];
    const auto& [right, right_exponent] = b.powers[i];
    if (left != right) return displayed_before(left, right);
    if (left_exponent != right_exponent) return left_exponent > right_exponent;
  }
  if (a.powers.size() != b.powers.size()) return a.powers.size() > b.powers.size();
  return compare(a.coefficient, b.coefficient) < 0;
}

std::vector<const ExprNode*> ordered_terms(const ExprNode* sum) {
  ExprPool& pool = *sum->pool;
  std::vector<Monomial> monomials;
  for (const ExprNode* term : sum->args()) monomials.push_back(as_monomial(term));
  std::sort(monomials.begin(), monomials.end(), monomial_before);
  std::vector<const ExprNode*> terms;
  for (const Monomial& monomial : monomials) terms.push_back(monomial.term);
  if (!sum->number.is_integer(0)) {
    // 8 - x rather than -x + 8: as_ordered_terms keeps a positive number before a single negative
    // multiple.
    const ExprNode* only = terms[0];
    const bool number_first = terms.size() == 1 && !sum->number.negative() &&
                              only->kind == ExprKind::kMul && only->arg_count == 1 &&
                              only->number.negative();
    terms.insert(number_first ? terms.begin() : terms.end(), pool.number(sum->number));
  }
  return terms;
}

// --- text
// ----------------------------------------------------------------------------------------------------------------------

int precedence(const ExprNode* node) {
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
                   precedence(arg) < kPrecedenceMul;
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
  const bool needs = precedence(node) <= level;
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
    if (precedence(term) < kPrecedenceAdd) text = "(" + text + ")";
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
  const int level = precedence(product);
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

// --- constructor form
// ----------------------------------------------------------------------------------------------------------

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
