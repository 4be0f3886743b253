#include "core/analysis/call_log.h"

#include <algorithm>

#include "core/analysis/flops.h"
#include "core/mode/find_tensor.h"

namespace faketensor {

void CallLog::begin_run() {
  calls_.clear();
  row_ = kNoRow;
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

std::span<const LoggedCall> CallLog::calls(Row row) const {
  const auto by_row = [](const LoggedCall& call, Row wanted) { return call.row < wanted; };
  const auto first = std::lower_bound(calls_.begin(), calls_.end(), row, by_row);
  auto last = first;
  while (last != calls_.end() && last->row == row) ++last;
  return {calls_.data() + (first - calls_.begin()), static_cast<size_t>(last - first)};
}

}  // namespace faketensor
