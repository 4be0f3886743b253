// ProgramCosts: a program propagated once more to learn what running it costs.
//
//   const ProgramCosts costs(program, options);
//   costs.memory().peak(), costs.flops()
#pragma once

#include <memory>
#include <vector>

#include "core/analysis/memory_timeline.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

struct RowFlops {
  Row row = kNoRow;
  SymInt flops = 0;
};

class ProgramCosts {
 public:
  // The program must outlive this. Raises UsageError as `propagate_retargeted` does.
  ProgramCosts(const Program& program, RetargetOptions options);

  const Run& run() const { return answer_.run; }
  const CallLog& log() const { return *log_; }
  const MemoryTimeline& memory() const { return memory_; }
  // Of the rows that call an operator with a formula, in their order.
  std::vector<RowFlops> flops() const;
  // Of each module with what is below it, by ModuleId; the first is the whole program.
  std::vector<SymInt> module_flops() const;

 private:
  std::unique_ptr<CallLog> log_;
  RetargetedRun answer_;
  MemoryTimeline memory_;
};

}  // namespace faketensor
