// StorageLedger: which storages are alive, by who holds them, and the bytes of all as time passes.
//
// A storage is alive from its first holder to the end of its last. Each beginning and end is an
// event; what was alive at any of them, and of which kind, can be told afterwards.
//
//   StorageLedger ledger;
//   ledger.hold(*tensor.storage, MemoryKind::kActivation, tensor.dtype());
//   ledger.release(*tensor.storage);
//   ledger.peak(), ledger.events()
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/analysis/memory_timeline.h"

namespace faketensor {

// What of a training step runs.
enum class TrainingPhase : uint8_t { kForward, kLoss, kBackward, kOptimizer, kEnd };
std::string_view name(TrainingPhase phase);

struct MemoryEvent {
  enum class What : uint8_t { kBring, kFree, kBecome };
  What what = What::kBring;
  MemoryKind kind = MemoryKind::kActivation;  // of kBring, and what it is from kBecome on
  TrainingPhase phase = TrainingPhase::kForward;
  Row row = kNoRow;      // the row of the program that runs, forward or backward; kNoRow for none
  uint32_t storage = 0;  // its id
  DType dtype = DType::kFloat32;  // of the tensor that it was brought for
  SymInt bytes = 0;
  SymInt live = 0;  // of all storages, after the event
};

class StorageLedger {
 public:
  void begin(TrainingPhase phase, Row row) {
    phase_ = phase;
    row_ = row;
  }
  // One holder more, or less. The first brings the storage as one of that kind.
  void hold(const Storage& storage, MemoryKind kind, DType dtype);
  void release(const Storage& storage);
  void become(const Storage& storage, MemoryKind kind);
  // From here on nothing changes: what is alive is what stays.
  void close() { is_closed_ = true; }
  bool is_alive(const Storage& storage) const { return entry(storage).holders > 0; }

  std::span<const MemoryEvent> events() const { return events_; }
  SymInt live() const { return live_; }
  // The event after which most is alive, the first of those. Symbols are compared by their hints.
  // What came before start_peak() does not count.
  void start_peak();
  size_t peak_event() const { return peak_event_; }
  SymInt peak() const { return peak_; }

 private:
  struct Entry {
    uint32_t holders = 0;
    MemoryKind kind = MemoryKind::kActivation;
    DType dtype = DType::kFloat32;
    SymInt bytes = 0;
  };
  Entry& entry(const Storage& storage);
  const Entry& entry(const Storage& storage) const;
  void note(MemoryEvent::What what, uint32_t storage, const Entry& entry);

  std::vector<Entry> entries_;  // by the storage's id
  std::vector<MemoryEvent> events_;
  TrainingPhase phase_ = TrainingPhase::kForward;
  Row row_ = kNoRow;
  SymInt live_ = 0;
  SymInt peak_ = 0;
  int64_t highest_ = -1;
  size_t peak_event_ = 0;
  bool is_closed_ = false;
};

// A share in the storage of a tensor, given back at the end.
class TensorHold {
 public:
  TensorHold(StorageLedger& ledger, Tensor& tensor, MemoryKind kind)
      : ledger_(ledger), tensor_(tensor) {
    if (tensor.storage != nullptr) ledger.hold(*tensor.storage, kind, tensor.dtype());
  }
  ~TensorHold() {
    if (tensor_.storage != nullptr) ledger_.release(*tensor_.storage);
  }
  TensorHold(const TensorHold&) = delete;
  TensorHold& operator=(const TensorHold&) = delete;

  Tensor& tensor() const { return tensor_; }

 private:
  StorageLedger& ledger_;
  Tensor& tensor_;
};
using HeldTensor = std::shared_ptr<const TensorHold>;

}  // namespace faketensor
