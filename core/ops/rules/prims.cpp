// Prims that copy, convert, reduce, transform or make tensors.
#include "core/ops/families/prims.h"

#include <algorithm>

#include "core/ops/families/linalg.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_prims {
namespace {

// --- copies and conversions ---

// Mirrors _clone_meta.
Tensor* clone(Call& c, const Tensor& self, std::optional<MemoryFormat> format) {
  const MemoryFormat wanted = format.value_or(MemoryFormat::kPreserve);
  if (wanted != MemoryFormat::kPreserve) return c.empty_like(self, {}, wanted);
  return c.context().empty(self.sizes(), self.dtype(), self.device(),
                           elementwise_output_strides(self));
}

// Mirrors _conj_physical_meta.
Tensor* conj_physical(Call& c, const Tensor& self) {
  c.check(is_complex(self.dtype()), "prims.conj_physical is only defined for complex dtypes");
  return c.context().empty(self.sizes(), self.dtype(), self.device(),
                           elementwise_output_strides(self));
}

// Mirrors _convert_element_type_meta.
Tensor* convert_element_type(Call& c, const Tensor& a, DType dtype) {
  const DimVector strides = is_non_overlapping_and_dense_or_false(a.sizes(), a.strides())
                                ? DimVector(a.strides())
                                : elementwise_output_strides(a);
  return c.context().empty(a.sizes(), dtype, a.device(), strides);
}

// Mirrors _device_put_meta: strides stay as they are, gaps included.
Tensor* device_put(Call& c, const Tensor& a, Device device) {
  return c.context().empty(a.sizes(), a.dtype(), device.normalized(), a.strides());
}

// The argument itself; where autograd records, a view of it, because prims are autograd functions
// (backwards_not_supported, torch/_prims_common/wrappers.py).
Value handed_through(Call& c, const Tensor& a) {
  bool records = false;
  for (const Value& arg : c.args()) {
    records = records || (arg.is_tensor() && arg.tensor().meta->has(kRequiresGrad));
  }
  return c.context().grad_enabled && records ? Value(c.alias(a)) : Value(a);
}

// Mirrors _copy_to_meta.
Value copy_to(Call& c, const Tensor& a, const Tensor& b) {
  c.check(!guard_bool(a.numel() != b.numel()),
          "Attempting to copy {} elements to a tensor with {} elements!", b.numel(), a.numel());
  return handed_through(c, a);
}

Tensor* copy_strided(Call& c, const Tensor& a, Dims stride) {
  return fresh_strided(c, a.sizes(), stride, a.dtype(), a.device());
}

Value resize(Call& c, const Tensor& a, Dims shape) {
  return handed_through(c, c.tensor<"aten::resize_">(a, shape));
}

Value frexp(Call& c, const Tensor& self) {
  c.check(is_floating(self.dtype()), "torch.frexp() only supports floating-point dtypes");
  return c.tuple({c.empty_like(self), c.empty_like(self, DType::kInt32)});
}

// Mirrors _item_meta, _maximum_value_meta and _minimum_value_meta: the meta function answers a
// tensor where the schema has a number.
void value_of_tensor(Call& c) {
  c.fail(ErrorKind::kRuntimeError, "Cannot cast FakeTensor(..., size=()) to number");
}

// --- reductions ---

// Mirrors _reduction_meta: dimensions are counted from the front and may be named twice.
Tensor* reduced(Call& c, const Tensor& inp, const Value& dims, DType dtype) {
  c.check_as(ErrorKind::kTypeError, !dims.is_none(), "'NoneType' object is not iterable");
  SmallVector<bool, 16> removed(inp.sizes().size(), false);
  for (const SymInt place : dims.ints()) {
    const int64_t dim = guard_int(place);
    check_index(c, inp.dim(), dim);
    if (dim < inp.dim()) removed[static_cast<size_t>(dim)] = true;
  }
  DimVector sizes;
  for (size_t i = 0; i < inp.sizes().size(); ++i) {
    if (!removed[i]) sizes.push_back(inp.sizes()[i]);
  }
  return c.context().empty(sizes, dtype, inp.device());
}
Tensor* reduction(Call& c, const Tensor& inp, const Value& dims, std::optional<DType> dtype) {
  return reduced(c, inp, dims, dtype.value_or(inp.dtype()));
}
// Mirrors _var_reduction_meta.
Tensor* var(Call& c, const Tensor& inp, const Value& dims, const Value&,
            std::optional<DType> dtype) {
  c.check_as(ErrorKind::kTypeError, !dtype,
             "_var_reduction_meta() got an unexpected keyword argument 'output_dtype'");
  return reduced(c, inp, dims, to_real(inp.dtype()));
}

// --- factories ---

Tensor* empty(Call& c, Dims shape, DType dtype, Device device) {
  return fresh_contiguous(c, shape, dtype, device);
}
Tensor* full(Call& c, Dims shape, const Value&, DType dtype, Device device) {
  return fresh_contiguous(c, shape, dtype, device);
}
Tensor* empty_strided(Call& c, Dims shape, Dims strides, DType dtype, Device device) {
  return fresh_strided(c, shape, strides, dtype, device);
}
Tensor* uniform(Call& c, Dims shape, const Value&, const Value&, DType dtype, Device device,
                Dims stride) {
  return fresh_strided(c, shape, stride, dtype, device);
}

// Mirrors _empty_permuted_meta, which takes the sizes in physical order before it checks it.
Tensor* empty_permuted(Call& c, Dims shape, Dims physical_layout, DType dtype, Device device) {
  const auto rank = static_cast<int64_t>(shape.size());
  for (const SymInt place : physical_layout) {
    const int64_t dim = guard_int(place);
    c.check_as(ErrorKind::kIndexError, dim >= -rank && dim < rank, "list index out of range");
    check_shape(c, shape.subspan(static_cast<size_t>(dim < 0 ? dim + rank : dim), 1));
  }
  c.check(physical_layout.size() == shape.size(),
          "Number of dimensions in the tensor input does not match the length of the physical "
          "layout; i.e. len(size) = {} is not equal to len(physical_layout) = {}",
          shape.size(), physical_layout.size());
  return &c.tensor<"aten::empty_permuted">(shape, physical_layout, dtype, nullptr, device, nullptr);
}

// Mirrors _full_like_meta.
Tensor* full_like(Call& c, const Tensor& a, const Value&, DType dtype, Device device) {
  const DimVector strides =
      guard_bool(a.numel() == 0) ? DimVector(a.strides()) : elementwise_output_strides(a);
  return c.context().empty(a.sizes(), dtype, device.normalized(), strides);
}

// Mirrors _scalar_tensor_meta, whose keywords have no defaults.
Tensor* scalar_tensor(Call& c, const Value&, std::optional<DType> dtype,
                      std::optional<Device> device) {
  constexpr auto kTypeError = ErrorKind::kTypeError;
  c.check_as(kTypeError, dtype || device,
             "_scalar_tensor_meta() missing 2 required keyword-only arguments: 'dtype' and "
             "'device'");
  c.check_as(kTypeError, dtype && device,
             "_scalar_tensor_meta() missing 1 required keyword-only argument: '{}'",
             dtype ? "device" : "dtype");
  return c.empty_on(*device, {}, *dtype);
}

// Mirrors _iota_meta.
Tensor* iota(Call& c, SymInt length, SymInt, SymInt step, DType dtype, Device device,
             bool requires_grad) {
  c.check(is_integral(dtype), "prims.iota only supports integer dtypes");
  c.check(step != 0, "step must be nonzero");
  Tensor* result = c.empty_on(device, {&length, 1}, dtype);
  c.check(!requires_grad, "Only Tensors of floating point and complex dtype can require gradients");
  return result;
}

// Mirrors _normal_meta.
Tensor* normal(Call& c, Dims shape, const Value&, const Value& std, DType dtype, Device device) {
  const bool is_negative = !std.is(Value::Tag::kComplex) && std.to_double() < 0.0;
  c.check(!is_negative, "expected non-negative standard deviation, but got std={}", std);
  c.check(is_float_or_complex(dtype),
          "expected a floating-point or complex dtype, but got dtype={}", dtype);
  return fresh_contiguous(c, shape, dtype, device);
}

Tensor* make_token(Call& c) { return c.empty({0}, c.context().default_dtype); }
void sink_tokens(Call&, TensorList) {}

// --- linear algebra and Fourier transforms ---

// Mirrors _svd_meta.
Value svd(Call& c, const Tensor& a, bool full_matrices) {
  c.check(a.dim() >= 2, "linalg.svd: The input tensor A must have at least 2 dimensions.");
  c.check(is_float_or_complex(a.dtype()),
          "linalg.svd: Expected a floating point or complex tensor as input. Got {}", a.dtype());
  c.check(!is_reduced_floating(a.dtype()) && a.dtype() != DType::kComplex32,
          "linalg.svd: Half precision dtypes not supported. Got {}", a.dtype());
  const Dims batch = a.sizes().first(a.sizes().size() - 2);
  const SymInt m = a.size(-2);
  const SymInt n = a.size(-1);
  const SymInt k = sym_min(m, n);
  const auto sizes = [&](std::initializer_list<SymInt> last) {
    DimVector result(batch);
    result.append({last.begin(), last.size()});
    return result;
  };
  const DimVector u = sizes({m, full_matrices ? m : k});
  const DimVector vh = sizes({full_matrices ? n : k, n});
  const bool is_cuda = a.device().type == DeviceType::kCUDA;
  const DimVector vh_strides = is_cuda ? contiguous_strides(vh) : column_major_strides(vh);
  Tensor* v = c.context().empty(vh, a.dtype(), a.device(), vh_strides);
  if (c.target().has_gpu() && is_complex(a.dtype()) && guard_bool(a.numel() != 0)) {
    v = &c.tensor<"aten::conj">(*v);
  }
  return c.tuple({c.context().empty(u, a.dtype(), a.device(), column_major_strides(u)),
                  c.context().empty(sizes({k}), to_real(a.dtype()), a.device()), v});
}

// The transformed dimensions, wrapped, none of them twice.
SmallVector<int64_t, 8> transformed_dims(const Call& c, const Tensor& self, Dims dim) {
  SmallVector<int64_t, 8> dims;
  for (const SymInt place : dim) dims.push_back(wrap_dim(guard_int(place), self.dim()));
  SmallVector<int64_t, 8> sorted(dims);
  std::sort(sorted.begin(), sorted.end());
  const bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  c.check(!repeated, "duplicate value in the list of dims");
  return dims;
}

// The last of the transformed dimensions, where the other side has half as many numbers.
SymInt& last_size(const Call& c, const Tensor& self, Dims dim, DimVector& sizes) {
  const SmallVector<int64_t, 8> dims = transformed_dims(c, self, dim);
  c.check_as(ErrorKind::kIndexError, !dims.empty(), "tuple index out of range");
  c.check_as(ErrorKind::kIndexError, !sizes.empty(), "list index out of range");
  return sizes[static_cast<size_t>(dims.back())];
}

// Mirrors _fft_r2c_meta.
Tensor* fft_r2c(Call& c, const Tensor& self, Dims dim, bool onesided) {
  DimVector sizes(self.sizes());
  if (onesided) {
    SymInt& last = last_size(c, self, dim, sizes);
    last = floor_div(last, 2) + 1;
  } else {
    transformed_dims(c, self, dim);
  }
  c.check(is_floating(self.dtype()), "{}", self.dtype());
  return c.context().empty(sizes, to_complex(self.dtype()), self.device());
}
// Mirrors _fft_c2c_meta.
Tensor* fft_c2c(Call& c, const Tensor& self, Dims dim) {
  transformed_dims(c, self, dim);
  return c.context().empty(self.sizes(), self.dtype(), self.device());
}
// Mirrors _fft_c2r_meta.
Tensor* fft_c2r(Call& c, const Tensor& self, Dims dim, SymInt last_dim_size) {
  DimVector sizes(self.sizes());
  last_size(c, self, dim, sizes) = last_dim_size;
  c.check(is_complex(self.dtype()), "{}", self.dtype());
  return fresh_contiguous(c, sizes, to_real(self.dtype()), self.device());
}

// clang-format off
constexpr OpDef kPrimsRules[] = {
    {"prims::_make_token() -> Tensor", rule<&make_token>()},
    {"prims::_sink_tokens(Tensor[] tokens) -> ()", rule<&sink_tokens>()},
    {"prims::amax(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", rule<&reduction>()},
    {"prims::amin(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", rule<&reduction>()},
    {"prims::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", rule<&clone>()},
    {"prims::conj_physical(Tensor self) -> Tensor", rule<&conj_physical>()},
    {"prims::convert_element_type(Tensor a, ScalarType dtype) -> Tensor", rule<&convert_element_type>()},
    {"prims::copy_strided(Tensor a, SymInt[] stride) -> Tensor", rule<&copy_strided>()},
    {"prims::copy_to(Tensor(a!) a, Tensor b) -> Tensor(a!)", rule<&copy_to>()},
    {"prims::device_put(Tensor a, Device device, bool non_blocking=False) -> Tensor", rule<&device_put>()},
    {"prims::empty(SymInt[] shape, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&empty>()},
    {"prims::empty_permuted(SymInt[] shape, int[] physical_layout, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&empty_permuted>()},
    {"prims::empty_strided(SymInt[] shape, SymInt[] strides, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&empty_strided>()},
    {"prims::fft_c2c(Tensor self, *, int[] dim, bool forward) -> Tensor", rule<&fft_c2c>()},
    {"prims::fft_c2r(Tensor self, *, int[] dim, SymInt last_dim_size) -> Tensor", rule<&fft_c2r>()},
    {"prims::fft_r2c(Tensor self, *, int[] dim, bool onesided) -> Tensor", rule<&fft_r2c>()},
    {"prims::frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", rule<&frexp>()},
    {"prims::full(SymInt[] shape, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&full>()},
    {"prims::full_like(Tensor a, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&full_like>(), kNoDerivative},
    {"prims::iota(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor", rule<&iota>()},
    {"prims::item(Tensor a) -> Scalar", rule<&value_of_tensor>()},
    {"prims::maximum_value(ScalarType dtype) -> Scalar", rule<&value_of_tensor>()},
    {"prims::minimum_value(ScalarType dtype) -> Scalar", rule<&value_of_tensor>()},
    {"prims::normal(SymInt[] shape, *, Scalar mean, Scalar std, ScalarType dtype, Device device, bool requires_grad, Generator? generator=None) -> Tensor", rule<&normal>(), kRandom},
    {"prims::prod(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", rule<&reduction>()},
    {"prims::resize(Tensor(a!) a, SymInt[] shape) -> Tensor(a!)", rule<&resize>()},
    {"prims::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor", rule<&scalar_tensor>()},
    {"prims::sum(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", rule<&reduction>()},
    {"prims::svd(Tensor A, *, bool full_matrices) -> (Tensor U, Tensor S, Tensor Vh)", rule<&svd>()},
    {"prims::uniform(SymInt[] shape, *, Scalar low, Scalar high, ScalarType dtype, Device device, SymInt[] stride, Generator? generator=None) -> Tensor", rule<&uniform>(), kRandom},
    {"prims::var(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? output_dtype=None) -> Tensor", rule<&var>()},
    {"prims::xor_sum(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", rule<&reduction>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_prims

std::span<const OpDef> prims_rules() { return rules_of_prims::kPrimsRules; }

}  // namespace faketensor
