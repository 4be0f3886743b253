// Whole texts of a source: its bytes, inflated where they are gzip.
//
//   const std::string text = read_text(FileSource("model.json.gz"), limits);
#pragma once

#include <string>

#include "core/formats/byte_source.h"

namespace faketensor {

// What reads a text may look this many bytes past its end, and so appends as many (read_json). A
// text is therefore made with room for them: a large one would be copied otherwise.
inline constexpr size_t kTextPadding = 32;

// All bytes of a source; kLimitExceeded where there are more than `limits.max_text_bytes`.
std::string read_all(const ByteSource& source, const ReadLimits& limits);

// Whether the source begins as gzip does.
bool is_gzip(const ByteSource& source);

// The inflated content of a gzip file, all its members, checksums verified. No ratio is refused
// (the JSON of a program of repeated blocks shrinks a hundredfold), but no more than
// `limits.max_text_bytes` come out.
std::string inflate_gzip(const ByteSource& source, const ReadLimits& limits);

// `read_all`, or `inflate_gzip` where the source is gzip.
std::string read_text(const ByteSource& source, const ReadLimits& limits);

}  // namespace faketensor
