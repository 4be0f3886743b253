// Context: what operators are called in. It owns every tensor, storage, meta and list that calls
// make.
//
// A FakeTensorMode (core/mode) is a Context with a converter, constants and custom operators around
// it. Rules reach their context through the call frame (call.h). Memory is given back all at once,
// with the context: a graph is propagated in one of its own. Where calls never end, free_all_but()
// gives it back in between.
//
//   Context context(*target_preset("cpu"));
//   Tensor* x = context.empty(sizes, DType::kFloat32, Device{});
//   Value y = context.call(Registry::builtin().find("aten::relu"), args);
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/devices/target.h"
#include "core/ops/registry.h"
#include "core/support/stable_vector.h"
#include "core/tensor/tensor.h"

namespace faketensor {

class Library;
class ShapeEnv;

// Numbers that a tensor's data was found to be, or to have (FakeTensor.item_memo and the like).
enum class Memo : uint8_t { kItem, kNonzero, kUnique, kUniqueConsecutive };

// Sees each operator as a dispatch mode of PyTorch does: composites taken apart, autograd's checks
// passed, arguments complete, before its rule runs. Operators that a rule calls are not seen again.
class DispatchHook {
 public:
  virtual ~DispatchHook() = default;
  // Answers in the operator's place; Context::run_rule goes on as without a hook.
  virtual Value dispatch(const OpEntry& op, std::span<const Value> args) = 0;
};

// Sees each call before anything is done with it, those that composites make too, as the dispatch
// keys above autograd do (autocast, vmap). What other operators call is below autograd, and not
// seen.
class CallHook {
 public:
  virtual ~CallHook() = default;
  // Answers in the operator's place; Context::call_below goes on as without a hook.
  virtual Value call(const OpEntry& op, std::span<const Value> args) = 0;
};

class Context {
 public:
  explicit Context(const Target& target = {});
  virtual ~Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Calls an operator with `args` in schema order; trailing arguments and Value::unset() take the
  // schema's defaults. Throws Error, with the operator's name on it. The arguments' spans must
  // outlive the call, results live as long as the context.
  Value call(OpId op, std::span<const Value> args);

  const Target& target() const { return target_; }
  MetaTable& metas() { return metas_; }
  Arena& arena() { return arena_; }
  // Where symbols live; unbacked ones are made there. Null: FakeTensorMode without a ShapeEnv, in
  // which operators whose output (or its size) is data raise.
  ShapeEnv* shape_env() const { return shape_env_; }
  void set_shape_env(ShapeEnv* env) { shape_env_ = env; }
  // The custom operators that may be called, and fakes in place of built-in rules; null for none.
  Library* library() const { return library_; }
  void set_library(Library* library) { library_ = library; }
  bool allow_dynamic_shapes = true;
  bool allow_scalar_outputs = true;
  // Whether autograd would record (it changes which results some operators save).
  bool grad_enabled = false;
  // Calls are made under enable_python_dispatcher(): some composites take their Python
  // decomposition.
  bool python_dispatcher = false;
  DType default_dtype = DType::kFloat32;
  // A Meta kernel runs: FakeTensorMode does not see what it calls, and its dispatch cache asks
  // nothing (in_kernel_invocation_manager, torch/_subclasses/fake_tensor.py).
  bool in_kernel = false;

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

  // The symbol that stands for a number of `tensor`'s data; none if it was not asked yet, or if the
  // data was written to since.
  Value memo(const Tensor& tensor, Memo kind) const;
  void set_memo(const Tensor& tensor, Memo kind, const Value& value);
  // Forgets the symbols that stand for data, as a new epoch of a mode does: the next question makes
  // fresh ones. Symbolic floats with a hint stay (SymNumberMemoDescriptor.__get__).
  void forget_memos();

  // What a storage of `held` bytes was found to grow to for a view, when the ShapeEnv
  // had learnt so much (grow_storage, dispatch_cache.h).
  struct GrownStorage {
    const TensorMeta* view = nullptr;
    SymInt held = 0;
    SymInt grown = 0;
    uint32_t found_at = 0;
  };
  // The place where that is remembered; of views that share it, the last one's.
  GrownStorage& grown_storage(const TensorMeta& view) const;

  // Whether torch.empty_permuted was asked for a tensor of this meta since the outermost call
  // began; it is from now on. The dispatch cache answers it the second time, by
  // torch.empty_strided.
  bool is_permuted_again(const TensorMeta& meta);

  void set_hook(DispatchHook* hook) { hook_ = hook; }
  // Gives the hook that was there before.
  CallHook* set_call_hook(CallHook* hook) { return std::exchange(call_hook_, hook); }
  // A call that the hook does not see; those that a composite makes, it sees.
  Value call_below(const OpEntry& op, std::span<const Value> args);
  // Answers by the rule of an operator alone, with complete arguments.
  Value run_rule(const OpEntry& op, std::span<const Value> args);
  // Whether this context made the tensor.
  bool owns(const Tensor& tensor) const { return tensors_.find(tensor.id) == &tensor; }

  // Frees what calls have made so far: tensors and storages that none of `kept` leads to, and all
  // lists and numbers. For a context that lives long, between calls; where something else points to
  // its tensors (the constants of a session's mode, the records of a run), it is not to be used.
  void free_all_but(std::span<Tensor* const> kept);

  // How many were ever made.
  size_t tensor_count() const { return tensors_.size(); }
  size_t storage_count() const { return storages_.size(); }
  // How many there is memory for.
  size_t tensor_capacity() const { return tensors_.capacity(); }
  size_t storage_capacity() const { return storages_.capacity(); }

 private:
  const OpEntry& entry(OpId id) const;
  void keep(Tensor* tensor, Arena& arena);
  Value dispatch(const OpEntry& op, std::span<const Value> args);
  Value dispatch_fake(const OpEntry& op, std::span<const Value> args);

  Target target_;
  MetaTable metas_;
  Arena arena_;
  ShapeEnv* shape_env_ = nullptr;
  Library* library_ = nullptr;
  DispatchHook* hook_ = nullptr;
  CallHook* call_hook_ = nullptr;
  StableVector<Tensor> tensors_;
  StableVector<Storage> storages_;
  struct MemoEntry {
    uint32_t version;
    Value value;
  };
  std::unordered_map<uint64_t, MemoEntry> memos_;     // by tensor id and kind
  mutable std::vector<GrownStorage> grown_storages_;  // by a hash of the view's meta
  std::vector<const TensorMeta*> permuted_;           // is_permuted_again
  bool below_autograd_ = false;     // an operator that autograd has seen is running
  uint64_t recorded_calls_ = 0;     // calls that autograd has seen
  int depth_ = 0;                   // of calls that composites make; bounded
  size_t tensor_limit_ = SIZE_MAX;  // while a call runs: how many it may bring it to
};

// For the time of a Meta kernel.
class KernelScope {
 public:
  explicit KernelScope(Context& context) : context_(context), before_(context.in_kernel) {
    context.in_kernel = true;
  }
  ~KernelScope() { context_.in_kernel = before_; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  Context& context_;
  bool before_;
};

}  // namespace faketensor
