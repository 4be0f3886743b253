#include "core/graph/readable.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/plan.h"
#include "core/graph/text/text_arguments.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

struct PythonOperator {
  std::string_view name;
  std::string_view before;
  std::string_view between;
  std::string_view after;
};

// torch.fx.graph.magic_methods, of the functions of `operator`.
constexpr PythonOperator kPythonOperators[] = {
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
  CodeWriter(const Graph& graph, bool has_values, const ReadableOptions& options = {})
      : graph_(graph), has_values_(has_values), options_(options) {
    for (NodeId id = graph.last(); id != kNoNode; id = graph.previous(id)) {
      for (const Value& arg : graph.node(id).args)
        for_each_node(arg, [&](NodeId used) {
          if (is_used_.emplace(used, true).second) last_uses_[id].push_back(used);
        });
    }
  }

  // "def forward(self, x):" and its lines, each behind `indent` spaces.
  std::string write(size_t indent) {
    const std::string inner(indent + 4, ' ');
    std::vector<std::pair<NodeId, std::string>> parameters;
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kPlaceholder) {
        parameters.emplace_back(id, format("{}{}", graph_.text(node.target), annotation(node)));
        if (node.name != node.target)
          body_ += format("{}{} = {}\n", inner, graph_.name_of(id), graph_.text(node.target));
        continue;
      }
      if (options_.has_source_lines && node.kind != NodeKind::kOutput)
        append_source_line(node, inner);
      body_ += inner;
      const std::string_view named =
          node.kind == NodeKind::kOutput ? std::string_view("return") : graph_.name_of(id);
      note_span(id, body_.size(), named.size());
      append_node(id, node);
      append_deletions(id, node);
    }
    if (body_.empty()) body_ = inner + "pass\n";
    const std::string head = header(parameters, indent);
    for (auto& [id, span] : spans_) {
      if (graph_.node(id).kind == NodeKind::kPlaceholder) continue;
      span.begin += static_cast<uint32_t>(head.size());
      span.end += static_cast<uint32_t>(head.size());
    }
    return head + body_;
  }

  // Where nodes are named in what was written.
  std::span<const std::pair<NodeId, TextSpan>> spans() const { return spans_; }

 private:
  void note_span(NodeId id, size_t begin, size_t size) {
    spans_.emplace_back(
        id, TextSpan{static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)});
  }

  std::string header(std::span<const std::pair<NodeId, std::string>> parameters, size_t indent) {
    constexpr size_t kFew = 3;
    const bool is_expanded = options_.has_expanded_parameters && parameters.size() > kFew;
    const std::string outer(indent, ' ');
    std::string text = format("{}def forward(self", outer);
    for (const auto& [id, parameter] : parameters) {
      text += is_expanded ? format(",\n{}", std::string(indent + 4, ' ')) : std::string(", ");
      note_span(id, text.size(), graph_.text(graph_.node(id).target).size());
      text += parameter;
    }
    return text + (is_expanded ? format("\n{}):\n", outer) : std::string("):\n"));
  }

  // The last frame of a stack trace, once for the nodes that share it.
  void append_source_line(const Node& node, const std::string& inner) {
    std::string line = "# " + source_line(graph_.text(node.stack_trace));
    if (line == last_line_) return;
    if (!body_.empty()) body_ += '\n';
    body_ += format("{}{}\n", inner, line);
    last_line_ = std::move(line);
  }

  // Mirrors _parse_stack_trace and _ParsedStackTrace.get_summary_str.
  static std::string source_line(std::string_view trace) {
    const size_t file = trace.rfind("File \"");
    const size_t name_begin = file + 6;
    const size_t name_end = trace.find("\", line ", name_begin);
    if (file == std::string_view::npos || name_end == std::string_view::npos)
      return "No stacktrace found for following nodes";
    std::string_view rest = trace.substr(name_end + 8);
    const size_t comma = rest.find(", in ");
    const size_t line_end = std::min(rest.find('\n'), rest.size());
    if (comma == std::string_view::npos || comma > line_end)
      return "No stacktrace found for following nodes";
    std::string_view code = rest.substr(line_end);
    const size_t first = std::min(code.find_first_not_of(" \n\t"), code.size());
    code = code.substr(first, std::min(code.find('\n', first), code.size()) - first);
    if (code.empty()) return "No stacktrace found for following nodes";
    return format("File: {}:{} in {}, code: {}", trace.substr(name_begin, name_end - name_begin),
                  rest.substr(0, comma), rest.substr(comma + 5, line_end - comma - 5), code);
  }

  std::string annotation(const Node& node) const {
    if (!has_values_) return {};
    const Value& val = node.val;
    if (val.is_tensor()) return tensor_annotation(node, *val.tensor().meta);
    if (node.recorded != nullptr) return tensor_annotation(node, *node.recorded);
    if (val.is_unset() || !val.is_symbolic()) return {};
    std::string text;
    append_text(text, val);
    return format(": \"Sym({})\"", text);
  }

  std::string tensor_annotation(const Node& node, const TensorMeta& meta) const {
    if (meta.layout() == Layout::kSparseCsr || meta.layout() == Layout::kSparseCsc) return {};
    std::string text = format("{}{}", short_dtype(meta.dtype()), meta.sizes());
    if (options_.has_unusual_layouts && meta.layout() == Layout::kStrided) {
      const DimVector usual = contiguous_strides(meta.sizes());
      const bool is_usual = std::equal(usual.begin(), usual.end(), meta.strides().begin(),
                                       [](auto a, auto b) { return same_expr(a, b); });
      if (!is_usual && node.kind == NodeKind::kPlaceholder) text += format("{}", meta.strides());
      if (meta.device().type != DeviceType::kCPU) text += format("{}", meta.device());
    }
    return format(": \"{}\"", text);
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
          std::find_if(std::begin(kPythonOperators), std::end(kPythonOperators),
                       [&](const PythonOperator& op) { return op.name == name; });
      if (found != std::end(kPythonOperators)) return append_operator(*found, node);
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
      // An operator that is handed over has no quotes.
      if (value.text().starts_with(kTorchOps)) {
        body_ += value.text();
      } else {
        append_quoted(body_, value.text());
      }
    } else if (value.is(Value::Tag::kDevice)) {
      append_device(value.device());
    } else if (value.is_dict()) {
      body_ += '{';
      for (size_t i = 0; i < value.size(); ++i) {
        if (i > 0) body_ += ", ";
        append_value(value[i][0]);
        body_ += ": ";
        append_value(value[i][1]);
      }
      body_ += '}';
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
  const ReadableOptions options_;
  std::vector<std::pair<NodeId, TextSpan>> spans_;
  std::string last_line_;
  std::unordered_map<NodeId, bool> is_used_;
  std::unordered_map<NodeId, std::vector<NodeId>> last_uses_;  // by user
  std::string body_;
};

// The submodules, and the graphs of higher-order operators, which files do not list as such.
std::vector<Graph::Submodule> modules_of(const Graph& graph) {
  const std::span<const Graph::Submodule> listed = graph.submodules();
  std::vector<Graph::Submodule> modules(listed.begin(), listed.end());
  std::unordered_set<StringId> names;
  for (const Graph::Submodule& module : listed) names.insert(module.name);
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kGetAttr && node.val.is(Value::Tag::kGraph) &&
        names.insert(node.target).second)
      modules.push_back({node.target, &node.val.graph()});
  }
  return modules;
}

// Modules nest as deep as programs do, which readers bound. `spans` of the outermost are noted.
void append_module(std::string& out, const Graph& graph, std::string_view name, size_t indent,
                   const ReadableOptions& options,
                   std::vector<std::pair<NodeId, TextSpan>>* spans = nullptr) {
  out += format("{}class {}(torch.nn.Module):\n", std::string(indent, ' '), name);
  CodeWriter writer(graph, true, options);
  const auto begin = static_cast<uint32_t>(out.size());
  out += writer.write(indent + 4);
  if (spans != nullptr) {
    for (const auto& [id, span] : writer.spans())
      spans->emplace_back(id, TextSpan{span.begin + begin, span.end + begin});
  }
  for (const Graph::Submodule& module : modules_of(graph)) {
    out += '\n';
    append_module(out, *module.graph, graph.text(module.name), indent + 4, options);
  }
}

std::string_view signature_name(InputSpec::Kind kind) {
  static constexpr std::string_view kNames[] = {"USER_INPUT",      "PARAMETER", "BUFFER",
                                                "CONSTANT_TENSOR", "TOKEN",     "CUSTOM_OBJ"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view signature_name(OutputSpec::Kind kind) {
  static constexpr std::string_view kNames[] = {"USER_OUTPUT",
                                                "LOSS_OUTPUT",
                                                "BUFFER_MUTATION",
                                                "PARAMETER_MUTATION",
                                                "USER_INPUT_MUTATION",
                                                "GRADIENT_TO_PARAMETER",
                                                "GRADIENT_TO_USER_INPUT",
                                                "TOKEN"};
  return kNames[static_cast<size_t>(kind)];
}

// Mirrors ExportGraphSignature.__str__.
void append_signature(std::string& out, const Program& program) {
  out += "\nGraph signature:\n    # inputs\n";
  for (Row row = 0; row < program.inputs.size(); ++row) {
    const InputSpec& input = program.inputs[row];
    out += format("    {}: {}", program.plan().name_of(row), signature_name(input.kind));
    if (input.target != 0) out += format(" target='{}'", program.text(input.target));
    if (input.kind == InputSpec::Kind::kBuffer)
      out += input.persistent ? " persistent=True" : " persistent=False";
    out += '\n';
  }
  out += "\n    # outputs\n";
  const std::span<const Value> result =
      program.plan().row(static_cast<Row>(program.plan().size()) - 1).args;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const OutputSpec& output = program.outputs[i];
    const Value value =
        result.size() == 1 && result[0].is_list() && i < result[0].size() ? result[0][i] : Value();
    const std::string_view name =
        value.is(Value::Tag::kNodeRef) ? program.plan().name_of(value.node()) : std::string_view();
    out += format("    {}: {}", name, signature_name(output.kind));
    if (output.target != 0) out += format(" target='{}'", program.text(output.target));
    out += '\n';
  }
}

void append_symbols(std::string& out, const Program& program) {
  if (program.symbols.empty()) return;
  std::string ranges;
  std::string hints;
  for (const SymbolSpec& symbol : program.symbols) {
    const auto end = [](std::optional<int64_t> bound, std::string_view unbounded) {
      return bound ? format("{}", *bound) : std::string(unbounded);
    };
    ranges += format("{}{}: VR[{}, {}]", ranges.empty() ? "" : ", ", symbol.name,
                     end(symbol.lower, "-int_oo"), end(symbol.upper, "int_oo"));
    if (symbol.hint)
      hints += format("{}{}: {}", hints.empty() ? "" : ", ", symbol.name, *symbol.hint);
  }
  out += format("\nRange constraints: {{}}\n", ranges);
  if (!hints.empty()) out += format("Hints: {{}}\n", hints);
}

}  // namespace

std::string readable_text(const Graph& graph, std::string_view class_name,
                          const ReadableOptions& options) {
  std::string text;
  append_module(text, graph, class_name, 0, options);
  return text;
}

ProgramText readable_program(const Program& program) {
  const ReadableOptions options{true, true, true};
  std::string text;
  std::vector<std::pair<NodeId, TextSpan>> spans;
  append_module(text, program.graph(), "GraphModule", 0, options, &spans);
  append_signature(text, program);
  append_symbols(text, program);
  ProgramText result(std::move(text));
  for (const auto& [id, span] : spans) result.set_span(id, span);
  return result;
}

std::string code_text(const Graph& graph) {
  return format("\n\n\n{}    ", CodeWriter(graph, false).write(0));
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
