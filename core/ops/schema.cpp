#include "core/ops/schema.h"

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"

namespace faketensor {

uint32_t tags_of(ArgKind kind) {
  using enum Value::Tag;
  switch (kind) {
    case ArgKind::kTensor:
      return tag_bit(kTensor);
    case ArgKind::kInt:
      return tag_bit(kInt) | tag_bit(kBool);
    case ArgKind::kFloat:
      return tag_bit(kFloat) | tag_bit(kInt) | tag_bit(kBool) | tag_bit(kSymFloat);
    case ArgKind::kBool:
      return tag_bit(kBool);
    case ArgKind::kComplex:
    case ArgKind::kScalar:
      return tag_bit(kBool) | tag_bit(kInt) | tag_bit(kFloat) | tag_bit(kComplex) |
             tag_bit(kSymFloat);
    case ArgKind::kDType:
      return tag_bit(kDType);
    case ArgKind::kLayout:
      return tag_bit(kLayout);
    case ArgKind::kDevice:
      return tag_bit(kDevice);
    case ArgKind::kMemoryFormat:
      return tag_bit(kMemoryFormat);
    case ArgKind::kString:
      return tag_bit(kString);
    case ArgKind::kGenerator:
      return tag_bit(kGenerator);
    case ArgKind::kGraph:
      return tag_bit(kGraph);
    case ArgKind::kOther:
      return ~0u;
  }
  return 0;
}

namespace {

// Lists are looked into, and so is a number for an `int` or a `float`, which may be an expression.
uint32_t tags_that_fit(const ArgType& type) {
  const uint32_t none = type.is_optional ? tag_bit(Value::Tag::kNone) : 0;
  if (type.is_list) {
    const bool takes_expressions = type.is_symbolic_int || type.kind == ArgKind::kScalar;
    return none | (takes_expressions ? tag_bit(Value::Tag::kIntList) : 0);
  }
  if (type.kind == ArgKind::kFloat) return none | tag_bit(Value::Tag::kFloat);
  if (type.kind != ArgKind::kInt) return none | tags_of(type.kind);
  return none | (type.is_symbolic_int ? tag_bit(Value::Tag::kInt) : 0);
}

class Parser {
 public:
  Parser(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  Schema parse() {
    Schema schema;
    schema.text = text_;
    const std::string_view name = take_until("(");
    const size_t dot =
        name.find('.', name.find("::") == std::string_view::npos ? 0 : name.find("::"));
    schema.name = name.substr(0, dot);
    if (dot != std::string_view::npos) schema.overload = name.substr(dot + 1);
    expect('(');
    schema.arguments = arguments(schema);
    schema.fitting_tags = fitting_tags(schema.arguments);
    skip(" ");
    if (!accept("->")) fail("'->' expected");
    skip(" ");
    schema.returns = returns();
    if (at_ != text_.size()) fail("text after the schema");
    return schema;
  }

 private:
  std::span<const uint32_t> fitting_tags(std::span<const Argument> arguments) {
    const std::span<uint32_t> tags = arena_.make_array<uint32_t>(arguments.size());
    for (size_t i = 0; i < tags.size(); ++i) tags[i] = tags_that_fit(arguments[i].type);
    return tags;
  }
  std::span<const Argument> arguments(Schema& schema) {
    std::vector<Argument> list;
    bool keyword_only = false;
    while (!accept(")")) {
      skip(" ,");
      if (accept("...")) {
        schema.is_variadic = true;
      } else if (peek() == '*') {
        ++at_;
        keyword_only = true;
      } else if (peek() != ')') {
        list.push_back(argument(keyword_only));
      }
    }
    return arena_.copy(std::span<const Argument>(list));
  }

  std::span<const Argument> returns() {
    std::vector<Argument> list;
    if (accept("(")) {
      while (!accept(")")) {
        skip(" ,");
        if (peek() != ')') list.push_back(returned());
      }
    } else {
      list.push_back(returned());
    }
    return arena_.copy(std::span<const Argument>(list));
  }

  Argument returned() {
    Argument result;
    type(result);
    if (peek() == ' ') {
      skip(" ");
      result.name = take_until(",)");
    }
    return result;
  }

  Argument argument(bool keyword_only) {
    Argument result;
    result.is_keyword_only = keyword_only;
    type(result);
    skip(" ");
    result.name = take_until(",)= ");
    if (accept("=")) {
      result.default_text = default_text();
      result.has_default = true;
      result.default_value = default_value(result.default_text, result.type);
    }
    return result;
  }

  // Type, alias annotation, list and optional marks: "Tensor(a!)", "int[2]?", "Tensor?[]".
  void type(Argument& argument) {
    const size_t begin = at_;
    const std::string_view word = take_until(" ,()[]?=");
    if (word.empty() && peek() != '(') fail("a type expected");
    const bool is_tuple = word.empty();
    if (is_tuple || word == "Dict" || word == "Future" || word == "Await" || word == "RRef" ||
        word == "Union") {
      skip_brackets();
    }
    if (peek() == '(') {
      ++at_;
      argument.alias = take_until(")");
      expect(')');
    }
    ArgType& type = argument.type;
    type.kind = kind_of(word);
    type.is_symbolic_int = word == "SymInt";
    while (true) {
      if (accept("?")) {
        type.is_optional = true;
      } else if (peek() == '[') {
        ++at_;
        const std::string_view size = take_until("]");
        expect(']');
        type.is_element_optional = type.is_optional;
        type.is_optional = false;
        type.is_list = true;
        if (!size.empty()) type.list_size = list_size(size);
      } else if (peek() == '(' && type.is_list) {  // the alias of a list: Tensor(a!)[](b)
        skip_brackets();
      } else {
        break;
      }
    }
    type.text = text_.substr(begin, at_ - begin);
  }

  // The 2 of "int[2]".
  int32_t list_size(std::string_view text) {
    constexpr int64_t kMaxListSize = 1 << 20;
    const int64_t size = integer(text);
    if (size < 0) fail("a number expected");
    if (size > kMaxListSize)
      throw_error(
          ErrorKind::kLimitExceeded,
          format("schema '{}': a list of {} elements, more than {}", text_, size, kMaxListSize));
    return static_cast<int32_t>(size);
  }

  // As std::stoll reads it: digits at the front.
  static int64_t integer(std::string_view text) {
    const std::string digits(text);
    errno = 0;
    const int64_t value = std::strtoll(digits.c_str(), nullptr, 10);
    if (errno == ERANGE) throw_error(ErrorKind::kIndexError, "stoll");
    return value;
  }

  static ArgKind kind_of(std::string_view word) {
    struct Name {
      std::string_view text;
      ArgKind kind;
    };
    static constexpr Name kNames[] = {
        {"Tensor", ArgKind::kTensor},
        {"int", ArgKind::kInt},
        {"SymInt", ArgKind::kInt},
        {"float", ArgKind::kFloat},
        {"bool", ArgKind::kBool},
        {"SymBool", ArgKind::kBool},
        {"Scalar", ArgKind::kScalar},
        {"number", ArgKind::kScalar},
        {"complex", ArgKind::kComplex},
        {"ScalarType", ArgKind::kDType},
        {"Layout", ArgKind::kLayout},
        {"Device", ArgKind::kDevice},
        {"MemoryFormat", ArgKind::kMemoryFormat},
        {"str", ArgKind::kString},
        {"Generator", ArgKind::kGenerator},
    };
    for (const Name& name : kNames) {
      if (word == name.text) return name.kind;
    }
    return ArgKind::kOther;
  }

  // A default runs to the ',' or ')' outside of brackets and quotes.
  std::string_view default_text() {
    const size_t begin = at_;
    int depth = 0;
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == '\\' && at_ + 1 < text_.size()) ++at_;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        break;
      } else if (c == ']' || c == ')') {
        --depth;
      }
    }
    return text_.substr(begin, at_ - begin);
  }

  Value default_value(std::string_view text, const ArgType& type) {
    if (text == "None") return Value();
    if (type.is_list) return default_list(text, type);
    return default_scalar(text, type.kind);
  }

  Value default_list(std::string_view text, const ArgType& type) {
    SmallVector<Value, 4> values;
    if (!text.starts_with("[")) {
      const auto count = static_cast<size_t>(type.list_size < 0 ? 1 : type.list_size);
      for (size_t i = 0; i < count; ++i) values.push_back(default_scalar(text, type.kind));
    } else {
      if (text.size() < 2 || !text.ends_with("]")) fail("']' expected");
      text = text.substr(1, text.size() - 2);
      while (!text.empty()) {
        const size_t comma = text.find(',');
        values.push_back(default_scalar(text.substr(0, comma), type.kind));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        while (text.starts_with(" ")) text.remove_prefix(1);
      }
    }
    if (type.kind == ArgKind::kBool) check_elements(values.span(), Value::Tag::kBool, 710, "bool");
    if (type.kind != ArgKind::kInt) return Value::list(arena_.copy(values.span()));
    check_elements(values.span(), Value::Tag::kInt, 663, "int");
    DimVector ints;
    for (const Value& value : values) ints.push_back(value.as_sym_int());
    return Value::ints(arena_.copy(ints.span()));
  }

  // IValue::toInt and toBool of what convertToList
  // (torch/csrc/jit/frontend/function_schema_parser.cpp) is handed.
  static void check_elements(std::span<const Value> values, Value::Tag tag, int line,
                             std::string_view expected) {
    for (const Value& value : values) {
      if (value.is(tag)) continue;
      throw_error(ErrorKind::kRuntimeError,
                  format("0 INTERNAL ASSERT FAILED at "
                         "\"/__w/pytorch/pytorch/aten/src/ATen/core/ivalue.h\":{}, please report a "
                         "bug to PyTorch. expected {}",
                         line, expected));
    }
  }

  // A number that names no enumerator stays a number.
  template <typename Enum>
  static Value enumerated(std::string_view text, int count) {
    const int64_t number = integer(text);
    return number >= 0 && number < count ? Value(static_cast<Enum>(number)) : Value(number);
  }

  std::string_view unescaped(std::string_view text) {
    if (text.find('\\') == std::string_view::npos) return text;
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) ++i;
      plain += text[i];
    }
    return arena_.copy(std::string_view(plain));
  }

  Value default_scalar(std::string_view text, ArgKind kind) {
    if (text == "True") return true;
    if (text == "False") return false;
    if (text.starts_with("\"") || text.starts_with("'"))
      return Value::string(unescaped(text.substr(1, text.size() - 2)));
    if (text == "contiguous_format") return MemoryFormat::kContiguous;
    if (text == "Mean") return 1;
    if (text == "strided") return Layout::kStrided;
    if (text == "long") return DType::kInt64;
    if (text == "cpu") return Device{};
    const std::string number(text);
    switch (kind) {
      case ArgKind::kFloat:
        return std::strtod(number.c_str(), nullptr);
      case ArgKind::kMemoryFormat:
        return enumerated<MemoryFormat>(text, kMemoryFormatCount);
      case ArgKind::kDType:
        return enumerated<DType>(text, kDTypeCount);
      case ArgKind::kLayout:
        return enumerated<Layout>(text, kLayoutCount);
      default:
        break;
    }
    if (number.find_first_of(".ein") != std::string::npos)
      return std::strtod(number.c_str(), nullptr);
    return integer(text);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void expect(char c) {
    if (peek() != c) fail(format("'{}' expected", c));
    ++at_;
  }
  void skip(std::string_view chars) {
    while (at_ < text_.size() && chars.find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ == text_.size()) fail("the schema ends early");
  }
  void skip_brackets() {
    int depth = 0;
    do {
      if (peek() == '(') ++depth;
      if (peek() == ')') --depth;
      if (at_ == text_.size()) fail("unbalanced brackets");
      ++at_;
    } while (depth > 0);
  }
  std::string_view take_until(std::string_view chars) {
    const size_t begin = at_;
    while (at_ < text_.size() && chars.find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void fail(std::string what) {
    throw_error(ErrorKind::kValueError, format("schema '{}': {} at {}", text_, what, at_));
  }

  std::string_view text_;
  Arena& arena_;
  size_t at_ = 0;
};

void append_argument(std::string& out, const Argument& argument) {
  out += argument.type.text;
  if (!argument.name.empty()) out.append(" ").append(argument.name);
  if (argument.has_default) out.append("=").append(argument.default_text);
}

}  // namespace

Schema parse_schema(std::string_view text, Arena& arena) { return Parser(text, arena).parse(); }

std::string Schema::full_name() const {
  return std::string(name) + "." + (overload.empty() ? "default" : std::string(overload));
}

int Schema::find_argument(std::string_view argument) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == argument) return static_cast<int>(i);
  }
  return -1;
}

std::string to_string(const Schema& schema) {
  std::string out(schema.name);
  if (!schema.overload.empty()) out.append(".").append(schema.overload);
  out += '(';
  bool keyword_only = false;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (i > 0) out += ", ";
    if (schema.arguments[i].is_keyword_only && !keyword_only) {
      out += "*, ";
      keyword_only = true;
    }
    append_argument(out, schema.arguments[i]);
  }
  if (schema.is_variadic) out += schema.arguments.empty() ? "..." : ", ...";
  out += ") -> ";
  // A tuple's own brackets would read as those of a list of returns.
  if (schema.returns.size() == 1 && !schema.returns[0].type.text.starts_with("(")) {
    append_argument(out, schema.returns[0]);
    return out;
  }
  out += '(';
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    if (i > 0) out += ", ";
    append_argument(out, schema.returns[i]);
  }
  return out + ')';
}

namespace {

bool same_number(const Value& a, const Value& b) {
  const auto real = [](const Value& value) -> std::optional<double> {
    if (value.is(Value::Tag::kFloat)) return value.as_double();
    if (!value.is(Value::Tag::kInt) || value.as_sym_int().is_symbolic()) return {};
    return static_cast<double>(value.as_sym_int().as_int());
  };
  const std::optional<double> x = real(a);
  return x && x == real(b);
}

// A default is a scalar or a list of scalars.
bool is_same_scalar(const Value& a, const Value& b) {
  if (same_number(a, b)) return true;
  if (a.tag() != b.tag()) return false;
  switch (a.tag()) {
    case Value::Tag::kNone:
      return true;
    case Value::Tag::kBool:
      return !a.as_sym_bool().is_symbolic() &&
             a.as_sym_bool().as_bool() == b.as_sym_bool().as_bool();
    case Value::Tag::kString:
      return a.text() == b.text();
    case Value::Tag::kDType:
      return a.dtype() == b.dtype();
    case Value::Tag::kDevice:
      return a.device() == b.device();
    case Value::Tag::kLayout:
      return a.layout() == b.layout();
    case Value::Tag::kMemoryFormat:
      return a.memory_format() == b.memory_format();
    default:
      return false;
  }
}
bool is_same(const Value& a, const Value& b) {
  if (!a.is_list() || !b.is_list()) return is_same_scalar(a, b);
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!is_same_scalar(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

bool is_default(const Argument& argument, const Value& value) {
  // 0.0 is not the default 0 of a Scalar.
  const bool is_other_number =
      argument.type.kind == ArgKind::kScalar && argument.default_value.tag() != value.tag();
  return argument.has_default && !is_other_number && is_same(argument.default_value, value);
}

}  // namespace faketensor
