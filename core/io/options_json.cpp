#include "core/io/options_json.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/devices/presets.h"
#include "core/devices/target_file.h"
#include "core/io/profile_json.h"
#include "core/io/value_json.h"
#include "core/profiles/extended.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr ErrorKind kUsage = ErrorKind::kUsage;

[[noreturn]] void unknown_option(std::string_view name) {
  throw_error(kUsage, format("unknown option '{}'", name));
}

template <typename T>
T parsed(std::string_view what, const Json& given, std::optional<T> (*parse)(std::string_view)) {
  const std::string& text = text_of(given, what, kUsage);
  const std::optional<T> value = parse(text);
  if (!value) throw_error(kUsage, format("unknown {} '{}'", what, text));
  return *value;
}

Target read_target(const Json& given) { return read_device_model(given).target; }

// The readers shared with files raise Unreadable; what a caller gave is a UsageError here.
template <typename Read>
auto as_usage(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnreadable) throw;
    throw_error(kUsage, error.message());
  }
}

// True, or [lower, upper].
DynamicDim read_dynamic_range(const Json& given, const std::string& name) {
  DynamicDim dim;
  if (given.is_boolean() && given.get<bool>()) return dim;
  if (!given.is_array() || given.size() != 2)
    throw_error(kUsage, format("{} is true or [lower, upper]", name));
  const int64_t lower = integer_of(given[0], name, kUsage);
  const int64_t upper = integer_of(given[1], name, kUsage);
  if (lower < 0 || upper < lower)
    throw_error(kUsage, format("{}: no sizes in [{}, {}]", name, lower, upper));
  dim.range = ValueRange::ints(lower, upper);
  return dim;
}

void read_propagate_option(RetargetOptions& options, const std::string& name, const Json& value) {
  if (name == "dims") {
    for (const auto& [dim, size] : object_of(value, name, kUsage).items())
      options.dims[dim] = integer_of(size, "dims." + dim, kUsage);
  } else if (name == "dynamic") {
    for (const auto& [dim, range] : object_of(value, name, kUsage).items())
      options.dynamic[dim] = read_dynamic_range(range, "dynamic." + dim);
  } else if (name == "inputs") {
    options.inputs = as_usage([&] { return read_overrides(value); });
  } else if (name == "dtype") {
    options.dtype = parsed("dtype", value, &parse_dtype);
  } else if (name == "device") {
    options.device = parsed("device", value, &parse_device).normalized();
  } else if (name == "memoryFormat") {
    options.memory_format = parsed("memory format", value, &parse_memory_format);
  } else if (name == "target") {
    options.target = read_target(value);
  } else if (name == "pythonDispatcher") {
    options.python_dispatcher = bool_of(value, name, kUsage);
  } else if (name == "stopAtFirstError") {
    options.stop_at_first_error = bool_of(value, name, kUsage);
  } else if (name == "literal") {
    options.literal = bool_of(value, name, kUsage);
  } else if (name == "assume") {
    for (const auto& [site, choice] : object_of(value, name, kUsage).items())
      options.assume[site] = text_of(choice, "assume." + site, kUsage);
  } else if (name == "profiles") {
    options.prepare = answer_by_profiles(read_profiles_or_yaml(value));
  } else {
    unknown_option(name);
  }
}

}  // namespace

DeviceModel device_named(std::string_view name) {
  if (const std::optional<DeviceModel> preset = device_preset(name)) return *preset;
  throw_error(kUsage, format("unknown target '{}'; there are {}, and files that end in .yaml", name,
                             preset_names()));
}

Target target_named(std::string_view name) { return device_named(name).target; }

DeviceModel read_device_model(const Json& given) {
  const std::string& text = text_of(given, "target", kUsage);
  if (text.find('\n') == std::string::npos) return device_named(text);
  return as_usage([&] { return read_target_file(text, "target").model; });
}

RetargetOptions read_propagate_options(const Json& given) {
  RetargetOptions options;
  for (const auto& [name, value] : object_of(given, "options", kUsage).items())
    read_propagate_option(options, name, value);
  return options;
}

ModeOptions read_mode_options(const Json& given) {
  ModeOptions options;
  for (const auto& [name, value] : object_of(given, "options", kUsage).items()) {
    if (name == "target") {
      options.target = read_target(value);
    } else if (name == "shapeEnv") {
      if (value.is_object()) {
        options.shape_env = read_shape_env_options(value);
      } else if (bool_of(value, name, kUsage)) {
        options.shape_env.emplace();
      }
    } else {
      unknown_option(name);
    }
  }
  return options;
}

ShapeEnvOptions read_shape_env_options(const Json& given) {
  ShapeEnvOptions options;
  const std::pair<std::string_view, bool&> known[] = {
      {"allow_scalar_outputs", options.allow_scalar_outputs},
      {"allow_dynamic_output_shape_ops", options.allow_dynamic_output_shape_ops},
      {"assume_static_by_default", options.assume_static_by_default},
      {"specialize_zero_one", options.specialize_zero_one},
      {"duck_shape", options.duck_shape},
      {"trace_asserts", options.trace_asserts},
      {"prefer_deferred_runtime_asserts_over_guards",
       options.prefer_deferred_runtime_asserts_over_guards},
  };
  for (const auto& item : object_of(given, "shapeEnv", kUsage).items()) {
    const std::string& name = item.key();
    const auto row = std::find_if(std::begin(known), std::end(known),
                                  [&](const auto& option) { return option.first == name; });
    if (row == std::end(known)) unknown_option("shapeEnv." + name);
    row->second = bool_of(item.value(), "shapeEnv." + name, kUsage);
  }
  return options;
}

Target read_session_options(const Json& given) {
  Target target;
  for (const auto& [name, value] : object_of(given, "options", kUsage).items()) {
    if (name != "target") unknown_option(name);
    target = read_target(value);
  }
  return target;
}

OpProfiles read_profiles_or_yaml(const Json& given) {
  if (!given.is_string()) return as_usage([&] { return read_profiles(given); });
  const std::string& text = given.get_ref<const std::string&>();
  return lint_profiles(text).empty() ? read_extended_profiles(text) : load_op_profiles(text);
}

std::vector<SymbolSetting> read_symbol_settings(const Json& given) {
  std::vector<SymbolSetting> settings;
  for (const auto& [symbol, value] : object_of(given, "symbols", kUsage).items()) {
    const std::string name = "symbols." + symbol;
    const bool is_range = value.is_array() && value.size() == 2;
    const int64_t lower = integer_of(is_range ? value[0] : value, name, kUsage);
    const int64_t upper = is_range ? integer_of(value[1], name, kUsage) : lower;
    settings.push_back({symbol, lower, upper});
  }
  return settings;
}

WhatIfQuestion read_what_if(const Json& given) {
  WhatIfQuestion question;
  question.symbols = read_symbol_settings(member(given, "symbols", kUsage));
  question.nodes = read_texts(member(given, "nodes", kUsage), "nodes");
  return question;
}

std::vector<std::string> read_texts(const Json& list, std::string_view name) {
  std::vector<std::string> texts;
  for (const Json& text : list_of(list, name, kUsage)) texts.push_back(text_of(text, name, kUsage));
  return texts;
}

std::vector<uint32_t> read_indices(const Json& list, std::string_view name) {
  std::vector<uint32_t> indices;
  for (const Json& given : list_of(list, name, kUsage)) {
    const int64_t index = integer_of(given, name, kUsage);
    if (index < 0 || index > int64_t{UINT32_MAX}) refuse_json(name, "an index", given, kUsage);
    indices.push_back(static_cast<uint32_t>(index));
  }
  return indices;
}

}  // namespace faketensor
