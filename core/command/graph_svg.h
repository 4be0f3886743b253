// A run as a picture: the graph as SVG, or as one HTML file around it, without scripts or requests.
//
// Boxes and edges stand where core/layout puts them: modules hold what they run, equal modules in a
// row that are closed are one box. Parameters have no box, and neither has what is no computation of
// the model's (graph/plumbing.h). Colours follow the reader's light or dark. Names are escaped.
//
//   svg_graph(run, {})         // <svg xmlns="http://www.w3.org/2000/svg" ...
#pragma once

#include <optional>
#include <string>

#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

// `depth`: how deep modules are drawn open; none: as deep as a picture of some hundred boxes allows.
// Raises Usage for more than 5,000 boxes. Called in a scope of Run::shape_env().
std::string svg_graph(const Run& run, std::optional<size_t> depth);
std::string html_graph(const Run& run, std::optional<size_t> depth);

}  // namespace faketensor
