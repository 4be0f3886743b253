#include "core/graph/text/code_outline.h"

#include <algorithm>
#include <charconv>

#include "core/support/format.h"

namespace faketensor {

const CodeModule* CodeModule::child(std::string_view wanted) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const auto& child) { return child->name == wanted; });
  return found == children.end() ? nullptr : found->get();
}

namespace {

constexpr size_t kMostNesting = 64;

class Outliner {
 public:
  explicit Outliner(TextProgramBuilder& builder)
      : builder_(builder), text_(builder.text().text()), lexer_(text_, 0, text_.size()) {
    open_.push_back(&root_);
  }

  CodeModule outline() {
    while (lexer_.token().kind != Token::Kind::kEnd) {
      if (lexer_.token().kind == Token::Kind::kLineEnd) {
        lexer_.advance();
        continue;
      }
      read_line();
      lexer_.skip_line();
    }
    return std::move(root_);
  }

 private:
  void read_line() {
    const Token first = lexer_.token();
    const size_t indent = lexer_.indent();
    if (is_in_function_ && indent > function_indent_) return;
    // "):" of parameters on lines of their own.
    if (is_in_function_ && first.kind == Token::Kind::kOperator) return;
    is_in_function_ = false;
    if (first.is_name("Graph")) {
      is_in_signature_ = true;
    } else if (first.is_name("Range")) {
      is_in_signature_ = false;
      read_ranges();
    } else if (first.is_name("Hints")) {
      is_in_signature_ = false;
      read_hints();
    } else if (is_in_signature_) {
      read_signature();
    } else if (first.is_name("class")) {
      open_class(indent);
    } else if (first.is_name("def") || first.is_name("async")) {
      open_function(indent);
    } else if (!is_passed_over(first)) {
      read_attribute(first, indent);
    }
  }

  static bool is_passed_over(const Token& first) {
    return first.is_name("import") || first.is_name("from") || first.is_name("pass") ||
           first.is_name("ExportedProgram") || first.kind == Token::Kind::kString || first.is("@");
  }

  // The innermost module that a line of that indentation stands in.
  CodeModule& module_at(size_t indent) {
    while (open_.size() > 1 && open_.back()->indent >= indent) open_.pop_back();
    return *open_.back();
  }

  void open_class(size_t indent) {
    CodeModule& outer = module_at(indent);
    const Token keyword = lexer_.token();
    lexer_.advance();
    if (lexer_.token().is("<")) lexer_.advance();  // "<lambda>", as PyTorch prints traced functions
    if (lexer_.token().kind != Token::Kind::kName) {
      builder_.error(keyword.span, "a class has a name");
      return;
    }
    if (open_.size() > kMostNesting) {
      builder_.error(keyword.span, format("classes nested more than {} deep", kMostNesting));
      return;
    }
    auto module = std::make_unique<CodeModule>();
    module->name = lexer_.token().text;
    module->indent = indent;
    outer.children.push_back(std::move(module));
    open_.push_back(outer.children.back().get());
  }

  void open_function(size_t indent) {
    CodeModule& module = module_at(indent);
    const Token keyword = lexer_.token();
    lexer_.advance();
    const std::string_view name = lexer_.token().text;
    is_in_function_ = true;
    function_indent_ = indent;
    if (module.has_function() && (name != "forward" || module.function_name == "forward")) return;
    module.function = keyword.span;
    module.function_indent = indent;
    module.function_name = name;
  }

  // "layer.weight: "f32[2, 3]"".
  void read_attribute(const Token& first, size_t indent) {
    CodeModule::Attribute attribute;
    Token at = first;
    while (at.kind == Token::Kind::kName) {
      attribute.path += at.text;
      lexer_.advance();
      at = lexer_.token();
      if (!at.is(".")) break;
      attribute.path += '.';
      lexer_.advance();
      at = lexer_.token();
    }
    if (at.is(":")) {
      lexer_.advance();
      attribute.span = lexer_.token().span;
      if (lexer_.token().kind == Token::Kind::kString) {
        attribute.annotation = unquoted(lexer_.token().text);
        module_at(indent).attributes.push_back(std::move(attribute));
        return;
      }
    }
    builder_.error(first.span,
                   "a statement outside of a function: a program is def forward(self, x: "
                   "\"f32[2, 3]\"): and its lines, indented");
  }

  // "x: USER_INPUT", "p_w: PARAMETER target='w' persistent=True"; outputs follow "# outputs".
  void read_signature() {
    const bool is_output = lexer_.comment().find("outputs") != std::string_view::npos;
    std::string_view name;
    if (lexer_.token().kind == Token::Kind::kName) {
      name = lexer_.token().text;
      lexer_.advance();
    }
    if (!lexer_.token().is(":")) return;
    lexer_.advance();
    const std::string_view kind = lexer_.token().text;
    std::string target;
    bool is_persistent = true;
    while (lexer_.token().kind == Token::Kind::kName) {
      const std::string_view key = lexer_.token().text;
      lexer_.advance();
      if (!lexer_.token().is("=")) continue;
      lexer_.advance();
      if (key == "target" && lexer_.token().kind == Token::Kind::kString)
        target = unquoted(lexer_.token().text);
      if (key == "persistent") is_persistent = !lexer_.token().is_name("False");
      lexer_.advance();
    }
    if (is_output) {
      builder_.sign_output(kind, target);
    } else {
      builder_.sign_input(name, kind, target, is_persistent);
    }
  }

  std::optional<int64_t> number() {
    const bool is_negative = lexer_.token().is("-");
    if (is_negative) lexer_.advance();
    const std::string_view text = lexer_.token().text;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    lexer_.advance();
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return is_negative ? -value : value;
  }

  bool accept(std::string_view op) {
    if (!lexer_.token().is(op)) return false;
    lexer_.advance();
    return true;
  }

  bool accept_name(std::string_view name) {
    if (!lexer_.token().is_name(name)) return false;
    lexer_.advance();
    return true;
  }

  // "Range constraints: {s77: VR[2, 100], u0: VR[0, int_oo]}"
  void read_ranges() {
    lexer_.advance();
    if (!accept_name("constraints") || !accept(":") || !accept("{")) return;
    while (lexer_.token().kind == Token::Kind::kName) {
      const Token name = lexer_.token();
      lexer_.advance();
      if (!accept(":") || !accept_name("VR") || !accept("[")) break;
      const std::optional<int64_t> lower = number();
      if (!accept(",")) break;
      const std::optional<int64_t> upper = number();
      if (!accept("]")) break;
      if (lower && upper && *lower > *upper) {
        builder_.error(name.span, format("the range of {} is empty", name.text));
      } else {
        builder_.set_range(name.text, lower, upper);
      }
      if (!accept(",")) break;
    }
    if (!lexer_.token().is("}"))
      builder_.error(lexer_.token().span, "a range is written s0: VR[2, 100]");
  }

  // "Hints: {s77: 5}"
  void read_hints() {
    lexer_.advance();
    if (!accept(":") || !accept("{")) return;
    while (lexer_.token().kind == Token::Kind::kName) {
      const std::string_view name = lexer_.token().text;
      lexer_.advance();
      if (!accept(":")) break;
      if (const auto hint = number()) builder_.set_hint(name, *hint);
      if (!accept(",")) break;
    }
    if (!lexer_.token().is("}")) builder_.error(lexer_.token().span, "a hint is written s0: 8");
  }

  TextProgramBuilder& builder_;
  std::string_view text_;
  TextLexer lexer_;
  CodeModule root_;
  std::vector<CodeModule*> open_;
  bool is_in_function_ = false;
  size_t function_indent_ = 0;
  bool is_in_signature_ = false;
};

}  // namespace

CodeModule outline_code(TextProgramBuilder& builder) { return Outliner(builder).outline(); }

}  // namespace faketensor
