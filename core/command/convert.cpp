// `faketensor convert FILE --to FORM`: a program, or what a what-if made of it, in another form.
#include <memory>
#include <optional>

#include "core/command/graph_files.h"
#include "core/command/graph_svg.h"
#include "core/command/pass_options.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/graph/bodies.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/edited_program.h"
#include "core/io/open.h"
#include "core/io/program_rewriter.h"
#include "core/io/pt2_writer.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The file, what passes have made of it, what it was asked to become, and the answer.
class Conversion {
 public:
  Conversion(const Options& options, CommandIo& io)
      : path_(options.positional()[0]),
        source_(io.open(path_)),
        limits_(read_limits(options)),
        given_(propagate_options(options, io)),
        is_changed_(!given_.dims.empty() || !given_.dynamic.empty() || given_.dtype ||
                    given_.device),
        edited_(run_passes(options, io)),
        program_(opened()) {
    given_.changes = &changes_;
    const std::string form = options.get("--to").value_or("");
    if (program_.kind == "text" && (form == "json" || form == "pt2" || is_changed_)) {
      // FX text has no JSON of its own that could be the pattern of what is written.
      edited_ = program_json(*source_, file_name(path_), limits_);
      program_ = opened();
    }
    if ((is_picture(form) || (is_changed_ && is_program(form))) && has_bodies(program_)) {
      program_ = with_bodies(std::make_shared<const Program>(std::move(program_)));
      given_.values_of_bodies = true;
    }
  }

  static bool is_program(std::string_view form) {
    return form == "json" || form == "pt2" || form == "readable" || form == "fx";
  }
  static bool is_picture(std::string_view form) { return form == "svg" || form == "html"; }
  bool is_changed() const { return is_changed_; }

  // Propagated when it is first asked for: JSON of a file without a what-if needs no answer.
  const Run& run() {
    if (!answer_) answer_.emplace(propagate_retargeted(program_, given_));
    return answer_->run;
  }

  std::string json() {
    if (!edited_) return rewrite_file(*source_, file_name(path_), what_if(), limits_);
    if (!is_changed_) return *edited_;
    std::string text = *edited_;
    return rewrite_program(text, what_if(), limits_);
  }

  void write_archive(ByteSink& sink) {
    if (!edited_) return write_pt2(*source_, what_if(), limits_, sink);
    if (is_changed_) check_weights(run());
    write_pt2(*source_, json(), limits_, sink);
  }

  // Of the program that is written.
  std::string readable() {
    if (!is_changed_) return std::string(readable_program(program_).text());
    const std::string written = json();
    return std::string(
        readable_program(open_program(MemorySource(written), "the what-if", limits_)).text());
  }
  std::string fx() {
    if (!is_changed_) return graph_text(program_.graph()) + "\n";
    const std::string written = json();
    return graph_text(open_program(MemorySource(written), "the what-if", limits_).graph()) + "\n";
  }

 private:
  static std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  Program opened() {
    if (!edited_) return open_program(*source_, file_name(path_), limits_);
    return open_program(MemorySource(*edited_), file_name(path_), limits_);
  }

  // The JSON that they give; nothing without --run.
  std::optional<std::string> run_passes(const Options& options, CommandIo& io) {
    const std::vector<std::string> wanted = split_options(options, "--run");
    if (wanted.empty()) return std::nullopt;
    EditedProgram edited(*source_, file_name(path_), limits_);
    for (const std::string& pass : wanted) {
      if (const std::string told = told_by(edited.run(pass)); !told.empty())
        io.write_error(format("{}: {}\n", pass, told));
    }
    if (options.get("--to") == "pt2") edited.check_weights();
    return edited.json();
  }

  ChangedRun what_if() { return is_changed_ ? ChangedRun{&run(), &changes_} : ChangedRun{}; }

  std::string path_;
  std::unique_ptr<ByteSource> source_;
  ReadLimits limits_;
  ArgumentChanges changes_;
  RetargetOptions given_;
  bool is_changed_;
  std::optional<std::string> edited_;  // in the file's place
  Program program_;
  std::optional<RetargetedRun> answer_;
};

std::string converted(Conversion& conversion, std::string_view form, std::optional<size_t> depth) {
  if (form == "json") return conversion.json() + "\n";
  if (form == "fx") return conversion.fx();
  if (form == "readable") return conversion.readable();
  const Run& run = conversion.run();
  const BranchScope env = run.shape_env();
  if (form == "csv") return csv_table(run);
  if (form == "svg") return svg_graph(run, depth);
  if (form == "html") return html_graph(run, depth);
  return form == "dot" ? dot_graph(run) : mermaid_graph(run);
}

// On standard error; true where there are any.
bool print_problems(const Run& run, CommandIo& io) {
  for (const Problem& problem : run.problems()) {
    io.write_error(format("faketensor: {}: {}: {}\n", run.plan().name_of(problem.node),
                          problem.error_class, problem.message));
  }
  return !run.problems().empty();
}

// Null for a program that a pass raises on, which is told on standard error.
std::unique_ptr<Conversion> open_conversion(const Options& options, CommandIo& io) {
  try {
    return std::make_unique<Conversion>(options, io);
  } catch (const Error& error) {
    if (!is_error_of_nodes(error)) throw;
    io.write_error(format("{}: {}\n", error.class_name(), error.message()));
    return nullptr;
  }
}

int convert_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "convert takes one file");
  if (!options.has("--to"))
    throw_error(ErrorKind::kUsage,
                "convert takes --to json, pt2, fx, readable, svg, html, dot, mermaid or csv");
  const std::string form = options.choice(
      "--to", {"json", "pt2", "fx", "readable", "svg", "html", "dot", "mermaid", "csv"});
  const std::optional<size_t> depth =
      options.has("--depth") ? std::optional(module_depth(options)) : std::nullopt;
  const std::unique_ptr<Conversion> made = open_conversion(options, io);
  if (made == nullptr) return kExitErrors;
  Conversion& conversion = *made;
  const bool is_program = form == "json" || form == "pt2" || form == "fx" || form == "readable";
  const bool has_problems =
      (!is_program || conversion.is_changed()) && print_problems(conversion.run(), io);
  // A program that raises is none; a table or a drawing shows what there is.
  if (has_problems && is_program) return kExitErrors;
  const std::string out = options.get("-o").value_or(std::string(kStandardInput));
  if (form == "pt2") {
    const std::unique_ptr<ByteSink> sink = io.create_file(out);
    conversion.write_archive(*sink);
  } else {
    io.write_file(out, converted(conversion, form, depth));
  }
  return has_problems ? kExitErrors : kExitFine;
}

constexpr std::string_view kConvertAbout = R"(usage: faketensor convert FILE --to FORM [OPTION]...

Writes a program in another form. With --set, --dynamic, --dtype or --device it is the program that a new export would
be: its nodes with the sizes, dtypes and devices that follow, nodes that compute sizes, and the values of all nodes.
With --run it is what the passes make of it.

)";

constexpr OptionRow kConvertOptions[] = {
    {"--to", "FORM",
     "json: an exported program's JSON, which PyTorch's deserialiser reads\n"
     "pt2: an archive for torch.export.load, with the weights of FILE, a .pt2, copied through; of "
     "another FILE if it has none\n"
     "fx: the graph as torch.fx prints it\n"
     "readable: Python as print_readable() prints it, with signature and ranges, which is read as "
     "the same program\n"
     "svg, html: a picture, modules as boxes, without parameters and what only computes sizes\n"
     "dot, mermaid: a drawing for Graphviz (at most 5,000 nodes) or Mermaid (500 edges), without "
     "parameters\n"
     "csv: name, target, shape, strides, dtype, device and bytes of each node"},
    {"-o", "FILE", "where it is written; otherwise to standard output"},
    {"--depth", "N", "of a picture: how deep modules are drawn open"},
    {"--run", "PASS[,PASS...]", "passes that run on the program first, see faketensor passes"},
    {"--set", "DIM=N", "as for propagate, and so are the options up to --memory-limit"},
    {"--dynamic", "DIM[=N..M]", ""},
    {"--dtype", "T", ""},
    {"--device", "D", ""},
    {"--assume", "SITE=CHOICE", ""},
    {"--target", "NAME", ""},
    {"--python-dispatcher", "", ""},
    {"--memory-limit", "N", ""},
};

constexpr std::string_view kConvertMore = R"(
examples:
  faketensor convert model.pt2 --to fx
  faketensor convert model.pt2 --dynamic batch --to pt2 -o dynamic.pt2
  faketensor convert model.pt2 --set batch=8 --to csv -o values.csv
  faketensor convert model.pt2 --run dce,cse --to pt2 -o smaller.pt2
  faketensor convert model.pt2 --to html -o model.html
  faketensor convert model.pt2 --to dot | dot -Tsvg > model.svg

exit code: 0 fine, 1 what was asked for has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kConvertCommand = {"convert",     &convert_command, "a program in another form",
                                    kConvertAbout, kConvertOptions,  kConvertMore};

}  // namespace faketensor
