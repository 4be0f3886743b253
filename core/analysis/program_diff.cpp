#include "core/analysis/program_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace faketensor {

namespace {

void add(CostFigures& sum, const CostFigures& figures) {
  sum.bytes += figures.bytes;
  sum.flops += figures.flops;
  sum.seconds += figures.seconds;
}

// The bytes of the storages that each row brings.
void add_bytes(const Run& run, std::vector<CostFigures>& rows) {
  std::set<const Storage*> seen;
  for (Row row = 0; row < run.plan().size(); ++row) {
    if (run.plan().row(row).kind == RowKind::kOutput) continue;
    for (const TensorRecord& tensor : run.record(row).tensors) {
      if (tensor.storage != nullptr && seen.insert(tensor.storage).second)
        rows[row].bytes += hinted(tensor.nbytes);
    }
  }
}

// Of metas of two runs, which share no table; sizes as they are written.
bool same_meta(const TensorMeta& a, const TensorMeta& b) {
  const auto same_dims = [](Dims x, Dims y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](SymInt p, SymInt q) { return to_string(p) == to_string(q); });
  };
  return a.dtype() == b.dtype() && a.device() == b.device() && a.layout() == b.layout() &&
         same_dims(a.sizes(), b.sizes()) && same_dims(a.strides(), b.strides()) &&
         to_string(a.offset()) == to_string(b.offset());
}

bool same_value(const NodeRecord& a, const NodeRecord& b) {
  return a.status == b.status &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const TensorRecord& x, const TensorRecord& y) {
                      return same_meta(*x.meta, *y.meta);
                    });
}

}  // namespace

ProgramDiff::Side::Side(const DiffSide& side)
    : costs(side.program, side.options), work(side.program, side.options) {
  const Program& program = side.program;
  const std::vector<SymInt> counts = costs.module_flops();
  const std::vector<RowWork> works = work.rows();
  const Run& run = costs.run();
  rows.resize(run.plan().size());
  {
    const BranchScope env = run.shape_env();
    counted = hinted(counts[0]);
    add_bytes(run, rows);
    total.bytes = hinted(costs.memory().peak());
  }
  {
    const BranchScope env = work.run().shape_env();
    for (const RowWork& row : works) rows[row.row].flops = hinted(row.flops);
  }
  if (side.hardware != nullptr) {
    const StepTime time(work, *side.hardware);
    for (const RowTime& row : time.rows()) rows[row.row].seconds = row.seconds;
  }
  modules.resize(program.modules.size());
  for (Row row = 0; row < rows.size(); ++row) {
    total.flops += rows[row].flops;
    total.seconds += rows[row].seconds;
    for (ModuleId at = run.node(row).module; at != 0; at = program.modules[at].parent)
      add(modules[at], rows[row]);
  }
}

ProgramDiff::ProgramDiff(const DiffSide& a, const DiffSide& b) : a_(a), b_(b) {
  match_nodes();
  match_modules();
  const auto by_weight = [](const auto& x, const auto& y) { return x.weight > y.weight; };
  std::stable_sort(nodes_.begin(), nodes_.end(), by_weight);
  std::stable_sort(modules_.begin(), modules_.end(), by_weight);
}

double ProgramDiff::weight(const CostFigures& a, const CostFigures& b) const {
  const auto share = [](double x, double y, double total_x, double total_y) {
    const double most = std::max(total_x, total_y);
    return most > 0 ? std::abs(x - y) / most : 0;
  };
  const auto real = [](int64_t number) { return static_cast<double>(number); };
  return std::max({share(real(a.bytes), real(b.bytes), real(a_.total.bytes), real(b_.total.bytes)),
                   share(real(a.flops), real(b.flops), real(a_.total.flops), real(b_.total.flops)),
                   share(a.seconds, b.seconds, a_.total.seconds, b_.total.seconds)});
}

void ProgramDiff::add_node(Row a, Row b) {
  NodeDiff node{.row_a = a, .row_b = b};
  if (a != kNoRow) node.a = a_.rows[a];
  if (b != kNoRow) node.b = b_.rows[b];
  node.weight = weight(node.a, node.b);
  if (node.is_matched()) {
    ++matched_;
    node.value_changed = !same_value(run_a().record(a), run_b().record(b));
  }
  if (node.is_changed()) nodes_.push_back(node);
}

void ProgramDiff::match_nodes() {
  const Plan& plan_a = run_a().plan();
  const Plan& plan_b = run_b().plan();
  std::vector<Row> of_b(plan_a.size(), kNoRow);
  std::vector<bool> taken(plan_b.size(), false);
  std::map<std::string_view, Row> named;
  for (Row row = 0; row < plan_b.size(); ++row) named.emplace(plan_b.name_of(row), row);
  for (Row row = 0; row < plan_a.size(); ++row) {
    const auto found = named.find(plan_a.name_of(row));
    if (found == named.end() || plan_a.target_of(row) != plan_b.target_of(found->second)) continue;
    of_b[row] = found->second;
    taken[found->second] = true;
  }

  // What is left over, by module and operator; each list in the order of its program.
  using Place = std::pair<std::string_view, std::string_view>;
  const auto place_in = [](const Run& run, Row row) {
    return Place{run.program().module_path(run.node(row)), run.plan().target_of(row)};
  };
  std::map<Place, std::vector<Row>> left;
  for (Row row = plan_b.size(); row-- > 0;) {
    if (!taken[row] && plan_b.row(row).kind != RowKind::kPlaceholder)
      left[place_in(run_b(), row)].push_back(row);
  }
  for (Row row = 0; row < plan_a.size(); ++row) {
    if (of_b[row] != kNoRow || plan_a.row(row).kind == RowKind::kPlaceholder) continue;
    const auto found = left.find(place_in(run_a(), row));
    if (found == left.end() || found->second.empty()) continue;
    of_b[row] = found->second.back();
    found->second.pop_back();
    taken[of_b[row]] = true;
  }
  for (Row row = 0; row < plan_a.size(); ++row) add_node(row, of_b[row]);
  for (Row row = 0; row < plan_b.size(); ++row) {
    if (!taken[row]) add_node(kNoRow, row);
  }
}

void ProgramDiff::match_modules() {
  const Program& a = run_a().program();
  const Program& b = run_b().program();
  std::map<std::string_view, ModuleId> in_b;
  for (ModuleId id = 1; id < b.modules.size(); ++id) in_b.emplace(b.text(b.modules[id].path), id);
  for (ModuleId id = 1; id < a.modules.size(); ++id) {
    ModuleDiff module{.path = std::string(a.text(a.modules[id].path)),
                      .depth = a.modules[id].depth,
                      .in_a = true,
                      .a = a_.modules[id]};
    const auto found = in_b.find(module.path);
    if (found != in_b.end()) {
      module.in_b = true;
      module.b = b_.modules[found->second];
      in_b.erase(found);
    }
    modules_.push_back(std::move(module));
  }
  for (const auto& [path, id] : in_b)
    modules_.push_back({.path = std::string(path),
                        .depth = b.modules[id].depth,
                        .in_b = true,
                        .b = b_.modules[id]});
  for (ModuleDiff& module : modules_) module.weight = weight(module.a, module.b);
  std::erase_if(modules_, [](const ModuleDiff& module) { return module.weight == 0; });
}

}  // namespace faketensor
