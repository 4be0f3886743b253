// `faketensor answer` for memory: transcripts of the caching allocator, and models whose every
// operator was recorded (tests/conformance/SYSTEMS.md, "memory/").
#pragma once

#include <string_view>

#include "core/analysis/allocator.h"
#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"

namespace faketensor {

// Writes the answer to a question of kind "memory/allocator" or "memory/models"; false for other
// kinds.
bool answer_memory(JsonWriter& json, std::string_view kind, const Json& question);

// The device of the recordings, unless a transcript says otherwise: bytes.
inline constexpr uint64_t kRecordedDevice = uint64_t{80} << 30;

// {"allocation": {"all": [current, peak, allocated, freed], ...}, ..., "max_split_size": -1}
void write_allocator_stats(JsonWriter& json, const AllocatorStats& stats);

void answer_allocator(JsonWriter& json, const Json& question);
void answer_model(JsonWriter& json, const Json& question);

}  // namespace faketensor
