// MemoryTimeline: the bytes that are alive while a program runs node by node.
//
// Bytes are those of storages, on all devices together, without an allocator's rounding. A storage
// counts once, from the operator that brought it until no value refers to it: views hold it, what is
// written in place adds nothing. A value is dropped after its last use; what placeholders hold stays
// to the end, since a module holds its parameters and a caller its inputs. Inside of a node, what a
// composite operator brings on its way is alive until its last use there, or as long as a variable of
// PyTorch's C++ keeps it (variables.h).
//
//   const MemoryTimeline memory(run, log);
//   memory.rows()[i].live, memory.peak().row
#pragma once

#include <array>
#include <vector>

#include "core/analysis/call_log.h"

namespace faketensor {

struct RowMemory {
  SymInt live = 0;  // bytes, when the row has run and what is not used later was dropped
  SymInt peak = 0;  // the highest inside of the row, never less than `live`
};

// What a storage is there for.
enum class MemoryKind : uint8_t {
  kParameter,
  kBuffer,
  kConstant,
  kInput,
  kOutput,
  kActivation,
  kGradient,   // of a parameter (Tensor.grad)
  kOptimizer,  // states of the optimizer, and what it makes on its way
  kTemporary
};
inline constexpr size_t kMemoryKinds = 9;
std::string_view name(MemoryKind kind);
MemoryKind kind_of(InputSpec::Kind kind);

// The last row that reads each row's value; the row itself where nothing does, kNoRow for what stays:
// placeholders and outputs.
std::vector<Row> last_uses(const Plan& plan);

// A storage that is alive at some row.
struct Holder {
  Row row = kNoRow;  // whose value brought it
  MemoryKind kind = MemoryKind::kActivation;
  SymInt bytes = 0;
  Row last_use = kNoRow;  // the last row that reads it; kNoRow: it is held to the end
};

// A storage of the rows' values, from the row that brings it to the last that reads it.
struct StorageLife {
  const Storage* storage = nullptr;
  Row first = kNoRow;  // whose value brought it
  Row last = kNoRow;   // the last row that reads a value on it; kNoRow: to the end
  SymInt bytes = 0;
  MemoryKind kind = MemoryKind::kActivation;
};

// Between which bytes the peak lies while symbols go through their ranges: "batch in [2, 64]". Each row's expression is bounded
// for itself, so `most` is reached where expressions grow with their symbols, and an upper bound elsewhere.
struct PeakRange {
  int64_t least = 0;
  std::optional<int64_t> most;  // none: a symbol has no upper end
  Row most_row = kNoRow;        // where `most` is; kNoRow without `most`
};

class MemoryTimeline {
 public:
  // Both must outlive this. Sizes that are symbols are compared by their hints.
  MemoryTimeline(const Run& run, const CallLog& log);

  std::span<const RowMemory> rows() const { return rows_; }
  // Of all placeholders, each storage once.
  SymInt held() const { return held_; }
  SymInt held(MemoryKind kind) const { return held_by_kind_[static_cast<size_t>(kind)]; }

  // The row inside of which most is alive, the first of those; kNoRow for a program without rows.
  Row peak_row() const { return peak_row_; }
  SymInt peak() const { return peak_row_ == kNoRow ? SymInt(0) : rows_[peak_row_].peak; }
  // For a program with rows.
  PeakRange peak_range() const;
  // What is alive when a row runs, by bytes: the most first. Temporaries inside of the row are one
  // holder.
  std::vector<Holder> holders(Row row) const;

  // In the order of the rows that bring them.
  std::span<const StorageLife> lives() const { return lives_; }
  // Null for a storage that no value has: what an operator brings and drops on its way.
  const StorageLife* life_of(const Storage* storage) const;
  // A number of bytes, that of the example where it depends on symbols; none, or 0, where it depends on
  // data.
  static std::optional<int64_t> known(SymInt bytes);
  static int64_t hint(SymInt bytes) { return known(bytes).value_or(0); }

 private:
  void find_lives();
  void note_value(Row row);
  void sum_up();
  SymInt brought_by(const LoggedCall& call, Row row) const;
  SymInt inside(Row row, SymInt before) const;

  const Run& run_;
  const CallLog& log_;
  std::vector<StorageLife> lives_;
  std::vector<uint32_t> by_storage_;  // place in lives_ + 1, by the storage's id
  std::vector<Row> last_use_;         // of the row's value; kNoRow: to the end
  std::vector<RowMemory> rows_;
  SymInt held_ = 0;
  std::array<SymInt, kMemoryKinds> held_by_kind_ = {};
  Row peak_row_ = kNoRow;
};

}  // namespace faketensor
