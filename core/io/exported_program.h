// Reading of ExportedProgram JSON: the text that torch.export.save puts at models/*.json of a .pt2.
//
// Schema major version 8 (PyTorch 2.6 to 2.13), every argument kind of
// torch/_export/serde/schema.py. The result is what torch.export.load would build: the same nodes
// in the same order under the same names, getitem nodes for the elements of multi-output calls
// included (GraphModuleDeserializer.deserialize_multiple_outputs). Members that the schema does not
// know are passed over, so files of later minor versions open.
//
// The reader is event-based: it holds the text, one node at a time, and the program it builds.
// Names are looked up once. What is recorded about values comes after the nodes in the text and is
// joined to them by name at the end.
//
// Refused, with the byte and the node: other schema versions, missing members, members of the wrong
// type, names that nothing defines, uses before the definition (so there are no cycles), two
// definitions of one name, unknown argument kinds and enum values, a signature that does not fit
// the graph.
#pragma once

#include <string>

#include "core/formats/read_limits.h"
#include "core/graph/program.h"

namespace faketensor {

// Fills an empty program from `text`, which is spent. `kind` and `name` of the program are the
// caller's to set.
void read_exported_program(std::string& text, Program& program, const ReadLimits& limits);

}  // namespace faketensor
