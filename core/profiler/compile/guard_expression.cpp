#include "core/profiler/compile/guard_expression.h"

#include <cmath>
#include <cstdlib>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/support/small_vector.h"

namespace faketensor {

// By recursive descent; the texts are our own, and no deeper than the expressions they print.
class GuardParser {
 public:
  using Op = GuardExpression::Op;
  using Node = GuardExpression::Node;

  GuardParser(std::string_view text, const GuardExpression::SlotOf& slot_of,
              std::vector<Node>& nodes)
      : text_(text), slot_of_(slot_of), nodes_(nodes) {}

  void parse() {
    choice();
    skip_space();
    if (at_ != text_.size()) fail();
  }

 private:
  struct Infix {
    std::string_view text;
    Op op;
  };

  [[noreturn]] void fail() const {
    throw_error(ErrorKind::kUnreadable, format("no guard at column {}: {}", at_, text_));
  }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  uint32_t add(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    nodes_.push_back({op, a, b, c, 0});
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  uint32_t choice() {
    const uint32_t first = disjunction();
    if (!take("if ")) return first;
    const uint32_t condition = disjunction();
    if (!take("else ")) fail();
    return add(Op::kChoose, first, choice(), condition);
  }
  uint32_t disjunction() {
    uint32_t left = conjunction();
    while (take("or ")) left = add(Op::kOr, left, conjunction());
    return left;
  }
  uint32_t conjunction() {
    uint32_t left = negation();
    while (take("and ")) left = add(Op::kAnd, left, negation());
    return left;
  }
  uint32_t negation() { return take("not ") ? add(Op::kNot, negation()) : comparison(); }

  uint32_t comparison() {
    constexpr Infix kComparisons[] = {{"==", Op::kEq}, {"!=", Op::kNe}, {"<=", Op::kLe},
                                      {">=", Op::kGe}, {"<", Op::kLt},  {">", Op::kGt}};
    uint32_t left = sum();
    std::optional<uint32_t> all;
    for (;;) {
      const std::optional<Op> op = take_one(kComparisons);
      if (!op) return all.value_or(left);
      const uint32_t right = sum();
      const uint32_t each = add(*op, left, right);
      all = all ? add(Op::kAnd, *all, each) : each;
      left = right;
    }
  }
  std::optional<Op> take_one(std::span<const Infix> operators) {
    for (const Infix& each : operators) {
      if (take(each.text)) return each.op;
    }
    return std::nullopt;
  }

  uint32_t sum() {
    constexpr Infix kSums[] = {{"+", Op::kAdd}, {"-", Op::kSub}};
    uint32_t left = product();
    while (const std::optional<Op> op = take_one(kSums)) left = add(*op, left, product());
    return left;
  }
  uint32_t product() {
    constexpr Infix kProducts[] = {{"//", Op::kFloorDiv}, {"/", Op::kDiv}, {"%", Op::kMod}};
    uint32_t left = factor();
    for (;;) {
      skip_space();
      if (!text_.substr(at_).starts_with("**") && take("*")) {
        left = add(Op::kMul, left, factor());
      } else if (const std::optional<Op> op = take_one(kProducts)) {
        left = add(*op, left, factor());
      } else {
        return left;
      }
    }
  }
  uint32_t factor() {
    if (take("-")) return add(Op::kNeg, factor());
    const uint32_t base = atom();
    return take("**") ? add(Op::kPow, base, factor()) : base;
  }

  uint32_t atom() {
    skip_space();
    if (take("(")) {
      const uint32_t inner = choice();
      if (!take(")")) fail();
      return inner;
    }
    if (take("True")) return number(1);
    if (take("False")) return number(0);
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("L[") || rest.starts_with("G[")) return source();
    if (!rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'))) return literal();
    return function();
  }
  uint32_t number(double value) {
    const uint32_t node = add(Op::kNumber);
    nodes_[node].number = value;
    return node;
  }
  uint32_t literal() {
    const std::string rest(text_.substr(at_));
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    if (end == rest.c_str()) fail();
    at_ += static_cast<size_t>(end - rest.c_str());
    return number(value);
  }

  // "L['x'].size()[0]": brackets, which may hold quoted text, and attributes.
  uint32_t source() {
    const size_t begin = at_++;
    const auto is_word = [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '[') {
        const bool is_quoted = at_ + 1 < text_.size() && text_[at_ + 1] == '\'';
        const size_t end = text_.find(is_quoted ? "']" : "]", at_ + 1);
        if (end == std::string_view::npos) fail();
        at_ = end + (is_quoted ? 2 : 1);
      } else if (text_.substr(at_).starts_with("()")) {
        at_ += 2;
      } else if (c == '.' || is_word(c)) {
        ++at_;
      } else {
        break;
      }
    }
    const uint32_t node = add(Op::kSlot);
    nodes_[node].a = static_cast<uint32_t>(slot_of_(text_.substr(begin, at_ - begin)));
    return node;
  }

  uint32_t function() {
    constexpr Infix kFunctions[] = {{"max(", Op::kMax},        {"min(", Op::kMin},
                                    {"abs(", Op::kAbs},        {"math.floor(", Op::kFloor},
                                    {"math.ceil(", Op::kCeil}, {"math.trunc(", Op::kTrunc},
                                    {"round(", Op::kRound},    {"torch._sym_sqrt(", Op::kSqrt}};
    if (take("torch.sym_float(")) return argument();
    const std::optional<Op> op = take_one(kFunctions);
    if (!op) fail();
    if (*op != Op::kMax && *op != Op::kMin) return add(*op, argument());
    uint32_t left = choice();
    while (take(",")) left = add(*op, left, choice());
    if (!take(")")) fail();
    return left;
  }
  uint32_t argument() {
    const uint32_t inner = choice();
    if (!take(")")) fail();
    return inner;
  }

  std::string_view text_;
  const GuardExpression::SlotOf& slot_of_;
  std::vector<Node>& nodes_;
  size_t at_ = 0;
};

GuardExpression::GuardExpression(std::string_view text, const SlotOf& slot_of) {
  GuardParser(text, slot_of, nodes_).parse();
}

// Sizes are integers below 2^53, which a double holds exactly.
double GuardExpression::apply(const Node& node, double a, double b, double c) {
  switch (node.op) {
    case Op::kNumber:
    case Op::kSlot:
      return node.number;
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kFloorDiv:
      return std::floor(a / b);
    case Op::kMod:
      return a - std::floor(a / b) * b;
    case Op::kPow:
      return std::pow(a, b);
    case Op::kNeg:
      return -a;
    case Op::kMin:
      return std::fmin(a, b);
    case Op::kMax:
      return std::fmax(a, b);
    case Op::kAbs:
      return std::fabs(a);
    case Op::kFloor:
      return std::floor(a);
    case Op::kCeil:
      return std::ceil(a);
    case Op::kTrunc:
      return std::trunc(a);
    case Op::kRound:
      return std::nearbyint(a);
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kEq:
      return a == b;
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kGt:
      return a > b;
    case Op::kGe:
      return a >= b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    case Op::kNot:
      return a == 0;
    case Op::kChoose:
      return c != 0 ? a : b;
  }
  return 0;
}

bool GuardExpression::holds(std::span<const double> numbers) const {
  SmallVector<double, 32> values;
  for (const Node& node : nodes_) {
    if (node.op == Op::kSlot) {
      values.push_back(numbers[node.a]);
    } else if (node.op == Op::kNumber) {
      values.push_back(node.number);
    } else {
      values.push_back(apply(node, values[node.a], values[node.b], values[node.c]));
    }
  }
  const double result = values[values.size() - 1];
  return result != 0 && !std::isnan(result);
}

}  // namespace faketensor
