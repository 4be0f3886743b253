#include "core/analysis/storage_ledger.h"

#include "core/graph/explain.h"

namespace faketensor {

std::string_view name(TrainingPhase phase) {
  constexpr std::string_view kNames[] = {"forward", "loss", "backward", "optimizer", "end"};
  return kNames[static_cast<size_t>(phase)];
}

StorageLedger::Entry& StorageLedger::entry(const Storage& storage) {
  if (storage.id >= entries_.size()) entries_.resize(storage.id + 1);
  return entries_[storage.id];
}

const StorageLedger::Entry& StorageLedger::entry(const Storage& storage) const {
  static constexpr Entry kNone;
  return storage.id < entries_.size() ? entries_[storage.id] : kNone;
}

void StorageLedger::note(MemoryEvent::What what, uint32_t storage, const Entry& entry) {
  events_.push_back({what, entry.kind, phase_, row_, storage, entry.dtype, entry.bytes, live_});
  const int64_t now = MemoryTimeline::hint(live_);
  if (now <= highest_) return;
  highest_ = now;
  peak_ = live_;
  peak_event_ = events_.size() - 1;
}

void StorageLedger::hold(const Storage& storage, MemoryKind kind, DType dtype) {
  Entry& of = entry(storage);
  if (of.holders++ > 0) return;
  of.kind = kind;
  of.dtype = dtype;
  of.bytes = current(storage.nbytes);
  live_ += of.bytes;
  note(MemoryEvent::What::kBring, storage.id, of);
}

void StorageLedger::release(const Storage& storage) {
  Entry& of = entry(storage);
  if (is_closed_ || --of.holders > 0) return;
  live_ -= of.bytes;
  note(MemoryEvent::What::kFree, storage.id, of);
}

void StorageLedger::become(const Storage& storage, MemoryKind kind) {
  Entry& of = entry(storage);
  if (of.kind == kind) return;
  of.kind = kind;
  note(MemoryEvent::What::kBecome, storage.id, of);
}

void StorageLedger::start_peak() {
  highest_ = MemoryTimeline::hint(live_);
  peak_ = live_;
  peak_event_ = events_.empty() ? 0 : events_.size() - 1;
}

}  // namespace faketensor
