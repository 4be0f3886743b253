// Plumbing: the rows that a picture of a program can leave out without hiding what is computed.
//
// An export writes down what Python did between the operators of a model: sizes that are read and
// calculated with, assertions about them, aliases, the one output taken out of a list, and the
// positions and masks that a model builds from nothing but sizes and token ids before its blocks run.
// Of the 318 rows that a dynamic Qwen2 calls, 97 are of these kinds.
//
//   const std::vector<Row> shown = shown_rows(program);
//   shown[row] == row          // drawn
//   shown[row] == kNoRow       // left out: an assertion, a size
//   shown[row] == other        // left out: whoever reads it is drawn as reading `other`
#pragma once

#include <vector>

#include "core/graph/program.h"

namespace faketensor {

std::vector<Row> shown_rows(const Program& program);

}  // namespace faketensor
