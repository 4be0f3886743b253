// The values of a typed program for the sizes that its inputs are annotated with.
//
// Files record what every node answered when they were exported, and what-ifs start from that. Text
// says it of the inputs only, so that it is worked out once when the text has been read. Values
// with unbacked symbols of their own are left out: each run makes those anew.
#pragma once

#include "core/graph/program.h"
#include "core/graph/text/program_text.h"

namespace faketensor {

// Warns of annotations that say something else.
void record_example_values(Program& program, ProgramText& text);

}  // namespace faketensor
