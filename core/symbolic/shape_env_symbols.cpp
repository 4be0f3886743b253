// How symbols come to be: from the sizes, strides and numbers of inputs, from data, by name.
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// --- symbols of inputs ---

SymInt ShapeEnv::create_symbol(int64_t value, const Source& source, DimDynamic dynamic,
                               DimConstraint constraint, SymbolAssumptions assumptions) {
  const bool has_range = constraint.kind == DimConstraint::Kind::kMinMax;
  if (has_range && constraint.range.is_singleton()) {
    if (constraint.range.lower != value) {
      throw_error(ErrorKind::kConstraintViolation,
                  format("Static shape constraint of {} does not match input size of {}, for {}",
                         constraint.range.lower, value, source.name()));
    }
    return value;
  }
  if (dynamic == DimDynamic::kUnbacked) return create_unbacked_size();
  if (assumptions.positive && value < 0) {
    throw_error(ErrorKind::kAssertionError, format("positive set for negative value: {}", value));
  }
  if (constraint) dynamic = DimDynamic::kDynamic;
  if (dynamic == DimDynamic::kStatic) return value;
  const bool specialize = assumptions.specialize_zero_one && options_.specialize_zero_one;
  if (specialize && (value == 0 || value == 1)) return value;
  const bool share = dynamic == DimDynamic::kDuck && options_.duck_shape;
  if (share) {
    if (const ExprNode* known = now_.symbols.shared(static_cast<double>(value)))
      return SymInt::from_node(now_.symbols.add_source(known, source));
  }
  const ValueRange range = assumptions.positive ? ValueRange::ints(specialize ? 2 : 0, kIntInfinity)
                                                : ValueRange::unknown(ExprType::kInt);
  const SymInt symbol =
      create_backed(now_.symbols.unique_name("s", source), value, range, assumptions.positive);
  if (share) now_.symbols.share(static_cast<double>(value), symbol.node());
  if (has_range) now_.knowledge.constrain(symbol.node(), constraint.range);
  const ValueRange narrowed = this->range(symbol.node());
  if (!narrowed.contains(value)) {
    throw_error(ErrorKind::kConstraintViolation,
                format("{} not in range {}", value, to_string(narrowed)));
  }
  now_.symbols.add_source(symbol.node(), source);
  return symbol;
}

SymInt ShapeEnv::create_symbol_in(const SymbolicContext& context, int64_t value,
                                  const Source& source, DimDynamic dynamic,
                                  DimConstraint constraint) {
  if (context.remembered_as == 0) return create_symbol(value, source, dynamic, constraint);
  if (const SymInt* known = now_.symbols.remembered(context.remembered_as, source)) return *known;
  const SymInt made = create_symbol(value, source, dynamic, constraint);
  now_.symbols.remember(context.remembered_as, source, made);
  return made;
}

SymInt ShapeEnv::create_unspecified_symbol(int64_t value, const Source& source, DimDynamic dynamic,
                                           DimConstraint constraint) {
  return create_symbol(value, source, dynamic, constraint, {false, false});
}

const ExprNode* ShapeEnv::create_unspecified_float(double value, const Source& source,
                                                   DimDynamic dynamic) {
  const bool share = dynamic == DimDynamic::kDuck && options_.duck_shape;
  if (dynamic == DimDynamic::kStatic) return pool_.real(value);
  if (share) {
    if (const ExprNode* known = now_.symbols.shared(value))
      return now_.symbols.add_source(known, source);
  }
  const ExprNode* symbol =
      create_backed_float(now_.symbols.unique_name("zf", source), value,
                          ValueRange::unknown(ExprType::kFloat), /*positive=*/false);
  if (share) now_.symbols.share(value, symbol);
  return now_.symbols.add_source(symbol, source);
}

// The size of an input that is to be treated as data.
SymInt ShapeEnv::create_unbacked_size() {
  const SymInt size = create_unbacked_int();
  constrain_range_for_size(size);
  mark_input(size.node());
  return size;
}

// --- symbols by name or number ---

const ExprNode* ShapeEnv::add_symbol(const SymbolInfo& info, ValueRange range) {
  const ExprNode* symbol = pool_.symbol(info);
  // One that is known gets another range.
  if (!now_.knowledge.knows(symbol)) now_.symbols.add(symbol);
  now_.knowledge.add_symbol(symbol, range);
  return symbol;
}

SymInt ShapeEnv::create_backed(std::string_view name, int64_t hint, ValueRange range,
                               bool positive) {
  SymbolInfo info;
  info.name = name;
  info.positive = positive;
  const ExprNode* symbol = add_symbol(info, range);
  now_.knowledge.set_hint(symbol, Number::of(hint));
  return SymInt::from_node(symbol);
}

const ExprNode* ShapeEnv::create_backed_float(std::string_view name, double hint, ValueRange range,
                                              bool positive) {
  SymbolInfo info;
  info.name = name;
  info.positive = positive;
  info.type = ExprType::kFloat;
  const ExprNode* symbol = add_symbol(info, range);
  now_.knowledge.set_hint(symbol, Number::of_float(hint));
  return symbol;
}

SymInt ShapeEnv::create_unbacked_int(std::string_view name, ValueRange range) {
  SymbolInfo info;
  info.name = name;
  info.unbacked = true;
  return SymInt::from_node(add_symbol(info, range));
}

const ExprNode* ShapeEnv::create_unbacked_float(std::string_view name, ValueRange range) {
  SymbolInfo info;
  info.name = name;
  info.type = ExprType::kFloat;
  info.unbacked = true;
  return add_symbol(info, range);
}

// A symbol that another branch made is none of this one's: both may count from the same number.
bool ShapeEnv::is_taken(std::string_view name) const {
  const ExprNode* symbol = pool_.find_symbol(name);
  return symbol != nullptr && (symbol->id < trunk_nodes_ || now_.knowledge.knows(symbol));
}

SymInt ShapeEnv::create_next_unbacked(ValueRange range) {
  std::string name = now_.symbols.next_unbacked_name();
  while (is_taken(name)) name = now_.symbols.next_unbacked_name();
  const SymInt symbol = create_unbacked_int(name, range);
  now_.symbols.add_pending(symbol.node());
  return symbol;
}

SymInt ShapeEnv::create_unbacked_int() {
  return create_next_unbacked(ValueRange::unknown(ExprType::kInt));
}

SymBool ShapeEnv::create_unbacked_bool() {
  return create_next_unbacked(ValueRange::ints(0, 1)) == 1;
}

const ExprNode* ShapeEnv::create_unbacked_float() {
  std::string name = now_.symbols.next_unbacked_float_name();
  while (is_taken(name)) name = now_.symbols.next_unbacked_float_name();
  const ExprNode* symbol = create_unbacked_float(name, ValueRange::unknown(ExprType::kFloat));
  now_.symbols.add_pending(symbol);
  return symbol;
}

}  // namespace faketensor
