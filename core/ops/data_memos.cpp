#include "core/ops/data_memos.h"

#include "core/symbolic/sym_float.h"

namespace faketensor {

namespace {

uint64_t key_of(const Tensor& tensor, Memo kind) {
  return uint64_t{tensor.id} << 2 | static_cast<uint64_t>(kind);
}
size_t tensor_of(uint64_t key) { return static_cast<size_t>(key >> 2); }

uint32_t version_of(const Tensor& tensor) {
  return tensor.storage == nullptr ? 0 : tensor.storage->version;
}

}  // namespace

Value DataMemos::find(const Tensor& tensor, Memo kind) const {
  const auto found = entries_.find(key_of(tensor, kind));
  if (found == entries_.end() || found->second.version != version_of(tensor)) return Value();
  return found->second.value;
}

void DataMemos::set(const Tensor& tensor, Memo kind, const Value& value) {
  entries_[key_of(tensor, kind)] = {version_of(tensor), value};
}

void DataMemos::next_epoch() {
  std::erase_if(entries_, [](const auto& entry) {
    const Value& value = entry.second.value;
    return !value.is(Value::Tag::kSymFloat) || !hint(sym_float_of(value.as_node()));
  });
}

void DataMemos::forget_freed(const TensorStore& store) {
  std::erase_if(entries_,
                [&](const auto& entry) { return !store.has_tensor(tensor_of(entry.first)); });
}

}  // namespace faketensor
