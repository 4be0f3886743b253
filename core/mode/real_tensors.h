// RealTensors: tensors whose data is known, and operators that compute on it.
//
// What PyTorch keeps beside a fake as its constant is a real tensor, and so are the tensors that a
// program made outside all modes. Their shapes come from the operators' rules, as those of fakes
// do. Their data is computed where the result has one element (element_ops.h), as many as a
// constant may have. Data that is not known (uninitialised, random, computed by an operator without
// arithmetic here) makes all that is computed from it unknown. Views share their base's data: a
// write through one is seen by all.
//
//   RealTensors real(target);
//   Tensor* four = real.from_elements({}, DType::kInt64, {{Element::of(4)}});
//   Value eight = real.run(add, {{four, four, 1}});       // real.element(*eight).integer == 8
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/mode/element.h"
#include "core/ops/context.h"

namespace faketensor {

struct ElementOperand;

class RealTensors : private DispatchMode {
 public:
  explicit RealTensors(const Target& target);

  Context& context() { return context_; }

  // A contiguous tensor with data in row-major order. Raises NotImplementedError for a dtype whose
  // data is not known.
  Tensor* from_elements(Dims sizes, DType dtype, std::span<const Element> data);

  // A tensor like `spec` on a new storage of zeros.
  Tensor* zeros(const MetaSpec& spec, SymInt storage_bytes);

  bool is_known(const Tensor& tensor) const;
  // Element number `at` in row-major order, of a tensor whose data is known.
  Element element(const Tensor& tensor, int64_t at = 0) const;

  // An operator below autograd, with complete arguments: its rule, then its data.
  Value run(const OpEntry& op, std::span<const Value> args) {
    return context_.call_modes(op, args);
  }
  // Whether `run` would know the data of the results.
  bool knows(const OpEntry& op, std::span<const Value> args);

 private:
  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override;
  Sees sees() const override { return Sees::kFakes; }
  std::optional<Value> scalar(const OpEntry& op, std::span<const Value> args);
  std::optional<std::vector<ElementOperand>> operands(const OpEntry& op,
                                                      std::span<const Value> args);
  void write(const Tensor& tensor, std::optional<Element> element);

  Context context_;
  const ModeScope entered_;
  std::unordered_map<const Storage*, std::vector<std::byte>> data_;
};

}  // namespace faketensor
