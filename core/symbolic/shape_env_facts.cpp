// What a program tells about its symbols without a decision: ranges, sizes, equalities, new names;
// and the reports of what is known.
#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

void check_bounds(RangeEnd min, RangeEnd max) {
  if (max >= min) return;
  throw_error(ErrorKind::kValueError,
              format("Maximum value to constrain_as_size can't be less than the specified min "
                     "value, received min={} and max={}",
                     min, max));
}

void check_inside(int64_t value, RangeEnd min, RangeEnd max, ErrorKind kind) {
  if (min <= value && value <= max) return;
  throw_error(kind, format("Invalid value {} for range [{}:{}]", value, min, max));
}

bool is_symbol(SymInt value) {
  return value.is_symbolic() && value.node()->kind == ExprKind::kSymbol;
}

}  // namespace

void ShapeEnv::constrain_range(SymInt value, RangeEnd min, RangeEnd max) {
  check_bounds(min, max);
  if (!value.is_symbolic()) {
    check_inside(value.as_int(), min, max, ErrorKind::kValueError);
    return;
  }
  const ExprNode* node = replace(value.node());
  if (node->kind == ExprKind::kInteger) {
    check_inside(node->number.integer, min, max, ErrorKind::kValueRange);
  } else if (node->kind == ExprKind::kSymbol) {
    update_range(node, ValueRange::ints(min, max));
  }
}

void ShapeEnv::constrain_range_for_size(SymInt value, RangeEnd min, RangeEnd max) {
  if (!value.is_symbolic())
    throw_error(ErrorKind::kAssertionError, "can only constrain range for SymInt");
  const ExprNode* node = replace(value.node());
  if (node->kind != ExprKind::kSymbol) {
    throw_error(ErrorKind::kAssertionError,
                format("constraining non-Symbols NYI: {}", to_string(node)));
  }
  check_bounds(min, max);
  update_range(node, ValueRange::ints(min, max));
  mark_size_like(node);
}

void ShapeEnv::advise_is_size(SymInt value) {
  if (!value.is_symbolic()) return;
  const ExprNode* node = replace(value.node());
  const bool is_unbacked_int =
      node->kind == ExprKind::kSymbol && node->has(kHasUnbacked) && node->type == ExprType::kInt;
  if (is_unbacked_int) constrain_range_for_size(SymInt::from_node(node));
}

const ExprNode* ShapeEnv::find_root(const ExprNode* symbol) {
  return replacements_.count(symbol) == 0 ? symbol : find(symbol);
}

void ShapeEnv::constrain_unify(SymInt a, SymInt b) {
  if (!a.is_symbolic() && !b.is_symbolic()) {
    if (a.as_int() == b.as_int()) return;
    throw_error(ErrorKind::kAssertionError, format("Expected {} == {}", a.as_int(), b.as_int()));
  }
  const SymInt left = a.is_symbolic() ? pool_.sym_int(replace(a.node())) : a;
  const SymInt right = b.is_symbolic() ? pool_.sym_int(replace(b.node())) : b;
  if ((a.is_symbolic() && !is_symbol(left)) || (b.is_symbolic() && !is_symbol(right)))
    throw_error(ErrorKind::kAssertionError, "constraining non-Symbols NYI");
  // As PyTorch's: neither ranges nor other facts of the one are carried over to the other.
  const ExprNode* replaced = b.is_symbolic() ? right.node() : left.node();
  const ExprNode* target = b.is_symbolic() ? pool_.node_of(left) : pool_.integer(b.as_int());
  if (target->kind == ExprKind::kSymbol) target = find_root(target);
  if (target == replaced) return;
  if (replacements_.count(replaced) == 0) replaced_.push_back(replaced);
  replacements_[replaced] = target;
  unified_.insert(replaced);
  forget_conclusions();
  replacement_origins_.try_emplace(replaced, origin_);
}

const ExprNode* ShapeEnv::as_shown(const ExprNode* node) {
  if (unified_.empty()) return replace(node);
  SymbolMap shown = replacements_;
  for (const ExprNode* symbol : unified_) shown.erase(symbol);
  return expand(substitute(node, shown));
}

void ShapeEnv::rename_unbacked_to(const ExprNode* symbol, const ExprNode* name) {
  const auto check_unbacked = [](const ExprNode* node, const char* which) {
    if (node->kind != ExprKind::kSymbol)
      throw_error(ErrorKind::kAssertionError,
                  format("Expected sympy.Symbol, got {}", to_string(node)));
    if (!node->has(kHasUnbacked))
      throw_error(ErrorKind::kAssertionError,
                  format("Expected {} to have free unbacked symbols: {}", which, to_string(node)));
  };
  check_unbacked(name, "new_s");
  check_unbacked(symbol, "orig_s");
  const ExprNode* target = replacement(symbol);
  if (target != nullptr && target->has(kHasUnbacked)) {
    throw_error(ErrorKind::kAssertionError,
                format("{} -> {}", to_string(symbol), to_string(target)));
  }
  set_replacement(symbol, name);
  if (target != nullptr) set_replacement(name, target);
}

// --- reports ---

uint32_t ShapeEnv::replacement_origin(const ExprNode* symbol) const {
  const auto at = replacement_origins_.find(symbol);
  return at == replacement_origins_.end() ? 0 : at->second;
}

uint32_t ShapeEnv::range_origin(const ExprNode* symbol) const {
  const auto at = range_origins_.find(symbol);
  return at == range_origins_.end() ? 0 : at->second;
}

std::vector<const ExprNode*> ShapeEnv::nontrivial_guards() {
  std::vector<const ExprNode*> result;
  for (const Guard& guard : guards_) {
    if (maybe_evaluate_static(guard.condition, false, guard.size_oblivious, false) == nullptr)
      result.push_back(simplify(guard.condition));
  }
  return result;
}

std::string ShapeEnv::format_guards() const {
  std::string out;
  for (const Guard& guard : guards_) {
    if (!out.empty()) out += '\n';
    out += " - " + to_string(guard.condition);
  }
  return out;
}

}  // namespace faketensor
