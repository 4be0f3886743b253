// The pieces of torch/_refs that every reference is made of: promotion and broadcasting.
//
//   const Promoted types(c, {a, b}, Promotion::kDefault);
//   Value x = types.cast(a), y = types.cast(b);
//   broadcast(c, x, y);
//   return types.back(c.call<"prims::add">(x, y));
#pragma once

#include <initializer_list>

#include "core/ops/call.h"
#include "core/ops/families/pointwise.h"
#include "core/symbolic/sym_float.h"

namespace faketensor {

// torch._prims_common.wrappers._maybe_convert_to_dtype: Tensor.to where a tensor's dtype is another
// one; numbers and None as they are.
Value cast_to(Call& call, const Value& value, DType dtype);

// elementwise_type_promotion_wrapper, torch/_prims_common/wrappers.py.
class Promoted {
 public:
  Promoted(Call& call, std::initializer_list<Value> operands, Promotion kind)
      : Promoted(call, std::span(operands.begin(), operands.size()), kind) {}
  Promoted(Call& call, std::span<const Value> operands, Promotion kind);

  DType computation() const { return types_.computation; }
  Value cast(const Value& operand) const { return cast_to(call_, operand, types_.computation); }
  Value back(const Value& result) const { return cast_to(call_, result, types_.result); }

 private:
  Call& call_;
  ElementwiseTypes types_;
};

// A number that stands where a tensor may: as it was given.
Value plain_number(const Value& value);

// A number that may be symbolic, as an argument.
Value number_of(SymFloat number);

// torch._refs._maybe_broadcast: Tensor.expand for each tensor that is not of the common shape, but
// for 0-dimensional ones of the CPU.
void broadcast(Call& call, std::span<Value> operands);
inline void broadcast(Call& call, Value& a, Value& b) {
  Value both[] = {a, b};
  broadcast(call, both);
  a = both[0];
  b = both[1];
}

// _make_elementwise_unary_reference and _make_elementwise_binary_reference around one prim: the
// leading `count` arguments, cast and broadcast.
using PrimCall = Value (*)(Call& call, std::span<const Value> operands);
Value elementwise_reference(Call& call, size_t count, Promotion kind, PrimCall prim);

// Whether a size among the arguments is symbolic: then FakeTensorMode prefers references to
// kernels, composites among them.
bool takes_references(const Call& call);

// The steps of another operator with these arguments, inside of this one's; a call of it where it
// has none.
Value steps_inside(Call& call, OpId op, std::span<const Value> args);

// In-place overloads that do not follow from a row: the functional operator's steps, or a call of
// it, whose result is copied.
template <FixedString functional>
consteval Rule copied_steps_of() {
  return {+[](Call& call, uint64_t) {
    const OpId op = Registry::builtin().find(functional.view());
    return call.call<"aten::copy_">(call.arg(0), steps_inside(call, op, call.args()));
  }};
}
template <FixedString functional>
consteval Rule copied_call_of() {
  return {+[](Call& call, uint64_t) {
    return call.call<"aten::copy_">(call.arg(0), call.forward<functional>(call.args()));
  }};
}

// Steps of an operator whose reference is the prim of that name, with so many operands. Promotion is
// the row's own where the family of pointwise rules answers it (families/pointwise.h).
template <FixedString prim>
consteval Rule reference(Promotion promote, uint8_t operands) {
  struct Given {
    Promotion promote;
    uint8_t operands;
  };
  return family_rule(
      +[](Call& call, uint64_t params) {
        const auto given = rule_params<Given>(params);
        return elementwise_reference(
            call, given.operands, given.promote,
            +[](Call& c, std::span<const Value> values) { return c.forward<prim>(values); });
      },
      Given{promote, operands});
}
template <FixedString prim>
consteval Rule reference() {
  return {+[](Call& call, uint64_t) {
    const auto own = rule_params<PointwiseParams>(call.op().rule.params);
    return elementwise_reference(
        call, own.operands, own.promote,
        +[](Call& c, std::span<const Value> values) { return c.forward<prim>(values); });
  }};
}

// Most references are the prim of their own name; `prim` is its OpId. The operator's rule is of the
// family of pointwise rules.
Rule reference_by_name(OpId prim);

}  // namespace faketensor
