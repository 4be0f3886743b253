#include "core/analysis/formula.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kMetadataFunctions[] = {
    "count", "dim", "dtype", "filled", "numel", "offset", "pieces", "size", "sizes", "strides"};

class FormulaParser {
 public:
  explicit FormulaParser(std::string_view text) : text_(text) {}

  Formula parse() {
    Formula formula;
    skip_spaces();
    while (at_ < text_.size()) {
      formula.statements.push_back(statement());
      if (at_ < text_.size()) expect(';');
    }
    return formula;
  }

 private:
  Statement statement() {
    Statement statement;
    do {
      statement.targets.push_back(name());
    } while (take(','));
    expect(':');
    statement.expression = sum();
    note_saved(statement.expression, statement.saved);
    return statement;
  }

  Expression sum() {
    Expression left = product();
    for (;;) {
      if (take('+')) {
        left = operation("add.Tensor", std::move(left), product());
      } else if (take('-')) {
        left = operation("sub.Tensor", std::move(left), product());
      } else {
        return left;
      }
    }
  }

  Expression product() {
    Expression left = primary();
    for (;;) {
      if (take('*')) {
        left = operation("mul.Tensor", std::move(left), primary());
      } else if (take('/')) {
        left = operation("div.Tensor", std::move(left), primary());
      } else {
        return left;
      }
    }
  }

  static Expression operation(std::string_view op, Expression left, Expression right) {
    Expression call{.kind = Expression::Kind::kCall, .text = op, .arguments = {}};
    call.arguments.push_back(std::move(left));
    call.arguments.push_back(std::move(right));
    return call;
  }

  Expression primary() {
    if (take('(')) {
      Expression inner = sum();
      expect(')');
      return inner;
    }
    if (take('[')) {
      Expression list{.kind = Expression::Kind::kList, .text = {}, .arguments = {}};
      arguments(list.arguments, ']');
      return list;
    }
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '-' || std::isdigit(static_cast<unsigned char>(c)) != 0) return number();
    Expression named{.kind = Expression::Kind::kName, .text = name(), .arguments = {}};
    if (named.text == "none") return {};
    if (named.text == "true" || named.text == "false")
      return {.kind = Expression::Kind::kBool,
              .text = {},
              .number = named.text == "true" ? 1.0 : 0.0,
              .arguments = {}};
    if (!take('(')) return named;
    named.kind = Expression::Kind::kCall;
    arguments(named.arguments, ')');
    return named;
  }

  void arguments(std::vector<Expression>& into, char end) {
    if (take(end)) return;
    do {
      into.push_back(sum());
    } while (take(','));
    expect(end);
  }

  Expression number() {
    const size_t begin = at_++;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '.'))
      ++at_;
    const std::string digits(text_.substr(begin, at_ - begin));
    skip_spaces();
    const bool is_int = digits.find('.') == std::string::npos;
    return {.kind = is_int ? Expression::Kind::kInt : Expression::Kind::kFloat,
            .text = {},
            .number = std::strtod(digits.c_str(), nullptr),
            .arguments = {}};
  }

  std::string_view name() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    if (at_ == begin) refuse("a name");
    const std::string_view found = text_.substr(begin, at_ - begin);
    skip_spaces();
    return found;
  }

  // The names that stand for tensors whose data the expression reads.
  static void note_saved(const Expression& expression, std::vector<std::string_view>& saved) {
    if (expression.kind == Expression::Kind::kName) {
      const std::string_view name = expression.text;
      if (name.starts_with("grad") || name == "needed") return;
      if (std::find(saved.begin(), saved.end(), name) == saved.end()) saved.push_back(name);
      return;
    }
    if (expression.kind == Expression::Kind::kCall && is_metadata_function(expression.text)) return;
    for (const Expression& argument : expression.arguments) note_saved(argument, saved);
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip_spaces();
    return true;
  }
  void expect(char wanted) {
    if (!take(wanted)) refuse(std::string_view(&wanted, 1));
  }
  [[noreturn]] void refuse(std::string_view wanted) const {
    throw_error(ErrorKind::kAssertionError,
                format("the formula '{}' needs {} at {}", text_, wanted, at_));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

int Formula::readers(std::string_view name) const {
  return static_cast<int>(
      std::count_if(statements.begin(), statements.end(), [&](const Statement& s) {
        return std::find(s.saved.begin(), s.saved.end(), name) != s.saved.end();
      }));
}

Formula parse_formula(std::string_view text) { return FormulaParser(text).parse(); }

bool is_metadata_function(std::string_view name) {
  return std::find(std::begin(kMetadataFunctions), std::end(kMetadataFunctions), name) !=
         std::end(kMetadataFunctions);
}

}  // namespace faketensor
