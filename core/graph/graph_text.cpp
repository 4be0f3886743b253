#include "core/graph/graph_text.h"

#include "core/graph/text/read_program_text.h"
#include "core/graph/text/text_arguments.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

// --- writing ---

namespace {

// "_operator.getitem" has the module's public name.
std::string_view shown_target(std::string_view target) {
  return target.starts_with("_operator.") ? target.substr(1) : target;
}

class GraphWriter {
 public:
  explicit GraphWriter(const Graph& graph) : graph_(graph) {}

  std::string write() {
    text_ = "graph():";
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      text_ += "\n    ";
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kOutput) {
        text_ += "return ";
        append_output(node.args.empty() ? Value() : node.args[0]);
      } else {
        append_node(id, node);
      }
    }
    return std::move(text_);
  }

  std::string write_node(NodeId id) {
    if (graph_.node(id).kind == NodeKind::kOutput) {
      text_ = "return ";
      append_output(graph_.node(id).args.empty() ? Value() : graph_.node(id).args[0]);
    } else {
      append_node(id, graph_.node(id));
    }
    return std::move(text_);
  }

 private:
  void append_node(NodeId id, const Node& node) {
    text_ +=
        format("%{} : [num_users={}] = {}[target={}]", graph_.name_of(id), graph_.users(id).size(),
               name(node.kind), shown_target(graph_.text(node.target)));
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kGetAttr) return;
    const std::span<const Value> args = node.positional();
    text_ += "(args = (";
    append_elements(args);
    text_ += args.size() == 1 ? ",), kwargs = {" : "), kwargs = {";
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      if (i > 0) text_ += ", ";
      text_.append(graph_.text(node.keywords[i])).append(": ");
      append_argument(node.by_keyword()[i]);
    }
    text_ += "})";
  }

  template <typename Values>
  void append_elements(const Values& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text_ += ", ";
      append_argument(values[i]);
    }
  }

  // Mirrors _format_arg, torch/fx/node.py: str() of a value that is no node; lists as lists.
  void append_argument(const Value& value) {
    switch (value.tag()) {
      case Value::Tag::kNodeRef:
        text_.append("%").append(graph_.name_of(node_of(value)));
        break;
      case Value::Tag::kString:
        // An operator is said without the module that it is in.
        text_ += value.text().substr(value.text().starts_with(kTorchOps) ? kTorchOps.size() : 0);
        break;
      case Value::Tag::kDevice:
        text_ += format("{}", value.device());
        break;
      case Value::Tag::kGraph:
        text_ += graph_.text(value.graph().name);
        break;
      case Value::Tag::kList:
      case Value::Tag::kIntList:
        if (value.is_dict()) return append_dictionary(value);
        text_ += value.is_tuple() ? '(' : '[';
        append_elements(value);
        text_ += value.is_tuple() ? (value.size() == 1 ? ",)" : ")") : "]";
        break;
      default:
        append_text(text_, value);
    }
  }

  void append_dictionary(const Value& items) {
    text_ += '{';
    for (size_t i = 0; i < items.size(); ++i) {
      text_ += i > 0 ? ", " : "";
      append_argument(items[i][0]);
      text_ += ": ";
      append_argument(items[i][1]);
    }
    text_ += '}';
  }

  // "(a, b)": what is returned, whose nodes are printed without "%".
  void append_output(const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) {
      text_ += graph_.name_of(node_of(value));
    } else if (value.is_list()) {
      text_ += value.is_tuple() ? '(' : '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) text_ += ", ";
        append_output(value[i]);
      }
      text_ += value.is_tuple() ? (value.size() == 1 ? ",)" : ")") : "]";
    } else {
      append_argument(value);
    }
  }

  const Graph& graph_;
  std::string text_;
};

}  // namespace

std::string graph_text(const Graph& graph) { return GraphWriter(graph).write(); }
std::string node_text(const Graph& graph, NodeId id) { return GraphWriter(graph).write_node(id); }

// --- reading ---

Program read_graph_text(std::string_view text) {
  TextProgram read = parse_program_text(std::string(text), ReadLimits{}.for_file(text.size()));
  for (const TextProblem& problem : read.text->problems()) {
    if (problem.severity != TextProblem::Severity::kError) continue;
    throw_error(
        ErrorKind::kUnreadable,
        format("line {} of the graph: {}", read.text->place(problem.span).line, problem.message));
  }
  return std::move(read.program);
}

}  // namespace faketensor
