#include "core/io/allocator_json.h"

#include <cstdlib>

#include "core/formats/pickle_writer.h"
#include "core/graph/explain.h"
#include "core/support/format.h"

namespace faketensor {

void write_allocator_report(JsonWriter& json, const Run& run, const AllocatorReport& report) {
  const auto object = json.object();
  json.field("settings", report.settings);
  json.field("reserved", report.reserved);
  json.field("allocated", report.allocated);
  json.field("requested", report.requested);
  json.field("device", report.reserved + kContextBytes);
  if (report.failed_row == kNoRow) return;
  const auto failed = json.object("failed");
  json.field("row", report.failed_row);
  json.field("name", run.plan().name_of(report.failed_row));
  json.field("message", report.out_of_memory);
}

namespace {

class SnapshotWriter {
 public:
  SnapshotWriter(const Run& run, std::string& out) : run_(run), pickle_(out) {}

  void write(const AllocatorReport& report, const AllocatorRecord& record) {
    {
      const auto snapshot = pickle_.dict();
      {
        const auto segments = pickle_.list("segments");
        for (const SegmentInfo& segment : record.segments) write_segment(segment);
      }
      write_history(record.history);
      {
        const auto settings = pickle_.dict("allocator_settings");
        pickle_.field("PYTORCH_CUDA_ALLOC_CONF", report.settings);
      }
      const auto annotations = pickle_.list("external_annotations");
    }
    pickle_.finish();
  }

 private:
  // One frame: the node. Its file and line are those of the user's code, or its module.
  void write_frames(AllocationTag row) {
    const auto frames = pickle_.list("frames");
    if (row == kNoTag) return;
    const auto frame = pickle_.dict();
    const Node& node = run_.node(row);
    std::string file(run_.program().module_path(node));
    uint64_t line = 0;
    const std::string source = run_.program().source_line(node);  // "model.py:12 in forward"
    const size_t colon = source.find(':');
    if (colon != std::string::npos) {
      file = source.substr(0, colon);
      line = std::strtoull(source.c_str() + colon + 1, nullptr, 10);
    }
    pickle_.field("filename", file);
    pickle_.field("line", line);
    pickle_.field("name", run_.plan().name_of(row));
  }

  void write_segment(const SegmentInfo& segment) {
    const auto object = pickle_.dict();
    pickle_.field("device", 0);
    pickle_.field("address", segment.address);
    pickle_.field("total_size", segment.total_size);
    pickle_.field("allocated_size", segment.allocated_size);
    pickle_.field("active_size", segment.active_size);
    pickle_.field("requested_size", segment.requested_size);
    pickle_.field("stream", segment.stream);
    pickle_.field("segment_type", segment.is_large ? "large" : "small");
    {
      const auto pool = pickle_.tuple("segment_pool_id");
      pickle_.value(0);
      pickle_.value(0);
    }
    pickle_.field("is_expandable", segment.is_expandable);
    write_frames(segment.tag);
    const auto blocks = pickle_.list("blocks");
    uint64_t address = segment.address;
    for (const BlockInfo& block : segment.blocks) {
      const auto item = pickle_.dict();
      pickle_.field("address", address);
      pickle_.field("size", block.size);
      pickle_.field("requested_size", block.requested);
      pickle_.field("state", block.allocated ? "active_allocated"
                             : block.active  ? "active_pending_free"
                                             : "inactive");
      write_frames(block.tag);
      address += block.size;
    }
  }

  // A list of events for each device, of which there is one.
  void write_history(const std::vector<AllocatorEvent>& history) {
    const auto devices = pickle_.list("device_traces");
    const auto events = pickle_.list();
    uint64_t time = 0;
    for (const AllocatorEvent& event : history) {
      const auto item = pickle_.dict();
      const bool is_oom = event.action == AllocatorAction::kOutOfMemory;
      pickle_.field("action", name(event.action));
      pickle_.field(is_oom ? "device_free" : "addr", event.address);
      pickle_.field("size", event.size);
      pickle_.field("stream", event.stream);
      pickle_.field("time_us", time++);
      pickle_.field("compile_context", "N/A");
      pickle_.field("user_metadata", "");
      write_frames(event.tag);
    }
  }

  const Run& run_;
  PickleWriter pickle_;
};

// A text as a field of CSV.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// The number, that of the example where it depends on symbols; an expression of data.
std::string csv_bytes(SymInt bytes) {
  const std::optional<int64_t> known = MemoryTimeline::known(bytes);
  return known ? format("{}", *known) : csv_field(to_string(bytes));
}

RowAllocation allocation_after(const AllocatorReport& report, Row row) {
  return row < report.rows.size() ? report.rows[row] : RowAllocation();
}

// The counters after a row, and the row itself.
void write_chrome_events(JsonWriter& json, const ProgramCosts& costs, const AllocatorReport& report,
                         Row row) {
  const Run& run = costs.run();
  const RowAllocation held = allocation_after(report, row);
  json.line_break();
  {
    const auto counter = json.object();
    json.field("ph", "C");
    json.field("name", "memory");
    json.field("pid", 0);
    json.field("ts", row);
    const auto values = json.object("args");
    json.field_if_any("live", MemoryTimeline::known(costs.memory().rows()[row].live));
    json.field("allocated", held.allocated);
    json.field("reserved", held.reserved);
  }
  const auto span = json.object();
  json.field("ph", "X");
  json.field("name", run.plan().name_of(row));
  json.field("pid", 0);
  json.field("tid", 0);
  json.field("ts", row);
  json.field("dur", 1);
  const auto values = json.object("args");
  json.field("target", run.plan().target_of(row));
  json.field_if_any("module", run.program().module_path(run.node(row)));
}

}  // namespace

std::string allocator_snapshot(const Run& run, const AllocatorReport& report,
                               const AllocatorRecord& record) {
  std::string pickle;
  SnapshotWriter(run, pickle).write(report, record);
  return pickle;
}

std::string memory_csv(const ProgramCosts& costs, const AllocatorReport& report) {
  const Run& run = costs.run();
  const BranchScope env = run.shape_env();
  std::string csv = "row,node,target,module,live,peak,allocated,reserved\n";
  for (Row row = 0; row < run.plan().size(); ++row) {
    const RowMemory& memory = costs.memory().rows()[row];
    const RowAllocation held = allocation_after(report, row);
    csv += format("{},{},{},{},{},{},{},{}\n", row, csv_field(run.plan().name_of(row)),
                  csv_field(run.plan().target_of(row)),
                  csv_field(run.program().module_path(run.node(row))), csv_bytes(memory.live),
                  csv_bytes(memory.peak), held.allocated, held.reserved);
  }
  return csv;
}

std::string memory_chrome_trace(const ProgramCosts& costs, const AllocatorReport& report) {
  const Run& run = costs.run();
  const BranchScope env = run.shape_env();
  std::string text;
  {
    JsonWriter json(text);
    const auto trace = json.object();
    json.field("displayTimeUnit", "ns");
    const auto events = json.array("traceEvents");
    for (Row row = 0; row < run.plan().size(); ++row) write_chrome_events(json, costs, report, row);
  }
  text += '\n';
  return text;
}

}  // namespace faketensor
