// `faketensor propagate FILE`: every value of a program, as a table by module, as JSON lines or as
// one JSON document.
#include <algorithm>
#include <map>

#include "core/command/profile_files.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/graph/recorded_check.h"
#include "core/io/value_json.h"
#include "core/profiles/extended.h"
#include "core/profiles/program_profiles.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// The operator as people say it: "aten.linear", without torch.ops and a default overload.
std::string short_target(std::string_view target) {
  if (target.starts_with("torch.ops.")) target.remove_prefix(10);
  constexpr std::string_view kFunctorch = "torch._functorch.";
  if (target.starts_with(kFunctorch)) target.remove_prefix(kFunctorch.size());
  if (target.ends_with(".default")) target.remove_suffix(8);
  return std::string(target);
}

std::string last_part(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return std::string(dot == std::string_view::npos ? dotted : dotted.substr(dot + 1));
}

// The table of a run: nodes in order of execution, under a line for each module as it is entered.
class Table {
 public:
  Table(const Run& run, BufferedOut& out) : run_(run), program_(run.program()), out_(out) {
    for (const Problem& problem : run.problems())
      if (problem.kind == Problem::Kind::kUnknown) ++unknown_[problem.message];
    for (const Node& node : program_.graph().nodes()) {
      name_width_ = std::max(name_width_, std::min<size_t>(program_.text(node.name).size(), 36));
      if (node.kind == NodeKind::kCall)
        op_width_ = std::max(op_width_,
                             std::min<size_t>(short_target(program_.text(node.target)).size(), 36));
    }
  }

  void print() {
    const BranchScope env = run_.shape_env();
    size_t problem = 0;
    for (NodeId i = 0; i < program_.graph().size(); ++i) {
      const Node& node = program_.graph().node(i);
      if (node.kind == NodeKind::kCall) enter(node.module);
      print_node(i, node);
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

  void print_node(NodeId id, const Node& node) {
    const size_t indent = 2 * program_.modules[node.module].depth;
    std::string line(node.kind == NodeKind::kCall || node.kind == NodeKind::kGetItem ? indent : 0,
                     ' ');
    line += padded(std::string(program_.text(node.name)), name_width_) + "  " +
            padded(what(id, node), op_width_) + "  " + result(id);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out_.text() += line;
    out_.line_done();
  }

  std::string what(NodeId id, const Node& node) const {
    switch (node.kind) {
      case NodeKind::kPlaceholder:
        return std::string(name(program_.inputs[id].kind));
      case NodeKind::kGetItem:
        return format("[{}] of {}", node.args[1],
                      program_.text(program_.graph().node(node.args[0].node()).name));
      case NodeKind::kOutput:
        return "output";
      case NodeKind::kCall:
        break;
    }
    return short_target(program_.text(node.target));
  }

  std::string result(NodeId id) {
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
  std::string alias_note(NodeId id, const TensorRecord& tensor) {
    const uint32_t storage = tensor.storage->id;
    if (storage >= first_of_storage_.size()) first_of_storage_.resize(storage + 1, kNoNode);
    NodeId& first = first_of_storage_[storage];
    if (first == kNoNode) first = id;
    if (first == id || program_.graph().node(id).kind == NodeKind::kGetItem) return {};
    return format("  (shares {})", program_.text(program_.graph().node(first).name));
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
  BufferedOut& out_;
  size_t name_width_ = 4;
  size_t op_width_ = 2;
  ModuleId module_ = 0;
  std::vector<NodeId> first_of_storage_;
  std::map<std::string, size_t> unknown_;  // operators without a rule, and calls to be told of
};

void append_node_json(std::string& out, const Run& run, NodeId id, ValueWriter& writer) {
  out += "{\"name\":";
  append_json_string(out, run.program().text(run.program().graph().node(id).name));
  out += ",\"val\":";
  writer.append(out, run, id);
  out += '}';
}

void append_problem_json(std::string& out, const Run& run, const Problem& problem) {
  out += "{\"name\":";
  append_json_string(out, run.program().text(run.program().graph().node(problem.node).name));
  out.append(",\"raises\":\"").append(problem.error_class).append("\",\"message\":");
  append_json_string(out, problem.message);
  const std::pair<std::string_view, const std::string&> fields[] = {{"op", problem.op},
                                                                    {"module", problem.module_path},
                                                                    {"source", problem.source},
                                                                    {"hint", problem.hint}};
  for (const auto& [key, text] : fields) {
    if (text.empty()) continue;
    out.append(",\"").append(key).append("\":");
    append_json_string(out, text);
  }
  out += '}';
}

// One line per node in order; the node of a problem has the problem instead of a value.
void print_json_lines(const Run& run, BufferedOut& out) {
  ValueWriter writer;
  const BranchScope env = run.shape_env();  // for all nodes at once
  size_t problem = 0;
  for (NodeId i = 0; i < run.program().graph().size(); ++i) {
    if (run.record(i).status == NodeStatus::kOk) {
      append_node_json(out.text(), run, i, writer);
      out.line_done();
    } else if (problem < run.problems().size() && run.problems()[problem].node == i) {
      append_problem_json(out.text(), run, run.problems()[problem++]);
      out.line_done();
    }
  }
}

void print_json(const Run& run, const Target& target, BufferedOut& out) {
  ValueWriter writer;
  const BranchScope env = run.shape_env();  // for all nodes at once
  std::string& text = out.text();
  text += "{\"program\":";
  append_json_string(text, run.program().name);
  text += ",\"target\":";
  append_json_string(text, format("{}", target));
  text += ",\"nodes\":[\n";
  bool first = true;
  for (NodeId i = 0; i < run.program().graph().size(); ++i) {
    if (run.record(i).status != NodeStatus::kOk) continue;
    if (!first) text += ",\n";
    first = false;
    append_node_json(text, run, i, writer);
  }
  text += "\n],\"problems\":[";
  for (size_t i = 0; i < run.problems().size(); ++i) {
    text += i > 0 ? ",\n" : "\n";
    append_problem_json(text, run, run.problems()[i]);
  }
  text += "]}";
  out.line_done();
}

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return format("{} {}", count, count == 1 ? one : many);
}

void print_summary(const Run& run, const Target& target, BufferedOut& out) {
  std::string line = counted(run.count(NodeStatus::kOk), "value", "values");
  if (const size_t errors = run.count(NodeStatus::kError))
    line += ", " + counted(errors, "error", "errors");
  if (const size_t unknown = run.count(NodeStatus::kUnknown))
    line += ", " + counted(unknown, "unknown operator", "unknown operators");
  if (const size_t missed = run.count(NodeStatus::kNotReached))
    line += format(", {} not reached", missed);
  out.line_done();
  out.text() += line + format("; target {}", target);
  out.line_done();
}

// What the Python dispatcher would mend of the differences, which is what programs are traced
// under.
void print_dispatcher_hint(const Program& program, PropagateOptions options, size_t differences,
                           BufferedOut& out) {
  if (options.python_dispatcher || program.shape_env == nullptr) return;
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
      line(
          format("{}: {}", program.text(program.graph().node(problem.node).name), problem.message));
  }
  const size_t errors = run.problems().size() - check.explained_problems.size();
  for (const Problem& problem : run.problems()) {
    if (check.is_explained(problem)) continue;
    line(format("{}: {}: {}", program.text(program.graph().node(problem.node).name),
                problem.error_class, problem.message));
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

}  // namespace

int propagate_command(const std::vector<std::string>& args, CommandIo& io) {
  const Options options(args, {{"--set", true},
                               {"--inputs", true},
                               {"--device", true},
                               {"--dtype", true},
                               {"--memory-format", true},
                               {"--target", true},
                               {"--profiles", true},
                               {"--format", true},
                               {"--memory-limit", true},
                               {"--check", false},
                               {"--python-dispatcher", false},
                               {"--stop-at-first-error", false}});
  if (options.positional().size() != 1) throw_error(ErrorKind::kUsage, "propagate takes one file");
  const std::string form = options.get("--format").value_or("table");
  if (form != "table" && form != "jsonl" && form != "json")
    throw_error(ErrorKind::kUsage, format("--format is table, jsonl or json, not '{}'", form));
  PropagateOptions what_if = propagate_options(options, io);
  const Program program = open_model(options.positional()[0], options, io);
  OpProfiles profiles;
  for (const std::string& path : options.all("--profiles"))
    profiles = merge_profiles(profiles, open_profiles(path, io)).profiles;
  if (!profiles.empty()) what_if.prepare = answer_by_profiles(program, std::move(profiles));
  what_if.assume_recorded = options.has("--check");
  const Run run = propagate(program, what_if);

  BufferedOut out(io);
  bool agrees = true;
  if (options.has("--check")) {
    agrees = print_check(run, what_if, out);
  } else if (form == "jsonl") {
    print_json_lines(run, out);
  } else if (form == "json") {
    print_json(run, what_if.target, out);
  } else {
    Table(run, out).print();
    print_summary(run, what_if.target, out);
  }
  const bool is_fine = options.has("--check") ? agrees : run.problems().empty();
  return is_fine ? kExitFine : kExitErrors;
}

}  // namespace faketensor
