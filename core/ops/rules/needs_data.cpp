// Operators without a fake answer: their kernels read the elements, which fake tensors do not have.
//
// They get as far as their checks, and raise then. Without elements there is nothing to read, and
// some answer.
#include <algorithm>

#include "core/ops/families/sparse.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_needs_data {
namespace {

bool has_elements(const Tensor& tensor) { return guard_bool(tensor.numel() != 0); }

// TensorBase::data_ptr<T>, which wants T first.
void read_elements(const Call& c, const Tensor& tensor, DType expected) {
  c.check(tensor.dtype() == expected, "expected scalar type {} but found {}",
          info(expected).cpp_name, info(tensor.dtype()).cpp_name);
  if (has_elements(tensor)) fail_unallocated(c);
}

// Mirrors _shape_as_tensor, aten/src/ATen/native/TensorShape.cpp: sizes are written to a tensor.
Tensor* shape_as_tensor(Call& c, const Tensor& self) {
  if (self.dim() != 0) fail_unallocated(c);
  return c.empty_on(Device{}, DimVector{0}, DType::kInt64);
}

// Mirrors _reshape_from_tensor, aten/src/ATen/native/TensorShape.cpp.
Value reshape_from_tensor(Call& c, const Tensor& self, const Tensor& shape) {
  c.check(shape.dim() == 1,
          "Expected shape_tensor.dim() == 1 to be true, but got false.  (Could this error message "
          "be improved?  If so, please report an enhancement request to PyTorch.)");
  read_elements(c, shape, DType::kInt64);
  return c.call<"aten::reshape">(self, DimVector{});
}

// Mirrors _validate_sparse_coo_tensor_args, aten/src/ATen/native/sparse/SparseTensor.cpp.
void validate_coo(Call& c, const Tensor& indices, const Tensor& values, Dims sizes) {
  c.check(indices.dim() == 2, "indices must be sparse_dim x nnz, but got: {}", indices.sizes());
  const SymInt sparse_dim = indices.size(0);
  const int64_t dense_dim = std::max<int64_t>(values.dim() - 1, 0);
  check_sparse_dims(c, sizes, sparse_dim, dense_dim);
  // The least and the largest index.
  if (has_elements(indices)) read_elements(c, indices, DType::kInt64);
}

// Mirrors _rowwise_prune, aten/src/ATen/native/RowwisePrune.cpp.
void rowwise_prune(Call& c, const Tensor& weight, const Tensor& mask, DType indices_dtype) {
  c.check(weight.dim() == 2, "'weights' should have 2 dimensions.");
  c.check(mask.numel() == weight.size(0),
          "Number of elements in 'mask' should be equivalent to the number of rows in 'weights'.");
  c.check(indices_dtype == DType::kInt32 || indices_dtype == DType::kInt64,
          "compressed_indices_dtype should be either int(int32) or long(int64).");
  fail_unallocated(c);
}

// Mirrors _saturate_weight_to_fp16, aten/src/ATen/native/QuantizedLinear.cpp.
Value saturate_weight(Call& c, const Tensor& weight) {
  read_elements(c, weight, DType::kFloat32);
  return weight;
}

// Mirrors choose_qparams_optimized, aten/src/ATen/native/quantized/QTensor.cpp.
void choose_qparams_optimized(Call& c, const Tensor& input) {
  c.check(input.dtype() == DType::kFloat32, "expected scalar type Float but found {}",
          info(input.dtype()).cpp_name);
  c.check_as(ErrorKind::kValueError, has_elements(input), "input tensor is empty and has no data");
  fail_unallocated(c);
}

// Mirrors _choose_qparams_per_tensor, aten/src/ATen/native/quantized/QTensor.cpp.
Value choose_qparams(Call& c, const Tensor& self) {
  return c.call<"aten::item">(c.tensor<"aten::min">(self));
}

// Mirrors wrapped_linear_prepack, aten/src/ATen/native/quantized/cpu/qlinear_prepack.cpp.
void linear_prepack(Call& c, const Tensor& weight) {
  c.check(weight.dim() == 2, "fbgemm weight packing only packs matrices not vectors.");
  fail_unallocated(c);
}
// Mirrors wrapped_quantized_linear_prepacked, aten/src/ATen/native/quantized/cpu/qlinear.cpp.
Value quantized_linear(Call& c, const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                       const Tensor&, const Tensor& output_scale) {
  c.call<"aten::quantize_per_tensor.tensor_qparams">(input, scale, zero_point, DType::kQUInt8);
  return c.call<"aten::item">(output_scale);
}

// Mirrors _nnpack_spatial_convolution, aten/src/ATen/native/NNPACK.cpp, which takes float tensors
// of the CPU alone: a meta tensor is none.
void nnpack_convolution(Call& c, const Tensor& input, const Tensor& weight, Tensor*, Dims padding,
                        Dims stride) {
  c.check(input.dim() == 4, "NNPack convolutionOutput expects 4D input Tensor N,C,H,W");
  c.check(weight.dim() == 4, "NNPack convolutionOutput expects 4D weight Tensor oC,iC,kH,kW");
  c.check(
      padding.size() >= 2 && stride.size() >= 2,
      "NNPack convolutionOutput expects 2 numbers each of padding and stride, but got {} and {}",
      padding, stride);
  DimVector output = {input.size(0), weight.size(0)};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t dim = static_cast<int64_t>(i) + 2;
    c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(stride[i] == 0), "division by zero");
    output.push_back(floor_div(input.size(dim) + 2 * padding[i] - weight.size(dim), stride[i]) + 1);
  }
  c.context().empty(output, input.dtype(), input.device());
  c.check(
      input.size(1) == weight.size(1),
      "Mismatch between number of input channels in input Tensor ({}) and weight Tensor ({}) in "
      "NNPack convolutionOutput",
      input.size(1), weight.size(1));
  c.fail(ErrorKind::kRuntimeError, "Mismatched Tensor types in NNPack convolutionOutput");
}

// Mirrors _grid_sampler_2d_cpu_fallback and its gradient, aten/src/ATen/native/GridSampler.cpp.
void check_grid_sampler(Call& c, const Tensor& input, const Tensor& grid) {
  c.check(input.size(0) == grid.size(0),
          "grid_sampler(): expected grid and input to have same batch size, but got input with "
          "sizes {} and grid with sizes {}",
          input.sizes(), grid.sizes());
  c.check(grid.size(-1) == input.dim() - 2,
          "grid_sampler(): expected grid to have size {} in last dimension, but got grid with "
          "sizes {}",
          input.dim() - 2, grid.sizes());
  for (int64_t i = 2; i < input.dim(); ++i) {
    c.check(input.size(i) > 0,
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            "sizes {} with dimension {} being empty",
            input.sizes(), i);
  }
  c.check(input.dim() == 4 && grid.dim() == 4,
          "grid_sampler(): expected 4D input and grid with same number of dimensions, but got "
          "input with sizes {} and grid with sizes {}",
          input.sizes(), grid.sizes());
}
Value grid_sampler_fallback(Call& c, const Tensor& input, const Tensor& grid) {
  check_grid_sampler(c, input, grid);
  read_elements(c, input, DType::kFloat32);
  return c.empty({input.size(0), input.size(1), grid.size(1), grid.size(2)}, input.dtype());
}

Value grid_sampler_fallback_backward(Call& c, const Tensor&, const Tensor& input,
                                     const Tensor& grid) {
  check_grid_sampler(c, input, grid);
  read_elements(c, input, DType::kFloat32);
  return c.tuple({c.empty(input.sizes(), input.dtype()), c.empty_like(grid)});
}

// --- Sobol sequences: aten/src/ATen/native/SobolEngineOps.cpp ---

void check_long(const Call& c, std::string_view name, const Tensor& tensor) {
  c.check(tensor.dtype() == DType::kInt64, "{} needs to be of type Long", name);
}
void sobol_draw(Call& c, const Tensor& quasi, SymInt, const Tensor& state) {
  check_long(c, "sobolstate", state);
  check_long(c, "quasi", quasi);
  fail_unallocated(c);
}
void sobol_state(Call& c, const Tensor& state) {
  check_long(c, "sobolstate", state);
  fail_unallocated(c);
}

// Nested tensors are no part of fake tensors (nested_tensors_unsupported,
// torch/_subclasses/fake_impls.py).
void no_nested_tensors(Call& c) { c.fail(ErrorKind::kUnsupportedOperator, c.op().python_name()); }

// clang-format off
constexpr OpDef kNeedsDataRules[] = {
    {"aten::_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)", rule<&choose_qparams>(), kComposite},
    {"aten::_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", rule<&grid_sampler_fallback>(), kByCompositeExplicit | kRealDerivative},
    {"aten::_grid_sampler_2d_cpu_fallback_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> (Tensor, Tensor)", rule<&grid_sampler_fallback_backward>(), kByCompositeExplicit | kRealDerivative},
    {"aten::_nested_tensor_from_tensor_list(Tensor[] list, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", rule<&no_nested_tensors>(), kByFakeImpl},
    {"aten::_nnpack_spatial_convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[2] padding, SymInt[2] stride=[1, 1]) -> Tensor", rule<&nnpack_convolution>(), kByCompositeExplicit | kRealDerivative},
    {"aten::_reshape_from_tensor(Tensor self, Tensor shape) -> Tensor", rule<&reshape_from_tensor>(), kComposite},
    {"aten::_rowwise_prune(Tensor weight, Tensor mask, ScalarType compressed_indices_dtype) -> (Tensor, Tensor)", rule<&rowwise_prune>(), kComposite},
    {"aten::_saturate_weight_to_fp16(Tensor weight) -> Tensor", rule<&saturate_weight>(), kComposite},
    {"aten::_shape_as_tensor(Tensor self) -> Tensor", rule<&shape_as_tensor>(), kComposite},
    {"aten::_sobol_engine_draw(Tensor quasi, int n, Tensor sobolstate, int dimension, int num_generated, ScalarType? dtype) -> (Tensor, Tensor)", rule<&sobol_draw>(), kComposite},
    {"aten::_sobol_engine_ff_(Tensor(a!) self, int n, Tensor sobolstate, int dimension, int num_generated) -> Tensor(a!)", rule<&sobol_draw>(), kComposite},
    {"aten::_sobol_engine_initialize_state_(Tensor(a!) self, int dimension) -> Tensor(a!)", rule<&sobol_state>(), kComposite},
    {"aten::_sobol_engine_scramble_(Tensor(a!) self, Tensor ltm, int dimension) -> Tensor(a!)", rule<&sobol_state>(), kComposite},
    {"aten::_validate_sparse_coo_tensor_args(Tensor indices, Tensor values, int[] size, bool? is_coalesced=None, bool? check_pinning=None) -> ()", rule<&validate_coo>(), kComposite | kAnyLayout},
    {"aten::_wrapped_linear_prepack(Tensor weight, Tensor weight_scale, Tensor weight_zero_point, Tensor bias) -> Tensor", rule<&linear_prepack>(), kComposite},
    {"aten::_wrapped_quantized_linear_prepacked(Tensor input, Tensor input_scale, Tensor input_zero_point, Tensor packed_weight, Tensor output_scale, Tensor output_zero_point, int out_channel) -> Tensor", rule<&quantized_linear>(), kComposite},
    {"aten::choose_qparams_optimized(Tensor input, int numel, int n_bins, float ratio, int bit_width) -> (Tensor, Tensor)", rule<&choose_qparams_optimized>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_needs_data

std::span<const OpDef> needs_data_rules() { return rules_of_needs_data::kNeedsDataRules; }

}  // namespace faketensor
