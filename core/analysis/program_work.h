// ProgramWork: a program propagated once more to learn what each node computes, reads and writes.
//
//   const ProgramWork work(program, options);
//   for (const RowWork& row : work.rows()) ... row.flops, row.read, row.written
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/analysis/work.h"
#include "core/passes/retargeted_run.h"

namespace faketensor {

// The work of each operator that the rows of a propagation call, composite ones taken apart. A mode
// below autograd, as CallLog.
class WorkLog final : public RunWatcher {
 public:
  struct Entry {
    Row row = kNoRow;
    Work work;
  };

  void begin_run() override;
  void begin_row(Row row) override { row_ = row; }
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  // In the order of the calls; those without any work are left out.
  std::span<const Entry> entries() const { return entries_; }

 private:
  Row row_ = kNoRow;
  std::vector<Entry> entries_;
};

struct WorkSum {
  SymInt flops = 0;
  SymInt read = 0;
  SymInt written = 0;
  void operator+=(const WorkSum& other);
};

struct RowWork : WorkSum {
  Row row = kNoRow;
};

class ProgramWork {
 public:
  // The program must outlive this. Raises UsageError as `propagate_retargeted` does.
  ProgramWork(const Program& program, RetargetOptions options);

  const Run& run() const { return answer_.run; }
  const WorkLog& log() const { return *log_; }
  // Of the rows that have any work, in their order.
  std::vector<RowWork> rows() const;
  // Of each module with what is below it, by ModuleId; the first is the whole program.
  std::vector<WorkSum> modules() const;
  std::array<WorkSum, kWorkKinds> kinds() const;

 private:
  std::unique_ptr<WorkLog> log_;
  RetargetedRun answer_;
};

}  // namespace faketensor
