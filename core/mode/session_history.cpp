// What autograd would say and remember of a session's calls: who is a leaf, which node a tensor
// has, and what may not be written to.
#include <array>

#include "core/mode/find_tensor.h"
#include "core/mode/grad_fn.h"
#include "core/mode/session.h"
#include "core/ops/arguments.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

// Mirrors check_inplace, torch/csrc/autograd/VariableTypeUtils.h, and detach_.
void Session::check_inplace(const OpEntry& op, std::span<const Value> args) {
  const bool detaches = op.facts.has(kEndsHistory) && op.written_arguments != 0;
  if (detaches && args[0].is_tensor() && args[0].tensor().base != nullptr)
    throw_error(ErrorKind::kRuntimeError,
                "Can't detach views in-place. Use detach() instead. If you are using "
                "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as "
                "True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
                "these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
                "function in torch/optim/optimizer.py as the solution.");
  if (!records_history() || !is_differentiable_inplace(op, args)) return;
  const Tensor& tensor = args[0].tensor();
  const auto requires_grad = [](const Tensor& arg) { return arg.meta->has(kRequiresGrad); };
  const TensorState& known = state(tensor);
  if (known.part >= 0 && find_tensor(args, requires_grad) != nullptr)
    throw_error(ErrorKind::kRuntimeError,
                format("Output {} of {} is a view and is being modified inplace. This view is the "
                       "output of a function that returns multiple views. Such functions do not "
                       "allow the output views to be modified inplace. You should replace the "
                       "inplace operation by an out-of-place one.",
                       known.part, known.view_fn.substr(0, known.view_fn.find("Backward"))));
  if (!requires_grad(tensor)) return;
  if (op.facts.has(kResizes))
    throw_error(ErrorKind::kRuntimeError, "cannot resize variables that require grad");
  if (is_leaf(tensor.base != nullptr ? *tensor.base : tensor)) check_leaf(tensor);
}

bool Session::records_history() const {
  return !is_inside(SessionScope::kNoGrad) && !is_inside(SessionScope::kInference);
}

void Session::set_flag(Tensor& tensor, uint16_t flag, bool value) {
  SessionMode* mode = mode_of(tensor);
  MetaTable& metas = (mode != nullptr ? mode->context() : real_.context()).metas();
  MetaSpec spec = tensor.meta->spec();
  const unsigned flags = value ? spec.flags | flag : spec.flags & ~unsigned{flag};
  spec.flags = static_cast<uint16_t>(flags);
  tensor.meta = metas.intern(spec);
}

// The history of what an operator wrote to. Of a view it is that of its base, a node that copies
// slices, and the view is made from it again (rebase_history, torch/csrc/autograd/variable.cpp).
void Session::record_write(const OpEntry& op, Tensor& tensor) {
  if (op.facts.has(kEndsHistory)) {
    state(tensor).grad_fn.clear();
    return;
  }
  if (!records_history() || !is_differentiable_inplace(op, {std::array{Value(tensor)}})) return;
  if (!tensor.meta->has(kRequiresGrad)) return;
  TensorState& known = state(tensor);
  if (tensor.base == nullptr || (op.tags & kInplaceView) != 0) {
    known.grad_fn = grad_fn_name(op);
    return;
  }
  known.grad_fn = known.view_fn.empty() ? "AsStridedBackward0" : known.view_fn;
  set_flag(*tensor.base, kRequiresGrad, true);
  state(*tensor.base).grad_fn = "CopySlices";
}

// Notes of results whether they are inference tensors, and their autograd nodes.
void Session::record(const OpEntry& op, std::span<const Value> args, const Value& result) {
  if (result.is(Value::Tag::kList)) {
    const bool is_list = op.schema.returns.size() == 1;
    for (size_t i = 0; i < result.size(); ++i) {
      const Value& part = result.values()[i];
      record(op, args, part);
      if (is_list && part.is_tensor() && part.tensor().base != nullptr)
        state(part.tensor()).part = static_cast<int64_t>(i);
    }
    return;
  }
  if (!result.is_tensor()) return;
  Tensor& tensor = result.tensor();
  if (find_tensor(args, [&](const Tensor& arg) { return &arg == &tensor; }) != nullptr) {
    // Written in place, or returned as it came.
    if (!op.schema.arguments.empty() && op.schema.arguments[0].is_written())
      record_write(op, tensor);
    return;
  }
  TensorState& known = state(tensor);
  const Tensor* viewed = find_tensor(args, [&](const Tensor& arg) {
    return arg.storage != nullptr && arg.storage == tensor.storage;
  });
  known.is_inference =
      viewed != nullptr ? state(*viewed).is_inference : is_inside(SessionScope::kInference);
  if (op.facts.has(kEndsHistory) && viewed != nullptr) {
    // No view to autograd, though it shares the storage and the count of writes.
    known.placements = state(viewed->base != nullptr ? *viewed->base : *viewed).placements;
    tensor.base = nullptr;
  }
  if (viewed != nullptr) {
    known.view_fn = grad_fn_name(op);
  }
  if (!tensor.meta->has(kRequiresGrad)) return;
  known.grad_fn = grad_fn_name(op);
  find_tensor(args, [&](const Tensor& arg) {
    if (arg.meta->has(kRequiresGrad)) known.inputs.push_back(const_cast<Tensor*>(&arg));
    return false;
  });
}

}  // namespace faketensor
