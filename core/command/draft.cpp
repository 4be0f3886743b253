// `faketensor draft FILE`: what torch.export.draft_export would report of the program.
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/graph/explain.h"
#include "core/io/draft_json.h"
#include "core/profiles/extended.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

class DraftPrinter {
 public:
  DraftPrinter(const DraftReport& report, BufferedOut& out) : report_(report), out_(out) {}

  void print() {
    const size_t issues = report_.failures().size();
    if (report_.is_successful()) line("no issues: nothing of the program is assumed");
    if (issues > 0) line(format("{} {} found", issues, issues == 1 ? "issue" : "issues"));
    size_t number = 0;
    for (const DraftFailure& failure : report_.failures()) {
      line(format("{}. {}", ++number, title(failure)));
      for (const std::string& symbol : failure.symbols) line("   " + symbol);
      print_place(failure);
      if (failure.kind == DraftFailure::Kind::kMissingFakeKernel) print_profiles(failure.text);
    }
    if (!report_.problems().empty()) line("not propagated");
    for (const Problem& problem : report_.problems()) {
      line(format("   {}: {}: {}", node_name(problem.node), problem.error_class, problem.message));
      if (!problem.source.empty()) line(format("       at {}", problem.source));
    }
  }

 private:
  static std::string title(const DraftFailure& failure) {
    switch (failure.kind) {
      case DraftFailure::Kind::kMissingFakeKernel:
        return format("Missing fake kernel: torch.ops.{} is missing a fake kernel implementation",
                      failure.text);
      case DraftFailure::Kind::kDataDependentError:
        if (!failure.message.empty()) return format("Data dependent error: {}", failure.message);
        return format("Data dependent: {} is taken for true", failure.text);
      case DraftFailure::Kind::kGuardAdded:
        break;
    }
    return format("Guard added: {}", failure.text);
  }

  void print_place(const DraftFailure& failure) {
    if (failure.row == kNoRow) return line("   as the file says");
    const std::string more =
        failure.occurrences > 1 ? format(", and {} more", failure.occurrences - 1) : "";
    line(
        format("   {}: {}{}", node_name(failure.row), call_text(report_.run(), failure.row), more));
    const Program& program = report_.run().program();
    const std::string source = program.source_line(program.node(failure.row));
    if (!source.empty()) line(format("       at {}", source));
  }

  void print_profiles(const std::string& op) {
    for (const OperatorProfiles& each : report_.profiles()) {
      if (each.op.text != op) continue;
      for (const OpProfile& profile : each.profiles)
        line("   answered by its profile: " + describe(profile));
    }
  }

  std::string_view node_name(Row row) const {
    const Program& program = report_.run().program();
    return program.text(program.node(row).name);
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  const DraftReport& report_;
  BufferedOut& out_;
};

int draft_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "draft takes one file");
  const std::string form = options.choice("--format", {"text", "json"});
  const Program program = open_model(options.positional()[0], options, io);
  const DraftReport report(program);
  if (const auto path = options.get("--profiles"))
    io.write_file(*path, generate_yaml_from_profiles(report.profiles()));
  BufferedOut out(io);
  if (form == "json") {
    JsonWriter json(out.text());
    write_draft_report(json, report);
    out.line_done();
  } else {
    DraftPrinter(report, out).print();
  }
  return report.is_successful() ? kExitFine : kExitErrors;
}

constexpr std::string_view kDraftAbout = R"(usage: faketensor draft FILE [OPTION]...

Prints what torch.export.draft_export would report of the program, as far as its file tells: operators without a
fake kernel and the profiles that answer for them, conditions on data that are taken for true (asserts of the graph,
by draft_export or by the code's own torch._check, and what could not be decided), and sizes of inputs that turn
out to be one number.

)";

constexpr OptionRow kDraftOptions[] = {
    {"--profiles", "OUT", "writes the profiles, for propagate --profiles and PyTorch"},
    {"--format", "F", "text, or json: the whole report"},
    {"--memory-limit", "N", "as for propagate"},
};

constexpr std::string_view kDraftMore = R"(
examples:
  faketensor draft model.pt2 --profiles model.yaml
  faketensor propagate model.pt2 --profiles model.yaml

exit code: 0 no issues, 1 issues, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kDraftCommand = {
    "draft",
    &draft_command,
    "what draft_export would report: missing fakes, assumptions on data",
    kDraftAbout,
    kDraftOptions,
    kDraftMore};

}  // namespace faketensor
