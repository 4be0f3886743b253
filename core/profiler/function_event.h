// FunctionEvent: one span of a profile as its readers see it, and the averages over spans.
//
// Mirrors FunctionEvent, FunctionEventAvg and EventList (torch/autograd/profiler_util.py). Events
// stand in the order in which they began; one that ran inside of another names it as its parent.
// What is "self" is without the children's.
//
//   const EventList events = profile.events();
//   for (const EventAverage& each : events.key_averages().rows) ... each.key, each.count
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faketensor {

// The sizes of one argument, empty for what is no tensor. Of a list of tensors `sizes` are empty too,
// as PyTorch has it, and `tensors` are each one's, which only traces show.
struct InputShape {
  std::vector<int64_t> sizes = {};
  std::vector<InputShape> tensors = {};
  // Of sizes that are symbols, where there are any: each as an expression; `sizes` has the hints.
  std::vector<std::string> expressions = {};
};
// "[[2, 3], []]", as Python prints the list.
std::string shapes_text(const std::vector<InputShape>& shapes);

// at::RecordScope.
enum class EventScope : uint8_t { kFunction = 0, kBackward = 1, kUser = 7 };

struct FunctionEvent {
  std::string name;
  std::string trace_name = {};     // "ProfilerStep#3", where `name` is "ProfilerStep*"
  std::string overload_name = {};  // "Tensor"
  int64_t parent = -1;             // an index; -1: none
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t device_ns = 0;  // of the kernels that the event itself launches (simulated)
  int64_t thread = 1;
  EventScope scope = EventScope::kFunction;
  bool is_async = false;
  bool is_user_annotation = false;
  std::vector<InputShape> input_shapes = {};
  std::vector<std::vector<int64_t>> input_strides = {};
  std::vector<std::string> input_types = {};      // "float", "ScalarList"
  std::vector<std::string> concrete_inputs = {};  // numbers and lists of them as text
  std::vector<std::string> stack = {};            // innermost first
  std::string module_path = {};
  std::string node = {};   // of a graph, for the span that is its run
  int64_t cpu_memory = 0;  // bytes allocated less bytes freed, with the children's
  int64_t device_memory = 0;
  int64_t flops = 0;      // 0: no formula
  int64_t sequence = -1;  // autograd's number; -1: it saw nothing
};

// Sums over events of one key.
struct EventAverage {
  std::string key;
  std::string overload_name = {};
  int64_t count = 0;
  double cpu_time_total = 0;  // microseconds
  double self_cpu_time_total = 0;
  double device_time_total = 0;
  double self_device_time_total = 0;
  int64_t cpu_memory = 0;
  int64_t self_cpu_memory = 0;
  int64_t device_memory = 0;
  int64_t self_device_memory = 0;
  int64_t flops = 0;
  bool is_async = false;
  bool is_user_annotation = false;
  bool is_top_level = false;  // the first of its events has no parent
  std::vector<InputShape> input_shapes = {};
  std::vector<std::string> stack = {};

  double cpu_time() const { return count == 0 ? 0 : cpu_time_total / static_cast<double>(count); }
  double device_time() const {
    return count == 0 ? 0 : device_time_total / static_cast<double>(count);
  }
};

// What a table says besides: it follows from the options of the profile.
struct TableColumns {
  bool profile_memory = false;
  bool with_flops = false;
  std::string device_name = {};  // "CUDA": of simulated devices; empty: none
};

struct AverageList {
  std::vector<EventAverage> rows;
  TableColumns columns;
};

struct GroupBy {
  bool input_shape = false;
  size_t stack_n = 0;  // by this many entries of the stack
  bool overload_name = false;
};

class EventList {
 public:
  explicit EventList(std::vector<FunctionEvent> events, TableColumns columns = {})
      : events_(std::move(events)), columns_(std::move(columns)) {}

  const std::vector<FunctionEvent>& events() const { return events_; }
  const TableColumns& columns() const { return columns_; }

  // Each event a row of its own, for a table of all events.
  AverageList rows() const;
  // In the order in which the keys were first seen. Mirrors EventList.key_averages.
  AverageList key_averages(const GroupBy& group = {}) const;
  // The sum of all, under the key "Total".
  EventAverage total_average() const;
  double self_cpu_time_total() const;

  // Lines "outermost;...;innermost 12" for flame graphs: each event's stack with its self time in
  // whole microseconds, where that is above 0. `metric` is "self_cpu_time_total" or
  // "self_cuda_time_total"; raises ValueError for another.
  std::string stacks(std::string_view metric) const;

 private:
  std::vector<EventAverage> with_self_values() const;

  std::vector<FunctionEvent> events_;
  TableColumns columns_;
};

}  // namespace faketensor
