// How a program is cut for several GPUs: its linears by columns and rows, its modules into stages.
//
//   const TensorSplit split(costs, 4);
//   split.is_split(row), split.all_reduced()
//   const Stages stages(costs, seconds_by_row, 4);
//   stages.of(row), stages.sent()
//
// Note [Units]
// A unit is what is gathered, or put on a stage, as one: a module whose name is a number (an element of
// a list of layers, the outermost of those), or, in a program without any, a module below the root.
//
// Note [Columns and rows]
// A linear is split by columns where its input is whole on each rank: its result is split then. It is
// split by rows where its input is split: its result is summed over the ranks (an all-reduce). What
// lies between works on its share: elementwise operators, views, attention, products, softmax. A
// split value is gathered where an operator needs all of it: normalisations and reductions, an
// operand of the same sizes that is whole, another parameter, the program's output. Linears whose
// features N does not divide stay whole, and so does a weight that something else reads too.
#pragma once

#include <vector>

#include "core/analysis/program_costs.h"

namespace faketensor {

// Whether the row is a product with a parameter of rank 2: linear, addmm, mm, matmul.
bool is_linear(const ProgramCosts& costs, Row row);

// The unit that each row is of, by row; 0: none. A placeholder is of its first reader's.
std::vector<ModuleId> units_of(const ProgramCosts& costs);

class TensorSplit {
 public:
  // Sizes that are symbols count by their hints.
  TensorSplit(const ProgramCosts& costs, int64_t ranks);

  enum class Cut : uint8_t { kWhole, kSplit, kColumns, kRows };
  Cut cut(Row row) const { return cuts_[row]; }
  // Whether the row's value is split: also of a parameter.
  bool is_split(Row row) const { return split_[row]; }
  int64_t all_reduced() const { return all_reduced_; }  // bytes, each value's whole
  int64_t gathered() const { return gathered_; }

 private:
  void cut_linear(Row row, Row input);
  void follow(Row row, const std::vector<Row>& reads);
  bool needs_all(Row row, const std::vector<Row>& reads) const;
  void gather(const std::vector<Row>& reads);

  const ProgramCosts& costs_;
  int64_t ranks_;
  std::vector<uint32_t> reads_by_others_;  // of a parameter: readers that are no linears
  std::vector<Cut> cuts_;
  std::vector<bool> split_;
  int64_t all_reduced_ = 0;
  int64_t gathered_ = 0;
};

class Stages {
 public:
  // At most `stages`, of nearly the same time, cut where a unit begins.
  Stages(const ProgramCosts& costs, const std::vector<double>& seconds, int64_t stages);

  // Of a placeholder: its first reader's; of kNoRow (the loss): the last.
  int64_t of(Row row) const { return row == kNoRow ? count_ - 1 : stage_[row]; }
  int64_t count() const { return count_; }
  // Bytes of the values that one stage makes and a later one reads, for each border that they cross.
  int64_t sent() const { return sent_; }
  double longest() const { return longest_; }  // seconds of the slowest stage

 private:
  std::vector<int64_t> stage_;
  int64_t count_ = 1;
  int64_t sent_ = 0;
  double longest_ = 0;
};

}  // namespace faketensor
