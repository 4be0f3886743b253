#include "core/analysis/memory_timeline.h"

#include <algorithm>
#include <unordered_map>

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
  rows_.resize(run_.plan().size());
  // Of each row the lives that it ends, as a list through `next`: places in lives_ + 1.
  std::vector<uint32_t> ends(rows_.size());
  std::vector<uint32_t> next(lives_.size());
  size_t begins = 0;  // lives_ are in the order of the rows that begin them
  for (; begins < lives_.size() && lives_[begins].first < inputs; ++begins) {
    const StorageLife& life = lives_[begins];
    held_ += life.bytes;
    held_by_kind_[static_cast<size_t>(life.kind)] += life.bytes;
  }
  for (size_t i = begins; i < lives_.size(); ++i) {
    if (lives_[i].last == kNoRow) continue;
    next[i] = ends[lives_[i].last];
    ends[lives_[i].last] = static_cast<uint32_t>(i + 1);
  }
  SymInt live = held_;
  int64_t highest = -1;
  for (Row row = 0; row < rows_.size(); ++row) {
    SymInt inner = inside(row, live);
    for (; begins < lives_.size() && lives_[begins].first == row; ++begins)
      live += lives_[begins].bytes;
    if (hint(live) > hint(inner)) inner = live;
    for (uint32_t at = ends[row]; at != 0; at = next[at - 1]) live -= lives_[at - 1].bytes;
    rows_[row] = {live, hint(inner) > hint(live) ? inner : live};
    if (hint(rows_[row].peak) <= highest) continue;
    highest = hint(rows_[row].peak);
    peak_row_ = row;
  }
}

// Bytes of the storages that a call of a row brings, each once.
SymInt MemoryTimeline::brought_by(const LoggedCall& call, Row row) const {
  SymInt sum = 0;
  for (size_t i = 0; i < call.brought.size(); ++i) {
    const Storage* storage = call.brought[i];
    const StorageLife* life = life_of(storage);
    const auto before = call.brought.first(i);
    const bool is_new = (life == nullptr || life->first == row) &&
                        std::find(before.begin(), before.end(), storage) == before.end();
    if (is_new) sum += current(storage->nbytes);
  }
  return sum;
}

// The most that is alive at once while a row's operators are called one by one.
SymInt MemoryTimeline::inside(Row row, SymInt before) const {
  const std::span<const LoggedCall> calls = log_.calls(row);
  if (calls.empty()) return before;
  if (calls.size() == 1) {
    const SymInt with = before + brought_by(calls[0], row);
    return hint(with) > hint(before) ? with : before;
  }
  std::unordered_map<const Storage*, size_t> last_call;  // before a storage dies
  log_.visit_lasts(row, [&](const Storage* storage, size_t call) {
    size_t& last = last_call[storage];
    last = std::max(last, call);
  });
  std::vector<SymInt> dying(calls.size(), SymInt(0));  // after each call
  SymInt now = before;
  SymInt most = before;
  for (size_t i = 0; i < calls.size(); ++i) {
    for (const Storage* storage : calls[i].brought) {
      const StorageLife* life = life_of(storage);
      if (life != nullptr && life->first < row) continue;
      const auto last = last_call.find(storage);
      if (last == last_call.end()) continue;  // it was brought before
      now += current(storage->nbytes);
      // What is in the row's value stays.
      if (life == nullptr) dying[last->second] += current(storage->nbytes);
      last_call.erase(last);
    }
    if (hint(now) > hint(most)) most = now;
    now -= dying[i];
  }
  return most;
}

PeakRange MemoryTimeline::peak_range() const {
  const BranchScope env = run_.shape_env();
  PeakRange range{.most = 0};
  const ExprNode* before = nullptr;  // rows that bring nothing have the same expression
  for (Row row = 0; row < rows_.size(); ++row) {
    const SymInt peak = rows_[row].peak;
    const ExprNode* node = peak.is_symbolic() ? peak.node() : nullptr;
    if (node != nullptr && node == before) continue;
    before = node;
    const ValueRange bytes =
        node != nullptr ? env->bound(node) : ValueRange::ints(peak.as_int(), peak.as_int());
    range.least = std::max(range.least, bytes.lower.as_int64().value_or(0));
    const std::optional<int64_t> upper = bytes.upper.as_int64();
    if (!upper) {
      range.most.reset();
      range.most_row = kNoRow;
    } else if (range.most && (range.most_row == kNoRow || *upper > *range.most)) {
      range.most = upper;
      range.most_row = row;
    }
  }
  return range;
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
