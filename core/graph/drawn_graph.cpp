#include "core/graph/drawn_graph.h"

#include <algorithm>
#include <utility>

#include "core/graph/bodies.h"
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

// What input_columns is in a program that shows bodies.
InputColumns through_bodies(const Program& program, const InputColumns& all);

namespace {

// The rows that the bodies of a call are given, and those that they end with.
struct BodyEnds {
  std::vector<Row> given, outputs;
};
BodyEnds ends_of(const Plan& plan, const Bodies& bodies, Row call) {
  BodyEnds ends;
  const auto [first, last] = bodies.of_call(call);
  for (const Body& body : bodies.all().subspan(first, last - first)) {
    for (const Row row : body.rows) {
      if (plan.row(row).kind != RowKind::kPlaceholder) break;
      for (const Value& operand : plan.row(row).args)
        if (operand.is(Value::Tag::kNodeRef)) ends.given.push_back(operand.node());
    }
    ends.outputs.push_back(body.rows.back());
  }
  return ends;
}

}  // namespace

InputColumns input_columns(const Program& program) {
  InputColumns all = input_columns(program.plan());
  return program.bodies == nullptr ? std::move(all) : through_bodies(program, all);
}

InputColumns through_bodies(const Program& program, const InputColumns& all) {
  const Plan& plan = program.plan();
  InputColumns shown{{0}, {}};
  for (Row row = 0; row < plan.size(); ++row) {
    const BodyEnds ends = ends_of(plan, *program.bodies, row);
    for (uint32_t i = all.start[row]; i < all.start[row + 1]; ++i) {
      const auto given = std::find(ends.given.begin(), ends.given.end(), all.inputs[i]);
      if (given == ends.given.end()) shown.inputs.push_back(all.inputs[i]);
    }
    shown.inputs.insert(shown.inputs.end(), ends.outputs.begin(), ends.outputs.end());
    shown.start.push_back(static_cast<uint32_t>(shown.inputs.size()));
  }
  return shown;
}

std::vector<const InputSpec*> inputs_shown(const Program& program) {
  const Plan& plan = program.plan();
  std::vector<const InputSpec*> specs(plan.size());
  for (Row row = 0; row < plan.size(); ++row) {
    if (row < program.inputs.size()) {
      specs[row] = &program.inputs[row];
    } else if (plan.row(row).kind == RowKind::kPlaceholder && !plan.row(row).args.empty() &&
               plan.row(row).args[0].is(Value::Tag::kNodeRef)) {
      specs[row] = specs[plan.row(row).args[0].node()];
    }
  }
  return specs;
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
