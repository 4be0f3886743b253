#include "core/symbolic/bounds.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/symbolic/canonical_order.h"
#include "core/symbolic/range_rules.h"
#include "core/symbolic/shared_parts.h"

namespace faketensor {

namespace {

ValueRange constant_range(const ExprNode* node) {
  if (node->kind == ExprKind::kBoolean) return ValueRange::bools(node->is_true(), node->is_true());
  if (node->kind == ExprKind::kInteger)
    return ValueRange::ints(node->number.integer, node->number.integer);
  if (std::isnan(node->number.real)) return ValueRange::unknown(ExprType::kFloat);
  return ValueRange::floats(node->number.real, node->number.real);
}

ValueRange number_range(Number number) {
  return number.is_float ? ValueRange::floats(number.real, number.real)
                         : ValueRange::ints(number.integer, number.integer);
}

// The ranges of a sum's or a product's operands (`arg` gives that of each), reduced, floats in
// sympy's order; see Note [Order of operands].
template <typename Arg, typename Operation>
ValueRange reduced_range(const ExprNode* node, Arg arg, Operation operation) {
  const std::span<const ExprNode* const> operands = node->args();
  std::vector<ValueRange> ranges;
  for (size_t i = 0; i < operands.size(); ++i) ranges.push_back(arg(i));
  ValueRange range = number_range(node->number);
  if (std::none_of(ranges.begin(), ranges.end(),
                   [](const ValueRange& r) { return r.is_float(); })) {
    for (const ValueRange& next : ranges) range = operation(range, next);
    return range;
  }
  for (const ExprNode* operand : canonical_operands(node)) {
    const auto at = std::find(operands.begin(), operands.end(), operand);
    range = operation(range, ranges[static_cast<size_t>(at - operands.begin())]);
  }
  return range;
}

ValueRange bound_of(const ExprNode* node, const SymbolRange& symbol_range,
                    SharedParts<ValueRange>& parts) {
  const auto arg = [&](size_t i) {
    const ExprNode* part = node->arg(i);
    return parts.of(part, [&] { return bound_of(part, symbol_range, parts); });
  };
  const auto int_arg = [&](size_t i) { return as_ints(arg(i)); };
  const auto folded = [&](auto rule) {
    ValueRange range = arg(0);
    for (size_t i = 1; i < node->arg_count; ++i) range = rule(range, arg(i));
    return range;
  };
  switch (node->kind) {
    case ExprKind::kInteger:
    case ExprKind::kFloat:
    case ExprKind::kBoolean:
      return constant_range(node);
    case ExprKind::kSymbol:
      return symbol_range(node);
    case ExprKind::kAdd:
      return reduced_range(node, arg, add_ranges);
    case ExprKind::kMul:
      return reduced_range(node, arg, multiply_ranges);
    case ExprKind::kPow:
      return power_range(node->type, arg(0), number_range(node->number));
    case ExprKind::kMax:
    case ExprKind::kMin:
      return folded([kind = node->kind](const ValueRange& a, const ValueRange& b) {
        return extremum_range(kind, a, b);
      });
    case ExprKind::kFloorDiv:
    case ExprKind::kCleanDiv:
      return floor_div_range(int_arg(0), int_arg(1));
    case ExprKind::kMod:
      return mod_range(node->type, arg(0), arg(1));
    case ExprKind::kPythonMod:
      return python_mod_range(node->type, arg(0), arg(1));
    case ExprKind::kModularIndexing:
      return mod_range(ExprType::kInt, floor_div_range(int_arg(0), int_arg(1)), arg(2));
    case ExprKind::kAbs:
      return abs_range(arg(0));
    case ExprKind::kPowByNatural:
      return power_range(ExprType::kInt, arg(0), int_arg(1));
    case ExprKind::kBitAnd:
    case ExprKind::kBitOr:
    case ExprKind::kBitXor:
      return bitwise_range(node->kind, int_arg(0), int_arg(1));
    case ExprKind::kTruncToInt:
    case ExprKind::kFloorToInt:
    case ExprKind::kCeilToInt:
    case ExprKind::kRoundToInt:
      return rounding_range(node->kind, arg(0));
    case ExprKind::kToFloat:
    case ExprKind::kTruncToFloat:
    case ExprKind::kSqrt:
      return monotone_float(node->kind, arg(0));
    case ExprKind::kIntTrueDiv:
    case ExprKind::kFloatTrueDiv:
      return true_div_range(arg(0), arg(1));
    case ExprKind::kRoundDecimal:
      return round_decimal_range(arg(0), arg(1));
    case ExprKind::kWhere:
      return where_range(arg(0), arg(1), arg(2));
    case ExprKind::kAnd:
      return folded(and_range);
    case ExprKind::kOr:
      return folded(or_range);
    case ExprKind::kNot:
      return not_range(arg(0));
    default:
      if (is_relation(node->kind)) return relation_range(node->kind, arg(0), arg(1));
      return ValueRange::unknown(node->type);
  }
}

}  // namespace

ValueRange bound(const ExprNode* node, const SymbolRange& symbol_range) {
  SharedParts<ValueRange> parts;
  return bound_of(node, symbol_range, parts);
}

}  // namespace faketensor
