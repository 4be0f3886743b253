// Matrix products.
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace {

// Mirrors meta_mm, torch/_meta_registrations.py.
Tensor* mm(Call& c, const Tensor& self, const Tensor& mat2) {
  c.check(self.dim() == 2, "a must be 2D");
  c.check(mat2.dim() == 2, "b must be 2D");
  const SymInt n = self.size(0);
  const SymInt m1 = self.size(1);
  const SymInt m2 = mat2.size(0);
  const SymInt p = mat2.size(1);
  c.check(m1 == m2, "a and b must have same reduction dim, but got [{}, {}] X [{}, {}].", n, m1, m2,
          p);
  return c.empty({n, p}, self.dtype());
}

// clang-format off
constexpr OpDef kMatmul[] = {
    {"aten::mm(Tensor self, Tensor mat2) -> Tensor", rule<&mm>()},
};
// clang-format on
}  // namespace

std::span<const OpDef> matmul_rules() { return kMatmul; }

}  // namespace faketensor
