// `faketensor passes`: lists the passes, or runs some on a program.
#include <algorithm>

#include "core/command/pass_options.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/formats/text.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/graph/text/read_program_text.h"
#include "core/io/edited_program.h"
#include "core/io/graph_json.h"
#include "core/support/format.h"
#include "core/support/text_diff.h"

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

// What --to says, or the name of the file that is written.
std::string wanted_form(const Options& options) {
  if (options.has("--to"))
    return options.choice("--to",
                          {"diff", "text", "fx", "readable", "code", "nodes", "json", "pt2"});
  const std::string out = options.get("-o").value_or("");
  if (out.ends_with(".pt2")) return "pt2";
  if (out.ends_with(".json")) return "json";
  return out.empty() ? "diff" : "text";
}

std::string edited_text(EditedProgram& edited, std::string_view form, std::string_view before) {
  if (form == "json") return edited.json() + "\n";
  if (form == "readable")
    return readable_text(edited.graph(), "GraphModule", {.has_source_lines = true});
  if (form == "code") return code_text(edited.graph()) + "\n";
  if (form == "nodes") {
    std::string text;
    JsonWriter json(text);
    ValueWriter writer;
    write_graph(json, edited.graph(), writer);
    return text + "\n";
  }
  const std::string after = graph_text(edited.graph());
  return form == "diff" ? text_diff(before, after) : after + "\n";
}

// A text that is a graph, checked under the name of its file.
std::string read_pattern(const std::string& path, const Options& options, CommandIo& io) {
  const ReadLimits limits = read_limits(options);
  std::string text = read_text(*io.open(path), limits);
  const TextProgram read = parse_program_text(text, limits);
  if (read.text->error_count() > 0)
    throw_error(ErrorKind::kUnreadable, read.text->errors(path.substr(path.rfind('/') + 1)));
  return text;
}

std::vector<GraphPattern> read_patterns(const Options& options, CommandIo& io) {
  std::vector<GraphPattern> patterns;
  for (const std::string& files : options.all("--replace")) {
    const size_t end = files.find('\n');
    if (end == std::string::npos)
      throw_error(ErrorKind::kUsage, "option '--replace' needs two values");
    patterns.push_back({read_pattern(files.substr(0, end), options, io),
                        read_pattern(files.substr(end + 1), options, io)});
  }
  return patterns;
}

int passes_command(const Options& options, CommandIo& io) {
  if (options.positional().empty()) return list_passes(io);
  const std::string& path = options.positional()[0];
  const std::string form = wanted_form(options);
  const std::string out = options.get("-o").value_or(std::string(kStandardInput));
  std::vector<std::string> wanted(options.positional().begin() + 1, options.positional().end());
  for (std::string& pass : split_options(options, "--run")) wanted.push_back(std::move(pass));
  const std::vector<GraphPattern> patterns = read_patterns(options, io);
  const std::unique_ptr<ByteSource> source = io.open(path);
  EditedProgram edited(*source, path.substr(path.rfind('/') + 1), read_limits(options));
  const std::string before = form == "diff" ? graph_text(edited.graph()) : std::string();
  try {
    for (const std::string& pass : wanted) {
      if (const std::string told = told_by(edited.run(pass)); !told.empty())
        io.write_error(format("{}: {}\n", pass, told));
    }
    for (const GraphPattern& pattern : patterns)
      io.write_error(format("replace: {}\n", told_by(edited.replace(pattern))));
    if (form == "pt2") {
      const std::unique_ptr<ByteSink> sink = io.create_file(out);
      edited.write_pt2(*source, *sink);
    } else {
      io.write_file(out, edited_text(edited, form, before));
    }
  } catch (const Error& error) {
    if (!is_error_of_nodes(error)) throw;
    io.write_error(format("{}: {}\n", error.class_name(), error.message()));
    return kExitErrors;
  }
  return kExitFine;
}

constexpr std::string_view kPassesAbout = R"(usage: faketensor passes [FILE PASS... [OPTION]...]

Without a file, lists the passes. With one, runs passes on its graph, one after the other, and prints what changed, or
writes the program that it has become.

)";

constexpr OptionRow kPassesOptions[] = {
    {"--run", "PASS[,PASS...]", "the same as the passes behind the file"},
    {"--replace", "PATTERN REPLACEMENT",
     "after the passes, wherever the graph of the one file stands, that of the other: FX\n"
     "text whose arguments stand for any value. May be given several times"},
    {"--to", "FORM",
     "diff (the default), text (str(graph)), readable (print_readable()), code\n"
     "(GraphModule.code), nodes (JSON of the nodes with their values), json (an\n"
     "exported program, which PyTorch's deserialiser reads) or pt2 (the same with the\n"
     "weights of FILE, a .pt2)"},
    {"-o", "FILE",
     "where it is written, otherwise to standard output; without --to its name says\n"
     "the form: .pt2, .json, or text"},
    {"--memory-limit", "N", "as for propagate"},
};

constexpr std::string_view kPassesMore = R"(
examples:
  faketensor passes
  faketensor passes model.pt2 dce cse
  faketensor passes model.pt2 --run dce,cse -o smaller.pt2
  faketensor passes model.pt2 export_pass/aten.relu.default=aten.gelu.default --to readable
  faketensor passes model.pt2 partitioner/aten.add.Tensor+aten.mul.Tensor
  faketensor passes model.pt2 run_decompositions/-aten.linear.default
  faketensor passes model.pt2 --replace add_relu.txt fused.txt -o fused.json

exit code: 0 fine, 1 a pass has raised, 2 wrong use, an unreadable file, or a graph that has no such form
)";

}  // namespace

const Subcommand kPassesCommand = {"passes",     &passes_command, "run passes on a program's graph",
                                   kPassesAbout, kPassesOptions,  kPassesMore};

}  // namespace faketensor
