// GraphPattern: a small graph that is looked for, and the one that takes its place.
//
// Both are FX text (graph_text.h) with the same number of placeholders, which stand for any value,
// and return what is replaced. Mirrors torch.fx.subgraph_rewriter.
//
//   GraphPattern pattern;
//   pattern.pattern = "graph():\n %x : ... = placeholder[target=x]\n ...";
#pragma once

#include <string>

namespace faketensor {

struct GraphPattern {
  std::string pattern = {};
  std::string replacement = {};
};

}  // namespace faketensor
