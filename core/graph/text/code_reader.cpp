#include "core/graph/text/code_reader.h"

#include <algorithm>

#include "core/graph/text/code_outline.h"
#include "core/graph/text/expression_reader.h"
#include "core/graph/text/lexer.h"
#include "core/graph/text/text_arguments.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kStatements[] = {"if",   "for",    "while",  "with",     "try",
                                            "def",  "class",  "assert", "raise",    "yield",
                                            "else", "global", "lambda", "nonlocal", "async"};

// A frame of a stack trace of '# File: x.py:12 in forward, code: y = f(x)'.
std::string stack_trace_of(std::string_view comment) {
  constexpr std::string_view kFile = "File: ";
  constexpr std::string_view kIn = " in ";
  constexpr std::string_view kCode = ", code: ";
  const size_t file = comment.find(kFile);
  if (file == std::string_view::npos) return {};
  comment.remove_prefix(file + kFile.size());
  const size_t code = comment.find(kCode);
  const std::string_view place = comment.substr(0, code);
  const size_t in = place.rfind(kIn);
  const size_t colon = place.substr(0, in).rfind(':');
  if (in == std::string_view::npos || colon == std::string_view::npos) return {};
  return format(
      "  File \"{}\", line {}, in {}\n    {}\n", place.substr(0, colon),
      place.substr(colon + 1, in - colon - 1), place.substr(in + kIn.size()),
      code == std::string_view::npos ? std::string_view() : comment.substr(code + kCode.size()));
}

// One forward function into a graph.
class FunctionReader {
 public:
  FunctionReader(TextProgramBuilder& builder, const CodeModule& module, Graph& graph)
      : builder_(builder),
        module_(module),
        graph_(graph),
        lexer_(builder.text().text(), module.function.begin, builder.text().text().size()),
        expressions_(builder, lexer_, {graph, [this](std::string_view path, TextSpan span) {
                                         return attribute(path, span);
                                       }}) {}

  void read() {
    attempt([&] { read_header(); });
    while (!at_end()) read_line();
    if (!has_output_) {
      builder_.error({lexer_.last_end() > 0 ? lexer_.last_end() - 1 : 0, lexer_.last_end()},
                     "a function ends with its return");
      append_output(last_ == kNoNode ? Value() : node_ref(last_), {});
    }
  }

 private:
  const Token& token() const { return lexer_.token(); }
  Interner& strings() { return builder_.program().strings(); }

  bool at_end() {
    while (token().kind == Token::Kind::kLineEnd) lexer_.advance();
    if (token().kind == Token::Kind::kEnd) return true;
    return has_header_ && lexer_.indent() <= module_.function_indent;
  }

  // Runs `read`; what it raises is a problem of the text, and the rest of the line is passed over.
  template <typename Read>
  bool attempt(const Read& read) {
    try {
      read();
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUnreadable) throw;
      builder_.error(expressions_.wrong_span(), error.message());
      return false;
    }
  }

  void skip_statement() {
    lexer_.skip_line();
    // Lines that a bracket had joined to this one.
    while (token().kind == Token::Kind::kLineEnd) {
      TextLexer ahead = lexer_;
      while (ahead.token().kind == Token::Kind::kLineEnd) ahead.advance();
      if (ahead.token().kind == Token::Kind::kEnd || ahead.indent() <= indent_) return;
      lexer_ = ahead;
      lexer_.skip_line();
    }
  }

  // --- the header ---

  void read_header() {
    lexer_.advance();  // def
    if (token().is_name("def")) lexer_.advance();
    if (token().kind != Token::Kind::kName) expressions_.fail("the function's name expected");
    lexer_.advance();
    expressions_.expect("(");
    bool is_first = true;
    while (!token().is(")")) {
      if (!read_parameter(is_first)) break;
      is_first = false;
      if (!expressions_.accept(",")) break;
    }
    expressions_.expect(")");
    if (expressions_.accept("->")) read_type();
    expressions_.expect(":");
    has_header_ = true;
  }

  bool read_parameter(bool is_first) {
    if (expressions_.accept("*") || expressions_.accept("/")) return true;
    const Token name = token();
    if (name.kind != Token::Kind::kName) expressions_.fail("a parameter's name expected");
    lexer_.advance();
    if (is_first && name.text == "self") return true;
    Node node;
    node.kind = NodeKind::kPlaceholder;
    node.name = node.target = expressions_.free_name(name.text);
    node.val = Value::unset();
    if (expressions_.find(name.text) != nullptr)
      expressions_.fail(name.span, format("a second parameter {}", name.text));
    const NodeId id = builder_.append(graph_, node, name.span);
    expressions_.define(name.text, node_ref(id));
    if (expressions_.accept(":")) read_annotation(id, name.text);
    if (expressions_.accept("=")) {
      const Value value = expressions_.value_of(expressions_.read());
      if (!builder_.is_annotated(graph_, id)) graph_.meta(id).val = value;
    }
    return true;
  }

  // A string or, without quotes, what stands up to the comma.
  void read_annotation(NodeId id, std::string_view /*name*/) {
    if (token().kind == Token::Kind::kString) {
      const Token text = token();
      lexer_.advance();
      builder_.annotate(graph_, id, text.span, unquoted(text.text));
      return;
    }
    const TextSpan span = read_type();
    builder_.annotate(graph_, id, span, std::string(builder_.text().text(span)));
  }

  // What stands up to "," "=" ")" or ":" outside of brackets.
  TextSpan read_type() {
    TextSpan span = token().span;
    int depth = 0;
    while (token().kind != Token::Kind::kEnd && token().kind != Token::Kind::kLineEnd) {
      const std::string_view text = token().text;
      const bool closes = text == ")" || text == "]" || text == "}";
      if (depth == 0 && (closes || text == "," || text == "=" || text == ":" || text == ";")) break;
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (closes) --depth;
      span.end = token().span.end;
      lexer_.advance();
    }
    return span;
  }

  // --- statements ---

  void read_line() {
    indent_ = lexer_.indent();
    if (has_output_) {
      builder_.error(token().span, "a statement behind the return");
      skip_statement();
      return;
    }
    while (token().kind != Token::Kind::kLineEnd && token().kind != Token::Kind::kEnd) {
      targets_.clear();
      note_comment();
      const bool is_read = attempt([&] { read_statement(); });
      if (!is_read) {
        define_unreadable();
        skip_statement();
        return;
      }
      if (token().is(";")) {
        lexer_.advance();
      } else if (token().kind != Token::Kind::kLineEnd && token().kind != Token::Kind::kEnd) {
        builder_.error(token().span, "the end of the statement expected");
        skip_statement();
        return;
      }
    }
  }

  void note_comment() {
    if (lexer_.comment().data() == comment_.data()) return;
    comment_ = lexer_.comment();
    const std::string trace = stack_trace_of(comment_);
    if (!trace.empty() || comment_.find("No stacktrace") != std::string_view::npos)
      expressions_.set_stack_trace(strings().intern(trace));
  }

  void read_statement() {
    const Token first = token();
    if (first.kind == Token::Kind::kString) {
      lexer_.advance();
      return;
    }
    if (first.is_name("pass") || first.is_name("import") || first.is_name("from") ||
        first.is_name("del")) {
      lexer_.skip_line();
      return;
    }
    if (first.is_name("return")) {
      lexer_.advance();
      const bool is_empty =
          token().kind == Token::Kind::kLineEnd || token().kind == Token::Kind::kEnd;
      append_output(is_empty ? Value() : without_keys(read_tuple()), first.span);
      return;
    }
    if (first.kind == Token::Kind::kName &&
        std::find(std::begin(kStatements), std::end(kStatements), first.text) !=
            std::end(kStatements)) {
      expressions_.fail(first.span,
                        format("'{}' is none of a graph's statements, which are assignments and "
                               "one return",
                               first.text));
    }
    if (read_targets()) {
      read_assigned();
      return;
    }
    if (read_in_place()) return;
    // A call whose value has no name.
    last_value(expressions_.value_of(expressions_.read()));
  }

  // The names on the left: "a =", "a: "f32[2]" =", "a, b =". False where none are.
  bool read_targets() {
    TextLexer ahead = lexer_;
    std::vector<Token> names;
    while (ahead.token().kind == Token::Kind::kName) {
      names.push_back(ahead.token());
      ahead.advance();
      if (!ahead.token().is(",")) break;
      ahead.advance();
    }
    if (names.empty() || (!ahead.token().is("=") && !ahead.token().is(":"))) return false;
    lexer_ = ahead;
    targets_ = std::move(names);
    is_unpacked_ = targets_.size() > 1 || builder_.text().text()[lexer_.last_end() - 1] == ',';
    annotation_ = {};
    annotation_text_.clear();
    if (expressions_.accept(":")) {
      annotation_ = token().span;
      if (token().kind == Token::Kind::kString) {
        annotation_text_ = unquoted(token().text);
        lexer_.advance();
      } else {
        annotation_ = read_type();
        annotation_text_ = builder_.text().text(annotation_);
      }
    }
    return true;
  }

  void read_assigned() {
    if (!expressions_.accept("=")) {
      // "x: "f32[2, 3]"" of a parameter, as unlifted modules print it.
      const Value* known = expressions_.find(targets_[0].text);
      if (known == nullptr || !known->is(Value::Tag::kNodeRef))
        expressions_.fail(targets_[0].span, format("{} has no value yet", targets_[0].text));
      builder_.annotate(graph_, node_of(*known), annotation_, annotation_text_);
      return;
    }
    if (is_packing_of_inputs()) {
      lexer_.skip_line();
      return;
    }
    // "a = b = None".
    std::vector<Token> chain;
    while (token().kind == Token::Kind::kName) {
      TextLexer ahead = lexer_;
      ahead.advance();
      if (!ahead.token().is("=")) break;
      chain.push_back(token());
      lexer_ = ahead;
      lexer_.advance();
    }
    if (is_deletion()) return;
    const TextSpan begin = token().span;
    ParsedOperand operand = expressions_.read();
    if (token().is(",")) operand = tuple_of(std::move(operand));
    const bool is_guard = operand.pending && operand.pending->kind == NodeKind::kCallModule &&
                          operand.pending->target == "_guards_fn";
    if (is_guard) {
      expressions_.define(targets_[0].text, Value());
      return;
    }
    assign(std::move(operand), begin);
    for (const Token& other : chain) {
      const Value* value = expressions_.find(targets_[0].text);
      expressions_.define(other.text, value == nullptr ? Value() : *value);
    }
  }

  // "x, n, = fx_pytree.tree_flatten_spec(([x, n], {}), self._in_spec)": the parameters again.
  bool is_packing_of_inputs() const { return token().is_name("fx_pytree"); }

  // "= None" of values that there are.
  bool is_deletion() {
    if (!token().is_name("None")) return false;
    const bool is_known = std::all_of(targets_.begin(), targets_.end(), [&](const Token& name) {
      return expressions_.find(name.text) != nullptr;
    });
    if (is_known) lexer_.advance();
    return is_known;
  }

  void assign(ParsedOperand operand, TextSpan begin) {
    const TextSpan span = operand.span.is_somewhere() ? operand.span : begin;
    if (!is_unpacked_) {
      const Token& name = targets_[0];
      if (!operand.path.empty() && operand.path.starts_with("self."))
        return assign_attribute(operand, name);
      const bool is_new = operand.pending.has_value();
      const Value value = expressions_.named(std::move(operand), name.text, name.span);
      expressions_.define(name.text, value);
      if (is_new) {
        last_value(value);
        if (annotation_.is_somewhere())
          builder_.annotate(graph_, node_of(value), annotation_, annotation_text_);
      }
      return;
    }
    const Value value = expressions_.value_of(std::move(operand));
    for (size_t i = 0; i < targets_.size(); ++i) {
      const Token& name = targets_[i];
      if (value.is_list()) {
        if (value.size() != targets_.size())
          expressions_.fail(span, format("{} values for {} names", value.size(), targets_.size()));
        expressions_.define(name.text, value[i]);
        continue;
      }
      ParsedOperand element;
      element.pending.emplace();
      element.pending->target = "_operator.getitem";
      element.pending->args = {value, Value(static_cast<int64_t>(i))};
      const Value item = expressions_.named(std::move(element), name.text, name.span);
      expressions_.define(name.text, item);
      last_value(item);
    }
  }

  // "weight: "f32[2, 3]" = self.layer.weight", or a graph of a submodule.
  void assign_attribute(const ParsedOperand& operand, const Token& name) {
    const std::string_view path = std::string_view(operand.path).substr(5);
    Value value;
    if (const Graph* graph = graph_of(path)) {
      Node node;
      node.kind = NodeKind::kGetAttr;
      node.name = expressions_.free_name(name.text);
      node.target = strings().intern(path);
      node.val = Value(graph);
      value = node_ref(builder_.append(graph_, node, name.span));
    } else if (is_opaque(path)) {
      Node node;
      node.kind = NodeKind::kGetAttr;
      node.name = expressions_.free_name(name.text);
      node.target = strings().intern(path);
      node.val = Value::unset();
      value = node_ref(builder_.append(graph_, node, name.span));
    } else {
      value = input_of_attribute(path, name, operand.span);
    }
    expressions_.define(name.text, value);
  }

  const Graph* graph_of(std::string_view path) {
    const StringId id = strings().find(path, 0);
    return id == 0 ? nullptr : graph_.submodule(id);
  }

  // An attribute that is no tensor of a graph that an operator holds: what flat_apply is handed.
  bool is_opaque(std::string_view path) const {
    return &graph_ != &builder_.program().graph() && !annotation_.is_somewhere() &&
           std::none_of(module_.attributes.begin(), module_.attributes.end(),
                        [&](const CodeModule::Attribute& each) { return each.path == path; });
  }

  // A parameter of the module is an input of the program, before those of the function.
  Value input_of_attribute(std::string_view path, const Token& name, TextSpan span) {
    const std::string key(path);
    if (const auto found = attributes_.find(key); found != attributes_.end()) return found->second;
    if (!annotation_.is_somewhere()) {
      const auto declared =
          std::find_if(module_.attributes.begin(), module_.attributes.end(),
                       [&](const CodeModule::Attribute& each) { return each.path == path; });
      if (declared == module_.attributes.end())
        expressions_.fail(span, format("nothing says what self.{} is: write \"{}: \\\"f32[2, "
                                       "3]\\\" = self.{}\"",
                                       path, name.text, path));
      return make_input(key, name.text, name.span, declared->span, declared->annotation);
    }
    return make_input(key, name.text, name.span, annotation_, annotation_text_);
  }

  // `self.path` in an expression.
  std::optional<Value> attribute(std::string_view path, TextSpan span) {
    const std::string key(path);
    if (const auto found = attributes_.find(key); found != attributes_.end()) return found->second;
    if (const Graph* graph = graph_of(path)) return Value(graph);
    const auto declared =
        std::find_if(module_.attributes.begin(), module_.attributes.end(),
                     [&](const CodeModule::Attribute& each) { return each.path == path; });
    if (declared == module_.attributes.end()) return {};
    std::string name(path);
    std::replace(name.begin(), name.end(), '.', '_');
    return make_input(key, name, span, declared->span, declared->annotation);
  }

  Value make_input(const std::string& path, std::string_view name, TextSpan name_span,
                   TextSpan span, const std::string& annotation) {
    if (&graph_ != &builder_.program().graph())
      expressions_.fail(name_span, "a graph of an operator gets its parameters as arguments");
    NewNode node;
    node.kind = NodeKind::kPlaceholder;
    node.name = std::string(builder_.program().text(expressions_.free_name(name)));
    node.target = node.name;
    const NodeId id = graph_.insert_before(first_user_input(), node);
    graph_.meta(id).val = Value::unset();
    builder_.text_span(id, name_span);
    builder_.annotate(graph_, id, span, annotation);
    builder_.set_attribute(id, path);
    return attributes_[path] = node_ref(id);
  }

  // The first placeholder that no attribute became.
  NodeId first_user_input() const {
    NodeId id = graph_.first();
    for (size_t i = 0; i < attributes_.size() && id != kNoNode; ++i) id = graph_.next(id);
    return id;
  }

  // "x += y": the tensor's own method.
  bool read_in_place() {
    constexpr std::pair<std::string_view, std::string_view> kInPlace[] = {
        {"+=", "add_"},         {"-=", "sub_"},        {"*=", "mul_"},         {"/=", "div_"},
        {"&=", "bitwise_and_"}, {"|=", "bitwise_or_"}, {"^=", "bitwise_xor_"}, {"**=", "pow_"}};
    if (token().kind != Token::Kind::kName) return false;
    TextLexer ahead = lexer_;
    ahead.advance();
    const auto* const found =
        std::find_if(std::begin(kInPlace), std::end(kInPlace),
                     [&](const auto& row) { return ahead.token().is(row.first); });
    if (found == std::end(kInPlace)) return false;
    const Token name = token();
    const Value* value = expressions_.find(name.text);
    if (value == nullptr) expressions_.fail(name.span, format("{} is not defined", name.text));
    ParsedOperand operand;
    operand.pending.emplace();
    operand.pending->kind = NodeKind::kCallMethod;
    operand.pending->target = found->second;
    operand.pending->args.push_back(*value);
    lexer_ = ahead;
    lexer_.advance();
    operand.pending->args.push_back(expressions_.value_of(expressions_.read()));
    const Value changed = expressions_.named(std::move(operand), found->second, name.span);
    expressions_.define(name.text, changed);
    last_value(changed);
    return true;
  }

  // --- the return ---

  // What a graph returns are the values of a dictionary, in order.
  Value without_keys(const Value& result) {
    if (!result.is(Value::Tag::kList)) return result;
    std::vector<Value> values;
    for (const Value& element : result.values())
      values.push_back(without_keys(result.is_dict() ? element[1] : element));
    return make_list(builder_.program().arena(), values, result.is_tuple());
  }

  Value read_tuple() {
    ParsedOperand first = expressions_.read();
    if (!token().is(",")) return expressions_.value_of(std::move(first));
    return tuple_of(std::move(first)).value;
  }

  // What follows an operand behind commas, without brackets.
  ParsedOperand tuple_of(ParsedOperand first) {
    std::vector<Value> values = {expressions_.value_of(std::move(first))};
    while (expressions_.accept(",")) {
      if (token().kind == Token::Kind::kLineEnd || token().kind == Token::Kind::kEnd ||
          token().is(";"))
        break;
      values.push_back(expressions_.value_of(expressions_.read()));
    }
    ParsedOperand tuple;
    tuple.value = Value::tuple(builder_.program().arena().copy(std::span<const Value>(values)));
    return tuple;
  }

  void append_output(const Value& result, TextSpan span) {
    Node node;
    node.kind = NodeKind::kOutput;
    node.name = expressions_.free_name("output");
    node.target = strings().intern("output");
    const Value values[] = {result};
    node.args = builder_.program().arena().copy(std::span<const Value>(values));
    builder_.append(graph_, node, span);
    has_output_ = true;
  }

  // --- what is left ---

  void last_value(const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) last_ = node_of(value);
  }

  // The names of a statement that could not be read.
  void define_unreadable() {
    for (const Token& name : targets_) {
      Node node;
      node.name = expressions_.free_name(name.text);
      node.target = strings().intern(kUnreadableTarget);
      const NodeId id = builder_.append(graph_, node, name.span);
      expressions_.define(name.text, node_ref(id));
      last_ = id;
    }
  }

  TextProgramBuilder& builder_;
  const CodeModule& module_;
  Graph& graph_;
  TextLexer lexer_;
  ExpressionReader expressions_;
  bool has_header_ = false;
  bool has_output_ = false;
  size_t indent_ = 0;
  std::string_view comment_;
  NodeId last_ = kNoNode;  // the value that was made last
  std::unordered_map<std::string, Value> attributes_;
  // Of the statement that is read.
  std::vector<Token> targets_;
  bool is_unpacked_ = false;
  TextSpan annotation_;
  std::string annotation_text_;
};

// Submodules first: what reads them names their graphs. Modules nest as outline_code bounds it.
void read_module(TextProgramBuilder& builder, const CodeModule& module, Graph& graph) {
  for (const auto& child : module.children) {
    if (!child->has_function()) continue;
    Graph& inner = builder.program().add_graph();
    inner.name = builder.program().strings().intern(child->name);
    read_module(builder, *child, inner);
    graph.add_submodule(child->name, inner);
  }
  FunctionReader(builder, module, graph).read();
}

// The module that the program is: the first with a function.
const CodeModule* main_module(const CodeModule& module) {
  if (module.has_function()) return &module;
  for (const auto& child : module.children)
    if (const CodeModule* found = main_module(*child)) return found;
  return nullptr;
}

}  // namespace

bool looks_like_code(std::string_view text) {
  TextLexer lexer(text, 0, text.size());
  for (int lines = 0; lexer.token().kind != Token::Kind::kEnd && lines < 2000; ++lines) {
    const Token& first = lexer.token();
    if (first.is_name("def") || first.is_name("class")) return true;
    lexer.skip_line();
    while (lexer.token().kind == Token::Kind::kLineEnd) lexer.advance();
  }
  return false;
}

void read_code(TextProgramBuilder& builder) {
  const CodeModule outline = outline_code(builder);
  const CodeModule* module = main_module(outline);
  if (module != nullptr) {
    read_module(builder, *module, builder.program().graph());
    return;
  }
  throw_error(ErrorKind::kUnreadable,
              "no function: a program is def forward(self, x: \"f32[2, 3]\"):");
}

}  // namespace faketensor
