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

void append_field(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.append(",\"").append(key).append("\":");
  append_json_string(out, value);
}

// The fields of a guard without its braces.
void append_fields(std::string& out, const Run& run, const GuardEntry& entry) {
  out += "\"kind\":";
  append_json_string(out, kind_name(entry.kind));
  append_field(out, "text", entry.text);
  if (entry.follows) out += ",\"follows\":true";
  if (entry.node == kNoNode) return;
  const Program& program = run.program();
  const Node& node = program.graph().node(entry.node);
  append_field(out, "node", program.text(node.name));
  out += format(",\"row\":{}", entry.node);
  append_field(out, "call", call_text(run, entry.node));
  append_field(out, "module", program.module_path(node));
  append_field(out, "source", program.source_line(node));
}

void append_sizes(std::string& out, const WhatIf& what_if, const TensorRecord& tensor) {
  std::vector<SymInt> sizes;
  for (const SymInt size : tensor.meta->sizes()) sizes.push_back(what_if.value(size));
  append_json(out, Dims(sizes));
}

// A list with what `append` writes for each tensor of a node.
template <typename Append>
void append_each_tensor(std::string& out, const Run& run, NodeId node, Append append) {
  out += '[';
  bool is_first = true;
  for (const TensorRecord& tensor : run.record(node).tensors) {
    if (!is_first) out += ',';
    is_first = false;
    append(tensor);
  }
  out += ']';
}

void append_tensors(std::string& out, const Run& run, const WhatIf& what_if, NodeId node) {
  append_each_tensor(out, run, node,
                     [&](const TensorRecord& tensor) { append_sizes(out, what_if, tensor); });
}

}  // namespace

void append_guard(std::string& out, const Run& run, const GuardEntry& entry) {
  out += '{';
  append_fields(out, run, entry);
  out += '}';
}

namespace {

// An end of a range, null where it is open.
void append_end(std::string& out, RangeEnd end) {
  out += end.is_infinite() ? "null" : to_string(end);
}

void append_range(std::string& out, ValueRange range) {
  out += '[';
  append_end(out, range.lower);
  out += ',';
  append_end(out, range.upper);
  out += ']';
}

}  // namespace

void append_symbols(std::string& out, const Run& run) {
  const Program& program = run.program();
  out += '[';
  bool is_first = true;
  for (const SymbolEntry& entry : symbol_report(run)) {
    out += is_first ? "{\"name\":" : ",{\"name\":";
    is_first = false;
    append_json_string(out, entry.name);
    append_field(out, "node", program.text(program.graph().node(entry.node).name));
    out += format(",\"row\":{}", entry.node);
    if (entry.dim) out += format(",\"dim\":{}", *entry.dim);
    out += entry.is_whole ? ",\"range\":" : ",\"part\":true,\"range\":";
    append_range(out, entry.range);
    if (entry.hint) out += format(",\"hint\":{}", *entry.hint);
    append_field(out, "became", entry.became);
    out += '}';
  }
  out += ']';
}

void append_guards(std::string& out, const Run& run) {
  out += '[';
  bool is_first = true;
  for (const GuardEntry& entry : guard_report(run)) {
    if (!is_first) out += ',';
    is_first = false;
    append_guard(out, run, entry);
  }
  out += ']';
}

void append_why(std::string& out, const Run& run, std::span<const WhyStep> steps) {
  const Program& program = run.program();
  out += '[';
  for (const WhyStep& step : steps) {
    if (&step != steps.data()) out += ',';
    const Node& node = program.graph().node(step.node);
    out += "{\"node\":";
    append_json_string(out, program.text(node.name));
    out += format(",\"row\":{},\"dim\":{}", step.node, step.dim);
    append_field(out, "size", step.size);
    append_field(out, "reason", step.reason);
    if (step.cause != kNoNode) {
      append_field(out, "cause", program.text(program.graph().node(step.cause).name));
      out += format(",\"causeRow\":{}", step.cause);
    }
    append_field(out, "source", program.source_line(node));
    out += '}';
  }
  out += ']';
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

namespace {

// The least and most bytes of the storages of a node's tensors.
void append_bytes(std::string& out, const Run& run, const WhatIf& what_if, NodeId node) {
  append_each_tensor(out, run, node, [&](const TensorRecord& tensor) {
    append_range(out, what_if.bounds(tensor.nbytes));
  });
}

}  // namespace

void append_what_if(std::string& out, const Run& run, const WhatIf& what_if,
                    std::span<const std::string> nodes) {
  const Program& program = run.program();
  const BranchScope env = run.shape_env();
  const auto broken = what_if.broken();
  out.append("{\"holds\":").append(broken.empty() ? "true" : "false").append(",\"broken\":[");
  bool is_first = true;
  for (const auto& [entry, verdict] : broken) {
    out += is_first ? "{" : ",{";
    is_first = false;
    append_fields(out, run, entry);
    append_field(out, "verdict", name(verdict));
    out += '}';
  }
  out += "],\"outputs\":";
  append_tensors(out, run, what_if, static_cast<NodeId>(program.graph().size() - 1));
  out += ",\"nodes\":{";
  for (const std::string& each : nodes) {
    const NodeId node = program.find(each);
    if (node == kNoNode)
      throw_error(ErrorKind::kUsage, format("the program has no node '{}'", each));
    if (&each != nodes.data()) out += ',';
    append_json_string(out, each);
    out += ':';
    append_tensors(out, run, what_if, node);
  }
  out += "},\"bytes\":{";
  for (const std::string& each : nodes) {
    if (&each != nodes.data()) out += ',';
    append_json_string(out, each);
    out += ':';
    append_bytes(out, run, what_if, program.find(each));
  }
  out += "}}";
}

}  // namespace faketensor
