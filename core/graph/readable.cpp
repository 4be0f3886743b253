#include "core/graph/readable.h"

#include <algorithm>
#include <unordered_map>

#include "core/graph/plan.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

struct PythonOperator {
  std::string_view name;
  std::string_view before;
  std::string_view between;
  std::string_view after;
};

// torch.fx.graph.magic_methods, of the functions of `operator`.
constexpr PythonOperator kOperators[] = {
    {"add", "", " + ", ""},       {"and_", "", " & ", ""},    {"eq", "", " == ", ""},
    {"floordiv", "", " // ", ""}, {"ge", "", " >= ", ""},     {"getitem", "", "[", "]"},
    {"gt", "", " > ", ""},        {"invert", "~", "", ""},    {"le", "", " <= ", ""},
    {"lshift", "", " << ", ""},   {"lt", "", " < ", ""},      {"matmul", "", " @ ", ""},
    {"mod", "", " % ", ""},       {"mul", "", " * ", ""},     {"ne", "", " != ", ""},
    {"neg", "-", "", ""},         {"or_", "", " | ", ""},     {"pos", "+", "", ""},
    {"pow", "", " ** ", ""},      {"rshift", "", " >> ", ""}, {"sub", "", " - ", ""},
    {"truediv", "", " / ", ""},   {"xor", "", " ^ ", ""},
};

// Python's repr of a string.
void append_quoted(std::string& out, std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  out += quote;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      if (c == quote || c == '\\') out += '\\';
      out += c;
    }
  }
  out += quote;
}

class CodeWriter {
 public:
  CodeWriter(const Graph& graph, bool has_values) : graph_(graph), has_values_(has_values) {
    for (NodeId id = graph.last(); id != kNoNode; id = graph.previous(id)) {
      for (const Value& arg : graph.node(id).args)
        for_each_node(arg, [&](NodeId used) {
          if (is_used_.emplace(used, true).second) last_uses_[id].push_back(used);
        });
    }
  }

  // "def forward(self, x):" and its lines, each behind `indent` spaces.
  std::string write(size_t indent) {
    const std::string outer(indent, ' ');
    const std::string inner(indent + 4, ' ');
    std::string parameters;
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kPlaceholder) {
        parameters += format(", {}{}", graph_.text(node.target), annotation(node));
        if (node.name != node.target)
          body_ += format("{}{} = {}\n", inner, graph_.name_of(id), graph_.text(node.target));
        continue;
      }
      body_ += inner;
      append_node(id, node);
      append_deletions(id, node);
    }
    if (body_.empty()) body_ = inner + "pass\n";
    return format("{}def forward(self{}):\n{}", outer, parameters, body_);
  }

 private:
  std::string annotation(const Node& node) const {
    const Value& val = node.val;
    if (!has_values_ || val.is_unset()) return {};
    if (val.is_tensor()) {
      const Tensor& tensor = val.tensor();
      return format(": \"{}{}\"", short_dtype(tensor.dtype()), tensor.sizes());
    }
    if (!val.is_symbolic()) return {};
    std::string text;
    append_text(text, val);
    return format(": \"Sym({})\"", text);
  }

  static std::string_view short_dtype(DType dtype) {
    return dtype == DType::kBool ? "b8" : info(dtype).short_name;
  }

  void append_node(NodeId id, const Node& node) {
    if (node.kind == NodeKind::kOutput) {
      body_ += "return ";
      append_value(node.args.empty() ? Value() : node.args[0]);
      return;
    }
    body_ += format("{}{} = ", graph_.name_of(id), annotation(node));
    const std::string_view target = graph_.text(node.target);
    switch (node.kind) {
      case NodeKind::kGetAttr:
        append_path(target);
        break;
      case NodeKind::kCallModule:
        append_path(target);
        append_arguments(node, 0);
        break;
      case NodeKind::kCallMethod:
        append_value(node.args[0]);
        body_ += format(".{}", target);
        append_arguments(node, 1);
        break;
      default:
        append_call(node, target);
    }
  }

  // "self.a.weight"; what is no identifier is fetched by name.
  void append_path(std::string_view target) {
    std::string text = "self";
    while (!target.empty()) {
      const size_t dot = std::min(target.find('.'), target.size());
      const std::string_view part = target.substr(0, dot);
      const bool is_number = !part.empty() && part[0] >= '0' && part[0] <= '9';
      text = is_number ? format("getattr({}, \"{}\")", text, part) : format("{}.{}", text, part);
      target.remove_prefix(std::min(target.size(), dot + 1));
    }
    body_ += text;
  }

  void append_call(const Node& node, std::string_view target) {
    constexpr std::string_view kModule = "_operator.";
    constexpr std::string_view kBuiltins = "builtins.";
    if (target.starts_with(kModule) && node.keywords.empty()) {
      const std::string_view name = target.substr(kModule.size());
      const auto* const found =
          std::find_if(std::begin(kOperators), std::end(kOperators),
                       [&](const PythonOperator& op) { return op.name == name; });
      if (found != std::end(kOperators)) return append_operator(*found, node);
      target = target.substr(1);
    }
    if (target.starts_with(kBuiltins)) target.remove_prefix(kBuiltins.size());
    body_ += target;
    append_arguments(node, 0);
  }

  void append_operator(const PythonOperator& op, const Node& node) {
    body_ += op.before;
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (i > 0) body_ += op.between;
      append_value(node.args[i]);
    }
    body_ += op.after;
  }

  void append_arguments(const Node& node, size_t first) {
    body_ += '(';
    const std::span<const Value> args = node.positional();
    for (size_t i = first; i < args.size(); ++i) {
      if (i > first) body_ += ", ";
      append_value(args[i]);
    }
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      if (i > 0 || args.size() > first) body_ += ", ";
      body_ += format("{} = ", graph_.text(node.keywords[i]));
      append_value(node.by_keyword()[i]);
    }
    body_ += ')';
  }

  void append_value(const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) {
      body_ += graph_.name_of(node_of(value));
    } else if (value.is(Value::Tag::kString)) {
      append_quoted(body_, value.text());
    } else if (value.is(Value::Tag::kDevice)) {
      append_device(value.device());
    } else if (value.is_list()) {
      const bool is_tuple = value.is_tuple();
      body_ += is_tuple ? '(' : '[';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) body_ += ", ";
        append_value(value[i]);
      }
      if (is_tuple && value.size() == 1) body_ += ',';
      body_ += is_tuple ? ')' : ']';
    } else {
      append_text(body_, value);
    }
  }

  void append_device(Device device) {
    const std::string text = format("{}", device);
    const size_t colon = text.find(':');
    if (colon == std::string::npos) {
      body_ += format("device(type='{}')", text);
    } else {
      body_ += format("device(type='{}', index={})", text.substr(0, colon), text.substr(colon + 1));
    }
  }

  void append_deletions(NodeId id, const Node& node) {
    if (node.kind != NodeKind::kOutput) {
      std::vector<NodeId> deleted = last_uses_[id];
      if (graph_.users(id).empty()) deleted.push_back(id);
      for (size_t i = 0; i < deleted.size(); ++i)
        body_ += format("{}{}", i == 0 ? ";  " : " = ", graph_.name_of(deleted[i]));
      if (!deleted.empty()) body_ += " = None";
    }
    body_ += '\n';
  }

  const Graph& graph_;
  const bool has_values_;
  std::unordered_map<NodeId, bool> is_used_;
  std::unordered_map<NodeId, std::vector<NodeId>> last_uses_;  // by user
  std::string body_;
};

// Modules nest as deep as programs do, which readers bound.
void append_module(std::string& out, const Graph& graph, std::string_view name, size_t indent) {
  out += format("{}class {}(torch.nn.Module):\n", std::string(indent, ' '), name);
  out += CodeWriter(graph, true).write(indent + 4);
  for (const Graph::Submodule& module : graph.submodules()) {
    out += '\n';
    append_module(out, *module.graph, graph.text(module.name), indent + 4);
  }
}

}  // namespace

std::string readable_text(const Graph& graph, std::string_view class_name) {
  std::string text;
  append_module(text, graph, class_name, 0);
  return text;
}

std::string module_text(const Graph& graph) {
  std::string modules;
  for (const Graph::Submodule& module : graph.submodules())
    modules += format("  ({}): GraphModule()\n", graph.text(module.name));
  return format(
      "GraphModule({}{})\n\n\n\n{}    \n# To see more debug info, please use "
      "`graph_module.print_readable()`.",
      modules.empty() ? "" : "\n", modules, CodeWriter(graph, false).write(0));
}

}  // namespace faketensor
