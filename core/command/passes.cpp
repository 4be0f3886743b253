// `faketensor passes`: lists the passes, or runs some on a program.
#include <algorithm>
#include <unordered_map>

#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/graph_json.h"
#include "core/passes/pass.h"
#include "core/passes/program_values.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

int list_passes(CommandIo& io) {
  BufferedOut out(io);
  size_t width = 0;
  for (const PassRow& row : passes())
    width = std::max(width, row.name.size() + row.argument.size());
  for (const PassRow& row : passes()) {
    const std::string name = format("{}{}", row.name, row.argument);
    out.text() += format("{}{}{}", name, std::string(width + 2 - name.size(), ' '), row.about);
    out.line_done();
  }
  return kExitFine;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

// What one text has and the other has not, in order; lines that both have stand where they are the
// same.
void print_diff(std::string_view before, std::string_view after, BufferedOut& out) {
  const std::vector<std::string_view> old_lines = lines_of(before);
  const std::vector<std::string_view> new_lines = lines_of(after);
  std::unordered_map<std::string_view, size_t>
      waiting;  // of the new lines that are not printed yet
  for (const std::string_view line : new_lines) ++waiting[line];
  size_t at = 0;
  const auto print = [&](char sign, std::string_view line) {
    out.text() += sign;
    out.text() += line;
    out.line_done();
  };
  const auto print_new = [&] {
    --waiting[new_lines[at]];
    print('+', new_lines[at++]);
  };
  for (const std::string_view line : old_lines) {
    if (waiting[line] == 0) {
      print('-', line);
      continue;
    }
    while (new_lines[at] != line) print_new();
    --waiting[line];
    print(' ', new_lines[at++]);
  }
  while (at < new_lines.size()) print_new();
}

std::vector<std::string> wanted_passes(const Options& options) {
  std::vector<std::string> wanted(options.positional().begin() + 1, options.positional().end());
  for (const std::string& list : options.all("--run")) {
    for (size_t at = 0; at <= list.size();) {
      const size_t end = std::min(list.find(',', at), list.size());
      if (end > at) wanted.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  }
  return wanted;
}

void run_passes(PassSubject& subject, const std::vector<std::string>& wanted, CommandIo& io) {
  for (const std::string& name : wanted) {
    const PassRow* row = find_pass(name);
    if (row == nullptr)
      throw_error(ErrorKind::kUsage, format("no pass is called '{}' (faketensor passes)", name));
    const PassResult result = row->run(subject, read_pass_argument(name));
    const bool says_more = !result.info.empty() && !result.info.starts_with("{\"modified\"");
    if (says_more) io.write_error(format("{}: {}\n", name, result.info));
  }
}

int passes_command(const Options& options, CommandIo& io) {
  if (options.positional().empty()) return list_passes(io);
  const std::string form = options.choice("--to", {"diff", "text", "readable", "json"});
  Program program = open_model(options.positional()[0], options, io);
  FakeTensorMode mode;
  mode.attach_shape_env(program.shape_env);
  make_values(program, mode);
  PassSubject subject{program, mode, &program.graph()};
  const std::string before = graph_text(*subject.graph);
  try {
    run_passes(subject, wanted_passes(options), io);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kUsage) throw;
    io.write_error(format("{}: {}\n", error.class_name(), error.message()));
    return kExitErrors;
  }
  BufferedOut out(io);
  if (form == "json") {
    JsonWriter json(out.text());
    ValueWriter writer;
    write_graph(json, *subject.graph, writer);
    out.line_done();
  } else if (form == "readable") {
    out.text() += readable_text(*subject.graph);
  } else if (form == "text") {
    out.text() += graph_text(*subject.graph);
    out.line_done();
  } else {
    print_diff(before, graph_text(*subject.graph), out);
  }
  return kExitFine;
}

constexpr std::string_view kAbout = R"(usage: faketensor passes [FILE PASS... [OPTION]...]

Without a file, lists the passes. With one, runs passes on its graph, one after the other, and prints what changed.

)";

constexpr OptionRow kOptions[] = {
    {"--run", "PASS[,PASS...]", "the same as the passes behind the file"},
    {"--to", "FORM",
     "what is printed: diff (the default), text (str(graph)), readable\n"
     "(print_readable()) or json (nodes with their values)"},
    {"--memory-limit", "N", "as for propagate"},
};

constexpr std::string_view kMore = R"(
examples:
  faketensor passes
  faketensor passes model.pt2 dce cse
  faketensor passes model.pt2 export_pass/aten.relu.default=aten.gelu.default --to readable
  faketensor passes model.pt2 partitioner/aten.add.Tensor+aten.mul.Tensor
  faketensor passes model.pt2 run_decompositions/-aten.linear.default
)";

}  // namespace

const Subcommand kPassesCommand = {"passes", &passes_command, "run passes on a program's graph",
                                   kAbout,   kOptions,        kMore};

}  // namespace faketensor
