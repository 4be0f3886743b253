// The part of `faketensor memory` that is about the caching allocator: --allocator, --device-memory,
// and the files --snapshot, --csv and --chrome-trace.
#pragma once

#include "core/analysis/allocation_sequence.h"
#include "core/analysis/program_costs.h"
#include "core/command/command.h"

namespace faketensor {

// Before anything is read: raises UsageError for settings that PyTorch refuses, in its words.
void check_allocator_options(const Options& options);

// What each of the settings that --allocator names makes of the program, PyTorch's own first; nothing
// without the option.
void print_allocator(const Options& options, const ProgramCosts& costs, bool as_json,
                     BufferedOut& out);

// Under the settings that --allocator names, PyTorch's own first; several that are worth comparing
// without it.
std::vector<AllocatorReport> allocator_reports(const Options& options,
                                               const AllocationSequence& sequence);

// Whether standard output is for one of the files, and the report is left out.
bool writes_file_out(const Options& options);

// Under the settings that --allocator named last. Raises Unreadable where one cannot be written.
void write_memory_files(const Options& options, const ProgramCosts& costs, CommandIo& io);

}  // namespace faketensor
