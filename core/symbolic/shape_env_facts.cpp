// What a program tells about its symbols without a decision: ranges, sizes, equalities, new names.
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
    now_.knowledge.narrow(node, ValueRange::ints(min, max));
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
  now_.knowledge.narrow(node, ValueRange::ints(min, max));
  mark_size_like(node);
}

void ShapeEnv::advise_is_size(SymInt value) {
  if (!value.is_symbolic()) return;
  const ExprNode* node = replace(value.node());
  const bool is_unbacked_int =
      node->kind == ExprKind::kSymbol && node->has(kHasUnbacked) && node->type == ExprType::kInt;
  if (is_unbacked_int) constrain_range_for_size(SymInt::from_node(node));
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
  if (target->kind == ExprKind::kSymbol && replacement(target) != nullptr)
    target = now_.knowledge.find(target);
  if (target != replaced) now_.knowledge.unify(replaced, target);
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
  now_.knowledge.set_replacement(symbol, name);
  if (target != nullptr) now_.knowledge.set_replacement(name, target);
}

}  // namespace faketensor
