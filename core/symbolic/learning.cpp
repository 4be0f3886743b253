#include "core/symbolic/learning.h"

#include <algorithm>
#include <utility>

#include "core/symbolic/solve.h"

namespace faketensor {

namespace {

// An inequality in more symbols than this teaches nothing (PyTorch's limit in _maybe_guard_rel).
constexpr size_t kMaxSymbolsToLearnFrom = 5;

bool has_kind(const ExprNode* node, ExprKind kind) {
  if (node->kind == kind) return true;
  const auto args = node->args();
  return std::any_of(args.begin(), args.end(),
                     [kind](const ExprNode* arg) { return has_kind(arg, kind); });
}

class Lesson {
 public:
  Lesson(Knowledge& knowledge, Reasoner& reasoner, const SymbolTable& symbols)
      : knowledge_(knowledge), reasoner_(reasoner), symbols_(symbols) {}

  void refine_ranges(const ExprNode* relation);
  void take_equality(const ExprNode* equality);

 private:
  bool is_known_at_start(const ExprNode* node) const;
  bool is_solved_trivially(const ExprNode* symbol, const ExprNode* value) const;
  const ExprNode* first_to_go(const std::vector<const ExprNode*>& symbols) const;
  void take_remainder(const ExprNode* equality, const ExprNode* remainder);

  Knowledge& knowledge_;
  Reasoner& reasoner_;
  const SymbolTable& symbols_;
};

// --- inequalities, and what equalities tell of ranges ---

// The range of a symbol of which `symbol kind value` holds.
ValueRange refined(const ValueRange& known, ExprKind kind, const ValueRange& value) {
  ValueRange result = known;
  const bool from_below = kind == ExprKind::kEq || kind == ExprKind::kGe || kind == ExprKind::kGt;
  const bool from_above = kind == ExprKind::kEq || kind == ExprKind::kLe || kind == ExprKind::kLt;
  if (from_below && known.lower <= value.lower && value.lower != kMinusIntInfinity)
    result.lower = value.lower + (kind == ExprKind::kGt ? 1 : 0);
  if (from_above && known.upper >= value.upper && value.upper != kIntInfinity)
    result.upper = value.upper - (kind == ExprKind::kLt ? 1 : 0);
  return result;
}

void Lesson::refine_ranges(const ExprNode* relation) {
  relation = reasoner_.simplify(relation);
  if (!is_relation(relation->kind)) return;
  for (const ExprNode* symbol : free_symbols(relation)) {
    const std::optional<Solved> solved = try_solve(relation, symbol);
    if (!solved || symbol->type != ExprType::kInt || solved->value->type != ExprType::kInt)
      continue;
    const ValueRange known = knowledge_.range(symbol);
    const ValueRange narrowed = refined(known, solved->kind, knowledge_.bound(solved->value));
    if (narrowed == known) continue;
    knowledge_.narrow(symbol, narrowed);
    const ValueRange now = knowledge_.range(symbol);
    const std::optional<int64_t> number = now.is_singleton() ? now.lower.as_int64() : std::nullopt;
    if (number) knowledge_.set_replacement(symbol, symbol->pool->integer(*number));
    knowledge_.forget_static_answers();
  }
}

// --- equalities ---

bool Lesson::is_known_at_start(const ExprNode* node) const {
  const std::vector<const ExprNode*> symbols = free_symbols(node);
  return std::all_of(symbols.begin(), symbols.end(), [this](const ExprNode* symbol) {
    return !symbol->has(kHasUnbacked) || symbols_.is_input(symbol);
  });
}

// An unbacked symbol may always be replaced by what is known when the program starts, and a float
// by anything.
bool Lesson::is_solved_trivially(const ExprNode* symbol, const ExprNode* value) const {
  if (symbol->kind != ExprKind::kSymbol) return false;
  if (symbol->type == ExprType::kFloat && !symbol->has(kHasUnbacked)) return true;
  return symbol->has(kHasUnbacked) && is_known_at_start(value);
}

void Lesson::take_remainder(const ExprNode* equality, const ExprNode* remainder) {
  const std::optional<Solved> solved = try_solve(equality, remainder, false);
  if (!solved || !solved->value->is_integer(0)) return;
  const std::vector<const ExprNode*>& known = knowledge_.divisible();
  if (std::find(known.begin(), known.end(), remainder) != known.end()) return;
  knowledge_.add_divisible(remainder);
}

// The symbol with the largest hint goes, an unbacked one or a float first; of equals the one whose
// name sorts last. One that only exists while a view is remade goes before all others.
const ExprNode* Lesson::first_to_go(const std::vector<const ExprNode*>& symbols) const {
  const auto rank = [this](const ExprNode* symbol) {
    const std::span<const Source> sources = symbols_.sources(symbol);
    const bool is_ephemeral =
        !sources.empty() && std::all_of(sources.begin(), sources.end(),
                                        [](const Source& source) { return source.is_ephemeral(); });
    const int64_t size =
        symbol->type == ExprType::kFloat ? INT64_MAX : knowledge_.hint(symbol).value_or(INT64_MAX);
    return std::pair(is_ephemeral, size);
  };
  const auto name = [](const ExprNode* symbol) -> const std::string& {
    return symbol->pool->symbol_info(symbol).name;
  };
  return *std::max_element(symbols.begin(), symbols.end(),
                           [&](const ExprNode* a, const ExprNode* b) {
                             return rank(a) != rank(b) ? rank(a) < rank(b) : name(a) < name(b);
                           });
}

void Lesson::take_equality(const ExprNode* equality) {
  const std::vector<const ExprNode*> remainders = atoms(equality, ExprKind::kMod);
  if (!remainders.empty()) {
    take_remainder(equality, remainders[0]);
    return;
  }
  if (has_kind(equality, ExprKind::kFloorDiv) || has_kind(equality, ExprKind::kCleanDiv)) return;
  const ExprNode* lhs = equality->arg(0);
  const ExprNode* rhs = equality->arg(1);
  if (is_solved_trivially(lhs, rhs)) {
    knowledge_.set_replacement(lhs, reasoner_.replace(rhs));
    return;
  }
  if (is_solved_trivially(rhs, lhs)) {
    knowledge_.set_replacement(rhs, reasoner_.replace(lhs));
    return;
  }
  const std::vector<const ExprNode*> symbols = free_symbols(equality);
  if (symbols.empty()) return;
  const ExprNode* symbol = first_to_go(symbols);
  const std::optional<Solved> solved = try_solve(equality, symbol, false);
  if (!solved || solved->value->type != ExprType::kInt) return;
  const ExprNode* target = reasoner_.replace(solved->value);
  if (!target->has(kHasUnbacked)) knowledge_.set_replacement(symbol, target);
}

}  // namespace

void learn_from(const ExprNode* relation, Knowledge& knowledge, Reasoner& reasoner,
                const SymbolTable& symbols) {
  if (relation->kind == ExprKind::kAnd) {
    for (const ExprNode* part : relation->args()) learn_from(part, knowledge, reasoner, symbols);
    return;
  }
  if (!is_relation(relation->kind) || relation->kind == ExprKind::kNe) return;
  if (free_symbols(relation).size() > kMaxSymbolsToLearnFrom) return;
  Lesson lesson(knowledge, reasoner, symbols);
  lesson.refine_ranges(relation);
  if (relation->kind == ExprKind::kEq) lesson.take_equality(relation);
}

}  // namespace faketensor
