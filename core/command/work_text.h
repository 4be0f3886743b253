// What programs compute and move as people read it: `flops --all`, and the columns of `time`.
#pragma once

#include "core/analysis/program_work.h"
#include "core/command/command.h"

namespace faketensor {

// Operations for each byte read or written, "-" where there are no bytes: "12.3". Symbolic sizes count
// by their hints.
std::string intensity_text(const WorkSum& sum);

// Modules as deep as `depth` with what is below them: their parameters, PyTorch's FLOPs (`counted`,
// by ModuleId), all FLOPs, bytes and intensity; then the kinds of operators.
void print_work(const ProgramWork& work, std::span<const SymInt> counted, size_t depth,
                BufferedOut& out);
// A line per node that has any work, then one of the total.
void print_work_lines(const ProgramWork& work, SymInt counted, BufferedOut& out);

}  // namespace faketensor
