#include "core/profiler/memory_export.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/gzip.h"
#include "core/formats/json_writer.h"
#include "core/graph/explain.h"
#include "core/ops/registry.h"
#include "core/profiler/chrome_trace.h"
#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

struct Times {
  int64_t begin = 0;
  int64_t end = 0;
};

// When each row's calls ran.
class CallTimes {
 public:
  CallTimes(const Run& run, const std::vector<FunctionEvent>& events, bool on_device)
      : rows_(run.plan().size()) {
    if (events.empty()) return;
    std::vector<bool> is_leaf(events.size(), true);
    for (const FunctionEvent& event : events) {
      if (event.parent >= 0) is_leaf[static_cast<size_t>(event.parent)] = false;
    }
    const std::vector<int64_t> kernels = kernel_starts(events);
    Row row = kNoRow;
    int64_t free = 0;  // when the stream is
    for (size_t i = 0; i < events.size(); ++i) {
      const FunctionEvent& event = events[i];
      if (event.parent < 0) row = run.program().find(event.node);
      if (!is_leaf[i] || row >= rows_.size()) continue;
      Times times{event.start_ns - events[0].start_ns, event.end_ns - events[0].start_ns};
      if (on_device && kernels[i] >= 0) {
        times = {kernels[i], kernels[i] + event.device_ns};
      } else if (on_device) {
        times.begin = std::max(free, times.begin);
        times.end = std::max(times.begin, times.end);
      }
      free = times.end;
      rows_[row].push_back(times);
    }
  }

  // Of `calls` calls of a row the one at `place`. Where the trace saw fewer or more (a rule that
  // calls others), all of them have the time of the whole row; a row without events runs at the end
  // of the one before it.
  Times at(Row row, size_t place, size_t calls) {
    const std::vector<Times>& times = rows_[row];
    if (times.empty()) return {now_, now_};
    now_ = times.back().end;
    if (times.size() == calls) return times[place];
    return {times.front().begin, times.back().end};
  }

 private:
  std::vector<std::vector<Times>> rows_;
  int64_t now_ = 0;
};

std::vector<MemoryNode> nodes_of(const ProgramCosts& costs) {
  const MemoryTimeline& memory = costs.memory();
  std::vector<MemoryNode> nodes;
  for (Row row = 0; row < costs.run().plan().size(); ++row) {
    MemoryNode node;
    for (const LoggedCall& call : costs.log().calls(row)) {
      for (const Storage* storage : call.read) {
        const StorageLife* life = memory.life_of(storage);
        if (life != nullptr && life->first != row) node.inputs.push_back(storage);
      }
      for (const Storage* storage : call.brought) {
        const StorageLife* life = memory.life_of(storage);
        if (life != nullptr && life->first == row) node.outputs.push_back(storage);
      }
    }
    if (!node.inputs.empty() || !node.outputs.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

std::vector<const Storage*> parameters_of(const ProgramCosts& costs) {
  std::vector<const Storage*> parameters;
  for (const StorageLife& life : costs.memory().lives()) {
    if (life.kind == MemoryKind::kParameter) parameters.push_back(life.storage);
  }
  return parameters;
}

class EventWriter {
 public:
  EventWriter(const ProgramCosts& costs, const std::vector<FunctionEvent>& events, bool on_device)
      : costs_(costs),
        categories_(parameters_of(costs), nodes_of(costs)),
        times_(costs.run(), events, on_device) {}

  std::vector<TimelineEvent> events() {
    const Row inputs = static_cast<Row>(costs_.run().program().inputs.size());
    ending_.resize(costs_.run().plan().size());
    for (const StorageLife& life : costs_.memory().lives()) {
      if (life.last < ending_.size()) ending_[life.last].push_back(life.storage);
      if (life.first >= inputs) continue;
      add(life.storage, -1, MemoryAction::kPreexisting);
      live_.insert(life.storage);
    }
    for (Row row = 0; row < costs_.run().plan().size(); ++row) add_row(row);
    return std::move(events_);
  }

 private:
  void add(const Storage* storage, int64_t time, MemoryAction action) {
    const StorageLife* life = costs_.memory().life_of(storage);
    const SymInt bytes = life == nullptr ? current(storage->nbytes) : life->bytes;
    // What no value has was brought and dropped by one node.
    const MemoryCategory category =
        life == nullptr ? MemoryCategory::kTemporary : categories_.of(storage);
    events_.push_back({time, action, MemoryTimeline::hint(bytes), category, storage->device});
  }

  void add_row(Row row) {
    const std::span<const LoggedCall> calls = costs_.log().calls(row);
    std::unordered_map<const Storage*, size_t> last_call;
    costs_.log().visit_lasts(row, [&](const Storage* storage, size_t call) {
      size_t& last = last_call[storage];
      last = std::max(last, call);
    });
    std::vector<std::vector<const Storage*>> dying(calls.size());
    for (size_t i = 0; i < calls.size(); ++i) {
      const Times times = times_.at(row, i, calls.size());
      end_ = times.end;
      for (const Storage* storage : calls[i].brought) {
        if (live_.insert(storage).second) {
          add(storage, times.begin, MemoryAction::kCreate);
          if (costs_.memory().life_of(storage) == nullptr)
            dying[last_call[storage]].push_back(storage);
        } else if (writes(calls[i])) {
          add(storage, times.begin, MemoryAction::kIncrementVersion);
        }
      }
      for (const Storage* storage : dying[i]) destroy(storage);
    }
    drop_values(row);
  }

  // What no later row reads.
  void drop_values(Row row) {
    for (const Storage* storage : ending_[row]) {
      if (live_.count(storage) != 0) destroy(storage);
    }
  }

  void destroy(const Storage* storage) {
    add(storage, end_, MemoryAction::kDestroy);
    live_.erase(storage);
  }

  // Whether the call's results are what it writes to (mul_, add.out).
  static bool writes(const LoggedCall& call) {
    const auto& returns = Registry::builtin().entry(call.op).schema.returns;
    return !returns.empty() && returns[0].is_written();
  }

  const ProgramCosts& costs_;
  const MemoryCategories categories_;
  CallTimes times_;
  std::vector<TimelineEvent> events_;
  std::unordered_set<const Storage*> live_;
  std::vector<std::vector<const Storage*>> ending_;  // by the row that reads them last
  int64_t end_ = 0;                                  // of the last call
};

int64_t microseconds(int64_t nanoseconds) {
  constexpr int64_t kNanoseconds = 1000;
  return nanoseconds < 0 ? nanoseconds : nanoseconds / kNanoseconds;
}

}  // namespace

std::vector<TimelineEvent> memory_events(const ProgramCosts& costs,
                                         const std::vector<FunctionEvent>& events, bool on_device) {
  const BranchScope env = costs.run().shape_env();
  return EventWriter(costs, events, on_device).events();
}

Device main_device(std::span<const TimelineEvent> events) {
  for (const TimelineEvent& event : events) {
    if (event.device.is_cuda()) return event.device.normalized();
  }
  return Device{};
}

std::string memory_timeline_json(std::span<const TimelineEvent> events, Device device) {
  using Sizes = std::array<int64_t, kMemoryCategories + 1>;
  std::vector<int64_t> times;
  std::vector<Sizes> sizes;
  int64_t first = -1;
  for (const TimelineEvent& event : events) {
    if (event.device.normalized() != device) continue;
    const int64_t time = microseconds(event.time_ns);
    if (first == -1 || (time < first && time > 0)) first = time;
    if (times.empty() || time != times.back()) {
      times.push_back(time);
      sizes.push_back(sizes.empty() ? Sizes{} : sizes.back());
    }
    if (event.action == MemoryAction::kIncrementVersion) continue;  // of one category to the same
    const int64_t bytes = event.action == MemoryAction::kDestroy ? -event.bytes : event.bytes;
    sizes.back()[static_cast<size_t>(event.category) + 1] += bytes;
  }
  for (int64_t& time : times) time = time < 0 ? first : time;
  std::string text;
  JsonWriter json(text);
  {
    const auto both = json.array();
    json.value(times);
    json.value(sizes);
  }
  return text;
}

std::string raw_memory_timeline_json(std::span<const TimelineEvent> events, Device device) {
  std::string text;
  JsonWriter json(text);
  {
    const auto list = json.array();
    const auto write = [&](const TimelineEvent& event, int64_t bytes) {
      const auto tuple = json.array();
      json.value(event.time_ns);
      json.value(static_cast<int64_t>(event.action));
      json.value(bytes);
      json.value(static_cast<int64_t>(event.category));
    };
    for (const TimelineEvent& event : events) {
      if (event.device.normalized() != device) continue;
      const bool takes_away = event.action >= MemoryAction::kIncrementVersion;
      write(event, takes_away ? -event.bytes : event.bytes);
      if (event.action == MemoryAction::kIncrementVersion) write(event, event.bytes);
    }
  }
  return text;
}

std::string memory_timeline_file(std::span<const TimelineEvent> events, Device device,
                                 std::string_view path) {
  if (path.ends_with(".html"))
    throw_error(ErrorKind::kUsage,
                "export_memory_timeline_html failed because matplotlib was not found. "
                "(.json, .json.gz and .raw.json.gz are written.)");
  if (path.ends_with("raw.json.gz")) return gzip(raw_memory_timeline_json(events, device));
  const std::string text = memory_timeline_json(events, device);
  return path.ends_with(".gz") ? gzip(text) : text;
}

}  // namespace faketensor
