#include "core/passes/source_text.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <vector>

namespace faketensor {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether the text stands there and no longer word continues it.
bool has(std::string_view line, std::string_view text) {
  for (size_t at = line.find(text); at != std::string_view::npos; at = line.find(text, at + 1)) {
    const size_t end = at + text.size();
    if (end == line.size() || !is_word(text.back()) || !is_word(line[end])) return true;
  }
  return false;
}

template <size_t N>
bool has_any(std::string_view line, const std::string_view (&texts)[N]) {
  return std::any_of(std::begin(texts), std::end(texts),
                     [&](std::string_view text) { return has(line, text); });
}

Says says(bool keeps, bool follows) {
  if (keeps && follows) return Says::kBoth;
  if (keeps) return Says::kKeeps;
  return follows ? Says::kFollows : Says::kNothing;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// What a call hands over, and whether it ends on the line.
struct CallText {
  std::vector<std::string_view> arguments;
  bool is_found = false;
  bool is_whole = false;
  bool is_torch = false;  // torch.tile(x, ...) and not x.tile(...)
};

// The elements of what stands behind an opening parenthesis, up to the one that closes it.
CallText read_list(std::string_view text) {
  CallText call;
  call.is_found = true;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size() && !call.is_whole; ++i) {
    const char c = text[i];
    const bool closes = c == ')' || c == ']' || c == '}';
    if (depth == 0 && (c == ',' || closes)) {
      const std::string_view argument = trimmed(text.substr(begin, i - begin));
      if (!argument.empty()) call.arguments.push_back(argument);
      begin = i + 1;
      call.is_whole = closes;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : closes ? -1 : 0;
  }
  return call;
}

CallText read_call(std::string_view line, std::string_view function) {
  for (size_t at = line.find(function); at != std::string_view::npos;
       at = line.find(function, at + 1)) {
    const size_t end = at + function.size();
    if ((at > 0 && is_word(line[at - 1])) || end >= line.size() || line[end] != '(') continue;
    CallText call = read_list(line.substr(end + 1));
    call.is_torch = line.substr(0, at).ends_with("torch.");
    return call;
  }
  return {};
}

bool is_list(std::string_view text) { return text.starts_with('(') || text.starts_with('['); }

// Of functions that take a tensor first when they are called as torch's.
bool takes_self(std::string_view function) {
  constexpr std::string_view kNames[] = {"tile", "repeat_interleave", "broadcast_to", "reshape"};
  return std::find(std::begin(kNames), std::end(kNames), function) != std::end(kNames);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string_view code_line(std::string_view trace) {
  while (!trace.empty() && std::isspace(static_cast<unsigned char>(trace.back())) != 0)
    trace.remove_suffix(1);
  const size_t begin = trace.rfind('\n');
  std::string_view line = begin == std::string_view::npos ? trace : trace.substr(begin + 1);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  return line.starts_with("File \"") ? std::string_view() : line;
}

Says said_of_dtype(std::string_view line) {
  constexpr std::string_view kConstants[] = {".float()",       "torch.float",   "torch.float32",
                                             ".double()",      "torch.float64", "torch.double",
                                             "torch.float16",  "torch.half",    ".half()",
                                             "torch.bfloat16", ".bfloat16()"};
  constexpr std::string_view kOfTensors[] = {".dtype", "dtype=dtype", "_dtype", ".type_as(",
                                             "(dtype)"};
  return says(has_any(line, kConstants), has_any(line, kOfTensors));
}

Says said_of_device(std::string_view line, std::string_view function) {
  const CallText call = read_call(line, function);
  const bool casts = function == "to" || function == "_to_copy";
  if (call.is_found && call.is_whole && !casts) {
    const bool has_device =
        std::any_of(call.arguments.begin(), call.arguments.end(), [](std::string_view argument) {
          return argument.starts_with("device") || argument.starts_with("**");
        });
    return says(!has_device, has_device);
  }
  return says(false, line.find("device") != std::string_view::npos);
}

std::string_view written_size(std::string_view line, std::string_view function, size_t element) {
  CallText call = read_call(line, function);
  std::vector<std::string_view>& arguments = call.arguments;
  if (function == "interpolate") {
    constexpr std::string_view kSize = "size=";
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](std::string_view a) { return a.starts_with(kSize); });
    if (found == arguments.end()) return {};
    const std::string_view size = found->substr(kSize.size());
    if (!is_list(size)) return size;
    arguments = read_list(size.substr(1)).arguments;
  } else {
    if (call.is_torch && takes_self(function) && !arguments.empty())
      arguments.erase(arguments.begin());
    if (!arguments.empty() && is_list(arguments[0]))
      arguments = read_list(arguments[0].substr(1)).arguments;
  }
  if (element >= arguments.size()) return {};
  const std::string_view text = arguments[element];
  const size_t equals = text.find('=');
  return equals == std::string_view::npos ? text : std::string_view();
}

WrittenSize read_size(std::string_view text) {
  using Kind = WrittenSize::Kind;
  if (text.empty()) return {};
  if (is_number(text)) return {Kind::kNumber};
  size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '.')) ++end;
  std::string_view path = text.substr(0, end);
  std::string_view rest = text.substr(end);
  for (const auto& [word, open, close] :
       {std::tuple(std::string_view(".shape"), '[', ']'), {std::string_view(".size"), '(', ')'}}) {
    if (!path.ends_with(word) || rest.size() < 3 || rest[0] != open || rest.back() != close)
      continue;
    std::string_view digits = rest.substr(1, rest.size() - 2);
    const bool is_negative = digits.starts_with('-');
    if (is_negative) digits.remove_prefix(1);
    if (!is_number(digits) || digits.size() > 1) return {Kind::kExpression};
    const int64_t dim = digits[0] - '0';
    return {Kind::kDimension, path.substr(0, path.size() - word.size()), is_negative ? -dim : dim};
  }
  if (rest.empty() && path.starts_with("self.")) return {Kind::kAttribute};
  return {Kind::kExpression};
}

namespace {

// What opens the element that ends there: its bracket, or the comma before it.
size_t opened_before(std::string_view line, size_t end) {
  int depth = 0;
  for (size_t i = end; i-- > 0;) {
    const char c = line[i];
    if (c == ']' || c == ')') ++depth;
    const bool opens = c == '[' || c == '(' || c == '{';
    if (depth == 0 && (opens || c == ',')) return i;
    if (opens) --depth;
  }
  return std::string_view::npos;
}

// Whether the text begins with "x.shape[-1] // 2" or "x.size(-1) // 2".
bool is_half(std::string_view text) {
  const size_t close = text.find_first_of("])");
  if (close == std::string_view::npos) return false;
  const std::string_view rest = text.substr(close + 1);
  return rest.starts_with(" // 2") && (rest.size() == 5 || !is_word(rest[5])) &&
         read_size(text.substr(0, close + 1)).kind == WrittenSize::Kind::kDimension;
}

}  // namespace

SliceText read_slices(std::string_view line, int64_t number) {
  SliceText slices;
  for (size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    const size_t open = opened_before(line, colon);
    if (open == std::string_view::npos || line[open] == '{' || line[open] == '(') continue;
    const std::string_view first = trimmed(line.substr(open + 1, colon - open - 1));
    const std::string_view last = trimmed(line.substr(colon + 1));
    slices.is_there = true;
    slices.begins_at_expression |= !first.empty() && !is_number(first);
    slices.has_half |= is_half(first) || is_half(last);
    int64_t value = 0;
    size_t digits = 0;
    for (; digits < 18 && is_number(last.substr(digits, 1)); ++digits)
      value = 10 * value + (last[digits] - '0');
    slices.ends_at_number |= digits > 0 && value == number && !is_word(last[digits]);
  }
  return slices;
}

Says read_nth_cast(std::string_view line, size_t nth, size_t count) {
  Says found = Says::kBoth;
  size_t casts = 0;
  for (size_t i = line.find('.'); i != std::string_view::npos; i = line.find('.', i + 1)) {
    const std::string_view rest = line.substr(i);
    size_t name = 1;
    while (name < rest.size() && is_word(rest[name])) ++name;
    if (name == rest.size() || rest[name] != '(') continue;
    // Of these the arguments say it; of others their name, ".float()" and ".type_as(".
    const bool is_to = rest.starts_with(".to(") || rest.starts_with(".type(");
    const size_t close = rest.find(')', name);
    const std::string_view given =
        is_to ? rest.substr(name, close - name + (close < rest.size())) : rest.substr(0, name + 2);
    const Says says = said_of_dtype(given);
    if (says == Says::kNothing) continue;
    if (casts == nth) found = says;
    ++casts;
  }
  return casts == count ? found : Says::kBoth;
}

CastLine read_cast(std::string_view line) {
  const size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return {};
  const std::string_view result = line.substr(0, equals);
  const std::string_view cast = line.substr(equals + 3);
  const size_t dot = cast.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view operand = cast.substr(0, dot);
  const auto is_name = [](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_word);
  };
  const std::string_view call = cast.substr(dot + 1);
  const bool is_all = call.find(')') + 1 == call.size();
  const bool casts = is_all && (call.starts_with("float()") || call.starts_with("to(") ||
                                call.starts_with("type("));
  return casts && is_name(result) && is_name(operand) ? CastLine{result, operand} : CastLine{};
}

std::string_view innermost_place(std::string_view trace) {
  const size_t begin = trace.rfind("File \"");
  if (begin == std::string_view::npos) return {};
  const size_t line = trace.find(", line ", begin);
  const size_t end = line == std::string_view::npos ? line : trace.find(',', line + 1);
  return end == std::string_view::npos ? std::string_view() : trace.substr(begin, end + 1 - begin);
}

bool is_statement(std::string_view line) {
  int depth = 0;
  for (const char c : line) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0 && (line.starts_with("return ") || line.find(" = ") != std::string_view::npos);
}

bool mentions(std::string_view line, std::string_view name) {
  for (size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || (!is_word(line[at - 1]) && line[at - 1] != '.');
    if (begins && (end == line.size() || !is_word(line[end]))) return true;
  }
  return false;
}

}  // namespace faketensor
