#include "wasm/program_view.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/graph/drawn_graph.h"
#include "core/graph/module_hash.h"
#include "core/graph/plumbing.h"
#include "core/layout/graph_layout.h"
#include "core/support/format.h"
#include "core/support/hash.h"
#include "core/support/target_name.h"
#include "wasm/packed.h"

namespace faketensor::wasm {

namespace {

// The four kinds that the page tells apart; tokens and custom objects are no tensors of the user's.
std::string_view input_kind(InputSpec::Kind kind) {
  switch (kind) {
    case InputSpec::Kind::kUser:
      return "user";
    case InputSpec::Kind::kParameter:
      return "parameter";
    case InputSpec::Kind::kBuffer:
      return "buffer";
    default:
      return "constant";
  }
}

// Sizes as the file has them.
void write_dims(JsonWriter& json, Dims values) {
  const auto list = json.array();
  for (const SymInt value : values) {
    if (value.is_symbolic()) {
      json.value(to_string(value));
    } else {
      json.value(value.as_int());
    }
  }
}

void write_input(JsonWriter& json, const Program& program, Row row) {
  const InputSpec& spec = program.inputs[row];
  const Node& node = program.node(row);
  const TensorMeta* meta = node.recorded;
  const auto input = json.object();
  json.field("name", program.text(node.name));
  json.field("kind", input_kind(spec.kind));
  json.field("target", spec.target == 0 ? std::nullopt : std::optional(program.text(spec.target)));
  json.field("node", row);
  write_dims(json.key("size"), meta == nullptr ? Dims() : meta->sizes());
  write_dims(json.key("stride"), meta == nullptr ? Dims() : meta->strides());
  json.field("dtype", meta == nullptr ? std::string_view() : name(meta->dtype()));
  json.field("device", meta == nullptr ? std::string() : text_of(meta->device()));
}

std::vector<std::string_view> output_names(const Program& program) {
  std::vector<std::string_view> names;
  const Plan& plan = program.plan();
  if (plan.size() == 0) return names;
  const auto add = [&](const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) names.push_back(plan.name_of(value.node()));
  };
  for (const Value& argument : plan.rows().back().args) {
    if (argument.is_list()) {
      for (size_t i = 0; i < argument.size(); ++i) add(argument[i]);
    } else {
      add(argument);
    }
  }
  return names;
}

void write_symbol(JsonWriter& json, const SymbolSpec& spec) {
  const auto symbol = json.object();
  const std::optional<int64_t> range[] = {spec.lower, spec.upper};
  json.field("name", spec.name);
  json.field("range", std::span(range));
  json.field("hint", spec.hint);
}

void write_module(JsonWriter& json, const Program& program, size_t id, uint32_t hash) {
  const Module& module = program.modules[id];
  const auto object = json.object();
  json.field("id", id);
  json.field("parent", id == 0 ? -1 : static_cast<int64_t>(module.parent));
  json.field("path", program.text(module.path));
  json.field("type", program.text(module.type));
  json.field("nodes", module.nodes);
  json.field("first", module.first == kNoRow ? 0 : module.first);
  json.field("last", module.last == kNoRow ? 0 : module.last);
  json.field("hash", hash);
}

// Operators without a rule, and how often each is called.
std::map<std::string_view, int64_t> unknown_ops(const Program& program) {
  std::map<std::string_view, int64_t> counts;
  const Plan& plan = program.plan();
  for (Row row = 0; row < plan.size(); ++row) {
    if (plan.row(row).kind != RowKind::kCall || plan.row(row).op != kNoOp) continue;
    const std::string_view target = plan.target_of(row);
    // Python's functions on symbolic scalars and higher-order operators stand in no table of rows.
    if (is_dispatcher_target(target)) ++counts[target];
  }
  return counts;
}

}  // namespace

void write_program(JsonWriter& json, const Program& program) {
  const auto info = json.object();
  json.field("name", program.name);
  json.field("kind", program.kind);
  json.field("torchVersion", program.torch_version);
  json.field("schemaVersion", format("{}.{}", program.schema_major, program.schema_minor));
  json.field("nodes", program.plan().size());
  {
    const auto inputs = json.array("inputs");
    for (Row i = 0; i < program.inputs.size(); ++i) write_input(json, program, i);
  }
  json.field("outputs", output_names(program));
  {
    const auto symbols = json.array("symbols");
    for (const SymbolSpec& symbol : program.symbols) write_symbol(json, symbol);
  }
  {
    const std::vector<uint32_t> hashes = module_hashes(program);
    const auto modules = json.array("modules");
    for (size_t id = 0; id < program.modules.size(); ++id)
      write_module(json, program, id, hashes[id]);
  }
  const auto unknown = json.array("unknownOps");
  for (const auto& [op, count] : unknown_ops(program)) {
    const auto object = json.object();
    json.field("op", op);
    json.field("count", count);
  }
}

namespace {

// How wide a label is at the page's 12 px, in tenths of a pixel of the widest of its fonts: "mm" is
// more than twice as wide as "il".
int64_t label_tenths(std::string_view label) {
  constexpr std::string_view kNarrow = "ijlI.,:;'|!()[]";
  constexpr std::string_view kSlim = "frt-_/ ";
  constexpr std::string_view kWide = "mwMW%@";
  int64_t tenths = 0;
  for (const char letter : label.substr(0, 200)) {
    const auto is_in = [letter](std::string_view letters) {
      return letters.find(letter) != std::string_view::npos;
    };
    tenths += is_in(kNarrow) ? 40 : is_in(kSlim) ? 55 : is_in(kWide) ? 115 : 75;
  }
  return tenths;
}

// The layout's class for a label. Beside it are padding and the dtype's badge of up to four letters.
uint8_t width_class(std::string_view label) {
  constexpr int64_t kBesideLabel = 50;
  const int64_t pixels = (label_tenths(label) + 9) / 10 + kBesideLabel;
  const int64_t above = std::max<int64_t>(pixels - layout::metrics::kNarrowest, 0);
  const int64_t steps = (above + layout::metrics::kWidthStep - 1) / layout::metrics::kWidthStep;
  return static_cast<uint8_t>(std::min<int64_t>(steps, layout::metrics::kWidthClasses - 1));
}

uint8_t input_flags(InputSpec::Kind kind) {
  switch (kind) {
    case InputSpec::Kind::kUser:
      return 0;
    case InputSpec::Kind::kParameter:
      return layout::kRowFolded | layout::kRowParameter;
    default:
      return layout::kRowFolded;
  }
}

struct LayoutColumns {
  InputColumns inputs;
  std::vector<uint32_t> module, row_key, module_parent;
  std::vector<uint8_t> flags, width, module_width;
};

LayoutColumns layout_columns(const Program& program, bool plumbing) {
  const Plan& plan = program.plan();
  LayoutColumns columns;
  columns.inputs = input_columns(program);
  std::vector<Row> shown;
  if (!plumbing) {
    shown = shown_rows(program);
    columns.inputs = without_plumbing(columns.inputs, shown);
  }
  const std::vector<const InputSpec*> inputs = inputs_shown(program);
  std::unordered_map<uint64_t, uint32_t> keys;
  for (Row row = 0; row < plan.size(); ++row) {
    const Node& node = plan.node(row);
    const RowKind kind = plan.row(row).kind;
    const bool is_input = kind == RowKind::kPlaceholder;
    columns.module.push_back(node.module);
    const bool is_left_out = !plumbing && shown[row] != row;
    columns.flags.push_back(is_input && inputs[row] != nullptr ? input_flags(inputs[row]->kind)
                            : is_left_out                      ? uint8_t{layout::kRowFolded}
                                                               : uint8_t{0});
    columns.width.push_back(
        width_class(is_input ? node_label(program.text(node.name)) : op_label(op_name(plan, row))));
    // Drawn alike: the same operator on a value of the same recorded sizes.
    const uint64_t key =
        hash_word(hash_word(static_cast<uint64_t>(kind), is_input ? 0 : node.target),
                  reinterpret_cast<uintptr_t>(node.recorded));
    columns.row_key.push_back(
        keys.try_emplace(key, static_cast<uint32_t>(keys.size())).first->second);
  }
  for (const Module& module : program.modules) {
    columns.module_parent.push_back(module.parent);
    // Its type stands beside its name where there is room.
    std::string label(module_label(program.text(module.path)));
    label.append("    ").append(last_component(program.text(module.type)));
    columns.module_width.push_back(width_class(label));
  }
  return columns;
}

}  // namespace

std::vector<uint8_t> pack_layout(const Program& program, std::span<const uint32_t> expanded,
                                 bool plumbing) {
  const LayoutColumns columns = layout_columns(program, plumbing);
  const layout::GraphLayout drawn =
      layout::lay_out_graph({.input_start = columns.inputs.start,
                             .inputs = columns.inputs.inputs,
                             .module = columns.module,
                             .flags = columns.flags,
                             .width_class = columns.width,
                             .row_key = columns.row_key,
                             .module_parent = columns.module_parent,
                             .module_width_class = columns.module_width,
                             .expanded = expanded});

  std::vector<int32_t> id, parent;
  std::vector<float> x, y, w, h, points;
  std::vector<uint8_t> depth;
  std::vector<uint32_t> repeat, from, to, value, point_start{0};
  for (const layout::Box& box : drawn.boxes) {
    id.push_back(box.id);
    parent.push_back(box.parent);
    x.push_back(static_cast<float>(box.x));
    y.push_back(static_cast<float>(box.y));
    w.push_back(static_cast<float>(box.width));
    h.push_back(static_cast<float>(box.height));
    depth.push_back(box.depth);
    repeat.push_back(box.repeat);
  }
  for (const layout::Edge& edge : drawn.edges) {
    from.push_back(edge.from);
    to.push_back(edge.to);
    value.push_back(edge.value);
    point_start.push_back(edge.point_end);
  }
  for (const layout::Point& point : drawn.points) {
    points.push_back(static_cast<float>(point.x));
    points.push_back(static_cast<float>(point.y));
  }

  PackedBuffer buffer(PackedKind::kLayout);
  buffer.add(LayoutSection::kExtent,
             std::vector<float>{static_cast<float>(drawn.width), static_cast<float>(drawn.height)});
  buffer.add(LayoutSection::kBoxId, id);
  buffer.add(LayoutSection::kBoxX, x);
  buffer.add(LayoutSection::kBoxY, y);
  buffer.add(LayoutSection::kBoxW, w);
  buffer.add(LayoutSection::kBoxH, h);
  buffer.add(LayoutSection::kBoxParent, parent);
  buffer.add(LayoutSection::kBoxDepth, depth);
  buffer.add(LayoutSection::kBoxRepeat, repeat);
  buffer.add(LayoutSection::kEdgeFrom, from);
  buffer.add(LayoutSection::kEdgeTo, to);
  buffer.add(LayoutSection::kEdgeValue, value);
  buffer.add(LayoutSection::kPointStart, point_start);
  buffer.add(LayoutSection::kPoints, points);
  return buffer.finish();
}

}  // namespace faketensor::wasm
