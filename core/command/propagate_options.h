// The options that propagate, info and later commands share, and the file they are about.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "core/command/command.h"
#include "core/command/options.h"
#include "core/devices/device_model.h"
#include "core/formats/read_limits.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

// The rows of the options that propagate_options and open_model read, for commands about one program,
// and the same before others:
//
//   constexpr auto kOptions = what_if_options_and({{"--over", "DIM", "..."}});
inline constexpr OptionRow kWhatIfOptions[] = {
    {"--set", "DIM=N", "as for propagate, and so are the options up to --memory-limit"},
    {"--dynamic", "DIM[=N..M]", ""},
    {"--inputs", "FILE", ""},
    {"--dtype", "T", ""},
    {"--device", "D", ""},
    {"--memory-format", "F", ""},
    {"--literal", "", ""},
    {"--assume", "SITE=CHOICE", ""},
    {"--target", "T", ""},
    {"--stop-at-first-error", "", ""},
    {"--python-dispatcher", "", ""},
    {"--memory-limit", "N", ""},
};
template <size_t N>
consteval auto what_if_options_and(const OptionRow (&more)[N]) {
  std::array<OptionRow, std::size(kWhatIfOptions) + N> rows;
  std::copy(std::begin(kWhatIfOptions), std::end(kWhatIfOptions), rows.begin());
  std::copy(more, more + N, rows.end() - N);
  return rows;
}

// 512, 8k, 2m: a size of a dimension; nothing for other text.
std::optional<int64_t> parse_size(std::string_view text);

// --set, --dynamic, --inputs, --device, --dtype, --memory-format, --literal, --assume, --target,
// --stop-at-first-error, --python-dispatcher. Raises UsageError.
RetargetOptions propagate_options(const Options& options, CommandIo& io);

// What --target names: a preset, or a path that ends in .yaml or .yml. Raises UsageError for a name
// that there is not, and what read_target_file raises.
DeviceModel open_target(const std::string& target, CommandIo& io);

// The same, of a device: raises UsageError for a target without hardware.
DeviceModel open_hardware(const std::string& target, CommandIo& io);

// --depth, 4 unless given. Raises UsageError.
size_t module_depth(const Options& options);

// Says on standard error how many nodes a report is without. Returns the command's exit code.
int report_problems(const Run& run, CommandIo& io);

// --dynamic alone. Raises UsageError.
std::map<std::string, DynamicDim> dynamic_dims(const Options& options);

// --memory-limit, as every command that opens a program has it. Raises UsageError.
ReadLimits read_limits(const Options& options);

// An option that takes a number of bytes, or as many K, M or G; none where it is not given. Raises
// UsageError.
std::optional<uint64_t> bytes_option(const Options& options, std::string_view name);

// The program in a file, within --memory-limit.
Program open_model(const std::string& path, const Options& options, CommandIo& io);

// A bar on standard error, where that is a terminal: the `progress` of PropagateOptions.
std::function<bool(size_t, size_t)> progress_bar(CommandIo& io, std::string_view what);

}  // namespace faketensor
