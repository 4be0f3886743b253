#include "core/replay/profiler_report.h"

#include <utility>

#include "core/profiler/table.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

std::vector<int64_t> read_sizes(const Json& json) {
  std::vector<int64_t> sizes;
  for (const Json& size : list_of(json, "shapes")) sizes.push_back(integer_of(size, "shapes"));
  return sizes;
}

FunctionEvent read_event(const Json& json) {
  FunctionEvent event{.name = text_member(json, "name")};
  if (const Json* parent = find_member(json, "parent"); parent != nullptr && !parent->is_null())
    event.parent = integer_of(*parent, "parent");
  event.is_async = bool_member(json, "async", false);
  event.is_user_annotation = bool_member(json, "annotation", false);
  event.cpu_memory = integer_member(json, "cpu_memory", 0);
  event.flops = integer_member(json, "flops", 0);
  for (const Json& shape : list_member_or_empty(json, "shapes"))
    event.input_shapes.push_back({.sizes = read_sizes(shape)});
  for (const Json& line : list_member_or_empty(json, "stack"))
    event.stack.push_back(text_of(line, "stack"));
  return event;
}

EventList read_events(const Json& list, const Json& report) {
  std::vector<FunctionEvent> events;
  for (const Json& each : list_of(list, "events")) events.push_back(read_event(each));
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t parent = events[i].parent;
    if (parent >= static_cast<int64_t>(i))
      throw_error(ErrorKind::kUnreadable, format("'parent' of event {} comes after it", i));
  }
  return EventList(std::move(events),
                   {.profile_memory = bool_member(report, "profile_memory", false),
                    .with_flops = bool_member(report, "with_flops", false)});
}

TableOptions read_table_options(const Json& json) {
  TableOptions options{.hide_times = true};
  options.sort_by = text_member(json, "sort_by", "");
  options.row_limit = integer_member(json, "row_limit", options.row_limit);
  options.max_src_column_width =
      integer_member(json, "max_src_column_width", options.max_src_column_width);
  options.max_name_column_width =
      integer_member(json, "max_name_column_width", options.max_name_column_width);
  options.max_shapes_column_width =
      integer_member(json, "max_shapes_column_width", options.max_shapes_column_width);
  if (json.contains("header")) options.header = text_member(json, "header");
  options.top_level_events_only = bool_member(json, "top_level_events_only", false);
  options.time_unit = text_member(json, "time_unit", "");
  return options;
}

// A table, or the error in its place under the name with `_raises`.
void write_table(JsonWriter& json, std::string_view name, const AverageList& averages,
                 const TableOptions& options) {
  try {
    json.field(name, table(averages, options));
  } catch (const Error& error) {
    const std::string texts[] = {std::string(error.class_name()), error.message()};
    json.field("table_raises", std::span(texts));
  }
}

}  // namespace

void write_averages(JsonWriter& json, const AverageList& averages) {
  const auto list = json.array();
  for (const EventAverage& row : averages.rows) {
    const auto object = json.object();
    json.field("key", row.key);
    json.field("count", row.count);
    if (row.cpu_memory != 0 || row.self_cpu_memory != 0) {
      json.field("cpu_memory", row.cpu_memory);
      json.field("self_cpu_memory", row.self_cpu_memory);
    }
    if (row.flops != 0) json.field("flops", row.flops);
    if (row.input_shapes.empty()) continue;
    const auto shapes = json.array("shapes");
    for (const InputShape& shape : row.input_shapes) json.value(shape.sizes);
  }
}

void answer_profiler_report(JsonWriter& json, const Json& events, const Json& report) {
  const EventList list = read_events(events, report);
  const AverageList averages = list.key_averages();
  const AverageList by_shape = list.key_averages({.input_shape = true});
  const TableOptions plain{.hide_times = true};
  const Json& asked_options = object_member_or_empty(report, "table_kw");
  for (const Json& asked : list_member(report, "ask")) {
    const std::string& what = text_of(asked, "ask");
    if (what == "averages") write_averages(json.key(what), averages);
    if (what == "averages_by_shape") write_averages(json.key(what), by_shape);
    if (what == "table") write_table(json, what, averages, plain);
    if (what == "table_by_shape") write_table(json, what, by_shape, plain);
    if (what == "table_sorted")
      write_table(json, what, averages, {.sort_by = "count", .row_limit = 3, .hide_times = true});
    if (what == "table_kw" || what == "table_raises")
      write_table(json, "table_kw", by_shape, read_table_options(asked_options));
  }
}

}  // namespace faketensor
