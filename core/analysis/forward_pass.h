// ForwardPass: a taped run lived through again, storage by storage, while autograd's graph grows.
//
// A value lives to its last use, what a composite operator brings on its way to its last use inside
// of the node, what a node of autograd keeps until backward has run it; placeholders are held all the
// time. Rows of a checkpointed module keep nothing but the module's inputs until `recompute`.
//
//   ForwardPass forward(run, tape, calls, graph);
//   forward.hold_inputs();
//   for (Row row = 0; row < run.plan().size(); ++row) forward.run_row(row);
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/analysis/grad_graph.h"

namespace faketensor {

class ForwardPass {
 public:
  // `checkpointed`: modules of the program.
  ForwardPass(const Run& run, const AutogradTape& tape, HeldCalls& calls, GradGraph& graph,
              std::span<const ModuleId> checkpointed);

  // Holds every placeholder, one that is tied to another with it; the trained ones become leaves, where `records`.
  void hold_inputs(bool records);
  void run_row(Row row);
  // The calls of the tape under the row after the last, whose last result is returned.
  Term run_loss();
  // Outputs, but for placeholders.
  void drop_values();
  // The forward of the checkpointed module that the row is in, if backward has not come there yet.
  void recompute(Row row);

  const std::vector<GradNode*>& leaves() const { return leaves_; }

 private:
  struct Region {
    std::vector<Row> rows;
    std::vector<HeldTensor> inputs;
    bool is_pending = false;
  };
  struct Brought {
    const Storage* storage;
    size_t last_call;
    HeldTensor hold;
  };
  void find_regions(std::span<const ModuleId> checkpointed);
  void run_calls(std::span<const TapedCall> calls, Row row);
  void find_readers();
  bool is_tied(Row row) const;
  void keep_inputs(const TapedCall& call, Region& region);
  void hold_value(Row row);
  void link_aliases(Row row);
  size_t index_of_call(const TapedCall& call) const {
    return static_cast<size_t>(&call - tape_.calls().data());
  }

  const Run& run_;
  const AutogradTape& tape_;
  HeldCalls& calls_;
  GradGraph& graph_;
  std::vector<Row> last_;
  std::vector<std::vector<Row>> ending_;         // by the row that reads them last
  std::vector<std::vector<HeldTensor>> values_;  // by row
  std::vector<HeldTensor> inputs_;
  std::vector<bool> is_read_;     // by placeholder
  std::set<Row> read_elsewhere_;  // placeholders, by a module that is not their own
  std::vector<GradNode*> leaves_;
  std::vector<GradNode*> nodes_;  // by call
  std::vector<Region> regions_;
  std::map<Row, size_t> region_of_;
  std::map<const Storage*, Row> first_row_;  // that brought it
  bool is_again_ = false;                    // a region is computed again
};

}  // namespace faketensor
