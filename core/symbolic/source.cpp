#include "core/symbolic/source.h"

#include "core/support/format.h"

namespace faketensor {
namespace {

// Python's repr of a string without control characters.
std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') out += '\\';
    out += c;
  }
  return out + quote;
}

}  // namespace

Source Source::local(std::string_view name) { return constant(format("L[{}]", quoted(name))); }

Source Source::constant(std::string_view expression) {
  Source source;
  source.name_ = expression;
  return source;
}

Source Source::ephemeral(std::string_view description) {
  Source source = constant(format("<ephemeral: {}>", description));
  source.is_ephemeral_ = true;
  return source;
}

Source Source::with_suffix(std::string suffix) const {
  Source source;
  source.name_ = name_ + suffix;
  source.is_ephemeral_ = is_ephemeral_;
  return source;
}

Source Source::attribute(std::string_view name) const { return with_suffix(format(".{}", name)); }

Source Source::size(size_t dim) const {
  Source source = with_suffix(format(".size()[{}]", dim));
  source.dim_ = dim;
  return source;
}

Source Source::stride(size_t dim) const {
  Source source = with_suffix(format(".stride()[{}]", dim));
  source.dim_ = dim;
  return source;
}

Source Source::storage_offset() const { return with_suffix(".storage_offset()"); }

Source Source::item() const { return with_suffix(".item()"); }

}  // namespace faketensor
