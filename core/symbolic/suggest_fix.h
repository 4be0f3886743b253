// What a program could check so that a decision on data would be settled: our own advice below
// GuardOnDataDependentSymNode. A check is shown only after it was tried: it is assumed and the
// decision asked again, in a branch that is forgotten (Note [Branches] in shape_env.h).
//
//   suggest_fix(env, (u0 + 1 > 0).node())   // "torch._check(u0 >= 0) or torch._check(u0 >= 1)"
#pragma once

#include <string>

#include "core/symbolic/expr.h"

namespace faketensor {

class ShapeEnv;

// The weakest checks first; empty if none of ours would settle it.
std::string suggest_fix(ShapeEnv& env, const ExprNode* condition);

}  // namespace faketensor
