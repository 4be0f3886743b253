#include "core/analysis/parallel_split.h"

#include <algorithm>

#include "core/analysis/work.h"

namespace faketensor {

namespace {

std::vector<Row> reads_of(const Plan& plan, Row row) {
  std::vector<Row> reads;
  for (const Value& arg : plan.row(row).args)
    for_each_node(arg, [&](NodeId id) { reads.push_back(static_cast<Row>(index_of(id))); });
  return reads;
}

const TensorRecord* tensor_of(const Run& run, Row row) {
  const auto& tensors = run.record(row).tensors;
  return tensors.empty() || tensors[0].storage == nullptr ? nullptr : &tensors[0];
}

int64_t bytes_of(const Run& run, Row row) {
  int64_t bytes = 0;
  for (const TensorRecord& tensor : run.record(row).tensors)
    bytes += MemoryTimeline::hint(tensor.nbytes);
  return bytes;
}

// The placeholder whose parameter the row's value is on; kNoRow where it is on none.
Row parameter_of(const ProgramCosts& costs, Row row) {
  const TensorRecord* tensor = tensor_of(costs.run(), row);
  const StorageLife* life = tensor == nullptr ? nullptr : costs.memory().life_of(tensor->storage);
  return life != nullptr && life->kind == MemoryKind::kParameter ? life->first : kNoRow;
}

bool is_product(std::string_view target) {
  for (const std::string_view op : {"aten.linear.", "aten.addmm.", "aten.mm.", "aten.matmul."}) {
    if (target.find(op) != std::string_view::npos) return true;
  }
  return false;
}

bool is_numbered(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('.') + 1);
  return !last.empty() && std::all_of(last.begin(), last.end(),
                                      [](char letter) { return letter >= '0' && letter <= '9'; });
}

bool has_same_sizes(const TensorMeta& a, const TensorMeta& b) {
  if (a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.sizes().size(); ++i) {
    if (hinted(a.sizes()[i]) != hinted(b.sizes()[i])) return false;
  }
  return true;
}

}  // namespace

bool is_linear(const ProgramCosts& costs, Row row) {
  const Plan& plan = costs.run().plan();
  if (plan.row(row).kind != RowKind::kCall || !is_product(plan.target_of(row))) return false;
  for (const Row read : reads_of(plan, row)) {
    if (parameter_of(costs, read) != kNoRow && tensor_of(costs.run(), read)->meta->rank() == 2)
      return true;
  }
  return false;
}

std::vector<ModuleId> units_of(const ProgramCosts& costs) {
  const Run& run = costs.run();
  const Program& program = run.program();
  const std::vector<Module>& modules = program.modules;
  const bool has_numbers = std::any_of(modules.begin(), modules.end(), [&](const Module& module) {
    return is_numbered(program.text(module.path));
  });
  std::vector<ModuleId> units(run.plan().size());
  std::vector<bool> is_read(run.plan().size());
  for (Row row = 0; row < units.size(); ++row) {
    if (run.plan().row(row).kind == RowKind::kPlaceholder) continue;
    for (ModuleId at = run.node(row).module; at != 0; at = modules[at].parent) {
      const bool is_unit =
          has_numbers ? is_numbered(program.text(modules[at].path)) : modules[at].parent == 0;
      if (is_unit) units[row] = at;
    }
    for (const Row read : reads_of(run.plan(), row)) {
      if (run.plan().row(read).kind != RowKind::kPlaceholder || is_read[read]) continue;
      is_read[read] = true;
      units[read] = units[row];
    }
  }
  return units;
}

TensorSplit::TensorSplit(const ProgramCosts& costs, int64_t ranks)
    : costs_(costs),
      ranks_(ranks),
      reads_by_others_(costs.run().plan().size()),
      cuts_(costs.run().plan().size(), Cut::kWhole),
      split_(costs.run().plan().size()) {
  const Run& run = costs.run();
  const Plan& plan = run.plan();
  const BranchScope env = run.shape_env();
  std::vector<bool> linear(plan.size());
  for (Row row = 0; row < plan.size(); ++row) {
    linear[row] = is_linear(costs, row);
    const bool is_view = parameter_of(costs, row) != kNoRow;
    if (linear[row] || is_view) continue;
    for (const Row read : reads_of(plan, row)) {
      const Row parameter = parameter_of(costs, read);
      if (parameter != kNoRow) ++reads_by_others_[parameter];
    }
  }
  for (Row row = 0; row < plan.size(); ++row) {
    if (plan.row(row).kind == RowKind::kPlaceholder || parameter_of(costs, row) != kNoRow) continue;
    const std::vector<Row> reads = reads_of(plan, row);
    const auto input = std::find_if(reads.begin(), reads.end(), [&](Row read) {
      return parameter_of(costs, read) == kNoRow && tensor_of(run, read) != nullptr;
    });
    if (linear[row] && input != reads.end()) {
      cut_linear(row, *input);
    } else {
      follow(row, reads);
    }
  }
}

void TensorSplit::cut_linear(Row row, Row input) {
  const Run& run = costs_.run();
  const std::vector<Row> reads = reads_of(run.plan(), row);
  const Dims sizes = tensor_of(run, split_[input] ? input : row)->meta->sizes();
  bool can_split = !sizes.empty() && hinted(sizes.back()) % ranks_ == 0;
  for (const Row read : reads) {
    const Row parameter = parameter_of(costs_, read);
    if (parameter != kNoRow && reads_by_others_[parameter] > 0) can_split = false;
  }
  if (!can_split) return gather(reads);
  const bool by_rows = split_[input];
  cuts_[row] = by_rows ? Cut::kRows : Cut::kColumns;
  split_[row] = !by_rows;
  if (by_rows) all_reduced_ += bytes_of(run, row);
  for (const Row read : reads) {
    const Row parameter = parameter_of(costs_, read);
    if (parameter == kNoRow) continue;
    // The bias of a linear that is split by rows is added after the sum.
    if (!by_rows || tensor_of(run, read)->meta->rank() == 2) split_[parameter] = true;
  }
}

void TensorSplit::follow(Row row, const std::vector<Row>& reads) {
  if (std::none_of(reads.begin(), reads.end(), [&](Row read) { return split_[read]; })) return;
  if (needs_all(row, reads)) return gather(reads);
  cuts_[row] = Cut::kSplit;
  split_[row] = true;
}

bool TensorSplit::needs_all(Row row, const std::vector<Row>& reads) const {
  const Run& run = costs_.run();
  if (run.plan().row(row).kind == RowKind::kOutput) return true;
  const std::string_view target = run.plan().target_of(row);
  for (const std::string_view op :
       {"_norm", "aten.mean.", "aten.sum.", "aten.var", "aten.amax.", "aten.argmax.", "loss"}) {
    if (target.find(op) != std::string_view::npos) return true;
  }
  if (target.find("attention") != std::string_view::npos) return false;
  for (const Row whole : reads) {
    if (split_[whole] || tensor_of(run, whole) == nullptr) continue;
    if (parameter_of(costs_, whole) != kNoRow) return true;
    for (const Row read : reads) {
      if (split_[read] && has_same_sizes(*tensor_of(run, whole)->meta, *tensor_of(run, read)->meta))
        return true;
    }
  }
  return false;
}

// From here on each rank has them whole.
void TensorSplit::gather(const std::vector<Row>& reads) {
  for (const Row read : reads) {
    if (!split_[read] || parameter_of(costs_, read) != kNoRow) continue;
    gathered_ += bytes_of(costs_.run(), read);
    split_[read] = false;
    if (cuts_[read] == Cut::kSplit) cuts_[read] = Cut::kWhole;
  }
}

Stages::Stages(const ProgramCosts& costs, const std::vector<double>& seconds, int64_t stages)
    : stage_(costs.run().plan().size()) {
  const Run& run = costs.run();
  const Plan& plan = run.plan();
  const std::vector<ModuleId> units = units_of(costs);
  double all = 0;
  for (const double each : seconds) all += each;
  double before = 0;
  double in_stage = 0;
  ModuleId unit = 0;
  std::vector<int64_t> last_reader(plan.size(), -1);
  for (Row row = 0; row < plan.size(); ++row) {
    if (plan.row(row).kind == RowKind::kPlaceholder) continue;
    const bool begins = units[row] != 0 && units[row] != unit;
    const double share = all * static_cast<double>(count_) / static_cast<double>(stages);
    if (begins && count_ < stages && in_stage > 0 && before >= share) {
      ++count_;
      in_stage = 0;
    }
    unit = units[row];
    stage_[row] = count_ - 1;
    before += seconds[row];
    in_stage += seconds[row];
    longest_ = std::max(longest_, in_stage);
    for (const Row read : reads_of(plan, row)) {
      if (plan.row(read).kind == RowKind::kPlaceholder && last_reader[read] < 0)
        stage_[read] = count_ - 1;
      last_reader[read] = count_ - 1;
    }
  }
  for (Row row = 0; row < plan.size(); ++row) {
    if (plan.row(row).kind == RowKind::kPlaceholder || last_reader[row] <= stage_[row]) continue;
    sent_ += bytes_of(run, row) * (last_reader[row] - stage_[row]);
  }
}

}  // namespace faketensor
