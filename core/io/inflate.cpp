#include "core/io/inflate.h"

#include <algorithm>
#include <vector>

#include <zlib.h>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

constexpr size_t kInputSlice = size_t{1} << 18;
constexpr size_t kSmallestOutput = size_t{1} << 16;

// A z_stream that is always ended.
class Inflater {
 public:
  explicit Inflater(DeflateFraming framing) {
    const int window_bits = framing == DeflateFraming::kGzip ? 16 + MAX_WBITS : -MAX_WBITS;
    if (inflateInit2(&stream_, window_bits) != Z_OK)
      throw_error(ErrorKind::kRuntimeError, "zlib could not be initialised");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream* operator->() { return &stream_; }
  int step() { return inflate(&stream_, Z_NO_FLUSH); }
  void next_member() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

// `out` holds text in its first `used` bytes and room behind it.
void make_room(std::string& out, size_t used, uint64_t max_bytes, std::string_view what) {
  if (used < out.size()) return;
  // One byte more than is allowed may be asked for, so that a text of exactly the limit can still
  // find its end.
  const uint64_t cap = max_bytes + 1;
  if (used >= cap) {
    throw_error(ErrorKind::kLimitExceeded,
                format("{}: inflates to more than {} bytes", what, max_bytes));
  }
  const uint64_t wanted = std::max<uint64_t>(kSmallestOutput, 2 * uint64_t{used});
  out.resize(static_cast<size_t>(std::min(cap, wanted)));
}

}  // namespace

void inflate_into(std::string& out, const ByteSource& source, uint64_t offset, uint64_t length,
                  DeflateFraming framing, uint64_t expected, uint64_t max_bytes,
                  std::string_view what) {
  Inflater inflater(framing);
  std::vector<char> slice(static_cast<size_t>(std::min<uint64_t>(length, kInputSlice)));
  size_t used = 0;
  out.resize(static_cast<size_t>(std::min(expected, max_bytes)) + 1);
  uint64_t read = 0;
  bool at_end = false;
  while (true) {
    if (inflater->avail_in == 0 && read < length) {
      const size_t count = static_cast<size_t>(std::min<uint64_t>(slice.size(), length - read));
      source.read(offset + read, std::span(slice).first(count));
      read += count;
      inflater->next_in = reinterpret_cast<Bytef*>(slice.data());
      inflater->avail_in = static_cast<uInt>(count);
    }
    const uint64_t place = offset + read - inflater->avail_in;
    if (at_end) {
      if (inflater->avail_in == 0) break;
      if (framing == DeflateFraming::kRaw) {
        throw_error(
            ErrorKind::kUnreadable,
            format("{}: compressed data ends at byte {}, before its stated size", what, place));
      }
      inflater.next_member();
      at_end = false;
    } else if (inflater->avail_in == 0) {
      throw_error(ErrorKind::kUnreadable,
                  format("{}: compressed data is cut off at byte {}", what, place));
    }
    make_room(out, used, max_bytes, what);
    const size_t room = std::min<size_t>(out.size() - used, size_t{1} << 30);
    inflater->next_out = reinterpret_cast<Bytef*>(out.data() + used);
    inflater->avail_out = static_cast<uInt>(room);
    const int status = inflater.step();
    used += room - inflater->avail_out;
    at_end = status == Z_STREAM_END;
    if (status != Z_OK && status != Z_STREAM_END) {
      throw_error(ErrorKind::kUnreadable, format("{}: compressed data is damaged near byte {}: {}",
                                                 what, offset + read - inflater->avail_in,
                                                 inflater->msg ? inflater->msg : "zlib error"));
    }
  }
  if (used > max_bytes) {
    throw_error(ErrorKind::kLimitExceeded,
                format("{}: inflates to more than {} bytes", what, max_bytes));
  }
  out.resize(used);
}

}  // namespace faketensor
