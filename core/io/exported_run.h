// ExportedRun: a what-if as the pieces of the exported program that it became, graph by graph.
//
// Pieces are JSON of torch.export's schema (torch/_export/serde/schema.py, version 8.20), made in
// the order of the rows: the arguments that changed, and the nodes that must stand before a row. A
// size that is an expression is named by a node: one that has it as its value, else a new one, which
// takes it from a dimension of an earlier tensor (aten.sym_size.int) or computes it
// (_operator.mul, ...), as PyTorch's tracer has it. Symbols that the what-if made are named as
// PyTorch names them, s0, s1, ...; their hints are those of the run.
//
// A graph that a higher-order operator holds computes its sizes from what it is given: its nodes see
// no values of the graph around it.
//
//   const ExportedRun exported(answer.run, changes);
//   for (const std::string& node : exported.graph(0)->edits(row)->nodes_before) json.raw(node);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/formats/json_writer.h"
#include "core/io/exported_values.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

class ExportedGraph {
 public:
  struct Edited {
    std::string_view name;  // empty for an operator without a schema
    size_t position;        // among the inputs of the node, where it has no name
    std::string text;       // Argument
  };
  struct Edits {
    std::vector<std::string> nodes_before;
    std::vector<Edited> arguments;
  };

  // `rows`: of each row of the plan the row of the run that has its value; kNoRow for one that the
  // graph's file does not have. Notes all values in `values`. All must outlive this.
  ExportedGraph(const Run& run, const Plan& plan, std::vector<Row> rows,
                const ArgumentChanges::Rows& changes, ExportedValues& values);

  // By the name of a node; kNoRow for one that there is not.
  Row row_of(std::string_view name) const;
  const NodeRecord& record(Row row) const { return run_.record(rows_[row]); }
  // Null for a row whose node stays as it is.
  const Edits* edits(Row row) const;
  // Values of nodes that the file does not have.
  const std::vector<std::pair<std::string, const TensorMeta*>>& added_tensors() const {
    return added_tensors_;
  }
  const std::vector<std::pair<std::string, SymInt>>& added_ints() const { return added_ints_; }

 private:
  void note_row(Row row);
  void edit_row(Row row, std::span<const ArgumentChanges::Change> changes);
  void write_argument(JsonWriter& json, const ArgumentChanges::Change& change, Edits& edits);
  void write_number(JsonWriter& json, SymInt value, Edits& edits);
  void write_list(JsonWriter& json, const Value& list, Edits& edits);

  // The name of a node whose value is the expression.
  std::string name_of(const ExprNode* node, Edits& edits);
  std::string compute(const ExprNode* node, Edits& edits);
  std::string measure(Row row, size_t dim, Edits& edits);
  std::string combine(std::string_view target, const ExprNode* a, const ExprNode* b, Edits& edits);
  std::string copy_of(Row row, const TensorMeta& given, Edits& edits);
  std::string fresh_name(std::string_view base);

  const Run& run_;
  const Plan& plan_;
  std::vector<Row> rows_;
  ShapeEnv& env_;
  std::map<Row, Edits> edits_;
  std::unordered_map<const ExprNode*, std::string> named_;                // by the nodes so far
  std::unordered_map<const ExprNode*, std::pair<Row, size_t>> measured_;  // dimensions so far
  std::unordered_set<std::string> names_;
  std::map<std::string, int64_t> last_numbers_;  // of the names that were asked for
  std::vector<std::pair<std::string, const TensorMeta*>> added_tensors_;
  std::vector<std::pair<std::string, SymInt>> added_ints_;
  ExportedValues& values_;
};

class ExportedRun {
 public:
  // `run` has no problems, and shows the bodies of its program (bodies.h) where that has some; it must
  // outlive this. Raises Usage for what cannot be written: a change of an operator without a schema, but
  // for a higher-order one, and a size that no node computes.
  ExportedRun(const Run& run, const ArgumentChanges& changes);

  // By its number in the order in which the file has the graphs, 0 is the program's own; null for one
  // that nothing calls.
  const ExportedGraph* graph(size_t number) const { return graphs_[number].get(); }
  // With the symbols of all values and arguments noted.
  const ExportedValues& values() const { return values_; }

 private:
  ExportedValues values_;
  std::vector<std::unique_ptr<ExportedGraph>> graphs_;
};

}  // namespace faketensor
