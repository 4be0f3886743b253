// The bytes alive over time by PyTorch's categories: what prof.export_memory_timeline() writes.
//
// Mirrors MemoryProfile and MemoryProfileTimeline (torch/profiler/_memory_profiler.py) over the
// records of a run: a node is a root of PyTorch's data flow, storages are its keys, and categories
// follow by its rules. Parameters are known from the program, so nothing is guessed of them. Of a
// forward pass there are parameters, inputs, activations and temporaries; a storage of which the
// rules say nothing (of a program without parameters, for example) is of no category, there as here.
// Times are nanoseconds since the first event of the trace, so both files agree.
//
//   const auto timeline = memory_events(costs, tracer.finish(answer.run), true);
//   std::string json = memory_timeline_json(timeline, main_device(timeline));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/program_costs.h"
#include "core/profiler/event_recorder.h"
#include "core/profiler/function_event.h"
#include "core/profiler/memory_categories.h"

namespace faketensor {

// Numbers are those in the files (_ACTION_TO_INDEX).
enum class MemoryAction : uint8_t { kPreexisting = 1, kCreate, kIncrementVersion, kDestroy };
struct TimelineEvent {
  int64_t time_ns = -1;  // -1: before the program
  MemoryAction action = MemoryAction::kCreate;
  int64_t bytes = 0;
  MemoryCategory category = MemoryCategory::kNone;
  Device device;
};

// In the order in which they happen. `events`: of the same program's trace (RunTracer::finish). `on_device`:
// a storage comes when its kernel begins and goes when the last that reads it has ended, on the
// simulated stream; else by the engine's own times. Sizes that are symbols count by their hints.
std::vector<TimelineEvent> memory_events(const ProgramCosts& costs,
                                         const std::vector<FunctionEvent>& events, bool on_device);

// The same of the calls that were recorded with record_shapes. What requires a gradient and was there
// before is a parameter. A storage goes with the last call that has it, as nobody says when a program
// lets go of it; what was there before stays, and what that call returns.
std::vector<TimelineEvent> memory_events(const EventRecorder& recorder);

// The first GPU that holds anything, else the CPU: PyTorch's choice where none is named.
Device main_device(std::span<const TimelineEvent> events);

// "[times, sizes]": microseconds, and for each the bytes by category with a 0 before them.
std::string memory_timeline_json(std::span<const TimelineEvent> events, Device device);
// "[[time, action, bytes, category], ...]", in nanoseconds.
std::string raw_memory_timeline_json(std::span<const TimelineEvent> events, Device device);

// What is to be written to a file of that name, as export_memory_timeline chooses by its suffix:
// ".raw.json.gz", ".json.gz", and the points as plain JSON for every other. Raises UsageError for
// ".html", the picture that PyTorch draws with matplotlib.
std::string memory_timeline_file(std::span<const TimelineEvent> events, Device device,
                                 std::string_view path);

}  // namespace faketensor
