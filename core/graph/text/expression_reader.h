// ExpressionReader: the expressions of a function's statements, and the nodes that they make.
//
// A call, a method, an operator of Python and an index of a value become nodes, in the order in
// which Python would evaluate them; what holds no value is a constant. The outermost node of a
// statement waits (ParsedOperand::pending) for the name that the statement gives it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/text/code_outline.h"
#include "core/graph/text/lexer.h"
#include "core/graph/text/program_builder.h"

namespace faketensor {

// A node that has no name yet.
struct PendingCall {
  NodeKind kind = NodeKind::kCallFunction;
  std::string target;
  std::vector<Value> args;
  std::vector<std::pair<StringId, Value>> kwargs;
};

// What stands in an expression: a constant, a node that there is, or one that has no name yet.
struct ParsedOperand {
  Value value;
  std::optional<PendingCall> pending;
  // "torch.float32", "self.linear.weight": a name that is no variable, as it is read.
  std::string path;
  TextSpan span;
};

// What an expression's reader asks of who reads the function.
struct FunctionScope {
  Graph& graph;
  // The value of `self.path`; nothing where the text has no such attribute.
  std::function<std::optional<Value>(std::string_view path, TextSpan span)> attribute;
};

class ExpressionReader {
 public:
  ExpressionReader(TextProgramBuilder& builder, TextLexer& lexer, FunctionScope scope)
      : builder_(builder), lexer_(lexer), scope_(std::move(scope)) {}

  // Raises Unreadable after `wrong_span` is set to where the text is wrong.
  ParsedOperand read();
  // The operand as the value of an argument, its call made a node.
  Value value_of(ParsedOperand operand);
  // The same; the node gets the name, if it is free.
  Value named(ParsedOperand operand, std::string_view name, TextSpan name_span);

  // The variables of the function.
  void define(std::string_view name, const Value& value);
  const Value* find(std::string_view name) const;
  // A node's name that nothing has: the wish, or the wish with a number.
  StringId free_name(std::string_view wish);

  TextSpan wrong_span() const { return wrong_span_; }
  // What all nodes get until it is changed.
  void set_stack_trace(StringId trace) { stack_trace_ = trace; }
  [[noreturn]] void fail(TextSpan span, std::string message);
  [[noreturn]] void fail(std::string message) { fail(lexer_.token().span, std::move(message)); }
  bool accept(std::string_view op);
  void expect(std::string_view op);

 private:
  ParsedOperand read_binary(int level);
  ParsedOperand read_unary();
  ParsedOperand read_power();
  ParsedOperand read_primary();
  ParsedOperand read_atom();
  ParsedOperand read_name();
  ParsedOperand read_list(std::string_view close, bool is_tuple);
  ParsedOperand read_dict();
  ParsedOperand read_call(ParsedOperand callee);
  ParsedOperand read_subscript(ParsedOperand of);
  ParsedOperand read_attribute(ParsedOperand of);
  ParsedOperand index(ParsedOperand of, const std::vector<ParsedOperand>& indices);
  ParsedOperand operation(std::string_view name, ParsedOperand a, std::optional<ParsedOperand> b);
  std::optional<ParsedOperand> folded(const PendingCall& call);
  ParsedOperand call_function(PendingCall call, TextSpan span);
  ParsedOperand resolved(ParsedOperand operand);
  std::string function_target(std::string_view path, TextSpan span);
  Value sequence(const std::vector<Value>& values, bool is_tuple);
  std::string nearest_variable(std::string_view name) const;
  Arena& arena() { return builder_.program().arena(); }

  static constexpr int kMaxNesting = 64;

  TextProgramBuilder& builder_;
  TextLexer& lexer_;
  FunctionScope scope_;
  std::unordered_map<StringId, Value> variables_;
  std::unordered_set<StringId> names_;  // of nodes
  std::unordered_map<StringId, uint32_t> counts_;
  StringId stack_trace_ = 0;
  int depth_ = 0;
  TextSpan wrong_span_;
  std::unordered_map<std::string, bool> warned_;
};

}  // namespace faketensor
