// The graphs of a subject: its own, and those that it names, at any depth.
#pragma once

#include <vector>

#include "core/passes/pass.h"

namespace faketensor {

// Each once, a graph before those that it names.
std::vector<Graph*> reachable_graphs(PassSubject& subject);

}  // namespace faketensor
