// How symbols come to be: from the sizes, strides and numbers of inputs, from data, by name.
#include <algorithm>
#include <utility>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/sha256.h"
#include "core/symbolic/arithmetic.h"
#include "core/symbolic/context_rank.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

// --- symbols of inputs ---

// "s77": the number is a hash of the source's name modulo 100, or the next one that is free. So a
// program's symbols keep their names when others come or go. Mirrors ShapeEnv._generate_unique_id.
std::string ShapeEnv::unique_name(std::string_view prefix, const Source& source) {
  return std::string(prefix) + std::to_string(free_number(sha256_modulo(source.name(), 100)));
}

// The first number from `first` on that no name has, which has one from here on. Thousands of
// symbols begin at the same hundred numbers: what was found for one shortens the way of the next.
uint32_t ShapeEnv::free_number(uint32_t first) {
  uint32_t free = first;
  while (free < next_number_.size() && next_number_[free] != free) free = next_number_[free];
  while (next_number_.size() <= free)
    next_number_.push_back(static_cast<uint32_t>(next_number_.size()));
  next_number_[free] = free + 1;
  for (uint32_t at = first; at < free;) at = std::exchange(next_number_[at], free + 1);
  return free;
}

const ExprNode* ShapeEnv::register_source(const ExprNode* symbol, const Source& source) {
  std::vector<Source>& sources = sources_[symbol];
  sources.push_back(source);
  // Guards speak of the first source, so it should be one that lasts.
  if (!source.is_ephemeral() && sources.front().is_ephemeral())
    std::swap(sources.front(), sources.back());
  symbol_by_source_[source.name()] = symbol;
  return symbol;
}

std::span<const Source> ShapeEnv::sources(const ExprNode* symbol) const {
  const auto at = sources_.find(symbol);
  return at == sources_.end() ? std::span<const Source>() : at->second;
}

const ExprNode* ShapeEnv::symbol_of_source(std::string_view name) const {
  const auto at = symbol_by_source_.find(std::string(name));
  return at == symbol_by_source_.end() ? nullptr : at->second;
}

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
  const auto key = static_cast<double>(value);
  if (share) {
    const auto known = shared_.find(key);
    if (known != shared_.end()) return SymInt::from_node(register_source(known->second, source));
  }
  const ValueRange range = assumptions.positive ? ValueRange::ints(specialize ? 2 : 0, kIntInfinity)
                                                : ValueRange::unknown(ExprType::kInt);
  const SymInt symbol = create_backed(unique_name("s", source), value, range, assumptions.positive);
  if (share) shared_[key] = symbol.node();
  if (has_range) update_range(symbol.node(), constraint.range, /*is_constraint=*/true);
  const ValueRange narrowed = this->range(symbol.node());
  if (!narrowed.contains(value)) {
    throw_error(ErrorKind::kConstraintViolation,
                format("{} not in range {}", value, to_string(narrowed)));
  }
  register_source(symbol.node(), source);
  return symbol;
}

SymInt ShapeEnv::symbol_in(const SymbolicContext& context, int64_t value, const Source& source,
                           DimDynamic dynamic, DimConstraint constraint) {
  if (context.remembered_as == 0) return create_symbol(value, source, dynamic, constraint);
  const std::pair<uint64_t, std::string> key(context.remembered_as, source.name());
  if (const auto known = remembered_.find(key); known != remembered_.end()) return known->second;
  const SymInt made = create_symbol(value, source, dynamic, constraint);
  remembered_.emplace(key, made);
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
    const auto known = shared_.find(value);
    if (known != shared_.end()) return register_source(known->second, source);
  }
  const ExprNode* symbol = create_backed_float(
      unique_name("zf", source), value, ValueRange::unknown(ExprType::kFloat), /*positive=*/false);
  if (share) shared_[value] = symbol;
  return register_source(symbol, source);
}

// The size of an input that is to be treated as data.
SymInt ShapeEnv::create_unbacked_size() {
  const SymInt size = create_unbacked_int();
  constrain_range_for_size(size);
  unbacked_inputs_.insert(size.node());
  return size;
}

// Note [Inferred strides]
// Strides are looked at in ascending order, of equals the rightmost first. A stride that equals a
// smaller one times its size is that product, so a contiguous tensor has no symbols for strides;
// any other is a symbol of its own. A stride of 0 or 1 stays a number, except where it is what the
// next dimension makes it by its size.
std::vector<SymInt> ShapeEnv::symbolic_strides(std::span<const int64_t> sizes,
                                               std::span<const int64_t> strides,
                                               std::span<const SymInt> symbolic_sizes,
                                               const Source& source,
                                               const SymbolicContext& context) {
  const size_t rank = sizes.size();
  std::vector<size_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  const bool all_static =
      std::all_of(context.dynamic_sizes.begin(), context.dynamic_sizes.end(),
                  [](DimDynamic dynamic) { return dynamic == DimDynamic::kStatic; });
  std::vector<SymInt> result(rank);
  std::unordered_map<int64_t, SymInt> products;
  for (const size_t i : order) {
    const int64_t stride = strides[i];
    const bool is_contiguous =
        i + 1 < rank && stride == checked_multiply(sizes[i + 1], strides[i + 1]);
    const bool infer = context.dynamic_strides[i] == DimDynamic::kInferStride;
    const auto product = products.find(stride);
    if ((stride == 0 || stride == 1) && !is_contiguous) {
      result[i] = stride;
    } else if (infer && product != products.end()) {
      result[i] = product->second;
    } else {
      const DimDynamic inferred = all_static ? DimDynamic::kStatic : DimDynamic::kDuck;
      result[i] =
          symbol_in(context, stride, source.stride(i),
                    infer ? inferred : context.dynamic_strides[i], context.constraint_strides[i]);
    }
    products[checked_multiply(sizes[i], stride)] = symbolic_sizes[i] * result[i];
  }
  return result;
}

void check_rank(const SymbolicContext& context, size_t rank) {
  const size_t least =
      std::min({context.dynamic_sizes.size(), context.dynamic_strides.size(),
                context.constraint_sizes.size(), context.constraint_strides.size()});
  if (least < rank) throw_error(ErrorKind::kIndexError, "list index out of range");
}

SymbolicGeometry ShapeEnv::create_symbolic_geometry(std::span<const int64_t> sizes,
                                                    std::span<const int64_t> strides,
                                                    int64_t offset, const Source& source,
                                                    SymbolicContext& context) {
  const size_t rank = sizes.size();
  if (context.dynamic_sizes.size() != rank) {
    throw_error(ErrorKind::kAssertionError, format("{} != {}", context.dynamic_sizes.size(), rank));
  }
  check_rank(context, rank);
  const SymbolicContext asked = context;
  SymbolicGeometry result;
  bool all_static = true;
  for (size_t i = 0; i < rank; ++i) {
    DimConstraint& constraint = context.constraint_sizes[i];
    all_static &= asked.dynamic_sizes[i] == DimDynamic::kStatic;
    result.sizes.push_back(
        symbol_in(asked, sizes[i], source.size(i), asked.dynamic_sizes[i], constraint));
    if (constraint.kind == DimConstraint::Kind::kMinMax && constraint.range.is_singleton()) {
      context.dynamic_sizes[i] = DimDynamic::kStatic;
      constraint = {};
    }
  }
  result.strides = symbolic_strides(sizes, strides, result.sizes, source, asked);
  result.offset = symbol_in(asked, offset, source.storage_offset(),
                            all_static ? DimDynamic::kStatic : DimDynamic::kDuck, {});
  return result;
}

namespace {

// The expression in another pool, each symbol as `translated` has it; null if it has not all. Parts
// are remembered there, so that each is looked at once.
const ExprNode* translate(ExprPool& pool, const ExprNode* node, SymbolMap& translated) {
  const auto known = translated.find(node);
  if (known != translated.end()) return known->second;
  if (node->kind == ExprKind::kSymbol) return nullptr;
  if (node->is_number()) return pool.number(node->number);
  if (node->kind == ExprKind::kBoolean) return pool.boolean(node->is_true());
  std::vector<const ExprNode*> args;
  for (const ExprNode* arg : node->args()) {
    args.push_back(translate(pool, arg, translated));
    if (args.back() == nullptr) return nullptr;
  }
  // The number of a sum or product is an argument that stands apart.
  if (node->kind == ExprKind::kAdd || node->kind == ExprKind::kMul)
    args.push_back(pool.number(node->number));
  return translated[node] = node->kind == ExprKind::kPow ? pool.pow(args[0], node->number.integer)
                                                         : pool.make(node->kind, args);
}

DimDynamic dynamic_like(SymInt foreign) {
  if (!foreign.is_symbolic()) return DimDynamic::kStatic;
  return hint(foreign) ? DimDynamic::kDuck : DimDynamic::kUnbacked;
}

}  // namespace

SymbolicGeometry ShapeEnv::transfer_geometry(std::span<const SymInt> sizes,
                                             std::span<const SymInt> strides, SymInt offset,
                                             const Source& source, SymbolicContext* context) {
  std::vector<DimDynamic> dynamic;
  for (const SymInt size : sizes) dynamic.push_back(dynamic_like(size));
  SymbolicContext own(std::move(dynamic));
  if (context == nullptr) context = &own;
  const bool has_unbacked = std::count(context->dynamic_sizes.begin(), context->dynamic_sizes.end(),
                                       DimDynamic::kUnbacked) != 0;
  if (!has_unbacked) {
    const auto hints = [](std::span<const SymInt> values) {
      std::vector<int64_t> numbers;
      for (const SymInt value : values) numbers.push_back(faketensor::hint(value).value_or(0));
      return numbers;
    };
    return create_symbolic_geometry(hints(sizes), hints(strides),
                                    faketensor::hint(offset).value_or(0), source, *context);
  }
  check_rank(*context, sizes.size());
  SymbolMap translated;
  SymbolicGeometry result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_symbolic()) {
      result.sizes.push_back(sizes[i]);
      continue;
    }
    const ExprNode* known = translate(pool_, sizes[i].node(), translated);
    if (known == nullptr) {
      const SymInt size = create_symbol(faketensor::hint(sizes[i]).value_or(0), source.size(i),
                                        context->dynamic_sizes[i], context->constraint_sizes[i]);
      known = translated[sizes[i].node()] = pool_.node_of(size);
    }
    result.sizes.push_back(pool_.sym_int(known));
  }
  const auto moved = [&](SymInt value) {
    if (!value.is_symbolic()) return value;
    const ExprNode* known = translate(pool_, value.node(), translated);
    return known == nullptr ? create_unbacked_int() : pool_.sym_int(known);
  };
  for (const SymInt stride : strides) result.strides.push_back(moved(stride));
  result.offset = moved(offset);
  return result;
}

// --- symbols by name or number ---

const ExprNode* ShapeEnv::add_symbol(const SymbolInfo& info, ValueRange range) {
  const ExprNode* symbol = pool_.symbol(info);
  symbols_.push_back(symbol);
  ranges_[symbol] = range;
  ++ranges_version_;
  ++learnt_;
  return symbol;
}

SymInt ShapeEnv::create_backed(std::string_view name, int64_t hint, ValueRange range,
                               bool positive) {
  SymbolInfo info;
  info.name = name;
  info.positive = positive;
  const ExprNode* symbol = add_symbol(info, range);
  hints_[symbol] = Number::of(hint);
  ++hints_version_;
  return SymInt::from_node(symbol);
}

const ExprNode* ShapeEnv::create_backed_float(std::string_view name, double hint, ValueRange range,
                                              bool positive) {
  SymbolInfo info;
  info.name = name;
  info.positive = positive;
  info.type = ExprType::kFloat;
  const ExprNode* symbol = add_symbol(info, range);
  hints_[symbol] = Number::of_float(hint);
  ++hints_version_;
  return symbol;
}

SymInt ShapeEnv::create_unbacked_int(std::string_view name, ValueRange range) {
  SymbolInfo info;
  info.name = name;
  info.unbacked = true;
  return SymInt::from_node(add_symbol(info, range));
}

// A symbol that another branch made is none of this one's: both may count from the same number.
bool ShapeEnv::is_taken(std::string_view name) const {
  const ExprNode* symbol = pool_.find_symbol(name);
  return symbol != nullptr && (symbol->id < trunk_nodes_ || ranges_.count(symbol) != 0);
}

SymInt ShapeEnv::create_unbacked_int() {
  std::string name = "u" + std::to_string(next_unbacked_++);
  while (is_taken(name)) name = "u" + std::to_string(next_unbacked_++);
  const SymInt symbol = create_unbacked_int(name, ValueRange::unknown(ExprType::kInt));
  add_pending(symbol.node());
  return symbol;
}

const ExprNode* ShapeEnv::add_pending(const ExprNode* symbol) {
  if (!ignore_fresh_) pending_.push_back(symbol);
  return symbol;
}

SymBool ShapeEnv::create_unbacked_bool() {
  const SymInt value = create_unbacked_int();
  ranges_[value.node()] = ValueRange::ints(0, 1);
  ++ranges_version_;
  return value == 1;
}

const ExprNode* ShapeEnv::create_unbacked_float(std::string_view name, ValueRange range) {
  SymbolInfo info;
  info.name = name;
  info.type = ExprType::kFloat;
  info.unbacked = true;
  return add_symbol(info, range);
}

const ExprNode* ShapeEnv::create_unbacked_float() {
  std::string name;
  do {
    name = "zuf" + std::to_string(next_unbacked_float_++);
  } while (is_taken(name));
  return add_pending(create_unbacked_float(name, ValueRange::unknown(ExprType::kFloat)));
}

}  // namespace faketensor
