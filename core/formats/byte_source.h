// ByteSource: random access to the bytes of an input, wherever they are.
//
// Readers ask for slices, so a file of many gigabytes costs no more than the parts that are wanted:
// a `.pt2` archive is opened from its directory and its model text, and its weights are never
// touched. A browser's Blob is one more subclass (wasm/).
//
//   FileSource file("model.pt2");
//   char magic[4];
//   file.read(0, magic);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/read_limits.h"

namespace faketensor {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual uint64_t size() const = 0;

  // Fills `into` with the bytes from `offset` on. Throws kUnreadable where the source ends before.
  void read(uint64_t offset, std::span<char> into) const;

 private:
  // Reads [offset, offset + into.size()), which lies inside the source and is not empty.
  virtual void read_at(uint64_t offset, std::span<char> into) const = 0;
};

// Bytes that somebody else keeps alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  uint64_t size() const override { return bytes_.size(); }

 private:
  void read_at(uint64_t offset, std::span<char> into) const override;
  std::string_view bytes_;
};

// A file, read by position (pread), so that one source may serve several readers. A pipe is read
// into memory at once, at most `limits.max_text_bytes` of it. Throws kUnreadable with the system's
// words where it cannot be opened.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path, const ReadLimits& limits = {});
  // The process's standard input: a pipe, or a file by redirection.
  static std::unique_ptr<FileSource> standard_input(const ReadLimits& limits = {});
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  uint64_t size() const override { return size_; }

 private:
  // Takes the descriptor, which is closed with the source; -1 is the failure to open `path`.
  FileSource(std::string path, int descriptor, const ReadLimits& limits);
  void read_at(uint64_t offset, std::span<char> into) const override;
  void read_stream(const ReadLimits& limits);

  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
  bool is_stream_ = false;
  std::string stream_bytes_;
};

}  // namespace faketensor
