// ConstantTracker: fakes whose values are known.
//
// Mirrors the constants of FakeTensorMode (FakeTensor.constant, FakeTensorConverter's
// constant_storage_mapping): beside such a fake stands a real tensor, and an operator whose tensors
// all have one runs on those too, its results becoming fakes with constants. Views of a constant
// share its data, so a write through one is seen by all. A write that cannot be computed ends every
// constant on that storage. A result has a constant only if it has at most kElementLimit elements.
//
//   ConstantTracker constants(fakes, real);
//   Tensor* four = constants.fake_of(*real.from_elements({}, DType::kInt64, {{Element::of(4)}}));
//   constants.forget_aliases(*four);       // written with unknown values
#pragma once

#include <unordered_map>
#include <vector>

#include "core/mode/real_tensors.h"
#include "core/ops/context.h"

namespace faketensor {

class ConstantTracker {
 public:
  // CONSTANT_NUMEL_LIMIT, torch/_subclasses/fake_tensor.py.
  static constexpr int64_t kElementLimit = 1;

  ConstantTracker(Context& fakes, RealTensors& real) : fakes_(fakes), real_(real) {}

  RealTensors& real() { return real_; }

  // The fake with this real tensor as its constant: always the same one, on a storage that aliases
  // as the real one does.
  Tensor* fake_of(Tensor& real);

  // Makes the real tensor the constant of a fake that is there already.
  void adopt(Tensor& fake, Tensor& real);

  // FakeTensorMode.may_turn_const
  static bool may_become_constant(const Tensor& real);

  // The real tensor beside a fake; null if its values are not known.
  static Tensor* real_of(const Tensor& fake);

  // From here on no fake on the storage of this one's constant has a constant.
  void forget_aliases(const Tensor& fake);

 private:
  Context& fakes_;
  RealTensors& real_;
  std::unordered_map<const Tensor*, Tensor*> fake_of_;                // by real tensor
  std::unordered_map<const Storage*, Storage*> storages_;             // fake by real
  std::unordered_map<const Storage*, std::vector<Tensor*>> holders_;  // fakes by real storage
};

}  // namespace faketensor
