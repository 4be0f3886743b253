// Transcripts of the caching allocator: a step is a command in words, "malloc a 1000 64".
#include <cstdlib>
#include <map>

#include "core/replay/answer_memory.h"

namespace faketensor {

namespace {

void write_stat(JsonWriter& json, std::string_view name, const AllocatorStat& stat) {
  json.field(name, std::array{stat.current, stat.peak, stat.allocated, stat.freed});
}

void write_peak(JsonWriter& json, std::string_view name, const AllocatorStat& stat) {
  json.field(name, std::array{stat.current, stat.peak});
}

}  // namespace

void write_allocator_stats(JsonWriter& json, const AllocatorStats& stats) {
  const auto object = json.object();
  for (const PoolStatsRow& row : kPoolStats) {
    const PoolStats& pools = stats.*row.stats;
    const auto by_pool = json.object(row.name);
    write_stat(json, "all", pools.all);
    write_stat(json, "small_pool", pools.small_pool);
    write_stat(json, "large_pool", pools.large_pool);
  }
  for (const AllocatorCounter& counter : kAllocatorCounters) {
    // Recorded before PyTorch counted them.
    if (counter.name != "num_oom_rejections") json.field(counter.name, stats.*counter.count);
  }
  write_peak(json, "oversize_allocations", stats.oversize_allocations);
  write_peak(json, "oversize_segments", stats.oversize_segments);
  json.field("max_split_size", stats.max_split_size);
}

namespace {

// The words of a command.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // What is left, without the space before it.
  std::string_view rest() const {
    return text_.substr(std::min(text_.find_first_not_of(' '), text_.size()));
  }
  // The next one, empty at the end.
  std::string next() {
    const std::string_view left = rest();
    const std::string_view word = left.substr(0, left.find(' '));
    text_ = left.substr(word.size());
    return std::string(word);
  }
  // 0 where there is none.
  uint64_t number() { return std::strtoull(next().c_str(), nullptr, 10); }
  double real() { return std::strtod(next().c_str(), nullptr); }

 private:
  std::string_view text_;
};

class AllocatorTranscript {
 public:
  explicit AllocatorTranscript(uint64_t total) : device_(total), allocator_(device_) {
    device_.log_calls(true);
  }

  // Writes {"out": ..., "driver": ...}.
  void run(JsonWriter& json, const std::string& command);
  const std::vector<std::string>& warnings() const { return allocator_.warnings(); }

 private:
  using Handler = void (AllocatorTranscript::*)(JsonWriter& json, Words& words);
  struct Row {
    std::string_view name;
    Handler run;
  };
  static const Row kCommands[];

  void config(JsonWriter& json, Words& words);
  void settings(JsonWriter& json, Words& words);
  void malloc(JsonWriter& json, Words& words);
  void free(JsonWriter& json, Words& words);
  void record_stream(JsonWriter& json, Words& words);
  void hold_events(JsonWriter& json, Words& words);
  void empty_cache(JsonWriter& json, Words& words);
  void total(JsonWriter& json, Words& words);
  void fraction(JsonWriter& json, Words& words);
  void history(JsonWriter& json, Words& words);
  void stats(JsonWriter& json, Words& words);
  void snapshot(JsonWriter& json, Words& words);
  void trace(JsonWriter& json, Words& words);
  void cache_info(JsonWriter& json, Words& words);
  void reset_peak(JsonWriter& json, Words& words);
  void reset_accumulated(JsonWriter& json, Words& words);
  void round(JsonWriter& json, Words& words);

  static void write_ok(JsonWriter& json) {
    const auto out = json.object();
    json.field("ok", true);
  }
  void write_driver(JsonWriter& json);
  void write_segment(JsonWriter& json, const SegmentInfo& segment);
  void write_event(JsonWriter& json, const AllocatorEvent& event);
  // A snapshot, after which its segments have numbers.
  std::vector<SegmentInfo> look();
  // [segment, offset] of an address: the known segment that begins last before it.
  void write_place(JsonWriter& json, uint64_t address) const;

  DeviceMemory device_;
  CachingAllocator allocator_;
  std::map<std::string, uint64_t> addresses_;  // by ID
  std::map<uint64_t, size_t> segments_;        // their numbers, by where they begin
};

const AllocatorTranscript::Row AllocatorTranscript::kCommands[] = {
    {"config", &AllocatorTranscript::config},
    {"settings", &AllocatorTranscript::settings},
    {"malloc", &AllocatorTranscript::malloc},
    {"free", &AllocatorTranscript::free},
    {"record_stream", &AllocatorTranscript::record_stream},
    {"hold_events", &AllocatorTranscript::hold_events},
    {"empty_cache", &AllocatorTranscript::empty_cache},
    {"total", &AllocatorTranscript::total},
    {"fraction", &AllocatorTranscript::fraction},
    {"history", &AllocatorTranscript::history},
    {"stats", &AllocatorTranscript::stats},
    {"snapshot", &AllocatorTranscript::snapshot},
    {"trace", &AllocatorTranscript::trace},
    {"cache_info", &AllocatorTranscript::cache_info},
    {"reset_peak", &AllocatorTranscript::reset_peak},
    {"reset_accumulated", &AllocatorTranscript::reset_accumulated},
    {"round", &AllocatorTranscript::round},
};

void AllocatorTranscript::run(JsonWriter& json, const std::string& command) {
  Words words(command);
  const std::string name = words.next();
  const auto* row = std::find_if(std::begin(kCommands), std::end(kCommands),
                                 [&](const Row& known) { return known.name == name; });
  const auto answer = json.object();
  json.key("out");
  if (row == std::end(kCommands)) {
    const auto out = json.object();
    json.field("unsupported", name);
    return;
  }
  std::string out;
  try {
    JsonWriter inner(out);
    (this->*row->run)(inner, words);
  } catch (const Error& error) {
    out.clear();
    JsonWriter inner(out);
    const auto object = inner.object();
    // The classes of C++, which the recorder saw: the readers of numbers throw the library's own.
    const bool is_reader = error.message() == "stoull" || error.message() == "stod";
    write_error_members(inner, is_reader ? "std::exception" : "Error", error.message());
  }
  json.raw(out);
  write_driver(json);
}

void AllocatorTranscript::write_driver(JsonWriter& json) {
  const std::vector<DriverCall> calls = device_.take_calls();
  if (calls.empty()) return;
  const auto driver = json.array("driver");
  for (const DriverCall& call : calls) {
    const auto item = json.array();
    json.value(call.name);
    if (call.bytes) json.value(*call.bytes);
    if (call.out_of_memory) json.value("out of memory");
  }
}

std::vector<SegmentInfo> AllocatorTranscript::look() {
  std::vector<SegmentInfo> found = allocator_.snapshot();
  for (const SegmentInfo& segment : found) segments_.emplace(segment.address, segments_.size());
  return found;
}

void AllocatorTranscript::write_place(JsonWriter& json, uint64_t address) const {
  const auto after = segments_.upper_bound(address);
  if (address == 0 || after == segments_.begin()) return json.value(nullptr);
  const auto& [base, number] = *std::prev(after);
  const auto place = json.array();
  json.value(number);
  json.value(address - base);
}

void AllocatorTranscript::config(JsonWriter& json, Words& words) {
  allocator_.config().apply(words.rest());
  write_ok(json);
}

void AllocatorTranscript::settings(JsonWriter& json, Words&) {
  const AllocatorConfig& config = allocator_.config();
  const auto out = json.object();
  json.field("max_split_size", config.max_split_size);
  json.field("max_non_split_rounding_size", config.max_non_split_rounding);
  json.field("large_segment_size", config.large_segment_size);
  json.field("garbage_collection_threshold", config.garbage_collection_threshold);
  json.field("expandable_segments", config.expandable_segments);
  json.field("roundup_power2_divisions", config.divisions);
  json.field("last", config.text);
}

void AllocatorTranscript::malloc(JsonWriter& json, Words& words) {
  const std::string id = words.next();
  const uint64_t bytes = words.number();
  const uint64_t stream = words.number();
  const AllocatorResult got = allocator_.malloc(bytes, stream);
  const auto out = json.object();
  if (!got.out_of_memory.empty())
    return write_error_members(json, "OutOfMemoryError", got.out_of_memory);
  addresses_[id] = got.address;
  look();
  write_place(json.key("at"), got.address);
}

void AllocatorTranscript::free(JsonWriter& json, Words& words) {
  const std::string id = words.next();
  allocator_.free(addresses_[id]);
  addresses_.erase(id);
  write_ok(json);
}

void AllocatorTranscript::record_stream(JsonWriter& json, Words& words) {
  const std::string id = words.next();
  allocator_.record_stream(addresses_[id], words.number());
  write_ok(json);
}

void AllocatorTranscript::hold_events(JsonWriter& json, Words& words) {
  device_.hold_events(words.number() != 0);
  write_ok(json);
}

void AllocatorTranscript::empty_cache(JsonWriter& json, Words&) {
  allocator_.empty_cache();
  write_ok(json);
}

// In force from the start: read before the first step.
void AllocatorTranscript::total(JsonWriter& json, Words&) { write_ok(json); }

void AllocatorTranscript::fraction(JsonWriter& json, Words& words) {
  allocator_.set_memory_fraction(words.real());
  write_ok(json);
}

void AllocatorTranscript::history(JsonWriter& json, Words&) {
  allocator_.record_history();
  write_ok(json);
}

void AllocatorTranscript::stats(JsonWriter& json, Words&) {
  write_allocator_stats(json, allocator_.stats());
}

void AllocatorTranscript::write_segment(JsonWriter& json, const SegmentInfo& segment) {
  const auto object = json.object();
  write_place(json.key("segment"), segment.address);
  json.field("total_size", segment.total_size);
  json.field("requested_size", segment.requested_size);
  json.field("allocated_size", segment.allocated_size);
  json.field("active_size", segment.active_size);
  json.field("stream", segment.stream);
  json.field("is_large", segment.is_large);
  json.field("is_expandable", segment.is_expandable);
  const auto blocks = json.array("blocks");
  uint64_t offset = 0;
  for (const BlockInfo& block : segment.blocks) {
    const auto item = json.object();
    json.field("offset", offset);
    json.field("size", block.size);
    json.field("requested_size", block.requested);
    json.field("allocated", block.allocated);
    json.field("active", block.active);
    offset += block.size;
  }
}

void AllocatorTranscript::snapshot(JsonWriter& json, Words&) {
  const std::vector<SegmentInfo> found = look();
  const auto out = json.array();
  for (const SegmentInfo& segment : found) write_segment(json, segment);
}

void AllocatorTranscript::write_event(JsonWriter& json, const AllocatorEvent& event) {
  const auto item = json.array();
  json.value(name(event.action));
  json.value(event.size);
  if (event.action == AllocatorAction::kOutOfMemory) {
    json.value(event.address);
  } else {
    write_place(json, event.address);
  }
  json.value(event.stream);
}

void AllocatorTranscript::trace(JsonWriter& json, Words&) {
  const auto out = json.array();
  for (const AllocatorEvent& event : allocator_.history()) write_event(json, event);
}

void AllocatorTranscript::cache_info(JsonWriter& json, Words&) {
  const auto out = json.object();
  json.field("largest", allocator_.largest_free());
}

void AllocatorTranscript::reset_peak(JsonWriter& json, Words&) {
  allocator_.stats().reset_peaks();
  write_ok(json);
}

void AllocatorTranscript::reset_accumulated(JsonWriter& json, Words&) {
  allocator_.stats().reset_accumulated();
  write_ok(json);
}

void AllocatorTranscript::round(JsonWriter& json, Words& words) {
  const uint64_t bytes = words.number();
  const auto out = json.object();
  json.field("roundup_power2_divisions", allocator_.config().divisions_of(bytes));
}

const std::string& command_of(const Json& step) { return text_member(step, "do"); }

uint64_t device_of(const Json& steps) {
  uint64_t total = kRecordedDevice;
  for (const Json& step : steps) {
    Words words(command_of(step));
    if (words.next() == "total") total = words.number();
  }
  return total;
}

}  // namespace

void answer_allocator(JsonWriter& json, const Json& question) {
  const Json& steps = list_member(question, "steps");
  AllocatorTranscript transcript(device_of(steps));
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  {
    const auto list = json.array("steps");
    for (const Json& step : steps) transcript.run(json, command_of(step));
  }
  json.field_if_any("warnings", transcript.warnings());
}

}  // namespace faketensor
