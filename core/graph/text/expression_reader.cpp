#include "core/graph/text/expression_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/graph/packet_call.h"
#include "core/graph/text/text_arguments.h"
#include "core/support/format.h"
#include "core/support/near_name.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

struct BinaryOperator {
  std::string_view text;
  std::string_view name;  // in Python's module `operator`
};

// From the loosest to the tightest; all of a level associate to the left.
using Level = std::span<const BinaryOperator>;
constexpr BinaryOperator kComparisons[] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"},
                                           {">=", "ge"}, {"<", "lt"},  {">", "gt"}};
constexpr BinaryOperator kOr[] = {{"|", "or_"}};
constexpr BinaryOperator kXor[] = {{"^", "xor"}};
constexpr BinaryOperator kAnd[] = {{"&", "and_"}};
constexpr BinaryOperator kShifts[] = {{"<<", "lshift"}, {">>", "rshift"}};
constexpr BinaryOperator kSums[] = {{"+", "add"}, {"-", "sub"}};
constexpr BinaryOperator kProducts[] = {
    {"*", "mul"}, {"//", "floordiv"}, {"/", "truediv"}, {"%", "mod"}, {"@", "matmul"}};
constexpr std::array<Level, 7> kLevels = {Level(kComparisons), Level(kOr),     Level(kXor),
                                          Level(kAnd),         Level(kShifts), Level(kSums),
                                          Level(kProducts)};

bool is_number(const ParsedOperand& operand) {
  return !operand.pending && operand.path.empty() &&
         (operand.value.is(Value::Tag::kInt) || operand.value.is(Value::Tag::kFloat)) &&
         !operand.value.is_symbolic();
}

// a OP b of two Python numbers; nothing for what is left to a node.
std::optional<Value> calculate(std::string_view name, const Value& a, const Value& b) {
  const bool are_ints = a.is(Value::Tag::kInt) && b.is(Value::Tag::kInt);
  if (are_ints) {
    const int64_t x = a.to_int();
    const int64_t y = b.to_int();
    int64_t result = 0;
    if (name == "add" && !__builtin_add_overflow(x, y, &result)) return Value(result);
    if (name == "sub" && !__builtin_sub_overflow(x, y, &result)) return Value(result);
    if (name == "mul" && !__builtin_mul_overflow(x, y, &result)) return Value(result);
    if (name == "floordiv" && y != 0 && !(x == INT64_MIN && y == -1))
      return Value(x / y - static_cast<int64_t>(x % y != 0 && (x < 0) != (y < 0)));
    if (name == "pow" && y >= 0 && y < 64) {
      result = 1;
      for (int64_t i = 0; i < y; ++i)
        if (__builtin_mul_overflow(result, x, &result)) return {};
      return Value(result);
    }
  }
  const double x = a.to_double();
  const double y = b.to_double();
  if (name == "truediv" && y != 0) return Value(x / y);
  if (are_ints) return {};
  if (name == "add") return Value(x + y);
  if (name == "sub") return Value(x - y);
  if (name == "mul") return Value(x * y);
  if (name == "pow") return Value(std::pow(x, y));
  return {};
}

bool holds_node(const Value& value) {
  bool holds = false;
  for_each_node(value, [&](NodeId) { holds = true; });
  return holds;
}

}  // namespace

void ExpressionReader::fail(TextSpan span, std::string message) {
  wrong_span_ = span;
  throw_error(ErrorKind::kUnreadable, std::move(message));
}

bool ExpressionReader::accept(std::string_view op) {
  if (!lexer_.token().is(op)) return false;
  lexer_.advance();
  return true;
}

void ExpressionReader::expect(std::string_view op) {
  if (accept(op)) return;
  const Token& token = lexer_.token();
  if (token.kind == Token::Kind::kLineEnd || token.kind == Token::Kind::kEnd || lexer_.end_line())
    fail({lexer_.last_end() - 1, lexer_.last_end()}, format("'{}' expected behind this", op));
  fail(format("'{}' expected", op));
}

// --- variables and nodes ---

void ExpressionReader::define(std::string_view name, const Value& value) {
  variables_[builder_.program().strings().intern(name)] = value;
}

const Value* ExpressionReader::find(std::string_view name) const {
  const StringId id = builder_.program().strings().find(name, 0);
  const auto found = variables_.find(id);
  return id == 0 || found == variables_.end() ? nullptr : &found->second;
}

StringId ExpressionReader::free_name(std::string_view wish) {
  Interner& strings = builder_.program().strings();
  StringId id = strings.intern(wish);
  uint32_t& count = counts_[id];
  while (!names_.insert(id).second) id = strings.intern(format("{}_{}", wish, ++count));
  return id;
}

Value ExpressionReader::value_of(ParsedOperand operand) {
  operand = resolved(std::move(operand));
  if (!operand.pending) return operand.value;
  const std::string wish = operand.pending->kind == NodeKind::kCallMethod
                               ? operand.pending->target
                               : name_of_target(operand.pending->target);
  const TextSpan span = operand.span;
  return named(std::move(operand), wish, span);
}

Value ExpressionReader::named(ParsedOperand operand, std::string_view name, TextSpan name_span) {
  operand = resolved(std::move(operand));
  if (!operand.pending) return operand.value;
  PendingCall& call = *operand.pending;
  std::vector<StringId> keywords;
  for (const auto& [keyword, value] : call.kwargs) {
    keywords.push_back(keyword);
    call.args.push_back(value);
  }
  Node node;
  node.kind = call.kind;
  node.name = free_name(name);
  node.target = builder_.program().strings().intern(call.target);
  node.args = arena().copy(std::span<const Value>(call.args));
  node.keywords = arena().copy(std::span<const StringId>(keywords));
  node.stack_trace = stack_trace_;
  return node_ref(builder_.append(scope_.graph, node, name_span));
}

// --- expressions ---

ParsedOperand ExpressionReader::read() {
  struct Depth {
    int& depth;
    explicit Depth(int& counter) : depth(counter) { ++depth; }
    ~Depth() { --depth; }
  } const depth(depth_);
  if (depth_ > kMaxNesting) fail(format("expressions nested more than {} deep", kMaxNesting));
  return read_binary(0);
}

ParsedOperand ExpressionReader::read_binary(int level) {
  if (level == static_cast<int>(kLevels.size())) return read_unary();
  ParsedOperand left = read_binary(level + 1);
  while (true) {
    const Level operators = kLevels[static_cast<size_t>(level)];
    const auto op = std::find_if(operators.begin(), operators.end(),
                                 [&](const auto& row) { return lexer_.token().is(row.text); });
    if (op == operators.end()) return left;
    lexer_.advance();
    left = operation(op->name, std::move(left), read_binary(level + 1));
  }
}

ParsedOperand ExpressionReader::read_unary() {
  constexpr BinaryOperator kUnary[] = {{"-", "neg"}, {"+", "pos"}, {"~", "invert"}};
  const TextSpan begin = lexer_.token().span;
  int count = 0;
  std::array<std::string_view, 8> names;
  while (true) {
    const auto* const op = std::find_if(std::begin(kUnary), std::end(kUnary), [&](const auto& row) {
      return lexer_.token().is(row.text);
    });
    if (op == std::end(kUnary)) break;
    if (count == static_cast<int>(names.size())) fail("too many signs");
    names[static_cast<size_t>(count++)] = op->name;
    lexer_.advance();
  }
  ParsedOperand operand = read_power();
  while (count > 0) {
    operand = operation(names[static_cast<size_t>(--count)], std::move(operand), std::nullopt);
    operand.span.begin = begin.begin;
  }
  return operand;
}

ParsedOperand ExpressionReader::read_power() {
  ParsedOperand base = read_primary();
  if (!accept("**")) return base;
  ++depth_;
  if (depth_ > kMaxNesting) fail("expressions nested too deep");
  ParsedOperand exponent = read_unary();
  --depth_;
  return operation("pow", std::move(base), std::move(exponent));
}

ParsedOperand ExpressionReader::operation(std::string_view name, ParsedOperand a,
                                          std::optional<ParsedOperand> b) {
  ParsedOperand result;
  result.span = {a.span.begin, lexer_.last_end()};
  a = resolved(std::move(a));
  if (b) b = resolved(std::move(*b));
  if (!b && is_number(a)) {
    const bool is_int = a.value.is(Value::Tag::kInt);
    if (name == "pos") return a;
    if (name == "neg") {
      result.value = is_int ? Value(-a.value.to_int()) : Value(-a.value.as_double());
      return result;
    }
    if (is_int) {
      result.value = Value(~a.value.to_int());
      return result;
    }
  }
  if (b && is_number(a) && is_number(*b)) {
    if (const auto known = calculate(name, a.value, b->value)) {
      result.value = *known;
      return result;
    }
  }
  // "1+2j" of a complex constant.
  const bool is_sum = name == "add" || name == "sub";
  if (b && is_sum && is_number(a) && b->value.is(Value::Tag::kComplex) && !b->pending) {
    const double* parts = b->value.as_complex();
    const double sign = name == "add" ? 1 : -1;
    const double sum[] = {a.value.to_double() + sign * parts[0], sign * parts[1]};
    result.value = Value::complex(arena().copy(std::span<const double>(sum)).data());
    return result;
  }
  if (!b && name == "neg" && a.value.is(Value::Tag::kComplex) && !a.pending) {
    const double negated[] = {-a.value.as_complex()[0], -a.value.as_complex()[1]};
    result.value = Value::complex(arena().copy(std::span<const double>(negated)).data());
    return result;
  }
  PendingCall call;
  call.target = format("_operator.{}", name);
  call.args.push_back(value_of(std::move(a)));
  if (b) call.args.push_back(value_of(std::move(*b)));
  result.pending = std::move(call);
  return result;
}

ParsedOperand ExpressionReader::read_primary() {
  ParsedOperand operand = read_atom();
  for (int length = 0;; ++length) {
    if (length > 1000) fail("too long an expression");
    if (lexer_.token().is("(")) {
      operand = read_call(std::move(operand));
    } else if (lexer_.token().is("[")) {
      operand = read_subscript(resolved(std::move(operand)));
    } else if (lexer_.token().is(".")) {
      operand = read_attribute(std::move(operand));
    } else {
      return operand;
    }
  }
}

ParsedOperand ExpressionReader::read_atom() {
  const Token token = lexer_.token();
  ParsedOperand operand;
  operand.span = token.span;
  switch (token.kind) {
    case Token::Kind::kName:
      return read_name();
    case Token::Kind::kNumber: {
      std::string digits(token.text);
      digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
      const auto number = parse_python_number(arena(), digits);
      if (!number) fail(format("{} is no number", token.text));
      lexer_.advance();
      operand.value = *number;
      return operand;
    }
    case Token::Kind::kString:
      operand.value = Value::string(arena().copy(std::string_view(unquoted(token.text))));
      lexer_.advance();
      return operand;
    case Token::Kind::kWrong:
      fail(token.text[0] == '"' || token.text[0] == '\'' ? "a string that does not end"
                                                         : "this begins nothing");
    default:
      break;
  }
  if (accept("[")) return read_list("]", false);
  if (accept("(")) return read_list(")", true);
  if (accept("{")) return read_dict();
  if (accept("...")) fail(token.span, "'...' stands behind the indices that come first only");
  if (token.kind == Token::Kind::kLineEnd || token.kind == Token::Kind::kEnd)
    fail({lexer_.last_end() > 0 ? lexer_.last_end() - 1 : 0, lexer_.last_end()},
         "a value expected behind this");
  fail("a value expected");
}

ParsedOperand ExpressionReader::read_name() {
  const Token token = lexer_.token();
  ParsedOperand operand;
  operand.span = token.span;
  lexer_.advance();
  if (const Value* variable = find(token.text)) {
    operand.value = *variable;
    return operand;
  }
  if (token.text == "None") return operand;
  if (token.text == "True" || token.text == "False") {
    operand.value = Value(token.text == "True");
  } else if (token.text == "inf") {
    operand.value = Value(std::numeric_limits<double>::infinity());
  } else if (token.text == "nan") {
    operand.value = Value(std::numeric_limits<double>::quiet_NaN());
  } else if (token.text == "lambda" || token.text == "not" || token.text == "await") {
    fail(token.span, format("'{}' is no part of a graph", token.text));
  } else {
    operand.path = token.text;
  }
  return operand;
}

// "(x)" is x, "(x,)" and "()" are tuples.
ParsedOperand ExpressionReader::read_list(std::string_view close, bool is_tuple) {
  ParsedOperand operand;
  operand.span.begin = lexer_.last_end() - 1;
  std::vector<Value> values;
  bool has_comma = false;
  while (!lexer_.token().is(close)) {
    ParsedOperand element = read();
    if (is_tuple && !has_comma && lexer_.token().is(close)) {
      lexer_.advance();
      element.span = {operand.span.begin, lexer_.last_end()};
      return element;
    }
    values.push_back(value_of(std::move(element)));
    if (!accept(",")) break;
    has_comma = true;
  }
  expect(close);
  operand.value = sequence(values, is_tuple);
  operand.span.end = lexer_.last_end();
  return operand;
}

Value ExpressionReader::sequence(const std::vector<Value>& values, bool is_tuple) {
  return make_list(arena(), values, is_tuple);
}

ParsedOperand ExpressionReader::read_dict() {
  ParsedOperand operand;
  operand.span.begin = lexer_.last_end() - 1;
  std::vector<Value> items;
  while (!lexer_.token().is("}")) {
    const Value key = value_of(read());
    expect(":");
    items.push_back(make_item(arena(), key, value_of(read())));
    if (!accept(",")) break;
  }
  expect("}");
  operand.value = Value::dict(arena().copy(std::span<const Value>(items)));
  operand.span.end = lexer_.last_end();
  return operand;
}

ParsedOperand ExpressionReader::read_attribute(ParsedOperand of) {
  expect(".");
  const Token name = lexer_.token();
  if (name.kind != Token::Kind::kName) fail("a name expected behind '.'");
  lexer_.advance();
  if (!of.path.empty()) {
    of.path += format(".{}", name.text);
    of.span.end = name.span.end;
    return of;
  }
  // A method, which is called at once, or what a tensor has.
  ParsedOperand result;
  result.span = {of.span.begin, name.span.end};
  PendingCall call;
  call.kind = NodeKind::kCallMethod;
  call.target = name.text;
  call.args.push_back(value_of(std::move(of)));
  if (lexer_.token().is("(")) {
    result.pending = std::move(call);
    return read_call(std::move(result));
  }
  constexpr std::pair<std::string_view, std::string_view> kProperties[] = {
      {"shape", "size"}, {"T", "t"},       {"mT", "mT"},     {"H", "adjoint"},
      {"mH", "mH"},      {"real", "real"}, {"imag", "imag"}, {"ndim", "dim"},
  };
  const auto* const property =
      std::find_if(std::begin(kProperties), std::end(kProperties),
                   [&](const auto& row) { return row.first == name.text; });
  if (property == std::end(kProperties))
    fail(name.span, format("{} is nothing that a tensor has in a graph", name.text));
  call.target = property->second;
  result.pending = std::move(call);
  return result;
}

// --- calls ---

ParsedOperand ExpressionReader::read_call(ParsedOperand callee) {
  const TextSpan callee_span = callee.span;
  PendingCall call;
  if (callee.pending && callee.pending->kind == NodeKind::kCallMethod) {
    call = std::move(*callee.pending);
  } else if (callee.path.empty()) {
    fail(callee.span, "this cannot be called");
  } else {
    call.target = std::move(callee.path);
  }
  expect("(");
  while (!lexer_.token().is(")")) {
    const Token first = lexer_.token();
    if (first.is("*") || first.is("**")) fail("arguments are written one by one");
    TextLexer ahead = lexer_;
    ahead.advance();
    if (first.kind == Token::Kind::kName && ahead.token().is("=")) {
      lexer_ = ahead;
      lexer_.advance();
      call.kwargs.emplace_back(builder_.program().strings().intern(first.text), value_of(read()));
    } else {
      if (!call.kwargs.empty()) fail("positional arguments come before those by name");
      call.args.push_back(value_of(read()));
    }
    if (!accept(",")) break;
  }
  expect(")");
  ParsedOperand result;
  result.span = {callee_span.begin, lexer_.last_end()};
  if (call.kind == NodeKind::kCallMethod) {
    result.pending = std::move(call);
    return result;
  }
  if (auto constant = folded(call)) {
    constant->span = result.span;
    return *constant;
  }
  return call_function(std::move(call), callee_span);
}

// Calls that say a constant.
std::optional<ParsedOperand> ExpressionReader::folded(const PendingCall& call) {
  const auto argument = [&](std::string_view keyword, size_t place) -> const Value* {
    for (const auto& [name, value] : call.kwargs)
      if (builder_.program().text(name) == keyword) return &value;
    return place < call.args.size() ? &call.args[place] : nullptr;
  };
  ParsedOperand operand;
  if (call.target == "device" || call.target == "torch.device") {
    const Value* type = argument("type", 0);
    const Value* index = argument("index", 1);
    if (type != nullptr && type->is(Value::Tag::kDevice)) {
      operand.value = *type;
      return operand;
    }
    if (type == nullptr || !type->is(Value::Tag::kString)) return {};
    std::string text(type->text());
    if (index != nullptr && index->is(Value::Tag::kInt)) text += format(":{}", index->to_int());
    const auto device = parse_device(text);
    if (!device) fail(format("no device is called {}", text));
    operand.value = *device;
    return operand;
  }
  const Value* first = argument("", 0);
  if (first == nullptr || holds_node(*first)) return {};
  if (call.target == "float" && first->is(Value::Tag::kString)) {
    const auto number = parse_python_number(arena(), first->text());
    if (!number) return {};
    operand.value = Value(number->to_double());
    return operand;
  }
  if (call.target == "float" && (first->is(Value::Tag::kInt) || first->is(Value::Tag::kFloat))) {
    operand.value = Value(first->to_double());
    return operand;
  }
  if (call.target == "int" && first->is(Value::Tag::kInt)) {
    operand.value = *first;
    return operand;
  }
  if (call.target == "torch.Size" || call.target == "list" || call.target == "tuple") {
    operand.value = *first;
    return operand;
  }
  if (call.target == "getattr" && call.args.size() > 1 && call.args[1].is(Value::Tag::kString) &&
      first->is(Value::Tag::kString) && first->text().starts_with("self")) {
    operand.path = format("{}.{}", first->text(), call.args[1].text());
    return operand;
  }
  return {};
}

// The target as programs spell it. What looks like an operator and is none is told, with the name
// that is nearest.
std::string ExpressionReader::function_target(std::string_view path, TextSpan span) {
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"aten.", "torch.ops.aten."},
      {"prims.", "torch.ops.prims."},
      {"ops.", "torch.ops."},
      {"operator.", "_operator."},
      {"F.", "torch.nn.functional."},
      {"higher_order.", "torch.ops.higher_order."},
      {"nn.functional.", "torch.nn.functional."}};
  std::string target(path);
  for (const auto& [prefix, full] : kPrefixes) {
    if (!path.starts_with(prefix)) continue;
    target = format("{}{}", full, path.substr(prefix.size()));
    break;
  }
  constexpr std::string_view kBuiltins[] = {"max", "min",   "abs",  "round", "pow",
                                            "int", "float", "bool", "sum",   "len"};
  if (std::find(std::begin(kBuiltins), std::end(kBuiltins), path) != std::end(kBuiltins))
    return format("builtins.{}", path);
  const std::string nearest = nearest_operator(target);
  if (!nearest.empty() && warned_.emplace(target, true).second)
    builder_.warn(span, format("{}: no operator has this name; did you mean {}?", path, nearest));
  return target;
}

ParsedOperand ExpressionReader::call_function(PendingCall call, TextSpan span) {
  ParsedOperand result;
  result.span = {span.begin, lexer_.last_end()};
  if (call.target == "self" || call.target.starts_with("self.")) {
    call.kind = NodeKind::kCallModule;
    call.target = call.target.substr(std::min<size_t>(5, call.target.size()));
  } else if (call.target.find('.') == std::string::npos && call.target.size() < 2) {
    fail(span, format("{} is no function", call.target));
  } else {
    call.target = function_target(call.target, span);
    if (call.target.find('.') == std::string::npos)
      fail(span, format("the function {} is not known: operators are called as aten.{}, functions "
                        "of torch as torch.{}",
                        call.target, call.target, call.target));
  }
  result.pending = std::move(call);
  return result;
}

// --- names that are no variables ---

std::string ExpressionReader::nearest_variable(std::string_view name) const {
  NearestName nearest(name);
  for (const auto& [id, value] : variables_) nearest.offer(builder_.program().text(id));
  return nearest.name();
}

ParsedOperand ExpressionReader::resolved(ParsedOperand operand) {
  if (operand.path.empty()) return operand;
  const std::string path = std::exchange(operand.path, {});
  constexpr std::string_view kSelf = "self.";
  if (path.starts_with(kSelf)) {
    const std::string_view name = std::string_view(path).substr(kSelf.size());
    const std::optional<Value> attribute = scope_.attribute(name, operand.span);
    if (!attribute)
      fail(operand.span, format("nothing says what {} is: write \"{}: \\\"f32[2, 3]\\\" = {}\" "
                                "once, or \"{}: \\\"f32[2, 3]\\\"\" in the class",
                                path, name.substr(name.rfind('.') + 1), path, name));
    operand.value = *attribute;
    return operand;
  }
  if (const auto constant = parse_torch_constant(path)) {
    operand.value = *constant;
    return operand;
  }
  if (path == "math.inf" || path == "torch.inf") {
    operand.value = Value(std::numeric_limits<double>::infinity());
  } else if (path == "math.nan" || path == "torch.nan") {
    operand.value = Value(std::numeric_limits<double>::quiet_NaN());
  } else if (path == "math.pi" || path == "torch.pi") {
    operand.value = Value(3.141592653589793);
  } else if (path == "self") {
    operand.value = Value::string(arena().copy(std::string_view(path)));
  } else if (path.find('.') == std::string::npos) {
    const std::string nearest = nearest_variable(path);
    fail(operand.span,
         format("{} is not defined{}", path,
                nearest.empty() ? std::string() : format("; did you mean {}?", nearest)));
  } else if (path.starts_with(kTorchOps)) {
    // An operator that is handed over, as to auto_functionalized.
    operand.value = Value::string(arena().copy(std::string_view(path)));
  } else {
    fail(operand.span, format("{} is no value", path));
  }
  return operand;
}

}  // namespace faketensor
