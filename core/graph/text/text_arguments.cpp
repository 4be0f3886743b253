#include "core/graph/text/text_arguments.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

namespace faketensor {

std::optional<Value> parse_python_number(Arena& arena, std::string_view text) {
  const std::string digits(text);
  if (digits.empty()) return {};
  char* end = nullptr;
  if (digits.find_first_not_of("+-0123456789") == std::string::npos) {
    errno = 0;
    const long long number = std::strtoll(digits.c_str(), &end, 10);
    constexpr int64_t kLeast = -(int64_t{1} << 62);  // the least integer that a SymInt holds
    if (*end != '\0' || errno == ERANGE || number < kLeast) return {};
    return Value(static_cast<int64_t>(number));
  }
  const bool is_complex = digits.back() == 'j';
  if (digits.find_first_not_of("+-0123456789.einfaj") != std::string::npos) return {};
  double parts[] = {std::strtod(digits.c_str(), &end), 0};
  if (end == digits.c_str()) return {};
  if (!is_complex) return *end == '\0' ? std::optional<Value>(parts[0]) : std::nullopt;
  if (*end == 'j') {
    parts[1] = std::exchange(parts[0], 0);
  } else {
    const char* rest = end;
    parts[1] = std::strtod(rest, &end);
    if (end == rest) return {};
  }
  if (std::string_view(end) != "j") return {};
  return Value::complex(arena.copy(std::span<const double>(parts)).data());
}

std::optional<Value> parse_torch_constant(std::string_view text) {
  constexpr std::string_view kModule = "torch.";
  if (!text.starts_with(kModule)) return {};
  const std::string_view last = text.substr(kModule.size());
  if (const auto dtype = parse_dtype(last)) return Value(*dtype);
  if (const auto format = parse_memory_format(last)) return Value(*format);
  if (const auto layout = parse_layout(last)) return Value(*layout);
  return {};
}

Value make_list(Arena& arena, std::span<const Value> values, bool is_tuple) {
  const bool all_ints = !values.empty() && std::all_of(values.begin(), values.end(), [](auto& v) {
    return v.is(Value::Tag::kInt);
  });
  if (is_tuple && !all_ints) return Value::tuple(arena.copy(values));
  if (!all_ints) return Value::list(arena.copy(values));
  DimVector ints;
  for (const Value& element : values) ints.push_back(element.as_sym_int());
  return Value::ints(arena.copy(ints.span()));
}

Value make_item(Arena& arena, const Value& key, const Value& value) {
  const Value item[] = {key, value};
  return Value::list(arena.copy(std::span<const Value>(item)));
}

}  // namespace faketensor
