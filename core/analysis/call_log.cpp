#include "core/analysis/call_log.h"

#include <algorithm>

#include "core/analysis/flops.h"
#include "core/mode/find_tensor.h"

namespace faketensor {

void CallLog::begin_run() {
  calls_.clear();
  blocks_.clear();
  row_ = kNoRow;
  first_.clear();
}

void CallLog::begin_row(Row row) {
  row_ = row;
  first_.resize(row + 1, calls_.size());
}

std::span<const Storage* const> CallLog::storages_in(std::span<const Value> values) {
  SmallVector<const Storage*, 8> storages;
  for_each_tensor(values, [&](const Tensor& tensor) {
    if (tensor.storage != nullptr) storages.push_back(tensor.storage);
  });
  return arena_.copy(std::span<const Storage* const>(storages.span()));
}

Value CallLog::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  Value result = next(op, args);
  calls_.push_back({.row = row_,
                    .op = op.id,
                    .flops = flops_of(op, args, result),
                    .read = storages_in(args),
                    .brought = storages_in({&result, 1})});
  return result;
}

// What nothing is called after dies with the call that read it last, as all else.
void CallLog::end_variables(std::span<const Value> variables) {
  const size_t called = calls(row_).size();
  if (called == 0) return;
  const std::span<const Storage* const> held = storages_in(variables);
  if (!held.empty()) blocks_.push_back({row_, called - 1, held});
}

std::span<const LoggedCall> CallLog::calls(Row row) const {
  if (row >= first_.size()) return {};
  const size_t end = row + 1 < first_.size() ? first_[row + 1] : calls_.size();
  return {calls_.data() + first_[row], end - first_[row]};
}

std::span<const LoggedBlock> CallLog::blocks(Row row) const {
  const auto by_row = [](const LoggedBlock& block, Row wanted) { return block.row < wanted; };
  const auto first = std::lower_bound(blocks_.begin(), blocks_.end(), row, by_row);
  auto last = first;
  while (last != blocks_.end() && last->row == row) ++last;
  return {blocks_.data() + (first - blocks_.begin()), static_cast<size_t>(last - first)};
}

}  // namespace faketensor
