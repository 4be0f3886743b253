// `faketensor guards FILE`: what the propagation of a dynamic program decided about its symbols,
// why, and what other sizes would break.
#include <algorithm>
#include <charconv>

#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/graph/explain.h"
#include "core/io/explain_json.h"
#include "core/io/options_json.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

std::string_view title(GuardEntry::Kind kind) {
  switch (kind) {
    case GuardEntry::Kind::kGuard:
      return "guards";
    case GuardEntry::Kind::kSpecialisation:
      return "specialised";
    case GuardEntry::Kind::kReplacement:
      return "replaced";
    case GuardEntry::Kind::kRuntimeAssert:
      return "deferred runtime asserts";
  }
  return {};
}

class GuardsPrinter {
 public:
  GuardsPrinter(const Run& run, BufferedOut& out) : run_(run), program_(run.program()), out_(out) {}

  // Each symbol with where it comes from; false if there is none.
  bool print_symbols() {
    const std::vector<SymbolEntry> symbols = symbol_report(run_);
    if (symbols.empty()) line("the program has no symbols: all its sizes are numbers");
    if (!symbols.empty()) line("symbols");
    for (const SymbolEntry& entry : symbols) {
      const std::string known =
          entry.became.empty() ? "in " + to_string(entry.range) : format("= {}", entry.became);
      const std::string hint = entry.hint ? format("{} in the example", *entry.hint)
                                          : "known only when the program runs";
      line(format("  {} {}, {}, {}", entry.name, known, hint, place_of(entry)));
    }
    return !symbols.empty();
  }

  // Entries that follow from others are counted only, unless `all`.
  void print_report(bool all) {
    if (!print_symbols()) return;
    const std::vector<GuardEntry> report = guard_report(run_);
    if (report.empty())
      line(
          "nothing was decided about them: what is propagated holds for all sizes in these ranges");
    std::optional<GuardEntry::Kind> last;
    size_t hidden = 0;
    for (const GuardEntry& entry : report) {
      if (entry.follows && !all) {
        ++hidden;
        continue;
      }
      if (entry.kind != last) line(std::string(title(entry.kind)));
      last = entry.kind;
      line("  " + entry.text);
      print_origin(entry.node);
    }
    if (hidden > 0) line(format("{} more hold whatever the inputs (--all)", hidden));
    print_problems();
  }

  void print_json(std::span<const GuardEntry> report) {
    for (const GuardEntry& entry : report) {
      JsonWriter json(out_.text());
      write_guard(json, run_, entry);
      out_.line_done();
    }
  }

  void print_json(const WhatIf& what_if) {
    JsonWriter json(out_.text());
    write_what_if(json, run_, what_if, {});
    out_.line_done();
  }

  void print_json(std::span<const WhyStep> steps) {
    JsonWriter json(out_.text());
    write_why(json, run_, steps);
    out_.line_done();
  }

  void print_why(Row node, int64_t dim) {
    for (const WhyStep& step : why_dimension(run_, node, dim)) {
      const Node& at = program_.node(step.node);
      line(format("{}:{} is {}, {}", program_.text(at.name), step.dim, step.size, step.reason));
      const std::string source = program_.source_line(at);
      if (!source.empty()) line(format("    at {}", source));
    }
  }

  // What raised, without which more might have been decided.
  void print_problems() {
    if (run_.problems().empty()) return;
    line("not propagated");
    for (const Problem& problem : run_.problems()) {
      line(format("  {}: {}: {}", program_.text(program_.node(problem.node).name),
                  problem.error_class, problem.message));
      if (!problem.source.empty()) line(format("      at {}", problem.source));
    }
  }

  // True if every guard holds.
  bool print_what_if(const WhatIf& what_if) {
    const auto broken = what_if.broken();
    for (const auto& [entry, verdict] : broken) {
      line(format("{} {}", entry.text,
                  verdict == WhatIf::Verdict::kViolated ? "is violated"
                                                        : "does not hold for all of these sizes"));
      print_origin(entry.node);
    }
    if (broken.empty()) print_outputs(what_if);
    return broken.empty();
  }

 private:
  // "dimension 0 of mask"
  std::string place_of(const SymbolEntry& entry) const {
    const std::string_view node = program_.text(program_.node(entry.node).name);
    if (!entry.dim) return format("the value of {}", node);
    return format("{}dimension {} of {}", entry.is_whole ? "" : "in ", *entry.dim, node);
  }

  void line(std::string_view text) {
    out_.text() += text;
    out_.line_done();
  }

  void print_origin(Row id) {
    if (id == kNoRow) return;
    const Node& node = program_.node(id);
    line(format("      {}: {}", program_.text(node.name), call_text(run_, id)));
    const std::string source = program_.source_line(node);
    if (!source.empty()) line(format("      at {}", source));
  }

  // What the program returns under the settings, from the run that is there.
  void print_outputs(const WhatIf& what_if) {
    line("every guard holds; the outputs are then");
    const Row output = static_cast<Row>(program_.plan().size() - 1);
    const BranchScope env = run_.shape_env();
    for (const TensorRecord& tensor : run_.record(output).tensors) {
      std::vector<SymInt> sizes;
      for (const SymInt size : tensor.meta->sizes()) sizes.push_back(what_if.value(size));
      line(format("  {}{}", info(tensor.meta->dtype()).short_name, Dims(sizes)));
    }
  }

  const Run& run_;
  const Program& program_;
  BufferedOut& out_;
};

int64_t parse_number(std::string_view text, std::string_view option) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error(ErrorKind::kUsage, format("'{}' is no number in '{}'", text, option));
  return value;
}

// "s77=4" or "s77=2..64".
SymbolSetting parse_setting(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw_error(ErrorKind::kUsage, format("--set takes SYMBOL=N or SYMBOL=N..M, not '{}'", text));
  const std::string_view value = std::string_view(text).substr(equals + 1);
  const size_t dots = value.find("..");
  SymbolSetting setting{text.substr(0, equals), 0, 0};
  setting.lower = parse_number(value.substr(0, dots), text);
  setting.upper =
      dots == std::string_view::npos ? setting.lower : parse_number(value.substr(dots + 2), text);
  return setting;
}

// "linear_1:2".
std::pair<Row, int64_t> parse_dimension(const Program& program, const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    throw_error(ErrorKind::kUsage, format("--why takes NODE:DIM, not '{}'", text));
  const Row node = program.find(text.substr(0, colon));
  if (node == kNoRow)
    throw_error(ErrorKind::kUsage, format("the program has no node '{}'", text.substr(0, colon)));
  return {node, parse_number(std::string_view(text).substr(colon + 1), text)};
}

int guards_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "guards takes one file");
  const std::string form = options.choice("--format", {"text", "jsonl"});
  std::vector<SymbolSetting> settings;
  for (const std::string& text : options.all("--set")) settings.push_back(parse_setting(text));
  RetargetOptions propagation;
  propagation.dynamic = dynamic_dims(options);
  propagation.python_dispatcher = true;
  if (const auto name = options.get("--target")) propagation.target = open_target(*name, io).target;
  const Program program = open_model(options.positional()[0], options, io);
  const RetargetedRun answer = propagate_retargeted(program, propagation);
  const Run& run = answer.run;
  BufferedOut out(io);
  GuardsPrinter printer(run, out);
  if (const std::optional<std::string> why = options.get("--why")) {
    const auto [node, dim] = parse_dimension(program, *why);
    if (form == "jsonl") {
      printer.print_json(why_dimension(run, node, dim));
    } else {
      printer.print_why(node, dim);
    }
    return kExitFine;
  }
  if (!settings.empty()) {
    const WhatIf what_if(run, settings);
    if (form == "text") return printer.print_what_if(what_if) ? kExitFine : kExitErrors;
    printer.print_json(what_if);
    return what_if.broken().empty() ? kExitFine : kExitErrors;
  }
  if (form == "jsonl") {
    printer.print_json(guard_report(run));
  } else {
    printer.print_report(options.has("--all"));
  }
  if (symbol_report(run).empty()) return kExitFine;  // nothing was to be decided
  return run.problems().empty() ? kExitFine : kExitErrors;
}

constexpr std::string_view kGuardsAbout = R"(usage: faketensor guards FILE [OPTION]...

Prints the symbols in the sizes of a program, each with its range, its hint and the dimension it stands for, and what the
propagation decided about them: guards, symbols that became numbers or expressions, and asserts left to run time, each
with the node, call and source line that caused it.

)";

constexpr OptionRow kGuardsOptions[] = {
    {"--dynamic", "DIM[=N..M]",
     "a dimension that is a number in the file as a symbol, of at least 2 (of N to M): batch, x.1"},
    {"--why", "NODE:DIM",
     "where the size of that dimension came from, node by node, back to an input; -1 is the last "
     "dimension"},
    {"--set", "SYMBOL=N",
     "whether the guards still hold if a symbol is N, or any of N..M: those that do not, else the "
     "sizes of\n"
     "the outputs. Nothing is run again; may be given for several symbols, the others stay "
     "symbolic"},
    {"--all", "",
     "also the guards that hold whatever the inputs, once symbols are the numbers they became"},
    {"--target", "T", "as for propagate"},
    {"--format", "F",
     "text, or jsonl: a line per guard, one line of steps for --why, one line of results for "
     "--set"},
    {"--memory-limit", "N", "as for propagate"},
};

constexpr std::string_view kGuardsMore = R"(
examples:
  faketensor guards model.pt2
  faketensor guards model.pt2 --why linear_1:2
  faketensor guards model.pt2 --set s77=2..64 --set s53=16
  faketensor guards model.pt2 --dynamic batch --set batch=1..64    # of a program without symbols
  faketensor propagate model.pt2 --set s77=64        # runs it again for that size, as PyTorch would

exit code: 0 fine, 1 the program has errors or a guard does not hold for all sizes, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kGuardsCommand = {
    "guards",     &guards_command, "what was decided about symbolic sizes, and why",
    kGuardsAbout, kGuardsOptions,  kGuardsMore};

}  // namespace faketensor
