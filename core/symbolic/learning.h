// What a guard or a runtime assert teaches of its symbols: ranges, replacements, remainders that
// are 0 (PyTorch's _maybe_guard_rel and _refine_ranges). What it implies of other conditions are
// axioms (axioms.h).
#pragma once

#include "core/symbolic/knowledge.h"
#include "core/symbolic/reasoner.h"
#include "core/symbolic/symbol_table.h"

namespace faketensor {

// `relation` holds from here on; `reasoner` goes by `knowledge`. Conditions of other forms teach
// nothing. Raises what Knowledge::narrow does where it contradicts what is known.
void learn_from(const ExprNode* relation, Knowledge& knowledge, Reasoner& reasoner,
                const SymbolTable& symbols);

}  // namespace faketensor
