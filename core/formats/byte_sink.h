// ByteSink: bytes on their way to a file, piece by piece.
#pragma once

#include <string_view>

namespace faketensor {

class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  // Raises Unreadable with the system's words where the bytes cannot be written.
  virtual void write(std::string_view bytes) = 0;
  // All were written: what the system holds back goes to the file now. Raises as `write`.
  virtual void finish() = 0;
};

}  // namespace faketensor
