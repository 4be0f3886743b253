// Plan: a graph compiled for running, drawing and tables.
//
// A row per node that has a value, in order, without gaps; rows are what tables, drawings and
// records are numbered by. Operators are resolved, and the arguments of known ones stand complete
// in the order of their schema; arguments name other rows by number (Value::node_ref), always an
// earlier one. Placeholders are the first rows, the output is the last. A get_attr of a subgraph is
// no row: the arguments that name it hold the graph itself.
// A plan does not change; `Graph::plan` gives a new one after an edit.
//
//   const Plan& plan = program.plan();
//   for (const PlanRow& row : plan.rows()) ... plan.graph().node(row.id) ...
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace faketensor {

using Row = uint32_t;
inline constexpr Row kNoRow = 0xFFFFFFFF;

enum class RowKind : uint8_t {
  kPlaceholder,
  kCall,     // an operator, a Python builtin on symbolic scalars, or a higher-order operator
  kGetItem,  // args: {the call, the index}
  kOutput,   // args: one list, or the one value
};

struct PlanRow {
  NodeId id = kNoNode;  // in the graph
  OpId op = kNoOp;      // kNoOp: no rule for the target, or an argument that its schema lacks
  RowKind kind = RowKind::kCall;
  std::span<const Value> args;          // with `op`: complete, Value::unset() where not given
  std::span<const StringId> arg_names;  // without: empty, or one per argument, 0 for positional
};

class Plan {
 public:
  // Raises ValueError for a node that uses a value which is not computed before it.
  explicit Plan(const Graph& graph);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const Graph& graph() const { return graph_; }
  std::span<const PlanRow> rows() const { return rows_; }
  const PlanRow& row(Row row) const { return rows_[row]; }
  const Node& node(Row row) const { return graph_.node(rows_[row].id); }
  size_t size() const { return rows_.size(); }
  size_t input_count() const { return input_count_; }
  std::string_view text(StringId id) const { return graph_.text(id); }
  std::string_view name_of(Row row) const { return text(node(row).name); }
  std::string_view target_of(Row row) const { return text(node(row).target); }

  // kNoRow for a node that has none.
  Row row_of(NodeId id) const {
    return index_of(id) < row_of_.size() ? row_of_[index_of(id)] : kNoRow;
  }
  // The first row of that name; kNoRow where there is none.
  Row find(StringId name) const;

 private:
  friend class PlanCompiler;

  const Graph& graph_;
  std::vector<PlanRow> rows_;
  std::vector<Row> row_of_;  // by id
  size_t input_count_ = 0;
  Arena arena_;                       // of arguments that are not the graph's own
  mutable std::vector<Row> by_name_;  // by StringId, made at the first find
};

}  // namespace faketensor
