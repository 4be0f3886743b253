// SymbolTable: which symbols a program has, how they are named and where their values come from.
//
// A value: a branch or a trial has a copy (Note [Branches] in shape_env.h). What is known of the
// symbols is Knowledge's.
//
// Invariants:
//   - all() has each symbol once, in order of creation;
//   - a number is given to one name only; names of unbacked symbols, which programs may bring
//     along, are proposed here and checked by ShapeEnv;
//   - of a symbol's sources the first one lasts, if any does: guards speak of it.
//
// Written by ShapeEnv where it makes symbols, and by who takes the pending ones through it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/symbolic/expr.h"
#include "core/symbolic/source.h"

namespace faketensor {

class SymbolTable {
 public:
  explicit SymbolTable(int64_t first_unbacked) : next_unbacked_(first_unbacked) {}

  void add(const ExprNode* symbol) { symbols_.push_back(symbol); }
  const std::vector<const ExprNode*>& all() const { return symbols_; }

  // --- names ---
  // "s77": a name for the symbol at a source, which no other one gets. Mirrors
  // ShapeEnv._generate_unique_id.
  std::string unique_name(std::string_view prefix, const Source& source);
  // "u0", "u1", ...; "zuf0", "zuf1", ... for floats.
  std::string next_unbacked_name() { return "u" + std::to_string(next_unbacked_++); }
  std::string next_unbacked_float_name() { return "zuf" + std::to_string(next_unbacked_float_++); }

  // --- sources ---
  // Gives the symbol.
  const ExprNode* add_source(const ExprNode* symbol, const Source& source);
  // Empty for unbacked symbols and those made by name.
  std::span<const Source> sources(const ExprNode* symbol) const;
  // The symbol at a source of that name; null if it got none.
  const ExprNode* at_source(std::string_view name) const;

  // --- symbols that are used again ---
  // Of DimDynamic::kDuck, by value; null where there is none.
  const ExprNode* shared(double value) const;
  void share(double value, const ExprNode* symbol) { shared_[value] = symbol; }
  // What a source got in the contexts of one number (SymbolicContext::remembered_as); null where
  // there is nothing.
  const SymInt* remembered(uint64_t context, const Source& source) const;
  void remember(uint64_t context, const Source& source, SymInt made);

  // --- unbacked symbols ---
  // It stands for an input's size, known before the program runs.
  void mark_input(const ExprNode* symbol) { inputs_.insert(symbol); }
  bool is_input(const ExprNode* symbol) const { return inputs_.count(symbol) != 0; }
  // Results are to bind it, unless fresh symbols are ignored.
  void add_pending(const ExprNode* symbol);
  std::vector<const ExprNode*> take_pending() { return std::exchange(pending_, {}); }
  // Gives what was set before.
  bool ignore_fresh(bool ignore) { return std::exchange(ignore_fresh_, ignore); }

 private:
  uint32_t free_number(uint32_t first);

  std::vector<const ExprNode*> symbols_;
  // Of each number where to look on for one that no backed symbol's name has: itself while it is
  // free, as all beyond are.
  std::vector<uint32_t> next_number_;
  int64_t next_unbacked_;
  int64_t next_unbacked_float_ = 0;
  std::unordered_map<const ExprNode*, std::vector<Source>> sources_;
  std::unordered_map<std::string, const ExprNode*> symbol_by_source_;
  std::map<double, const ExprNode*> shared_;
  std::map<std::pair<uint64_t, std::string>, SymInt> remembered_;
  std::unordered_set<const ExprNode*> inputs_;
  std::vector<const ExprNode*> pending_;
  bool ignore_fresh_ = false;
};

}  // namespace faketensor
