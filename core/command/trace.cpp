// `faketensor trace FILE`: a propagation as a Chrome trace.
#include "core/analysis/fit_devices.h"
#include "core/analysis/program_costs.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/profiler/run_trace.h"
#include "core/profiler/table.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

int trace_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "trace takes one file");
  RetargetOptions given = propagate_options(options, io);
  std::optional<DeviceModel> device;
  if (const auto target = options.get("--target")) device = open_target(*target, io);
  const bool is_simulated = device && device->hardware;
  if (is_simulated) given = options_on(given, *device);
  const std::string& path = options.positional()[0];
  const Program program = open_model(path, options, io);
  const ProgramCosts costs(program, given);

  RunTracer tracer(nullptr, is_simulated ? roofline_time(*device->hardware) : DeviceTime());
  given.watcher = &tracer;
  const RetargetedRun answer = propagate_retargeted(program, given);
  const BranchScope env = answer.run.shape_env();
  std::vector<FunctionEvent> events = tracer.finish(answer.run);
  const std::string device_name = is_simulated ? device->title : std::string();
  if (options.has("--table")) {
    const TableColumns columns{.device_name = is_simulated ? "CUDA" : ""};
    const AverageList averages =
        EventList(std::move(events), columns).key_averages({.input_shape = true});
    const char* const by = is_simulated ? "self_cuda_time_total" : "self_cpu_time_total";
    io.write_out(table(averages, {.sort_by = by}));
  } else {
    const std::string text = run_chrome_trace(answer.run, std::move(events), costs.memory(),
                                              device_name, format("faketensor trace {}", path));
    io.write_file(options.get("--out").value_or(std::string(kStandardInput)), text);
  }
  return report_problems(answer.run, io);
}

constexpr std::string_view kAbout = R"(usage: faketensor trace FILE [OPTION]...

Writes a Chrome trace of a propagation, for Perfetto (ui.perfetto.dev) and chrome://tracing: each node with the engine's
measured time, the operators that it calls with their sizes, modules as spans around their nodes, and the bytes alive.
With --target, of a device, also the kernels that it would run, as long as its roofline says: a trace of a model that
never ran. Their sum is the member simulatedDeviceNanoseconds.

)";

constexpr auto kOptions = what_if_options_and(
    {{"--out", "FILE", "the trace's file; without it, or for -, standard output"},
     {"--table", "",
      "print the operators by their time instead, as key_averages().table() of PyTorch's "
      "profiler"}});

constexpr std::string_view kMore = R"(
Times of nodes are those of this engine, which computes shapes and no data: what takes long here need not take long in
PyTorch. Those of kernels are a model's (docs/device-model.md).

examples:
  faketensor trace model.pt2 --out trace.json
  faketensor trace model.pt2 --target h100 --out trace.json
  faketensor trace model.pt2 --set batch=64 --table

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kTraceCommand = {"trace", &trace_command, "a Chrome trace of a propagation",
                                  kAbout,  kOptions,       kMore};

}  // namespace faketensor
