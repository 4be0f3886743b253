#include "core/symbolic/expr.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/symbolic/facts.h"
#include "core/symbolic/shared_parts.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

constexpr size_t kInitialSlots = 256;
constexpr size_t kFirstMadeSlots = 64;
constexpr size_t kMadeSlots = 4096;
constexpr size_t kIntegerSlots = 256;

// Indexed by ExprKind.
constexpr std::array<std::string_view, kExprKindCount> kFunctionNames = {
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "FloorDiv",
    "CleanDiv",
    "Mod",
    "PythonMod",
    "ModularIndexing",
    "Max",
    "Min",
    "Abs",
    "PowByNatural",
    "RShift",
    "BitwiseFn_bitwise_and",
    "BitwiseFn_bitwise_or",
    "BitwiseFn_bitwise_xor",
    "TruncToInt",
    "FloorToInt",
    "CeilToInt",
    "RoundToInt",
    "ToFloat",
    "TruncToFloat",
    "RoundDecimal",
    "IntTrueDiv",
    "FloatTrueDiv",
    "FloatPow",
    "OpaqueUnaryFn_sqrt",
    "Piecewise",
    "Eq",
    "Ne",
    "StrictLessThan",
    "LessThan",
    "StrictGreaterThan",
    "GreaterThan",
    "And",
    "Or",
    "Not",
};

uint64_t bits_of(double value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint64_t hash_node(ExprKind kind, Number number, std::span<const ExprNode* const> args,
                   uint32_t symbol) {
  uint64_t hash = hash_word(static_cast<uint64_t>(kind), symbol);
  hash = hash_word(hash,
                   number.is_float ? ~bits_of(number.real) : static_cast<uint64_t>(number.integer));
  for (const ExprNode* arg : args) hash = hash_word(hash, arg->id);
  return hash_finish(hash);
}

bool same_node(const ExprNode* node, ExprKind kind, ExprType type, Number number,
               std::span<const ExprNode* const> args, uint32_t symbol) {
  return node->kind == kind && node->type == type && node->symbol == symbol &&
         node->number == number &&
         std::equal(args.begin(), args.end(), node->args().begin(), node->args().end());
}

}  // namespace

std::string_view function_name(ExprKind kind) { return kFunctionNames[static_cast<size_t>(kind)]; }

ExprKind negated_relation(ExprKind kind) {
  switch (kind) {
    case ExprKind::kEq:
      return ExprKind::kNe;
    case ExprKind::kNe:
      return ExprKind::kEq;
    case ExprKind::kLt:
      return ExprKind::kGe;
    case ExprKind::kLe:
      return ExprKind::kGt;
    case ExprKind::kGt:
      return ExprKind::kLe;
    default:
      return ExprKind::kLt;
  }
}

ExprKind mirrored_relation(ExprKind kind) {
  switch (kind) {
    case ExprKind::kLt:
      return ExprKind::kGt;
    case ExprKind::kLe:
      return ExprKind::kGe;
    case ExprKind::kGt:
      return ExprKind::kLt;
    case ExprKind::kGe:
      return ExprKind::kLe;
    default:
      return kind;
  }
}

bool Number::same_bits(double a, double b) { return bits_of(a) == bits_of(b); }

namespace {
[[noreturn, gnu::cold]] void throw_coefficient_overflow() {
  throw_error(ErrorKind::kOverflowError,
              "a coefficient of a symbolic expression does not fit 64 bits");
}
}  // namespace

Number operator+(Number a, Number b) {
  if (a.is_float || b.is_float) return Number::of_float(a.as_double() + b.as_double());
  int64_t sum = 0;
  if (__builtin_add_overflow(a.integer, b.integer, &sum)) throw_coefficient_overflow();
  return Number::of(sum);
}

Number operator*(Number a, Number b) {
  if (a.is_float || b.is_float) return Number::of_float(a.as_double() * b.as_double());
  int64_t product = 0;
  if (__builtin_mul_overflow(a.integer, b.integer, &product)) throw_coefficient_overflow();
  return Number::of(product);
}

namespace {
// Exactly, as Python compares: an integer beyond 2^53 need not be a double. NaN compares as equal.
int compare_with_float(int64_t a, double b) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (b >= kLimit) return -1;
  if (b < -kLimit) return 1;
  if (std::isnan(b)) return 0;
  const auto whole = static_cast<int64_t>(b);
  if (a != whole) return a > whole ? 1 : -1;
  const double rest = b - static_cast<double>(whole);
  return (rest < 0) - (rest > 0);
}
}  // namespace

int compare(Number a, Number b) {
  if (!a.is_float && !b.is_float) return (a.integer > b.integer) - (a.integer < b.integer);
  if (!a.is_float) return compare_with_float(a.integer, b.real);
  if (!b.is_float) return -compare_with_float(b.integer, a.real);
  return (a.real > b.real) - (a.real < b.real);
}

ExprPool::ExprPool() : integers_(kIntegerSlots), slots_(kInitialSlots) {
  true_ = intern(ExprKind::kBoolean, ExprType::kBool, Number::of(1), {});
  false_ = intern(ExprKind::kBoolean, ExprType::kBool, Number::of(0), {});
}

const ExprNode* ExprPool::integer(int64_t value) {
  const ExprNode*& last = integers_[static_cast<uint64_t>(value) % kIntegerSlots];
  if (last == nullptr || last->number.integer != value)
    last = intern(ExprKind::kInteger, ExprType::kInt, Number::of(value), {});
  return last;
}

const ExprNode* ExprPool::real(double value) {
  if (value == 0) value = 0.0;  // sympy's Float has no negative zero
  return intern(ExprKind::kFloat, ExprType::kFloat, Number::of_float(value), {});
}

const ExprNode* ExprPool::number(Number value) {
  return value.is_float ? real(value.real) : integer(value.integer);
}

const ExprNode* ExprPool::find_symbol(std::string_view name) const {
  const auto at = symbol_by_name_.find(std::string(name));
  return at == symbol_by_name_.end() ? nullptr : symbol_nodes_[at->second];
}

const ExprNode* ExprPool::symbol(const SymbolInfo& info) {
  if (const ExprNode* known = find_symbol(info.name)) return known;
  const auto index = static_cast<uint32_t>(symbols_.size());
  symbols_.push_back(info);
  symbol_by_name_.emplace(info.name, index);
  const ExprNode* node = create(ExprKind::kSymbol, info.type, Number(), {}, index,
                                hash_node(ExprKind::kSymbol, Number(), {}, index));
  symbol_nodes_.push_back(node);
  return node;
}

const ExprNode* ExprPool::intern(ExprKind kind, ExprType type, Number number,
                                 std::span<const ExprNode* const> args) {
  const uint64_t hash = hash_node(kind, number, args, 0);
  for (size_t i = hash & (slots_.size() - 1); slots_[i].node != nullptr;
       i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].hash == hash && same_node(slots_[i].node, kind, type, number, args, 0)) {
      const ExprNode* node = slots_[i].node;
      const bool too_large = node->size > kMaxExprSize || node->depth > kMaxExprDepth;
      return too_large ? opaque(node) : node;
    }
  }
  const ExprNode* node = create(kind, type, number, args, 0, hash);
  return node->size > kMaxExprSize || node->depth > kMaxExprDepth ? opaque(node) : node;
}

const ExprNode* ExprPool::create(ExprKind kind, ExprType type, Number number,
                                 std::span<const ExprNode* const> args, uint32_t symbol,
                                 uint64_t hash) {
  if ((count_ + 1) * 2 > slots_.size()) grow_table();
  void* memory = arena_.allocate(sizeof(ExprNode) + args.size_bytes());
  auto* node = new (memory) ExprNode{kind,
                                     type,
                                     0,
                                     0,
                                     static_cast<uint32_t>(count_),
                                     1,
                                     symbol,
                                     static_cast<uint32_t>(args.size()),
                                     number,
                                     this,
                                     0};
  if (!args.empty()) std::memcpy(static_cast<void*>(node + 1), args.data(), args.size_bytes());
  for (const ExprNode* arg : args) {
    if (arg->pool != this)
      throw_error(ErrorKind::kUsage, "symbolic values of two environments in one expression");
    node->size += arg->size;
    node->symbol_bits |= arg->symbol_bits;
    node->depth = std::max<uint16_t>(node->depth, static_cast<uint16_t>(arg->depth + 1));
  }
  const bool shows_number = (kind == ExprKind::kAdd && !number.is_integer(0)) ||
                            (kind == ExprKind::kMul && !number.is_integer(1)) ||
                            kind == ExprKind::kPow;
  if (shows_number) ++node->size;
  if (kind == ExprKind::kWhere) node->size += 3;  // Piecewise holds two pairs, the second with True
  if (kind == ExprKind::kSymbol) node->symbol_bits = uint64_t{1} << std::min(symbol, 63u);
  node->facts = kind == ExprKind::kSymbol ? symbol_facts(symbols_[symbol]) : derive_facts(node);
  size_t i = hash & (slots_.size() - 1);
  while (slots_[i].node != nullptr) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = {hash, node};
  ++count_;
  return node;
}

void ExprPool::grow_table() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.node == nullptr) continue;
    size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].node != nullptr) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

const ExprNode* ExprPool::opaque(const ExprNode* definition) {
  const auto known = opaque_by_definition_.find(definition);
  if (known != opaque_by_definition_.end()) return known->second;
  SymbolInfo info;
  info.name = "opaque" + std::to_string(opaque_by_definition_.size());
  info.type = definition->type;
  info.positive = definition->has(kPositive);
  info.unbacked = definition->has(kHasUnbacked);
  info.definition = definition;
  const ExprNode* node = symbol(info);
  opaque_by_definition_.emplace(definition, node);
  return node;
}

const ExprNode* ExprPool::make(ExprKind kind, const ExprNode* a, const ExprNode* b) {
  // As large as the pool, up to a limit: most pools stay small.
  if (made_.size() <= count_ && made_.size() < kMadeSlots)
    made_.assign(made_.empty() ? kFirstMadeSlots : 4 * made_.size(), Made());
  const uint64_t hash =
      hash_finish(hash_word(hash_word(static_cast<uint64_t>(kind), a->id), b->id));
  const Made& known = made_[hash & (made_.size() - 1)];
  if (known.a == a && known.b == b && known.kind == kind) return known.result;
  const std::array args = {a, b};
  const ExprNode* result = make(kind, args);
  made_[hash & (made_.size() - 1)] = {kind, a, b, result};
  return result;
}

const ExprNode* ExprPool::make(ExprKind kind, const ExprNode* a, const ExprNode* b,
                               const ExprNode* c) {
  const std::array args = {a, b, c};
  return make(kind, args);
}

const ExprNode* ExprPool::make(ExprKind kind, std::span<const ExprNode* const> args) {
  return simplified(*this, kind, args);
}

const ExprNode* ExprPool::pow(const ExprNode* base, int64_t exponent) {
  return simplified_pow(*this, base, exponent);
}

const ExprNode* ExprPool::python_mod(const ExprNode* a, const ExprNode* b) {
  const bool never_negative = a->has(kNonNegative) && b->has(kNonNegative);
  return make(never_negative ? ExprKind::kMod : ExprKind::kPythonMod, a, b);
}

SymInt ExprPool::sym_int(const ExprNode* node) const {
  return node->kind == ExprKind::kInteger ? SymInt(node->number.integer) : SymInt::from_node(node);
}

SymBool ExprPool::sym_bool(const ExprNode* node) const {
  return node->kind == ExprKind::kBoolean ? SymBool(node->is_true()) : SymBool::from_node(node);
}

namespace {
const ExprNode* rebuilt_from(const ExprNode* node, Exprs& args) {
  ExprPool& pool = *node->pool;
  if (node->kind == ExprKind::kPow) return pool.pow(args[0], node->number.integer);
  if (node->kind == ExprKind::kAdd || node->kind == ExprKind::kMul)
    args.push_back(pool.number(node->number));
  return pool.make(node->kind, args);
}
}  // namespace

const ExprNode* rebuilt(const ExprNode* node, std::vector<const ExprNode*> args) {
  Exprs parts{std::span<const ExprNode* const>(args)};
  return rebuilt_from(node, parts);
}

namespace {
using Rewritten = SharedParts<const ExprNode*>;

const ExprNode* substituted(const ExprNode* node, const SymbolMap& replacements, Rewritten& parts) {
  if (!node->has(kHasSymbol)) return node;
  const auto at = replacements.find(node);
  if (at != replacements.end()) return at->second;
  if (node->arg_count == 0) return node;
  Exprs args;
  bool changed = false;
  for (const ExprNode* arg : node->args()) {
    args.push_back(parts.of(arg, [&] { return substituted(arg, replacements, parts); }));
    changed |= args.back() != arg;
  }
  return changed ? rebuilt_from(node, args) : node;
}
}  // namespace

const ExprNode* substitute(const ExprNode* node, const SymbolMap& replacements) {
  Rewritten parts;
  return substituted(node, replacements, parts);
}

namespace {

void collect_symbols(const ExprNode* node, std::vector<const ExprNode*>& out,
                     SharedParts<bool>& parts) {
  if (node->kind == ExprKind::kSymbol) out.push_back(node);
  for (const ExprNode* arg : node->args()) {
    if (!arg->has(kHasSymbol)) continue;
    parts.of(arg, [&] {
      collect_symbols(arg, out, parts);
      return true;
    });
  }
}

void collect_kind(const ExprNode* node, ExprKind kind, std::vector<const ExprNode*>& out,
                  SharedParts<bool>& parts) {
  if (node->kind == kind && std::find(out.begin(), out.end(), node) == out.end())
    out.push_back(node);
  for (const ExprNode* arg : node->args()) {
    parts.of(arg, [&] {
      collect_kind(arg, kind, out, parts);
      return true;
    });
  }
}

void multiply_out(const ExprNode* node, Exprs& sum) {
  // `sum` holds the terms so far; it becomes the terms of sum * node.
  ExprPool& pool = *node->pool;
  Exprs terms;
  if (node->kind == ExprKind::kAdd) {
    terms = node->args();
    if (!node->number.is_integer(0)) terms.push_back(pool.number(node->number));
  } else {
    terms.push_back(node);
  }
  Exprs product;
  for (const ExprNode* left : sum) {
    for (const ExprNode* right : terms) product.push_back(pool.mul(left, right));
  }
  sum = product;
}

}  // namespace

std::vector<const ExprNode*> atoms(const ExprNode* node, ExprKind kind) {
  std::vector<const ExprNode*> out;
  SharedParts<bool> parts;
  collect_kind(node, kind, out, parts);
  return out;
}

std::vector<const ExprNode*> free_symbols(const ExprNode* node) {
  std::vector<const ExprNode*> out;
  SharedParts<bool> parts;
  collect_symbols(node, out, parts);
  std::sort(out.begin(), out.end(),
            [](const ExprNode* a, const ExprNode* b) { return a->id < b->id; });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {
const ExprNode* expanded(const ExprNode* node, Rewritten& parts) {
  if (node->arg_count == 0) return node;
  // sympy's connectives have no expand: what is in them stays as it is.
  if (node->kind == ExprKind::kAnd || node->kind == ExprKind::kOr || node->kind == ExprKind::kNot)
    return node;
  ExprPool& pool = *node->pool;
  Exprs args;
  bool changed = false;
  for (const ExprNode* arg : node->args()) {
    args.push_back(parts.of(arg, [&] { return expanded(arg, parts); }));
    changed |= args.back() != arg;
  }
  if (node->kind == ExprKind::kPow) {
    const ExprNode* base = args[0];
    const int64_t exponent = node->number.integer;
    double terms = 1;
    const bool is_sum = base->kind == ExprKind::kAdd;
    for (int64_t i = 0; is_sum && i < exponent && terms <= kMaxExprSize; ++i)
      terms *= base->arg_count + 1;
    if (!is_sum || terms * base->size > kMaxExprSize) return pool.pow(base, exponent);
    const ExprNode* result = base;
    for (int64_t i = 1; i < exponent; ++i) {
      Exprs sum = {result};
      if (result->kind == ExprKind::kAdd) {
        sum = result->args();
        if (!result->number.is_integer(0)) sum.push_back(pool.number(result->number));
      }
      multiply_out(base, sum);
      result = pool.make(ExprKind::kAdd, sum);
    }
    return result;
  }
  if (node->kind == ExprKind::kMul) {
    double terms = 1;
    for (const ExprNode* arg : args) terms *= arg->kind == ExprKind::kAdd ? arg->arg_count + 1 : 1;
    if (terms == 1 && !changed) return node;
    if (terms * node->size <= kMaxExprSize) {
      Exprs sum = {pool.number(node->number)};
      for (const ExprNode* arg : args) multiply_out(arg, sum);
      return pool.make(ExprKind::kAdd, sum);
    }
  }
  return changed ? rebuilt_from(node, args) : node;
}
}  // namespace

const ExprNode* expand(const ExprNode* node) {
  if (node->arg_count == 0) return node;
  Rewritten parts;
  try {
    return expanded(node, parts);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOverflowError) throw;
    return node;  // as products beyond the limit: not multiplied out
  }
}

}  // namespace faketensor
