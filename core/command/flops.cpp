// `faketensor flops FILE`: the floating-point operations of a program, by node and module.
#include "core/analysis/program_costs.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/formats/json_writer.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// "12.3 GFLOP"
std::string shown(SymInt flops) {
  if (flops.is_symbolic()) return to_string(flops) + " FLOP";
  return flops_text(flops.as_int());
}

void print_lines(const ProgramCosts& costs, BufferedOut& out) {
  for (const RowFlops& row : costs.flops()) {
    JsonWriter json(out.text());
    {
      const auto object = json.object();
      json.field("name", costs.run().plan().name_of(row.row));
      write_json(json.key("flops"), row.flops);
    }
    out.line_done();
  }
  JsonWriter json(out.text());
  {
    const auto object = json.object();
    write_json(json.key("total"), costs.module_flops()[0]);
  }
  out.line_done();
}

// Modules with what is below them, as deep as `depth`.
void print_modules(const ProgramCosts& costs, size_t depth, BufferedOut& out) {
  const Program& program = costs.run().program();
  const std::vector<SymInt> flops = costs.module_flops();
  out.text() += format("{} in all", shown(flops[0]));
  out.line_done();
  for (ModuleId module = 1; module < program.modules.size(); ++module) {
    const Module& at = program.modules[module];
    if (same_expr(flops[module], 0) || at.depth >= depth) continue;
    out.text() += format("{}{}  {}", std::string(2 * at.depth, ' '), program.text(at.path),
                         shown(flops[module]));
    out.line_done();
  }
}

int flops_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "flops takes one file");
  const std::string form = options.choice("--format", {"text", "jsonl"});
  const RetargetOptions given = propagate_options(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  const ProgramCosts costs(program, given);
  const BranchScope env = costs.run().shape_env();
  BufferedOut out(io);
  constexpr size_t kDepth = 4;
  if (form == "jsonl") {
    print_lines(costs, out);
  } else {
    print_modules(costs, kDepth, out);
  }
  return costs.run().problems().empty() ? kExitFine : kExitErrors;
}

constexpr std::string_view kAbout = R"(usage: faketensor flops FILE [OPTION]...

Prints the floating-point operations of a program's products, convolutions and attention, as torch.utils.flop_counter
counts them: a multiplication and an addition are two.

)";

constexpr OptionRow kOptions[] = {
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
    {"--format", "F",
     "text: modules with what is below them, or jsonl: a line per node that has any, then the "
     "total"},
};

constexpr std::string_view kMore = R"(
examples:
  faketensor flops model.pt2 --set batch=64
  faketensor flops model.pt2 --dynamic batch     # as an expression of the batch

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kFlopsCommand = {"flops", &flops_command, "floating-point operations",
                                  kAbout,  kOptions,       kMore};

}  // namespace faketensor
