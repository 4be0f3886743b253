// OnMeta: a call's tensors as a kernel sees them, all on the meta device.
//
// FakeTensorMode runs meta kernels with in_kernel_invocation set, under which a fake tensor reports
// the meta device. For most operators that cannot be told from one common device; list operators
// pick the device of each result only afterwards, and others find out that there is none only when
// the kernel has made its own checks. While an OnMeta lives, the tensors among `values` (and in
// lists among them) are on the meta device, if they are on several; then they are where they were,
// with what was changed about them.
//
//   const OnMeta scope(c.context(), c.args());
//   c.call<"aten::add_.Tensor">(on_cpu, on_cuda);
#pragma once

#include <algorithm>
#include <span>

#include "core/ops/call.h"

namespace faketensor {

class OnMeta {
 public:
  OnMeta(Context& context, std::span<const Value> values) : context_(context) {
    for (const Value& value : values) {
      if (!value.is(Value::Tag::kList)) {
        add(value);
        continue;
      }
      for (const Value& element : value.values()) add(element);
    }
    if (!is_needed()) moved_.clear();
    for (const Moved& moved : moved_) place(*moved.tensor, Device{DeviceType::kMeta});
  }
  ~OnMeta() {
    for (const Moved& moved : moved_) place(*moved.tensor, moved.device);
  }
  OnMeta(const OnMeta&) = delete;
  OnMeta& operator=(const OnMeta&) = delete;

  // Whether the tensors were on several devices.
  bool is_needed() const {
    return std::any_of(moved_.begin(), moved_.end(),
                       [&](const Moved& moved) { return moved.device != moved_.front().device; });
  }

 private:
  struct Moved {
    Tensor* tensor;
    Device device;
  };

  void add(const Value& value) {
    if (!value.is_tensor() || value.tensor().is_wrapped_number) return;
    moved_.push_back({&value.tensor(), value.tensor().device()});
  }
  void place(Tensor& tensor, Device device) {
    MetaSpec spec = tensor.meta->spec();
    spec.device = device;
    tensor.meta = context_.metas().intern(spec);
  }

  Context& context_;
  SmallVector<Moved, 8> moved_;
};

}  // namespace faketensor
