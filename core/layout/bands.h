// Bands: parallel branches that are too many to stand side by side are put below each other.
//
// A loop that a program has unrolled (over 91 classes, over 27 windows) reads one value, does the
// same for each turn and joins the results. In layers by depth alone all turns stand beside each
// other, and the module, with everything above and below it, is as wide as all of them. Here the
// branches are what hangs together without the hubs (items that many others read, or that read
// many), and as many of them as fit a width make a band; each band begins where the one before
// ends.
//
//   layers: hub 1, branches 2..5, join 6   ->   hub 1, band 2..5, band 6..9, ..., join 2 + 4 * bands
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/scope.h"

namespace faketensor::layout {

// `layer` per item, from 1 on, every reader below what it reads. Returns the same with branches in
// bands about `width` wide; empty where no layer is wider. Linear in items and readers.
std::vector<int32_t> layers_in_bands(const ScopeProblem& problem, const std::vector<int32_t>& layer,
                                     int32_t width);

}  // namespace faketensor::layout
