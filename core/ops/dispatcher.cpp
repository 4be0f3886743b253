#include "core/ops/dispatcher.h"

#include <optional>
#include <string>

#include "core/ops/arguments.h"
#include "core/ops/autograd.h"
#include "core/ops/call.h"
#include "core/ops/context.h"
#include "core/ops/derived.h"
#include "core/ops/dispatch_cache.h"
#include "core/ops/families/on_meta.h"
#include "core/ops/families/view.h"
#include "core/ops/library.h"
#include "core/ops/limits.h"
#include "core/ops/zero_tensor.h"
#include "core/support/error.h"
#include "core/support/scoped_value.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Composites call composites; none of PyTorch's nests deeper than a dozen.
constexpr int kMaxDepth = 64;

// --- writes ---

void count_write(const Value& value) {
  if (value.is_tensor() && value.tensor().storage != nullptr) ++value.tensor().storage->version;
}

// Counts a write to the storages of the arguments that the schema marks as written.
void bump_versions(const OpEntry& op, std::span<const Value> args) {
  if (op.facts.has(kWritesNoData)) return;
  for (uint64_t rest = op.written_arguments; rest != 0; rest &= rest - 1) {
    const Value& value = args[static_cast<size_t>(__builtin_ctzll(rest))];
    count_write(value);
    if (!value.is(Value::Tag::kList)) continue;
    for (const Value& element : value.values()) count_write(element);
  }
}

// A custom_op and a built-in operator have a kernel that counts what they write (ADInplaceOrView);
// Library.define makes none.
bool counts_writes(const Context& context, const OpEntry& op) {
  return op.derived != OpEntry::Derived::kFake || context.library()->is_custom_op(op.id) ||
         Registry::builtin().find(op.name) != kNoOp;
}

// --- specialise ---

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

// --- layout and rule ---

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

// By the rule for the layouts of the arguments.
Value answer_in_layout(Call& call) {
  const Rule* sparse = sparse_rule(call.op(), call.args());
  return sparse != nullptr ? sparse->function(call, sparse->params) : answer_or_refuse(call);
}

// --- autograd ---

// Whether what an in-place operator writes to was made since the outermost call began (`first` is
// the first id since then), and not as a view of what was there: then it is no leaf of autograd.
bool is_intermediate(std::span<const Value> args, size_t first) {
  if (args.empty() || !args[0].is_tensor()) return false;
  const Tensor& tensor = args[0].tensor();
  return tensor.id >= first && (tensor.base == nullptr || tensor.base->id >= first);
}

}  // namespace

// One level of calls. The outermost one sets how many tensors there may be.
class Dispatcher::Level {
 public:
  explicit Level(Dispatcher& dispatcher) : dispatcher_(dispatcher) {
    if (dispatcher_.depth_ == 0) begin_outermost();
    if (dispatcher_.depth_ == kMaxDepth)
      throw_error(ErrorKind::kLimitExceeded,
                  format("operators call each other more than {} deep", kMaxDepth));
    ++dispatcher_.depth_;
  }
  ~Level() {
    if (--dispatcher_.depth_ == 0) dispatcher_.context_.set_tensor_limit(SIZE_MAX);
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  void begin_outermost() {
    Context& context = dispatcher_.context_;
    dispatcher_.first_of_call_ = context.tensor_count();
    context.set_tensor_limit(context.tensor_count() + kMaxTensorsPerCall);
    context.cache().begin_outermost_call();
  }

  Dispatcher& dispatcher_;
};

const OpEntry& Dispatcher::entry(OpId id) const {
  const Library* library = context_.library();
  return library == nullptr ? Registry::builtin().entry(id) : library->entry(id);
}

Value Dispatcher::call(OpId id, std::span<const Value> args) {
  const OpEntry& op = entry(id);
  ModeEntry* const above = modes_.above_autograd();
  if (above != nullptr && !below_autograd_) [[unlikely]]
    return NextMode(context_, above, nullptr)(op, args);
  return call_below(op, args);
}

Value Dispatcher::call_below(const OpEntry& op, std::span<const Value> args) {
  try {
    return dispatch(op, args);
  } catch (Error& error) {
    if (error.op().empty()) error.set_op(std::string(op.name));
    throw;
  }
}

Value Dispatcher::call_modes(const OpEntry& op, std::span<const Value> args) {
  ModeEntry* const first = modes_.below_autograd();
  return first == nullptr ? run_rule(op, args) : NextMode(context_, first, first)(op, args);
}

Value Dispatcher::answer_itself(Call& call) {
  return call.op().derived == OpEntry::Derived::kFake ? run_rule(call.op(), call.args())
                                                      : answer_in_layout(call);
}

// What a fake calls is below autograd, but seen by FakeTensorMode again, and the result is what its
// schema says (FakeTensorMode._dispatch_impl, "Users can register FakeTensor rules for custom
// operators").
Value Dispatcher::run_rule(const OpEntry& op, std::span<const Value> args) {
  if (op.derived == OpEntry::Derived::kFake) [[unlikely]] {
    FakeCall call(context_, op, args);
    const ScopedValue seen(below_autograd_, false);
    const ScopedValue no_grad(context_.grad_enabled, false);
    const ScopedValue modes(modes_, modes_.without_above());
    return checked_result(context_, op, context_.library()->run_fake(call));
  }
  Call call(context_, op, args);
  return answer_in_layout(call);
}

uint8_t Dispatcher::stages_of(const OpEntry& op) const {
  const bool is_fake = op.derived == OpEntry::Derived::kFake;
  const bool is_composite = (op.tags & kComposite) != 0 && !is_fake;
  const bool has_env = context_.shape_env() != nullptr;
  const bool is_seen = !is_composite && !in_kernel_;  // by FakeTensorMode
  uint8_t stages = 0;
  if (!is_composite && !below_autograd_) {
    stages |= kAutograd;
    if (context_.grad_enabled) stages |= kRecord;
    if (!is_fake && zero_tensors_were_made.load(std::memory_order_relaxed)) stages |= kZeroTensors;
  }
  if (has_env && !is_fake) stages |= is_seen ? kCache | kSpecialise : kSpecialise;
  if (is_seen && modes_.below_autograd() != nullptr) stages |= kModes;
  return stages;
}

void Dispatcher::before_autograd(const Call& call) {
  const OpEntry& op = call.op();
  if (op.derived == OpEntry::Derived::kFake) return;  // autograd knows nothing of it
  if (op.derived == OpEntry::Derived::kOut) return check_out_grad(op, call.args());
  if (context_.checks_leaves && !is_intermediate(call.args(), first_of_call_))
    check_leaves(op, call.args());
  check_differentiable(op, call.args());
}

void Dispatcher::after_autograd(const Call& call, const Value& result) {
  const OpEntry& op = call.op();
  if (op.derived == OpEntry::Derived::kFake) return record_unknown(context_, call.args(), result);
  if (op.derived != OpEntry::Derived::kOut) check_differentiable_results(op, call.args(), result);
  record_history(context_, op, call.args(), result);
}

void Dispatcher::specialise(const Call& call) {
  refuse_symbols_in_real_kernel(call);
  if ((call.op().tags & kSpecializes) == 0 || context_.python_dispatcher) return;
  for (const Value& arg : call.args()) specialize(arg);
}

Value Dispatcher::dispatch(const OpEntry& op, std::span<const Value> args) {
  const Level level(*this);
  const uint8_t stages = stages_of(op);
  ArgumentRoom room;
  const std::span<const Value> complete = complete_arguments(context_, op, args, room);
  ArgumentRoom zeros;
  const bool has_zeros = (stages & kZeroTensors) != 0 && has_zero_tensor(complete);
  Call call(context_, op,
            has_zeros ? without_zero_tensors(context_, op, complete, zeros) : complete);
  if ((stages & kRecord) != 0) before_autograd(call);
  std::optional<CacheQuestions> cache;
  if ((stages & kCache) != 0) cache.emplace(call);
  if ((stages & kSpecialise) != 0) specialise(call);

  const ScopedValue below(below_autograd_, below_autograd_ || (stages & kAutograd) != 0);
  recorded_calls_ += (stages & kRecord) != 0 ? 1 : 0;
  const uint64_t recorded_before = recorded_calls_;
  Value result = (stages & kModes) != 0 ? call_modes(op, call.args()) : answer_itself(call);

  if (has_zeros && gives_zero_tensor(op, complete))
    result = new_zero_tensor(context_, result.tensor());
  if (cache) cache->ask_about(result);
  if (op.written_arguments != 0 && counts_writes(context_, op)) bump_versions(op, call.args());
  if ((stages & kRecord) != 0) {
    after_autograd(call, result);
  } else if (context_.grad_enabled && !below_autograd_ && recorded_calls_ == recorded_before) {
    record_history(context_, op, call.args(), result);  // a composite's rule that calls nothing
  }
  return result;
}

}  // namespace faketensor
