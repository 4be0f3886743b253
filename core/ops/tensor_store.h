// TensorStore: the tensors, storages, metas, lists and numbers of one context, and their memory.
//
// Memory is given back all at once, with the store; where calls never end, free_all_but() gives it
// back in between. Nothing in it moves: pointers stay good. One thread works with a store.
//
//   TensorStore store;
//   Tensor* x = store.empty(sizes, DType::kFloat32, Device{});
//   Tensor* view = store.make_tensor(meta, x->storage, x);
#pragma once

#include <span>

#include "core/ops/value.h"
#include "core/support/arena.h"
#include "core/support/stable_vector.h"
#include "core/tensor/tensor.h"

namespace faketensor {

class TensorStore {
 public:
  TensorStore() = default;
  TensorStore(const TensorStore&) = delete;
  TensorStore& operator=(const TensorStore&) = delete;

  MetaTable& metas() { return metas_; }
  Arena& arena() { return arena_; }

  // A new tensor on a new storage of exactly the bytes it needs. Empty strides: contiguous.
  Tensor* empty(Dims sizes, DType dtype, Device device, Dims strides = {});
  // A new tensor that is allocated as a contiguous one and then given dense strides, as
  // torch.empty_permuted and torch.empty(memory_format=...) make it.
  Tensor* empty_restrided(Dims sizes, Dims strides, DType dtype, Device device);
  void set_strides(Tensor& tensor, Dims strides);
  // A new tensor with this meta; on `storage`, or where it is null on a new one.
  Tensor* make_tensor(const TensorMeta* meta, Storage* storage, Tensor* base = nullptr);
  Storage* make_storage(Device device, SymInt nbytes);
  // A 0-dimensional CPU tensor standing for a Python number.
  Tensor* wrap_number(const Value& number);

  Value make_list(std::span<const Value> values);
  Value make_ints(Dims values);

  // Whether this store made the tensor.
  bool owns(const Tensor& tensor) const { return tensors_.find(tensor.id) == &tensor; }
  // Whether there is memory for the tensor of that id.
  bool has_tensor(size_t id) const { return tensors_.find(id) != nullptr; }

  // Frees what was made so far: tensors and storages that none of `kept` leads to, and all lists and
  // numbers. For a store that lives long, between calls; where something else points to its tensors
  // (the constants of a session's mode, the records of a run), it is not to be used.
  void free_all_but(std::span<Tensor* const> kept);

  // How many were ever made.
  size_t tensor_count() const { return tensors_.size(); }
  size_t storage_count() const { return storages_.size(); }
  // How many there is memory for.
  size_t tensor_capacity() const { return tensors_.capacity(); }
  size_t storage_capacity() const { return storages_.capacity(); }

 protected:
  // How many tensors there may be; make_tensor raises LimitExceeded beyond.
  void set_tensor_limit(size_t limit) { tensor_limit_ = limit; }

 private:
  void keep(Tensor* tensor, Arena& arena);

  MetaTable metas_;
  Arena arena_;
  StableVector<Tensor> tensors_;
  StableVector<Storage> storages_;
  size_t tensor_limit_ = SIZE_MAX;
};

}  // namespace faketensor
