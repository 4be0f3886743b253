#include "core/graph/text/annotation.h"

#include <algorithm>
#include <charconv>

#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr size_t kMostDims = 64;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

std::optional<DType> dtype_of(std::string_view text) {
  constexpr std::string_view kModule = "torch.";
  if (text.starts_with(kModule)) text.remove_prefix(kModule.size());
  return parse_dtype(text);
}

// "[...]" at the front of `text`, which loses it: its elements. False where it does not close.
bool take_list(std::string_view& text, std::vector<std::string_view>& elements) {
  int depth = 0;
  size_t begin = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool ends = depth == 0;
    if (!ends && (c != ',' || depth != 1)) continue;
    const std::string_view element = trimmed(text.substr(begin, i - begin));
    if (!element.empty() || !ends) elements.push_back(element);
    begin = i + 1;
    if (!ends) continue;
    text.remove_prefix(begin);
    return true;
  }
  return false;
}

// "batch=8" becomes "batch", and the hint is kept.
bool take_hint(std::string_view& size, TextAnnotation& annotation) {
  const size_t equals = size.find('=');
  // A comparison is none ("Sym(u0 >= 2)").
  const bool compares =
      size.find_first_of("<>!=") != equals || size.find('=', equals + 1) != std::string_view::npos;
  if (equals == std::string_view::npos || compares) return true;
  const std::string_view digits = trimmed(size.substr(equals + 1));
  int64_t hint = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), hint);
  if (error != std::errc() || end != digits.data() + digits.size() || hint < 0) return false;
  size = trimmed(size.substr(0, equals));
  annotation.hints.emplace_back(size, hint);
  return true;
}

}  // namespace

TextAnnotation parse_annotation(std::string_view text, std::string& wrong) {
  TextAnnotation annotation;
  text = trimmed(text);
  constexpr std::string_view kSym = "Sym(";
  if (text.starts_with(kSym) && text.ends_with(")")) {
    annotation.kind = TextAnnotation::Kind::kScalar;
    annotation.scalar = trimmed(text.substr(kSym.size(), text.size() - kSym.size() - 1));
    if (!take_hint(annotation.scalar, annotation)) annotation.scalar = {};
    if (annotation.scalar.empty()) wrong = "a symbolic number is written \"Sym(s0)\"";
    return annotation;
  }
  const size_t open = text.find('[');
  const std::string_view head = text.substr(0, open);
  const std::optional<DType> dtype = dtype_of(head);
  if (open == std::string_view::npos || !dtype) {
    // "List[int]" is a type as good as "torch.Tensor"; in lower case and with digits it was to be a
    // dtype.
    const bool has_digit = head.find_first_of("0123456789") != std::string_view::npos;
    if (dtype) {
      wrong = format("a tensor is written \"{}[2, 3]\", one of no dimensions \"{}[]\"", head, head);
    } else if (open != std::string_view::npos && has_digit) {
      wrong = format("no dtype is called {}: f32, bf16, i64, b8 are some", head);
    }
    return annotation;
  }
  annotation.kind = TextAnnotation::Kind::kTensor;
  annotation.dtype = *dtype;
  text.remove_prefix(open);
  if (!take_list(text, annotation.sizes)) {
    wrong = "']' expected";
  } else if (annotation.sizes.size() > kMostDims) {
    wrong = format("more than {} dimensions", kMostDims);
  } else if (text.starts_with("[") && !take_list(text, annotation.strides.emplace())) {
    wrong = "']' expected";
  } else if (annotation.strides && annotation.strides->size() != annotation.sizes.size()) {
    wrong = format("{} strides for {} sizes", annotation.strides->size(), annotation.sizes.size());
  }
  if (!wrong.empty()) return annotation;
  for (std::string_view& size : annotation.sizes) {
    if (!take_hint(size, annotation)) wrong = "a size of the example is written \"batch=8\"";
    if (size.empty()) wrong = "a size expected";
  }
  text = trimmed(text);
  if (text.empty()) return annotation;
  annotation.device = parse_device(text);
  if (!annotation.device) wrong = format("no device is called {}", text);
  return annotation;
}

}  // namespace faketensor
