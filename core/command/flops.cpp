// `faketensor flops FILE`: the floating-point operations of a program, by node and module.
#include "core/analysis/program_costs.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/command/work_text.h"
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

// `--all`: what the rest computes, and what all read and write.
void print_all(const ProgramCosts& costs, const ProgramWork& work, const std::string& form,
               size_t depth, BufferedOut& out) {
  const std::vector<SymInt> counted = costs.module_flops();
  if (form == "jsonl") {
    print_work_lines(work, counted[0], out);
  } else {
    print_work(work, counted, depth, out);
  }
}

int flops_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "flops takes one file");
  const std::string form = options.choice("--format", {"text", "jsonl"});
  const size_t depth = module_depth(options);
  const RetargetOptions given = propagate_options(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  const ProgramCosts costs(program, given);
  BufferedOut out(io);
  if (options.has("--all")) {
    print_all(costs, ProgramWork(program, given), form, depth, out);
    return costs.run().problems().empty() ? kExitFine : kExitErrors;
  }
  const BranchScope env = costs.run().shape_env();
  if (form == "jsonl") {
    print_lines(costs, out);
  } else {
    print_modules(costs, depth, out);
  }
  return costs.run().problems().empty() ? kExitFine : kExitErrors;
}

constexpr std::string_view kFlopsAbout = R"(usage: faketensor flops FILE [OPTION]...

Prints the floating-point operations of a program's products, convolutions and attention, as torch.utils.flop_counter
counts them: a multiplication and an addition are two.

)";

constexpr auto kFlopsOptions = what_if_options_and({
    {"--format", "F",
     "text: modules with what is below them, or jsonl: a line per node that has any, then the "
     "total"},
    {"--all", "",
     "counts elementwise operators, reductions, normalisations, ... too,\n"
     "and the bytes read and written: docs/device-model.md says how"},
    {"--depth", "N", "modules as deep as that; 4 unless given"},
});

constexpr std::string_view kFlopsMore = R"(
examples:
  faketensor flops model.pt2 --set batch=64
  faketensor flops model.pt2 --dynamic batch     # as an expression of the batch
  faketensor flops model.pt2 --all --depth 2     # all operators, bytes, FLOP per byte

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kFlopsCommand = {"flops",     &flops_command, "floating-point operations",
                                  kFlopsAbout, kFlopsOptions,  kFlopsMore};

}  // namespace faketensor
