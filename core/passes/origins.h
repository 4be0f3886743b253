// Where a dimension of a value comes from: the numbers in nodes above that it is made of.
//
// Followed back through what keeps dimensions apart: elementwise operators, views, permutations,
// joins, indexing. What it is not followed through (reductions, convolutions) has no such numbers.
//
//   for (const Site& site : size_origins(plan, row, 0)) ... plan.node(site.row) ...
#pragma once

#include <vector>

#include "core/passes/assumptions.h"
#include "core/passes/size_changes.h"

namespace faketensor {

// A dimension of a row's value.
struct RowDim {
  Row row = kNoRow;
  size_t dim = 0;
  friend auto operator<=>(const RowDim&, const RowDim&) = default;
};

// The dimension, and those above that it is, nearest first, up to those of inputs.
std::vector<RowDim> dims_above(const Plan& plan, RowDim from);

// The sites of sizes that the dimension is made of, nearest first; empty where it comes from inputs.
std::vector<Site> size_origins(const Plan& plan, Row row, size_t dim);

// The sites of dtypes, or of devices, that the value's follows from, nearest first: casts, operators
// that make tensors, and placeholders (with no argument).
enum class Aspect : uint8_t { kDType, kDevice };
std::vector<Site> aspect_origins(const Plan& plan, Row row, Aspect aspect);

// The row of the `arange` whose numbers a value holds, whatever its shape; kNoRow for another value.
Row arange_of(const Plan& plan, Row row);

// The dimension that the numbers of an `arange` index all of: where index(self, [arange]) is read
// from it and `self` had the arange's length there, or index_put(self, [places], arange) puts a number
// at each place. None where there is no such operator below.
std::optional<RowDim> indexed_by(const Plan& plan, Row arange, int64_t length);

// The sizes that a row's value had in the example; none where the file does not tell, or where they
// are no numbers.
std::optional<Sizes> example_sizes(const Plan& plan, Row row);

// The number that a value is; none for a symbol and for what is no integer.
std::optional<int64_t> plain_int(const Value& value);
// The numbers of a list, the -1 of a view among them; none where one is a symbol.
std::optional<Sizes> plain_ints(const Value& list);
// A dimension as an index: those below 0 count from the end.
size_t wrapped_dim(int64_t dim, size_t rank);

// The row that an argument names; kNoRow for another argument.
Row row_of(const Value& argument);
// Calls `use` with each row that an argument names, in lists too.
template <typename Use>
void for_each_row(const Value& argument, Use&& use) {
  for_each_node(argument, [&](NodeId id) { use(static_cast<Row>(index_of(id))); });
}

}  // namespace faketensor
