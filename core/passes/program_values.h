// Values for the nodes of a program that was read from a file.
//
// A file tells the metas of tensors; passes go by values (NodeMeta::val).
//
//   FakeTensorMode mode;
//   mode.attach_shape_env(program.shape_env);
//   make_values(program, mode);
//   PassSubject subject{program, mode, &program.graph()};
#pragma once

#include "core/graph/program.h"
#include "core/mode/mode.h"

namespace faketensor {

// Gives each node what the file records of it, as tensors of the mode on storages of their own; a
// node whose elements are recorded, a list of them. Unset for a node of which nothing is recorded.
// The graphs become as torch.export left them, which files do not tell: graphs that nodes name are
// submodules, operands of higher-order operators are tuples, elements that nobody takes are no
// nodes, and unbacked symbols are bound where they come first.
void make_values(Program& program, FakeTensorMode& mode);

}  // namespace faketensor
