// The options that propagate, info and later commands share, and the file they are about.
#pragma once

#include "core/command/command.h"
#include "core/command/options.h"
#include "core/formats/read_limits.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

// --set, --dynamic, --inputs, --device, --dtype, --memory-format, --literal, --assume, --target,
// --stop-at-first-error, --python-dispatcher. Raises UsageError.
RetargetOptions propagate_options(const Options& options, CommandIo& io);

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
