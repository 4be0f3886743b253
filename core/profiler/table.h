// The table of a profile, in PyTorch's layout: key_averages().table(...).
//
// Mirrors _build_table (torch/autograd/profiler_util.py) to the byte. Rows stand in the order of
// their list, or by `sort_by`, the largest first.
//
//   std::string text = table(events.key_averages({.input_shape = true}), {.row_limit = 10});
#pragma once

#include <string>

#include "core/profiler/function_event.h"

namespace faketensor {

struct TableOptions {
  // An attribute of FunctionEventAvg: "cpu_time_total", "self_cpu_memory_usage", "count", ...;
  // "cuda", "xpu" and "privateuse1" mean the device. Empty: as they come.
  std::string sort_by = {};
  int64_t row_limit = 100;  // -1: all
  int64_t max_src_column_width = 75;
  int64_t max_name_column_width = 55;
  int64_t max_shapes_column_width = 80;
  std::optional<std::string> header = {};
  bool top_level_events_only = false;
  std::string time_unit = {};  // "s", "ms", "us"; empty: what fits
  // Each time and percentage is a "*": tables of two runs can be compared.
  bool hide_times = false;
};

// Empty for a list without rows. Raises AttributeError for a `sort_by` that is no attribute.
std::string table(const AverageList& averages, const TableOptions& options = {});

}  // namespace faketensor
