// `faketensor info FILE`: what a file holds, before anything is changed.
#include <algorithm>
#include <map>
#include <set>

#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/graph/explain.h"
#include "core/graph/recorded_check.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

class InfoReport {
 public:
  InfoReport(const Program& program, BufferedOut& out) : program_(program), out_(out) {}

  void print() {
    line(format("{}: {}, exported by PyTorch {}, schema {}.{}", program_.name,
                program_.kind == "pt2" ? "a .pt2 archive" : "an exported program",
                program_.torch_version.empty() ? "(unknown)" : program_.torch_version,
                program_.schema_major, program_.schema_minor));
    print_changes();
    const size_t nodes = program_.plan().size();
    // The first module is the model itself.
    const size_t modules = program_.modules.empty() ? 0 : program_.modules.size() - 1;
    line(format("{} node{}, {} module{}", nodes, nodes == 1 ? "" : "s", modules,
                modules == 1 ? "" : "s"));
    print_inputs();
    print_symbols();
    print_operators();
    print_record_check();
  }

 private:
  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  // The operators of the file whose answers changed since it was exported.
  void print_changes() {
    const std::optional<TorchVersion> exported = exporting_version(program_);
    const std::optional<TorchVersion> answers = parse_torch_version(Target{}.torch);
    if (!exported || !answers) return;
    line(format("exported by {}, answered as {}", *exported, *answers));
    if (*exported == *answers) return;
    std::string title = "\nchanged in between";
    for (const VersionChange* change : changes_between(*exported, *answers)) {
      const std::string operators = change->since ? operators_of(*change) : std::string();
      if (operators.empty()) continue;
      if (!title.empty()) line(title);
      title.clear();
      line(format("  {} (as of {}): {}", operators, *change->since, change->what));
    }
  }

  // Those of the file that a change is about: "aten.nonzero, aten.argwhere".
  std::string operators_of(const VersionChange& change) const {
    std::set<std::string> names;
    for (const auto& graph : program_.graphs()) {
      const Plan& plan = *graph->plan();
      for (Row row = 0; row < plan.size(); ++row) {
        const std::string_view target = plan.target_of(row);
        if (plan.row(row).kind != RowKind::kCall || !change.is_about(target)) continue;
        names.emplace(short_target(target));
      }
    }
    std::string text;
    for (const std::string& name : names) text += format("{}{}", text.empty() ? "" : ", ", name);
    return text;
  }

  void print_inputs() {
    int64_t bytes = 0;
    size_t stored = 0;
    line("\ninputs");
    for (Row i = 0; i < program_.inputs.size(); ++i) {
      const Node& node = program_.node(i);
      const TensorMeta* meta = node.recorded;
      if (program_.inputs[i].kind == InputSpec::Kind::kUser) {
        line(format("  {}  {}", program_.text(node.name),
                    meta == nullptr ? format("{}", node.val) : tensor_text(*meta)));
      } else if (meta != nullptr) {
        ++stored;
        if (!meta->numel().is_symbolic()) bytes += meta->numel().as_int() * itemsize(meta->dtype());
      }
    }
    const std::string_view what =
        stored == 1 ? "parameter, buffer or constant" : "parameters, buffers and constants";
    line(format("  and {} {} of {}", stored, what, bytes_text(bytes)));
  }

  void print_symbols() {
    if (program_.symbols.empty()) return;
    line("\nsymbols");
    for (const SymbolSpec& symbol : program_.symbols) {
      line(format("  {} in [{}, {}]{}", symbol.name,
                  symbol.lower ? std::to_string(*symbol.lower) : "-int_oo",
                  symbol.upper ? std::to_string(*symbol.upper) : "int_oo",
                  symbol.hint ? format(", {} in the example", *symbol.hint) : ""));
    }
  }

  void print_operators() {
    std::map<std::string_view, size_t> counts;
    std::map<std::string_view, size_t> unknown;
    const Plan& plan = program_.plan();
    for (Row row = 0; row < plan.size(); ++row) {
      if (plan.row(row).kind != RowKind::kCall) continue;
      const std::string_view target = plan.target_of(row);
      ++counts[short_target(target)];
      if (plan.row(row).op == kNoOp && !target.starts_with(kHigherOrderOps))
        ++unknown[short_target(target)];
    }
    print_counts(format("\noperators ({} different)", counts.size()), counts);
    if (!unknown.empty()) print_counts("\noperators without a rule", unknown);
  }

  void print_counts(std::string_view title, const std::map<std::string_view, size_t>& counts) {
    std::vector<std::pair<std::string_view, size_t>> sorted(counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    line(title);
    for (const auto& [op, count] : sorted) line(format("  {}  {}", count, op));
  }

  void print_record_check() {
    const Run run = propagate(program_);
    const RecordedCheck check = check_recorded(run);
    const size_t differences = check.differences.size();
    const size_t known = check.explained.size();
    line(format("\npropagated: {} values, {} problems; {} differ from what the file records{}{}",
                run.count(NodeStatus::kOk), run.problems().size(), differences,
                known > 0 ? format(", and {} for known reasons", known) : "",
                differences + known > 0 ? " (propagate --check lists them)" : ""));
  }

  const Program& program_;
  BufferedOut& out_;
};

int info_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "info takes one file");
  const Program program = open_model(options.positional()[0], options, io);
  BufferedOut out(io);
  InfoReport(program, out).print();
  return kExitFine;
}

constexpr std::string_view kInfoAbout = R"(usage: faketensor info FILE [--memory-limit N]

Prints what a file holds: version, inputs, symbols, operators, and whether propagation agrees with what it records.

)";

constexpr OptionRow kInfoOptions[] = {
    {"--memory-limit", "N", "as for propagate"},
};

constexpr std::string_view kInfoMore = R"(
example:
  faketensor info model.pt2
)";

}  // namespace

const Subcommand kInfoCommand = {"info",     &info_command, "what a file holds",
                                 kInfoAbout, kInfoOptions,  kInfoMore};

}  // namespace faketensor
