#include "core/symbolic/parse.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/simplify.h"

namespace faketensor {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

struct Arity {
  size_t least;
  size_t most;
};

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

Arity arity(ExprKind kind) {
  switch (kind) {
    case ExprKind::kAdd:
    case ExprKind::kMul:
    case ExprKind::kAnd:
    case ExprKind::kOr:
    case ExprKind::kMax:
    case ExprKind::kMin:
      return {1, kAnyNumber};
    case ExprKind::kAbs:
    case ExprKind::kTruncToInt:
    case ExprKind::kFloorToInt:
    case ExprKind::kCeilToInt:
    case ExprKind::kRoundToInt:
    case ExprKind::kToFloat:
    case ExprKind::kTruncToFloat:
    case ExprKind::kSqrt:
    case ExprKind::kNot:
      return {1, 1};
    case ExprKind::kModularIndexing:
      return {3, 3};
    default:
      return {2, 2};
  }
}

// Names that are not those of function_name().
constexpr std::array kAliases = {
    std::pair{std::string_view("Add"), ExprKind::kAdd},
    std::pair{std::string_view("Mul"), ExprKind::kMul},
    std::pair{std::string_view("Equality"), ExprKind::kEq},
    std::pair{std::string_view("Unequality"), ExprKind::kNe},
    std::pair{std::string_view("Lt"), ExprKind::kLt},
    std::pair{std::string_view("Le"), ExprKind::kLe},
    std::pair{std::string_view("Gt"), ExprKind::kGt},
    std::pair{std::string_view("Ge"), ExprKind::kGe},
};

std::optional<ExprKind> kind_of_function(std::string_view name) {
  for (const auto& [alias, kind] : kAliases) {
    if (alias == name) return kind;
  }
  for (int i = 0; i < kExprKindCount; ++i) {
    const auto kind = static_cast<ExprKind>(i);
    if (function_name(kind) == name && kind != ExprKind::kWhere) return kind;
  }
  return std::nullopt;
}

bool is_numbered(std::string_view name, std::string_view prefix) {
  if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) return false;
  for (const char c : name.substr(prefix.size())) {
    if (!is_digit(c)) return false;
  }
  return true;
}

SymbolInfo implied_symbol(std::string_view name) {
  SymbolInfo info;
  info.name = name;
  info.unbacked = is_numbered(name, "u") || is_numbered(name, "zuf");
  info.positive = is_numbered(name, "s");
  if (is_numbered(name, "zf") || is_numbered(name, "zuf")) info.type = ExprType::kFloat;
  return info;
}

// Recursive descent; every level of nesting passes through expression(), which counts.
class Parser {
 public:
  Parser(ExprPool& pool, std::string_view text) : pool_(pool), text_(text) {}

  const ExprNode* parse() {
    if (text_.size() > kMaxParseLength) {
      throw_error(ErrorKind::kLimitExceeded, format("an expression of {} characters (limit {})",
                                                    text_.size(), kMaxParseLength));
    }
    const ExprNode* result = expression();
    skip_space();
    if (at_ != text_.size()) fail("unexpected text after the expression");
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw_error(ErrorKind::kUnreadable, format("expression, column {}: {}", at_ + 1, what));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool accept(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail(format("expected '{}'", token));
  }

  // Raised on the way in, lowered on the way out; an error ends the parse, so nothing needs
  // undoing.
  void enter() {
    if (++depth_ > kMaxParseDepth) {
      throw_error(ErrorKind::kLimitExceeded,
                  format("expression, column {}: nested deeper than {}", at_ + 1, kMaxParseDepth));
    }
  }

  void require(const ExprNode* node, bool boolean) const {
    if ((node->type == ExprType::kBool) != boolean)
      fail(boolean ? "expected a condition" : "expected a number");
  }

  const ExprNode* expression() {
    enter();
    std::vector<const ExprNode*> parts = {conjunction()};
    while (accept("|")) parts.push_back(conjunction());
    --depth_;
    return joined(ExprKind::kOr, parts);
  }

  const ExprNode* conjunction() {
    std::vector<const ExprNode*> parts = {negation()};
    while (accept("&")) parts.push_back(negation());
    return joined(ExprKind::kAnd, parts);
  }

  const ExprNode* joined(ExprKind kind, const std::vector<const ExprNode*>& parts) {
    if (parts.size() == 1) return parts[0];
    for (const ExprNode* part : parts) require(part, true);
    return pool_.make(kind, parts);
  }

  const ExprNode* negation() {
    bool negated = false;
    while (accept("~")) negated = !negated;
    const ExprNode* operand = relation();
    if (!negated) return operand;
    require(operand, true);
    return pool_.logical_not(operand);
  }

  const ExprNode* relation() {
    const ExprNode* left = sum();
    constexpr std::array kSigns = {std::pair{std::string_view("<="), ExprKind::kLe},
                                   std::pair{std::string_view(">="), ExprKind::kGe},
                                   std::pair{std::string_view("=="), ExprKind::kEq},
                                   std::pair{std::string_view("!="), ExprKind::kNe},
                                   std::pair{std::string_view("<"), ExprKind::kLt},
                                   std::pair{std::string_view(">"), ExprKind::kGt}};
    for (const auto& [sign, kind] : kSigns) {
      if (!accept(sign)) continue;
      const ExprNode* right = sum();
      require(left, false);
      require(right, false);
      return pool_.make(kind, left, right);
    }
    return left;
  }

  const ExprNode* sum() {
    std::vector<const ExprNode*> terms = {product()};
    while (true) {
      const bool plus = accept("+");
      if (!plus && !accept("-")) break;
      const ExprNode* term = product();
      require(term, false);
      terms.push_back(plus ? term : pool_.negate(term));
    }
    if (terms.size() == 1) return terms[0];
    require(terms[0], false);
    return pool_.make(ExprKind::kAdd, terms);
  }

  const ExprNode* product() {
    std::vector<const ExprNode*> factors;
    add_factor(factors);
    while (true) {
      skip_space();
      if (accept("//")) {
        const ExprNode* dividend = multiplied(factors);
        require(dividend, false);
        factors = {pool_.make(ExprKind::kFloorDiv, dividend, divisor())};
      } else if (text_.substr(at_, 1) == "*" && text_.substr(at_, 2) != "**") {
        ++at_;
        add_factor(factors);
      } else if (accept("%")) {
        const ExprNode* dividend = multiplied(factors);
        require(dividend, false);
        factors = {pool_.python_mod(dividend, divisor())};
      } else {
        return multiplied(factors);
      }
    }
  }

  const ExprNode* multiplied(const std::vector<const ExprNode*>& factors) {
    if (factors.size() == 1) return factors[0];
    for (const ExprNode* factor : factors) require(factor, false);
    return pool_.make(ExprKind::kMul, factors);
  }

  // A factor; a minus sign before it is a factor -1 of the whole product, so that -(a + b)*c stays
  // a product instead of becoming (-a - b)*c.
  void add_factor(std::vector<const ExprNode*>& factors) {
    bool negative = false;
    while (accept("-")) negative = !negative;
    const ExprNode* base = atom();
    if (accept("**")) {
      require(base, false);
      const ExprNode* exponent = atom();
      require(exponent, false);
      base = power(base, exponent);
    }
    factors.push_back(base);
    if (negative) factors.push_back(pool_.integer(-1));
  }

  const ExprNode* divisor() {
    std::vector<const ExprNode*> factors;
    add_factor(factors);
    const ExprNode* result = multiplied(factors);
    require(result, false);
    return result;
  }

  const ExprNode* power(const ExprNode* base, const ExprNode* exponent) {
    return pool_.make(ExprKind::kPowByNatural, base, exponent);
  }

  const ExprNode* atom() {
    skip_space();
    if (at_ == text_.size()) fail("expected an expression");
    if (accept("(")) {
      const ExprNode* inner = expression();
      expect(")");
      return inner;
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (is_name_start(text_[at_])) return name_or_call();
    fail("expected an expression");
  }

  const ExprNode* number() {
    const size_t start = at_;
    bool real = false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent_sign =
          (c == '-' || c == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && at_ > start;
      if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !exponent_sign) break;
      real |= !is_digit(c);
      ++at_;
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    if (real) return pool_.real(real_value(digits));
    return pool_.integer(integer_value(digits));
  }

  int64_t integer_value(std::string_view digits) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      fail("expected an integer of 64 bits");
    return value;
  }

  double real_value(std::string_view digits) const {
    const std::string terminated(digits);
    char* end = nullptr;
    const double value = std::strtod(terminated.c_str(), &end);
    if (terminated.empty() || *end != '\0') fail("expected a number");
    return value;
  }

  std::string_view name() {
    skip_space();
    const size_t start = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    }
    if (at_ == start) fail("expected a name");
    return text_.substr(start, at_ - start);
  }

  std::string_view quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a quoted text");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quote is not closed");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  const ExprNode* name_or_call() {
    const std::string_view word = name();
    if (!accept("(")) {
      if (word == "True" || word == "true") return pool_.boolean(true);
      if (word == "False" || word == "false") return pool_.boolean(false);
      return pool_.symbol(implied_symbol(word));
    }
    if (word == "Integer") return integer_constructor();
    if (word == "Float") return float_constructor();
    if (word == "Symbol") return symbol_constructor();
    if (word == "Piecewise") return piecewise();
    if (word == "Pow") {
      const std::vector<const ExprNode*> args = arguments({2, 2});
      return power(args[0], args[1]);
    }
    const std::optional<ExprKind> kind = kind_of_function(word);
    if (!kind) fail(format("unknown function '{}'", word));
    return call(*kind);
  }

  const ExprNode* call(ExprKind kind) {
    const std::vector<const ExprNode*> args = arguments(arity(kind));
    const bool logical = kind == ExprKind::kAnd || kind == ExprKind::kOr || kind == ExprKind::kNot;
    const bool equality = kind == ExprKind::kEq || kind == ExprKind::kNe;
    for (const ExprNode* arg : args) {
      if (!equality) require(arg, logical);
    }
    if (equality) require(args[1], args[0]->type == ExprType::kBool);
    return pool_.make(kind, args);
  }

  std::vector<const ExprNode*> arguments(Arity allowed) {
    std::vector<const ExprNode*> args;
    do {
      args.push_back(expression());
    } while (accept(","));
    expect(")");
    if (args.size() < allowed.least || args.size() > allowed.most)
      fail("wrong number of arguments");
    return args;
  }

  const ExprNode* integer_constructor() {
    const bool negative = accept("-");
    skip_space();
    const size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::string digits =
        (negative ? "-" : "") + std::string(text_.substr(start, at_ - start));
    const int64_t value = integer_value(digits);
    expect(")");
    return pool_.integer(value);
  }

  const ExprNode* float_constructor() {
    const double value = real_value(quoted());
    while (accept(",")) {
      name();
      expect("=");
      number();
    }
    expect(")");
    return pool_.real(value);
  }

  const ExprNode* symbol_constructor() {
    const std::string_view symbol = quoted();
    if (symbol.empty()) fail("a symbol without a name");
    SymbolInfo info = implied_symbol(symbol);
    info.positive = false;
    bool integer = false;
    bool real = false;
    while (accept(",")) {
      const std::string_view assumption = name();
      expect("=");
      const bool holds = name() == "True";
      if (assumption == "positive") info.positive = holds;
      if (assumption == "integer") integer = holds;
      if (assumption == "real") real = holds;
    }
    expect(")");
    info.type = real && !integer ? ExprType::kFloat : ExprType::kInt;
    return pool_.symbol(info);
  }

  // Piecewise((a, c), (b, True)) or Piecewise(ExprCondPair(a, c), ...): the first value whose
  // condition holds.
  const ExprNode* piecewise() {
    std::vector<std::pair<const ExprNode*, const ExprNode*>> cases;
    do {
      accept("ExprCondPair");
      expect("(");
      const ExprNode* value = expression();
      expect(",");
      const ExprNode* condition = expression();
      expect(")");
      require(condition, true);
      if (!cases.empty() && value->type != cases[0].first->type) fail("values of two types");
      cases.emplace_back(value, condition);
    } while (accept(","));
    expect(")");
    if (!cases.back().second->is_true()) fail("the last case of Piecewise must be True");
    const ExprNode* result = cases.back().first;
    for (size_t i = cases.size() - 1; i-- > 0;) {
      result = pool_.make(ExprKind::kWhere, cases[i].second, cases[i].first, result);
    }
    return result;
  }

  ExprPool& pool_;
  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

const ExprNode* parse_expr(ExprPool& pool, std::string_view text) {
  return Parser(pool, text).parse();
}

}  // namespace faketensor
