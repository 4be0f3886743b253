// GuardExpression: a guard on sizes, as produce_guards prints it, made ready to be checked.
//
// The text is Python over the inputs of a compiled function: sums, products, comparisons (chained
// ones too), `and`, `or`, `not`, min and max. Each source, such as "L['x'].size()[0]", is looked up
// once; a check then reads numbers by their place.
//
//   GuardExpression guard("2*L['x'].size()[0] == L['y'].size()[0]", slot_of);
//   guard.holds(numbers);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

class GuardExpression {
 public:
  // The place of a source among the numbers of a check.
  using SlotOf = std::function<size_t(std::string_view source)>;

  // Raises Unreadable for text that is no such guard.
  GuardExpression(std::string_view text, const SlotOf& slot_of);

  // Whether it is true for these numbers; false too where it has no value (a division by zero).
  bool holds(std::span<const double> numbers) const;

 private:
  friend class GuardParser;
  enum class Op : uint8_t {
    kNumber,
    kSlot,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kFloorDiv,
    kMod,
    kPow,
    kNeg,
    kMin,
    kMax,
    kAbs,
    kFloor,
    kCeil,
    kTrunc,
    kRound,
    kSqrt,
    kEq,
    kNe,
    kLt,
    kLe,
    kGt,
    kGe,
    kAnd,
    kOr,
    kNot,
    kChoose,  // a where c, else b
  };
  // Operands are earlier nodes. The last node is the whole.
  struct Node {
    Op op = Op::kNumber;
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    double number = 0;
  };
  static double apply(const Node& node, double a, double b, double c);

  std::vector<Node> nodes_;
};

}  // namespace faketensor
