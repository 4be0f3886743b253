// `faketensor time FILE`: how long a step takes on a device by the roofline, and what bounds it.
#include <algorithm>
#include <cstdio>

#include "core/analysis/fit_devices.h"
#include "core/analysis/roofline.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/text_table.h"
#include "core/command/value_text.h"
#include "core/command/work_text.h"
#include "core/devices/presets.h"
#include "core/formats/json_writer.h"
#include "core/io/device_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

std::string percent(double part, double whole) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", whole > 0 ? 100 * part / whole : 0);
  return text;
}

std::string per_second(int64_t items, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(items) / seconds : 0;
  constexpr double kWhole = 100;  // from here on decimals say nothing
  char text[32];
  std::snprintf(text, sizeof text, rate >= kWhole ? "%.0f" : "%.3g", rate);
  return text;
}

std::string rates(const StepItems& items, double seconds) {
  std::string text;
  if (items.samples > 0) text += format(", {} samples/s", per_second(items.samples, seconds));
  if (items.tokens > 0) text += format(", {} tokens/s", per_second(items.tokens, seconds));
  return text;
}

std::string bounds(const StepTime& time) {
  std::string text;
  for (size_t i = 0; i < kBounds; ++i) {
    const auto bound = static_cast<Bound>(i);
    if (!text.empty()) text += ", ";
    text += format("{} {}", name(bound), percent(time.seconds(bound), time.seconds()));
  }
  return text;
}

class TimePrinter {
 public:
  TimePrinter(const ProgramWork& work, const StepTime& time, BufferedOut& out)
      : work_(work), time_(time), run_(work.run()), out_(out) {}

  void print(const DeviceModel& device, size_t depth) {
    line(format("{} a step on {}{}", seconds_text(time_.seconds()), device.title,
                rates(items_of(run_), time_.seconds())));
    line(format("bound by {}; {} kernels", bounds(time_), time_.calls()));
    print_kinds();
    print_modules(depth);
    print_nodes();
    line("");
    line(
        "A roofline: peaks of the maker, the share of them that each kind of kernel reaches, and "
        "the launches; one stream,");
    line("nothing overlaps. docs/device-model.md has the figures.");
  }

 private:
  void print_kinds() {
    TextTable table({"kind", ">time", ">share", ">FLOPs", ">bytes", ">FLOP/B"});
    const std::array<WorkSum, kWorkKinds> kinds = work_.kinds();
    const BranchScope env = run_.shape_env();
    for (size_t i = 0; i < kWorkKinds; ++i) {
      const auto kind = static_cast<WorkKind>(i);
      if (time_.seconds(kind) == 0) continue;
      table.add({std::string(name(kind)), seconds_text(time_.seconds(kind)),
                 percent(time_.seconds(kind), time_.seconds()), flops_text(hinted(kinds[i].flops)),
                 bytes_text(hinted(kinds[i].read) + hinted(kinds[i].written)),
                 intensity_text(kinds[i])});
    }
    if (!table.is_empty()) table.print(out_);
  }

  void print_modules(size_t depth) {
    TextTable table({"module", ">time", ">share"});
    const Program& program = run_.program();
    for (ModuleId id = 1; id < program.modules.size(); ++id) {
      const double seconds = time_.modules()[id];
      const Module& module = program.modules[id];
      if (seconds == 0 || module.depth >= depth) continue;
      table.add({std::string(2 * module.depth, ' ').append(program.text(module.path)),
                 seconds_text(seconds), percent(seconds, time_.seconds())});
    }
    if (!table.is_empty()) table.print(out_);
  }

  void print_nodes() {
    constexpr size_t kMost = 12;
    std::vector<RowTime> rows = time_.rows();
    std::stable_sort(rows.begin(), rows.end(),
                     [](const RowTime& a, const RowTime& b) { return a.seconds > b.seconds; });
    if (rows.size() > kMost) rows.resize(kMost);
    TextTable table({"longest nodes", ">time", "bound by", "module"});
    for (const RowTime& row : rows)
      table.add({std::string(run_.plan().name_of(row.row)), seconds_text(row.seconds),
                 std::string(name(row.bound)),
                 std::string(run_.program().module_path(run_.node(row.row)))});
    table.print(out_);
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  const ProgramWork& work_;
  const StepTime& time_;
  const Run& run_;
  BufferedOut& out_;
};

std::vector<DeviceModel> all_devices() {
  std::vector<DeviceModel> devices;
  for (const Preset& preset : device_presets()) devices.push_back(*device_preset(preset.name));
  return devices;
}

// A line for each of the presets.
int print_all(const Program& program, const RetargetOptions& given, const RooflineOptions& roofline,
              BufferedOut& out) {
  TextTable table({"target", ">step", ">samples/s", ">tokens/s", "bound by"});
  int code = kExitFine;
  for (const DeviceModel& device : all_devices()) {
    const ProgramWork work(program, options_on(given, device));
    const StepTime time(work, *device.hardware, roofline);
    const StepItems items = items_of(work.run());
    const auto rate = [&](int64_t count) {
      return count > 0 ? per_second(count, time.seconds()) : std::string("-");
    };
    table.add({device.name, seconds_text(time.seconds()), rate(items.samples), rate(items.tokens),
               bounds(time)});
    if (!work.run().problems().empty()) code = kExitErrors;
  }
  table.print(out);
  return code;
}

int time_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "time takes one file");
  const std::string form = options.choice("--format", {"text", "json"});
  const size_t depth = module_depth(options);
  const RooflineOptions roofline{.tf32_products = options.has("--tf32")};
  const RetargetOptions given = propagate_options(options, io);
  const std::optional<std::string> target = options.get("--target");
  const std::optional<DeviceModel> device =
      target ? std::optional(open_hardware(*target, io)) : std::nullopt;
  if (form == "json" && !device)
    throw_error(ErrorKind::kUsage, "--format json is about one device: name it by --target");
  const Program program = open_model(options.positional()[0], options, io);
  BufferedOut out(io);
  if (!device) return print_all(program, given, roofline, out);
  const ProgramWork work(program, options_on(given, *device));
  const StepTime time(work, *device->hardware, roofline);
  if (form == "json") {
    JsonWriter json(out.text());
    write_time(json, work, time, *device);
    out.line_done();
  } else {
    TimePrinter(work, time, out).print(*device, depth);
  }
  out.flush();
  return report_problems(work.run(), io);
}

constexpr std::string_view kTimeAbout = R"(usage: faketensor time FILE [--target T] [OPTION]...

Prints how long one run of a program takes on a device by the roofline of each operator: as its operations, its bytes or
its launches need. Without --target a line for each device that has a name. The program runs on the target's kind of
device unless --device says otherwise.

)";

constexpr auto kTimeOptions = what_if_options_and({
    {"--tf32", "",
     "products of float32 on tensor cores:\ntorch.set_float32_matmul_precision(\"high\")"},
    {"--depth", "N", "modules as deep as that; 4 unless given"},
    {"--format", "F", "text, or json: nodes, modules and kinds of one target"},
});

constexpr std::string_view kTimeMore = R"(
A target is a name (`faketensor fits --help` lists them) or a file: targets/README.md says what one holds.

examples:
  faketensor time model.pt2 --set batch=64 --dtype bfloat16
  faketensor time model.pt2 --target h100
  faketensor time model.pt2 --target my_gpu.yaml --format json

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kTimeCommand = {"time",     &time_command, "how long a program takes on a device",
                                 kTimeAbout, kTimeOptions,  kTimeMore};

}  // namespace faketensor
