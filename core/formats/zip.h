// ZipArchive: the entries of a ZIP file, from its central directory; single entries on demand.
//
// Opening reads the end record and the central directory, nothing else: neither local headers nor
// data, so an archive of many gigabytes opens as fast as a small one. ZIP64, STORED and DEFLATE are
// understood. Checked at opening: the directory has exactly the stated entries and bytes, lies
// right before the end record, names are unique and entries do not overlap. Checked when an entry
// is read: its local header agrees with the directory, its size and its CRC-32. Names are data
// only: nothing is ever written to a disk, so "../" in one is harmless.
//
//   ZipArchive archive(source, limits);
//   if (const ZipEntry* entry = archive.find("mlp/models/model.json"))
//     std::string text = archive.read(*entry);
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/byte_source.h"

namespace faketensor {

struct ZipEntry {
  std::string_view name;         // owned by the archive
  uint64_t header_offset = 0;    // of the local header
  uint64_t end_limit = 0;        // where the next entry or the directory begins
  uint64_t compressed_size = 0;  // bytes in the file
  uint64_t size = 0;             // bytes after inflating
  uint32_t crc = 0;
  uint16_t method = 0;  // 0 stored, 8 deflate
  uint16_t flags = 0;   // general purpose bits
};

// Whether the source begins as a ZIP file does (also a damaged one).
bool is_zip(const ByteSource& source);

class ZipArchive {
 public:
  // `source` must outlive the archive. Throws kUnreadable or kLimitExceeded, naming the byte or the
  // entry.
  ZipArchive(const ByteSource& source, const ReadLimits& limits);

  std::span<const ZipEntry> entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;

  // The content of one entry.
  std::string read(const ZipEntry& entry) const;
  // The bytes of an entry as they stand in the file, compressed or not and unchecked, in pieces of
  // at most a megabyte.
  void for_each_piece(const ZipEntry& entry,
                      const std::function<void(std::string_view)>& take) const;

 private:
  struct Directory {
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t entries = 0;
  };

  Directory find_directory() const;
  // PyTorch writes ZIP64 records even where the plain ones have room.
  bool has_zip64_locator(uint64_t end_offset) const;
  // `end_offset` becomes the start of the ZIP64 end record, which then ends the directory.
  Directory read_zip64_end(uint64_t& end_offset) const;
  void read_entries(const Directory& directory);
  void check_overlaps(const Directory& directory);
  uint64_t data_offset(const ZipEntry& entry) const;

  const ByteSource& source_;
  ReadLimits limits_;
  std::string directory_bytes_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace faketensor
