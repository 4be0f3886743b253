// `faketensor propagate FILE`: every value of a program, as a table by module, as JSON lines or as
// one JSON document.
#include <algorithm>
#include <map>

#include "core/command/profile_files.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/graph/explain.h"
#include "core/graph/recorded_check.h"
#include "core/io/assumption_json.h"
#include "core/io/problem_json.h"
#include "core/io/value_json.h"
#include "core/profiles/extended.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// The operator in the table's column, functorch's without their module.
std::string shown_target(std::string_view target) {
  constexpr std::string_view kFunctorch = "torch._functorch.";
  if (target.starts_with(kFunctorch)) target.remove_prefix(kFunctorch.size());
  return std::string(short_target(target));
}

std::string last_part(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return std::string(dot == std::string_view::npos ? dotted : dotted.substr(dot + 1));
}

// The table of a run: nodes in order of execution, under a line for each module as it is entered.
class Table {
 public:
  Table(const Run& run, BufferedOut& out)
      : run_(run), program_(run.program()), plan_(run.plan()), out_(out) {
    for (const Problem& problem : run.problems())
      if (problem.kind == Problem::Kind::kUnknown) ++unknown_[problem.message];
    for (Row row = 0; row < plan_.size(); ++row) {
      name_width_ = std::max(name_width_, std::min<size_t>(plan_.name_of(row).size(), 36));
      if (plan_.row(row).kind == RowKind::kCall)
        op_width_ =
            std::max(op_width_, std::min<size_t>(shown_target(plan_.target_of(row)).size(), 36));
    }
  }

  void print() {
    const BranchScope env = run_.shape_env();
    size_t problem = 0;
    for (Row i = 0; i < plan_.size(); ++i) {
      if (plan_.row(i).kind == RowKind::kCall) enter(plan_.node(i).module);
      print_row(i);
      if (problem < run_.problems().size() && run_.problems()[problem].node == i)
        print_problem(run_.problems()[problem++]);
    }
  }

 private:
  // Lines for the modules on the way from the one printed last to `module`.
  void enter(ModuleId module) {
    if (module == module_) return;
    std::vector<ModuleId> path;
    for (ModuleId at = module; at != 0; at = program_.modules[at].parent) path.push_back(at);
    std::vector<ModuleId> last;
    for (ModuleId at = module_; at != 0; at = program_.modules[at].parent) last.push_back(at);
    std::reverse(path.begin(), path.end());
    std::reverse(last.begin(), last.end());
    size_t shared = 0;
    while (shared < path.size() && shared < last.size() && path[shared] == last[shared]) ++shared;
    for (size_t i = shared; i < path.size(); ++i) {
      const Module& entered = program_.modules[path[i]];
      out_.text() += std::string(2 * i, ' ') + std::string(program_.text(entered.path)) + "  (" +
                     last_part(program_.text(entered.type)) + ")";
      out_.line_done();
    }
    module_ = module;
  }

  void print_row(Row row) {
    const size_t indent = 2 * program_.modules[plan_.node(row).module].depth;
    const RowKind kind = plan_.row(row).kind;
    std::string line(kind == RowKind::kCall || kind == RowKind::kGetItem ? indent : 0, ' ');
    line += padded(std::string(plan_.name_of(row)), name_width_) + "  " +
            padded(what(row), op_width_) + "  " + result(row);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out_.text() += line;
    out_.line_done();
  }

  std::string what(Row row) const {
    const std::span<const Value> args = plan_.row(row).args;
    switch (plan_.row(row).kind) {
      case RowKind::kPlaceholder:
        return std::string(name(program_.inputs[row].kind));
      case RowKind::kGetItem:
        return format("[{}] of {}", args[1], plan_.name_of(args[0].node()));
      case RowKind::kOutput:
        return "output";
      case RowKind::kCall:
        break;
    }
    return shown_target(plan_.target_of(row));
  }

  std::string result(Row id) {
    const NodeRecord& record = run_.record(id);
    switch (record.status) {
      case NodeStatus::kOk:
        break;
      case NodeStatus::kError:
        return "! error";
      case NodeStatus::kUnknown:
        return "? unknown";
      case NodeStatus::kNotReached:
        return "- not reached";
    }
    std::span<const TensorRecord> tensors = record.tensors;
    std::string text = value_text(record.value, tensors);
    if (record.value.is_tensor() && record.tensors[0].storage != nullptr)
      text += alias_note(id, record.tensors[0]);
    return text;
  }

  // Where the value is not a tensor of its own: the node whose storage (or very tensor) it is.
  std::string alias_note(Row id, const TensorRecord& tensor) {
    const uint32_t storage = tensor.storage->id;
    if (storage >= first_of_storage_.size()) first_of_storage_.resize(storage + 1, kNoRow);
    Row& first = first_of_storage_[storage];
    if (first == kNoRow) first = id;
    if (first == id || plan_.row(id).kind == RowKind::kGetItem) return {};
    return format("  (shares {})", plan_.name_of(first));
  }

  // An operator without a rule is told once, with how often it is called.
  void print_problem(const Problem& problem) {
    std::string calls;
    if (problem.kind == Problem::Kind::kUnknown) {
      size_t& count = unknown_[problem.message];
      if (count == 0) return;
      if (count > 1) calls = format(", which has no rule and is called {} times", count);
      count = 0;
    }
    out_.text() += format("    {}: {}{}", problem.error_class, problem.message, calls);
    out_.line_done();
    if (!problem.source.empty()) {
      out_.text() += format("    at {}", problem.source);
      out_.line_done();
    }
    if (!problem.hint.empty()) {
      out_.text() += problem.python_dispatcher_answers
                         ? format("    hint: {}", problem.hint)
                         : format("    hint: {} before it would settle this", problem.hint);
      out_.line_done();
    }
  }

  const Run& run_;
  const Program& program_;
  const Plan& plan_;
  BufferedOut& out_;
  size_t name_width_ = 4;
  size_t op_width_ = 2;
  ModuleId module_ = 0;
  std::vector<Row> first_of_storage_;
  std::map<std::string, size_t> unknown_;  // operators without a rule, and calls to be told of
};

// A node's value, or the problem that it has instead.
class RunPrinter {
 public:
  RunPrinter(const Run& run, BufferedOut& out) : run_(run), program_(run.program()), out_(out) {}

  // One line per node in order.
  void print_lines() {
    const BranchScope env = run_.shape_env();  // for all nodes at once
    size_t problem = 0;
    for (Row i = 0; i < run_.plan().size(); ++i) {
      JsonWriter json(out_.text());
      if (run_.record(i).status == NodeStatus::kOk) {
        write_node(json, i);
      } else if (problem < run_.problems().size() && run_.problems()[problem].node == i) {
        write_problem(json, run_.problems()[problem++]);
      } else {
        continue;
      }
      out_.line_done();
    }
  }

  // One document, a line per node and per problem.
  void print_document(const RetargetedRun& answer, const Target& target) {
    const BranchScope env = run_.shape_env();
    JsonWriter json(out_.text());
    {
      const auto document = json.object();
      json.field("program", program_.name);
      json.field("target", format("{}", target));
      {
        const auto nodes = json.array("nodes");
        for (Row i = 0; i < run_.plan().size(); ++i) {
          if (run_.record(i).status != NodeStatus::kOk) continue;
          json.line_break();
          write_node(json, i);
        }
        out_.text() += '\n';
      }
      {
        const auto problems = json.array("problems");
        for (const Problem& problem : run_.problems()) {
          json.line_break();
          write_problem(json, problem);
        }
      }
      if (!answer.assumptions.empty())
        write_assumptions(json.key("assumptions"), run_.plan(), answer.assumptions);
    }
    out_.line_done();
  }

 private:
  void write_node(JsonWriter& json, Row id) {
    const auto object = json.object();
    json.field("name", run_.plan().name_of(id));
    writer_.write(json.key("val"), run_, id);
  }
  void write_problem(JsonWriter& json, const Problem& problem) {
    const auto object = json.object();
    write_problem_members(json, program_, problem);
  }

  const Run& run_;
  const Program& program_;
  BufferedOut& out_;
  ValueWriter writer_;
};

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return format("{} {}", count, count == 1 ? one : many);
}

void print_summary(const RetargetedRun& answer, const Target& target, BufferedOut& out) {
  const Run& run = answer.run;
  std::string line = counted(run.count(NodeStatus::kOk), "value", "values");
  if (const size_t errors = run.count(NodeStatus::kError))
    line += ", " + counted(errors, "error", "errors");
  if (const size_t unknown = run.count(NodeStatus::kUnknown))
    line += ", " + counted(unknown, "unknown operator", "unknown operators");
  if (const size_t missed = run.count(NodeStatus::kNotReached))
    line += format(", {} not reached", missed);
  if (!answer.assumptions.empty())
    line += ", " + counted(answer.assumptions.size(), "assumption", "assumptions");
  if (const size_t guesses = answer.guesses())
    line += format(" of which {} {}", guesses, guesses == 1 ? "is a guess" : "are guesses");
  out.line_done();
  out.text() += line + format("; target {}", target);
  out.line_done();
}

// What was taken for part of the example, that of one line of code together.
void print_assumptions(const RetargetedRun& answer, BufferedOut& out) {
  if (answer.assumptions.empty()) return;
  std::vector<std::pair<const Assumption*, size_t>> lines;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> line_of;
  for (const Assumption& a : answer.assumptions) {
    const std::string& place = a.source.empty() ? a.reason : a.source;
    const std::string argument = a.site.substr(a.site.rfind('.') + 1);
    const auto [line, is_new] =
        line_of.emplace(std::tuple(place, argument, a.from, a.to), lines.size());
    if (is_new) lines.emplace_back(&a, 0);
    ++lines[line->second].second;
  }
  out.text() += "\nassumed of the example";
  out.line_done();
  for (const auto& [a, count] : lines) {
    std::string text = "  " + a->site;
    if (count > 1) text += format(" and {} more", count - 1);
    text += a->from == a->to ? format(": {} stays, {}", a->from, a->reason)
                             : format(": {} is {}, {}", a->from, a->to, a->reason);
    if (a->is_guess) text += " (a guess)";
    if (!a->source.empty()) text += format("  {}", a->source);
    out.text() += text;
    out.line_done();
  }
}

// What the Python dispatcher would mend of the differences, which is what programs are traced
// under.
void print_dispatcher_hint(const Program& program, PropagateOptions options, size_t differences,
                           BufferedOut& out) {
  if (options.python_dispatcher) return;
  options.python_dispatcher = true;
  const size_t left = propagate(program, options).compare_with_recorded().size();
  if (left >= differences) return;
  out.text() +=
      format("hint: --python-dispatcher propagates as tracing does: {} fewer", differences - left);
  out.line_done();
}

// The file's own record of each value against ours; true if they agree, but for what is known to
// have changed from the PyTorch that recorded them.
bool print_check(const Run& run, const PropagateOptions& options, BufferedOut& out) {
  const RecordedCheck check = check_recorded(run);
  const Program& program = run.program();
  const auto line = [&](std::string_view text) {
    out.text() += text;
    out.line_done();
  };
  for (const auto* problems : {&check.explained_problems, &check.explained, &check.differences}) {
    for (const Problem& problem : *problems)
      line(format("{}: {}", run.plan().name_of(problem.node), problem.message));
  }
  const size_t errors = run.problems().size() - check.explained_problems.size();
  for (const Problem& problem : run.problems()) {
    if (check.is_explained(problem)) continue;
    line(format("{}: {}: {}", run.plan().name_of(problem.node), problem.error_class,
                problem.message));
  }
  line(format("recorded by PyTorch {}, answered as {}",
              program.torch_version.empty() ? "(unknown)" : program.torch_version,
              options.target.torch));
  for (const std::string& sentence : check.skipped) line(sentence);
  const size_t known = check.explained.size() + check.explained_problems.size();
  if (known > 0) {
    line(counted(known, "value differs for a known reason, which is given above",
                 "values differ for known reasons, which are given above"));
  }
  if (errors > 0)
    line(counted(errors, "value could not be propagated", "values could not be propagated"));
  line(check.differences.empty()
           ? known == 0 ? "every recorded value agrees" : "every other recorded value agrees"
           : counted(check.differences.size(), "value differs from the file's record",
                     "values differ from the file's record"));
  if (!check.differences.empty())
    print_dispatcher_hint(program, options, check.differences.size(), out);
  return check.differences.empty() && errors == 0;
}

int propagate_command(const Options& options, CommandIo& io) {
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "propagate takes one file");
  const std::string form = options.choice("--format", {"table", "jsonl", "json"});
  RetargetOptions given = propagate_options(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  OpProfiles profiles;
  for (const std::string& path : options.all("--profiles"))
    profiles = merge_profiles(profiles, open_profiles(path, io)).profiles;
  if (!profiles.empty()) given.prepare = answer_by_profiles(std::move(profiles));
  given.assume_recorded = options.has("--check");
  const RetargetedRun answer = propagate_retargeted(program, given);
  const Run& run = answer.run;

  BufferedOut out(io);
  bool agrees = true;
  if (options.has("--check")) {
    agrees = print_check(run, given, out);
  } else if (form == "jsonl") {
    RunPrinter(run, out).print_lines();
  } else if (form == "json") {
    RunPrinter(run, out).print_document(answer, given.target);
  } else {
    Table(run, out).print();
    print_assumptions(answer, out);
    print_summary(answer, given.target, out);
  }
  const bool is_fine = options.has("--check") ? agrees : run.problems().empty();
  return is_fine ? kExitFine : kExitErrors;
}

constexpr std::string_view kPropagateAbout = R"(usage: faketensor propagate FILE [OPTION]...

Prints what PyTorch would answer about every value of an exported program (.pt2, or its JSON) or of FX text, gzipped or not: sizes,
dtype, and what is not the default of strides, offset, device and storage.

)";

constexpr OptionRow kPropagateOptions[] = {
    {"--set", "DIM=N",
     "another size: batch (dimension 0 of the user inputs), x.1 (dimension 1 of input x), or a "
     "symbol; 8k is 8192"},
    {"--dynamic", "DIM[=N..M]",
     "a dimension as a symbol, which any size of at least 2 (of N to M) may be: batch, x.1"},
    {"--inputs", "FILE",
     "JSON {\"inputs\": {NAME: {\"size\": [..], \"stride\": [..], \"dtype\": .., \"device\": "
     "..}}}"},
    {"--dtype", "T", "as model.to(T): floating-point inputs, parameters and buffers in this dtype"},
    {"--device", "D", "the model and its inputs on this device"},
    {"--memory-format", "F", "4-d and 5-d floating-point inputs and parameters in channels_last"},
    {"--literal", "",
     "what FakeTensorProp answers for --set, --dtype and --device: with the example's sizes, "
     "dtypes "
     "and devices that are written into the nodes"},
    {"--assume", "SITE=CHOICE",
     "decides what was assumed otherwise: view_3.1=literal, arange.end=16, to_4.dtype=follows"},
    {"--target", "T",
     "the PyTorch that answers: cuda (2.13.0+cu130 without a GPU, the default), cpu, t4, a100, "
     "h100, ... (`faketensor fits --help` has all), or a YAML file that says what a device is"},
    {"--format", "F", "table, jsonl (a line per node) or json"},
    {"--profiles", "FILE", "op profiles (YAML) that answer for custom operators"},
    {"--check", "", "compare with the values recorded in the file instead"},
    {"--stop-at-first-error", "",
     "as PyTorch does; otherwise only what depends on an error is left out"},
    {"--python-dispatcher", "",
     "as under enable_python_dispatcher(), with which programs are traced: operators that PyTorch\n"
     "composes in C++ then take their Python decompositions, which keep symbolic sizes symbolic"},
    {"--memory-limit", "N",
     "bytes that reading the file may take, or as many K, M or G (512M); 256 MB and 20 times the "
     "file"},
};

constexpr std::string_view kPropagateMore = R"(
The answers are those of FakeTensorProp without the dispatch cache. An operator for which PyTorch has no Meta kernel
answers as in a FakeTensorMode that may run real kernels.

examples:
  faketensor propagate model.pt2
  faketensor propagate model.pt2 --set batch=64 --dtype bfloat16 --device cuda
  faketensor propagate model.pt2 --format jsonl | grep '"raises"'

exit code: 0 fine, 1 the program has errors, 2 wrong use or unreadable file
)";

}  // namespace

const Subcommand kPropagateCommand = {
    "propagate",     &propagate_command, "every value of a program",
    kPropagateAbout, kPropagateOptions,  kPropagateMore};

}  // namespace faketensor
