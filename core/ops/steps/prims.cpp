// Prims: what their meta functions (torch/_prims/__init__.py) allocate or make a view by.
#include "core/ops/families/prims.h"

#include "core/ops/steps/tables.h"

namespace faketensor {

namespace {

// The order of the dimensions in memory, which torch.empty_permuted is told.
DimVector physical_layout(const Tensor& tensor) {
  DimVector order;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    order.push_back(dim);
    for (size_t i = order.size() - 1; i > 0; --i) {
      const SymInt outer = tensor.stride(order[i - 1].as_int());
      if (!guard_or_false(outer < tensor.stride(order[i].as_int()))) break;
      std::swap(order[i - 1], order[i]);
    }
  }
  return order;
}

// TensorMeta(...), torch/_prims_common/__init__.py.
Value empty_strided(Call& call, const Tensor& like) {
  return call.call<"aten::empty_strided">(like.sizes(), like.strides(), like.dtype(), nullptr,
                                          like.device(), false);
}

// Mirrors _clone_meta.
Value clone(Call& c, const Tensor& self, std::optional<MemoryFormat> format) {
  if (!format || *format == MemoryFormat::kPreserve) return empty_strided(c, *c.empty_like(self));
  return c.call<"aten::empty.memory_format">(self.sizes(), self.dtype(), self.layout(),
                                             self.device(), nullptr, *format);
}

Value collapse(Call& c, const Tensor& a, int64_t start, int64_t end) {
  DimVector sizes;
  SymInt merged = 1;
  for (int64_t dim = 0; dim < a.dim(); ++dim) {
    if (dim < start || dim > end) sizes.push_back(a.size(dim));
    if (dim >= start && dim <= end) merged = merged * a.size(dim);
    if (dim == end) sizes.push_back(merged);
  }
  return c.call<"aten::new_empty">(a, sizes);
}

Value frexp(Call& c, const Tensor& self) {
  const Value mantissa = c.call<"aten::empty_like">(self);
  return c.tuple({mantissa, c.call<"aten::empty_like">(self, DType::kInt32)});
}

Value rev(Call& c, const Tensor& a) { return c.call<"aten::empty_like">(a); }

Value iota(Call& c, SymInt length, SymInt, SymInt, DType dtype, Device device, bool) {
  return c.call<"aten::empty.memory_format">(DimVector{length}, dtype, nullptr, device, false);
}

// clang-format off
constexpr StepsDef kPrimsSteps[] = {
    {"prims::_sink_tokens", {}},
    {"prims::as_strided_scatter", {}},
    {"prims::clone", rule<&clone>()},
    {"prims::collapse", rule<&collapse>()},
    {"prims::copy_strided", {}},
    {"prims::copy_to", {}},
    {"prims::empty_strided", {}},
    {"prims::frexp", rule<&frexp>()},
    {"prims::iota", rule<&iota>()},
    {"prims::resize", {}},
    {"prims::rev", rule<&rev>()},
    {"prims::uniform", {}},
};
// clang-format on

}  // namespace

Value prim_steps(Call& call, uint64_t) {
  const OpEntry& op = call.op();
  const Value answer = call.context().run_rule(op, call.args());
  if (!answer.is_tensor()) return answer;
  if ((op.tags & kView) != 0) return answer;  // by as_strided, which its rule calls
  const Tensor& result = answer.tensor();
  if (op.rule.function != &elementwise_prim) return empty_strided(call, result);
  return call.call<"aten::empty_permuted">(result.sizes(), physical_layout(result), result.dtype(),
                                           nullptr, result.device(), false);
}

std::span<const StepsDef> prims_steps() { return kPrimsSteps; }

}  // namespace faketensor
