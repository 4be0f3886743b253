// Prims of the compiler: torch/_inductor/inductor_prims.py.
//
// Each answers torch._prims.TensorMeta of what its eager implementation gives, so they call other
// operators and return new tensors with the same metadata.
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/prims.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_prims_inductor {
namespace {
constexpr int64_t kSeedBound = INT64_MAX;

Tensor* seed(Call& c, Device device) { return fresh_contiguous(c, {}, DType::kInt64, device); }
Value seeds(Call& c, SymInt count, Device device) {
  return c.call<"aten::randint">(kSeedBound, DimVector{count}, DType::kInt64, nullptr, device,
                                 nullptr);
}

// seeds[index].clone(): Python's indexing has words of its own.
Value lookup_seed(Call& c, const Tensor& seeds, SymInt index) {
  constexpr auto kIndexError = ErrorKind::kIndexError;
  c.check_as(kIndexError, seeds.dim() != 0,
             "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const SymInt size = seeds.sizes()[0];
  c.check_as(kIndexError, guard_bool(index < size) && guard_bool(index >= -size),
             "index {} is out of bounds for dimension 0 with size {}", index, size);
  return c.call<"aten::clone">(c.tensor<"aten::select.int">(seeds, 0, index));
}

Value random(Call& c, Dims size, const Tensor& seed) {
  return c.call<"aten::rand">(size, DType::kFloat32, nullptr, seed.device(), nullptr);
}
Value randint(Call& c, SymInt low, SymInt high, Dims size, const Tensor& seed) {
  return c.call<"aten::randint.low">(low, high, size, DType::kInt64, nullptr, seed.device(),
                                     nullptr);
}

Tensor* rand_eager_offset(Call& c, SymInt, Device device) {
  const SymInt two = 2;
  return c.empty_on(device, {&two, 1}, DType::kInt64);
}
Tensor* rand_eager_offsets(Call& c, Dims offsets, Device device) {
  return c.empty_on(device, DimVector{offsets.size(), 2}, DType::kInt64);
}

// Mirrors eager_force_stride. Strides that are right already are compared as a tuple with a list,
// and so copied too.
Tensor* force_stride_order(Call& c, const Tensor& input, Dims stride) {
  Tensor& copy = c.tensor<"aten::clone">(input);
  return fresh_like(c, c.tensor<"aten::as_strided">(copy, input.sizes(), stride));
}

Tensor* unsafe_index_put(Call& c, const Tensor&) {
  return fresh_like(c, c.forward<"aten::index_put_">(c.args()).tensor());
}

Value fma(Call& c, const Tensor& a, const Tensor& b, const Tensor& addend) {
  return c.call<"aten::add.Tensor">(c.tensor<"aten::mul.Tensor">(a, b), addend);
}

// Mirrors eager_prepare_softmax.
Value prepare_softmax(Call& c, const Tensor& a, int64_t dim) {
  const DimVector dims = {dim};
  Tensor& amax = c.tensor<"aten::amax">(a, dims, true);
  Tensor& powers = c.tensor<"aten::exp">(c.tensor<"aten::sub.Tensor">(a, amax));
  return c.tuple({amax, c.tensor<"aten::sum.dim_IntList">(powers, dims, true)});
}

// Mirrors _cvt_e8m0_rceil_aten: exponent and mantissa are taken apart and rounded.
Tensor* cvt_e8m0(Call& c, const Tensor& input) {
  const DType dtype = input.dtype();
  c.check_as(ErrorKind::kValueError, dtype == DType::kFloat32 || is_reduced_floating(dtype),
             "cvt_e8m0_rceil requires float32, float16, or bfloat16 input, got {}", dtype);
  Tensor* bits = cast_to(c, *cast_to(c, input, DType::kFloat32), DType::kInt32);
  Tensor* mantissa = arithmetic(c, bits, 1);
  Tensor* exponent = arithmetic(c, arithmetic(c, bits, 1), 1);
  Tensor* rounded = arithmetic(c, exponent, arithmetic(c, mantissa, 1));
  return cast_to(c, *arithmetic(c, rounded, 1), DType::kUInt8);
}

// --- pooling that keeps offsets into the window instead of indices ---

// The parameters of a window, one per dimension, of which a list may be too short.
SymInt at(const Call& c, Dims values, size_t dim) {
  c.check_as(ErrorKind::kIndexError, dim < values.size(), "list index out of range");
  return values[dim];
}

// Where the windows of an output begin along one of its last `dims` dimensions, as a tensor that
// broadcasts over it.
Value window_starts(Call& c, const Tensor& output, size_t dims, size_t dim) {
  const size_t rank = output.sizes().size();
  c.check_as(ErrorKind::kIndexError, dims <= rank, "list assignment index out of range");
  DimVector shape(rank, SymInt(1));
  shape[rank - dims + dim] = output.sizes()[rank - dims + dim];
  Tensor* starts = c.context().empty(shape, DType::kInt64, output.device());
  return arithmetic(c, arithmetic(c, starts, 1), 1);
}

// Mirrors _flattened_index_to_nd: the coordinates of flat indices in a box of `dims` dimensions.
SmallVector<Tensor*, 4> coordinates(Call& c, Tensor* indices, size_t dims) {
  c.check_as(ErrorKind::kValueError, dims != 0, "Unknown dim: 0");
  SmallVector<Tensor*, 4> result;
  for (size_t i = 1; i < dims; ++i) {
    result.push_back(arithmetic(c, indices, 1));
    indices = arithmetic(c, indices, arithmetic(c, result[i - 1], 1));
  }
  result.push_back(indices);
  return result;
}

// Mirrors _flatten_index.
Tensor* flat_index(Call& c, std::span<Tensor* const> coordinates) {
  Tensor* result = coordinates[0];
  for (Tensor* coordinate : coordinates.subspan(1)) {
    result = arithmetic(c, arithmetic(c, result, 1), coordinate);
  }
  return result;
}

// Mirrors _low_memory_max_pool_with_offsets_aten.
Value max_pool_with_offsets(Call& c, const Tensor&, Dims kernel_size, Dims stride, Dims padding,
                            Dims dilation) {
  const size_t dims = kernel_size.size();
  const Value pooled = dims == 2 ? c.forward<"aten::max_pool2d_with_indices">(c.args())
                                 : c.forward<"aten::max_pool3d_with_indices">(c.args());
  Tensor& values = pooled[0].tensor();
  SmallVector<Tensor*, 4> places = coordinates(c, &pooled[1].tensor(), dims);
  for (size_t i = 0; i < dims; ++i) {
    const Value starts = window_starts(c, pooled[1].tensor(), dims, i);
    at(c, stride, i), at(c, padding, i), at(c, dilation, i);
    places[i] = arithmetic(c, arithmetic(c, places[i], starts), 1);
  }
  return c.tuple({values, cast_to(c, *flat_index(c, places.span()), DType::kInt8)});
}

// Mirrors _low_memory_max_pool_offsets_to_indices_aten.
Tensor* max_pool_offsets_to_indices(Call& c, const Tensor& self, Dims kernel_size, Dims input_size,
                                    Dims stride, Dims padding, Dims dilation) {
  const size_t dims = kernel_size.size();
  Tensor* offsets = cast_to(c, self, DType::kInt64);
  SmallVector<Tensor*, 4> places = coordinates(c, offsets, dims);
  for (size_t i = 0; i < dims; ++i) {
    const Value starts = window_starts(c, *offsets, dims, i);
    at(c, stride, i), at(c, padding, i), at(c, dilation, i);
    places[i] = arithmetic(c, starts, arithmetic(c, places[i], 1));
    if (i > 0) at(c, input_size, i);
  }
  return fresh_like(c, *flat_index(c, places.span()));
}

// clang-format off
constexpr OpDef kPrimsInductorRules[] = {
    {"prims::_low_memory_max_pool_offsets_to_indices(Tensor self, SymInt[] kernel_size, SymInt[] input_size, SymInt[] stride, SymInt[] padding, SymInt[] dilation) -> Tensor", rule<&max_pool_offsets_to_indices>()},
    {"prims::_low_memory_max_pool_with_offsets(Tensor self, SymInt[] kernel_size, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool ceil_mode) -> (Tensor, Tensor)", rule<&max_pool_with_offsets>()},
    {"prims::_unsafe_index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)", rule<&unsafe_index_put>()},
    {"prims::fma(Tensor a, Tensor b, Tensor c) -> Tensor", rule<&fma>()},
    {"prims::inductor_cvt_e8m0_rceil(Tensor input) -> Tensor", rule<&cvt_e8m0>()},
    {"prims::inductor_force_stride_order(Tensor input, SymInt[] stride) -> Tensor", rule<&force_stride_order>()},
    {"prims::inductor_lookup_seed(Tensor seeds, int index) -> Tensor", rule<&lookup_seed>()},
    {"prims::inductor_rand_eager_offset(SymInt offset, Device device) -> Tensor", rule<&rand_eager_offset>(), kRandom},
    {"prims::inductor_rand_eager_offsets(SymInt[] offsets, Device device) -> Tensor", rule<&rand_eager_offsets>(), kRandom},
    {"prims::inductor_randint(SymInt low, SymInt high, SymInt[] size, Tensor seed) -> Tensor", rule<&randint>(), kRandom},
    {"prims::inductor_random(SymInt[] size, Tensor seed, str mode, *, ScalarType? align_dtype=None) -> Tensor", rule<&random>(), kRandom},
    {"prims::inductor_seed(Device device) -> Tensor", rule<&seed>(), kRandom},
    {"prims::inductor_seeds(int count, Device device) -> Tensor", rule<&seeds>(), kRandom},
    {"prims::prepare_softmax_online(Tensor a, int dim) -> (Tensor, Tensor)", rule<&prepare_softmax>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_prims_inductor

std::span<const OpDef> prims_inductor_rules() {
  return rules_of_prims_inductor::kPrimsInductorRules;
}

}  // namespace faketensor
