#include "core/command/memory_allocator.h"

#include <algorithm>
#include <cstdio>

#include "core/command/propagate_options.h"
#include "core/command/value_text.h"
#include "core/io/allocator_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kFileOptions[] = {"--snapshot", "--csv", "--chrome-trace", "--html"};

// What --allocator names, PyTorch's own settings first.
std::vector<std::string> settings_of(const Options& options) {
  std::vector<std::string> all = {""};
  const auto add = [&](std::string_view settings) {
    if (std::find(all.begin(), all.end(), settings) == all.end()) all.emplace_back(settings);
  };
  for (const std::string& settings : options.all("--allocator")) {
    if (settings == "all") {
      for (const std::string_view compared : kComparedSettings) add(compared);
    } else if (settings != "default") {
      add(settings);
    }
  }
  return all;
}

uint64_t device_bytes(const Options& options) {
  return bytes_option(options, "--device-memory").value_or(kEndlessDevice);
}

std::string shown(const AllocatorReport& report) {
  return report.settings.empty() ? "default" : report.settings;
}

std::string bytes_of(uint64_t bytes) { return bytes_text(static_cast<int64_t>(bytes)); }

std::string percent(double part) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1f%%", 100 * part);
  return text;
}

class AllocatorTable {
 public:
  AllocatorTable(const Run& run, BufferedOut& out) : run_(run), out_(out) {}

  // `unknown`: storages that are not in it.
  void print(const std::vector<AllocatorReport>& reports, size_t unknown) {
    for (const AllocatorReport& report : reports) width_ = std::max(width_, shown(report).size());
    line("");
    line("PyTorch's caching allocator, all storages on one GPU");
    row("settings", {"reserved", "allocated", "unused", "nvidia-smi"});
    for (const AllocatorReport& report : reports) {
      row(shown(report), {bytes_of(report.reserved), bytes_of(report.allocated),
                          percent(report.unused()), bytes_of(report.reserved + kContextBytes)});
    }
    for (const AllocatorReport& report : reports) print_failure(report);
    print_smallest(reports);
    line("");
    line(
        "Reserved: the most asked of the device; allocated: the most of it in use, in whole "
        "blocks;");
    line(format("nvidia-smi: reserved and {} for the CUDA context. No workspaces of libraries.",
                bytes_of(kContextBytes)));
    if (unknown != 0) line(format("Not counted: {} storages whose size is data.", unknown));
  }

 private:
  void row(std::string_view settings, std::initializer_list<std::string_view> cells) {
    constexpr size_t kCell = 12;
    std::string text = "  ";
    text += settings;
    text.resize(std::max(text.size(), width_ + 2), ' ');
    for (const std::string_view cell : cells)
      text.append(kCell - std::min(kCell, cell.size()), ' ').append(cell);
    line(text);
  }

  void print_failure(const AllocatorReport& report) {
    if (report.failed_row == kNoRow) return;
    line(format("{}: out of memory at {}", shown(report), run_.plan().name_of(report.failed_row)));
    line("  " + report.out_of_memory);
  }

  // Of the settings under which the program runs to its end.
  void print_smallest(const std::vector<AllocatorReport>& reports) {
    if (reports.size() < 2) return;
    const auto before = [](const AllocatorReport& a, const AllocatorReport& b) {
      const bool a_fails = a.failed_row != kNoRow;
      const bool b_fails = b.failed_row != kNoRow;
      return a_fails != b_fails ? b_fails : a.reserved < b.reserved;
    };
    const AllocatorReport& least = *std::min_element(reports.begin(), reports.end(), before);
    if (least.failed_row != kNoRow) return line("it runs under none of them");
    const uint64_t most = reports.front().reserved;
    if (&least == &reports.front()) return line("smallest: default");
    if (reports.front().failed_row != kNoRow) return line(format("it runs with {}", shown(least)));
    line(format("smallest: {}, {} less than default", shown(least),
                bytes_of(most - least.reserved)));
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  const Run& run_;
  BufferedOut& out_;
  size_t width_ = std::string_view("settings").size();
};

}  // namespace

void check_allocator_options(const Options& options) {
  static_cast<void>(device_bytes(options));
  for (const std::string& settings : settings_of(options)) {
    try {
      static_cast<void>(allocator_config(settings));
    } catch (const Error& error) {
      throw_error(ErrorKind::kUsage, format("--allocator {}: {}", settings, error.message()));
    }
  }
}

void print_allocator(const Options& options, const ProgramCosts& costs, bool as_json,
                     BufferedOut& out) {
  if (!options.has("--allocator")) return;
  const AllocationSequence sequence(costs);
  const std::vector<AllocatorReport> reports = allocator_reports(options, sequence);
  if (!as_json) return AllocatorTable(costs.run(), out).print(reports, sequence.unknown());
  for (const AllocatorReport& report : reports) {
    JsonWriter json(out.text());
    {
      const auto object = json.object();
      write_allocator_report(json.key("allocator"), costs.run(), report);
    }
    out.line_done();
  }
}

std::vector<AllocatorReport> allocator_reports(const Options& options,
                                               const AllocationSequence& sequence) {
  std::vector<std::string> all(std::begin(kComparedSettings), std::end(kComparedSettings));
  if (options.has("--allocator")) all = settings_of(options);
  std::vector<AllocatorReport> reports;
  for (const std::string& settings : all)
    reports.push_back(run_allocator(sequence, settings, device_bytes(options)));
  return reports;
}

bool writes_file_out(const Options& options) {
  return std::any_of(std::begin(kFileOptions), std::end(kFileOptions),
                     [&](std::string_view name) { return options.get(name) == kStandardInput; });
}

void write_memory_files(const Options& options, const ProgramCosts& costs, CommandIo& io) {
  const std::optional<std::string> snapshot = options.get("--snapshot");
  const std::optional<std::string> csv = options.get("--csv");
  const std::optional<std::string> trace = options.get("--chrome-trace");
  if (!snapshot && !csv && !trace) return;
  AllocatorRecord record;
  const AllocatorReport report =
      run_allocator(AllocationSequence(costs), settings_of(options).back(), device_bytes(options),
                    snapshot ? &record : nullptr);
  if (snapshot) io.write_file(*snapshot, allocator_snapshot(costs.run(), report, record));
  if (csv) io.write_file(*csv, memory_csv(costs, report));
  if (trace) io.write_file(*trace, memory_chrome_trace(costs, report));
}

}  // namespace faketensor
