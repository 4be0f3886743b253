// Products of integer, packed and 2:4 sparse matrices, and the packing of their weights.
#include "core/ops/families/linalg.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_quantized_matmul {
namespace {

void check_rank(Call& c, const Tensor& tensor, std::string_view name, int64_t rank) {
  c.check(tensor.dim() == rank, "{} must be a {}D tensor", name, rank);
}
void check_activation(Call& c, const Tensor& x) {
  const bool is_supported = x.dtype() == DType::kFloat32 || is_reduced_floating(x.dtype());
  c.check(is_supported, "expected x to be f32/f16/bf16, got {}", x.dtype());
}
void check_weight(Call& c, const Tensor& w, DType dtype) {
  c.check(w.dtype() == dtype, "expected w to be {}, got {}", name(dtype), w.dtype());
}

// Mirrors meta__int_mm, torch/_meta_registrations.py.
Value int_mm(Call& c, const Tensor& a, const Tensor& b) {
  check_rank(c, a, "a", 2);
  check_rank(c, b, "b", 2);
  c.check(a.dtype() == DType::kInt8 || a.dtype() == DType::kUInt8,
          "expected self to be int8 or uint8, got {}", a.dtype());
  c.check(b.dtype() == DType::kInt8, "expected mat2 to be int8, got {}", b.dtype());
  c.check(a.size(1) == b.size(0), "Incompatible matrix sizes for _int_mm ({}x{} and {}x{})",
          a.size(0), a.size(1), b.size(0), b.size(1));
  return c.empty({a.size(0), b.size(1)}, DType::kInt32);
}

// --- int4 and int8 weights ---

// Mirrors meta__convert_weight_to_int4pack.
Value convert_weight_to_int4pack(Call& c, const Tensor& w, int64_t inner_k_tiles) {
  check_rank(c, w, "w", 2);
  check_weight(c, w, DType::kUInt8);
  c.check_as(ErrorKind::kZeroDivisionError, inner_k_tiles != 0,
             "integer division or modulo by zero");
  return c.empty({floor_div(w.size(0), 8), floor_div(w.size(1) * 2, SymInt(inner_k_tiles) * 16), 32,
                  floor_div(SymInt(inner_k_tiles), 2)},
                 DType::kInt32);
}
// Mirrors meta__convert_weight_to_int4pack_for_cpu.
Value convert_weight_to_int4pack_for_cpu(Call& c, const Tensor& w) {
  check_rank(c, w, "w", 2);
  check_weight(c, w, DType::kInt32);
  return c.empty({w.size(0), floor_div(w.size(1), 2)}, DType::kUInt8);
}

// Mirrors meta__weight_int4pack_mm: tiles of eight rows.
Value weight_int4pack_mm(Call& c, const Tensor& x, const Tensor& w) {
  check_rank(c, x, "x", 2);
  check_rank(c, w, "w", 4);
  check_activation(c, x);
  check_weight(c, w, DType::kInt32);
  return c.empty({x.size(0), w.size(0) * 8}, x.dtype());
}
Value packed_mm(Call& c, const Tensor& x, const Tensor& w, DType weight) {
  check_rank(c, x, "x", 2);
  check_rank(c, w, "w", 2);
  check_activation(c, x);
  check_weight(c, w, weight);
  return c.empty({x.size(0), w.size(0)}, x.dtype());
}
Value weight_int4pack_mm_for_cpu(Call& c, const Tensor& x, const Tensor& w) {
  return packed_mm(c, x, w, DType::kUInt8);
}
Value weight_int4pack_mm_with_scales_and_zeros(Call& c, const Tensor& x, const Tensor& w) {
  return packed_mm(c, x, w, DType::kInt32);
}
// Mirrors meta__weight_int8pack_mm.
Value weight_int8pack_mm(Call& c, const Tensor& x, const Tensor& w, const Tensor& scales) {
  check_rank(c, x, "x", 2);
  check_activation(c, x);
  check_rank(c, w, "w", 2);
  check_weight(c, w, DType::kInt8);
  c.check(w.size(1) == x.size(1), "expected w.size(1) ({}) == x.size(1) ({})", w.size(1),
          x.size(1));
  c.check(
      sym_and(scales.dim() == 1, scales.dim() == 1 ? scales.size(0) == w.size(0) : SymBool(false)),
      "expected q_scales to be 1D with size {}, got shape torch.Size({})", w.size(0),
      scales.sizes());
  return c.empty({x.size(0), w.size(0)}, x.dtype());
}

// Mirrors meta__dyn_quant_pack_4bit_weight on a machine without KleidiAI.
Value dyn_quant_pack_4bit_weight(Call& c, const Tensor& weights, const Tensor& scales_zeros,
                                 Tensor* bias) {
  check_weight(c, weights, DType::kUInt8);
  const SymInt bias_size = bias == nullptr ? SymInt(0) : bias->numel();
  return c.empty({weights.numel() + scales_zeros.numel() + bias_size}, DType::kFloat32);
}
// Mirrors meta__dyn_quant_matmul_4bit.
Value dyn_quant_matmul_4bit(Call& c, const Tensor& input, const Tensor&, SymInt block_size,
                            SymInt in_features, SymInt out_features) {
  check_rank(c, input, "input", 2);
  c.check(input.dtype() == DType::kFloat32 ||
              (input.dtype() == DType::kBFloat16 && guard_bool(block_size == in_features)),
          "expected input to be f32 or bf16 (bf16 requires block_size == in_features), got {} with "
          "block_size={} and in_features={}",
          input.dtype(), block_size, in_features);
  return c.empty({input.size(0), out_features}, input.dtype());
}

// --- 2:4 sparse matrices, whose rows are half as long ---

void require(Call& c, bool condition, const std::string& message) {
  c.check_as(ErrorKind::kAssertionError, condition, "{}", message);
}
void require_matrix(Call& c, const Tensor& tensor, std::string_view name) {
  c.check_as(ErrorKind::kAssertionError, tensor.dim() == 2, "{} must be 2D, got {}D", name,
             tensor.dim());
}
std::string half_text(SymInt size) {
  if (size.is_symbolic()) return format("{}/2", size);
  return format("{}", static_cast<double>(size.as_int()) / 2);
}
void require_out_dtype(Call& c, std::string_view name, DType given, std::optional<DType> out) {
  if (!out) return;
  c.check_as(ErrorKind::kAssertionError, given == DType::kInt8 && *out == DType::kInt32,
             "out_dtype is only supported for i8i8->i32 linear operator, got {}.dtype={}, "
             "out_dtype={}",
             name, given, *out);
}
void require_half_rows(Call& c, const Tensor& mat1, const Tensor& mat2) {
  c.check_as(ErrorKind::kAssertionError, guard_bool(mat1.size(1) * 2 == mat2.size(0)),
             "mat1.size(1)={} != mat2.size(0)/2={}", mat1.size(1), half_text(mat2.size(0)));
}

// Mirrors meta_sparse_structured_mm.
Value sparse_semi_structured_mm(Call& c, const Tensor& mat1, const Tensor& mat1_meta,
                                const Tensor& mat2, std::optional<DType> out_dtype) {
  require_matrix(c, mat1, "mat1");
  require_matrix(c, mat1_meta, "mat1_meta");
  require_matrix(c, mat2, "mat2");
  require_half_rows(c, mat1, mat2);
  require_out_dtype(c, "mat2", mat2.dtype(), out_dtype);
  return c.empty({mat1.size(0), mat2.size(1)}, out_dtype.value_or(mat2.dtype()));
}
// Mirrors meta_sparse_structured_addmm.
Value sparse_semi_structured_addmm(Call& c, const Tensor& input, const Tensor& mat1,
                                   const Tensor& mat1_meta, const Tensor& mat2, const Value&,
                                   const Value&, std::optional<DType> out_dtype) {
  constexpr std::string_view kBroadcast =
      "only input broadcasted to columns of mat1 * mat2 product is supported, ";
  require(c, input.dim() == 1, format("{}got {}D input", kBroadcast, input.dim()));
  require_matrix(c, mat1, "mat1");
  require_matrix(c, mat1_meta, "mat1_meta");
  require_matrix(c, mat2, "mat2");
  require(c, guard_bool(input.size(0) == mat1.size(0)),
          format("{}input.size(0)={} != mat1.size(0)={}", kBroadcast, input.size(0), mat1.size(0)));
  require_half_rows(c, mat1, mat2);
  require_out_dtype(c, "mat2", mat2.dtype(), out_dtype);
  return c.empty({mat1.size(0), mat2.size(1)}, out_dtype.value_or(mat2.dtype()));
}
// Mirrors meta_sparse_structured_linear: the result is written as its transpose.
Value sparse_semi_structured_linear(Call& c, const Tensor& input, const Tensor& weight,
                                    const Tensor&, Tensor* bias, const Value&,
                                    std::optional<DType> out_dtype) {
  require(c, bias == nullptr || guard_bool(weight.size(0) == bias->size(0)),
          bias == nullptr ? std::string()
                          : format("output size mismatch: weight.size(0)={} != bias.size(0)={}",
                                   weight.size(0), bias->size(0)));
  const SymInt packed = weight.size(1);
  require(c, guard_bool(packed * 2 == input.size(-1)),
          format("weight.size(1)={} != input.size(-1)/2={}", weight.size(1),
                 half_text(input.size(-1))));
  require(c, input.dim() == 2,
          format("we can only handle the squashed input case, got {}D input", input.dim()));
  require_out_dtype(c, "input", input.dtype(), out_dtype);
  return c.empty_strided(DimVector{input.size(0), weight.size(0)}, DimVector{1, input.size(0)},
                         out_dtype.value_or(input.dtype()));
}
// Mirrors meta__cslt_sparse_mm.
Value cslt_sparse_mm(Call& c, const Tensor& a, const Tensor& b, Tensor* bias, const Value&,
                     std::optional<DType> out_dtype, bool transpose_result) {
  const DType dtype = b.dtype();
  const bool is_8bit = a.dtype() == DType::kInt8 || a.dtype() == DType::kFloat8E4M3FN;
  require(c,
          dtype == DType::kFloat32 || is_reduced_floating(dtype) || dtype == DType::kInt8 ||
              dtype == DType::kFloat8E4M3FN,
          format("_cslt_sparse_mm only supports fp16, bf16, int8, and fp8e4m3, got {}", dtype));
  require(c, a.dtype() == dtype,
          format("inputs must have the same dtype, got {} and {}", a.dtype(), dtype));
  require(c, b.dim() == 2, format("_cslt_sparse_mm only supports 2d inputs, got {}D", b.dim()));
  const SymInt n = b.size(1);
  const SymInt m = a.size(0);
  require(c, bias == nullptr || guard_bool(m == bias->size(0)),
          bias == nullptr
              ? std::string()
              : format("bias size mismatch: m={} != bias.size(0)={}", m, bias->size(0)));
  if (out_dtype) {
    const bool is_supported = *out_dtype == DType::kFloat32 || is_reduced_floating(*out_dtype) ||
                              *out_dtype == DType::kInt32 || *out_dtype == DType::kFloat8E4M3FN;
    require(c, is_8bit && is_supported,
            format("out_dtype is not supported for {} x {} -> {} matmul!", a.dtype(), dtype,
                   *out_dtype));
  }
  return transpose_result ? c.empty({n, m}, out_dtype.value_or(dtype))
                          : c.empty({m, n}, out_dtype.value_or(dtype));
}

// --- sparse operators on strided tensors ---

// Mirrors _sparse_addmm and _sparse_mm, aten/src/ATen/native/sparse/SparseTensorMath.cpp.
Value sparse_addmm(Call& c, const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                   const Value& beta, const Value& alpha) {
  return c.call<"aten::addmm">(self, mat1, mat2, beta, alpha);
}
Value sparse_mm(Call& c, const Tensor& sparse, const Tensor& dense) {
  const DimVector sizes = {sparse.size(-2), dense.size(-1)};
  const auto transposed = [&](const Value& tensor) {
    return c.call<"aten::transpose.int">(tensor, -2, -1);
  };
  const bool has_sparse_left = sparse.layout() != Layout::kStrided;
  const Value zeros = c.call<"aten::new_zeros">(has_sparse_left ? dense : sparse, sizes);
  if (has_sparse_left) return c.call<"aten::_sparse_addmm">(zeros, sparse, dense, 0, 1);
  const Value sparse_on_right = transposed(sparse);  // the last first, as PyTorch's compiler has it
  const Value dense_on_left = transposed(dense);
  return transposed(
      c.call<"aten::_sparse_addmm">(transposed(zeros), dense_on_left, sparse_on_right, 0, 1));
}

// clang-format off
constexpr OpDef kQuantizedMatmulRules[] = {
    {"aten::_convert_weight_to_int4pack(Tensor self, int innerKTiles) -> Tensor", rule<&convert_weight_to_int4pack>()},
    {"aten::_convert_weight_to_int4pack_for_cpu(Tensor self, int innerKTiles) -> Tensor", rule<&convert_weight_to_int4pack_for_cpu>()},
    {"aten::_cslt_sparse_mm(Tensor compressed_A, Tensor dense_B, Tensor? bias=None, Tensor? alpha=None, ScalarType? out_dtype=None, bool transpose_result=False, int alg_id=0, int split_k=1, int split_k_mode=-1) -> Tensor", rule<&cslt_sparse_mm>()},
    {"aten::_dyn_quant_matmul_4bit(Tensor inp, Tensor packed_weights, int block_size, int in_features, int out_features) -> Tensor", rule<&dyn_quant_matmul_4bit>()},
    {"aten::_dyn_quant_pack_4bit_weight(Tensor weights, Tensor scales_zeros, Tensor? bias, int block_size, int in_features, int out_features) -> Tensor", rule<&dyn_quant_pack_4bit_weight>()},
    {"aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", rule<&int_mm>()},
    {"aten::_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", rule<&sparse_addmm>(), kByCompositeExplicit},
    {"aten::_sparse_mm(Tensor sparse, Tensor dense) -> Tensor", rule<&sparse_mm>(), kComposite},
    {"aten::_sparse_semi_structured_addmm(Tensor input, Tensor mat1, Tensor mat1_meta, Tensor mat2, *, Scalar alpha=1, Scalar beta=1, ScalarType? out_dtype=None) -> Tensor", rule<&sparse_semi_structured_addmm>()},
    {"aten::_sparse_semi_structured_linear(Tensor input, Tensor weight, Tensor meta, *, Tensor? bias=None, str? activation=None, ScalarType? out_dtype=None) -> Tensor", rule<&sparse_semi_structured_linear>()},
    {"aten::_sparse_semi_structured_mm(Tensor mat1, Tensor mat1_meta, Tensor mat2, *, ScalarType? out_dtype=None) -> Tensor", rule<&sparse_semi_structured_mm>()},
    {"aten::_weight_int4pack_mm(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor", rule<&weight_int4pack_mm>()},
    {"aten::_weight_int4pack_mm_for_cpu(Tensor self, Tensor mat2, int qGroupSize, Tensor qScaleAndZeros) -> Tensor", rule<&weight_int4pack_mm_for_cpu>()},
    {"aten::_weight_int4pack_mm_with_scales_and_zeros(Tensor self, Tensor mat2, int qGroupSize, Tensor qScale, Tensor qZeros) -> Tensor", rule<&weight_int4pack_mm_with_scales_and_zeros>()},
    {"aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor", rule<&weight_int8pack_mm>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_quantized_matmul

std::span<const OpDef> quantized_matmul_rules() {
  return rules_of_quantized_matmul::kQuantizedMatmulRules;
}

}  // namespace faketensor
