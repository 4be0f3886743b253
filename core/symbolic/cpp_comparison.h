// Comparisons of sizes as PyTorch's C++ makes them.
//
// Two things differ from the operators of SymInt. c10::SymInt's ==, <, ... give a bool: they guard,
// and raise GuardOnDataDependentSymNode where only data can tell, also inside of a TORCH_CHECK
// (TORCH_SYM_CHECK defers, as `Call::check` of a SymBool does). And a number stays on the left: in
// Python the symbol is asked and `1 < s0` becomes `s0 > 1`, in C++ the guard reads `1 < s0`, from
// which ShapeEnv concludes more (get_implications takes Lt apart, Gt not).
//
//   TORCH_CHECK(input.size(1) == weight.size(1), ...)   c.check(cpp_eq(input.size(1), ...), "...")
//   TORCH_GUARD_OR_TRUE(viewed.sym_lt(chunk))           guard_or_true(cpp_compare(kLt, ...))
#pragma once

#include <algorithm>
#include <span>

#include "core/symbolic/sym_int.h"

namespace faketensor {

using symbolic_detail::Comparison;

// SymInt.sym_eq, .sym_lt, ...: the condition, its sides as they are given.
SymBool cpp_compare(Comparison comparison, SymInt a, SymInt b);

inline bool cpp_eq(SymInt a, SymInt b) { return guard_bool(cpp_compare(Comparison::kEq, a, b)); }
inline bool cpp_ne(SymInt a, SymInt b) { return guard_bool(cpp_compare(Comparison::kNe, a, b)); }
inline bool cpp_lt(SymInt a, SymInt b) { return guard_bool(cpp_compare(Comparison::kLt, a, b)); }
inline bool cpp_le(SymInt a, SymInt b) { return guard_bool(cpp_compare(Comparison::kLe, a, b)); }

// SymIntArrayRef's ==: as many, and each equal; what comes after the first difference is not asked.
inline bool cpp_same(std::span<const SymInt> a, std::span<const SymInt> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), cpp_eq);
}

}  // namespace faketensor
