#include "core/analysis/held_calls.h"

#include <string>

#include "core/mode/find_tensor.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

HeldTensor HeldCalls::hold(Tensor& tensor) {
  std::weak_ptr<const TensorHold>& known = holds_[&tensor];
  HeldTensor held = known.lock();
  if (held == nullptr) {
    held = std::make_shared<const TensorHold>(ledger_, tensor, kind_);
    known = held;
  }
  return held;
}

Value HeldCalls::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  Value result = next(op, args);
  for_each_tensor({&result, 1}, [&](const Tensor& tensor) {
    brought_.push_back(hold(const_cast<Tensor&>(tensor)));
  });
  return result;
}

Term HeldCalls::call(std::string_view op, std::span<const Term> args) {
  const auto [at, is_new] = ids_.emplace(op, kNoOp);
  if (is_new) at->second = Registry::builtin().find(format("aten::{}", op));
  if (at->second == kNoOp)
    throw_error(ErrorKind::kAssertionError, format("a formula calls {}, which has no rule", op));
  std::vector<Value> values;
  for (const Term& arg : args) values.push_back(arg.value);
  Term result{context_.call(at->second, values), {}};
  for_each_tensor({&result.value, 1}, [&](const Tensor& tensor) {
    result.holds.push_back(hold(const_cast<Tensor&>(tensor)));
  });
  brought_.clear();
  return result;
}

Term HeldCalls::list(std::span<const Term> terms) {
  std::vector<Value> values;
  Term list;
  bool is_ints = !terms.empty();
  for (const Term& term : terms) {
    values.push_back(term.value);
    is_ints = is_ints && term.value.is(Value::Tag::kInt);
    list.holds.insert(list.holds.end(), term.holds.begin(), term.holds.end());
  }
  if (is_ints) {
    std::vector<SymInt> ints;
    for (const Value& value : values) ints.push_back(value.as_sym_int());
    list.value = context_.make_ints(ints);
  } else {
    list.value = context_.make_list(values);
  }
  return list;
}

}  // namespace faketensor
