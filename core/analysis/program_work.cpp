#include "core/analysis/program_work.h"

#include <utility>

#include "core/graph/explain.h"

namespace faketensor {

namespace {

RetargetedRun run_watched(const Program& program, RetargetOptions options, WorkLog& log) {
  options.watcher = &log;
  return propagate_retargeted(program, options);
}

WorkSum sum_of(const Work& work) {
  return {current(work.flops), current(work.read), current(work.written)};
}

}  // namespace

void WorkLog::begin_run() {
  entries_.clear();
  row_ = kNoRow;
}

Value WorkLog::dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) {
  Value result = next(op, args);
  const Work work = work_of(op, args, result);
  if (work.kind != WorkKind::kNone) entries_.push_back({row_, work});
  return result;
}

void WorkSum::operator+=(const WorkSum& other) {
  flops += other.flops;
  read += other.read;
  written += other.written;
}

ProgramWork::ProgramWork(const Program& program, RetargetOptions options)
    : log_(std::make_unique<WorkLog>()), answer_(run_watched(program, std::move(options), *log_)) {}

std::vector<RowWork> ProgramWork::rows() const {
  const BranchScope env = run().shape_env();
  std::vector<RowWork> rows;
  for (const WorkLog::Entry& entry : log_->entries()) {
    if (rows.empty() || rows.back().row != entry.row) rows.emplace_back().row = entry.row;
    rows.back() += sum_of(entry.work);
  }
  return rows;
}

std::vector<WorkSum> ProgramWork::modules() const {
  const std::vector<RowWork> all = rows();
  const BranchScope env = run().shape_env();
  const std::vector<Module>& modules = run().program().modules;
  std::vector<WorkSum> of(modules.size());
  for (const RowWork& row : all) {
    of[0] += row;
    for (ModuleId at = run().node(row.row).module; at != 0; at = modules[at].parent) of[at] += row;
  }
  return of;
}

std::array<WorkSum, kWorkKinds> ProgramWork::kinds() const {
  const BranchScope env = run().shape_env();
  std::array<WorkSum, kWorkKinds> of;
  for (const WorkLog::Entry& entry : log_->entries())
    of[static_cast<size_t>(entry.work.kind)] += sum_of(entry.work);
  return of;
}

}  // namespace faketensor
