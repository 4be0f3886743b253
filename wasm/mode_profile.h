// A profile of the calls of a mode, `mode.profile()`: what torch.profiler.profile is around a block.
//
// It records while it runs and keeps its last trace when it has stopped, with or without the mode.
// Questions name it by its number, {"profile": 1}; rows of the table in queries.cpp. A mode has one
// profile that runs at a time, which starts, steps and stops between operators, not inside a fake.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <emscripten/val.h>

#include "core/formats/json_fields.h"
#include "core/formats/json_writer.h"
#include "core/profiler/profile.h"
#include "wasm/caller.h"

namespace faketensor::wasm {

// A function of JavaScript that gives nanoseconds, and never throws.
class JsClock final : public Clock {
 public:
  explicit JsClock(const emscripten::val& read) : read_(read) {}
  int64_t now() override { return static_cast<int64_t>(read_().as<double>()); }

 private:
  emscripten::val read_;
};

class ModeProfile {
 public:
  // `clock`: a function, or null for the machine's. Starts.
  ModeProfile(std::shared_ptr<ModeCaller> mode, const Json& options, const emscripten::val& clock);
  ~ModeProfile();
  ModeProfile(const ModeProfile&) = delete;
  ModeProfile& operator=(const ModeProfile&) = delete;

  void step();
  // Doing so twice is fine.
  void stop();
  // {"ready": whether a trace was finished since the last time, "warnings": [...]}
  void write_state(JsonWriter& json);
  // A span of record_function; nothing where nothing is recorded.
  std::optional<size_t> begin(const std::string& name);
  void end(size_t span);

  // The last finished trace. Raises AssertionError where nothing was prepared.
  EventList events() const;
  bool has_shapes() const { return has_shapes_; }

 private:
  std::shared_ptr<ModeCaller> mode_;  // while it runs
  std::unique_ptr<JsClock> clock_;
  std::unique_ptr<Profile> profile_;  // while it runs; after the mode, whose context it is in
  std::optional<EventList> last_;
  std::vector<std::string> warnings_;
  bool has_shapes_ = false;
  bool is_ready_ = false;
};

void step_profile(JsonWriter& json, const Json& given);
void stop_profile(JsonWriter& json, const Json& given);
void close_profile(JsonWriter& json, const Json& given);
void begin_span(JsonWriter& json, const Json& given);
void end_span(JsonWriter& json, const Json& given);
void profile_events(JsonWriter& json, const Json& given);
void profile_averages(JsonWriter& json, const Json& given);
void profile_chrome_trace(JsonWriter& json, const Json& given);

}  // namespace faketensor::wasm
