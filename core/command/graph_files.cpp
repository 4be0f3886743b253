#include "core/command/graph_files.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/command/value_text.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// A text as a field of CSV.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string sizes_text(Dims sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i)
    text.append(i > 0 ? ", " : "").append(to_string(sizes[i]));
  return text + ']';
}

const TensorMeta* tensor_of(const NodeRecord& record) {
  return record.value.is_tensor() ? record.tensors[0].meta : nullptr;
}

// What is drawn of a run.
struct Drawing {
  struct Box {
    Row row;
    std::string_view target;  // empty for inputs
    std::string value;
  };
  std::vector<Box> boxes;
  std::vector<std::pair<Row, Row>> edges;
};

void add_edges(const Value& argument, Row to, std::set<Row>& from) {
  if (argument.is(Value::Tag::kNodeRef) && argument.node() != to) from.insert(argument.node());
  if (!argument.is(Value::Tag::kList)) return;
  for (const Value& element : argument.values()) add_edges(element, to, from);
}

Drawing drawing_of(const Run& run) {
  const Plan& plan = run.plan();
  const std::vector<InputSpec>& inputs = run.program().inputs;
  Drawing drawing;
  std::vector<bool> is_drawn(plan.size(), false);
  for (Row row = 0; row < plan.size(); ++row) {
    const bool is_input = plan.row(row).kind == RowKind::kPlaceholder;
    const NodeRecord& record = run.record(row);
    if (is_input && row < inputs.size() && inputs[row].kind != InputSpec::Kind::kUser) continue;
    is_drawn[row] = true;
    std::span<const TensorRecord> tensors = record.tensors;
    const bool has_value =
        record.status == NodeStatus::kOk && plan.row(row).kind != RowKind::kOutput;
    drawing.boxes.push_back({row, is_input ? std::string_view() : plan.target_of(row),
                             has_value ? value_text(record.value, tensors) : std::string()});
    std::set<Row> from;
    for (const Value& argument : plan.row(row).args) add_edges(argument, row, from);
    for (const Row source : from)
      if (is_drawn[source]) drawing.edges.emplace_back(source, row);
  }
  return drawing;
}

// "conv2d", "aten.conv2d.default" and "f32[2, 3]", a line each, those of them that say something.
std::string label(const Plan& plan, const Drawing::Box& box) {
  std::string_view target = box.target;
  constexpr std::string_view kOps = "torch.ops.";
  if (target.starts_with(kOps)) target.remove_prefix(kOps.size());
  std::string text(plan.name_of(box.row));
  if (!target.empty() && target != text) text.append("\n").append(target);
  if (!box.value.empty()) text.append("\n").append(box.value);
  return text;
}

// Of a label in quotes, which Mermaid reads as HTML.
void append_mermaid(std::string& text, char c) {
  switch (c) {
    case '\n':
      text += "<br/>";
      break;
    case '"':
      text += "#quot;";
      break;
    case '<':
      text += "#lt;";
      break;
    case '>':
      text += "#gt;";
      break;
    default:
      text += c;
  }
}

[[noreturn]] void too_large(std::string_view what, size_t count, std::string_view limit) {
  throw_error(ErrorKind::kUsage,
              format("a graph of {} {} is too large to be drawn: {}", count, what, limit));
}

}  // namespace

std::string csv_table(const Run& run) {
  const Plan& plan = run.plan();
  std::string csv = "name,target,shape,strides,dtype,device,bytes\n";
  for (Row row = 0; row < plan.size(); ++row) {
    csv += format("{},{},", csv_field(plan.name_of(row)), csv_field(plan.target_of(row)));
    if (const TensorMeta* meta = tensor_of(run.record(row))) {
      const SymInt bytes = meta->numel() * itemsize(meta->dtype());
      csv += format("{},{},{},{},{}\n", csv_field(sizes_text(meta->sizes())),
                    csv_field(sizes_text(meta->strides())), info(meta->dtype()).name,
                    meta->device(), csv_field(to_string(bytes)));
    } else {
      csv += ",,,,\n";
    }
  }
  return csv;
}

std::string dot_graph(const Run& run) {
  constexpr size_t kMostNodes = 5000;
  const Drawing drawing = drawing_of(run);
  if (drawing.boxes.size() > kMostNodes)
    too_large("nodes", drawing.boxes.size(), "Graphviz is given at most 5,000");
  std::string dot = "digraph {\n  node [shape=box, fontname=\"monospace\"]\n";
  for (const Drawing::Box& box : drawing.boxes) {
    std::string text;
    for (const char c : label(run.plan(), box)) {
      if (c == '"' || c == '\\') text += '\\';
      text += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    dot += format("  n{} [label=\"{}\"]\n", box.row, text);
  }
  for (const auto& [from, to] : drawing.edges) dot += format("  n{} -> n{}\n", from, to);
  return dot + "}\n";
}

std::string mermaid_graph(const Run& run) {
  constexpr size_t kMostEdges = 500;
  constexpr size_t kMostCharacters = 50'000;
  const Drawing drawing = drawing_of(run);
  if (drawing.edges.size() > kMostEdges)
    too_large("edges", drawing.edges.size(), "Mermaid takes at most 500");
  std::string text = "flowchart TD\n";
  for (const Drawing::Box& box : drawing.boxes) {
    std::string shown;
    for (const char c : label(run.plan(), box)) append_mermaid(shown, c);
    text += format("  n{}[\"{}\"]\n", box.row, shown);
  }
  for (const auto& [from, to] : drawing.edges) text += format("  n{} --> n{}\n", from, to);
  if (text.size() > kMostCharacters)
    too_large("characters", text.size(), "Mermaid takes at most 50,000");
  return text;
}

}  // namespace faketensor
