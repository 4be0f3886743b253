#include "core/command/options.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

std::string option_lines(std::span<const OptionRow> rows) {
  constexpr size_t kBefore = 2, kGap = 3;
  const auto shown = [](const OptionRow& row) {
    return std::string(row.name).append(row.argument.empty() ? "" : " ").append(row.argument);
  };
  size_t column = 0;
  for (const OptionRow& row : rows) column = std::max(column, kBefore + shown(row).size() + kGap);
  std::string text;
  for (const OptionRow& row : rows) {
    std::string line = std::string(kBefore, ' ') + shown(row);
    for (std::string_view meaning = row.meaning; !meaning.empty();) {
      const size_t end = std::min(meaning.find('\n'), meaning.size());
      line.resize(column, ' ');
      text += line.append(meaning.substr(0, end)).append("\n");
      line.clear();
      meaning.remove_prefix(std::min(end + 1, meaning.size()));
    }
  }
  return text;
}

Options::Options(const std::vector<std::string>& args, std::span<const OptionRow> rows) {
  bool only_positional = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    const bool is_short = std::any_of(rows.begin(), rows.end(),
                                      [&](const OptionRow& other) { return other.name == arg; });
    if (only_positional || (!arg.starts_with("--") && !is_short)) {
      positional_.push_back(arg);
      continue;
    }
    if (arg == "--") {
      only_positional = true;
      continue;
    }
    const size_t equals = arg.find('=');
    const std::string_view name = std::string_view(arg).substr(0, equals);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const OptionRow& other) { return other.name == name; });
    if (row == rows.end())
      throw_error(ErrorKind::kUsage, format("there is no option '{}'; --help lists them", name));
    if (row->argument.empty()) {
      if (equals != std::string::npos)
        throw_error(ErrorKind::kUsage, format("option '{}' takes no value", name));
      given_.emplace_back(row->name, "");
    } else if (equals != std::string::npos) {
      given_.emplace_back(row->name, arg.substr(equals + 1));
    } else {
      const bool takes_two = row->argument.find(' ') != std::string_view::npos;
      if (i + (takes_two ? 2 : 1) >= args.size())
        throw_error(ErrorKind::kUsage,
                    format("option '{}' needs {}", name, takes_two ? "two values" : "a value"));
      given_.emplace_back(row->name, args[++i]);
      if (takes_two) given_.back().second.append("\n").append(args[++i]);
    }
  }
}

std::optional<std::string> Options::get(std::string_view name) const {
  for (auto it = given_.rbegin(); it != given_.rend(); ++it) {
    if (it->first == name) return it->second;
  }
  return std::nullopt;
}

std::string Options::choice(std::string_view name,
                            std::initializer_list<std::string_view> words) const {
  const std::string given = get(name).value_or(std::string(*words.begin()));
  if (std::find(words.begin(), words.end(), given) != words.end()) return given;
  std::string all;
  for (const std::string_view& word : words) {
    const bool is_last = &word == words.end() - 1;
    all += format("{}{}", all.empty() ? "" : is_last ? " or " : ", ", word);
  }
  throw_error(ErrorKind::kUsage, format("{} is {}, not '{}'", name, all, given));
}

std::vector<std::string> Options::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [given, value] : given_) {
    if (given == name) values.push_back(value);
  }
  return values;
}

}  // namespace faketensor
