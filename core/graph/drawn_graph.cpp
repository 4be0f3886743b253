#include "core/graph/drawn_graph.h"

#include <algorithm>
#include <utility>

#include "core/ops/registry.h"
#include "core/support/target_name.h"

namespace faketensor {

std::string_view op_name(const Plan& plan, Row row) {
  switch (plan.row(row).kind) {
    case RowKind::kPlaceholder:
      return "placeholder";
    case RowKind::kGetItem:
      return "getitem";
    case RowKind::kOutput:
      return "output";
    case RowKind::kCall:
      break;
  }
  const OpId op = plan.row(row).op;
  return op == kNoOp ? plan.target_of(row) : Registry::builtin().entry(op).name;
}

std::string_view op_label(std::string_view op) {
  op = operator_name(op);
  const size_t space = op.find_first_of(":.");
  if (space == std::string_view::npos) return op;
  op.remove_prefix(op.find_first_not_of(":.", space) == std::string_view::npos
                       ? op.size()
                       : op.find_first_not_of(":.", space));
  return op.substr(0, op.find('.'));
}

std::string_view last_component(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string_view module_label(std::string_view path) {
  const std::string_view last = last_component(path);
  if (last.size() == path.size() || last.find_first_not_of("0123456789") != std::string_view::npos)
    return last;
  return path.substr(path.rfind('.', path.size() - last.size() - 2) + 1);
}

InputColumns input_columns(const Plan& plan) {
  InputColumns columns;
  columns.start.reserve(plan.size() + 1);
  columns.start.push_back(0);
  std::vector<Value> pending;  // lists nest, so arguments are walked with a stack of our own
  std::vector<Row> reader(plan.size(),
                          kNoRow);  // per row: the last row that was found to read it
  for (Row row = 0; row < plan.size(); ++row) {
    const std::span<const Value> args = plan.row(row).args;
    pending.assign(args.rbegin(), args.rend());
    while (!pending.empty()) {
      const Value value = pending.back();
      pending.pop_back();
      if (value.is(Value::Tag::kNodeRef)) {
        if (std::exchange(reader[value.node()], row) != row) columns.inputs.push_back(value.node());
      } else if (value.is(Value::Tag::kList)) {
        pending.insert(pending.end(), value.values().rbegin(), value.values().rend());
      }
    }
    columns.start.push_back(static_cast<uint32_t>(columns.inputs.size()));
  }
  return columns;
}

InputColumns without_plumbing(const InputColumns& all, const std::vector<Row>& shown) {
  InputColumns kept;
  kept.start.reserve(all.start.size());
  kept.start.push_back(0);
  for (Row row = 0; row < shown.size(); ++row) {
    const size_t first = kept.inputs.size();
    for (uint32_t i = all.start[row]; i < all.start[row + 1] && shown[row] == row; ++i) {
      const Row source = shown[all.inputs[i]];
      if (source == kNoRow) continue;
      if (std::find(kept.inputs.begin() + static_cast<ptrdiff_t>(first), kept.inputs.end(),
                    source) == kept.inputs.end())
        kept.inputs.push_back(source);
    }
    kept.start.push_back(static_cast<uint32_t>(kept.inputs.size()));
  }
  return kept;
}

}  // namespace faketensor
