#include "core/graph/text/graph_form_reader.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/graph/packet_call.h"
#include "core/graph/text/code_reader.h"
#include "core/graph/text/text_arguments.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// Reads the text line by line.
class GraphFormReader {
 public:
  explicit GraphFormReader(TextProgramBuilder& builder)
      : builder_(builder),
        program_(builder.program()),
        text_(builder.text().text()),
        rest_(text_) {}

  void read() {
    while (!rest_.empty() && !has_output_) {
      line_ = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(rest_.size(), line_.size() + 1));
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      skip_spaces();
      if (line_.empty() || line_.starts_with("graph(") || line_.starts_with("#")) continue;
      read_line();
    }
    if (has_output_) return;
    const auto end = static_cast<uint32_t>(text_.size());
    builder_.error({end > 0 ? end - 1 : 0, end}, "a graph ends with its return");
    const NodeId last = program_.graph().last();
    append_output(last == kNoNode ? Value() : node_ref(last), {});
  }

 private:
  static constexpr int kMaxNesting = 8;

  void read_line() {
    name_ = {};
    kind_ = NodeKind::kCallFunction;
    const std::string_view line = line_;
    try {
      if (accept("return")) {
        const Value result = read_result();
        append_output(result, span_of(line.substr(0, 6)));
      } else {
        read_node();
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnreadable) throw;
      builder_.error(wrong_, error.message());
      if (name_.empty() || names_.contains(program_.strings().intern(name_))) return;
      const bool is_input = kind_ == NodeKind::kPlaceholder;
      Node node;
      node.kind = kind_;
      node.name = program_.strings().intern(name_);
      node.target = is_input ? node.name : program_.strings().intern(kUnreadableTarget);
      if (!is_input) node.kind = NodeKind::kCallFunction;
      names_.emplace(node.name, builder_.append(program_.graph(), node, span_of(name_)));
    }
  }

  TextSpan span_of(std::string_view part) const {
    const auto begin = static_cast<uint32_t>(part.data() - text_.data());
    return {begin, begin + static_cast<uint32_t>(part.size())};
  }

  Value read_result() {
    schema_ = nullptr;
    skip_spaces();
    return read_value(0, false);
  }

  void append_output(const Value& result, TextSpan span) {
    const Value values[] = {result};
    Node node;
    node.kind = NodeKind::kOutput;
    node.name = node.target = program_.strings().intern("output");
    node.args = program_.arena().copy(std::span<const Value>(values));
    builder_.append(program_.graph(), node, span);
    has_output_ = true;
  }

  void read_node() {
    if (!accept("%")) fail("a line of a graph is '%name : ...' or 'return ...'");
    const std::string_view name = read_name();
    if (names_.contains(program_.strings().intern(name)))
      fail_at(name, format("the name {} a second time", name));
    name_ = name;
    skip_spaces();
    if (!accept(":")) fail("':' expected");
    const std::string_view annotation = read_annotation();
    Node node;
    node.kind = kind_ = read_kind();
    node.name = program_.strings().intern(name);
    read_target(node, name);
    if (node.kind == NodeKind::kPlaceholder) {
      const NodeId last = program_.graph().last();
      if (last != kNoNode && program_.graph().node(last).kind != NodeKind::kPlaceholder) {
        kind_ = NodeKind::kCallFunction;
        fail_at(name, "placeholders come first");
      }
    } else if (node.kind != NodeKind::kGetAttr) {
      read_arguments(node);
    }
    const NodeId id = builder_.append(program_.graph(), node, span_of(name));
    names_.emplace(node.name, id);
    if (!annotation.empty())
      builder_.annotate(program_.graph(), id, span_of(annotation), std::string(annotation));
  }

  // "f32[2, 3]" in quotes or without them, before the number of users.
  std::string_view read_annotation() {
    skip_spaces();
    const bool is_quoted = line_.starts_with("\"");
    if (is_quoted) line_.remove_prefix(1);
    size_t end = line_.find('"');
    if (!is_quoted) {
      end = std::min(line_.find(" [num_users="), line_.find(" = "));
      if (end == std::string_view::npos) return {};  // "%x : placeholder"
    }
    if (end == std::string_view::npos) fail("a string that does not end");
    const std::string_view said = line_.substr(0, end);
    const bool is_said = is_quoted || (!said.starts_with("[num_users") &&
                                       said.find("[target=") == std::string_view::npos);
    if (!is_said) return {};
    line_.remove_prefix(end + (is_quoted ? 1 : 0));
    return said;
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

  void warn_of_unknown(std::string_view target) {
    const std::string nearest = nearest_operator(target);
    if (!nearest.empty())
      builder_.warn(span_of(target),
                    format("{}: no operator has this name; did you mean {}?", target, nearest));
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
    if (node.kind == NodeKind::kCallFunction) warn_of_unknown(target);
    const bool is_python = target.starts_with("operator.");
    node.target =
        program_.strings().intern(is_python ? format("_{}", target) : std::string(target));
  }

  void read_arguments(Node& node) {
    const OpId op = program_.store().op_of(node.target);
    const bool is_known = op != kNoOp && node.kind == NodeKind::kCallFunction;
    schema_ = is_known ? &Registry::builtin().entry(op).schema : nullptr;
    const std::string_view target = program_.text(node.target);
    takes_operator_ = target.starts_with("torch.ops.higher_order.auto_functionalized") ||
                      target == "torch.ops.higher_order.with_effects";
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
    if (!is_string && text.front() == '{') return read_dictionary(depth);
    const bool is_list = !is_string && (text.front() == '[' || text.front() == '(');
    if (!is_list || text.ends_with("j)")) {
      line_.remove_prefix(text.size());
      return text == "None" ? Value() : is_string ? string(text) : read_word(text);
    }
    line_.remove_prefix(1);
    return read_list(depth, text.front() == '(' && schema_ == nullptr);
  }

  Value read_word(std::string_view text) {
    if (text == "True" || text == "False") return text == "True";
    const StringId name = program_.strings().find(text, 0);
    if (const auto found = names_.find(name); name != 0 && found != names_.end())
      return node_ref(found->second);
    std::string_view digits = text;
    if (digits.starts_with("(")) digits = digits.substr(1, digits.size() - 2);
    if (const auto number = parse_python_number(program_.arena(), digits)) return *number;
    if (const auto constant = parse_torch_constant(text)) return *constant;
    if (const auto device = parse_device(text)) return *device;
    return takes_operator_ && is_overload(text) ? string(format("{}{}", kTorchOps, text))
                                                : string(text);
  }

  // "aten.add_.Tensor"
  static bool is_overload(std::string_view text) {
    return std::count(text.begin(), text.end(), '.') == 2 &&
           std::all_of(text.begin(), text.end(), [](char c) {
             return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
           });
  }

  Value read_list(int depth, bool is_tuple) {
    std::vector<Value> values;
    for (skip_spaces(); !accept("]") && !accept(")"); read_separator())
      values.push_back(read_value(depth + 1, false));
    return make_list(program_.arena(), values, is_tuple);
  }

  Value read_dictionary(int depth) {
    line_.remove_prefix(1);
    std::vector<Value> items;
    for (skip_spaces(); !accept("}"); read_separator()) {
      const std::string_view name = read_name();
      const bool is_number = name.find_first_not_of("0123456789") == std::string_view::npos;
      const Value key = is_number ? read_word(name) : string(name);
      if (!accept(":")) fail("':' expected");
      items.push_back(make_item(program_.arena(), key, read_value(depth + 1, false)));
    }
    return Value::dict(program_.arena().copy(std::span<const Value>(items)));
  }

  Value reference(std::string_view name) {
    const StringId id = program_.strings().find(name, 0);
    const auto found = names_.find(id);
    if (id == 0 || found == names_.end())
      fail_at(name, format("the name {} before its definition", name));
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
  [[noreturn]] void fail(std::string_view what) {
    // The word that stands there, or the end of the line.
    size_t size = 0;
    while (size < line_.size() && line_[size] != ' ' && line_[size] != ',') ++size;
    fail_at(line_.substr(0, size), what);
  }
  [[noreturn]] void fail_at(std::string_view part, std::string_view what) {
    wrong_ = span_of(part);
    if (wrong_.begin == wrong_.end && wrong_.begin > 0) --wrong_.begin;
    throw_error(ErrorKind::kUnreadable, std::string(what));
  }

  TextProgramBuilder& builder_;
  Program& program_;
  std::string_view text_;
  std::string_view rest_;
  std::string_view line_;
  bool has_output_ = false;
  const Schema* schema_ = nullptr;  // of the operator whose arguments are read
  bool takes_operator_ = false;     // whether that operator is handed another
  std::unordered_map<StringId, NodeId> names_;
  // Of the line that is read.
  std::string_view name_;
  NodeKind kind_ = NodeKind::kCallFunction;
  TextSpan wrong_;
};

}  // namespace

bool looks_like_graph_form(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  return text.starts_with("graph(") || text.starts_with("%") || text.starts_with("opcode ");
}

void read_graph_form(TextProgramBuilder& builder) { GraphFormReader(builder).read(); }

}  // namespace faketensor
