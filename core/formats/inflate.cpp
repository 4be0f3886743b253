#include "core/formats/inflate.h"

#include <algorithm>
#include <vector>

#include <zlib.h>

#include "core/formats/text.h"
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

[[noreturn, gnu::cold]] void throw_too_long(std::string_view what, const ReadLimits& limits) {
  throw_error(ErrorKind::kLimitExceeded,
              format("{}: inflates to more than {}", what, limits.max_text_in_words()));
}

// `out` holds text in its first `used` bytes and room behind it. A longer one is held beside the
// one that it takes the place of, and both count.
void make_room(std::string& out, size_t used, const ReadLimits& limits, std::string_view what) {
  if (used < out.size()) return;
  // One byte more than is allowed may be asked for, so that a text of exactly the limit can still
  // find its end.
  const uint64_t cap = limits.max_text() + 1;
  const uint64_t left = limits.memory_left();
  const uint64_t beside = left - std::min<uint64_t>(left, used);
  uint64_t wanted = std::max<uint64_t>(kSmallestOutput, 2 * uint64_t{used});
  wanted = std::min({wanted, cap, beside});
  if (wanted <= used) throw_too_long(what, limits);
  std::string longer;
  longer.reserve(static_cast<size_t>(wanted) + kTextPadding);
  longer.assign(out, 0, used);
  longer.resize(static_cast<size_t>(wanted));
  out.swap(longer);
}

}  // namespace

void inflate_into(std::string& out, const ByteSource& source, uint64_t offset, uint64_t length,
                  DeflateFraming framing, uint64_t expected, const ReadLimits& limits,
                  std::string_view what) {
  Inflater inflater(framing);
  std::vector<char> slice(static_cast<size_t>(std::min<uint64_t>(length, kInputSlice)));
  size_t used = 0;
  if (expected > limits.max_text()) throw_too_long(what, limits);
  const auto first = static_cast<size_t>(expected) + 1;
  out.reserve(first + kTextPadding);
  out.resize(first);
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
    make_room(out, used, limits, what);
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
  if (used > limits.max_text()) throw_too_long(what, limits);
  out.resize(used);
}

}  // namespace faketensor
