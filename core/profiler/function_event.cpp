#include "core/profiler/function_event.h"

#include <algorithm>
#include <unordered_map>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr double kNanosecondsPerMicrosecond = 1000.0;

void add(EventAverage& sum, const EventAverage& each) {
  sum.count += each.count;
  sum.cpu_time_total += each.cpu_time_total;
  sum.self_cpu_time_total += each.self_cpu_time_total;
  sum.device_time_total += each.device_time_total;
  sum.self_device_time_total += each.self_device_time_total;
  sum.cpu_memory += each.cpu_memory;
  sum.self_cpu_memory += each.self_cpu_memory;
  sum.device_memory += each.device_memory;
  sum.self_device_memory += each.self_device_memory;
  sum.flops += each.flops;
}

EventAverage average_of(const FunctionEvent& event) {
  EventAverage average{.key = event.name, .overload_name = event.overload_name, .count = 1};
  average.cpu_time_total =
      static_cast<double>(event.end_ns - event.start_ns) / kNanosecondsPerMicrosecond;
  average.device_time_total = static_cast<double>(event.device_ns) / kNanosecondsPerMicrosecond;
  average.cpu_memory = event.cpu_memory;
  average.device_memory = event.device_memory;
  average.flops = event.flops;
  average.is_async = event.is_async;
  average.is_user_annotation = event.is_user_annotation;
  average.is_top_level = event.parent < 0;
  average.input_shapes = event.input_shapes;
  average.stack = event.stack;
  average.self_device_time_total = average.device_time_total;
  if (event.is_async) return average;
  average.self_cpu_time_total = average.cpu_time_total;
  average.self_cpu_memory = average.cpu_memory;
  average.self_device_memory = average.device_memory;
  return average;
}

std::string key_of(const EventAverage& event, const GroupBy& group) {
  std::string key = event.key;
  key += event.is_user_annotation ? "\n1" : "\n0";
  if (group.overload_name) (key += '\n') += event.overload_name;
  if (group.input_shape) (key += '\n') += shapes_text(event.input_shapes);
  for (size_t i = 0; i < std::min(group.stack_n, event.stack.size()); ++i)
    (key += '\n') += event.stack[i];
  return key;
}

}  // namespace

std::string shapes_text(const std::vector<InputShape>& shapes) {
  std::string text = "[";
  for (const InputShape& shape : shapes) {
    if (text.size() > 1) text += ", ";
    append_list(text, std::span<const int64_t>(shape.sizes));
  }
  return text + "]";
}

// The events as rows with one call each. A child's device time counts for its parents too.
std::vector<EventAverage> EventList::with_self_values() const {
  std::vector<EventAverage> rows;
  rows.reserve(events_.size());
  for (const FunctionEvent& event : events_) rows.push_back(average_of(event));
  for (size_t i = events_.size(); i-- > 0;) {
    const int64_t parent = events_[i].parent;
    if (parent < 0 || events_[i].is_async) continue;
    EventAverage& above = rows[static_cast<size_t>(parent)];
    above.self_cpu_time_total -= rows[i].cpu_time_total;
    above.self_cpu_memory -= rows[i].cpu_memory;
    above.self_device_memory -= rows[i].device_memory;
    above.device_time_total += rows[i].device_time_total;
  }
  return rows;
}

AverageList EventList::rows() const { return {with_self_values(), columns_}; }

AverageList EventList::key_averages(const GroupBy& group) const {
  AverageList averages{{}, columns_};
  std::unordered_map<std::string, size_t> places;
  for (EventAverage& each : with_self_values()) {
    const auto [place, is_new] = places.emplace(key_of(each, group), averages.rows.size());
    if (!is_new) {
      add(averages.rows[place->second], each);
      continue;
    }
    each.stack.resize(std::min(group.stack_n, each.stack.size()));
    if (!group.input_shape) each.input_shapes.clear();
    if (!group.overload_name) each.overload_name.clear();
    averages.rows.push_back(std::move(each));
  }
  return averages;
}

EventAverage EventList::total_average() const {
  EventAverage total;
  total.key = "Total";
  for (const EventAverage& each : with_self_values()) add(total, each);
  return total;
}

double EventList::self_cpu_time_total() const { return total_average().self_cpu_time_total; }

std::string EventList::stacks(std::string_view metric) const {
  const bool is_cpu = metric == "self_cpu_time_total";
  if (!is_cpu && metric != "self_cuda_time_total")
    throw_error(ErrorKind::kValueError,
                "metric should be one of: ['self_cpu_time_total', 'self_cuda_time_total', "
                "'self_xpu_time_total', 'self_privateuse1_time_total']");
  std::string text;
  for (const EventAverage& each : with_self_values()) {
    const auto time =
        static_cast<int64_t>(is_cpu ? each.self_cpu_time_total : each.self_device_time_total);
    if (each.stack.empty() || time <= 0) continue;
    for (size_t i = each.stack.size(); i-- > 0;) {
      for (const char c : each.stack[i])
        text += c == ' ' || c == ';' || c == '\t' || c == '\n' ? '_' : c;
      text += i == 0 ? ' ' : ';';
    }
    text += format("{}\n", time);
  }
  return text;
}

}  // namespace faketensor
