// FakeTensorMode: the boundary between callers and operators.
//
// A mode is a Context (which owns tensors and runs rules) with what users of fake tensors need
// around it: it makes fakes from descriptions, and its calls return a value or an error instead of
// throwing.
//
//   FakeTensorMode mode(*target_preset("cpu"));
//   const Value x = mode.empty(DimVector{2, 3}, DType::kFloat32);
//   const Outcome y = mode.call("aten::relu", {&x, 1});
//   if (!y.error) use(y.value.tensor());
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/ops/library.h"
#include "core/support/error.h"

namespace faketensor {

// The outcome of a call: a value, or an error with PyTorch's class and words.
struct Outcome {
  Value value;
  std::optional<Error> error;
};

class FakeTensorMode {
 public:
  explicit FakeTensorMode(const Target& target = {});

  Context& context() { return context_; }

  // The environment of the mode's symbols: a program's own, or (null) a fresh one. Without a call
  // the mode has none, and operators whose output size is data raise.
  void attach_shape_env(std::shared_ptr<ShapeEnv> shape_env);

  // The mode's custom operators.
  Library& library();

  // A fake like `meta`, which may be another mode's, on a storage of its own (the mode's
  // from_tensor for a bare tensor).
  Tensor* from_meta(const TensorMeta& meta);
  // A fake on `storage`: descriptions that share a storage become fakes that alias.
  Tensor* from_meta(const TensorMeta& meta, Storage* storage);
  // torch.empty.
  Value empty(Dims sizes, DType dtype, Device device = {}) {
    return context_.empty(sizes, dtype, device.normalized());
  }

  // Never throws an Error: it is in the outcome. An operator without a rule is an
  // UnsupportedOperatorException.
  Outcome call(OpId op, std::span<const Value> args) noexcept;
  Outcome call(std::string_view op, std::span<const Value> args);

 private:
  std::shared_ptr<ShapeEnv> shape_env_;
  std::unique_ptr<Library> library_;
  Context context_;
};

}  // namespace faketensor
