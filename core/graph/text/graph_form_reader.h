// The reader of graphs as str(torch.fx.Graph) prints them (graph_text.h), for read_program_text.
#pragma once

#include "core/graph/text/program_builder.h"

namespace faketensor {

bool looks_like_graph_form(std::string_view text);

// A line that cannot be read is a problem of the text; its name stands for a value that nobody
// knows.
void read_graph_form(TextProgramBuilder& builder);

}  // namespace faketensor
