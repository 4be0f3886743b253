#include "core/command/memory_html.h"

#include <algorithm>
#include <cstdio>

#include "core/analysis/allocation_sequence.h"
#include "core/analysis/memory_history.h"
#include "core/analysis/peak_report.h"
#include "core/command/memory_allocator.h"
#include "core/command/memory_training.h"
#include "core/command/peak_text.h"
#include "core/command/value_text.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kMemoryStyle = R"css(
:root{color-scheme:light dark;--ground:#fff;--text:#1d2330;--quiet:#5c6675;--line:#dfe3ea;--bar:#c3d4f5;
--k0:#5b7fc7;--k1:#7d9fd6;--k2:#a3bce3;--k3:#6aa39a;--k4:#3f8f55;--k5:#d9913a;--k6:#b65fa5;--k7:#8a6fc9;--k8:#c9574f}
@media(prefers-color-scheme:dark){:root{--ground:#14171d;--text:#e3e7ee;--quiet:#98a2b3;--line:#2c323d;--bar:#2d4372;
--k0:#6f93da;--k1:#54719f;--k2:#3f557b;--k3:#5f9c92;--k4:#58ad6f;--k5:#d99a4e;--k6:#c578b5;--k7:#9c84d8;--k8:#d96c64}}
body{margin:0 auto;padding:24px 20px 60px;max-width:1040px;background:var(--ground);color:var(--text);
font:14px/1.45 system-ui,sans-serif}
h1{font-size:20px;margin:0;overflow-wrap:anywhere}h2{font-size:15px;margin:32px 0 8px}
p{margin:6px 0;max-width:80ch}.quiet{color:var(--quiet)}.peak{font-size:17px;margin:14px 0 2px}
table{border-collapse:collapse;width:100%}.scroll{overflow-x:auto}
th,td{text-align:left;padding:3px 10px 3px 0;border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
.w{white-space:normal;overflow-wrap:anywhere;min-width:120px}
th{font-weight:600;color:var(--quiet)}.n{text-align:right;font-variant-numeric:tabular-nums}
td.share{width:22%;min-width:90px}td.share i{display:block;height:10px;margin-top:5px;background:var(--bar)}
svg{display:block;width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:var(--quiet)}
svg .axis{stroke:var(--line)}svg .mark{stroke:var(--text);stroke-dasharray:3 3}svg .hit{fill:transparent}svg .hit:hover{fill:var(--text);fill-opacity:.12}
ul.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;padding:0;margin:8px 0}
ul.legend i{display:inline-block;width:10px;height:10px;margin-right:6px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:0 32px}
)css";

// Held all the time at the bottom, what comes and goes on top.
constexpr MemoryKind kStack[] = {
    MemoryKind::kParameter,  MemoryKind::kBuffer,    MemoryKind::kConstant,
    MemoryKind::kInput,      MemoryKind::kOptimizer, MemoryKind::kGradient,
    MemoryKind::kActivation, MemoryKind::kOutput,    MemoryKind::kTemporary};

constexpr size_t kMostHolders = 60;
constexpr size_t kMostShares = 20;
constexpr size_t kColumns = 500;  // of the chart
constexpr double kWidth = 1000;
constexpr double kHeight = 240;
constexpr double kTop = 16;  // of the plot, below the label of the highest

std::string coordinate(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

std::string cell(std::string_view text, std::string_view kind = {}) {
  if (kind.empty()) return format("<td>{}</td>", escape_html(text));
  return format("<td class=\"{}\">{}</td>", kind, escape_html(text));
}

// Names of columns; one that begins with '>' is of numbers.
std::string head(std::initializer_list<std::string_view> names) {
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const std::string_view name : names) {
    const bool is_number = name.starts_with('>');
    out += format("<th scope=\"col\"{}>{}</th>", is_number ? " class=\"n\"" : "",
                  name.substr(is_number ? 1 : 0));
  }
  return out + "</tr></thead><tbody>\n";
}
constexpr std::string_view kTableEnd = "</tbody></table></div>\n";

std::string bar(int64_t bytes, int64_t of) {
  const double part = of == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(of);
  return format("<td class=\"share\"><i style=\"width:{}%\"></i></td>", coordinate(100 * part));
}

class MemoryReport {
 public:
  MemoryReport(const Options& options, const Run& run, const PeakReport& peak,
               MemoryHistory history)
      : options_(options), run_(run), peak_(peak), history_(std::move(history)) {
    for (const AliveStorage& each : peak_.alive()) bytes_ += MemoryTimeline::hint(each.bytes);
  }

  void begin(std::string_view peak_sentence, std::string_view of) {
    const std::string name = escape_html(options_.positional()[0]);
    out_ = format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><meta "
        "http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Memory of {}</title>"
        "<style>{}</style></head><body>\n<h1>Memory of {}</h1>\n",
        name, kMemoryStyle, name);
    out_ += format("<p class=\"quiet\">{}</p>\n", escape_html(std::string(of) + settings()));
    out_ += format("<p class=\"peak\">{}</p>\n", escape_html(peak_sentence));
  }

  void chart() {
    const std::vector<MemoryPoint>& points = history_.points();
    if (points.empty()) return;
    out_ += "<h2>Over time</h2>\n";
    const std::vector<size_t> columns = highest_points();
    const int64_t most = points[history_.peak()].total();
    const auto x = [&](size_t column) {
      return kWidth * static_cast<double>(column) / static_cast<double>(columns.size());
    };
    // Where most is held all the time, what comes and goes would not be seen above it.
    int64_t floor = most;
    for (const MemoryPoint& point : points) floor = std::min(floor, point.total());
    if (floor == most || floor < most / 2) floor = 0;
    const auto y = [&](int64_t bytes) {
      const int64_t above = std::max<int64_t>(bytes - floor, 0);
      const double part =
          most == 0 ? 0 : static_cast<double>(above) / static_cast<double>(most - floor);
      return kTop + (kHeight - kTop) * (1 - part);
    };
    out_ += format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Bytes alive over time by "
        "kind, the most {}\">\n",
        coordinate(kWidth), coordinate(kHeight + 18), bytes_text(most));
    std::vector<int64_t> below(columns.size());
    for (const MemoryKind kind : kStack) area(kind, columns, below, x, y);
    marks(columns, most, x, y);
    out_ += "</svg>\n";
    legend(points[history_.peak()]);
    if (floor > 0)
      out_ +=
          format("<p class=\"quiet\">The chart begins at {}, which is never fallen below.</p>\n",
                 bytes_text(floor));
    if (columns.size() < points.size())
      out_ += format("<p class=\"quiet\">{} nodes in {} columns: each shows its highest.</p>\n",
                     points.size(), columns.size());
  }

  void holders() {
    out_ += "<h2>Who holds the peak</h2>\n" +
            head({"Value", "Kind", "Dtype", "Module", ">Bytes", "", "Why it is still alive"});
    held_rows();
    size_t left = 0;
    int64_t left_bytes = 0;
    size_t shown = 0;
    for (const AliveStorage& each : peak_.alive()) {
      if (is_held(each) || same_expr(each.bytes, 0)) continue;
      const int64_t bytes = MemoryTimeline::hint(each.bytes);
      if (shown == kMostHolders) {
        ++left;
        left_bytes += bytes;
        continue;
      }
      ++shown;
      const std::string_view who = each.row == kNoRow ? "(loss)" : run_.plan().name_of(each.row);
      out_ += "<tr>" + cell(who, "w") + cell(name(each.kind)) + cell(name(each.dtype)) +
              cell(module_of(each.row), "w") + cell(size_text(each.bytes), "n") +
              bar(bytes, bytes_) + cell(why_alive(run_, each), "w") + "</tr>\n";
    }
    out_ += kTableEnd;
    if (left > 0)
      out_ +=
          format("<p class=\"quiet\">and {} more, {} together</p>\n", left, bytes_text(left_bytes));
  }

  void shares() {
    out_ += "<div class=\"grid\">";
    group("By kind", peak_.by_kind());
    group("By dtype", peak_.by_dtype());
    group("By module, with what is below", peak_.by_module());
    group("By line of code", peak_.by_source());
    out_ += "</div>\n";
  }

  void savings() {
    out_ += "<h2>What would lower the peak, each for itself</h2>\n";
    if (peak_.savings().empty()) {
      out_ += "<p class=\"quiet\">Nothing was found.</p>\n";
      return;
    }
    out_ += head({">By", "How"});
    for (const Saving& saving : peak_.savings())
      out_ += "<tr>" + cell(bytes_text(saving.bytes), "n") + cell(saving_text(run_, saving), "w") +
              "</tr>\n";
    out_ += kTableEnd;
  }

  void allocator(const ProgramCosts& costs) {
    out_ += "<h2>PyTorch’s caching allocator, all storages on one GPU</h2>\n" +
            head({"Settings", ">Reserved", ">Allocated", ">Unused", ">nvidia-smi", "Ends"});
    const AllocationSequence sequence(costs);
    for (const AllocatorReport& report : allocator_reports(options_, sequence)) {
      out_ += "<tr>" + cell(report.settings.empty() ? "default" : report.settings);
      for (const uint64_t bytes : {report.reserved, report.allocated})
        out_ += cell(bytes_text(static_cast<int64_t>(bytes)), "n");
      out_ += cell(coordinate(100 * report.unused()) + " %", "n");
      out_ += cell(bytes_text(static_cast<int64_t>(report.reserved + kContextBytes)), "n");
      out_ += cell(report.failed_row == kNoRow
                       ? std::string("well")
                       : format("out of memory at {}: {}", run_.plan().name_of(report.failed_row),
                                report.out_of_memory));
      out_ += "</tr>\n";
    }
    out_ += kTableEnd;
    if (sequence.unknown() > 0)
      out_ += format("<p class=\"quiet\">Not counted: {} storages whose size is data.</p>\n",
                     sequence.unknown());
  }

  void basis(std::initializer_list<std::string_view> lines) {
    out_ += "<h2>What the numbers rest on</h2>\n";
    for (const std::string_view text : lines) out_ += format("<p>{}</p>\n", escape_html(text));
    out_ +=
        "<p class=\"quiet\">Made by faketensor, without running the model.</p>\n</body></html>\n";
  }

  const std::string& text() const { return out_; }

 private:
  // Of a model, a caller or an optimizer, which hold it all the time.
  static bool is_held(const AliveStorage& each) {
    return each.stays && (each.kind <= MemoryKind::kInput || each.kind == MemoryKind::kOptimizer);
  }

  // What is held all the time, a line for each kind.
  void held_rows() {
    for (const MemoryKind kind : kStack) {
      size_t count = 0;
      SymInt sum = 0;
      for (const AliveStorage& each : peak_.alive()) {
        if (each.kind != kind || !is_held(each)) continue;
        ++count;
        sum += each.bytes;
      }
      if (count == 0) continue;
      out_ += "<tr>" + cell(format("{} {}", count, name(kind))) + cell(name(kind)) + cell("") +
              cell("") + cell(size_text(sum), "n") + bar(MemoryTimeline::hint(sum), bytes_) +
              cell("held to the end") + "</tr>\n";
    }
  }

  // ", with --set batch=64 --dtype bfloat16"
  std::string settings() const {
    std::string given;
    for (const std::string_view option :
         {"--set", "--dynamic", "--inputs", "--dtype", "--device", "--memory-format", "--literal",
          "--assume", "--target", "--grad-accumulation", "--master-weights", "--checkpoint"}) {
      for (const std::string& value : options_.all(option))
        given += value.empty() ? format(" {}", option) : format(" {} {}", option, value);
    }
    return given.empty() ? given : ", with" + given;
  }

  std::string_view module_of(Row row) const {
    return row == kNoRow ? std::string_view() : run_.program().module_path(run_.node(row));
  }

  std::string point_text(const MemoryPoint& point) const {
    std::string text = point.row == kNoRow ? std::string(name(point.phase))
                                           : std::string(run_.plan().name_of(point.row));
    if (point.row != kNoRow && point.phase != TrainingPhase::kForward)
      text = format("{} of {}", name(point.phase), text);
    return text;
  }

  // For each column of the chart its highest point.
  std::vector<size_t> highest_points() const {
    const std::vector<MemoryPoint>& points = history_.points();
    std::vector<size_t> columns(std::min(points.size(), kColumns));
    for (size_t column = 0; column < columns.size(); ++column) {
      const size_t end = (column + 1) * points.size() / columns.size();
      size_t highest = column * points.size() / columns.size();
      for (size_t i = highest + 1; i < end; ++i) {
        if (points[i].total() > points[highest].total()) highest = i;
      }
      columns[column] = highest;
    }
    return columns;
  }

  // One kind's bytes on top of those below it, which they are added to.
  template <typename X, typename Y>
  void area(MemoryKind kind, const std::vector<size_t>& columns, std::vector<int64_t>& below,
            const X& x, const Y& y) {
    std::string upper;
    std::string lower;
    bool is_empty = true;
    for (size_t i = 0; i < columns.size(); ++i) {
      const int64_t bytes = history_.points()[columns[i]].bytes[static_cast<size_t>(kind)];
      is_empty = is_empty && bytes == 0;
      upper += format("L{} {}H{}", coordinate(x(i)), coordinate(y(below[i] + bytes)),
                      coordinate(x(i + 1)));
      lower.insert(
          0, format("L{} {}H{}", coordinate(x(i + 1)), coordinate(y(below[i])), coordinate(x(i))));
      below[i] += bytes;
    }
    if (is_empty) return;
    upper[0] = 'M';
    out_ += format("<path fill=\"var(--k{})\" d=\"{}{}Z\"/>\n", static_cast<size_t>(kind), upper,
                   lower);
  }

  template <typename X, typename Y>
  void marks(const std::vector<size_t>& columns, int64_t most, const X& x, const Y& y) {
    const std::vector<MemoryPoint>& points = history_.points();
    for (size_t i = 0; i < columns.size(); ++i) {
      const MemoryPoint& point = points[columns[i]];
      out_ += format(
          "<rect class=\"hit\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}: {}"
          "</title></rect>\n",
          coordinate(x(i)), coordinate(kTop), coordinate(x(1) - x(0)), coordinate(kHeight - kTop),
          escape_html(point_text(point)), bytes_text(point.total()));
    }
    const auto at = std::find(columns.begin(), columns.end(), history_.peak());
    const double middle = (x(static_cast<size_t>(at - columns.begin())) +
                           x(static_cast<size_t>(at - columns.begin()) + 1)) /
                          2;
    out_ += format("<line class=\"mark\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n",
                   coordinate(middle), coordinate(middle), coordinate(kTop), coordinate(kHeight));
    out_ += format("<line class=\"axis\" x1=\"0\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n",
                   coordinate(kWidth), coordinate(kHeight), coordinate(kHeight));
    const bool is_right = middle > kWidth / 2;
    out_ += format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{} at {}</text>\n",
                   coordinate(middle), coordinate(y(most) - 4), is_right ? "end" : "start",
                   bytes_text(most), escape_html(point_text(points[history_.peak()])));
    out_ += format(
        "<text x=\"0\" y=\"{}\">{}</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
        coordinate(kHeight + 14), escape_html(point_text(points.front())), coordinate(kWidth),
        coordinate(kHeight + 14), escape_html(point_text(points.back())));
  }

  void legend(const MemoryPoint& peak) {
    out_ += "<ul class=\"legend\">";
    for (const MemoryKind kind : kStack) {
      const auto place = static_cast<size_t>(kind);
      const bool is_there =
          std::any_of(history_.points().begin(), history_.points().end(),
                      [&](const MemoryPoint& point) { return point.bytes[place] != 0; });
      if (is_there)
        out_ += format("<li><i style=\"background:var(--k{})\"></i>{}, {} at the peak</li>", place,
                       name(kind), bytes_text(peak.bytes[place]));
    }
    out_ += "</ul>\n";
  }

  void group(std::string_view title, const std::vector<MemoryShare>& shares) {
    if (shares.empty()) return;
    out_ += format("<section><h2>{}</h2>\n", title) + head({"", ">Bytes", ""});
    for (size_t i = 0; i < std::min(shares.size(), kMostShares); ++i) {
      const MemoryShare& share = shares[i];
      out_ += "<tr>" +
              cell(share.name.empty() ? "(the model)" : std::string_view(share.name), "w") +
              cell(size_text(share.with_below), "n") +
              bar(MemoryTimeline::hint(share.with_below), bytes_) + "</tr>\n";
    }
    out_ += kTableEnd;
    if (shares.size() > kMostShares)
      out_ += format("<p class=\"quiet\">and {} more</p>\n", shares.size() - kMostShares);
    out_ += "</section>\n";
  }

  const Options& options_;
  const Run& run_;
  const PeakReport& peak_;
  const MemoryHistory history_;
  int64_t bytes_ = 0;  // alive at the peak
  std::string out_;
};

constexpr std::string_view kStorages =
    "Bytes are those of storages, on all devices together: a storage counts once, from the "
    "operator "
    "that brings it to the last use of a value on it. Not counted: an allocator's rounding, "
    "workspaces of cuBLAS, cuDNN and attention kernels, NCCL, the CUDA context. Sizes that are "
    "symbols are those of the example.";
constexpr std::string_view kSavings =
    "What would lower the peak is an estimate on the timeline: that one change, everything else as "
    "it is.";

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

void write_memory_html(const Options& options, const ProgramCosts& costs, CommandIo& io) {
  const std::optional<std::string> path = options.get("--html");
  if (!path) return;
  const Run& run = costs.run();
  const BranchScope env = run.shape_env();
  const MemoryTimeline& memory = costs.memory();
  if (memory.peak_row() == kNoRow)
    throw_error(ErrorKind::kUsage, "--html: a program without nodes holds nothing");
  const PeakReport peak(run, memory);
  MemoryReport report(options, run, peak, MemoryHistory(costs));
  const std::string_view module = run.program().module_path(run.node(memory.peak_row()));
  report.begin(format("Peak {} at {}{}{}", size_text(memory.peak()),
                      run.plan().name_of(memory.peak_row()), module.empty() ? "" : " in ", module),
               "The program's own run");
  report.chart();
  report.holders();
  report.shares();
  report.savings();
  report.allocator(costs);
  report.basis(
      {kStorages, kSavings,
       "The allocator is PyTorch's CUDACachingAllocator, given these storages in this order. "
       "Reserved: the most asked of the device; allocated: the most of it in use, in whole "
       "blocks; nvidia-smi: reserved and an assumed CUDA context of 500 MiB."});
  io.write_file(*path, report.text());
}

void write_memory_html(const Options& options, const TrainingStep& step, CommandIo& io) {
  const std::optional<std::string> path = options.get("--html");
  if (!path) return;
  const BranchScope env = step.run().shape_env();
  const PeakReport peak(step);
  MemoryReport report(options, step.run(), peak, MemoryHistory(step));
  report.begin(format("Peak {} at {}", size_text(step.peak()),
                      place_text(step, step.events()[step.peak_index()])),
               format("A training step with {}, after the first",
                      kOptimizers[static_cast<size_t>(step.options().optimizer)]));
  report.chart();
  report.holders();
  report.shares();
  report.savings();
  report.basis(
      {kStorages, kSavings,
       "The step: forward, the loss (the program's own, or the mean of squares of its first "
       "floating-point output), backward in autograd's order, the optimizer with its states. "
       "All floating-point parameters are trained."});
  io.write_file(*path, report.text());
}

}  // namespace faketensor
