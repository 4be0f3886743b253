// What draft_export would report of a program, as JSON: what `faketensor draft --format json` prints
// and what JavaScript gets (DraftReport of web/package/src/types.ts).
//
//   {"successful":false,"failures":[{"kind":"DATA_DEPENDENT_ERROR","text":"4 <= u3","node":"item",
//    ...}],"opProfiles":[...],"problems":[...]}
#pragma once

#include "core/formats/json_writer.h"
#include "core/profiles/draft_report.h"

namespace faketensor {

void write_draft_report(JsonWriter& json, const DraftReport& report);

}  // namespace faketensor
