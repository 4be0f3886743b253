#include "core/command/value_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/support/format.h"
#include "core/tensor/strides.h"

namespace faketensor {

std::string shape_text(const TensorMeta& meta) {
  return format("{}{}", info(meta.dtype()).short_name, meta.sizes());
}

std::string layout_text(const TensorMeta& meta) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  if (meta.layout() != Layout::kStrided) {
    add(std::string(name(meta.layout())));
  } else if (meta.has(kChannelsLastContiguous) && !meta.has(kContiguous)) {
    add("channels_last");
  } else if (meta.has(kChannelsLast3dContiguous) && !meta.has(kContiguous)) {
    add("channels_last_3d");
  } else if (!meta.has(kContiguous)) {
    add(format("strides {}", meta.strides()));
  }
  if (!same_expr(meta.offset(), 0)) add(format("offset {}", meta.offset()));
  if (!meta.device().is_cpu()) add(format("{}", meta.device()));
  if (meta.has(kConj)) add("conj");
  if (meta.has(kNeg)) add("neg");
  return text;
}

std::string tensor_text(const TensorMeta& meta) {
  const std::string layout = layout_text(meta);
  return layout.empty() ? shape_text(meta) : shape_text(meta) + " " + layout;
}

std::string value_text(const Value& value, std::span<const TensorRecord>& tensors) {
  if (value.is_tensor()) {
    const TensorMeta* meta = value.tensor().meta;
    if (!tensors.empty()) {
      meta = tensors.front().meta;
      tensors = tensors.subspan(1);
    }
    return tensor_text(*meta);
  }
  if (!value.is(Value::Tag::kList)) return format("{}", value);
  std::string text = "(";
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) text += ", ";
    text += value_text(value.values()[i], tensors);
  }
  return text + ")";
}

namespace {

// With one decimal, in the largest unit of which there is one.
std::string scaled(int64_t amount, double step, std::span<const char* const> units) {
  if (static_cast<double>(amount) < step) return format("{} {}", amount, units[0]);
  auto scaled = static_cast<double>(amount);
  size_t unit = 0;
  while (scaled >= step && unit + 1 < units.size()) {
    scaled /= step;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", scaled, units[unit]);
  return text;
}

}  // namespace

std::string bytes_text(int64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  return scaled(bytes, 1024, kUnits);
}

std::string flops_text(int64_t flops) {
  static constexpr std::array<const char*, 6> kUnits = {"FLOP",  "kFLOP", "MFLOP",
                                                        "GFLOP", "TFLOP", "PFLOP"};
  return scaled(flops, 1000, kUnits);
}

std::string bytes_text(SymInt bytes) {
  return bytes.is_symbolic() ? to_string(bytes) : bytes_text(bytes.as_int());
}

std::string flops_text(SymInt flops) {
  return flops.is_symbolic() ? to_string(flops) : flops_text(flops.as_int());
}

std::string seconds_text(double seconds) {
  constexpr std::pair<double, const char*> kUnits[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto& [unit, name] : kUnits) {
    if (seconds < unit && unit > 1e-6) continue;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", seconds / unit, name);
    return text;
  }
  return {};
}

namespace {

[[noreturn]] void not_understood(std::string_view text, std::string_view expected) {
  throw_error(ErrorKind::kUsage, format("cannot read '{}' as {}", text, expected));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

int64_t parse_int(std::string_view text) {
  const std::string digits(trimmed(text));
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(digits.c_str(), &end, 10);
  if (digits.empty() || *end != '\0' || errno != 0) not_understood(text, "an integer");
  return value;
}

// The parts of "[a, b, [c]]" between the outer brackets, split at commas outside of inner ones.
std::vector<std::string_view> list_parts(std::string_view text) {
  const bool is_enclosed = text.size() >= 2 && ((text.front() == '[' && text.back() == ']') ||
                                                (text.front() == '{' && text.back() == '}'));
  if (!is_enclosed) not_understood(text, "a list");
  const std::string_view inside = trimmed(text.substr(1, text.size() - 2));
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '[' || inside[i] == '{') ++depth;
    if ((inside[i] == ']' || inside[i] == '}') && --depth < 0) not_understood(text, "a list");
    if (depth == 0 && inside[i] == ',') {
      parts.push_back(trimmed(inside.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (depth != 0) not_understood(text, "a list");
  if (!inside.empty()) parts.push_back(trimmed(inside.substr(begin)));
  return parts;
}

DimVector parse_dims(std::string_view text) {
  DimVector dims;
  for (const std::string_view part : list_parts(text)) {
    const int64_t dim = parse_int(part);
    if (dim < 0) not_understood(part, "a size");
    dims.push_back(dim);
  }
  return dims;
}

// f32[2,3]{1,2}@cuda:0
Value parse_tensor(FakeTensorMode& mode, std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
  const auto dtype = parse_dtype(text.substr(0, open));
  if (open == std::string_view::npos || close == std::string_view::npos || !dtype) {
    not_understood(text, "a tensor, as in f32[2,3], f32[2,3]{1,2} (strides) or i64[4]@cuda");
  }
  const DimVector sizes = parse_dims(text.substr(open, close + 1 - open));
  std::string_view rest = text.substr(close + 1);
  DimVector strides = contiguous_strides(sizes);
  if (rest.starts_with("{")) {
    const size_t end = rest.find('}');
    if (end == std::string_view::npos) not_understood(text, "a tensor");
    strides = parse_dims(rest.substr(0, end + 1));
    if (strides.size() != sizes.size()) not_understood(text, "a tensor: as many strides as sizes");
    rest = rest.substr(end + 1);
  }
  Device device;
  if (rest.starts_with("@")) {
    const auto given = parse_device(rest.substr(1));
    if (!given) not_understood(rest.substr(1), "a device");
    device = given->normalized();
    rest = {};
  }
  if (!rest.empty()) not_understood(text, "a tensor");
  return mode.context().empty(sizes, *dtype, device, strides);
}

std::optional<Value> parse_number(std::string_view text) {
  if (text == "True" || text == "true") return Value(true);
  if (text == "False" || text == "false") return Value(false);
  if (text.empty() || text.find_first_not_of("+-.0123456789einfa") != std::string_view::npos)
    return std::nullopt;
  const std::string number(text);
  char* end = nullptr;
  if (number.find_first_of(".einfa") == std::string::npos) return Value(parse_int(text));
  const double value = std::strtod(number.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return Value(value);
}

template <typename T>
Value required(std::string_view text, const std::optional<T>& value, std::string_view what) {
  if (!value) not_understood(text, what);
  return Value(*value);
}

Value parse_scalar(FakeTensorMode& mode, std::string_view text, ArgKind kind) {
  switch (kind) {
    case ArgKind::kTensor: {
      const auto number = parse_number(text);
      return number ? *number : parse_tensor(mode, text);
    }
    case ArgKind::kDType:
      return required(text, parse_dtype(text), "a dtype");
    case ArgKind::kDevice:
      return required(text, parse_device(text), "a device");
    case ArgKind::kLayout:
      return required(text, parse_layout(text), "a layout");
    case ArgKind::kMemoryFormat:
      return required(text, parse_memory_format(text), "a memory format");
    case ArgKind::kString:
      return Value::string(mode.context().arena().copy(text));
    case ArgKind::kGenerator: {
      const auto device = parse_device(text);
      if (!device) not_understood(text, "the device of a generator");
      return Value::generator(*device);
    }
    default:
      return required(text, parse_number(text), "a number");
  }
}

}  // namespace

Value parse_value(FakeTensorMode& mode, std::string_view text, const ArgType& type) {
  text = trimmed(text);
  if (text == "None") return Value();
  if (!type.is_list || !text.starts_with("[")) return parse_scalar(mode, text, type.kind);
  SmallVector<Value, 8> values;
  for (const std::string_view part : list_parts(text)) {
    values.push_back(part == "None" ? Value() : parse_scalar(mode, part, type.kind));
  }
  return mode.context().make_list(values.span());
}

}  // namespace faketensor
