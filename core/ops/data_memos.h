// DataMemos: the symbols that stand for numbers of tensors' data, or for their count.
//
// Mirrors FakeTensor.item_memo, nonzero_memo and the like: the symbol that aten.item made of a
// tensor stands for that tensor's number until its data is written to.
//
//   context.memos().set(x, Memo::kItem, u0);
//   context.memos().find(x, Memo::kItem);            // u0; Value() once x was written to
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/ops/tensor_store.h"

namespace faketensor {

enum class Memo : uint8_t { kItem, kNonzero, kUnique, kUniqueConsecutive };

class DataMemos {
 public:
  // The symbol that stands for a number of `tensor`'s data; none if it was not asked yet, or if the
  // data was written to since.
  Value find(const Tensor& tensor, Memo kind) const;
  void set(const Tensor& tensor, Memo kind, const Value& value);
  // Forgets the symbols that stand for data, as a new epoch of a mode does: the next question makes
  // fresh ones. Symbolic floats with a hint stay (SymNumberMemoDescriptor.__get__).
  void next_epoch();
  // Forgets what is about tensors that `store` has no memory for any more.
  void forget_freed(const TensorStore& store);

 private:
  struct Entry {
    uint32_t version;
    Value value;
  };
  std::unordered_map<uint64_t, Entry> entries_;  // by tensor id and kind
};

}  // namespace faketensor
