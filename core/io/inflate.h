// Inflating by zlib, shared by the gzip and the zip reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/io/byte_source.h"

namespace faketensor {

enum class DeflateFraming : uint8_t { kGzip, kRaw };

// Inflates the `length` bytes at `offset` and appends them to `out`. All of them must be used up:
// kGzip takes one member after the other, kRaw exactly one stream. At most `max_bytes` come out,
// `expected` of them are reserved. `what` names the place in errors ("gzip member", "entry 'a/b'").
void inflate_into(std::string& out, const ByteSource& source, uint64_t offset, uint64_t length,
                  DeflateFraming framing, uint64_t expected, uint64_t max_bytes,
                  std::string_view what);

}  // namespace faketensor
