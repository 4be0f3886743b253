// `faketensor trace FILE`: a propagation as a Chrome trace.
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/profiler/run_profile.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

int trace_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "trace takes one file");
  const RetargetOptions given = propagate_options(options, io);
  std::optional<DeviceModel> device;
  if (const auto target = options.get("--target")) device = open_target(*target, io);
  const std::string& path = options.positional()[0];
  const Program program = open_model(path, options, io);
  const RunProfile profile(program, given, std::move(device));
  if (const auto timeline = options.get("--memory-timeline")) {
    const std::vector<TimelineEvent> memory = profile.memory();
    io.write_file(*timeline, memory_timeline_file(memory, main_device(memory), *timeline));
    if (!options.has("--table") && !options.has("--out")) return report_problems(profile.run(), io);
  }
  if (options.has("--table")) {
    const char* const by = profile.is_simulated() ? "self_cuda_time_total" : "self_cpu_time_total";
    io.write_out(table(profile.averages({.input_shape = true}), {.sort_by = by}));
  } else {
    io.write_file(options.get("--out").value_or(std::string(kStandardInput)),
                  profile.chrome_trace(format("faketensor trace {}", path)));
  }
  return report_problems(profile.run(), io);
}

constexpr std::string_view kTraceAbout = R"(usage: faketensor trace FILE [OPTION]...

Writes a Chrome trace of a propagation, for Perfetto (ui.perfetto.dev) and chrome://tracing: each node with the engine's
measured time, the operators that it calls with their sizes, modules as spans around their nodes, and the bytes alive.
With --target, of a device, also the kernels that it would run, as long as its roofline says: a trace of a model that
never ran. Their sum is the member simulatedDeviceNanoseconds.

)";

constexpr auto kTraceOptions = what_if_options_and(
    {{"--out", "FILE", "the trace's file; without it, or for -, standard output"},
     {"--table", "",
      "print the operators by their time instead, as key_averages().table() of PyTorch's "
      "profiler"},
     {"--memory-timeline", "FILE",
      "the bytes alive by category, as export_memory_timeline() of PyTorch's profiler: .json,\n"
      ".json.gz, and each event in .raw.json.gz. Without --out or --table nothing else is "
      "written"}});

constexpr std::string_view kTraceMore = R"(
Times of nodes are those of this engine, which computes shapes and no data: what takes long here need not take long in
PyTorch. Those of kernels are a model's (docs/device-model.md).

examples:
  faketensor trace model.pt2 --out trace.json
  faketensor trace model.pt2 --target h100 --out trace.json
  faketensor trace model.pt2 --set batch=64 --table
  faketensor trace model.pt2 --target h100 --memory-timeline memory.json

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kTraceCommand = {"trace",     &trace_command, "a Chrome trace of a propagation",
                                  kTraceAbout, kTraceOptions,  kTraceMore};

}  // namespace faketensor
