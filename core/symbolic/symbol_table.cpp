#include "core/symbolic/symbol_table.h"

#include "core/support/sha256.h"

namespace faketensor {

// --- names ---

// The number is a hash of the source's name modulo 100, or the next one that is free. So a
// program's symbols keep their names when others come or go.
std::string SymbolTable::unique_name(std::string_view prefix, const Source& source) {
  return std::string(prefix) + std::to_string(free_number(sha256_modulo(source.name(), 100)));
}

// The first number from `first` on that no name has, which has one from here on. Thousands of
// symbols begin at the same hundred numbers: what was found for one shortens the way of the next.
uint32_t SymbolTable::free_number(uint32_t first) {
  uint32_t free = first;
  while (free < next_number_.size() && next_number_[free] != free) free = next_number_[free];
  while (next_number_.size() <= free)
    next_number_.push_back(static_cast<uint32_t>(next_number_.size()));
  next_number_[free] = free + 1;
  for (uint32_t at = first; at < free;) at = std::exchange(next_number_[at], free + 1);
  return free;
}

// --- sources ---

const ExprNode* SymbolTable::add_source(const ExprNode* symbol, const Source& source) {
  std::vector<Source>& sources = sources_[symbol];
  sources.push_back(source);
  if (!source.is_ephemeral() && sources.front().is_ephemeral())
    std::swap(sources.front(), sources.back());
  symbol_by_source_[source.name()] = symbol;
  return symbol;
}

std::span<const Source> SymbolTable::sources(const ExprNode* symbol) const {
  const auto at = sources_.find(symbol);
  return at == sources_.end() ? std::span<const Source>() : at->second;
}

const ExprNode* SymbolTable::at_source(std::string_view name) const {
  const auto at = symbol_by_source_.find(std::string(name));
  return at == symbol_by_source_.end() ? nullptr : at->second;
}

// --- symbols that are used again ---

const ExprNode* SymbolTable::shared(double value) const {
  const auto at = shared_.find(value);
  return at == shared_.end() ? nullptr : at->second;
}

const SymInt* SymbolTable::remembered(uint64_t context, const Source& source) const {
  const auto at = remembered_.find({context, source.name()});
  return at == remembered_.end() ? nullptr : &at->second;
}

void SymbolTable::remember(uint64_t context, const Source& source, SymInt made) {
  remembered_.emplace(std::pair(context, source.name()), made);
}

// --- unbacked symbols ---

void SymbolTable::add_pending(const ExprNode* symbol) {
  if (!ignore_fresh_) pending_.push_back(symbol);
}

}  // namespace faketensor
