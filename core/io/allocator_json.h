// What an allocator makes of a program, as JSON and as files for other programs.
#pragma once

#include <span>
#include <string>

#include "core/analysis/allocation_sequence.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// {"settings": "", "reserved": 25165824, "allocated": ..., "requested": ..., "device": reserved and
// the context}; "failed" with PyTorch's words and the node where the device had not enough.
void write_allocator_report(JsonWriter& json, const Run& run, const AllocatorReport& report);

// The pickle that torch.cuda.memory._dump_snapshot writes, for torch.cuda._memory_viz and
// pytorch.org/memory_viz: the segments at the end and the trace. The frame of an allocation is its
// node, where the file says so with the line of the user's code; times are numbers of events.
std::string allocator_snapshot(const Run& run, const AllocatorReport& report,
                               const AllocatorRecord& record);

// A line per node with its module, the bytes alive in storages and what the allocator holds.
std::string memory_csv(const ProgramCosts& costs, const AllocatorReport& report);

// The same as counters over the nodes, for chrome://tracing and Perfetto: a microsecond is a node.
std::string memory_chrome_trace(const ProgramCosts& costs, const AllocatorReport& report);

}  // namespace faketensor
