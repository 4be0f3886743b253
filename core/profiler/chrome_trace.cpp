#include "core/profiler/chrome_trace.h"

#include <algorithm>
#include <functional>

#include "core/formats/json_writer.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// Processes of the trace: the host is the first, a simulated device the second (as device 0 has its
// own process in PyTorch's traces). Modules are drawn above operators, in a thread of their own.
constexpr int64_t kHost = 1;
constexpr int64_t kDevice = 0;
constexpr int64_t kStream = 7;
constexpr int64_t kModuleThread = 2;
constexpr int64_t kKernelModules = 8;

int64_t first_time(const std::vector<FunctionEvent>& events) {
  int64_t first = -1;
  for (const FunctionEvent& event : events)
    first = first < 0 ? event.start_ns : std::min(first, event.start_ns);
  return std::max<int64_t>(first, 0);
}

class TraceWriter {
 public:
  TraceWriter(const EventList& events, const ChromeTraceOptions& options)
      : events_(events.events()), options_(options), json_(text_) {
    first_ns_ = first_time(events_);
  }

  std::string text() {
    {
      const auto trace = json_.object();
      json_.field("schemaVersion", 1);
      {
        const auto devices = json_.array("deviceProperties");
        write_device();
      }
      if (options_.record_shapes) json_.field("record_shapes", 1);
      json_.field("displayTimeUnit", "ms");
      json_.field("baseTimeNanoseconds", first_ns_);
      for (const auto& [name, value] : options_.metadata) json_.key(name).raw(value);
      const auto list = json_.array("traceEvents");
      write_names();
      for (size_t i = 0; i < events_.size(); ++i) write_event(i);
      write_modules();
      if (!options_.device_name.empty()) write_kernels();
      for (const CounterTrack& counter : options_.counters) write_counter(counter);
    }
    return std::move(text_);
  }

 private:
  void time(std::string_view name, int64_t nanoseconds) {
    json_.key(name).raw(format("{}.{}{}{}", nanoseconds / 1000, nanoseconds / 100 % 10,
                               nanoseconds / 10 % 10, nanoseconds % 10));
  }

  void write_device() {
    if (options_.device_name.empty()) return;
    const auto device = json_.object();
    json_.field("id", 0);
    json_.field("name", options_.device_name);
  }

  // A metadata event: the name of a process or thread, or its place.
  void metadata(std::string_view kind, int64_t process, int64_t thread, std::string_view name) {
    const auto event = json_.object();
    json_.field("ph", "M");
    json_.field("name", kind);
    json_.field("pid", process);
    json_.field("tid", thread);
    const auto args = json_.object("args");
    if (kind.ends_with("sort_index")) {
      json_.key("sort_index").raw(name);
    } else {
      json_.field("name", name);
    }
  }

  void write_names() {
    metadata("process_name", kHost, 0, options_.process_name);
    metadata("process_sort_index", kHost, 0, "0");
    metadata("thread_name", kHost, 1, "operators");
    const bool has_modules = std::any_of(events_.begin(), events_.end(), [](const auto& event) {
      return !event.module_path.empty();
    });
    if (has_modules) {
      metadata("thread_name", kHost, kModuleThread, "modules");
      metadata("thread_sort_index", kHost, kModuleThread, "0");
    }
    if (options_.device_name.empty()) return;
    metadata("process_name", kDevice, 0, options_.device_name + " (simulated)");
    metadata("process_sort_index", kDevice, 0, "1");
    metadata("thread_name", kDevice, kStream, format("stream {}", kStream));
    metadata("thread_sort_index", kDevice, kStream, "1");
    if (!has_modules) return;
    metadata("thread_name", kDevice, kKernelModules, "modules");
    metadata("thread_sort_index", kDevice, kKernelModules, "0");
  }

  void begin(std::string_view category, std::string_view name, int64_t process, int64_t thread,
             int64_t start_ns, int64_t duration_ns) {
    json_.field("ph", "X");
    json_.field("cat", category);
    json_.field("name", name);
    json_.field("pid", process);
    json_.field("tid", thread);
    time("ts", start_ns);
    time("dur", std::max<int64_t>(duration_ns, 0));
  }

  // As IValue prints it: nothing for None, True, "1.".
  static std::string concrete_text(const std::string& json) {
    if (json == "null") return "";
    if (json == "true") return "True";
    if (json == "false") return "False";
    if (json.ends_with(".0")) return json.substr(0, json.size() - 1);
    std::string text;
    for (const char c : json) (text += c) += c == ',' ? " " : "";
    return text;
  }

  void write_inputs(const FunctionEvent& event) {
    if (event.input_shapes.empty()) return;
    {
      const auto dims = json_.array("Input Dims");
      for (const InputShape& shape : event.input_shapes) write_shape(shape);
    }
    json_.field("Input Strides", event.input_strides);
    json_.field("Input type", event.input_types);
    const auto concrete = json_.array("Concrete Inputs");
    for (const std::string& input : event.concrete_inputs) json_.value(concrete_text(input));
  }

  void write_shape(const InputShape& shape) {
    const auto list = json_.array();
    for (const int64_t size : shape.sizes) json_.value(size);
    for (const InputShape& tensor : shape.tensors) write_shape(tensor);
  }

  static std::string_view category_of(const FunctionEvent& event) {
    if (!event.node.empty()) return "node";
    return event.is_user_annotation ? "user_annotation" : "cpu_op";
  }

  void write_event(size_t i) {
    const FunctionEvent& event = events_[i];
    const auto object = json_.object();
    begin(category_of(event), event.trace_name, kHost, event.thread, event.start_ns - first_ns_,
          event.end_ns - event.start_ns);
    const auto args = json_.object("args");
    json_.field("External id", i + 1);
    json_.field("Record function id", 0);
    json_.field("Ev Idx", i);
    if (event.flops != 0) json_.field("flops", event.flops);
    if (!event.node.empty()) json_.field("Node", event.node);
    if (!event.module_path.empty()) json_.field("Module Hierarchy", event.module_path);
    if (!event.stack.empty()) json_.field("Call stack", event.stack);
    if (event.cpu_memory != 0) json_.field("Bytes", event.cpu_memory);
    if (event.sequence >= 0) json_.field("Sequence number", event.sequence);
    write_inputs(event);
  }

  // Spans of modules, nested: each is as long as what follows each other in it.
  class ModuleSpans {
   public:
    ModuleSpans(TraceWriter& writer, std::string_view category, int64_t process, int64_t thread)
        : writer_(writer), category_(category), process_(process), thread_(thread) {}

    // What follows, from `start_ns` to `end_ns`, is in the module of that path.
    void add(std::string_view path, int64_t start_ns, int64_t end_ns) {
      close_to(path);
      for (size_t end = open_.empty() ? 0 : open_.back().path.size() + 1; end <= path.size();) {
        end = std::min(path.find('.', end), path.size());
        if (end != 0) open_.push_back({std::string(path.substr(0, end)), start_ns});
        ++end;
      }
      now_ = end_ns;
    }

    void close_to(std::string_view path) {
      while (!open_.empty() && !is_within(path, open_.back().path)) {
        const auto object = writer_.json_.object();
        writer_.begin(category_, "nn.Module: " + open_.back().path, process_, thread_,
                      open_.back().start_ns, now_ - open_.back().start_ns);
        open_.pop_back();
      }
    }

   private:
    struct Open {
      std::string path;
      int64_t start_ns;
    };

    TraceWriter& writer_;
    std::string_view category_;
    int64_t process_;
    int64_t thread_;
    std::vector<Open> open_;
    int64_t now_ = 0;
  };

  void write_modules() {
    ModuleSpans spans(*this, "python_function", kHost, kModuleThread);
    for (const FunctionEvent& event : events_) {
      if (event.parent < 0)
        spans.add(event.module_path, event.start_ns - first_ns_, event.end_ns - first_ns_);
    }
    spans.close_to("");
  }
  static bool is_within(std::string_view path, std::string_view module) {
    return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
  }

  // The kernels of operators, and an arrow from each operator to its kernel.
  void write_kernels() {
    ModuleSpans modules(*this, "gpu_user_annotation", kDevice, kKernelModules);
    std::string_view module;
    const std::vector<int64_t> starts = kernel_starts(events_);
    for (size_t i = 0; i < events_.size(); ++i) {
      const FunctionEvent& event = events_[i];
      if (event.parent < 0) module = event.module_path;
      if (event.device_ns <= 0) continue;
      const int64_t launch = event.start_ns - first_ns_;
      const int64_t start = starts[i];
      modules.add(module, start, start + event.device_ns);
      {
        const auto kernel = json_.object();
        begin("kernel", event.name, kDevice, kStream, start, event.device_ns);
        const auto args = json_.object("args");
        json_.field("External id", i + 1);
        json_.field("device", 0);
        json_.field("stream", kStream);
        json_.field("correlation", i + 1);
      }
      write_arrow("s", i + 1, kHost, event.thread, launch);
      write_arrow("f", i + 1, kDevice, kStream, start);
    }
    modules.close_to("");
  }

  void write_arrow(std::string_view phase, size_t id, int64_t process, int64_t thread,
                   int64_t at_ns) {
    const auto arrow = json_.object();
    json_.field("ph", phase);
    json_.field("id", id);
    json_.field("pid", process);
    json_.field("tid", thread);
    time("ts", at_ns);
    json_.field("cat", "ac2g");
    json_.field("name", "ac2g");
    if (phase == "f") json_.field("bp", "e");
  }

  void write_counter(const CounterTrack& counter) {
    for (const CounterSample& sample : counter.samples) {
      const auto event = json_.object();
      json_.field("ph", "C");
      json_.field("name", counter.name);
      json_.field("pid", counter.is_device ? kDevice : kHost);
      json_.field("tid", 0);
      time("ts", sample.time_ns - first_ns_);
      const auto args = json_.object("args");
      json_.field("value", sample.value);
    }
  }

  const std::vector<FunctionEvent>& events_;
  const ChromeTraceOptions& options_;
  int64_t first_ns_ = 0;
  std::string text_;
  JsonWriter json_;
};

}  // namespace

std::vector<int64_t> kernel_starts(const std::vector<FunctionEvent>& events) {
  std::vector<int64_t> starts(events.size(), -1);
  const int64_t first = first_time(events);
  int64_t free = 0;  // when the stream is
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].device_ns <= 0) continue;
    starts[i] = std::max(free, events[i].start_ns - first);
    free = starts[i] + events[i].device_ns;
  }
  return starts;
}

std::string chrome_trace(const EventList& events, const ChromeTraceOptions& options) {
  return TraceWriter(events, options).text();
}

}  // namespace faketensor
