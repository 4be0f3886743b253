// Which arguments of operators hold sizes of the example that a program was exported with.
//
// An exporter that takes sizes for constants writes them into its nodes: the 2 and 16 of
// view(x, [2, 16, 4, 64]) are the example's batch and length. A row of the table says in which
// argument of an operator such numbers stand, and how they follow from the operator's tensors.
//
//   if (const LiteralRow* row = find_literals("view.default")) ... row->argument ...
#pragma once

#include <cstdint>
#include <string_view>

namespace faketensor {

enum class LiteralKind : uint8_t {
  kReshape,     // a list: as many elements as the first argument has, grouped otherwise
  kUnflatten,   // a list: what one dimension of the first argument is split into
  kExpand,      // a list: sizes that dimensions of the first argument have, or are widened to
  kSizes,       // a list: sizes of a new tensor
  kLength,      // a number: the length of a new tensor
  kEnd,         // a number: where a slice of the first argument ends
  kRepeats,     // a list: how often the first argument is repeated
  kOutputSize,  // a list: the last sizes of the result, of an image made larger or smaller
  kWindow,      // a list: the window of a pool, which may be all of the image
  kPieces,      // a number or a list: the lengths of the pieces a dimension is split into
};

struct LiteralRow {
  std::string_view op;  // "view.default"
  LiteralKind kind;
  uint8_t argument;  // its place in the schema
  // The place of the argument that says which dimension is meant (kUnflatten, kEnd, kPieces).
  uint8_t dim_argument = 0;
};

// By the local name of an overload; null for operators without sizes among their arguments.
const LiteralRow* find_literals(std::string_view local_name);

// Operators that compute elementwise: their tensors are broadcast against each other.
bool is_broadcasting(std::string_view packet);

}  // namespace faketensor
