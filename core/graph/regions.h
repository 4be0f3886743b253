// Regions: what a graph turns on for the nodes that follow, or for the body of an operator.
//
// A torch.autocast region is an operator with a body (wrap_with_autocast); vmap is entered and left
// by nodes of their own (torch._functorch.predispatch). Both are modes above autograd, entered with
// the first region of their kind.
#pragma once

#include <optional>

#include "core/mode/autocast.h"
#include "core/mode/vmap.h"

namespace faketensor {

class Regions {
 public:
  explicit Regions(Context& context) : context_(context), autocast_(context), vmap_(context) {}

  AutocastRegions& autocast() {
    if (!autocast_entered_) autocast_entered_.emplace(context_, autocast_);
    return autocast_;
  }
  Vmap& vmap() {
    if (!vmap_entered_) vmap_entered_.emplace(context_, vmap_);
    return vmap_;
  }

 private:
  Context& context_;
  AutocastRegions autocast_;
  Vmap vmap_;
  std::optional<ModeScope> autocast_entered_;
  std::optional<ModeScope> vmap_entered_;
};

}  // namespace faketensor
