// `faketensor diff A B`: two programs, or one under two settings, side by side.
#include <cstdio>

#include "core/analysis/fit_devices.h"
#include "core/analysis/program_diff.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/io/device_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kOfB = "--b-";

// The options of B: those of both, then its own by their plain names, of which the last counts.
Options options_of_b(const Options& options) {
  std::vector<std::string> args;
  const auto take = [&](std::string_view from, const OptionRow& row) {
    for (const std::string& value : options.all(from))
      args.push_back(row.argument.empty() ? std::string(row.name)
                                          : format("{}={}", row.name, value));
  };
  for (const OptionRow& row : kWhatIfOptions) take(row.name, row);
  for (const OptionRow& row : kWhatIfOptions)
    take(std::string(kOfB).append(row.name.substr(2)), row);
  return Options(args, kWhatIfOptions);
}

// One side: its program, and what it is asked.
struct Asked {
  Asked(const std::string& path, const Options& options, CommandIo& io)
      : options_given(propagate_options(options, io)), program(open_model(path, options, io)) {
    const std::optional<std::string> target = options.get("--target");
    if (target) device = open_target(*target, io);
  }
  DiffSide side() const {
    if (!device || !device->hardware) return {program, options_given};
    return {program, options_on(options_given, *device), &*device->hardware};
  }

  RetargetOptions options_given;
  std::optional<DeviceModel> device;
  Program program;
};

std::string signed_text(int64_t change, const std::string& amount) {
  return change == 0 ? "=" : (change > 0 ? "+" : "-") + amount;
}
std::string bytes_change(int64_t change) {
  return signed_text(change, bytes_text(change < 0 ? -change : change));
}
std::string flops_change(int64_t change) {
  return signed_text(change, flops_text(change < 0 ? -change : change));
}
std::string seconds_change(double change) {
  if (change == 0) return "=";
  return (change > 0 ? "+" : "-") + seconds_text(change < 0 ? -change : change);
}

std::string percent_change(double a, double b) {
  if (a == b) return "=";
  if (a == 0) return "new";
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * (b - a) / a);
  return text;
}

class DiffPrinter {
 public:
  DiffPrinter(const ProgramDiff& diff, BufferedOut& out)
      : diff_(diff),
        has_time_(diff.total_a().seconds > 0 || diff.total_b().seconds > 0),
        out_(out) {}

  void print(size_t most) {
    print_totals();
    print_modules(most);
    print_nodes(most);
  }

 private:
  void print_totals() {
    const CostFigures a = diff_.total_a();
    const CostFigures b = diff_.total_b();
    const auto real = [](int64_t number) { return static_cast<double>(number); };
    TextTable table({"", ">A", ">B", ">change"});
    table.add({"nodes", format("{}", diff_.run_a().plan().size()),
               format("{}", diff_.run_b().plan().size()), format("{} in both", diff_.matched())});
    table.add({"peak memory", bytes_text(a.bytes), bytes_text(b.bytes),
               percent_change(real(a.bytes), real(b.bytes))});
    table.add({"FLOPs, as PyTorch counts", flops_text(diff_.counted_a()),
               flops_text(diff_.counted_b()),
               percent_change(real(diff_.counted_a()), real(diff_.counted_b()))});
    table.add({"FLOPs, all operators", flops_text(a.flops), flops_text(b.flops),
               percent_change(real(a.flops), real(b.flops))});
    if (has_time_)
      table.add({"time", seconds_text(a.seconds), seconds_text(b.seconds),
                 percent_change(a.seconds, b.seconds)});
    table.add({"problems", format("{}", diff_.run_a().problems().size()),
               format("{}", diff_.run_b().problems().size()), ""});
    table.print(out_);
  }

  std::vector<std::string> change_cells(const CostFigures& a, const CostFigures& b) const {
    std::vector<std::string> cells = {bytes_change(b.bytes - a.bytes),
                                      flops_change(b.flops - a.flops)};
    if (has_time_) cells.push_back(seconds_change(b.seconds - a.seconds));
    return cells;
  }

  std::vector<std::string> head(std::vector<std::string> first) const {
    first.insert(first.end(), {">bytes", ">FLOPs"});
    if (has_time_) first.push_back(">time");
    return first;
  }

  static std::string where(bool in_a, bool in_b) {
    if (in_a && in_b) return "";
    return in_a ? "only in A" : "only in B";
  }

  void print_modules(size_t most) {
    TextTable table(head({"modules", ""}));
    size_t shown = 0;
    for (const ModuleDiff& module : diff_.modules()) {
      if (++shown > most) continue;
      std::vector<std::string> cells = {module.path, where(module.in_a, module.in_b)};
      for (std::string& cell : change_cells(module.a, module.b)) cells.push_back(std::move(cell));
      table.add(std::move(cells));
    }
    if (!table.is_empty()) table.print(out_);
    print_rest(shown, most);
  }

  void print_nodes(size_t most) {
    if (diff_.nodes().empty()) {
      out_.text() += "no node differs";
      out_.line_done();
      return;
    }
    TextTable table(head({"nodes", "A", "B"}));
    size_t shown = 0;
    for (const NodeDiff& node : diff_.nodes()) {
      if (++shown > most) continue;
      const bool by_b = node.row_a == kNoRow;
      const Plan& plan = by_b ? diff_.run_b().plan() : diff_.run_a().plan();
      std::vector<std::string> cells = {std::string(plan.name_of(by_b ? node.row_b : node.row_a)),
                                        value_in(diff_.run_a(), node.row_a),
                                        node.is_matched() && !node.value_changed
                                            ? "the same"
                                            : value_in(diff_.run_b(), node.row_b)};
      for (std::string& cell : change_cells(node.a, node.b)) cells.push_back(std::move(cell));
      table.add(std::move(cells));
    }
    table.print(out_);
    print_rest(shown, most);
  }

  void print_rest(size_t shown, size_t most) {
    if (shown <= most) return;
    out_.text() += format("  and {} more", shown - most);
    out_.line_done();
  }

  static std::string value_in(const Run& run, Row row) {
    if (row == kNoRow) return "not there";
    const NodeRecord& record = run.record(row);
    if (record.status != NodeStatus::kOk) return "no answer";
    const BranchScope env = run.shape_env();
    std::span<const TensorRecord> tensors = record.tensors;
    constexpr size_t kWidest = 40;
    std::string text = value_text(record.value, tensors);
    if (text.size() > kWidest) text = text.substr(0, kWidest - 3) + "...";
    return text;
  }

  const ProgramDiff& diff_;
  const bool has_time_;
  BufferedOut& out_;
};

int diff_command(const Options& options, CommandIo& io) {
  const std::vector<std::string>& files = options.positional();
  if (files.empty() || files.size() > 2)
    throw_error(ErrorKind::kUsage,
                "diff takes two files, or one and what is other about B (--b-set batch=8)");
  const Options of_b = options_of_b(options);
  const std::string form = options.choice("--format", {"text", "json"});
  const bool is_json = form == "json" || options.has("--json");
  const std::optional<std::string> most_text = options.get("--most");
  const std::optional<int64_t> most = most_text ? parse_size(*most_text) : 20;
  if (!most) throw_error(ErrorKind::kUsage, format("--most takes a number, not '{}'", *most_text));
  const Asked a(files.front(), options, io);
  const Asked b(files.back(), of_b, io);
  const ProgramDiff diff(a.side(), b.side());
  BufferedOut out(io);
  if (is_json) {
    JsonWriter json(out.text());
    write_diff(json, diff);
    out.line_done();
  } else {
    DiffPrinter(diff, out).print(static_cast<size_t>(*most));
  }
  return diff.run_a().problems().empty() && diff.run_b().problems().empty() ? kExitFine
                                                                            : kExitErrors;
}

constexpr std::string_view kDiffAbout = R"(usage: faketensor diff A [B] [OPTION]...

Prints what differs between two programs, or between one program under two settings: values, memory, FLOPs and, with
--target, time; by module and node, what changed most first. Options count for both; those that begin with --b- for B
alone, in place of what both have.

)";

constexpr auto kDiffOptions = what_if_options_and({
    {"--b-set", "DIM=N", "the same of B"},
    {"--b-dynamic", "DIM[=N..M]", ""},
    {"--b-inputs", "FILE", ""},
    {"--b-dtype", "T", ""},
    {"--b-device", "D", ""},
    {"--b-memory-format", "F", ""},
    {"--b-literal", "", ""},
    {"--b-assume", "SITE=CHOICE", ""},
    {"--b-target", "T", ""},
    {"--b-stop-at-first-error", "", ""},
    {"--b-python-dispatcher", "", ""},
    {"--b-memory-limit", "N", ""},
    {"--most", "N", "modules and nodes that are listed; 20 unless given"},
    {"--format", "F", "text, or json: all that changed"},
    {"--json", "", "the same as --format json"},
});

constexpr std::string_view kDiffMore = R"(
Nodes are matched by name and operator, the rest by module, operator and order. Bytes of a node are those that it brings,
of a program those at its peak. A target that is a device is also where the programs run, as for time.

examples:
  faketensor diff before.pt2 after.pt2
  faketensor diff model.pt2 --b-set batch=64 --b-dtype bfloat16
  faketensor diff model.pt2 --target a100 --b-target h100

exit code: 0 fine, whether they differ or not, 1 a program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kDiffCommand = {"diff",     &diff_command, "two programs side by side",
                                 kDiffAbout, kDiffOptions,  kDiffMore};

}  // namespace faketensor
