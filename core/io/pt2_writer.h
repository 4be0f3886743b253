// A .pt2 written anew: its program as rewrite_program writes it, all else copied through, piece by
// piece and without being unpacked: weights, constants, and the sample inputs of the first export.
// A program that has none of these, of a file that is no archive, gets an archive of its own.
//
//   write_pt2(FileSource("model.pt2"), {&answer.run, &changes}, {}, sink);
#pragma once

#include "core/formats/byte_sink.h"
#include "core/io/program_rewriter.h"

namespace faketensor {

// The archive's main model is the one that is written anew. Raises as rewrite_program and
// open_program do, and Usage for a source that is no archive and whose program has weights (JSON and
// text have none), and for a what-if that gives parameters, buffers or constants other dtypes,
// devices or sizes than the file's bytes have.
void write_pt2(const ByteSource& source, const ChangedRun& what_if, const ReadLimits& limits,
               ByteSink& sink);

// The same with the JSON of the program given.
void write_pt2(const ByteSource& source, std::string_view program, const ReadLimits& limits,
               ByteSink& sink);

// Raises Usage where the bytes that a weight had do not fit what it has become.
void check_weight(std::string_view name, const TensorMeta* was, const TensorMeta& is);
// The same of all weights of a run.
void check_weights(const Run& run);

}  // namespace faketensor
