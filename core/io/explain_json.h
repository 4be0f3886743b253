// Why a run has the guards and sizes that it has, as JSON: what `faketensor guards --format jsonl`
// prints and what JavaScript gets (web/package/src/types.ts has the types).
//
//   {"kind":"guard","text":"Eq(s53, 768)","node":"linear","row":7,"call":"aten.linear(...)",
//    "module":"encoder","source":"model.py:12 in forward"}
#pragma once

#include <span>
#include <string>

#include "core/formats/json_writer.h"
#include "core/graph/explain.h"

namespace faketensor {

// The members that tell where a row stands: "node", "row", and as far as there are "call", "module" and
// "source". Nothing for kNoRow.
void write_place(JsonWriter& json, const Run& run, Row row);
// Of a guard that the file itself states there is no node; "follows" only where it is true.
void write_guard(JsonWriter& json, const Run& run, const GuardEntry& entry);
// The whole guard_report as a list.
void write_guards(JsonWriter& json, const Run& run);

// [{"name":"s31","node":"mask","row":2,"dim":0,"range":[2,512],"hint":6}]: the symbol_report.
// "part" where the size is an expression of the symbol, "became" what it turned out to be.
void write_symbols(JsonWriter& json, const Run& run);

// [{"node":"linear_1","row":9,"dim":1,"size":"768","reason":"an argument of the call"}]
void write_why(JsonWriter& json, const Run& run, std::span<const WhyStep> steps);

// {"holds":false,"broken":[a guard with its "verdict"],"outputs":[[4,"u0"]],"nodes":{},"bytes":{}}:
// what the settings break, what the program's outputs and the named nodes have for sizes under
// them, and the least and most bytes of the storages of these nodes. Raises UsageError for a name
// that is no node.
void write_what_if(JsonWriter& json, const Run& run, const WhatIf& what_if,
                   std::span<const std::string> nodes);

// "violated", "depends", "holds"
std::string_view name(WhatIf::Verdict verdict);

}  // namespace faketensor
