#include "core/graph/graph.h"

#include <array>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

std::string_view name(InputSpec::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "user", "parameter", "buffer", "constant", "token", "custom_object"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(OutputSpec::Kind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"user",
                                                             "loss",
                                                             "buffer_mutation",
                                                             "parameter_mutation",
                                                             "user_input_mutation",
                                                             "gradient_to_parameter",
                                                             "gradient_to_user_input",
                                                             "token"};
  return kNames[static_cast<size_t>(kind)];
}

size_t Graph::input_count() const {
  size_t count = 0;
  while (count < nodes_.size() && nodes_[count].kind == NodeKind::kPlaceholder) ++count;
  return count;
}

Program::Program()
    : arena_(std::make_unique<Arena>()),
      strings_(std::make_unique<Interner>()),
      metas_(std::make_unique<MetaTable>()) {
  add_graph();
  modules.emplace_back();
}

NodeId Program::find(std::string_view node_name) const {
  const StringId id = strings_->find(node_name, 0);
  if (id == 0) return kNoNode;
  const NodeId indexed = id < by_name_.size() ? by_name_[id] : kNoNode;
  if (indexed < graph().size() && graph().node(indexed).name == id) return indexed;
  for (NodeId i = 0; i < graph().size(); ++i) {
    if (graph().node(i).name == id) return i;
  }
  return kNoNode;
}

void Program::index_names() {
  by_name_.assign(strings_->size(), kNoNode);
  for (NodeId i = 0; i < graph().size(); ++i) {
    NodeId& first = by_name_[graph().node(i).name];
    if (first == kNoNode) first = i;
  }
}

std::string_view Program::module_path(const Node& node) const {
  return text(modules[node.module].path);
}

std::string Program::source_line(const Node& node) const {
  // The last 'File "x.py", line 12, in forward' of the trace is the innermost line of the user's
  // code.
  const std::string_view trace = text(node.stack_trace);
  const size_t file = trace.rfind("File \"");
  if (file == std::string_view::npos) return {};
  const size_t name_begin = file + 6;
  const size_t name_end = trace.find('"', name_begin);
  const size_t line_end = trace.find('\n', name_begin);
  if (name_end == std::string_view::npos || name_end > line_end) return {};
  std::string result(trace.substr(name_begin, name_end - name_begin));
  std::string_view rest = trace.substr(
      name_end + 1, line_end == std::string_view::npos ? line_end : line_end - name_end - 1);
  const std::string_view line_word = ", line ";
  if (rest.starts_with(line_word)) {
    rest.remove_prefix(line_word.size());
    const size_t comma = rest.find(',');
    result.append(":").append(rest.substr(0, comma));
    if (comma != std::string_view::npos) result.append(rest.substr(comma + 1));
  }
  return result;
}

namespace {

// Raises if `value`, an argument of node `at`, refers to a node that has not run by then.
void verify_argument(const Program& program, const Graph& graph, NodeId at, const Value& value) {
  if (value.is(Value::Tag::kNodeRef) && value.node() >= at) {
    throw_error(ErrorKind::kValueError,
                format("node '{}' uses a value that is not computed before it",
                       program.text(graph.node(at).name)));
  }
  if (!value.is(Value::Tag::kList)) return;
  // Lists of lists are the deepest that schemas and readers allow; a work list keeps the depth off
  // the stack.
  std::vector<Value> open(value.values().begin(), value.values().end());
  while (!open.empty()) {
    const Value next = open.back();
    open.pop_back();
    if (next.is(Value::Tag::kList)) {
      open.insert(open.end(), next.values().begin(), next.values().end());
    } else {
      verify_argument(program, graph, at, next);
    }
  }
}

}  // namespace

void verify(const Program& program) {
  for (const auto& graph : program.graphs()) {
    const size_t inputs = graph->input_count();
    for (NodeId i = 0; i < graph->size(); ++i) {
      const Node& node = graph->node(i);
      const std::string_view node_name = program.text(node.name);
      if (node.kind == NodeKind::kPlaceholder && i >= inputs) {
        throw_error(ErrorKind::kValueError,
                    format("placeholder '{}' stands after a call", node_name));
      }
      if ((node.kind == NodeKind::kOutput) != (i + 1 == graph->size())) {
        throw_error(ErrorKind::kValueError,
                    format("a graph has one output, its last node; see '{}'", node_name));
      }
      for (const Value& value : node.args) verify_argument(program, *graph, i, value);
    }
    if (graph->size() == 0) throw_error(ErrorKind::kValueError, "a graph has no output node");
  }
}

}  // namespace faketensor
