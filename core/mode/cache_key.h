// The key of an operator call in the dispatch cache, and why a call has none or is not kept.
//
// Mirrors FakeTensorMode._prep_args_for_hash, _validate_cache_key and
// _validate_output_for_cache_entry. Symbolic sizes are keyed by their expressions as they were
// made.
//
//   argument_keys(args, surroundings);             // "<float32 [2,3,] [3,1,] cpu strided 0 0 24>;"
//   argument_bypass(arg, surroundings);            // "constant attribute"; empty: it can be keyed
#pragma once

#include <string>
#include <vector>

#include "core/mode/cached_call.h"

namespace faketensor {

bool has_symbol(const Tensor& tensor);
bool has_symbol(const Value& value);
// Whether a symbol is left in a size or stride: what a new tensor is made from passes through C++,
// which turns expressions that became numbers into numbers.
bool has_free_symbol(const Tensor& tensor);
// The symbols of a value as they are now; with those that were replaced since it was made.
void add_symbols(const Value& value, bool with_replaced, std::vector<const ExprNode*>& symbols);

std::string dim_key(SymInt dim);
std::string dims_key(Dims dims);
std::string argument_keys(std::span<const Value> args, const CacheSurroundings& surroundings);

// Why no key can be made of an argument; empty where one can.
std::string argument_bypass(const Value& value, const CacheSurroundings& surroundings);
// Why a call is not cached although it has a key; empty where it is.
std::string operator_bypass(const OpEntry& op, std::span<const Value> args);
// Why its result is not; `known` are the symbols of the arguments before the call.
std::string result_bypass(const OpEntry& op, std::span<const Value> args,
                          const std::vector<const ExprNode*>& known, const Value& result,
                          bool is_symbolic);

}  // namespace faketensor
