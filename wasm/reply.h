// The boundary: a reply is a JSON value, and whatever is thrown on the way becomes {"error": ...}.
//
//   return reply([&](JsonWriter& json) { json.value(number); });
#pragma once

#include <new>
#include <string>
#include <utility>

#include "core/formats/json_writer.h"

namespace faketensor::wasm {

// What is raised for what JavaScript gave.
inline constexpr ErrorKind kUsage = ErrorKind::kUsage;

// The text of what `write` writes.
template <typename Write>
std::string written(const Write& write) {
  std::string text;
  JsonWriter json(text);
  write(json);
  return text;
}

// {"error": {"class", "message", "operator", "argument"}}: ErrorData of web/package/src/errors.ts.
inline std::string error_text(const Error& error) {
  return written([&](JsonWriter& json) {
    const auto reply = json.object();
    const auto data = json.object("error");
    json.field("class", error.class_name());
    json.field("message", error.message());
    json.field_if_any("operator", error.op());
    json.field_if_any("argument", error.argument());
  });
}

// What `body` gives, or what `from_text` makes of the text of an error.
template <typename Body, typename FromText>
auto guarded(const Body& body, const FromText& from_text) {
  try {
    return body();
  } catch (const Error& error) {
    return from_text(error_text(error));
  } catch (const std::bad_alloc&) {
    return from_text(error_text(Error(ErrorKind::kLimitExceeded, "out of memory")));
  } catch (const std::exception& error) {
    // A length that no container has; JSON is read by functions that raise Errors.
    return from_text(error_text(Error(ErrorKind::kLimitExceeded, error.what())));
  }
}

template <typename Write>
std::string reply(const Write& write) {
  return guarded([&] { return written(write); }, [](std::string text) { return text; });
}

}  // namespace faketensor::wasm
