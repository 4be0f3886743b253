// What is between a program, whose parameters, buffers and constants are inputs, and a module, which
// has them as attributes.
#pragma once

#include "core/passes/pass.h"

namespace faketensor {

// Tensors that the graph fetches as attributes become inputs of the kind constant, in front of the
// user's; one that is fetched twice is one input. Attributes that tracing named "_tensor_constant0" are
// named "lifted_tensor_0". Mirrors lift_constants_pass (torch/_export/passes/lift_constants_pass.py).
PassResult lift_constants(PassSubject& subject, const PassOptions& options);

// The other way: the program as the module it was exported from (unlift.h).
PassResult unlift_pass(PassSubject& subject, const PassOptions& options);

}  // namespace faketensor
