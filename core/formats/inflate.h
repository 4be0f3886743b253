// Inflating by zlib, shared by the gzip and the zip reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/formats/byte_source.h"

namespace faketensor {

enum class DeflateFraming : uint8_t { kGzip, kRaw };

// Inflates the `length` bytes at `offset` and appends the result to `out`. All of them must be used
// up: kGzip takes one member after the other, kRaw exactly one stream. Room for `expected` bytes is
// made first; the result, and the memory for growing beyond `expected`, keep to `limits`. `what`
// names the place in errors ("gzip member", "entry 'a/b'").
void inflate_into(std::string& out, const ByteSource& source, uint64_t offset, uint64_t length,
                  DeflateFraming framing, uint64_t expected, const ReadLimits& limits,
                  std::string_view what);

}  // namespace faketensor
