// The tables of steps, and the steps that follow from the kind of an operator.
#pragma once

#include "core/ops/steps/steps.h"

namespace faketensor {

std::span<const std::span<const StepsDef>> steps_tables();

// One per file of this folder, alphabetical.
std::span<const StepsDef> activation_steps();
std::span<const StepsDef> elementwise_steps();
std::span<const StepsDef> factory_steps();
std::span<const StepsDef> indexing_steps();
std::span<const StepsDef> loss_steps();
std::span<const StepsDef> network_steps();
std::span<const StepsDef> pass_only_steps();
std::span<const StepsDef> prims_steps();
std::span<const StepsDef> recurrent_steps();
std::span<const StepsDef> reduction_steps();
std::span<const StepsDef> upsample_steps();
std::span<const StepsDef> view_steps();

// An in-place overload: the steps of the functional operator, whose result is copied (_make_inplace,
// torch/_refs/__init__.py), or a call of it whose result is (register_inplace,
// torch/_decomp/decompositions.py).
Value inplace_steps(Call& call, uint64_t);
// An out= overload: the steps of the functional operator, inside of out_wrapper.
Value out_steps(Call& call, uint64_t);
// Its end: copies what was computed to the outputs, and gives those.
Value write_outs(Call& call, const Value& result);
// A prim: its rule, and where that made a tensor the call that allocates it.
Value prim_steps(Call& call, uint64_t);

}  // namespace faketensor
