// Options of a subcommand: `--name VALUE`, `--name=VALUE`, flags, and what is left over.
//
// A subcommand's options are rows, by which its arguments are read and its help is printed:
//
//   constexpr OptionRow kOptions[] = {
//       {"--set", "DIM=N", "another size"},
//       {"--check", "", "compare with the recorded values instead"},
//   };
//   const Options options(args, kOptions);
//   for (const std::string& text : options.all("--set")) ...
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faketensor {

struct OptionRow {
  std::string_view name;  // with its dashes; one dash for a single letter
  // What stands for its value in the help; empty: a flag. Two words are two values, which come as
  // one with a line end between them.
  std::string_view argument;
  std::string_view meaning;  // for the help, its lines without indentation
};

// The rows as lines of a help text, their meanings in one column.
std::string option_lines(std::span<const OptionRow> rows);

class Options {
 public:
  // Raises UsageError for an option that is not among `rows`, or a value that is missing or
  // superfluous. "--" ends the options.
  Options(const std::vector<std::string>& args, std::span<const OptionRow> rows);

  const std::vector<std::string>& positional() const { return positional_; }
  bool has(std::string_view name) const { return get(name).has_value(); }
  // The last value given; flags have the value "".
  std::optional<std::string> get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
  // The value of an option that takes one of a few words, of which the first is the default. Raises
  // UsageError for another word.
  std::string choice(std::string_view name, std::initializer_list<std::string_view> words) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> given_;
  std::vector<std::string> positional_;
};

}  // namespace faketensor
