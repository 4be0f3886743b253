// What FlopCounterMode counts while a program runs on its own fakes, as passes/passes asks for it.
#pragma once

#include <string>

#include "core/passes/pass.h"

namespace faketensor {

// {"total": 768, "counts": {"Global": {"aten.addmm": 768}}}; what runs inside of a graph that a
// higher-order operator calls counts for "GraphModule" too. Raises what operators raise.
std::string count_flops(PassSubject& subject);

}  // namespace faketensor
