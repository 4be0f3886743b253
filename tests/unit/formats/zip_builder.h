// ZipBuilder: makes archives for tests, genuine ones and ones with a chosen lie in them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <zlib.h>

namespace faketensor {

inline void put16(std::string& out, uint64_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8 & 0xff);
}
inline void put32(std::string& out, uint64_t value) {
  put16(out, value);
  put16(out, value >> 16);
}
inline void put64(std::string& out, uint64_t value) {
  put32(out, value);
  put32(out, value >> 32);
}

inline std::string deflated(std::string_view bytes, int window_bits = -MAX_WBITS) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string in(bytes);
  std::string out(deflateBound(&stream, in.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(std::string_view bytes) { return deflated(bytes, 16 + MAX_WBITS); }

// One entry as the headers state it; a test changes what it wants to be wrong.
struct ZipFields {
  std::string name;
  std::string local_name;
  std::string data;  // as it lies in the file
  uint64_t size = 0;
  uint64_t compressed_size = 0;
  uint64_t offset = 0;  // filled when the local header is written
  uint32_t crc = 0;
  uint16_t method = 0;
  uint16_t local_method = 0;
  uint16_t flags = 0;
  bool zip64 = false;
};

class ZipBuilder {
 public:
  ZipBuilder& stored(std::string_view name, std::string_view content) {
    return add(name, content, false);
  }
  ZipBuilder& deflate(std::string_view name, std::string_view content) {
    return add(name, content, true);
  }

  // Changes the entry added last.
  ZipBuilder& but(const std::function<void(ZipFields&)>& change) {
    change(entries_.back());
    return *this;
  }
  ZipBuilder& comment(std::string_view text) {
    comment_ = text;
    return *this;
  }
  ZipBuilder& zip64_end() {
    zip64_end_ = true;
    return *this;
  }
  ZipBuilder& stated_entries(uint64_t count) {
    stated_entries_ = static_cast<int64_t>(count);
    return *this;
  }

  std::string build() {
    std::string out;
    for (ZipFields& entry : entries_) write_local(out, entry);
    const uint64_t directory = out.size();
    for (const ZipFields& entry : entries_) write_directory(out, entry);
    const uint64_t size = out.size() - directory;
    const uint64_t count =
        stated_entries_ < 0 ? entries_.size() : static_cast<uint64_t>(stated_entries_);
    if (zip64_end_) write_zip64_end(out, directory, size, count);
    put32(out, 0x06054b50);
    put32(out, 0);
    put16(out, zip64_end_ ? 0xffff : count);
    put16(out, zip64_end_ ? 0xffff : count);
    put32(out, zip64_end_ ? 0xffffffff : size);
    put32(out, zip64_end_ ? 0xffffffff : directory);
    put16(out, comment_.size());
    return out + comment_;
  }

 private:
  ZipBuilder& add(std::string_view name, std::string_view content, bool deflate_it) {
    ZipFields entry;
    entry.name = entry.local_name = name;
    entry.data = deflate_it ? deflated(content) : std::string(content);
    entry.size = content.size();
    entry.compressed_size = entry.data.size();
    entry.crc = static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()),
                                            static_cast<uInt>(content.size())));
    entry.method = entry.local_method = deflate_it ? 8 : 0;
    entries_.push_back(std::move(entry));
    return *this;
  }
  static void write_local(std::string& out, ZipFields& entry) {
    if (entry.offset == 0) entry.offset = out.size();
    put32(out, 0x04034b50);
    put16(out, 20);
    put16(out, entry.flags);
    put16(out, entry.local_method);
    put32(out, 0);
    put32(out, entry.crc);
    put32(out, entry.compressed_size);
    put32(out, entry.size);
    put16(out, entry.local_name.size());
    put16(out, 0);
    out += entry.local_name;
    out += entry.data;
  }
  static void write_directory(std::string& out, const ZipFields& entry) {
    put32(out, 0x02014b50);
    put16(out, 20);
    put16(out, 20);
    put16(out, entry.flags);
    put16(out, entry.method);
    put32(out, 0);
    put32(out, entry.crc);
    put32(out, entry.zip64 ? 0xffffffff : entry.compressed_size);
    put32(out, entry.zip64 ? 0xffffffff : entry.size);
    put16(out, entry.name.size());
    put16(out, entry.zip64 ? 28 : 0);
    put16(out, 0);
    put16(out, 0);
    put16(out, 0);
    put32(out, 0);
    put32(out, entry.zip64 ? 0xffffffff : entry.offset);
    out += entry.name;
    if (entry.zip64) {
      put16(out, 1);
      put16(out, 24);
      put64(out, entry.size);
      put64(out, entry.compressed_size);
      put64(out, entry.offset);
    }
  }
  static void write_zip64_end(std::string& out, uint64_t directory, uint64_t size, uint64_t count) {
    const uint64_t at = out.size();
    put32(out, 0x06064b50);
    put64(out, 44);
    put16(out, 45);
    put16(out, 45);
    put32(out, 0);
    put32(out, 0);
    put64(out, count);
    put64(out, count);
    put64(out, size);
    put64(out, directory);
    put32(out, 0x07064b50);
    put32(out, 0);
    put64(out, at);
    put32(out, 1);
  }

  std::vector<ZipFields> entries_;
  std::string comment_;
  int64_t stated_entries_ = -1;
  bool zip64_end_ = false;
};

}  // namespace faketensor
