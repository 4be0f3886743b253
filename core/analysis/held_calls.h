// HeldCalls: operators called with what they bring counted in a ledger, as gradients are computed.
//
// A Term is a value with a share in the storages of its tensors: what an expression has computed
// lives until nothing refers to it, as tensors in PyTorch's C++ do. What a composite operator brings
// on its way lives until its call ends.
//
//   HeldCalls calls(context, ledger);
//   const Term sum = calls.call("add.Tensor", {a, b});
#pragma once

#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/storage_ledger.h"
#include "core/ops/context.h"

namespace faketensor {

// A value, with the tensors in it held.
struct Term {
  Value value;
  std::vector<HeldTensor> holds;

  bool is_tensor() const { return value.is_tensor(); }
  Tensor& tensor() const { return value.tensor(); }
};

class HeldCalls final : public DispatchMode {
 public:
  HeldCalls(Context& context, StorageLedger& ledger) : context_(context), ledger_(ledger) {}

  // What is brought from now on is of this kind.
  void set_kind(MemoryKind kind) { kind_ = kind; }
  // By the name of an operator of aten. Arguments in schema order. Throws Error.
  Term call(std::string_view op, std::span<const Term> args);
  Term call(std::string_view op, std::initializer_list<Term> args) {
    return call(op, std::span<const Term>(args.begin(), args.size()));
  }
  // A share in a tensor's storage; the same one while there is one.
  HeldTensor hold(Tensor& tensor);
  Term term(Tensor& tensor) { return {tensor, {hold(tensor)}}; }
  // The terms as a list, which may have unset places (None).
  Term list(std::span<const Term> terms);

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;

  Context& context() { return context_; }
  StorageLedger& ledger() { return ledger_; }

 private:
  Context& context_;
  StorageLedger& ledger_;
  MemoryKind kind_ = MemoryKind::kTemporary;
  std::unordered_map<const Tensor*, std::weak_ptr<const TensorHold>> holds_;
  std::unordered_map<std::string_view, OpId> ids_;
  std::vector<HeldTensor> brought_;  // by the call that runs
};

}  // namespace faketensor
