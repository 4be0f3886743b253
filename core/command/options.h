// Options of a subcommand: `--name VALUE`, `--name=VALUE`, flags, and what is left over.
//
//   Options options(args, {{"--set", true}, {"--check", false}});
//   for (const std::string& text : options.all("--set")) ...
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faketensor {

struct OptionSpec {
  std::string_view name;  // with its dashes
  bool takes_value = false;
};

class Options {
 public:
  // Raises UsageError for an option that is not among `specs`, or a value that is missing or
  // superfluous. "--" ends the options.
  Options(const std::vector<std::string>& args, std::initializer_list<OptionSpec> specs);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view name) const { return get(name).has_value(); }
  // The last value given; flags have the value "".
  std::optional<std::string> get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> given_;
  std::vector<std::string> positional_;
};

}  // namespace faketensor
