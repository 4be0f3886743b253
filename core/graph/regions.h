// Regions: what a graph turns on for the nodes that follow, or for the body of an operator.
//
// A torch.autocast region is an operator with a body (wrap_with_autocast), or entered and left by
// nodes of its own (state_switch.cpp), as vmap is (torch._functorch.predispatch). Both are modes above autograd, entered with
// the first region of their kind.
#pragma once

#include <optional>
#include <utility>
#include <vector>

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
  // For nodes that enter and leave it.
  void enter_autocast(Autocast autocast, bool enabled) {
    AutocastRegions& regions = this->autocast();
    entered_.emplace_back(autocast.device, regions.set(autocast.device, {enabled, autocast.lower}));
  }
  // The one that was entered last; what is entered nowhere is left by nothing.
  void exit_autocast() {
    if (entered_.empty()) return;
    autocast_.set(entered_.back().first, entered_.back().second);
    entered_.pop_back();
  }
  Vmap& vmap() {
    if (!vmap_entered_) vmap_entered_.emplace(context_, vmap_);
    return vmap_;
  }

 private:
  Context& context_;
  AutocastRegions autocast_;
  Vmap vmap_;
  // What was before, of each region that a node has entered.
  std::vector<std::pair<DeviceType, AutocastRegions::Region>> entered_;
  std::optional<ModeScope> autocast_entered_;
  std::optional<ModeScope> vmap_entered_;
};

}  // namespace faketensor
