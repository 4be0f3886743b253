// JSON that was read, written as it was. What JSON has no word for is written as Python's json module
// does: NaN, Infinity. Members may be replaced on the way:
//
//   copy_json(json, node, [&](const JsonMember& member) {
//     if (member.name != "as_graph") return false;
//     write_graph(json, member.value);  // behind its key, which has been written
//     return true;
//   });
#pragma once

#include <functional>

#include "core/formats/json_events.h"
#include "core/formats/json_writer.h"

namespace faketensor {

void copy_json(JsonWriter& json, JsonValue value);
// Each member of each object goes to `write_instead` first, which says whether it has written a value.
void copy_json(JsonWriter& json, JsonValue value,
               const std::function<bool(const JsonMember& member)>& write_instead);

}  // namespace faketensor
