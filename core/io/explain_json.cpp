#include "core/io/explain_json.h"

#include "core/io/value_json.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

std::string_view kind_name(GuardEntry::Kind kind) {
  switch (kind) {
    case GuardEntry::Kind::kGuard:
      return "guard";
    case GuardEntry::Kind::kSpecialisation:
      return "specialisation";
    case GuardEntry::Kind::kReplacement:
      return "replacement";
    case GuardEntry::Kind::kRuntimeAssert:
      return "runtime_assert";
  }
  return {};
}

// The members of a guard without its braces.
void write_members(JsonWriter& json, const Run& run, const GuardEntry& entry) {
  json.field("kind", kind_name(entry.kind));
  json.field_if_any("text", entry.text);
  json.flag_if("follows", entry.follows);
  write_place(json, run, entry.node);
}

// An end of a range, null where it is open.
void write_end(JsonWriter& json, RangeEnd end) {
  json.raw(end.is_infinite() ? "null" : to_string(end));
}

void write_range(JsonWriter& json, ValueRange range) {
  const auto ends = json.array();
  write_end(json, range.lower);
  write_end(json, range.upper);
}

// The sizes of each tensor of a node.
void write_sizes(JsonWriter& json, const Run& run, const WhatIf& what_if, Row node) {
  const auto tensors = json.array();
  for (const TensorRecord& tensor : run.record(node).tensors) {
    const auto sizes = json.array();
    for (const SymInt size : tensor.meta->sizes()) json.value(what_if.value(size));
  }
}

// The least and most bytes of the storages of a node's tensors.
void write_bytes(JsonWriter& json, const Run& run, const WhatIf& what_if, Row node) {
  const auto tensors = json.array();
  for (const TensorRecord& tensor : run.record(node).tensors)
    write_range(json, what_if.bounds(tensor.nbytes));
}

}  // namespace

void write_place(JsonWriter& json, const Run& run, Row row) {
  if (row == kNoRow) return;
  const Program& program = run.program();
  const Node& node = program.node(row);
  json.field_if_any("node", program.text(node.name));
  json.field("row", row);
  json.field_if_any("call", call_text(run, row));
  json.field_if_any("module", program.module_path(node));
  json.field_if_any("source", program.source_line(node));
}

void write_guard(JsonWriter& json, const Run& run, const GuardEntry& entry) {
  const auto guard = json.object();
  write_members(json, run, entry);
}

void write_guards(JsonWriter& json, const Run& run) {
  const auto guards = json.array();
  for (const GuardEntry& entry : guard_report(run)) write_guard(json, run, entry);
}

void write_symbols(JsonWriter& json, const Run& run) {
  const Program& program = run.program();
  const auto symbols = json.array();
  for (const SymbolEntry& entry : symbol_report(run)) {
    const auto symbol = json.object();
    json.field("name", entry.name);
    json.field_if_any("node", program.text(program.node(entry.node).name));
    json.field("row", entry.node);
    json.field_if_any("dim", entry.dim);
    json.flag_if("part", !entry.is_whole);
    write_range(json.key("range"), entry.range);
    json.field_if_any("hint", entry.hint);
    json.field_if_any("became", entry.became);
  }
}

void write_why(JsonWriter& json, const Run& run, std::span<const WhyStep> steps) {
  const Program& program = run.program();
  const auto list = json.array();
  for (const WhyStep& step : steps) {
    const auto object = json.object();
    const Node& node = program.node(step.node);
    json.field("node", program.text(node.name));
    json.field("row", step.node);
    json.field("dim", step.dim);
    json.field_if_any("size", step.size);
    json.field_if_any("reason", step.reason);
    if (step.cause != kNoRow) {
      json.field_if_any("cause", program.text(program.node(step.cause).name));
      json.field("causeRow", step.cause);
    }
    json.field_if_any("source", program.source_line(node));
  }
}

std::string_view name(WhatIf::Verdict verdict) {
  switch (verdict) {
    case WhatIf::Verdict::kHolds:
      return "holds";
    case WhatIf::Verdict::kViolated:
      return "violated";
    case WhatIf::Verdict::kDepends:
      return "depends";
  }
  return {};
}

void write_what_if(JsonWriter& json, const Run& run, const WhatIf& what_if,
                   std::span<const std::string> nodes) {
  const Program& program = run.program();
  const BranchScope env = run.shape_env();
  const auto answer = json.object();
  const auto broken = what_if.broken();
  json.field("holds", broken.empty());
  {
    const auto list = json.array("broken");
    for (const auto& [entry, verdict] : broken) {
      const auto guard = json.object();
      write_members(json, run, entry);
      json.field("verdict", name(verdict));
    }
  }
  write_sizes(json.key("outputs"), run, what_if, static_cast<Row>(program.plan().size() - 1));
  {
    const auto sizes = json.object("nodes");
    for (const std::string& name : nodes) {
      const Row node = program.find(name);
      if (node == kNoRow)
        throw_error(ErrorKind::kUsage, format("the program has no node '{}'", name));
      write_sizes(json.key(name), run, what_if, node);
    }
  }
  const auto bytes = json.object("bytes");
  for (const std::string& name : nodes)
    write_bytes(json.key(name), run, what_if, program.find(name));
}

}  // namespace faketensor
