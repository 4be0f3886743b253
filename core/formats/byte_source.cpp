#include "core/formats/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

[[noreturn, gnu::cold]] void throw_system_error(std::string_view doing, std::string_view path) {
  throw_error(ErrorKind::kUnreadable,
              format("{}: cannot {}: {}", path, doing, std::strerror(errno)));
}

}  // namespace

void ByteSource::read(uint64_t offset, std::span<char> into) const {
  if (into.empty()) return;
  if (offset > size() || into.size() > size() - offset) {
    throw_error(
        ErrorKind::kUnreadable,
        format("the file is cut off: {} bytes are needed at byte {}, but it ends at byte {}",
               into.size(), offset, size()));
  }
  read_at(offset, into);
}

void MemorySource::read_at(uint64_t offset, std::span<char> into) const {
  std::memcpy(into.data(), bytes_.data() + offset, into.size());
}

FileSource::FileSource(const std::string& path, const ReadLimits& limits)
    : FileSource(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC), limits) {}

std::unique_ptr<FileSource> FileSource::standard_input(const ReadLimits& limits) {
  const int descriptor = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  return std::unique_ptr<FileSource>(new FileSource("standard input", descriptor, limits));
}

FileSource::FileSource(std::string path, int descriptor, const ReadLimits& limits)
    : path_(std::move(path)), descriptor_(descriptor) {
  if (descriptor_ < 0) throw_system_error("open", path_);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    ::close(descriptor_);
    throw_system_error("open", path_);
  }
  if (S_ISREG(status.st_mode)) {
    size_ = static_cast<uint64_t>(status.st_size);
    return;
  }
  is_stream_ = true;
  try {
    read_stream(limits);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FileSource::~FileSource() { ::close(descriptor_); }

void FileSource::read_stream(const ReadLimits& limits) {
  constexpr size_t kSlice = size_t{1} << 16;
  while (true) {
    const size_t used = stream_bytes_.size();
    if (used > limits.max_text()) throw_too_large(path_, limits);
    stream_bytes_.resize(used + kSlice);
    const ssize_t got = ::read(descriptor_, stream_bytes_.data() + used, kSlice);
    if (got < 0 && errno != EINTR) throw_system_error("read", path_);
    stream_bytes_.resize(used + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
  }
  size_ = stream_bytes_.size();
}

void FileSource::read_at(uint64_t offset, std::span<char> into) const {
  if (is_stream_) {
    std::memcpy(into.data(), stream_bytes_.data() + offset, into.size());
    return;
  }
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error("read", path_);
    if (got == 0)
      throw_error(ErrorKind::kUnreadable,
                  format("{}: the file became shorter while it was read", path_));
    offset += static_cast<uint64_t>(got);
    into = into.subspan(static_cast<size_t>(got));
  }
}

}  // namespace faketensor
