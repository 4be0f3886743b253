// Regions: what a graph turns on for the nodes that follow, or for the body of an operator.
//
// torch.autocast regions are operators with a body (wrap_with_autocast); vmap is entered and left
// by nodes of their own (torch._functorch.predispatch). Both change how operators are dispatched:
// they see a context's calls before it does, vmap first.
#pragma once

#include "core/mode/autocast.h"
#include "core/mode/vmap.h"

namespace faketensor {

class Regions {
 public:
  explicit Regions(Context& context)
      : context_(context), autocast_(context), vmap_(context, autocast_) {}
  ~Regions() {
    if (is_hooked_) context_.set_call_hook(before_);
  }
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  AutocastRegions& autocast() {
    hook();
    return autocast_;
  }
  Vmap& vmap() {
    hook();
    return vmap_;
  }

 private:
  void hook() {
    if (!std::exchange(is_hooked_, true)) before_ = context_.set_call_hook(&vmap_);
  }

  Context& context_;
  AutocastRegions autocast_;
  Vmap vmap_;
  CallHook* before_ = nullptr;
  bool is_hooked_ = false;
};

}  // namespace faketensor
