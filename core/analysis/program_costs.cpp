#include "core/analysis/program_costs.h"

#include <utility>

#include "core/graph/explain.h"

namespace faketensor {

namespace {

RetargetedRun run_watched(const Program& program, RetargetOptions options, CallLog& log) {
  options.watcher = &log;
  return propagate_retargeted(program, options);
}

}  // namespace

ProgramCosts::ProgramCosts(const Program& program, RetargetOptions options)
    : log_(std::make_unique<CallLog>()),
      answer_(run_watched(program, std::move(options), *log_)),
      memory_(answer_.run, *log_) {}

std::vector<RowFlops> ProgramCosts::flops() const {
  const BranchScope env = run().shape_env();
  std::vector<RowFlops> rows;
  for (const LoggedCall& call : log_->calls()) {
    if (!call.flops) continue;
    if (rows.empty() || rows.back().row != call.row) rows.push_back({call.row, 0});
    rows.back().flops += current(*call.flops);
  }
  return rows;
}

std::vector<SymInt> ProgramCosts::module_flops() const {
  const std::vector<RowFlops> rows = flops();
  const BranchScope env = run().shape_env();
  const std::vector<Module>& modules = run().program().modules;
  std::vector<SymInt> of(modules.size(), SymInt(0));
  for (const RowFlops& row : rows) {
    of[0] += row.flops;
    for (ModuleId at = run().node(row.row).module; at != 0; at = modules[at].parent)
      of[at] += row.flops;
  }
  return of;
}

}  // namespace faketensor
