#include "core/graph/graph_text.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/support/error.h"
#include "core/support/format.h"

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
        text_ += value.text();
        break;
      case Value::Tag::kDevice:
        text_ += format("{}", value.device());
        break;
      case Value::Tag::kGraph:
        text_ += graph_.text(value.graph().name);
        break;
      case Value::Tag::kList:
      case Value::Tag::kIntList:
        text_ += value.is_tuple() ? '(' : '[';
        append_elements(value);
        text_ += value.is_tuple() ? (value.size() == 1 ? ",)" : ")") : "]";
        break;
      default:
        append_text(text_, value);
    }
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

namespace {

// A number as Python prints it; nothing for other text.
std::optional<Value> parse_number(Arena& arena, std::string_view text) {
  const std::string digits(text);
  if (digits.empty()) return {};
  char* end = nullptr;
  if (digits.find_first_not_of("+-0123456789") == std::string::npos) {
    errno = 0;
    const long long number = std::strtoll(digits.c_str(), &end, 10);
    constexpr int64_t kLeast = -(int64_t{1} << 62);  // the least integer that a SymInt holds
    if (*end != '\0' || errno == ERANGE || number < kLeast) return {};
    return Value(static_cast<int64_t>(number));
  }
  const bool is_complex = digits.back() == 'j';
  if (digits.find_first_not_of("+-0123456789.einfaj") != std::string::npos) return {};
  double parts[] = {std::strtod(digits.c_str(), &end), 0};
  if (end == digits.c_str()) return {};
  if (!is_complex) return *end == '\0' ? std::optional<Value>(parts[0]) : std::nullopt;
  if (*end == 'j') {
    parts[1] = std::exchange(parts[0], 0);
  } else {
    const char* rest = end;
    parts[1] = std::strtod(rest, &end);
    if (end == rest) return {};
  }
  if (std::string_view(end) != "j") return {};
  return Value::complex(arena.copy(std::span<const double>(parts)).data());
}

// Reads the text line by line.
class GraphReader {
 public:
  explicit GraphReader(std::string_view text) : rest_(text) {}

  Program read() {
    bool has_output = false;
    while (!rest_.empty() && !has_output) {
      line_ = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
      ++number_;
      skip_spaces();
      if (line_.empty() || line_.starts_with("graph(")) continue;
      has_output = accept("return");
      if (has_output) {
        read_output();
      } else {
        read_node();
      }
    }
    if (!has_output) fail("a graph ends with its return");
    program_.inputs.resize(program_.plan().input_count());
    build_module_tree(program_);
    return std::move(program_);
  }

 private:
  static constexpr int kMaxNesting = 8;

  void read_output() {
    schema_ = nullptr;
    Value result[] = {read_value(0, false)};
    Node node;
    node.kind = NodeKind::kOutput;
    node.name = node.target = program_.strings().intern("output");
    node.args = program_.arena().copy(std::span<const Value>(result));
    program_.graph().append(node);
    program_.outputs.resize(result[0].is_list() ? result[0].size() : 1);
  }

  void read_node() {
    if (!accept("%")) fail("a line of a graph is '%name : ...' or 'return ...'");
    const std::string_view name = read_name();
    skip_spaces();
    if (!accept(":")) fail("':' expected");
    Node node;
    node.kind = read_kind();
    node.name = program_.strings().intern(name);
    read_target(node, name);
    if (node.kind == NodeKind::kPlaceholder) {
      const NodeId last = program_.graph().last();
      if (last != kNoNode && program_.graph().node(last).kind != NodeKind::kPlaceholder)
        fail("placeholders come first");
    } else if (node.kind != NodeKind::kGetAttr) {
      read_arguments(node);
    }
    if (!names_.emplace(node.name, program_.graph().append(node)).second)
      fail(format("the name {} a second time", name));
  }

  // The kind of a node stands behind '=', if there is one.
  NodeKind read_kind() {
    constexpr NodeKind kKinds[] = {NodeKind::kPlaceholder, NodeKind::kGetAttr,
                                   NodeKind::kCallFunction, NodeKind::kCallMethod,
                                   NodeKind::kCallModule};
    const size_t equals = line_.substr(0, line_.find("[target=")).rfind("= ");
    if (equals != std::string_view::npos) line_.remove_prefix(equals + 1);
    skip_spaces();
    for (const NodeKind kind : kKinds) {
      if (accept(faketensor::name(kind))) return kind;
    }
    fail("a node is a placeholder, a get_attr or a call");
  }

  // "[target=torch.ops.aten.mm.default]"; a placeholder's may be left out.
  void read_target(Node& node, std::string_view name) {
    std::string_view target = name;
    if (accept("[target=")) {
      const size_t end = line_.find(']');
      if (end == std::string_view::npos) fail("']' expected");
      target = line_.substr(0, end);
      line_.remove_prefix(end + 1);
    } else if (node.kind != NodeKind::kPlaceholder) {
      fail("'[target=' expected");
    }
    const bool is_python = target.starts_with("operator.");
    node.target =
        program_.strings().intern(is_python ? format("_{}", target) : std::string(target));
  }

  void read_arguments(Node& node) {
    const OpId op = program_.store().op_of(node.target);
    const bool is_known = op != kNoOp && node.kind == NodeKind::kCallFunction;
    schema_ = is_known ? &Registry::builtin().entry(op).schema : nullptr;
    std::vector<Value> args;
    std::vector<StringId> keywords;
    if (!accept("(args = (")) fail("'(args = (' expected");
    for (skip_spaces(); !accept(")"); read_separator())
      args.push_back(read_value(0, is_string(args.size())));
    if (!accept(", kwargs = {")) fail("', kwargs = {' expected");
    for (skip_spaces(); !accept("}"); read_separator()) {
      const std::string_view keyword = read_name();
      if (!accept(":")) fail("':' expected");
      const int place = schema_ == nullptr ? -1 : schema_->find_argument(keyword);
      args.push_back(read_value(0, place >= 0 && is_string(static_cast<size_t>(place))));
      keywords.push_back(program_.strings().intern(keyword));
    }
    node.args = program_.arena().copy(std::span<const Value>(args));
    node.keywords = program_.arena().copy(std::span<const StringId>(keywords));
  }

  bool is_string(size_t place) const {
    if (schema_ == nullptr || place >= schema_->arguments.size()) return false;
    const ArgType& type = schema_->arguments[place].type;
    return type.kind == ArgKind::kString && !type.is_list;
  }

  Value read_value(int depth, bool is_string) {
    skip_spaces();
    if (depth > kMaxNesting) fail("lists nested too deep");
    if (line_.starts_with("%") && !is_string) {
      accept("%");
      return reference(read_name());
    }
    const std::string_view text = token();
    if (text.empty() && !is_string) fail("a value expected");
    const bool is_list = !is_string && (text.front() == '[' || text.front() == '(');
    if (!is_list || text.ends_with("j)")) {
      line_.remove_prefix(text.size());
      return text == "None" ? Value() : is_string ? string(text) : read_word(text);
    }
    line_.remove_prefix(1);
    const bool is_tuple = text.front() == '(' && schema_ == nullptr;
    const Value list = read_list(depth);
    return is_tuple && list.is(Value::Tag::kList) ? Value::tuple(list.values()) : list;
  }

  Value read_word(std::string_view text) {
    if (text == "True" || text == "False") return text == "True";
    const StringId name = program_.strings().find(text, 0);
    if (const auto found = names_.find(name); name != 0 && found != names_.end())
      return node_ref(found->second);
    std::string_view digits = text;
    if (digits.starts_with("(")) digits = digits.substr(1, digits.size() - 2);
    if (const auto number = parse_number(program_.arena(), digits)) return *number;
    if (text.starts_with("torch.")) {
      const std::string_view last = text.substr(6);
      if (const auto dtype = parse_dtype(last)) return *dtype;
      if (const auto format = parse_memory_format(last)) return *format;
      if (const auto layout = parse_layout(last)) return *layout;
    }
    if (const auto device = parse_device(text)) return *device;
    return string(text);
  }

  Value read_list(int depth) {
    std::vector<Value> values;
    bool all_ints = true;
    for (skip_spaces(); !accept("]") && !accept(")"); read_separator()) {
      values.push_back(read_value(depth + 1, false));
      all_ints = all_ints && values.back().is(Value::Tag::kInt);
    }
    Arena& arena = program_.arena();
    if (!all_ints || values.empty()) return Value::list(arena.copy(std::span<const Value>(values)));
    DimVector ints;
    for (const Value& element : values) ints.push_back(element.as_sym_int());
    return Value::ints(arena.copy(ints.span()));
  }

  Value reference(std::string_view name) {
    const StringId id = program_.strings().find(name, 0);
    const auto found = names_.find(id);
    if (id == 0 || found == names_.end()) fail(format("the name {} before its definition", name));
    return node_ref(found->second);
  }

  Value string(std::string_view text) { return Value::string(program_.arena().copy(text)); }

  std::string_view read_name() {
    size_t size = 0;
    while (size < line_.size() && (std::isalnum(static_cast<unsigned char>(line_[size])) != 0 ||
                                   line_[size] == '_' || line_[size] == '.'))
      ++size;
    const std::string_view name = line_.substr(0, size);
    if (name.empty()) fail("a name expected");
    line_.remove_prefix(size);
    return name;
  }

  // Up to the comma or bracket that ends a value; brackets inside it come in pairs.
  std::string_view token() const {
    int depth = 0;
    size_t size = 0;
    for (; size < line_.size(); ++size) {
      const char c = line_[size];
      if (c == '(' || c == '[' || c == '{') ++depth;
      const bool closes = c == ')' || c == ']' || c == '}';
      if (depth == 0 && (closes || line_.substr(size).starts_with(", "))) break;
      if (depth == 0 && line_.substr(size).starts_with(",)")) break;
      if (closes) --depth;
    }
    return line_.substr(0, size);
  }

  void read_separator() {
    skip_spaces();
    if (line_.starts_with(")") || line_.starts_with("]") || line_.starts_with("}")) return;
    if (!accept(",")) fail("',' expected");
    skip_spaces();
  }
  bool accept(std::string_view text) {
    if (!line_.starts_with(text)) return false;
    line_.remove_prefix(text.size());
    return true;
  }
  void skip_spaces() {
    while (line_.starts_with(" ") || line_.starts_with("\t")) line_.remove_prefix(1);
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw_error(ErrorKind::kUnreadable, format("line {} of the graph: {}", number_, what));
  }

  std::string_view rest_;
  std::string_view line_;
  size_t number_ = 0;
  Program program_;
  const Schema* schema_ = nullptr;  // of the operator whose arguments are read
  std::unordered_map<StringId, NodeId> names_;
};

}  // namespace

Program read_graph_text(std::string_view text) { return GraphReader(text).read(); }

}  // namespace faketensor
