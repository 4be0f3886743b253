// Which modules of a program are built alike.
//
// The hash of a module covers its type, what its own nodes call and the sizes the file records for
// their values, and the hashes of the modules inside it: the twelve layers of an encoder have one
// hash. It depends on the file alone.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/program.h"

namespace faketensor {

// One per module of `program.modules`; never 0.
std::vector<uint32_t> module_hashes(const Program& program);

}  // namespace faketensor
