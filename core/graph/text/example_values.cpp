#include "core/graph/text/example_values.h"

#include <algorithm>

#include "core/graph/fake_tensor_prop.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

bool has_unbacked(const TensorMeta& meta) {
  return std::any_of(meta.sizes().begin(), meta.sizes().end(), [](const SymInt& size) {
    if (!size.is_symbolic()) return false;
    const auto symbols = free_symbols(size.node());
    return std::any_of(symbols.begin(), symbols.end(),
                       [](const ExprNode* symbol) { return to_string(symbol).starts_with('u'); });
  });
}

std::string described(const TensorMeta& meta) {
  return format("{}{}", info(meta.dtype()).short_name, meta.sizes());
}

bool is_as_said(const TensorMeta& said, const TensorMeta& found) {
  if (said.dtype() != found.dtype() || said.rank() != found.rank()) return false;
  for (size_t i = 0; i < said.sizes().size(); ++i)
    if (!same_expr(said.sizes()[i], found.sizes()[i])) return false;
  return true;
}

}  // namespace

void record_example_values(Program& program, ProgramText& text) {
  const Run run = propagate(program);
  const BranchScope env = run.shape_env();
  Graph& graph = program.graph();
  for (Row row = 0; row < run.plan().size(); ++row) {
    const NodeRecord& record = run.record(row);
    const PlanRow& of = run.plan().row(row);
    if (record.status != NodeStatus::kOk || of.kind == RowKind::kPlaceholder ||
        of.kind == RowKind::kOutput)
      continue;
    NodeMeta& meta = graph.meta(of.id);
    if (record.value.is_number() && meta.val.is_none() && !record.value.is_symbolic())
      meta.val = record.value;
    if (!record.value.is_tensor()) continue;
    const TensorMeta& found = *record.tensors[0].meta;
    if (has_unbacked(found) || found.sparse() != nullptr) continue;
    if (meta.recorded != nullptr && !has_unbacked(*meta.recorded) &&
        !is_as_said(*meta.recorded, found)) {
      text.add_problem({TextProblem::Severity::kWarning, text.span_of(of.id),
                        format("{} is {}, not {} as it says here", graph.name_of(of.id),
                               described(found), described(*meta.recorded))});
    }
    MetaSpec spec = found.spec();
    spec.flags = 0;
    meta.recorded = program.metas().intern(spec);
  }
  text.sort_problems();
}

}  // namespace faketensor
