// ProgramDiff: two programs, or one under two settings, side by side: what each node is, holds,
// computes and takes.
//
//   const ProgramDiff diff({a, options_a, &hardware}, {b, options_b, &hardware});
//   for (const NodeDiff& node : diff.nodes()) ... node.a.bytes, node.b.bytes
//
// Nodes are matched by name and operator; of those left over, by module, operator and how many there
// were before in that module. Modules are matched by their path. The rest is only in one of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/program_costs.h"
#include "core/analysis/roofline.h"

namespace faketensor {

// Of a node, a module or a program. Symbolic sizes count by their hints.
struct CostFigures {
  int64_t bytes = 0;   // that it brings: what a program holds at its peak
  int64_t flops = 0;   // work.h, all operators
  double seconds = 0;  // 0 where no device is given
};

struct NodeDiff {
  Row row_a = kNoRow;  // kNoRow: only the other one has the node
  Row row_b = kNoRow;
  CostFigures a = {};
  CostFigures b = {};
  bool value_changed = false;  // sizes, strides, dtype, device, or whether it answers
  double weight = 0;           // the largest share of a program's figures that its change is

  bool is_matched() const { return row_a != kNoRow && row_b != kNoRow; }
  bool is_changed() const { return !is_matched() || value_changed || weight > 0; }
};

struct ModuleDiff {
  std::string path;
  uint32_t depth = 0;
  bool in_a = false;
  bool in_b = false;
  CostFigures a = {};  // with what is below it
  CostFigures b = {};
  double weight = 0;
};

struct DiffSide {
  const Program& program;
  RetargetOptions options = {};
  const Hardware* hardware = nullptr;  // none: time is not compared
};

class ProgramDiff {
 public:
  // The programs must outlive this; they may be one. Raises UsageError as `propagate_retargeted`
  // does.
  ProgramDiff(const DiffSide& a, const DiffSide& b);

  const Run& run_a() const { return a_.costs.run(); }
  const Run& run_b() const { return b_.costs.run(); }
  CostFigures total_a() const { return a_.total; }
  CostFigures total_b() const { return b_.total; }
  // FLOPs as torch.utils.flop_counter counts them.
  int64_t counted_a() const { return a_.counted; }
  int64_t counted_b() const { return b_.counted; }
  // What changed, the most first; of equal weight in the order of the programs.
  const std::vector<NodeDiff>& nodes() const { return nodes_; }
  const std::vector<ModuleDiff>& modules() const { return modules_; }
  // Nodes that both have, changed or not.
  size_t matched() const { return matched_; }

 private:
  struct Side {
    explicit Side(const DiffSide& side);
    ProgramCosts costs;
    ProgramWork work;
    std::vector<CostFigures> rows;
    std::vector<CostFigures> modules;
    CostFigures total;
    int64_t counted = 0;
  };
  void match_nodes();
  void match_modules();
  void add_node(Row a, Row b);
  double weight(const CostFigures& a, const CostFigures& b) const;

  Side a_;
  Side b_;
  std::vector<NodeDiff> nodes_;
  std::vector<ModuleDiff> modules_;
  size_t matched_ = 0;
};

}  // namespace faketensor
