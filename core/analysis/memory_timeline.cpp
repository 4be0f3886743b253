#include "core/analysis/memory_timeline.h"

#include <algorithm>
#include <map>

#include "core/graph/explain.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

std::string_view name(MemoryKind kind) {
  constexpr std::string_view kNames[kMemoryKinds] = {"parameters", "buffers",   "constants",
                                                     "inputs",     "outputs",   "activations",
                                                     "gradients",  "optimizer", "temporaries"};
  return kNames[static_cast<size_t>(kind)];
}

MemoryKind kind_of(InputSpec::Kind kind) {
  switch (kind) {
    case InputSpec::Kind::kParameter:
      return MemoryKind::kParameter;
    case InputSpec::Kind::kBuffer:
      return MemoryKind::kBuffer;
    case InputSpec::Kind::kConstant:
      return MemoryKind::kConstant;
    default:
      return MemoryKind::kInput;
  }
}

std::vector<Row> last_uses(const Plan& plan) {
  std::vector<Row> last(plan.size());
  for (Row row = 0; row < plan.size(); ++row) {
    last[row] = plan.row(row).kind == RowKind::kPlaceholder ? kNoRow : row;
    const bool is_output = plan.row(row).kind == RowKind::kOutput;
    for (const Value& arg : plan.row(row).args) {
      for_each_node(arg, [&](NodeId id) {
        Row& of = last[index_of(id)];
        if (of != kNoRow) of = is_output ? kNoRow : row;
      });
    }
  }
  return last;
}

MemoryTimeline::MemoryTimeline(const Run& run, const CallLog& log)
    : run_(run), log_(log), last_use_(last_uses(run.plan())) {
  const BranchScope env = run.shape_env();
  find_lives();
  sum_up();
}

const StorageLife* MemoryTimeline::life_of(const Storage* storage) const {
  if (storage->id >= by_storage_.size()) return nullptr;
  const uint32_t place = by_storage_[storage->id];
  return place == 0 ? nullptr : &lives_[place - 1];
}

// Each storage of the rows' values, with the first row that has it and the last that reads it.
void MemoryTimeline::find_lives() {
  for (Row row = 0; row < run_.plan().size(); ++row) note_value(row);
}

void MemoryTimeline::note_value(Row row) {
  const NodeRecord& record = run_.record(row);
  if (record.status != NodeStatus::kOk || run_.plan().row(row).kind == RowKind::kOutput) return;
  const bool is_input = row < run_.program().inputs.size();
  for (const TensorRecord& tensor : record.tensors) {
    if (tensor.storage == nullptr) continue;
    auto* life = const_cast<StorageLife*>(life_of(tensor.storage));
    if (life == nullptr) {
      if (tensor.storage->id >= by_storage_.size()) by_storage_.resize(tensor.storage->id + 1);
      lives_.push_back({.storage = tensor.storage, .first = row, .last = row});
      by_storage_[tensor.storage->id] = static_cast<uint32_t>(lives_.size());
      life = &lives_.back();
      if (is_input) life->kind = kind_of(run_.program().inputs[row].kind);
    }
    life->bytes = current(tensor.nbytes);
    const Row last = last_use_[row];
    if (life->last != kNoRow) life->last = last == kNoRow ? kNoRow : std::max(life->last, last);
    if (last == kNoRow && !is_input && life->kind == MemoryKind::kActivation)
      life->kind = MemoryKind::kOutput;
  }
}

std::optional<int64_t> MemoryTimeline::known(SymInt bytes) {
  if (!bytes.is_symbolic()) return bytes.as_int();
  const std::optional<Number> number = shape_env_of(bytes.node()).hint(bytes.node());
  return number ? std::optional(number->integer) : std::nullopt;
}

void MemoryTimeline::sum_up() {
  const size_t inputs = run_.program().inputs.size();
  std::vector<std::vector<const StorageLife*>> begin(run_.plan().size());
  std::vector<std::vector<const StorageLife*>> end(run_.plan().size());
  for (const StorageLife& life : lives_) {
    if (life.first < inputs) {
      held_ += life.bytes;
      held_by_kind_[static_cast<size_t>(life.kind)] += life.bytes;
      continue;
    }
    begin[life.first].push_back(&life);
    if (life.last != kNoRow) end[life.last].push_back(&life);
  }
  rows_.resize(run_.plan().size());
  SymInt live = held_;
  int64_t highest = -1;
  for (Row row = 0; row < rows_.size(); ++row) {
    SymInt inner = inside(row, live);
    for (const StorageLife* life : begin[row]) live += life->bytes;
    if (hint(live) > hint(inner)) inner = live;
    for (const StorageLife* life : end[row]) live -= life->bytes;
    rows_[row] = {live, hint(inner) > hint(live) ? inner : live};
    if (hint(rows_[row].peak) <= highest) continue;
    highest = hint(rows_[row].peak);
    peak_row_ = row;
  }
}

// The most that is alive at once while a row's operators are called one by one.
SymInt MemoryTimeline::inside(Row row, SymInt before) const {
  const std::span<const LoggedCall> calls = log_.calls(row);
  std::map<const Storage*, size_t> last_read;  // the last call that has a storage
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const Storage* storage : calls[i].read) last_read[storage] = i;
    for (const Storage* storage : calls[i].brought) last_read[storage] = i;
  }
  std::map<const Storage*, bool> there;  // what the row has brought: whether it is alive
  SymInt now = before;
  SymInt most = before;
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const Storage* storage : calls[i].brought) {
      const StorageLife* life = life_of(storage);
      if ((life != nullptr && life->first < row) || !there.emplace(storage, true).second) continue;
      now += current(storage->nbytes);
    }
    if (hint(now) > hint(most)) most = now;
    for (auto& [storage, is_alive] : there) {
      // What is in the row's value stays.
      if (!is_alive || last_read[storage] != i || life_of(storage) != nullptr) continue;
      now -= current(storage->nbytes);
      is_alive = false;
    }
  }
  return most;
}

std::vector<Holder> MemoryTimeline::holders(Row row) const {
  const BranchScope env = run_.shape_env();
  std::vector<Holder> all;
  SymInt known = 0;
  for (const StorageLife& life : lives_) {
    const bool is_held = life.first < run_.program().inputs.size();
    if (!is_held && (life.first > row || (life.last != kNoRow && life.last < row))) continue;
    all.push_back({life.first, life.kind, life.bytes, is_held ? kNoRow : life.last});
    known += life.bytes;
  }
  const SymInt temporaries = rows_[row].peak - known;
  if (hint(temporaries) > 0) all.push_back({row, MemoryKind::kTemporary, temporaries, row});
  std::stable_sort(all.begin(), all.end(),
                   [&](const Holder& a, const Holder& b) { return hint(a.bytes) > hint(b.bytes); });
  return all;
}

}  // namespace faketensor
