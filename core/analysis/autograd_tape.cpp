#include "core/analysis/autograd_tape.h"

#include <algorithm>
#include <utility>

namespace faketensor {

void AutogradTape::attach(RetargetOptions& options) {
  options.watcher = this;
  options.prepare = [this, before = std::move(options.prepare)](const Program& program,
                                                                FakeTensorMode& mode) {
    if (before) before(program, mode);
    program_ = &program;
    context_ = &mode.context();
    context_->grad_enabled = true;
    context_->checks_leaves = false;  // every model trains
  };
}

void AutogradTape::begin_run() {
  calls_.clear();
  row_ = kNoRow;
}

// A placeholder requires grad where it is a parameter that can be trained.
void AutogradTape::end_row(Row row, const Value& value) {
  if (row >= program_->inputs.size() || !value.is_tensor()) return;
  Tensor& tensor = value.tensor();
  const bool is_trained =
      program_->inputs[row].kind == InputSpec::Kind::kParameter && is_floating(tensor.dtype());
  if (tensor.meta->has(kRequiresGrad) == is_trained) return;
  MetaSpec spec = tensor.meta->spec();
  spec.flags ^= kRequiresGrad;
  tensor.meta = context_->metas().intern(spec);
}

// Lists are copied: the caller's may be gone when the call has ended.
Value AutogradTape::keep(const Value& value) {
  if (value.is(Value::Tag::kIntList)) return Value::ints(arena_.copy(value.ints()));
  if (!value.is(Value::Tag::kList)) return value;
  std::vector<Value> elements;
  for (const Value& element : value.values()) elements.push_back(keep(element));
  return Value::list(arena_.copy(std::span<const Value>(elements)));
}

Value AutogradTape::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  Value result = next(op, args);
  TapedCall call{.op = &op,
                 .row = row_,
                 .args = {},
                 .result = keep(result),
                 .records = context_->grad_enabled};
  call.args = keep(Value::list(args)).values();
  calls_.push_back(call);
  return result;
}

std::span<const TapedCall> AutogradTape::calls(Row row) const {
  const auto by_row = [](const TapedCall& call, Row wanted) { return call.row < wanted; };
  const auto first = std::lower_bound(calls_.begin(), calls_.end(), row, by_row);
  auto last = first;
  while (last != calls_.end() && last->row == row) ++last;
  return {calls_.data() + (first - calls_.begin()), static_cast<size_t>(last - first)};
}

}  // namespace faketensor
