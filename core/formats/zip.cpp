// Field offsets are those of APPNOTE.TXT 6.3.10 (PKWARE's description of the format), sections 4.3
// and 4.5.3.
#include "core/formats/zip.h"

#include <algorithm>
#include <cstring>

#include <zlib.h>

#include "core/formats/inflate.h"
#include "core/formats/text.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kDirectorySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kZip64EndSignature = 0x06064b50;
constexpr uint32_t kZip64LocatorSignature = 0x07064b50;
constexpr uint64_t kLocalSize = 30;
constexpr uint64_t kDirectorySize = 46;
constexpr uint64_t kEndSize = 22;
constexpr uint64_t kZip64EndSize = 56;
constexpr uint64_t kZip64LocatorSize = 20;
constexpr uint64_t kLongestComment = 0xffff;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kEncryptedFlags = 1u << 0 | 1u << 6 | 1u << 13;
constexpr uint16_t kDataDescriptorFlag = 1u << 3;
constexpr uint16_t kZip64ExtraId = 1;

uint16_t get16(const char* at) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(at);
  return static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
}
uint32_t get32(const char* at) { return get16(at) | static_cast<uint32_t>(get16(at + 2)) << 16; }
uint64_t get64(const char* at) { return get32(at) | static_cast<uint64_t>(get32(at + 4)) << 32; }

template <typename... Args>
[[noreturn, gnu::cold]] void bad_zip(std::string_view pattern, const Args&... args) {
  throw_error(ErrorKind::kUnreadable, "zip: " + format(pattern, args...));
}

// Fills the fields of `entry` that the fixed part states as "see the ZIP64 extra field".
void apply_zip64_extra(ZipEntry& entry, std::string_view extra, uint64_t at) {
  const bool wants_size = entry.size == 0xffffffff;
  const bool wants_compressed = entry.compressed_size == 0xffffffff;
  const bool wants_offset = entry.header_offset == 0xffffffff;
  while (!extra.empty()) {
    if (extra.size() < 4) break;  // padding that some writers leave
    const uint16_t id = get16(extra.data());
    const size_t length = get16(extra.data() + 2);
    if (length > extra.size() - 4)
      bad_zip("entry '{}' at byte {}: its extra field is cut off", entry.name, at);
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (id != kZip64ExtraId) continue;
    const auto take = [&](bool wanted, uint64_t& value) {
      if (!wanted) return;
      if (field.size() < 8)
        bad_zip("entry '{}' at byte {}: its ZIP64 field is too short", entry.name, at);
      value = get64(field.data());
      field.remove_prefix(8);
    };
    take(wants_size, entry.size);
    take(wants_compressed, entry.compressed_size);
    take(wants_offset, entry.header_offset);
    return;
  }
}

uint32_t crc_of(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const size_t count = std::min<size_t>(bytes.size(), size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(count));
    bytes.remove_prefix(count);
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace

bool is_zip(const ByteSource& source) {
  if (source.size() < 4) return false;
  char magic[4];
  source.read(0, magic);
  return get32(magic) == kLocalSignature || get32(magic) == kEndSignature;
}

ZipArchive::ZipArchive(const ByteSource& source, const ReadLimits& limits)
    : source_(source), limits_(limits) {
  const Directory directory = find_directory();
  read_entries(directory);
  check_overlaps(directory);
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

// Note [Finding the end record]
// The end record is the last thing of the file but for a comment of up to 65,535 bytes, which may
// itself hold bytes that look like an end record. A candidate counts only if its comment reaches
// exactly to the end of the file and its directory ends exactly where the candidate (or its ZIP64
// end record) begins. A comment cannot fake the second without having a directory of its own, and
// then the file has two readings: it is refused.
ZipArchive::Directory ZipArchive::find_directory() const {
  const uint64_t size = source_.size();
  if (size < kEndSize) bad_zip("the file has {} bytes, too few for an archive", size);
  const uint64_t window = std::min(size, kEndSize + kLongestComment);
  std::string tail(static_cast<size_t>(window), '\0');
  source_.read(size - window, tail);

  Directory found;
  bool have_found = false;
  bool have_signature = false;
  for (uint64_t back = kEndSize; back <= window; ++back) {
    const char* end = tail.data() + (window - back);
    if (get32(end) != kEndSignature || get16(end + 20) != back - kEndSize) continue;
    have_signature = true;
    uint64_t end_offset = size - back;
    Directory directory{get32(end + 16), get32(end + 12), get16(end + 10)};
    const uint16_t disk = get16(end + 4);
    if (disk != 0 && disk != 0xffff)
      bad_zip("archives of several disks are not supported (byte {})", end_offset);
    if (has_zip64_locator(end_offset)) {
      directory = read_zip64_end(end_offset);
    } else if (directory.offset == 0xffffffff || directory.size == 0xffffffff ||
               directory.entries == 0xffff) {
      bad_zip("the ZIP64 locator is missing before byte {}", end_offset);
    }
    if (directory.offset > end_offset || directory.size != end_offset - directory.offset) continue;
    if (have_found)
      bad_zip(
          "the file has two end records that both hold, at byte {} and later: its content is "
          "ambiguous",
          size - back);
    found = directory;
    have_found = true;
  }
  if (have_found) return found;
  if (have_signature)
    bad_zip(
        "the end record does not fit the file: the archive is damaged or has bytes before its "
        "first entry");
  bad_zip("no end record in the last {} bytes: the archive is truncated at byte {}", window, size);
}

bool ZipArchive::has_zip64_locator(uint64_t end_offset) const {
  if (end_offset < kZip64LocatorSize + kZip64EndSize) return false;
  char signature[4];
  source_.read(end_offset - kZip64LocatorSize, signature);
  return get32(signature) == kZip64LocatorSignature;
}

ZipArchive::Directory ZipArchive::read_zip64_end(uint64_t& end_offset) const {
  char locator[kZip64LocatorSize];
  source_.read(end_offset - kZip64LocatorSize, locator);
  const uint64_t at = get64(locator + 8);
  if (at > end_offset - kZip64LocatorSize - kZip64EndSize)
    bad_zip("the ZIP64 end record would begin at byte {}, past its locator", at);
  char record[kZip64EndSize];
  source_.read(at, record);
  if (get32(record) != kZip64EndSignature) bad_zip("no ZIP64 end record at byte {}", at);
  end_offset = at;
  return {get64(record + 48), get64(record + 40), get64(record + 32)};
}

void ZipArchive::read_entries(const Directory& directory) {
  if (directory.entries > limits_.max_entries) {
    throw_error(ErrorKind::kLimitExceeded, format("zip: {} entries are more than the limit of {}",
                                                  directory.entries, limits_.max_entries));
  }
  // An entry is kept as some hundred bytes, and its name in a table.
  constexpr uint64_t kBytesOfEntry = 160;
  if (directory.entries * kBytesOfEntry + directory.size > limits_.memory_left())
    throw_memory_limit("zip: its directory", limits_);
  if (directory.size > limits_.max_directory_bytes) {
    throw_error(ErrorKind::kLimitExceeded,
                format("zip: a directory of {} bytes is larger than the limit of {}",
                       directory.size, limits_.max_directory_bytes));
  }
  if (directory.entries * kDirectorySize > directory.size) {
    bad_zip("{} entries do not fit a directory of {} bytes", directory.entries, directory.size);
  }
  directory_bytes_.resize(static_cast<size_t>(directory.size));
  source_.read(directory.offset, directory_bytes_);
  entries_.reserve(static_cast<size_t>(directory.entries));
  by_name_.reserve(static_cast<size_t>(directory.entries));

  std::string_view rest = directory_bytes_;
  while (!rest.empty()) {
    const uint64_t at = directory.offset + (directory_bytes_.size() - rest.size());
    if (rest.size() < kDirectorySize || get32(rest.data()) != kDirectorySignature)
      bad_zip("no directory entry at byte {}", at);
    const char* header = rest.data();
    const uint64_t name_size = get16(header + 28);
    const uint64_t extra_size = get16(header + 30);
    const uint64_t comment_size = get16(header + 32);
    if (name_size + extra_size + comment_size > rest.size() - kDirectorySize)
      bad_zip("the directory entry at byte {} is cut off", at);
    if (name_size > limits_.max_name_bytes) {
      throw_error(ErrorKind::kLimitExceeded,
                  format("zip: a name of {} bytes at byte {} is longer than the limit of {}",
                         name_size, at, limits_.max_name_bytes));
    }
    ZipEntry entry;
    entry.name = rest.substr(kDirectorySize, static_cast<size_t>(name_size));
    entry.flags = get16(header + 8);
    entry.method = get16(header + 10);
    entry.crc = get32(header + 16);
    entry.compressed_size = get32(header + 20);
    entry.size = get32(header + 24);
    entry.header_offset = get32(header + 42);
    if (entry.name.find('\0') != std::string_view::npos)
      bad_zip("the entry at byte {} has a NUL in its name", at);
    apply_zip64_extra(entry,
                      rest.substr(kDirectorySize + static_cast<size_t>(name_size),
                                  static_cast<size_t>(extra_size)),
                      at);
    if (!by_name_.emplace(entry.name, entries_.size()).second)
      bad_zip("two entries are named '{}' (byte {})", entry.name, at);
    entries_.push_back(entry);
    rest.remove_prefix(static_cast<size_t>(kDirectorySize + name_size + extra_size + comment_size));
  }
  if (entries_.size() != directory.entries) {
    bad_zip("the end record states {} entries, the directory has {}", directory.entries,
            entries_.size());
  }
}

void ZipArchive::check_overlaps(const Directory& directory) {
  std::vector<ZipEntry*> in_order;
  in_order.reserve(entries_.size());
  for (ZipEntry& entry : entries_) in_order.push_back(&entry);
  std::sort(in_order.begin(), in_order.end(), [](const ZipEntry* a, const ZipEntry* b) {
    return a->header_offset < b->header_offset;
  });
  uint64_t limit = directory.offset;
  for (size_t i = in_order.size(); i-- > 0;) {
    ZipEntry& entry = *in_order[i];
    const uint64_t smallest = kLocalSize + entry.name.size();
    if (entry.header_offset > limit || limit - entry.header_offset < smallest ||
        limit - entry.header_offset - smallest < entry.compressed_size) {
      bad_zip("entry '{}' at byte {} with {} bytes of data overlaps what follows at byte {}",
              entry.name, entry.header_offset, entry.compressed_size, limit);
    }
    entry.end_limit = limit;
    limit = entry.header_offset;
  }
}

// Reads the local header, compares it with the directory, and returns where the data begins.
uint64_t ZipArchive::data_offset(const ZipEntry& entry) const {
  const uint64_t at = entry.header_offset;
  char header[kLocalSize];
  source_.read(at, header);
  if (get32(header) != kLocalSignature)
    bad_zip("entry '{}': no local header at byte {}", entry.name, at);
  std::string name(get16(header + 26), '\0');
  const uint64_t extra_size = get16(header + 28);
  const uint64_t header_size = kLocalSize + name.size() + extra_size;
  if (header_size > entry.end_limit - at ||
      entry.compressed_size > entry.end_limit - at - header_size) {
    bad_zip("entry '{}' at byte {} overlaps what follows at byte {}", entry.name, at,
            entry.end_limit);
  }
  source_.read(at + kLocalSize, name);
  if (name != entry.name)
    bad_zip("entry '{}': the local header at byte {} names '{}'", entry.name, at, name);
  if (get16(header + 8) != entry.method)
    bad_zip("entry '{}': directory and local header at byte {} differ in the method", entry.name,
            at);
  const bool states_sizes = (get16(header + 6) & kDataDescriptorFlag) == 0;
  const auto differs = [](uint32_t local, uint64_t stated) {
    return local != 0xffffffff && local != stated;
  };
  if (states_sizes &&
      (get32(header + 14) != entry.crc || differs(get32(header + 18), entry.compressed_size) ||
       differs(get32(header + 22), entry.size))) {
    bad_zip("entry '{}': directory and local header at byte {} differ in size or checksum",
            entry.name, at);
  }
  return at + header_size;
}

void ZipArchive::for_each_piece(const ZipEntry& entry,
                                const std::function<void(std::string_view)>& take) const {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  const uint64_t from = data_offset(entry);
  std::string piece;
  for (uint64_t done = 0; done < entry.compressed_size; done += piece.size()) {
    piece.resize(static_cast<size_t>(std::min(kPiece, entry.compressed_size - done)));
    source_.read(from + done, piece);
    take(piece);
  }
}

std::string ZipArchive::read(const ZipEntry& entry) const {
  if ((entry.flags & kEncryptedFlags) != 0)
    bad_zip("entry '{}' at byte {} is encrypted", entry.name, entry.header_offset);
  if (entry.method != kStored && entry.method != kDeflated) {
    bad_zip(
        "entry '{}' at byte {} uses compression method {}; stored (0) and deflate (8) are "
        "supported",
        entry.name, entry.header_offset, entry.method);
  }
  if (entry.size > limits_.max_text()) {
    throw_error(ErrorKind::kLimitExceeded,
                format("zip: entry '{}' has {} bytes, more than {}", entry.name, entry.size,
                       limits_.max_text_in_words()));
  }
  const uint64_t at = data_offset(entry);
  std::string bytes;
  if (entry.method == kStored) {
    if (entry.size != entry.compressed_size) {
      bad_zip("entry '{}' is stored, but its two sizes differ: {} and {}", entry.name,
              entry.compressed_size, entry.size);
    }
    bytes.reserve(static_cast<size_t>(entry.size) + kTextPadding);
    bytes.resize(static_cast<size_t>(entry.size));
    source_.read(at, bytes);
  } else {
    // Of deflate: a larger stated size is a lie and reserves nothing.
    constexpr uint64_t kLargestRatio = 1032;
    const uint64_t expected = std::min(entry.size, entry.compressed_size * kLargestRatio);
    ReadLimits as_stated = limits_;
    as_stated.max_text_bytes = entry.size;
    inflate_into(bytes, source_, at, entry.compressed_size, DeflateFraming::kRaw, expected,
                 as_stated, format("zip: entry '{}'", entry.name));
    if (bytes.size() != entry.size) {
      bad_zip("entry '{}' inflates to {} bytes, its header states {}", entry.name, bytes.size(),
              entry.size);
    }
  }
  const uint32_t crc = crc_of(bytes);
  if (crc != entry.crc) {
    bad_zip("entry '{}' at byte {} is damaged: its CRC-32 is {}, its header states {}", entry.name,
            at, crc, entry.crc);
  }
  return bytes;
}

}  // namespace faketensor
