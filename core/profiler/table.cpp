#include "core/profiler/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr size_t kColumnWidth = 12;
constexpr size_t kSpacing = 2;

// "%.3f" and the like. (std::format is not in the compilers of this project.)
std::string fixed(double value, int digits, int width = 0) {
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f", width, digits, value);
  return text;
}

// The length as Python counts it, in code points of UTF-8.
size_t length_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The first `count` code points.
std::string_view first_of(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && (count > 0 || (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) --count;
    ++at;
  }
  return text.substr(0, at);
}

std::string memory_text(int64_t bytes) {
  constexpr double kStep = 1024;
  const double size = std::abs(static_cast<double>(bytes));
  constexpr std::string_view kUnits[] = {" KB", " MB", " GB"};
  if (size < kStep) return format("{} B", bytes);
  double value = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  while (unit < 2 && std::abs(value) >= kStep) {
    value /= kStep;
    ++unit;
  }
  return fixed(value, 2).append(kUnits[unit]);
}

double sort_value(const EventAverage& row, std::string_view attribute) {
  struct Attribute {
    std::string_view name;
    double (*value)(const EventAverage&);
  };
  constexpr Attribute kAttributes[] = {
      {"count", [](const EventAverage& a) { return static_cast<double>(a.count); }},
      {"flops", [](const EventAverage& a) { return static_cast<double>(a.flops); }},
      {"cpu_time", [](const EventAverage& a) { return a.cpu_time(); }},
      {"cpu_time_total", [](const EventAverage& a) { return a.cpu_time_total; }},
      {"self_cpu_time_total", [](const EventAverage& a) { return a.self_cpu_time_total; }},
      {"device_time", [](const EventAverage& a) { return a.device_time(); }},
      {"device_time_total", [](const EventAverage& a) { return a.device_time_total; }},
      {"self_device_time_total", [](const EventAverage& a) { return a.self_device_time_total; }},
      {"cpu_memory_usage", [](const EventAverage& a) { return static_cast<double>(a.cpu_memory); }},
      {"self_cpu_memory_usage",
       [](const EventAverage& a) { return static_cast<double>(a.self_cpu_memory); }},
      {"device_memory_usage",
       [](const EventAverage& a) { return static_cast<double>(a.device_memory); }},
      {"self_device_memory_usage",
       [](const EventAverage& a) { return static_cast<double>(a.self_device_memory); }},
  };
  for (const Attribute& each : kAttributes) {
    if (each.name == attribute) return each.value(row);
  }
  throw_error(ErrorKind::kAttributeError,
              format("'FunctionEventAvg' object has no attribute '{}'", attribute));
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::vector<EventAverage> sorted(std::vector<EventAverage> rows, std::string attribute) {
  if (attribute.empty()) return rows;
  for (const std::string_view device : {"cuda", "xpu", "privateuse1"})
    replace_all(attribute, device, "device");
  // "key" and "overload_name" are attributes too.
  const bool by_key = attribute == "key";
  std::stable_sort(rows.begin(), rows.end(), [&](const EventAverage& a, const EventAverage& b) {
    return by_key ? a.key > b.key : sort_value(a, attribute) > sort_value(b, attribute);
  });
  if (rows.size() == 1 && !by_key) sort_value(rows[0], attribute);  // refuses what is none
  return rows;
}

struct Column {
  std::string header;
  size_t width = kColumnWidth;
  bool is_left = false;
};

// "FLOPs" or "MFLOPs", and what the numbers are multiplied by, so that the smallest is at least 1.
struct FlopsUnit {
  std::string_view name;
  double scale = 1;
};
std::optional<FlopsUnit> flops_unit(const std::vector<EventAverage>& rows) {
  int64_t least = 0;
  for (const EventAverage& row : rows) {
    if (row.flops > 0 && (least == 0 || row.flops < least)) least = row.flops;
  }
  if (least == 0) return std::nullopt;
  constexpr std::string_view kNames[] = {"FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs"};
  const double thousands = std::clamp(std::log10(static_cast<double>(least)) / 3, 0.0, 5.0);
  return FlopsUnit{kNames[static_cast<size_t>(thousands)],
                   std::pow(10.0, std::floor(thousands) * -3.0)};
}

class TableBuilder {
 public:
  TableBuilder(const AverageList& averages, const TableOptions& options)
      : options_(options),
        columns_(averages.columns),
        rows_(sorted(averages.rows, options.sort_by)) {
    for (const EventAverage& row : rows_) look_at(row);
    if (columns_.with_flops) flops_ = flops_unit(rows_);
    lay_out();
  }

  std::string text() {
    if (options_.header) {
      append_line(std::string(line_length(), '='));
      append_line(*options_.header);
    }
    if (options_.top_level_events_only) {
      append_line(std::string(line_length(), '='));
      append_line("This report only display top-level ops statistics");
    }
    append_separator();
    std::vector<std::string> headers;
    for (const Column& column : layout_) headers.push_back(column.header);
    append_row(headers);
    append_separator();
    append_rows();
    append_separator();
    append_line("Self CPU time total: " + time(self_cpu_));
    if (has_device_time_)
      append_line(format("Self {} time total: {}", columns_.device_name, time(self_device_)));
    return std::move(text_);
  }

 private:
  void look_at(const EventAverage& row) {
    self_cpu_ += row.self_cpu_time_total;
    self_device_ += row.self_device_time_total;
    has_device_time_ |= row.self_device_time_total > 0;
    has_device_memory_ |= row.self_device_memory > 0;
    has_shapes_ |= !row.input_shapes.empty();
    has_overloads_ |= !row.overload_name.empty();
    has_stack_ |= !row.stack.empty();
    name_width_ = std::max(name_width_, length_of(row.key));
    shapes_width_ = std::max(shapes_width_, length_of(shapes_text(row.input_shapes)));
    for (const std::string& entry : row.stack)
      source_width_ = std::max(source_width_, length_of(entry));
  }

  static size_t limited(size_t width, int64_t most) {
    return std::min(width + 4, static_cast<size_t>(std::max<int64_t>(most, 0)));
  }

  void lay_out() {
    name_width_ = limited(name_width_, options_.max_name_column_width);
    shapes_width_ = limited(shapes_width_, options_.max_shapes_column_width);
    source_width_ = limited(source_width_, options_.max_src_column_width);
    layout_.push_back({"Name", name_width_});
    if (has_overloads_) layout_.push_back({"Overload Name", name_width_});
    for (const char* header :
         {"Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"})
      layout_.push_back({header});
    const std::string& device = columns_.device_name;
    if (has_device_time_) {
      for (const char* pattern : {"Self {}", "Self {} %", "{} total", "{} time avg"})
        layout_.push_back({format(pattern, device)});
    }
    if (columns_.profile_memory) {
      layout_.push_back({"CPU Mem"});
      layout_.push_back({"Self CPU Mem"});
      if (shows_device_memory()) {
        layout_.push_back({device + " Mem"});
        layout_.push_back({format("Self {} Mem", device)});
      }
    }
    layout_.push_back({"# of Calls"});
    if (has_shapes_) layout_.push_back({"Input Shapes", shapes_width_});
    // PyTorch adds the widths of the source before those of FLOPs, whose values stand before it.
    if (has_stack_) layout_.push_back({"Source Location", source_width_, true});
    if (flops_) layout_.push_back({format("Total {}", flops_->name)});
  }

  bool shows_device_memory() const { return has_device_memory_ && !columns_.device_name.empty(); }

  size_t line_length() const {
    size_t length = 0;
    for (const Column& column : layout_) length += column.width + kSpacing;
    return length - kSpacing;
  }

  std::string time(double microseconds) const {
    if (options_.hide_times) return "*";
    if (options_.time_unit == "s") return fixed(microseconds / 1e6, 3) + "s";
    if (options_.time_unit == "ms") return fixed(microseconds / 1e3, 3) + "ms";
    if (options_.time_unit == "us") return fixed(microseconds, 3) + "us";
    if (microseconds >= 1e6) return fixed(microseconds / 1e6, 3) + "s";
    if (microseconds >= 1e3) return fixed(microseconds / 1e3, 3) + "ms";
    return fixed(microseconds, 3) + "us";
  }

  std::string share(double microseconds, double of) const {
    if (options_.hide_times) return "*";
    return of == 0 ? "NaN" : fixed(microseconds * 100 / of, 2) + "%";
  }

  // The end of a path, which says more than its beginning.
  std::string trimmed(const std::string& path) const {
    const size_t length = length_of(path);
    if (length <= source_width_) return path;
    const std::string_view end = std::string_view(path).substr(path.size() - source_width_);
    return end.size() > 3 ? "..." + std::string(end.substr(3)) : std::string(end);
  }

  std::string shortened(const std::string& name) const {
    const auto most = static_cast<size_t>(std::max<int64_t>(options_.max_name_column_width - 3, 0));
    return length_of(name) >= most ? std::string(first_of(name, most)) + "..." : name;
  }

  std::vector<std::string> cells(const EventAverage& row) const {
    std::vector<std::string> cells = {shortened(row.key)};
    if (has_overloads_) cells.push_back(shortened(row.overload_name));
    cells.push_back(share(row.self_cpu_time_total, self_cpu_));
    cells.push_back(time(row.self_cpu_time_total));
    cells.push_back(row.is_async ? "0" : share(row.cpu_time_total, self_cpu_));
    cells.push_back(time(row.cpu_time_total));
    cells.push_back(time(row.cpu_time()));
    if (has_device_time_) {
      cells.push_back(time(row.self_device_time_total));
      cells.push_back(share(row.self_device_time_total, self_device_));
      cells.push_back(time(row.device_time_total));
      cells.push_back(time(row.device_time()));
    }
    if (columns_.profile_memory) {
      cells.push_back(memory_text(row.cpu_memory));
      cells.push_back(memory_text(row.self_cpu_memory));
      if (shows_device_memory()) {
        cells.push_back(memory_text(row.device_memory));
        cells.push_back(memory_text(row.self_device_memory));
      }
    }
    cells.push_back(format("{}", row.count));
    if (has_shapes_) cells.emplace_back(first_of(shapes_text(row.input_shapes), shapes_width_));
    if (flops_)
      cells.push_back(row.flops <= 0 ? "--"
                                     : fixed(static_cast<double>(row.flops) * flops_->scale, 3, 8));
    if (has_stack_) cells.push_back(row.stack.empty() ? "" : trimmed(row.stack[0]));
    return cells;
  }

  void append_rows() {
    int64_t shown = 0;
    for (const EventAverage& row : rows_) {
      if (shown == options_.row_limit) break;
      if (options_.top_level_events_only && !row.is_top_level) continue;
      ++shown;
      append_row(cells(row));
      if (has_stack_) append_stack(row);
    }
  }

  void append_stack(const EventAverage& row) {
    std::vector<std::string> cells(layout_.size());
    for (size_t i = 1; i < row.stack.size(); ++i) {
      cells.back() = trimmed(row.stack[i]);
      append_row(cells);
    }
    cells.back().clear();
    append_row(cells);
  }

  void append_row(const std::vector<std::string>& cells) {
    for (size_t i = 0; i < layout_.size(); ++i) {
      const size_t length = length_of(cells[i]);
      const size_t padding = layout_[i].width > length ? layout_[i].width - length : 0;
      if (!layout_[i].is_left) text_.append(padding, ' ');
      text_ += cells[i];
      if (layout_[i].is_left) text_.append(padding, ' ');
      text_.append(kSpacing, ' ');
    }
    text_ += '\n';
  }
  void append_separator() {
    for (const Column& column : layout_) text_.append(column.width, '-').append(kSpacing, ' ');
    text_ += '\n';
  }
  void append_line(std::string_view line) { (text_ += line) += '\n'; }

  const TableOptions& options_;
  const TableColumns& columns_;
  std::vector<EventAverage> rows_;
  std::vector<Column> layout_;
  std::optional<FlopsUnit> flops_;
  double self_cpu_ = 0;
  double self_device_ = 0;
  bool has_device_time_ = false;
  bool has_device_memory_ = false;
  bool has_shapes_ = false;
  bool has_overloads_ = false;
  bool has_stack_ = false;
  size_t name_width_ = 0;
  size_t shapes_width_ = 0;
  size_t source_width_ = 0;
  std::string text_;
};

}  // namespace

std::string table(const AverageList& averages, const TableOptions& options) {
  if (averages.rows.empty()) return {};
  return TableBuilder(averages, options).text();
}

}  // namespace faketensor
