#include "core/analysis/peak_report.h"

#include <algorithm>
#include <map>

#include "core/graph/explain.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

std::string_view name(SavingKind kind) {
  constexpr std::string_view kNames[] = {"recompute", "checkpoint", "in place", "earlier use"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

constexpr size_t kMostSavings = 10;
constexpr size_t kMostCandidates = 64;  // of what is alive, by bytes

DType dtype_at(const Run& run, Row row) {
  const std::span<const TensorRecord> tensors = run.record(row).tensors;
  return tensors.empty() ? DType::kFloat32 : tensors[0].meta->dtype();
}

// Shares with the same name as one, the largest first.
class Shares {
 public:
  void add(std::string_view name, SymInt own, SymInt with_below) {
    MemoryShare& share = shares_[std::string(name)];
    share.own += own;
    share.with_below += with_below;
  }
  std::vector<MemoryShare> sorted() {
    std::vector<MemoryShare> all;
    for (auto& [name, share] : shares_) {
      share.name = name;
      all.push_back(share);
    }
    std::stable_sort(all.begin(), all.end(), [](const MemoryShare& a, const MemoryShare& b) {
      return MemoryTimeline::hint(a.with_below) > MemoryTimeline::hint(b.with_below);
    });
    return all;
  }

 private:
  std::map<std::string, MemoryShare> shares_;
};

// The rows that read each storage, in order.
std::map<const Storage*, std::vector<Row>> readers(const Run& run) {
  std::map<const Storage*, std::vector<Row>> reads;
  for (Row row = 0; row < run.plan().size(); ++row) {
    for (const Value& arg : run.plan().row(row).args) {
      for_each_node(arg, [&](NodeId id) {
        for (const TensorRecord& tensor : run.record(static_cast<Row>(index_of(id))).tensors) {
          std::vector<Row>& of = reads[tensor.storage];
          if (of.empty() || of.back() != row) of.push_back(row);
        }
      });
    }
  }
  return reads;
}

// The peak where rows from `first` to `last` hold so many bytes less.
int64_t lowered_peak(const MemoryTimeline& memory, Row first, Row last, int64_t bytes) {
  int64_t most = 0;
  for (Row row = 0; row < memory.rows().size(); ++row) {
    const int64_t here = MemoryTimeline::hint(memory.rows()[row].peak);
    most = std::max(most, row >= first && row <= last ? here - bytes : here);
  }
  return most;
}

}  // namespace

PeakReport::PeakReport(const Run& run, const MemoryTimeline& memory) : run_(run) {
  const BranchScope env = run.shape_env();
  const Row peak = memory.peak_row();
  if (peak == kNoRow) return;
  for (const Holder& holder : memory.holders(peak)) {
    AliveStorage alive{holder.kind, holder.row, dtype_at(run, holder.row), holder.bytes};
    alive.stays = holder.last_use == kNoRow;
    alive.until = holder.last_use;
    alive_.push_back(alive);
  }
  sort_alive();
  find_savings(memory);
}

PeakReport::PeakReport(const TrainingStep& step) : run_(step.run()) {
  const BranchScope env = run_.shape_env();
  std::map<uint32_t, AliveStorage> alive;
  const std::span<const MemoryEvent> events = step.events();
  for (size_t i = 0; i < events.size(); ++i) {
    const MemoryEvent& event = events[i];
    const auto at = alive.find(event.storage);
    if (i > step.peak_index()) {
      if (event.what == MemoryEvent::What::kFree && at != alive.end()) {
        at->second.stays = false;
        at->second.until = event.row;
        at->second.until_phase = event.phase;
      }
    } else if (event.what == MemoryEvent::What::kFree) {
      alive.erase(at);
    } else if (event.what == MemoryEvent::What::kBecome) {
      at->second.kind = event.kind;
    } else {
      alive[event.storage] = {event.kind, event.row, event.dtype, event.bytes};
    }
  }
  // By storage: what dies at once dies in an order that differs from one standard library to another.
  for (const auto& [storage, each] : alive) alive_.push_back(each);
  sort_alive();
  find_checkpoints();
}

void PeakReport::sort_alive() {
  std::stable_sort(alive_.begin(), alive_.end(), [](const AliveStorage& a, const AliveStorage& b) {
    return MemoryTimeline::hint(a.bytes) > MemoryTimeline::hint(b.bytes);
  });
}

// Of a parameter or buffer, the module that owns it.
std::string_view PeakReport::module_of(const AliveStorage& storage) const {
  if (storage.row == kNoRow) return {};
  const Program& program = run_.program();
  if (storage.row >= program.inputs.size()) return program.module_path(run_.node(storage.row));
  const std::string_view target = program.text(program.inputs[storage.row].target);
  const size_t dot = target.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : target.substr(0, dot);
}

std::vector<MemoryShare> PeakReport::by_kind() const {
  Shares shares;
  for (const AliveStorage& each : alive_) shares.add(name(each.kind), each.bytes, each.bytes);
  return shares.sorted();
}

std::vector<MemoryShare> PeakReport::by_module() const {
  Shares shares;
  for (const AliveStorage& each : alive_) {
    std::string_view path = module_of(each);
    shares.add(path, each.bytes, each.bytes);
    while (!path.empty()) {
      const size_t dot = path.rfind('.');
      path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
      shares.add(path, 0, each.bytes);
    }
  }
  return shares.sorted();
}

std::vector<MemoryShare> PeakReport::by_dtype() const {
  Shares shares;
  for (const AliveStorage& each : alive_)
    shares.add(faketensor::name(each.dtype), each.bytes, each.bytes);
  return shares.sorted();
}

std::vector<MemoryShare> PeakReport::by_source() const {
  Shares shares;
  for (const AliveStorage& each : alive_) {
    if (each.row == kNoRow || each.row < run_.program().inputs.size()) continue;
    const std::string line = run_.program().source_line(run_.node(each.row));
    if (!line.empty()) shares.add(line, each.bytes, each.bytes);
  }
  return shares.sorted();
}

void PeakReport::find_savings(const MemoryTimeline& memory) {
  const Row peak = memory.peak_row();
  const int64_t now = MemoryTimeline::hint(memory.peak());
  const auto reads = readers(run_);
  const auto last = last_uses(run_.plan());
  const size_t inputs = run_.program().inputs.size();
  for (size_t i = 0; i < std::min(alive_.size(), kMostCandidates); ++i) {
    const AliveStorage& each = alive_[i];
    if (each.row < inputs || each.row >= peak || each.kind == MemoryKind::kTemporary) continue;
    const int64_t bytes = MemoryTimeline::hint(each.bytes);
    const std::span<const TensorRecord> tensors = run_.record(each.row).tensors;
    const auto at = tensors.empty() ? reads.end() : reads.find(tensors[0].storage);
    if (at == reads.end()) continue;
    const auto next = std::lower_bound(at->second.begin(), at->second.end(), peak);
    if (next == at->second.end()) continue;
    if (*next == peak) {
      // It could be written over where it dies, by a result that is as large.
      const bool fits = each.until == peak && !run_.record(peak).tensors.empty() &&
                        same_expr(current(run_.record(peak).tensors[0].nbytes), each.bytes);
      const OpId op = run_.plan().row(peak).op;
      if (!fits || op == kNoOp || op >= kFirstCustomOp) continue;
      const OpEntry& entry = Registry::builtin().entry(op);
      const std::string in_place = std::string(entry.schema.name) + "_";
      if (Registry::builtin().find(in_place + "." +
                                   (entry.schema.overload.empty()
                                        ? std::string("default")
                                        : std::string(entry.schema.overload))) == kNoOp)
        continue;
      savings_.push_back({SavingKind::kInPlace,
                          peak,
                          {},
                          each.row,
                          now - lowered_peak(memory, peak, peak, bytes)});
      continue;
    }
    const Row before = next == at->second.begin() ? each.row : *(next - 1);
    savings_.push_back({SavingKind::kRecompute,
                        each.row,
                        {},
                        *next,
                        now - lowered_peak(memory, before + 1, *next - 1, bytes)});
    // Its only reader after the peak, where all that it reads is there before.
    if (next + 1 != at->second.end()) continue;
    bool is_ready = run_.plan().row(*next).kind == RowKind::kCall;
    for (const Value& arg : run_.plan().row(*next).args) {
      for_each_node(arg, [&](NodeId id) { is_ready = is_ready && index_of(id) < peak; });
    }
    int64_t result = 0;
    for (const TensorRecord& tensor : run_.record(*next).tensors)
      result += MemoryTimeline::hint(current(tensor.nbytes));
    if (!is_ready || result >= bytes || last[*next] == *next) continue;
    savings_.push_back({SavingKind::kEarlierUse,
                        each.row,
                        {},
                        *next,
                        now - lowered_peak(memory, before + 1, *next, bytes - result)});
  }
  keep_largest_savings();
}

void PeakReport::find_checkpoints() {
  const std::vector<Module>& modules = run_.program().modules;
  std::vector<int64_t> kept(modules.size());
  for (const AliveStorage& each : alive_) {
    if (each.kind != MemoryKind::kActivation || each.row == kNoRow ||
        each.row < run_.program().inputs.size())
      continue;
    for (ModuleId at = run_.node(each.row).module; at != 0; at = modules[at].parent)
      kept[at] += MemoryTimeline::hint(each.bytes);
  }
  for (ModuleId id = 1; id < modules.size(); ++id) {
    if (kept[id] > 0)
      savings_.push_back({SavingKind::kCheckpoint, kNoRow, run_.program().text(modules[id].path),
                          kNoRow, kept[id]});
  }
  keep_largest_savings();
}

void PeakReport::keep_largest_savings() {
  std::erase_if(savings_, [](const Saving& saving) { return saving.bytes <= 0; });
  std::stable_sort(savings_.begin(), savings_.end(),
                   [](const Saving& a, const Saving& b) { return a.bytes > b.bytes; });
  if (savings_.size() > kMostSavings) savings_.resize(kMostSavings);
}

}  // namespace faketensor
