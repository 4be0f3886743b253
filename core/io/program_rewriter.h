// The JSON of an exported program written anew: as it is, or as the program that a what-if made of
// it.
//
// The file is the pattern: each member is copied, those that this version does not know included,
// and what has changed is written in its place: arguments of nodes, nodes that compute sizes, the
// values of all nodes, the ranges of symbols. So what is read and written without a what-if is equal
// JSON, and what PyTorch's deserialiser makes of it is the same program. Event-based, as the reader
// is: one node is held at a time, and the text that is written.
//
//   const std::string written = rewrite_file(FileSource("model.pt2"), "model.pt2", {});
#pragma once

#include <string>
#include <string_view>

#include "core/formats/byte_source.h"
#include "core/formats/read_limits.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

// What a what-if answered for the program in the text.
struct ChangedRun {
  const Run* run = nullptr;  // null: there is none; it shows bodies (bodies.h) where there are some
  const ArgumentChanges* changes = nullptr;
};

// `text` is spent. Raises Unreadable for what is no program, and Usage for what a what-if made of
// one that cannot be written: problems, a graph of a higher-order operator that was not run, or that
// became different things where it is called, and files older than names of nodes (PyTorch 2.9).
std::string rewrite_program(std::string& text, const ChangedRun& what_if, const ReadLimits& limits);

// The same of the program in a file of any kind that `open_program` reads (open.h), which it throws
// like.
std::string rewrite_file(const ByteSource& source, std::string_view name, const ChangedRun& what_if,
                         const ReadLimits& limits = {}, std::string_view model = {});

}  // namespace faketensor
