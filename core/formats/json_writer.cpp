#include "core/formats/json_writer.h"

#include <cmath>

#include "core/support/format.h"

namespace faketensor {

namespace {

bool needs_escape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void append_escaped(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    default:
      out += "\\u00";
      out += kHex[(c >> 4) & 0xF];
      out += kHex[c & 0xF];
  }
}

// With its quotes.
void append_string(std::string& out, std::string_view text) {
  out += '"';
  size_t written = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    out += text.substr(written, i - written);
    append_escaped(out, text[i]);
    written = i + 1;
  }
  out += text.substr(written);
  out += '"';
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

void JsonWriter::integer(int64_t value) {
  separate();
  append_text(out_, value);
}

void JsonWriter::integer(uint64_t value) {
  separate();
  append_text(out_, value);
}

void JsonWriter::real(double value) {
  if (std::isfinite(value)) {
    separate();
    return append_text(out_, value);
  }
  const Scope special = object();
  field("f", std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_string(out_, text);
}

void write_error_members(JsonWriter& json, std::string_view error_class, std::string_view message) {
  json.field("raises", error_class);
  json.field("message", message);
}

}  // namespace faketensor
