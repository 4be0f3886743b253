// `faketensor memory FILE`: the bytes alive while a program runs, and who holds them at the peak.
#include "core/analysis/program_costs.h"
#include "core/command/memory_allocator.h"
#include "core/command/memory_html.h"
#include "core/command/memory_training.h"
#include "core/command/peak_text.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/io/cost_json.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

class MemoryPrinter {
 public:
  MemoryPrinter(const Run& run, const MemoryTimeline& memory, BufferedOut& out)
      : run_(run), memory_(memory), out_(out) {}

  // A line per node, then one about all of it.
  void print_lines() {
    for (Row row = 0; row < run_.plan().size(); ++row) {
      JsonWriter json(out_.text());
      {
        const auto object = json.object();
        json.field("name", run_.plan().name_of(row));
        write_json(json.key("live"), memory_.rows()[row].live);
        write_json(json.key("peak"), memory_.rows()[row].peak);
      }
      out_.line_done();
    }
    JsonWriter json(out_.text());
    {
      const auto object = json.object();
      write_held(json.key("held"), memory_);
      const auto peak = json.object("peak");
      write_json(json.key("bytes"), memory_.peak());
      if (memory_.peak_row() != kNoRow) json.field("node", run_.plan().name_of(memory_.peak_row()));
    }
    out_.line_done();
  }

  void print_report() {
    line(format("held all the time: {}", size_text(memory_.held())));
    for (size_t kind = 0; kind < kMemoryKinds; ++kind) {
      const SymInt bytes = memory_.held(static_cast<MemoryKind>(kind));
      if (!same_expr(bytes, 0))
        line(format("  {} {}", size_text(bytes), name(static_cast<MemoryKind>(kind))));
    }
    const Row peak = memory_.peak_row();
    if (peak == kNoRow) return;
    line(format("peak: {} at {}{}", size_text(memory_.peak()), run_.plan().name_of(peak),
                module_text(peak)));
    if (memory_.peak().is_symbolic()) line(range_text(memory_.peak_range()));
    const PeakReport report(run_, memory_);
    print_alive(run_, report, out_);
    print_shares(run_, report, out_);
    line("");
    line("Bytes of storages, on all devices; no allocator's rounding, no workspaces of libraries.");
  }

 private:
  // "over batch in [2, 64]: 418.5 MiB to 444.7 MiB, the most at gelu"
  std::string range_text(const PeakRange& range) const {
    const BranchScope env = run_.shape_env();
    std::string text = "over ";
    for (const ExprNode* symbol : free_symbols(memory_.peak().node()))
      text += format("{}{} in {}", text == "over " ? "" : ", ", to_string(symbol),
                     to_string(env->bound(symbol)));
    if (!range.most) return text + format(": {} and more", bytes_text(range.least));
    return text + format(": {} to {}, the most at {}", bytes_text(range.least),
                         bytes_text(*range.most), run_.plan().name_of(range.most_row));
  }
  std::string module_text(Row row) const {
    const std::string_view module = run_.program().module_path(run_.node(row));
    return module.empty() ? std::string() : format(" in {}", module);
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  const Run& run_;
  const MemoryTimeline& memory_;
  BufferedOut& out_;
};

int memory_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "memory takes one file");
  const std::string form = options.choice("--format", {"text", "jsonl", "json"});
  check_allocator_options(options);
  const RetargetOptions given = propagate_options(options, io);
  const std::optional<TrainingOptions> training = training_options(options);
  const Program program = open_model(options.positional()[0], options, io);
  if (training) {
    const TrainingStep step(program, given, *training);
    if (!writes_file_out(options)) print_training(step, form != "text", io);
    write_memory_html(options, step, io);
    return step.run().problems().empty() ? kExitFine : kExitErrors;
  }
  const ProgramCosts costs(program, given);
  const BranchScope env = costs.run().shape_env();
  if (form == "json") {
    BufferedOut out(io);
    JsonWriter json(out.text());
    write_memory(json, costs, {.range = true});
    out.line_done();
  } else if (!writes_file_out(options)) {
    BufferedOut out(io);
    MemoryPrinter printer(costs.run(), costs.memory(), out);
    if (form == "jsonl") {
      printer.print_lines();
    } else {
      printer.print_report();
    }
    print_allocator(options, costs, form == "jsonl", out);
  }
  write_memory_files(options, costs, io);
  write_memory_html(options, costs, io);
  return costs.run().problems().empty() ? kExitFine : kExitErrors;
}

constexpr std::string_view kMemoryAbout = R"(usage: faketensor memory FILE [OPTION]...

Prints the bytes that a program holds while it runs node by node: what its parameters and inputs hold all the time, and
at the peak who holds the rest and until when, by kind, module, dtype and line of code, and what would lower it. With
--train, what a step of training holds: the floating-point parameters are trained, the loss is the program's own or the
mean of the squares of its first floating-point output.

)";

constexpr auto kMemoryOptions = what_if_options_and({
    {"--train", "OPTIMIZER",
     "a training step instead, with sgd, momentum, adam or adamw: forward, loss, backward and\n"
     "the optimizer"},
    {"--grad-accumulation", "N", "with --train: backward runs N times for one step"},
    {"--master-weights", "", "with --train: float32 copies of parameters of lower precision"},
    {"--checkpoint", "MODULE", "with --train: the module's forward is computed again in backward"},
    {"--format", "F",
     "text, or jsonl: a line per node with the bytes alive after it and the most inside of it, "
     "then\none of what is held and of the peak; or json: one object, as run.memory() of "
     "JavaScript"},
    {"--allocator", "SETTINGS",
     "what PyTorch's caching allocator makes of it, under these PYTORCH_ALLOC_CONF and its own;\n"
     "default, or all: several are compared. May be given more than once"},
    {"--device-memory", "N", "bytes of the GPU, or as many K, M or G: where it is out of memory"},
    {"--snapshot", "FILE",
     "the allocator's snapshot and history, for torch.cuda._memory_viz and\n"
     "pytorch.org/memory_viz"},
    {"--csv", "FILE", "a line per node: storages, allocated, reserved"},
    {"--chrome-trace", "FILE", "the same as counters, for chrome://tracing and Perfetto"},
    {"--html", "FILE",
     "a report: a chart over time, who holds the peak and why, what would lower it"},
});

constexpr std::string_view kMemoryMore = R"(
A storage counts once, from the operator that brings it to the last use of a value on it. Inside of a node, what a
composite operator brings on its way counts until it is read last. The allocator is asked for these storages in that
order; the files are of the settings named last, and one named - is all that is printed.

examples:
  faketensor memory model.pt2 --set batch=64 --dtype bfloat16
  faketensor memory model.pt2 --dynamic batch --format jsonl
  faketensor memory model.pt2 --train adam --checkpoint model.layers.0 --checkpoint model.layers.1
  faketensor memory model.pt2 --device cuda --allocator all
  faketensor memory model.pt2 --train adam --html step.html
  faketensor memory model.pt2 --allocator expandable_segments:True --snapshot model.pickle

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kMemoryCommand = {
    "memory",     &memory_command, "bytes alive while a program runs",
    kMemoryAbout, kMemoryOptions,  kMemoryMore};

}  // namespace faketensor
