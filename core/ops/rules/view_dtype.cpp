// Views that read the same bytes as other numbers: another dtype, complex as pairs of reals, and
// the lazy conjugate and negative, which are flags.
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_view_dtype {
namespace {

std::string_view cpp_name(DType dtype) { return info(dtype).cpp_name; }

// Mirrors view_dtype, aten/src/ATen/native/TensorConversions.cpp.
Tensor* view_dtype(Call& c, const Tensor& self, DType dtype) {
  constexpr std::string_view kSizes = " (different element sizes)";
  if (dtype == self.dtype()) return c.alias(self);
  c.check(!self.is_conj(),
          "torch.Tensor.view is not supported for conjugate view tensors when converting to a "
          "different dtype.");
  c.check(!self.is_neg(),
          "torch.Tensor.view is not supported for tensors with negative bit set when converting to "
          "a different dtype.");
  const int64_t from = itemsize(self.dtype());
  const int64_t to = itemsize(dtype);
  if (from == to) return c.view_as(self, self.sizes(), self.strides(), self.offset(), dtype);
  c.check(self.dim() != 0, "self.dim() cannot be 0 to view {} as {}{}", cpp_name(self.dtype()),
          cpp_name(dtype), kSizes);
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  const size_t last = view.sizes.size() - 1;
  const auto check_last = [&] {
    c.check(view.strides[last] == 1, "self.stride(-1) must be 1 to view {} as {}{}, but got {}",
            cpp_name(self.dtype()), cpp_name(dtype), kSizes, view.strides[last]);
  };
  if (from > to) {
    check_last();
    const int64_t ratio = from / to;
    for (size_t i = 0; i < last; ++i) view.strides[i] *= ratio;
    view.sizes[last] *= ratio;
    return c.view_as(self, view.sizes, view.strides, self.offset() * ratio, dtype);
  }
  const int64_t ratio = to / from;
  const auto divided = [&](SymInt value, std::string_view what) {
    c.check(mod(value, ratio) == 0,
            "self.{} must be divisible by {} to view {} as {}{}, but got {}", what, ratio,
            cpp_name(self.dtype()), cpp_name(dtype), kSizes, value);
    return floor_div(value, ratio);
  };
  view.sizes[last] = divided(view.sizes[last], "size(-1)");
  const SymInt offset = divided(self.offset(), "storage_offset()");
  check_last();
  for (size_t i = 0; i < last; ++i) {
    view.strides[i] = divided(view.strides[i], format("stride({})", i));
  }
  return c.view_as(self, view.sizes, view.strides, offset, dtype);
}

Tensor* view_as_real(Call& c, const Tensor& self) {
  c.check(is_complex(self.dtype()), "view_as_real is only supported for complex tensors");
  c.check(!self.is_conj(),
          "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate "
          "tensor so you can view it as real, use self.resolve_conj(); however, be warned that the "
          "resulting tensor will NOT alias the original.");
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  for (SymInt& stride : view.strides) stride *= 2;
  view.sizes.push_back(2);
  view.strides.push_back(1);
  return c.view_as(self, view.sizes, view.strides, self.offset() * 2, to_real(self.dtype()));
}

Tensor* view_as_complex(Call& c, const Tensor& self) {
  const DType dtype = self.dtype();
  c.check(dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16,
          "view_as_complex is only supported for half, float and double tensors, but got a tensor "
          "of scalar type: {}",
          cpp_name(dtype));
  c.check(self.dim() != 0, "Input tensor must have one or more dimensions");
  c.check(self.size(-1) == 2, "Tensor must have a last dimension of size 2");
  c.check(self.stride(-1) == 1, "Tensor must have a last dimension with stride 1");
  Geometry view{DimVector(self.sizes()), DimVector(self.strides())};
  view.sizes.pop_back();
  view.strides.pop_back();
  for (size_t i = 0; i < view.strides.size(); ++i) {
    c.check(sym_or(view.sizes[i] == 1, mod(view.strides[i], 2) == 0),
            "Tensor must have a stride divisible by 2 for all but last dimension");
    view.strides[i] = floor_div(view.strides[i], 2);
  }
  c.check(mod(self.offset(), 2) == 0, "Tensor must have a storage_offset divisible by 2");
  return c.view_as(self, view.sizes, view.strides, floor_div(self.offset(), 2), to_complex(dtype));
}

// A view whose conj or neg flag is the other way round.
Tensor* toggled(Call& c, const Tensor& self, MetaFlag flag) {
  const auto flags = static_cast<uint16_t>((self.meta->flags() & kGivenFlags) ^ flag);
  return c.view_as(self, self.sizes(), self.strides(), self.offset(), self.dtype(), flags);
}

Tensor* conj_view(Call& c, const Tensor& self) {
  c.check(is_complex(self.dtype()), "_conj should only be called on complex tensors, but got {}",
          cpp_name(self.dtype()));
  return toggled(c, self, kConj);
}
Tensor* neg_view(Call& c, const Tensor& self) { return toggled(c, self, kNeg); }

Value conj(Call& c, const Tensor& self) {
  return is_complex(self.dtype()) ? c.call<"aten::_conj">(self) : Value(self);
}
Value resolve_conj(Call& c, const Tensor& self) {
  return self.is_conj() ? c.call<"aten::clone">(self) : Value(self);
}
Value resolve_neg(Call& c, const Tensor& self) {
  return self.is_neg() ? c.call<"aten::clone">(self) : Value(self);
}

Value real(Call& c, const Tensor& self) {
  if (!is_complex(self.dtype())) return self;
  Tensor& plain = self.is_conj() ? c.tensor<"aten::_conj">(self) : const_cast<Tensor&>(self);
  return c.call<"aten::select.int">(c.tensor<"aten::view_as_real">(plain), self.dim(), 0);
}

Value imag(Call& c, const Tensor& self) {
  c.check(is_complex(self.dtype()), "imag is not implemented for tensors with non-complex dtypes.");
  if (!self.is_conj()) {
    return c.call<"aten::select.int">(c.tensor<"aten::view_as_real">(self), self.dim(), 1);
  }
  Tensor& pairs = c.tensor<"aten::view_as_real">(c.tensor<"aten::_conj">(self));
  return c.call<"aten::select.int">(c.tensor<"aten::_neg_view">(pairs), self.dim(), 1);
}

// clang-format off
constexpr OpDef kViewDtypeRules[] = {
    {"aten::_conj(Tensor(a) self) -> Tensor(a)", rule<&conj_view>(), kView | kByCompositeExplicit},
    {"aten::_neg_view(Tensor(a) self) -> Tensor(a)", rule<&neg_view>(), kView | kByCompositeExplicit},
    {"aten::conj(Tensor(a) self) -> Tensor(a)", rule<&conj>(), kView | kComposite},
    {"aten::imag(Tensor(a) self) -> Tensor(a)", rule<&imag>(), kView | kComposite},
    {"aten::real(Tensor(a) self) -> Tensor(a)", rule<&real>(), kView | kComposite},
    {"aten::resolve_conj(Tensor(a) self) -> Tensor(a)", rule<&resolve_conj>(), kView | kComposite},
    {"aten::resolve_neg(Tensor(a) self) -> Tensor(a)", rule<&resolve_neg>(), kView | kComposite},
    {"aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", rule<&view_dtype>(), kView | kByCompositeExplicit | kDetaches},
    {"aten::view_as_complex(Tensor(a) self) -> Tensor(a)", rule<&view_as_complex>(), kView | kByMetaCpp},
    {"aten::view_as_real(Tensor(a) self) -> Tensor(a)", rule<&view_as_real>(), kView | kByMetaCpp | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_view_dtype

std::span<const OpDef> view_dtype_rules() { return rules_of_view_dtype::kViewDtypeRules; }

}  // namespace faketensor
