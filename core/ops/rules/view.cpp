// Views: operators whose result shares the storage of their input.
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

// Mirrors _view_meta, torch/_subclasses/fake_impls.py.
Tensor* view(Call& c, const Tensor& self, Dims size) {
  const DimVector sizes = infer_shape(size, self.numel());
  const auto strides = view_strides(self.sizes(), self.strides(), sizes);
  c.check(strides.has_value(),
          "Cannot view a tensor with shape torch.Size({}) and strides ({}) as a tensor with shape "
          "({})!",
          self.sizes(), self.strides(), sizes.span());
  return c.view(self, sizes, *strides);
}

// Mirrors transpose, aten/src/ATen/native/TensorShape.cpp.
Tensor* transpose(Call& c, const Tensor& self, int64_t dim0, int64_t dim1) {
  const auto a = static_cast<size_t>(wrap_dim(dim0, self.dim()));
  const auto b = static_cast<size_t>(wrap_dim(dim1, self.dim()));
  if (a == b) return c.alias(self);
  DimVector sizes(self.sizes());
  DimVector strides(self.strides());
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return c.view(self, sizes, strides);
}

// clang-format off
constexpr OpDef kViewRules[] = {
    {"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", rule<&transpose>(), OpTag::kView},
    {"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", rule<&view>(), OpTag::kView},
};
// clang-format on
}  // namespace

std::span<const OpDef> view_rules() { return kViewRules; }

}  // namespace faketensor
