// A program whose graph was changed, as the JSON of an exported program.
//
// The graph is written by what it holds now (graph_writer.h); all else is the file's: the signature
// with the names that inputs and outputs have now, the module call graph, the guards, members that
// this version does not know. Symbols that came in get their ranges. A program that no file was read
// for, such as one of FX text, gets a signature and a module call graph of its own.
//
//   std::string text = program_text(FileSource("model.pt2"), "model.pt2");
//   const Program program = ...;                  // of the same file, whose graph passes have changed
//   const std::string written = write_program(program, *subject.graph, &text);
//
// Note [Names in the module call graph]
// Entries of modules whose calling convention was preserved name the values that they take and
// return. Where such a value has gone, the entry's signature goes too: without it the module is as
// any other, and with it the file could not be read.
#pragma once

#include <string>

#include "core/formats/read_limits.h"
#include "core/graph/program.h"

namespace faketensor {

// `graph` is one of `program`, with a placeholder for each of program.inputs and a value at each node.
// `file` is the text of the program that was read, which is spent; null: there is none. Raises
// Usage for what the schema has no form for (see GraphWriter), and Unreadable for a text that is no
// program.
std::string write_program(const Program& program, const Graph& graph, std::string* file,
                          const ReadLimits& limits = {});

}  // namespace faketensor
