// inductor::*: what compiled programs call besides their kernels. Mirrors
// torch/csrc/inductor/inductor_ops.cpp.
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_inductor {
namespace {

// mm(a, b) + mm(c, d), written to `out`.
Value mm_plus_mm(Call& c, const Tensor& a, const Tensor& b, const Tensor& lhs, const Tensor& rhs,
                 Tensor& out) {
  const Tensor& product = c.tensor<"aten::mm">(a, b);
  c.call<"aten::resize_">(out, product.sizes());
  c.call<"aten::addmm">(out, lhs, rhs);
  return out;
}

// Any geometry on the same storage: a compiled program knows what it asks for. Where a stride is
// negative, the dimension is made dense instead (TensorImpl::set_sizes_and_strides).
Tensor* with_geometry(Call& c, const Tensor& self, Dims size, Dims stride, SymInt offset,
                      DType dtype) {
  c.check(size.size() == stride.size(),
          "dimensionality of sizes ({}) must match dimensionality of strides ({})", size.size(),
          stride.size());
  DimVector strides(stride);
  for (size_t i = size.size(); i-- > 0;) {
    c.check(!guard_or_false(size[i] < 0), "numel: integer multiplication overflow");
    if (!guard_or_false(stride[i] < 0)) continue;
    const bool is_last = i + 1 == size.size();
    strides[i] = is_last ? SymInt(1) : strides[i + 1] * sym_max(size[i + 1], 1);
  }
  return c.view_as(self, size, strides, offset, dtype);
}

Tensor* reinterpret(Call& c, const Tensor& self, Dims size, Dims stride, SymInt offset_increment) {
  return with_geometry(c, self, size, stride, self.offset() + offset_increment, self.dtype());
}

// The same with a dtype, at an offset in bytes, which C++ divides.
Tensor* alloc_from_pool(Call& c, const Tensor& self, int64_t offset_bytes, DType dtype, Dims size,
                        Dims stride) {
  return with_geometry(c, self, size, stride, offset_bytes / itemsize(dtype), dtype);
}

// The gradient after the accumulation, a tensor of its own.
Value accumulate_grad(Call& c, const Tensor&, Tensor* variable_grad, Tensor* new_grad) {
  if (new_grad == nullptr) return Value(variable_grad);
  if (variable_grad == nullptr) return c.call<"aten::clone">(*new_grad);
  return c.call<"aten::add.Tensor">(*variable_grad, *new_grad);
}

void resize_storage(Call& c, Tensor& variable, SymInt new_size) {
  c.check(!guard_or_false(new_size < 0), "invalid storage size {}", new_size);
  variable.storage->nbytes = new_size;
}

// clang-format off
constexpr OpDef kInductorRules[] = {
    {"inductor::_alloc_from_pool(Tensor self, int offset_bytes, ScalarType dtype, int[] size, int[] stride) -> Tensor", rule<&alloc_from_pool>(), kView | kByComposite},
    {"inductor::_mm_plus_mm(Tensor a, Tensor b, Tensor c, Tensor d, Tensor(t!) out) -> Tensor(t!)", rule<&mm_plus_mm>(), kByCompositeExplicit},
    {"inductor::_reinterpret_tensor(Tensor self, int[] size, int[] stride, int offset_increment=0) -> Tensor", rule<&reinterpret>(), kView | kByCompositeExplicit},
    {"inductor::accumulate_grad_(Tensor variable, Tensor? variable_grad, Tensor? new_grad) -> Tensor?", rule<&accumulate_grad>(), kByCompositeExplicit},
    {"inductor::resize_storage_bytes_(Tensor variable, SymInt new_size) -> ()", rule<&resize_storage>(), kByCompositeExplicit},
};
// clang-format on
}  // namespace
}  // namespace rules_of_inductor

std::span<const OpDef> inductor_rules() { return rules_of_inductor::kInductorRules; }

}  // namespace faketensor
