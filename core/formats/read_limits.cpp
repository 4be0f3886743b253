#include "core/formats/read_limits.h"

#include <algorithm>
#include <limits>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

std::string memory_limit_in_words(const ReadLimits& limits) {
  return format(
      "the memory limit of {} bytes (by default 256 MB and 20 times the file; --memory-limit, in "
      "JavaScript memoryLimit, sets another)",
      limits.max_memory_bytes);
}

}  // namespace

ReadLimits ReadLimits::for_file(uint64_t bytes) const {
  ReadLimits limits = *this;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  if (max_memory_bytes == 0) {
    limits.max_memory_bytes = bytes > (kMost - kMemoryBase) / kMemoryPerByte
                                  ? kMost
                                  : kMemoryBase + kMemoryPerByte * bytes;
  }
  return limits;
}

ReadLimits ReadLimits::holding(uint64_t bytes) const {
  ReadLimits limits = *this;
  limits.held_bytes += bytes;
  return limits;
}

uint64_t ReadLimits::memory_left() const {
  if (max_memory_bytes == 0) return std::numeric_limits<uint64_t>::max();
  const uint64_t counted = max_memory_bytes - max_memory_bytes / 8;
  return counted - std::min(counted, held_bytes);
}

uint64_t ReadLimits::max_text() const { return std::min(max_text_bytes, memory_left()); }

std::string ReadLimits::max_text_in_words() const {
  return max_text_bytes <= memory_left() ? format("the limit of {} bytes", max_text_bytes)
                                         : memory_limit_in_words(*this);
}

void throw_too_large(std::string_view what, const ReadLimits& limits) {
  throw_error(ErrorKind::kLimitExceeded,
              format("{} is larger than {}", what, limits.max_text_in_words()));
}

void throw_memory_limit(std::string_view what, const ReadLimits& limits) {
  throw_error(ErrorKind::kLimitExceeded,
              format("{} needs more than {}", what, memory_limit_in_words(limits)));
}

}  // namespace faketensor
