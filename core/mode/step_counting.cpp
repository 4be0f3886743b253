#include "core/mode/step_counting.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/mode/cache_key.h"
#include "core/mode/constants.h"
#include "core/mode/fake_dispatch.h"
#include "core/mode/find_tensor.h"
#include "core/ops/arguments.h"
#include "core/ops/constant.h"
#include "core/ops/dispatch_cache.h"
#include "core/ops/library.h"
#include "core/ops/limits.h"
#include "core/ops/steps/steps.h"
#include "core/support/error.h"
#include "core/support/scoped_value.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Note [Steps beside the answer]
// Steps are calls like any other: they make tensors and symbols, decide conditions, write to their
// arguments. None of that may be seen beside the operator's own answer, so they are taken in a
// context of their own, with twins of the arguments, on a trial of the ShapeEnv (Note [Branches] in
// shape_env.h), and what they raise is left to the operator's rule to say. In there an operator is
// answered by its steps alone, as in PyTorch.
class StepCounter final : public DispatchMode, private ModeSurroundings {
 public:
  StepCounter(Context& answering, DispatchCache& cache, const CacheSurroundings& outside)
      : answering_(answering), cache_(cache), outside_(outside), context_(answering.target()) {
    context_.set_shape_env(answering.shape_env());
    context_.set_library(answering.library());
    context_.allow_dynamic_shapes = answering.allow_dynamic_shapes;
    context_.allow_scalar_outputs = answering.allow_scalar_outputs;
    context_.default_dtype = answering.default_dtype;
    context_.checks_leaves = false;
  }

  void count(const OpEntry& op, std::span<const Value> args) {
    SmallVector<Value, 16> twins;
    for (const Value& arg : args) twins.push_back(twin(arg));
    const ModeScope scope(context_, *this);
    try {
      refuse_negative_sizes(op, args);
      run_steps(context_, op, twins.span());
    } catch (const Error&) {
      // The rule raises it, with its own words.
    }
  }

  Value dispatch(const OpEntry& op, std::span<const Value> given, const NextMode& next) override;
  // Above autograd, where composites are seen: below it, where PyTorch's steps run, they are too.
  DispatchKey key() const override { return DispatchKey::kBatched; }

 private:
  // PyTorch's steps nest a dozen deep.
  static constexpr int kMaxDepth = 64;

  bool is_fake(const Tensor&) const override { return true; }
  bool is_inference(const Tensor& tensor) const override {
    const auto found = originals_.find(&tensor);
    return found == originals_.end() ? outside_.mode.in_inference_mode()
                                     : outside_.is_inference(*found->second);
  }
  bool in_inference_mode() const override { return outside_.mode.in_inference_mode(); }
  Tensor* convert(Tensor& tensor) override { return &tensor; }
  std::string cache_settings() const override { return outside_.settings; }

  void make_again(const OpEntry& op, const Value& result);
  Value twin(const Value& value);
  Tensor* twin(const Tensor& tensor);
  Value as_passed(const Value& value);
  Value answer(const OpEntry& op, std::span<const Value> args, bool is_symbolic, bool is_known,
               const NextMode& next);

  Context& answering_;
  DispatchCache& cache_;
  const CacheSurroundings& outside_;
  Context context_;
  std::unordered_map<const Tensor*, Tensor*> twins_;
  std::unordered_map<const Tensor*, const Tensor*> originals_;
  std::unordered_map<const Storage*, Storage*> storages_;
  bool is_kernel_ = false;  // a rule runs that stands for a kernel: what it calls is not seen
  int depth_ = 0;
};

Tensor* StepCounter::twin(const Tensor& tensor) {
  Tensor*& known = twins_[&tensor];
  if (known != nullptr) return known;
  if (tensor.is_wrapped_number) return known = context_.wrap_number(tensor.constant->number());
  Storage* storage = nullptr;
  if (tensor.storage != nullptr) {
    Storage*& copy = storages_[tensor.storage];
    if (copy == nullptr)
      copy = context_.make_storage(tensor.storage->device, tensor.storage->nbytes);
    storage = copy;
  }
  known = context_.make_tensor(context_.metas().intern(tensor.meta->spec()), storage);
  known->constant = tensor.constant;
  originals_[known] = &tensor;
  for (const Memo kind : {Memo::kItem, Memo::kNonzero, Memo::kUnique, Memo::kUniqueConsecutive}) {
    const Value memo = answering_.memos().find(tensor, kind);
    if (!memo.is_none()) context_.memos().set(*known, kind, memo);
  }
  return known;
}

Value StepCounter::twin(const Value& value) {
  if (value.is_tensor()) return twin(value.tensor());
  if (!value.is(Value::Tag::kList)) return value;
  std::vector<Value> elements;
  for (const Value& element : value.values()) elements.push_back(twin(element));
  return context_.make_list(elements);
}

Value StepCounter::as_passed(const Value& value) {
  if (value.is(Value::Tag::kIntList)) return context_.make_ints(numbers_now(value.ints()));
  if (!value.is(Value::Tag::kInt)) return value;
  const SymInt number = value.as_sym_int();
  return numbers_now({&number, 1})[0];
}

Value StepCounter::answer(const OpEntry& op, std::span<const Value> args, bool is_symbolic,
                          bool is_known, const NextMode& next) {
  const Steps* steps = is_known ? nullptr : steps_of(op.id);
  if (steps == nullptr || !steps->are_taken(is_symbolic)) {
    const ScopedValue kernel(is_kernel_, true);
    return next(op, args);
  }
  if (depth_ == kMaxDepth) throw_error(ErrorKind::kLimitExceeded, "steps nest too deep");
  if (context_.tensor_count() > kMaxTensorsPerCall)
    throw_error(ErrorKind::kLimitExceeded, "steps make too many tensors");
  const ScopedValue deeper(depth_, depth_ + 1);
  Call call(context_, op, args);
  const CacheQuestions questions(call);
  const Value result = run_steps(context_, op, args);
  questions.ask_about(result);
  return result;
}

Value StepCounter::dispatch(const OpEntry& op, std::span<const Value> given, const NextMode& next) {
  if (is_kernel_ || context_.in_kernel()) return next(op, given);
  ArgumentRoom room;
  SmallVector<Value, 16> args;
  for (const Value& arg : complete_arguments(context_, op, given, room))
    args.push_back(as_passed(arg));
  const CacheSurroundings surroundings{context_, outside_.settings, *this};
  const ShapeEnv* env = context_.shape_env();
  const CachedCall call = describe_call(op, args.span(), surroundings);
  const std::vector<const ExprNode*> symbols = symbols_of(args.span());
  const DispatchCache::Found found = cache_.find(call, env);
  const bool is_given = found == DispatchCache::Found::kHit;
  Value result = answer(op, args.span(), call.is_symbolic, is_given, next);
  if (is_given && call.is_symbolic) make_again(op, result);
  if (found == DispatchCache::Found::kNothing) {
    cache_.keep(call, kept_bypass(op, args.span(), symbols, result, call.is_symbolic), env);
  }
  return result;
}

// What the cache gives is made by torch.empty_strided: sizes that are known are numbers in it.
void StepCounter::make_again(const OpEntry& op, const Value& result) {
  if (result.is_tensor() && (op.tags & kView) == 0 && op.written_arguments == 0) {
    MetaSpec spec = result.tensor().meta->spec();
    const DimVector sizes = numbers_now(spec.sizes);
    const DimVector strides = numbers_now(spec.strides);
    spec.sizes = sizes;
    spec.strides = strides;
    result.tensor().meta = context_.metas().intern(spec);
  }
  set_cached_bytes(op, result);
}

// Whether constants or a conversion answer in the steps' place (FakeTensorMode._dispatch_impl).
bool is_answered_before(const OpEntry& op, std::span<const Value> args, const Context& context) {
  bool has_tensor = false;
  bool has_unknown = false;
  bool has_stranger = false;
  for_each_tensor(args, [&](const Tensor& tensor) {
    has_tensor = true;
    has_stranger = has_stranger || !context.owns(tensor);
    has_unknown = has_unknown || ConstantTracker::real_of(tensor) == nullptr;
  });
  if (op.facts.has(kLift) && has_stranger) return true;
  return has_tensor && !has_unknown && (op.tags & (kRandom | kInplaceView)) == 0;
}

}  // namespace

void count_steps(Context& context, const OpEntry& op, std::span<const Value> args,
                 DispatchCache& cache, const CacheSurroundings& surroundings) {
  const Steps* steps = op.derived == OpEntry::Derived::kFake ? nullptr : steps_of(op.id);
  if (steps == nullptr) return;
  bool is_symbolic = false;
  for (const Value& arg : args) is_symbolic = is_symbolic || has_symbol(arg);
  if (!steps->are_taken(is_symbolic) || is_answered_before(op, args, context)) return;
  ShapeEnv* env = context.shape_env();
  std::optional<BranchScope> trial;
  if (env != nullptr) trial.emplace(*env, env->make_trial());
  StepCounter(context, cache, surroundings).count(op, args);
}

}  // namespace faketensor
