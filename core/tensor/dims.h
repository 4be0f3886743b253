// Sizes and strides as rules handle them.
#pragma once

#include <algorithm>
#include <span>

#include "core/support/small_vector.h"
#include "core/symbolic/sym_bool.h"
#include "core/symbolic/sym_int.h"

namespace faketensor {

// Sizes or strides under construction; rank <= 8 needs no allocation.
using DimVector = SmallVector<SymInt, 8>;
// Sizes or strides of an existing tensor, or an int list argument.
using Dims = std::span<const SymInt>;

inline bool all_plain(Dims dims) {
  return std::none_of(dims.begin(), dims.end(), [](SymInt dim) { return dim.is_symbolic(); });
}

inline bool known_one(SymInt size) { return guard_or_false(size == 1); }

// Whether two lists of sizes or strides are equal, by what becomes of symbols:
// - the same expressions: nothing is decided, and equal values may differ;
inline bool same_exprs(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!same_expr(a[i], b[i])) return false;
  }
  return true;
}
// - as Python compares lists: their lengths, then each pair from the left, on which it guards, up to
//   one that differs;
bool guard_equal(Dims a, Dims b);
// - the same, where what cannot be decided differs (guard_or_false);
bool equal_or_false(Dims a, Dims b);
// - one condition, for whoever decides it (torch.fx.experimental.symbolic_shapes.sym_eq).
SymBool sym_eq(Dims a, Dims b);

// "[2, s0, 3]"
inline void append_text(std::string& out, SymInt value) { out += to_string(value); }

// "torch.Size([2, 3])" and "(2, 3)", "(2,)": sizes as Python prints a tensor's, and a tuple. Values
// for messages, of which a text is made only where one is raised; what `dims` refers to must live
// so long.
struct SizeText {
  Dims dims;
};
struct TupleText {
  Dims dims;
};
inline SizeText size_text(Dims dims) { return {dims}; }
inline TupleText tuple_text(Dims dims) { return {dims}; }
void append_text(std::string& out, SizeText text);
void append_text(std::string& out, TupleText text);

}  // namespace faketensor
