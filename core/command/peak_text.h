// What is alive at a peak, as lines for people.
#pragma once

#include "core/analysis/peak_report.h"
#include "core/command/command.h"

namespace faketensor {

// Bytes as people read them, or an expression.
std::string size_text(SymInt bytes);
// "until backward of linear_3", "held to the end": why it is still alive.
std::string why_alive(const Run& run, const AliveStorage& each);
// "recompute gelu for mul": what would lower a peak.
std::string saving_text(const Run& run, const Saving& saving);
// Shares by kind, module, dtype and line of code, then what would lower the peak most.
void print_shares(const Run& run, const PeakReport& report, BufferedOut& out);
// The largest of what is alive with why it still is, without parameters, buffers and inputs.
void print_alive(const Run& run, const PeakReport& report, BufferedOut& out);

}  // namespace faketensor
