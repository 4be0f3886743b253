#include "core/symbolic/canonical_order.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/symbolic/display_order.h"

namespace faketensor {

namespace {

struct ClassRank {
  int place;  // in sympy's ordering_of_classes; functions it does not list share the last place
  std::string_view name;
};

constexpr int kUnlisted = 100;

ClassRank integer_class(int64_t value) {
  if (value == 0) return {0, "Zero"};
  if (value == 1) return {1, "One"};
  return value == -1 ? ClassRank{2, "NegativeOne"} : ClassRank{3, "Integer"};
}

ClassRank class_rank(const ExprNode* node) {
  switch (node->kind) {
    case ExprKind::kInteger:
      return integer_class(node->number.integer);
    case ExprKind::kFloat:
      return {4, "Float"};
    case ExprKind::kSymbol:
      return {5, "Symbol"};
    case ExprKind::kPow:
      return {6, "Pow"};
    case ExprKind::kMul:
      return {7, "Mul"};
    case ExprKind::kAdd:
      return {8, "Add"};
    case ExprKind::kAbs:
      return {9, "Abs"};
    case ExprKind::kEq:
      return {10, "Equality"};
    case ExprKind::kNe:
      return {11, "Unequality"};
    case ExprKind::kGt:
      return {12, "StrictGreaterThan"};
    case ExprKind::kLt:
      return {13, "StrictLessThan"};
    case ExprKind::kGe:
      return {14, "GreaterThan"};
    case ExprKind::kLe:
      return {15, "LessThan"};
    case ExprKind::kBoolean:
      return {kUnlisted, node->is_true() ? "BooleanTrue" : "BooleanFalse"};
    default:
      return {kUnlisted, function_name(node->kind)};
  }
}

// How many assumptions sympy deduces for a symbol; a symbol with more of them comes later.
int assumption_count(const SymbolInfo& symbol) {
  if (symbol.type == ExprType::kFloat) return symbol.unbacked ? 1 : 8;
  return symbol.positive ? 25 : 14;
}

// One sorting; comparisons are remembered, or deep expressions would be compared again and again.
class CanonicalOrder {
 public:
  std::vector<const ExprNode*> operands(const ExprNode* node) {
    std::vector<const ExprNode*> sorted(node->args().begin(), node->args().end());
    std::sort(sorted.begin(), sorted.end(),
              [this](const ExprNode* a, const ExprNode* b) { return compare_nodes(a, b) < 0; });
    return sorted;
  }

 private:
  int compare_nodes(const ExprNode* a, const ExprNode* b) {
    if (a == b) return 0;
    const auto known = compared_.find({a, b});
    if (known != compared_.end()) return known->second;
    return compared_[{a, b}] = compare_anew(a, b);
  }

  int compare_anew(const ExprNode* a, const ExprNode* b) {
    const ClassRank left = class_rank(a);
    const ClassRank right = class_rank(b);
    if (left.place != right.place) return left.place < right.place ? -1 : 1;
    if (const int order = left.name.compare(right.name)) return order;
    if (a->is_number()) return compare(a->number, b->number);
    if (a->kind == ExprKind::kSymbol) return compare_symbols(a, b);
    const std::vector<const ExprNode*>& l = parts(a);
    const std::vector<const ExprNode*>& r = parts(b);
    if (l.size() != r.size()) return l.size() < r.size() ? -1 : 1;
    for (size_t i = 0; i < l.size(); ++i) {
      if (const int order = compare_nodes(l[i], r[i])) return order;
    }
    return 0;
  }

  static int compare_symbols(const ExprNode* a, const ExprNode* b) {
    const SymbolInfo& left = a->pool->symbol_info(a);
    const SymbolInfo& right = b->pool->symbol_info(b);
    const int l = assumption_count(left);
    const int r = assumption_count(right);
    return l != r ? (l < r ? -1 : 1) : left.name.compare(right.name);
  }

  // The args of sympy's object.
  const std::vector<const ExprNode*>& parts(const ExprNode* node) {
    const auto known = parts_.find(node);
    return known != parts_.end() ? known->second : parts_[node] = find_parts(node);
  }

  std::vector<const ExprNode*> find_parts(const ExprNode* node) {
    std::vector<const ExprNode*> found;
    switch (node->kind) {
      case ExprKind::kAdd:
      case ExprKind::kMul: {
        const int64_t neutral = node->kind == ExprKind::kAdd ? 0 : 1;
        found = operands(node);
        if (!node->number.is_integer(neutral))
          found.insert(found.begin(), node->pool->number(node->number));
        return found;
      }
      case ExprKind::kPow:
        return {node->arg(0), node->pool->number(node->number)};
      case ExprKind::kMax:
      case ExprKind::kMin:
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return ordered_by_size(node->args());
      default:
        return {node->args().begin(), node->args().end()};
    }
  }

  std::map<std::pair<const ExprNode*, const ExprNode*>, int> compared_;
  std::map<const ExprNode*, std::vector<const ExprNode*>> parts_;
};

}  // namespace

std::vector<const ExprNode*> canonical_operands(const ExprNode* node) {
  return CanonicalOrder().operands(node);
}

}  // namespace faketensor
