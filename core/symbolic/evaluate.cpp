#include "core/symbolic/evaluate.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "core/support/error.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/shared_parts.h"

namespace faketensor {

namespace {

struct MissingSymbol {};

struct Evaluation {
  const Assignment& given;
  const Assignment& opaque;
  SharedParts<Number> parts;
};

// Throws MissingSymbol or Error where there is no value; depth is bounded by kMaxExprDepth.
Number value_of(const ExprNode* node, Evaluation& values);

Number truth(bool value) { return Number::of(value ? 1 : 0); }

Number rounded_to_int(ExprKind kind, Number x) {
  if (!x.is_float) return x;
  switch (kind) {
    case ExprKind::kTruncToInt:
      return Number::of(checked_to_int(std::trunc(x.real)));
    case ExprKind::kFloorToInt:
      return Number::of(checked_to_int(std::floor(x.real)));
    case ExprKind::kCeilToInt:
      return Number::of(checked_to_int(std::ceil(x.real)));
    default:
      return Number::of(checked_to_int(round_half_even(x.real)));
  }
}

void require_nonzero(Number divisor) {
  if (compare(divisor, Number::of(0)) == 0)
    throw_error(ErrorKind::kZeroDivisionError, "division by zero");
}

Number power(Number base, int64_t exponent) {
  if (base.is_float) return Number::of_float(std::pow(base.real, static_cast<double>(exponent)));
  if (exponent < 0) throw_error(ErrorKind::kValueError, "a negative power of an integer");
  return Number::of(checked_power(base.integer, exponent));
}

Number binary_value(ExprKind kind, Number a, Number b) {
  switch (kind) {
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      require_nonzero(b);
      return Number::of(floor_divide(a.integer, b.integer));
    case ExprKind::kMod:
    case ExprKind::kPythonMod:
      require_nonzero(b);
      if (a.is_float || b.is_float)
        return Number::of_float(float_modulo(a.as_double(), b.as_double()));
      return Number::of(floor_modulo(a.integer, b.integer));
    case ExprKind::kPowByNatural:
      return power(a, b.integer);
    case ExprKind::kBitAnd:
      return Number::of(a.integer & b.integer);
    case ExprKind::kBitOr:
      return Number::of(a.integer | b.integer);
    case ExprKind::kBitXor:
      return Number::of(a.integer ^ b.integer);
    case ExprKind::kIntTrueDiv:
      require_nonzero(b);
      if (!a.is_float && !b.is_float)
        return Number::of_float(int_true_divide(a.integer, b.integer));
      return Number::of_float(a.as_double() / b.as_double());
    case ExprKind::kFloatTrueDiv:
      require_nonzero(b);
      return Number::of_float(a.as_double() / b.as_double());
    case ExprKind::kFloatPow:
      return Number::of_float(std::pow(a.as_double(), b.as_double()));
    case ExprKind::kRoundDecimal:
      return Number::of_float(round_decimal(a.as_double(), b.integer));
    case ExprKind::kEq:
      return truth(compare(a, b) == 0);
    case ExprKind::kNe:
      return truth(compare(a, b) != 0);
    case ExprKind::kLt:
      return truth(compare(a, b) < 0);
    case ExprKind::kLe:
      return truth(compare(a, b) <= 0);
    case ExprKind::kGt:
      return truth(compare(a, b) > 0);
    default:
      return truth(compare(a, b) >= 0);
  }
}

Number unary_value(ExprKind kind, Number x) {
  switch (kind) {
    case ExprKind::kAbs:
      return x.negative() ? x * Number::of(-1) : x;
    case ExprKind::kToFloat:
      return Number::of_float(x.as_double());
    case ExprKind::kTruncToFloat:
      return Number::of_float(std::trunc(x.as_double()));
    case ExprKind::kSqrt:
      return Number::of_float(std::sqrt(x.as_double()));
    case ExprKind::kNot:
      return truth(x.integer == 0);
    default:
      return rounded_to_int(kind, x);
  }
}

Number value_of_symbol(const ExprNode* symbol, const Evaluation& values) {
  const auto given = values.given.find(symbol);
  if (given != values.given.end()) return given->second;
  const auto opaque = values.opaque.find(symbol);
  if (opaque == values.opaque.end()) throw MissingSymbol();
  return opaque->second;
}

Number value_of(const ExprNode* node, Evaluation& values) {
  const auto arg = [&](size_t i) {
    const ExprNode* part = node->arg(i);
    return values.parts.of(part, [&] { return value_of(part, values); });
  };
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
    case ExprKind::kBoolean:
      return node->number;
    case ExprKind::kSymbol:
      return value_of_symbol(node, values);
    case ExprKind::kAdd: {
      Number sum = node->number;
      for (size_t i = 0; i < node->arg_count; ++i) sum = sum + arg(i);
      return sum;
    }
    case ExprKind::kMul: {
      Number product = node->number;
      for (size_t i = 0; i < node->arg_count; ++i) product = product * arg(i);
      return product;
    }
    case ExprKind::kPow:
      return power(arg(0), node->number.integer);
    case ExprKind::kMax:
    case ExprKind::kMin: {
      Number best = arg(0);
      for (size_t i = 1; i < node->arg_count; ++i) {
        const Number x = arg(i);
        if ((compare(x, best) > 0) == (node->kind == ExprKind::kMax)) best = x;
      }
      return best;
    }
    case ExprKind::kWhere:
      return arg(0).integer != 0 ? arg(1) : arg(2);
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      // As Python's `and` and `or`: what comes after the part that decides need have no value.
      const bool deciding = node->kind == ExprKind::kOr;
      for (size_t i = 0; i < node->arg_count; ++i) {
        if ((arg(i).integer != 0) == deciding) return truth(deciding);
      }
      return truth(!deciding);
    }
    case ExprKind::kModularIndexing: {
      const Number divisor = arg(1);
      const Number modulus = arg(2);
      require_nonzero(divisor);
      require_nonzero(modulus);
      return Number::of(
          floor_modulo(floor_divide(arg(0).integer, divisor.integer), modulus.integer));
    }
    default:
      return node->arg_count == 1 ? unary_value(node->kind, arg(0))
                                  : binary_value(node->kind, arg(0), arg(1));
  }
}

}  // namespace

std::vector<const ExprNode*> opaque_symbols(const ExprNode* node,
                                            const std::function<bool(const ExprNode*)>& is_known) {
  std::unordered_set<const ExprNode*> found;
  std::vector<const ExprNode*> pending = {node};
  while (!pending.empty()) {
    const ExprNode* next = pending.back();
    pending.pop_back();
    for (const ExprNode* symbol : free_symbols(next)) {
      const ExprNode* definition = node->pool->symbol_info(symbol).definition;
      if (definition == nullptr || is_known(symbol)) continue;
      if (found.insert(symbol).second) pending.push_back(definition);
    }
  }
  std::vector<const ExprNode*> in_order(found.begin(), found.end());
  std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return a->id < b->id; });
  return in_order;
}

std::optional<Number> evaluate(const ExprNode* node, const Assignment& assignment,
                               Assignment& opaque) {
  Evaluation values{assignment, opaque, {}};
  try {
    if (!node->has(kHasSymbol) || !node->pool->has_opaque()) return value_of(node, values);
    const auto is_known = [&](const ExprNode* symbol) { return opaque.count(symbol) != 0; };
    for (const ExprNode* symbol : opaque_symbols(node, is_known))
      opaque[symbol] = value_of(node->pool->symbol_info(symbol).definition, values);
    return value_of(node, values);
  } catch (const MissingSymbol&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Number> evaluate(const ExprNode* node, const Assignment& assignment) {
  Assignment opaque;
  return evaluate(node, assignment, opaque);
}

}  // namespace faketensor
