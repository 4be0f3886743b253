// `faketensor trace FILE`: a propagation as a Chrome trace.
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
  const std::string& path = options.positional()[0];
  const Program program = open_model(path, options, io);
  const ProgramCosts costs(program, given);

  RunTracer tracer;
  given.watcher = &tracer;
  const RetargetedRun answer = propagate_retargeted(program, given);
  const BranchScope env = answer.run.shape_env();
  std::vector<FunctionEvent> events = tracer.finish(answer.run);
  if (options.has("--table")) {
    TableOptions shown{.sort_by = "self_cpu_time_total"};
    io.write_out(table(EventList(events).key_averages({.input_shape = true}), shown));
  } else {
    const std::string text = run_chrome_trace(answer.run, std::move(events), costs.memory(), "",
                                              format("faketensor trace {}", path));
    io.write_file(options.get("--out").value_or(std::string(kStandardInput)), text);
  }
  return answer.run.problems().empty() ? kExitFine : kExitErrors;
}

constexpr std::string_view kAbout = R"(usage: faketensor trace FILE [OPTION]...

Writes a Chrome trace of a propagation, for Perfetto (ui.perfetto.dev) and chrome://tracing: each node with the engine's
measured time, the operators that it calls with their sizes, modules as spans around their nodes, and the bytes alive.

)";

constexpr OptionRow kOptions[] = {
    {"--out", "FILE", "the trace's file; without it, or for -, standard output"},
    {"--table", "",
     "print the operators by their time instead, as key_averages().table() of PyTorch's profiler"},
    {"--set", "DIM=N", "as for propagate, and so are the options up to --memory-limit"},
    {"--dynamic", "DIM[=N..M]", ""},
    {"--inputs", "FILE", ""},
    {"--dtype", "T", ""},
    {"--device", "D", ""},
    {"--memory-format", "F", ""},
    {"--literal", "", ""},
    {"--assume", "SITE=CHOICE", ""},
    {"--target", "NAME", ""},
    {"--stop-at-first-error", "", ""},
    {"--python-dispatcher", "", ""},
    {"--memory-limit", "N", ""},
};

constexpr std::string_view kMore = R"(
Times are those of this engine, which computes shapes and no data: what takes long here need not take long in PyTorch.

examples:
  faketensor trace model.pt2 --out trace.json
  faketensor trace model.pt2 --set batch=64 --table

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kTraceCommand = {"trace", &trace_command, "a Chrome trace of a propagation",
                                  kAbout,  kOptions,       kMore};

}  // namespace faketensor
