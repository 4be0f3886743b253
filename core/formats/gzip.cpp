#include "core/formats/gzip.h"

#include <limits>

#define ZLIB_CONST
#include <zlib.h>

#include "core/support/error.h"

namespace faketensor {

std::string gzip(std::string_view text) {
  constexpr int kGzipFraming = 16;  // added to the window's bits
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (text.size() > std::numeric_limits<uInt>::max() ||
      deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFraming,
                   kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw_error(ErrorKind::kUnreadable, "gzip: the text is too large");
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  // The bound holds all of it: one call is the end.
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace faketensor
