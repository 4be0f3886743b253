#include "core/command/propagate_options.h"

#include <cstdlib>

#include "core/devices/presets.h"
#include "core/devices/target_file.h"
#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/io/open.h"
#include "core/io/options_json.h"
#include "core/support/format.h"

namespace faketensor {

// 8k is 8192, as lengths are said; 2m is 2 * 1024 * 1024.
std::optional<int64_t> parse_size(std::string_view text) {
  std::string digits(text);
  int shift = 0;
  if (digits.size() > 1 && (digits.back() == 'k' || digits.back() == 'm')) {
    shift = digits.back() == 'k' ? 10 : 20;
    digits.pop_back();
  }
  constexpr size_t kMostDigits = 12;  // with a suffix: still no overflow
  if (digits.empty() || digits.size() > (shift == 0 ? 18 : kMostDigits) ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return int64_t{std::strtoll(digits.c_str(), nullptr, 10)} << shift;
}

namespace {

// "batch=4", "seq=8k" as a member of "dims".
void add_dimension(Json& dims, const std::string& text) {
  const size_t equals = text.rfind('=');
  const std::optional<int64_t> size = equals == std::string::npos
                                          ? std::nullopt
                                          : parse_size(std::string_view(text).substr(equals + 1));
  if (!size) {
    throw_error(
        ErrorKind::kUsage,
        format("--set takes DIM=N, as in --set batch=4, --set x.1=128 or --set seq=8k, not '{}'",
               text));
  }
  dims[text.substr(0, equals)] = *size;
}

int64_t parsed_size(std::string_view text, std::string_view option) {
  const std::optional<int64_t> size = parse_size(text);
  if (!size) throw_error(ErrorKind::kUsage, format("'{}' is no size in '{}'", text, option));
  return *size;
}

// "batch", "seq=1..8k" as a member of "dynamic".
void add_dynamic(Json& dynamic, const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    dynamic[text] = true;
    return;
  }
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const size_t dots = range.find("..");
  if (dots == std::string_view::npos)
    throw_error(
        ErrorKind::kUsage,
        format("--dynamic takes DIM or DIM=N..M, as in --dynamic batch=1..64, not '{}'", text));
  dynamic[text.substr(0, equals)] = {parsed_size(range.substr(0, dots), text),
                                     parsed_size(range.substr(dots + 2), text)};
}

// "view_3.1=literal" as a member of "assume".
void add_assumption(Json& assume, const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw_error(
        ErrorKind::kUsage,
        format("--assume takes SITE=CHOICE, as in --assume view_3.1=literal, not '{}'", text));
  }
  assume[text.substr(0, equals)] = text.substr(equals + 1);
}

// The "inputs" of a file as members of "inputs".
void add_inputs(Json& inputs, const std::string& path, CommandIo& io) {
  // A number of two bytes becomes a value of sixteen, so far less is taken than of a program.
  ReadLimits limits;
  limits.max_text_bytes = uint64_t{1} << 24;
  const std::unique_ptr<ByteSource> source = io.open(path);
  const Json document = parse_json(read_text(*source, limits), path);
  const Json* given = find_member(document, "inputs");
  if (given == nullptr || !given->is_object())
    throw_error(ErrorKind::kUnreadable, format("{}: {\"inputs\": {NAME: TENSOR}} expected", path));
  inputs.update(*given);
}

}  // namespace

DeviceModel open_target(const std::string& target, CommandIo& io) {
  if (!is_target_path(target)) return device_named(target);
  ReadLimits limits;
  limits.max_text_bytes = uint64_t{1} << 20;
  return read_target_file(read_text(*io.open(target), limits), target).model;
}

DeviceModel open_hardware(const std::string& target, CommandIo& io) {
  DeviceModel device = open_target(target, io);
  if (!device.hardware)
    throw_error(ErrorKind::kUsage,
                format("target '{}' is a PyTorch without a device; name one of {}, or a file that "
                       "ends in .yaml",
                       target, preset_names()));
  return device;
}

size_t module_depth(const Options& options) {
  constexpr size_t kUsual = 4;
  const std::optional<std::string> text = options.get("--depth");
  if (!text) return kUsual;
  const std::optional<int64_t> depth = parse_size(*text);
  if (!depth) throw_error(ErrorKind::kUsage, format("--depth takes a number, not '{}'", *text));
  return static_cast<size_t>(*depth);
}

int report_problems(const Run& run, CommandIo& io) {
  const std::span<const Problem> problems = run.problems();
  if (problems.empty()) return kExitFine;
  io.write_error(
      format("faketensor: {} nodes have no answer and are not counted; the first is {}: {}\n",
             problems.size() + run.count(NodeStatus::kNotReached),
             run.plan().name_of(problems[0].node), problems[0].message));
  return kExitErrors;
}

std::map<std::string, DynamicDim> dynamic_dims(const Options& options) {
  Json given = Json::object();
  for (const std::string& text : options.all("--dynamic")) add_dynamic(given["dynamic"], text);
  return read_propagate_options(given).dynamic;
}

RetargetOptions propagate_options(const Options& options, CommandIo& io) {
  Json given = Json::object();
  for (const std::string& text : options.all("--set")) add_dimension(given["dims"], text);
  for (const std::string& text : options.all("--assume")) add_assumption(given["assume"], text);
  for (const std::string& path : options.all("--inputs")) add_inputs(given["inputs"], path, io);
  constexpr std::pair<std::string_view, const char*> kTexts[] = {
      {"--device", "device"}, {"--dtype", "dtype"}, {"--memory-format", "memoryFormat"}};
  for (const auto& [option, name] : kTexts) {
    if (const std::optional<std::string> text = options.get(option)) given[name] = *text;
  }
  given["literal"] = options.has("--literal");
  given["stopAtFirstError"] = options.has("--stop-at-first-error");
  given["pythonDispatcher"] = options.has("--python-dispatcher");
  RetargetOptions result = read_propagate_options(given);
  if (const std::optional<std::string> target = options.get("--target"))
    result.target = open_target(*target, io).target;
  result.dynamic = dynamic_dims(options);
  result.progress = progress_bar(io, "propagating");
  return result;
}

std::optional<uint64_t> bytes_option(const Options& options, std::string_view name) {
  const std::optional<std::string> text = options.get(name);
  if (!text) return std::nullopt;
  constexpr std::string_view kUnits = "KMG";
  std::string digits = *text;
  int shift = 0;
  if (!digits.empty()) {
    const size_t unit = kUnits.find(digits.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      digits.pop_back();
    }
  }
  constexpr size_t kMostDigits = 10;  // of gigabytes: still no overflow
  if (digits.empty() || digits.size() > (shift == 0 ? 18 : kMostDigits) ||
      digits.find_first_not_of("0123456789") != std::string::npos ||
      digits.find_first_not_of('0') == std::string::npos) {
    throw_error(
        ErrorKind::kUsage,
        format("{} takes bytes, or as many K, M or G, as in {} 512M, not '{}'", name, name, *text));
  }
  return std::strtoull(digits.c_str(), nullptr, 10) << shift;
}

ReadLimits read_limits(const Options& options) {
  ReadLimits limits;
  if (const std::optional<uint64_t> bytes = bytes_option(options, "--memory-limit"))
    limits.max_memory_bytes = *bytes;
  return limits;
}

Program open_model(const std::string& path, const Options& options, CommandIo& io) {
  const std::unique_ptr<ByteSource> source = io.open(path);
  const size_t slash = path.rfind('/');
  return open_program(*source, slash == std::string::npos ? path : path.substr(slash + 1),
                      read_limits(options));
}

std::function<bool(size_t, size_t)> progress_bar(CommandIo& io, std::string_view what) {
  if (!io.error_is_terminal()) return {};
  constexpr size_t kWorthShowing = 20000;  // nodes; fewer are done before a bar could be read
  constexpr size_t kCells = 40;
  return [&io, what](size_t done, size_t total) {
    if (total < kWorthShowing) return true;
    const size_t filled = kCells * done / total;
    std::string bar = format("\r{} [{}{}] {}%", what, std::string(filled, '#'),
                             std::string(kCells - filled, ' '), 100 * done / total);
    if (done == total) bar = "\r" + std::string(bar.size(), ' ') + "\r";
    io.write_error(bar);
    return true;
  };
}

}  // namespace faketensor
