#include "core/graph/text/example_values.h"

#include <algorithm>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/first_runs.h"
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

class ExampleValues final : public FirstRuns {
 public:
  ExampleValues(Program& program, ProgramText& text) : program_(program), text_(text) {
    for (const std::shared_ptr<Graph>& graph : program.graphs().subspan(1)) expect(*graph);
  }

  // `found`: of a tensor, as it was when the row had been run; later ones may work in place.
  void record(Graph& graph, const PlanRow& of, const Value& value, const TensorMeta* found) {
    if (of.kind == RowKind::kPlaceholder || of.kind == RowKind::kOutput) return;
    NodeMeta& meta = graph.meta(of.id);
    if (value.is_number() && meta.val.is_none() && !value.is_symbolic()) meta.val = value;
    if (!value.is_tensor()) return;
    if (has_unbacked(*found) || found->sparse() != nullptr) return;
    const bool is_said = meta.recorded != nullptr && !has_unbacked(*meta.recorded);
    if (is_said && !is_as_said(*meta.recorded, *found) && &graph == &program_.graph()) {
      text_.add_problem({TextProblem::Severity::kWarning, text_.span_of(of.id),
                         format("{} is {}, not {} as it says here", graph.name_of(of.id),
                                described(*found), described(*meta.recorded))});
    }
    MetaSpec spec = found->spec();
    spec.flags = 0;
    meta.recorded = program_.metas().intern(spec);
  }

 private:
  void note_first(Graph& graph, const PlanRow& row, const Value& value) override {
    record(graph, row, value, value.is_tensor() ? value.tensor().meta : nullptr);
  }

  Program& program_;
  ProgramText& text_;
};

}  // namespace

void record_example_values(Program& program, ProgramText& text) {
  ExampleValues values(program, text);
  PropagateOptions options;
  options.graphs = &values;
  const Run run = propagate(program, options);
  const BranchScope env = run.shape_env();
  for (Row row = 0; row < run.plan().size(); ++row) {
    const NodeRecord& record = run.record(row);
    if (record.status == NodeStatus::kOk)
      values.record(program.graph(), run.plan().row(row), record.value,
                    record.value.is_tensor() ? record.tensors[0].meta : nullptr);
  }
  text.sort_problems();
}

}  // namespace faketensor
