// Field offsets are those of APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3, as in zip.cpp.
#include "core/formats/zip_writer.h"

#include <algorithm>

#include <zlib.h>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kLargest32 = 0xffffffff;
constexpr uint64_t kLargest16 = 0xffff;
constexpr uint16_t kZip64Version = 45;
constexpr uint16_t kNoDate = (1 << 5) | 1;  // the first of January 1980
constexpr uint16_t kZip64ExtraFieldId = 1;
constexpr uint16_t kPaddingExtraId = 0x4246;  // "FB", as PyTorch pads
constexpr uint16_t kUtf8Flag = 1 << 11;

void put16(std::string& out, uint64_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>((value >> 8) & 0xff);
}
void put32(std::string& out, uint64_t value) {
  put16(out, value & kLargest16);
  put16(out, (value >> 16) & kLargest16);
}
void put64(std::string& out, uint64_t value) {
  put32(out, value & kLargest32);
  put32(out, value >> 32);
}

// What local headers and the directory share: from "version needed" to the length of the name.
void put_common(std::string& out, const ZipEntry& entry) {
  put16(out, kZip64Version);
  put16(out, kUtf8Flag);
  put16(out, entry.method);
  put16(out, 0);
  put16(out, kNoDate);
  put32(out, entry.crc);
  put32(out, std::min(entry.compressed_size, kLargest32));
  put32(out, std::min(entry.size, kLargest32));
  put16(out, entry.name.size());
}

// The ZIP64 field with those of the numbers that have no room elsewhere; empty where all have.
std::string zip64_extra(const ZipEntry& entry, bool is_local) {
  std::string numbers;
  // A local header has both sizes or none.
  const bool is_large = entry.size >= kLargest32 || entry.compressed_size >= kLargest32;
  if (is_local ? is_large : entry.size >= kLargest32) put64(numbers, entry.size);
  if (is_local ? is_large : entry.compressed_size >= kLargest32)
    put64(numbers, entry.compressed_size);
  if (!is_local && entry.header_offset >= kLargest32) put64(numbers, entry.header_offset);
  if (numbers.empty()) return numbers;
  std::string extra;
  put16(extra, kZip64ExtraFieldId);
  put16(extra, numbers.size());
  return extra + numbers;
}

}  // namespace

void ZipWriter::put(std::string_view bytes) {
  sink_.write(bytes);
  offset_ += bytes.size();
}

// The local header, padded so that the data are aligned; the entry's line of the directory.
void ZipWriter::begin(const ZipEntry& given) {
  if (given.name.size() > kLargest16)
    throw_error(ErrorKind::kUsage, "zip: a name of over 65,535 bytes cannot be written");
  ZipEntry entry = given;
  entry.header_offset = offset_;
  std::string header = "PK\x03\x04";
  put_common(header, entry);
  std::string extra = zip64_extra(entry, true);
  constexpr uint64_t kFieldHead = 4;
  const uint64_t before =
      offset_ + header.size() + 2 + entry.name.size() + extra.size() + kFieldHead;
  const uint64_t padding = (kAlignment - before % kAlignment) % kAlignment;
  put16(extra, kPaddingExtraId);
  put16(extra, padding);
  extra.append(static_cast<size_t>(padding), 'Z');
  put16(header, extra.size());
  put(header.append(entry.name).append(extra));

  directory_ += "PK\x01\x02";
  put16(directory_, kZip64Version);
  put_common(directory_, entry);
  const std::string large = zip64_extra(entry, false);
  put16(directory_, large.size());
  put16(directory_, 0);  // no comment
  put16(directory_, 0);  // the first disk
  put16(directory_, 0);
  put32(directory_, 0);
  put32(directory_, std::min(entry.header_offset, kLargest32));
  directory_.append(entry.name).append(large);
  ++count_;
}

void ZipWriter::store(std::string_view name, std::string_view bytes) {
  ZipEntry entry;
  entry.name = name;
  entry.size = bytes.size();
  entry.compressed_size = bytes.size();
  uLong crc = crc32(0, nullptr, 0);
  for (std::string_view rest = bytes; !rest.empty();) {
    const size_t count = std::min<size_t>(rest.size(), size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(rest.data()), static_cast<uInt>(count));
    rest.remove_prefix(count);
  }
  entry.crc = static_cast<uint32_t>(crc);
  begin(entry);
  put(bytes);
}

void ZipWriter::copy(const ZipArchive& from, const ZipEntry& entry) {
  begin(entry);
  from.for_each_piece(entry, [&](std::string_view bytes) { put(bytes); });
}

void ZipWriter::finish() {
  const uint64_t start = offset_;
  put(directory_);
  const uint64_t size = directory_.size();
  std::string end;
  if (start >= kLargest32 || size >= kLargest32 || count_ >= kLargest16) {
    constexpr uint64_t kRestOfRecord = 44;
    end += "PK\x06\x06";
    put64(end, kRestOfRecord);
    put16(end, kZip64Version);
    put16(end, kZip64Version);
    put32(end, 0);
    put32(end, 0);
    put64(end, count_);
    put64(end, count_);
    put64(end, size);
    put64(end, start);
    end += "PK\x06\x07";
    put32(end, 0);
    put64(end, start + size);
    put32(end, 1);
  }
  end += "PK\x05\x06";
  put16(end, 0);
  put16(end, 0);
  put16(end, std::min(count_, kLargest16));
  put16(end, std::min(count_, kLargest16));
  put32(end, std::min(size, kLargest32));
  put32(end, std::min(start, kLargest32));
  put16(end, 0);
  put(end);
  sink_.finish();
}

}  // namespace faketensor
