#include "core/ops/families/expand.h"

namespace faketensor {

DimVector expanded_sizes(Call& c, const Tensor& self, Dims size) {
  c.check(size.size() >= self.sizes().size(),
          "expand: the requested shape has too few dimensions!");
  const size_t added = size.size() - self.sizes().size();
  DimVector sizes(size);
  for (size_t i = added; i < size.size(); ++i) {
    const SymInt own = self.sizes()[i - added];
    if (guard_or_false(size[i] == -1)) {
      sizes[i] = own;
      continue;
    }
    c.check(sym_or(own == 1, size[i] == own),
            "expand: attempting to expand a dimension of length {} -> {}!", own, size[i]);
    c.check(size[i] >= 0, "");
  }
  for (const SymInt length : sizes) c.check(length >= 0, "");
  return sizes;
}

DimVector broadcast_strides(Call& c, const Tensor& self, Dims sizes) {
  const size_t added = sizes.size() - self.sizes().size();
  for (size_t i = added; i < sizes.size(); ++i) {
    const SymInt own = self.sizes()[i - added];
    c.check(sym_or(own == 1, sizes[i] == own), "{} must be broadcastable to {}", own, sizes[i]);
  }
  DimVector strides;
  for (size_t i = 0; i < added; ++i) {
    if (guard_or_true(sizes[i] != 1)) {
      strides.push_back(0);
    } else {
      strides.push_back(self.dim() == 0 ? SymInt(1) : self.strides()[0] * self.sizes()[0]);
    }
  }
  for (size_t i = added; i < sizes.size(); ++i) {
    const SymInt own = self.sizes()[i - added];
    const bool one = guard_or_false(own == 1);
    if (!one)
      c.check(own == sizes[i], "non-broadcasting semantics require {} == {}", own, sizes[i]);
    const bool kept = !one || guard_or_false(own == sizes[i]);
    strides.push_back(kept ? self.strides()[i - added] : SymInt(0));
  }
  return strides;
}

}  // namespace faketensor
