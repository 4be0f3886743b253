#include "core/formats/text.h"

#include <algorithm>
#include <span>

#include "core/formats/inflate.h"

namespace faketensor {
namespace {

uint32_t little_endian_32(const unsigned char* bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

}  // namespace

std::string read_all(const ByteSource& source, const ReadLimits& limits) {
  if (source.size() > limits.max_text()) throw_too_large("the file", limits);
  std::string bytes;
  bytes.reserve(static_cast<size_t>(source.size()) + kTextPadding);
  bytes.resize(static_cast<size_t>(source.size()));
  source.read(0, bytes);
  return bytes;
}

bool is_gzip(const ByteSource& source) {
  if (source.size() < 2) return false;
  char magic[2];
  source.read(0, magic);
  return magic[0] == '\x1f' && magic[1] == '\x8b';
}

std::string inflate_gzip(const ByteSource& source, const ReadLimits& limits) {
  constexpr uint64_t kSmallestMember = 18;
  // Deflate cannot shrink by more than this, so a stated size beyond it is a lie and reserves
  // nothing.
  constexpr uint64_t kLargestRatio = 1032;
  uint64_t expected = 0;
  if (source.size() >= kSmallestMember) {
    unsigned char trailer[4];
    source.read(source.size() - 4, std::span(reinterpret_cast<char*>(trailer), sizeof trailer));
    expected = std::min(uint64_t{little_endian_32(trailer)}, source.size() * kLargestRatio);
  }
  std::string text;
  inflate_into(text, source, 0, source.size(), DeflateFraming::kGzip, expected, limits,
               "gzip file");
  return text;
}

std::string read_text(const ByteSource& source, const ReadLimits& limits) {
  const ReadLimits known = limits.for_file(source.size());
  return is_gzip(source) ? inflate_gzip(source, known) : read_all(source, known);
}

}  // namespace faketensor
