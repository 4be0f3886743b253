#include "core/command/options.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

Options::Options(const std::vector<std::string>& args, std::initializer_list<OptionSpec> specs) {
  bool only_positional = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (only_positional || !arg.starts_with("--")) {
      positional_.push_back(arg);
      continue;
    }
    if (arg == "--") {
      only_positional = true;
      continue;
    }
    const size_t equals = arg.find('=');
    const std::string_view name = std::string_view(arg).substr(0, equals);
    const auto* spec = std::find_if(specs.begin(), specs.end(),
                                    [&](const OptionSpec& s) { return s.name == name; });
    if (spec == specs.end())
      throw_error(ErrorKind::kUsage, format("there is no option '{}'; --help lists them", name));
    if (!spec->takes_value) {
      if (equals != std::string::npos)
        throw_error(ErrorKind::kUsage, format("option '{}' takes no value", name));
      given_.emplace_back(spec->name, "");
    } else if (equals != std::string::npos) {
      given_.emplace_back(spec->name, arg.substr(equals + 1));
    } else {
      if (i + 1 == args.size())
        throw_error(ErrorKind::kUsage, format("option '{}' needs a value", name));
      given_.emplace_back(spec->name, args[++i]);
    }
  }
}

std::optional<std::string> Options::get(std::string_view name) const {
  for (auto it = given_.rbegin(); it != given_.rend(); ++it) {
    if (it->first == name) return it->second;
  }
  return std::nullopt;
}

std::vector<std::string> Options::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [given, value] : given_) {
    if (given == name) values.push_back(value);
  }
  return values;
}

}  // namespace faketensor
