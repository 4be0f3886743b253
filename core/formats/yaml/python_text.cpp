#include "core/formats/yaml/python_text.h"

namespace faketensor::python {

std::string to_utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
    if (c < 0x80) {
      byte(c);
    } else if (c < 0x800) {
      byte(0xC0 | c >> 6);
      byte(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      byte(0xE0 | c >> 12);
      byte(0x80 | (c >> 6 & 0x3F));
      byte(0x80 | (c & 0x3F));
    } else {
      byte(0xF0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3F));
      byte(0x80 | (c >> 6 & 0x3F));
      byte(0x80 | (c & 0x3F));
    }
  }
  return out;
}

namespace {
constexpr char32_t kReplacement = 0xFFFD;

// The character that begins at `at`, which moves on; U+FFFD for a byte that begins none.
char32_t next_character(std::string_view text, size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const size_t more = lead >= 0xF0 && lead < 0xF8 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || at + more > text.size()) return kReplacement;
  char32_t c = lead & (0x3F >> more);
  for (size_t i = 0; i < more; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0) != 0x80) return kReplacement;
    c = c << 6 | (byte & 0x3F);
  }
  at += more;
  return c;
}

void append_hex(std::string& out, char prefix, char32_t value, int digits) {
  out += '\\';
  out += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[value >> shift & 0xF];
}

void append_escape(std::string& out, char32_t c) {
  if (c < 0x100) {
    append_hex(out, 'x', c, 2);
  } else if (c < 0x10000) {
    append_hex(out, 'u', c, 4);
  } else {
    append_hex(out, 'U', c, 8);
  }
}

// str.isprintable, as far as blocks without printable characters go.
bool is_printable(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return false;
  if ((c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F)) return false;
  if ((c >= 0x205F && c <= 0x206F) || c == 0x3000 || c == 0x1680) return false;
  return !(c >= 0xD800 && c <= 0xF8FF) && c != 0xFEFF && !(c >= 0xFFF0 && c <= 0xFFFB) &&
         c < 0xE0000;
}

}  // namespace

std::u32string from_utf8(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) out += next_character(text, at);
  return out;
}

std::string repr(std::u32string_view text) {
  const bool has_single = text.find(U'\'') != std::u32string_view::npos;
  const bool has_double = text.find(U'"') != std::u32string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char32_t c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == static_cast<char32_t>(quote)) {
      out += '\\';
      out += static_cast<char>(c);
    } else if (is_printable(c)) {
      out += to_utf8({&c, 1});
    } else {
      append_escape(out, c);
    }
  }
  return out + quote;
}

std::string repr(std::string_view text) { return repr(from_utf8(text)); }

std::string escape(char32_t c) {
  std::string out = "'";
  append_escape(out, c);
  return out + "'";
}

}  // namespace faketensor::python
