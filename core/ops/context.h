// Context: what operators are called in. It owns every tensor, storage, meta and list that calls
// make (tensor_store.h), and calls go through its dispatcher (dispatcher.h).
//
// A FakeTensorMode (core/mode) is a Context with a converter, constants and custom operators around
// it. Rules reach their context through the call frame (call.h). A graph is propagated in a context
// of its own.
//
//   Context context(*target_preset("cpu"));
//   Tensor* x = context.empty(sizes, DType::kFloat32, Device{});
//   Value y = context.call(Registry::builtin().find("aten::relu"), args);
#pragma once

#include <span>
#include <utility>

#include "core/devices/target.h"
#include "core/ops/cache_emulation.h"
#include "core/ops/data_memos.h"
#include "core/ops/dispatcher.h"
#include "core/ops/registry.h"
#include "core/ops/tensor_store.h"

namespace faketensor {

class Library;
class ShapeEnv;

class Context : public TensorStore {
 public:
  explicit Context(const Target& target = {}) : target_(target), dispatcher_(*this) {}

  // Calls an operator with `args` in schema order; trailing arguments and Value::unset() take the
  // schema's defaults. Throws Error, with the operator's name on it. The arguments' spans must
  // outlive the call, results live as long as the context.
  Value call(OpId op, std::span<const Value> args) { return dispatcher_.call(op, args); }
  // Calls that begin at a later stage (dispatcher.h).
  Value call_below(const OpEntry& op, std::span<const Value> args) {
    return dispatcher_.call_below(op, args);
  }
  Value call_modes(const OpEntry& op, std::span<const Value> args) {
    return dispatcher_.call_modes(op, args);
  }
  Value run_rule(const OpEntry& op, std::span<const Value> args) {
    return dispatcher_.run_rule(op, args);
  }
  // The modes that are entered (ModeScope).
  ModeStack& modes() { return dispatcher_.modes(); }
  // Whether a C++ Meta kernel runs (KernelScope).
  bool in_kernel() const { return dispatcher_.in_kernel(); }

  const Target& target() const { return target_; }
  // Where symbols live; unbacked ones are made there. Null: FakeTensorMode without a ShapeEnv, in
  // which operators whose output (or its size) is data raise.
  ShapeEnv* shape_env() const { return shape_env_; }
  void set_shape_env(ShapeEnv* env) { shape_env_ = env; }
  // The custom operators that may be called, and fakes in place of built-in rules; null for none.
  Library* library() const { return library_; }
  void set_library(Library* library) { library_ = library; }

  // What PyTorch keeps in thread-local state, or in the mode, while operators are called.
  bool allow_dynamic_shapes = true;
  bool allow_scalar_outputs = true;
  // Whether autograd would record (it changes which results some operators save).
  bool grad_enabled = false;
  // Whether writes to leaves of autograd are refused here; a session (core/mode), which knows who
  // is a leaf, refuses them before it calls.
  bool checks_leaves = true;
  // Calls are made under enable_python_dispatcher(): some composites take their Python
  // decomposition.
  bool python_dispatcher = false;
  DType default_dtype = DType::kFloat32;

  DataMemos& memos() { return memos_; }
  CacheEmulation& cache() { return cache_; }

  // TensorStore::free_all_but, and what is remembered of the tensors that it frees.
  void free_all_but(std::span<Tensor* const> kept) {
    TensorStore::free_all_but(kept);
    memos_.forget_freed(*this);
  }

 private:
  friend class Dispatcher;
  friend class KernelScope;

  Target target_;
  ShapeEnv* shape_env_ = nullptr;
  Library* library_ = nullptr;
  DataMemos memos_;
  CacheEmulation cache_;
  Dispatcher dispatcher_;
};

// While a Meta kernel runs: FakeTensorMode does not see what it calls, and its dispatch cache asks
// nothing (in_kernel_invocation_manager, torch/_subclasses/fake_tensor.py).
class KernelScope {
 public:
  explicit KernelScope(Context& context)
      : in_kernel_(context.dispatcher_.in_kernel_), before_(std::exchange(in_kernel_, true)) {}
  ~KernelScope() { in_kernel_ = before_; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  bool& in_kernel_;
  bool before_;
};

}  // namespace faketensor
