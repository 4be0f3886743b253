// A problem of a run as JSON: what `faketensor propagate --format jsonl` prints in the place of a
// value, and what JavaScript gets (Problem of web/package/src/types.ts).
//
//   {"name":"mm","raises":"RuntimeError","message":"...","op":"torch.ops.aten.mm.default",
//    "module":"encoder","source":"model.py:12 in forward","hint":"..."}
#pragma once

#include "core/formats/json_writer.h"
#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

// Writes members into the object that is open; those with nothing to say are left out.
void write_problem_members(JsonWriter& json, const Program& program, const Problem& problem);

}  // namespace faketensor
