#include "core/ops/steps/reference.h"

#include <algorithm>

#include "core/ops/constant.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/steps/steps.h"

namespace faketensor {

namespace {

bool should_expand(Dims sizes, Dims common) {
  if (sizes.size() != common.size()) return true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (guard_or_false(sizes[i] != common[i])) return true;
  }
  return false;
}

}  // namespace

Value cast_to(Call& call, const Value& value, DType dtype) {
  if (is_number(value) || value.tensor().dtype() == dtype) return value;
  return call.call<"aten::to.dtype">(value, dtype);
}

bool takes_references(const Call& call) {
  const auto is_symbolic = [](const Value& value) {
    if (value.is_tensor()) return value.tensor().meta->has_symbols();
    return value.is(Value::Tag::kInt) && value.as_sym_int().is_symbolic();
  };
  for (const Value& arg : call.args()) {
    if (is_symbolic(arg)) return true;
    if (!arg.is(Value::Tag::kList)) continue;
    if (std::any_of(arg.values().begin(), arg.values().end(), is_symbolic)) return true;
  }
  return false;
}

Value steps_inside(Call& call, OpId op, std::span<const Value> args) {
  return steps_of(op) != nullptr ? run_steps(call.context(), Registry::builtin().entry(op), args)
                                 : call.context().call(op, args);
}

Value plain_number(const Value& value) {
  return value.is_tensor() ? value.tensor().constant->number() : value;
}

Value number_of(SymFloat number) {
  return number.is_symbolic() ? Value::sym_float(number.node()) : Value(number.as_double());
}

Promoted::Promoted(Call& call, std::span<const Value> operands, Promotion kind)
    : call_(call),
      types_(
          elementwise_types(promoted_dtype(call, operands), kind, call.context().default_dtype)) {}

void broadcast(Call& call, std::span<Value> operands) {
  SmallVector<Dims, 4> shapes;
  for (const Value& operand : operands) {
    if (!is_number(operand)) shapes.push_back(operand.tensor().sizes());
  }
  const DimVector common = broadcast_sizes(call, shapes.span());
  for (Value& operand : operands) {
    if (is_number(operand) || is_cpu_scalar(operand.tensor())) continue;
    if (should_expand(operand.tensor().sizes(), common))
      operand = call.call<"aten::expand">(operand, common);
  }
}

namespace {

template <typename Prim>
Value around(Call& call, size_t count, Promotion kind, const Prim& prim) {
  const std::span<const Value> given = call.args().first(count);
  const Promoted types(call, given, kind);
  SmallVector<Value, 4> operands;
  for (const Value& operand : given) operands.push_back(types.cast(operand));
  if (count > 1) broadcast(call, {operands.begin(), operands.size()});
  return types.back(prim(operands.span()));
}

Value reference_of_own_name(Call& call, uint64_t prim) {
  const auto own = rule_params<PointwiseParams>(call.op().rule.params);
  return around(call, own.operands, own.promote, [&](std::span<const Value> operands) {
    return call.context().call(static_cast<OpId>(prim), operands);
  });
}

}  // namespace

Value elementwise_reference(Call& call, size_t count, Promotion kind, PrimCall prim) {
  return around(call, count, kind,
                [&](std::span<const Value> operands) { return prim(call, operands); });
}

Rule reference_by_name(OpId prim) { return {&reference_of_own_name, prim}; }

}  // namespace faketensor
