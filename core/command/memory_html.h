// `faketensor memory --html FILE`: who holds the peak, as one HTML file.
//
// The file needs nothing else: no scripts, no requests, its chart is SVG. What a program or a user
// named is escaped.
#pragma once

#include "core/analysis/program_costs.h"
#include "core/analysis/training_step.h"
#include "core/command/command.h"
#include "core/command/options.h"

namespace faketensor {

// To where --html says; nothing without it. With the allocator's answer for the settings that
// --allocator names, else for several.
void write_memory_html(const Options& options, const ProgramCosts& costs, CommandIo& io);
void write_memory_html(const Options& options, const TrainingStep& step, CommandIo& io);

// The text as it stands in an element or a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace faketensor
