#include "core/ops/context.h"

#include <algorithm>

#include "core/ops/arguments.h"
#include "core/ops/autograd.h"
#include "core/ops/constant.h"
#include "core/ops/derived.h"
#include "core/ops/dispatch_cache.h"
#include "core/ops/families/on_meta.h"
#include "core/ops/families/view.h"
#include "core/ops/library.h"
#include "core/ops/limits.h"
#include "core/ops/zero_tensor.h"
#include "core/support/error.h"
#include "core/symbolic/shape_env.h"
#include "core/symbolic/sym_float.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {
constexpr int kMaxDepth =
    64;  // composites call composites; none of PyTorch's nests deeper than a dozen
}  // namespace

Context::Context(const Target& target) : target_(target) {}

namespace {
// Mirrors computeStorageNbytes, aten/src/ATen/EmptyTensor.cpp.
[[noreturn, gnu::cold]] void throw_too_large(Dims sizes, Dims strides) {
  std::string message = format("Storage size calculation overflowed with sizes={}", sizes);
  if (!strides.empty()) message += format(" and strides={}", strides);
  throw_error(ErrorKind::kRuntimeError, std::move(message));
}
}  // namespace

namespace {
// SymNodeImpl::expect_size, c10/core/SymNodeImpl.h: a size is not negative. It does not make an
// unbacked symbol size-like.
bool expect_size(SymInt size) {
  return size.is_symbolic() ? expect_true(size >= 0) : size.as_int() >= 0;
}
}  // namespace

Value Context::make_list(std::span<const Value> values) { return Value::list(arena_.copy(values)); }

Value Context::make_ints(Dims values) { return Value::ints(arena_.copy(values)); }

Tensor* Context::empty(Dims sizes, DType dtype, Device device, Dims strides) {
  for (const SymInt size : sizes) {
    if (size.is_symbolic()) (void)replaced(size);  // SymNode.maybe_as_int
    if (!expect_size(size)) [[unlikely]] {
      throw_error(ErrorKind::kRuntimeError,
                  format("Trying to create tensor with negative dimension {}: {}", size, sizes));
    }
  }
  try {
    const TensorMeta* meta =
        metas_.intern({.sizes = sizes, .strides = strides, .dtype = dtype, .device = device});
    // A new contiguous tensor needs its elements, whatever its sizes are.
    Storage* storage =
        strides.empty() ? make_storage(device, meta->numel() * itemsize(dtype)) : nullptr;
    return make_tensor(meta, storage);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kOverflowError) throw;
    throw_too_large(sizes, strides);
  }
}

Tensor* Context::empty_restrided(Dims sizes, Dims strides, DType dtype, Device device) {
  Tensor* tensor = empty(sizes, dtype, device);
  set_strides(*tensor, strides);
  return tensor;
}

void Context::set_strides(Tensor& tensor, Dims strides) {
  MetaSpec spec = tensor.meta->spec();
  spec.strides = strides;
  tensor.meta = metas_.intern(spec);
}

bool Context::is_permuted_again(const TensorMeta& meta) {
  if (std::find(permuted_.begin(), permuted_.end(), &meta) != permuted_.end()) return true;
  permuted_.push_back(&meta);
  return false;
}

Tensor* Context::make_tensor(const TensorMeta* meta, Storage* storage, Tensor* base) {
  if (storage == nullptr && meta->layout() == Layout::kStrided) {
    // Dense tensors need numel elements; only gaps and overlaps need the longer way. The two count
    // symbolic sizes differently.
    const SymInt bytes =
        meta->knows(kNonOverlappingAndDense) && !meta->numel().is_symbolic() &&
                !meta->offset().is_symbolic() && meta->offset().as_int() == 0
            ? meta->numel() * itemsize(meta->dtype())
            : storage_bytes(meta->sizes(), meta->strides(), meta->offset(), meta->dtype());
    storage = make_storage(meta->device(), bytes);
  }
  if (tensors_.size() >= tensor_limit_) [[unlikely]] {
    throw_error(ErrorKind::kLimitExceeded,
                format("an operator makes more than {} tensors, which need more than {} bytes",
                       kMaxTensorsPerCall, kMaxBytesPerCall));
  }
  Tensor& tensor = tensors_.emplace_back();
  tensor.id = static_cast<uint32_t>(tensors_.size() - 1);
  tensor.meta = meta;
  tensor.storage = storage;
  tensor.base = base != nullptr && base->base != nullptr ? base->base : base;
  return &tensor;
}

Storage* Context::make_storage(Device device, SymInt nbytes) {
  Storage& storage = storages_.emplace_back();
  storage.id = static_cast<uint32_t>(storages_.size() - 1);
  storage.device = device;
  storage.nbytes = nbytes;
  return &storage;
}

namespace {
uint64_t memo_key(const Tensor& tensor, Memo kind) {
  return uint64_t{tensor.id} << 2 | static_cast<uint64_t>(kind);
}
// The id in a key.
size_t memo_tensor(uint64_t key) { return static_cast<size_t>(key >> 2); }
}  // namespace

// A tensor, with what it leads to, is used; the number that it stands for is moved to `arena`.
void Context::keep(Tensor* tensor, Arena& arena) {
  for (; tensor != nullptr && tensors_.keep(tensor->id); tensor = tensor->base) {
    if (tensor->storage != nullptr) storages_.keep(tensor->storage->id);
    if (tensor->constant == nullptr) continue;
    Constant constant = *tensor->constant;
    if (constant.number().is(Value::Tag::kComplex)) {
      const std::span<const double> parts(constant.number().as_complex(), 2);
      constant = Constant(Value::complex(arena.copy(parts).data()));
    }
    tensor->constant = arena.make<Constant>(constant);
  }
}

void Context::free_all_but(std::span<Tensor* const> kept) {
  Arena arena;
  for (Tensor* tensor : kept) keep(tensor, arena);
  std::erase_if(memos_,
                [&](const auto& memo) { return !tensors_.is_kept(memo_tensor(memo.first)); });
  tensors_.drop_others();
  storages_.drop_others();
  arena_ = std::move(arena);
}

Tensor* Context::wrap_number(const Value& number) {
  // scalar_to_tensor (ATen/ScalarOps.h): doubles and int64, whatever the default dtype.
  Tensor* tensor = empty({}, number_dtype(number, DType::kFloat64), Device{});
  tensor->is_wrapped_number = true;
  tensor->constant = arena_.make<Constant>(number);
  return tensor;
}

namespace {
uint32_t version_of(const Tensor& tensor) {
  return tensor.storage == nullptr ? 0 : tensor.storage->version;
}
}  // namespace

Value Context::memo(const Tensor& tensor, Memo kind) const {
  const auto found = memos_.find(memo_key(tensor, kind));
  if (found == memos_.end() || found->second.version != version_of(tensor)) return Value();
  return found->second.value;
}

void Context::set_memo(const Tensor& tensor, Memo kind, const Value& value) {
  memos_[memo_key(tensor, kind)] = {version_of(tensor), value};
}

Context::GrownStorage& Context::grown_storage(const TensorMeta& view) const {
  constexpr size_t kSlots = 256;
  if (grown_storages_.empty()) grown_storages_.resize(kSlots);
  return grown_storages_[view.hash() % kSlots];
}

void Context::forget_memos() {
  std::erase_if(memos_, [](const auto& memo) {
    const Value& value = memo.second.value;
    return !value.is(Value::Tag::kSymFloat) || !hint(sym_float_of(value.as_node()));
  });
}

namespace {

// Counts a write to the storages of the arguments that the schema marks as written.
void bump_versions(const OpEntry& op, std::span<const Value> args) {
  if (op.facts.has(kWritesNoData)) return;
  for (uint64_t rest = op.written_arguments; rest != 0; rest &= rest - 1) {
    const Value& value = args[static_cast<size_t>(__builtin_ctzll(rest))];
    if (value.is_tensor() && value.tensor().storage != nullptr) ++value.tensor().storage->version;
    if (!value.is(Value::Tag::kList)) continue;
    for (const Value& element : value.values()) {
      if (element.is_tensor() && element.tensor().storage != nullptr)
        ++element.tensor().storage->version;
    }
  }
}

// One level of calls; the outermost one sets how many tensors there may be.
struct DepthGuard {
  int& depth;
  size_t& tensor_limit;
  DepthGuard(int& counter, size_t& limit, size_t tensors) : depth(++counter), tensor_limit(limit) {
    if (depth == 1) tensor_limit = tensors + kMaxTensorsPerCall;
    if (depth > kMaxDepth) {
      --depth;
      throw_error(ErrorKind::kLimitExceeded,
                  format("operators call each other more than {} deep", kMaxDepth));
    }
  }
  ~DepthGuard() {
    if (--depth == 0) tensor_limit = SIZE_MAX;
  }
};

// What `sizes()` of a tensor with symbolic sizes does (SymbolicShapeMeta::set_materialized_sizes).
void specialize(const Value& arg) {
  if (arg.is_tensor()) {
    for (const SymInt size : arg.tensor().sizes()) guard_int(size);
  } else if (arg.is(Value::Tag::kList)) {
    for (const Value& element : arg.values()) specialize(element);
  }
}

// A real kernel runs on zeros of the arguments' sizes, which have to be numbers: where one is not,
// there is no answer (maybe_run_unsafe_fallback, torch/_subclasses/fake_tensor.py).
void refuse_symbols_in_real_kernel(const Call& call) {
  const bool is_real = (call.op().tags & kRealKernel) != 0;
  if (!is_real || !has_symbolic_sizes(call)) return;
  std::string name = call.op().python_name();
  if (call.op().packet().starts_with("to_sparse"))  // which calls aten::_to_sparse
    name.insert(std::string_view("aten.").size(), "_");
  call.fail(ErrorKind::kUnsupportedOperator, std::move(name));
}

// A flag for the time of a call: what an operator calls that autograd has seen is below autograd.
struct ScopedFlag {
  bool& flag;
  const bool before;
  ScopedFlag(bool& changed, bool now) : flag(changed), before(changed) { flag = now; }
  ~ScopedFlag() { flag = before; }
};

// What a fake calls is below the keys that a hook stands for.
struct WithoutHook {
  CallHook*& hook;
  CallHook* const before;
  explicit WithoutHook(CallHook*& changed)
      : hook(changed), before(std::exchange(changed, nullptr)) {}
  ~WithoutHook() { hook = before; }
};

}  // namespace

namespace {
Value answer(Call& call) {
  const OpEntry& op = call.op();
  switch (op.derived) {
    case OpEntry::Derived::kNone:
    case OpEntry::Derived::kListInplace:
    case OpEntry::Derived::kFake:
      break;
    case OpEntry::Derived::kInplace:
      return run_inplace(call);
    case OpEntry::Derived::kOut:
      return run_out(call);
  }
  return op.rule.function(call, op.rule.params);
}

// Note [Devices are found last]
// FakeTensorMode runs a meta kernel first and looks for the common device of its arguments when it
// wraps the results (wrap_meta_outputs_with_default_device_logic). Rules ask for it when they make
// their first output; where there is none, the call is made again on the meta device, so that what
// the kernel refuses is refused in its words.
Value answer_or_refuse(Call& call) {
  try {
    return answer(call);
  } catch (const Error& error) {
    const bool is_own = error.op().empty() && (call.op().tags & kComposite) == 0 &&
                        call.op().derived != OpEntry::Derived::kOut;
    if (error.kind() != ErrorKind::kDeviceMismatch || !is_own) throw;
    const OnMeta scope(call.context(), call.args());
    Call on_meta(call.context(), call.op(), call.args());
    answer(on_meta);
    throw;
  }
}
}  // namespace

const OpEntry& Context::entry(OpId id) const {
  if (library_ == nullptr) [[likely]]
    return Registry::builtin().entry(id);
  return library_->entry(id);
}

namespace {
// By the rule for the layouts of the arguments.
Value answer_in_layout(Call& call) {
  const Rule* sparse = sparse_rule(call.op(), call.args());
  return sparse != nullptr ? sparse->function(call, sparse->params) : answer_or_refuse(call);
}
}  // namespace

Value Context::run_rule(const OpEntry& op, std::span<const Value> args) {
  if (op.derived == OpEntry::Derived::kFake) [[unlikely]] {
    FakeCall call(*this, op, args);
    const ScopedFlag scope(below_autograd_, false);
    const ScopedFlag no_grad(grad_enabled, false);
    const WithoutHook no_hook(call_hook_);
    return checked_result(*this, op, library_->run_fake(call));
  }
  Call call(*this, op, args);
  return answer_in_layout(call);
}

Value Context::call(OpId id, std::span<const Value> args) {
  const OpEntry& op = entry(id);
  if (call_hook_ != nullptr && !below_autograd_) [[unlikely]]
    return call_hook_->call(op, args);
  return call_below(op, args);
}

Value Context::call_below(const OpEntry& op, std::span<const Value> args) {
  try {
    if (op.derived == OpEntry::Derived::kFake) [[unlikely]]
      return dispatch_fake(op, args);
    return dispatch(op, args);
  } catch (Error& error) {
    if (error.op().empty()) error.set_op(std::string(op.name));
    throw;
  }
}

namespace {
// Whether what an in-place operator writes to was made since the outermost call began (`first` is
// the first id since then), and not as a view of what was there: then it is no leaf of autograd.
bool is_intermediate(std::span<const Value> args, size_t first) {
  if (args.empty() || !args[0].is_tensor()) return false;
  const Tensor& tensor = args[0].tensor();
  return tensor.id >= first && (tensor.base == nullptr || tensor.base->id >= first);
}
}  // namespace

Value Context::dispatch(const OpEntry& op, std::span<const Value> args) {
  const DepthGuard guard(depth_, tensor_limit_, tensors_.size());
  if (depth_ == 1) permuted_.clear();
  ArgumentRoom room;
  const std::span<const Value> complete = complete_arguments(*this, op, args, room);
  const bool seen_by_autograd = !below_autograd_ && (op.tags & kComposite) == 0;
  const bool has_zeros = seen_by_autograd && has_zero_tensor(complete);
  ArgumentRoom zeros;
  Call call(*this, op, has_zeros ? without_zero_tensors(*this, op, complete, zeros) : complete);
  const bool is_recorded = grad_enabled && seen_by_autograd;
  if (is_recorded && op.derived == OpEntry::Derived::kOut) {
    check_out_grad(op, call.args());
  } else if (is_recorded) {
    // A session (core/mode) knows who is a leaf, and asks before it calls.
    if (hook_ == nullptr && !is_intermediate(call.args(), tensor_limit_ - kMaxTensorsPerCall))
      check_leaves(op, call.args());
    check_differentiable(op, call.args());
  }
  std::optional<CacheQuestions> questions;
  if (shape_env_ != nullptr && !in_kernel && (op.tags & kComposite) == 0) questions.emplace(call);
  if (shape_env_ != nullptr) refuse_symbols_in_real_kernel(call);
  if ((op.tags & kSpecializes) != 0 && shape_env_ != nullptr && !python_dispatcher) {
    for (const Value& arg : call.args()) specialize(arg);
  }
  const ScopedFlag scope(below_autograd_, below_autograd_ || seen_by_autograd);
  recorded_calls_ += is_recorded ? 1 : 0;
  const uint64_t recorded_before = recorded_calls_;
  Value result = seen_by_autograd && hook_ != nullptr ? hook_->dispatch(op, call.args())
                                                      : answer_in_layout(call);
  if (has_zeros && gives_zero_tensor(op, complete))
    result = new_zero_tensor(*this, result.tensor());
  if (questions) questions->ask_about(result);
  if (op.written_arguments != 0) bump_versions(op, call.args());
  if (is_recorded) {
    if (op.derived != OpEntry::Derived::kOut) check_differentiable_results(op, call.args(), result);
    record_history(*this, op, call.args(), result);
  } else if (grad_enabled && !below_autograd_ && recorded_calls_ == recorded_before) {
    record_history(*this, op, call.args(), result);  // a composite's rule that calls nothing
  }
  return result;
}

namespace {
// A custom_op and a built-in operator have a kernel that counts what they write (ADInplaceOrView);
// Library.define makes none.
bool counts_writes(const Library& library, const OpEntry& op) {
  return library.is_custom_op(op.id) || Registry::builtin().find(op.name) != kNoOp;
}
}  // namespace

// What a fake calls is below autograd, but seen by the mode again, and the result is what its
// schema says (FakeTensorMode._dispatch_impl, "Users can register FakeTensor rules for custom
// operators").
Value Context::dispatch_fake(const OpEntry& op, std::span<const Value> args) {
  const DepthGuard guard(depth_, tensor_limit_, tensors_.size());
  ArgumentRoom room;
  const Call call(*this, op, complete_arguments(*this, op, args, room));
  const bool is_recorded = grad_enabled && !below_autograd_;
  const bool is_seen = hook_ != nullptr && !below_autograd_;
  const Value result = is_seen ? hook_->dispatch(op, call.args()) : run_rule(op, call.args());
  if (op.written_arguments != 0 && counts_writes(*library_, op)) bump_versions(op, call.args());
  if (is_recorded) record_unknown(*this, call.args(), result);
  return result;
}

}  // namespace faketensor
