// Products of float8 and float4 matrices with scales, and of groups of matrices.
//
// The formats of scales are checked only where the matrices are on a device (not on meta):
// torch/_meta_registrations.py asks device_hint.
#include "core/ops/families/linalg.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_scaled_matmul {
namespace {

SymInt ceil_div(SymInt a, int64_t b) { return floor_div(a + (b - 1), b); }
SymInt round_up(SymInt a, int64_t b) { return ceil_div(a, b) * b; }

bool is_fp8_or_fp4(DType dtype) {
  return dtype == DType::kFloat8E4M3FN || dtype == DType::kFloat8E5M2 ||
         dtype == DType::kFloat8E4M3FNUZ || dtype == DType::kFloat8E5M2FNUZ ||
         dtype == DType::kFloat4E2M1FNx2;
}
bool all_of(std::initializer_list<SymBool> conditions) {
  for (const SymBool condition : conditions)
    if (!guard_bool(condition)) return false;
  return true;
}
bool is_float32(const Tensor& a, const Tensor& b) {
  return a.dtype() == DType::kFloat32 && b.dtype() == DType::kFloat32;
}
bool are_both(const Tensor& a, const Tensor& b, DType dtype) {
  return a.dtype() == dtype && b.dtype() == dtype;
}

// What both versions check of the matrices.
void check_operands(Call& c, const Tensor& self, const Tensor& mat2) {
  c.check(self.dim() == 2 && mat2.dim() == 2,
          "Inputs must be 2D but got self.dim()={} and mat2.dim()={}", self.dim(), mat2.dim());
  c.check(is_fp8_or_fp4(self.dtype()) && is_fp8_or_fp4(mat2.dtype()),
          "Expected both inputs to be fp8 or fp4 types but got self.dtype={} and mat2.dtype={}",
          self.dtype(), mat2.dtype());
}
void check_gpu_layout(Call& c, const Tensor& self, const Tensor& mat2) {
  if (self.device().is_cpu()) return;
  const auto is_empty = [&](const Tensor& a) {
    return guard_bool(a.size(0) == 0) || guard_bool(a.size(1) == 0);
  };
  c.check(all_of({self.stride(0) > self.stride(1), self.stride(1) == 1}) || is_empty(self),
          "self must be row_major, got stride {}", tuple_text(self.strides()));
  c.check(all_of({mat2.stride(0) == 1, mat2.stride(1) > 1}) || is_empty(mat2),
          "mat2 must be col_major, got stride {}", tuple_text(mat2.strides()));
  c.check(mod(self.size(1), 16) == 0,
          "Expected self.size(1) to be divisible by 16, but got self.size(1)={}", self.size(1));
  c.check(sym_and(mod(mat2.size(0), 16) == 0, mod(mat2.size(1), 16) == 0),
          "Expected both dimensions of mat2 to be divisible by 16 but got torch.Size({})",
          mat2.sizes());
}
bool has_scale_formats(const Tensor& self) {
  const DeviceType type = self.device().type;
  return type == DeviceType::kCPU || type == DeviceType::kCUDA || type == DeviceType::kXPU;
}

// --- _scaled_mm ---

struct Sides {
  SymInt m, k, n;
};

// Scales of blocks of 16 (nvfp4) or 32 (mx) elements of k, padded to 128 rows and 4 blocks.
void check_blockwise(Call& c, const Tensor& self, const Tensor& a, const Tensor& b, Sides sides) {
  const bool is_nvfp4 = a.dtype() == DType::kFloat8E4M3FN;
  const bool is_packed = is_nvfp4 || self.dtype() == DType::kFloat4E2M1FNx2;
  const SymInt k = is_packed ? sides.k * 2 : sides.k;
  const SymInt blocks = round_up(ceil_div(k, is_nvfp4 ? 16 : 32), 4);
  const SymInt size_a = round_up(sides.m, 128) * blocks;
  const SymInt size_b = round_up(sides.n, 128) * blocks;
  c.check(all_of({a.numel() == size_a, b.numel() == size_b}),
          "Invalid blockwise scaling configuration. For blockwise scaling, scale_a should have {} "
          "elements, got {}, scale_b should have {} elements, got {}.",
          size_a, a.numel(), size_b, b.numel());
  c.check(a.is_contiguous(), "scale_a must be contiguous");
  c.check(b.is_contiguous(), "scale_b must be contiguous");
}

void check_rowwise(Call& c, const Tensor& a, const Tensor& b, Sides sides) {
  const auto [m, k, n] = sides;
  c.check(is_float32(a, b),
          "For rowwise scaling, both scale_a and scale_b must be float (fp32) tensors.");
  c.check(a.dim() == 2 && b.dim() == 2,
          "For non-tensorwise scaling, scale tensors must be 2D, but got scale_a.dim()={} and "
          "scale_b.dim()={}",
          a.dim(), b.dim());
  const SymInt k_blocks = ceil_div(k, 128);
  const auto shapes_are = [&](SymInt a0, SymInt a1, SymInt b0, SymInt b1) {
    return all_of({a.size(0) == a0, a.size(1) == a1, b.size(0) == b0, b.size(1) == b1});
  };
  if (shapes_are(m, 1, 1, n)) {
    c.check(a.is_contiguous() && b.is_contiguous(),
            "Both scale_a and scale_b must be contiguous for rowwise scaling.");
    return;
  }
  const bool is_blocks = shapes_are(m, k_blocks, k_blocks, ceil_div(n, 128)) ||
                         shapes_are(m, k_blocks, k_blocks, n) ||
                         shapes_are(ceil_div(m, 128), k_blocks, k_blocks, n);
  c.check(is_blocks,
          "Invalid scaling configuration. For tensorwise scaling, both scales should be scalar. "
          "For rowwise scaling, scale_a should be ({}, 1), scale_b should be (1, {}). "
          "For (BlockWise1x128, BlockWise128x128), scale_a should be ({}, {}), scale_b should be "
          "({}, {}). For (BlockWise1x128, BlockWise1x128), scale_a should be ({}, {}), scale_b "
          "should be ({}, {}). For (BlockWise128x128, BlockWise1x128), scale_a should be ({}, {}), "
          "scale_b should be ({}, {}). Got scale_a.size()=({}, {}) and scale_b.size()=({}, {})",
          m, n, m, k_blocks, k_blocks, ceil_div(n, 128), m, k_blocks, k_blocks, n, ceil_div(m, 128),
          k_blocks, k_blocks, n, a.size(0), a.size(1), b.size(0), b.size(1));
}

// Mirrors _check_scaled_mm_sizes.
Value scaled_mm(Call& c, const Tensor& self, const Tensor& mat2, const Tensor& scale_a,
                const Tensor& scale_b, const Value&, const Value&, std::optional<DType> out_dtype) {
  check_operands(c, self, mat2);
  if (has_scale_formats(self)) {
    check_gpu_layout(c, self, mat2);
    const Sides sides = {self.size(0), self.size(1), mat2.size(1)};
    if (all_of({scale_a.numel() == 1, scale_b.numel() == 1})) {
      c.check(is_float32(scale_a, scale_b),
              "For tensorwise scaling, both scale_a and scale_b must be float (fp32) tensors.");
    } else if (are_both(scale_a, scale_b, DType::kFloat8E8M0FNU) ||
               are_both(scale_a, scale_b, DType::kFloat8E4M3FN)) {
      check_blockwise(c, self, scale_a, scale_b, sides);
    } else {
      check_rowwise(c, scale_a, scale_b, sides);
    }
  }
  return c.empty({self.size(0), mat2.size(1)}, out_dtype.value_or(self.dtype()));
}

// --- _scaled_mm_v2 ---

enum Scaling : int64_t {
  kTensorWise,
  kRowWise,
  kBlockWise1x16,
  kBlockWise1x32,
  kBlockWise1x128,
  kBlockWise128x128
};

void check_enum(Call& c, Dims values, std::string_view name) {
  for (const SymInt value : values) {
    const int64_t number = guard_int(value);
    c.check_as(ErrorKind::kTypeError, number >= 0 && number <= 255,
               "__init__(): incompatible constructor arguments. The following argument types are "
               "supported:\n    1. torch._C.{}(value: typing.SupportsInt | typing.SupportsIndex)"
               "\n\nInvoked with: {}",
               name, number);
  }
}
bool recipe_is(Dims recipe, std::initializer_list<Scaling> expected) {
  return std::equal(recipe.begin(), recipe.end(), expected.begin(), expected.end(),
                    [](SymInt a, Scaling b) { return guard_int(a) == b; });
}
// The swizzle of the first scale; none given is no swizzle.
int64_t first_swizzle(Dims swizzle) { return swizzle.empty() ? 0 : guard_int(swizzle[0]); }
std::string swizzle_text(int64_t swizzle) {
  return swizzle == 0   ? "_SwizzleType.NO_SWIZZLE"
         : swizzle == 1 ? "_SwizzleType.SWIZZLE_32_4_4"
                        : "_SwizzleType.???";
}

struct Scales {
  TensorList a, b;
  int64_t swizzle_a, swizzle_b;
};

void check_value(Call& c, bool condition, const std::string& message) {
  c.check_as(ErrorKind::kValueError, condition, "{}", message);
}

void check_tensorwise_v2(Call& c, const Tensor& a, const Tensor& b) {
  const auto is_one = [](const Tensor& t) {
    return guard_bool(t.numel() == 1) && t.dtype() == DType::kFloat32;
  };
  check_value(c, is_one(a), "scale_a must have 1 Float element");
  check_value(c, is_one(b), "scale_b must have 1 Float element");
}
void check_rowwise_v2(Call& c, const Tensor& a, const Tensor& b, Sides sides) {
  const auto [m, k, n] = sides;
  const auto has_elements = [](const Tensor& t, SymInt count) {
    return guard_bool(t.numel() == count) && t.dtype() == DType::kFloat32;
  };
  check_value(c, all_of({a.size(0) == m, a.size(1) == 1}),
              format("scale_a must have shape [{}, 1], got {}", m, a.sizes()));
  check_value(c, has_elements(a, m),
              format("scale_a must have {} Float elements, got {}", m, a.numel()));
  check_value(c, has_elements(b, n),
              format("scale_b must have {} Float elements, got {}", n, b.numel()));
  check_value(c, guard_bool(a.stride(1) == 1),
              format("expected scale_a.stride(1) to be 1, but got {}", a.stride(1)));
  check_value(c, guard_bool(b.stride(1) == 1),
              format("expected scale_b.stride(1) to be 1, but got {}", b.stride(1)));
}

// Scales of blocks of 128: column-major, `rows` by `columns`.
bool is_column_of_blocks(const Tensor& scale, SymInt rows, SymInt columns) {
  return all_of({scale.size(0) == rows, scale.size(1) == columns, scale.stride(0) == 1}) &&
         (guard_bool(scale.stride(1) == rows) ||
          all_of({scale.size(1) == 1, scale.stride(1) == 1}));
}
void check_blocks_of_128(Call& c, const Tensor& a, const Tensor& b, Sides sides, bool large_a,
                         bool large_b) {
  const auto [m, k, n] = sides;
  const SymInt k_blocks = floor_div(k, 128);
  const SymInt padded = floor_div(k + 384, 512) * 4;
  const auto is_valid = [&](const Tensor& scale, SymInt rows, bool large) {
    return large ? is_column_of_blocks(scale, padded, floor_div(rows, 128))
                 : is_column_of_blocks(scale, rows, k_blocks);
  };
  c.check(is_float32(a, b) && is_valid(a, m, large_a) && is_valid(b, n, large_b),
          "For {} x {} blockwise scaling, scale a must have shape (got: torch.Size({})) scale b "
          "must have shape (got: torch.Size({}))",
          large_a ? "128x128" : "1x128", large_b ? "128x128" : "1x128", a.sizes(), b.sizes());
}

void check_mx(Call& c, const Scales& scales, Sides sides) {
  const SymInt blocks = round_up(ceil_div(sides.k, 32), 4);
  const SymInt size_a = round_up(sides.m, 128) * blocks;
  const SymInt size_b = round_up(sides.n, 128) * blocks;
  const Tensor& a = scales.a[0];
  const Tensor& b = scales.b[0];
  c.check(all_of({a.numel() == size_a, b.numel() == size_b}) &&
              are_both(a, b, DType::kFloat8E8M0FNU) && scales.swizzle_a == 1 &&
              scales.swizzle_b == 1,
          "for MX scaling scale_a must have {} (got: {}) and scale_b must have {} (got: {}). "
          "Scales must have types torch.float8_e8m0fnu (for self: {}, mat_b: {}) Must have swizzle "
          "type {} (got self: {}, mat_b: {})",
          size_a, a.numel(), size_b, b.numel(), a.dtype(), b.dtype(), swizzle_text(1),
          swizzle_text(scales.swizzle_a), swizzle_text(scales.swizzle_b));
}
void check_nv(Call& c, const Scales& scales, Sides sides, bool two_levels) {
  const SymInt blocks = round_up(ceil_div(sides.k, 16), 4);
  const SymInt size_a = round_up(sides.m, 128) * blocks;
  const SymInt size_b = round_up(sides.n, 128) * blocks;
  const Tensor& a = scales.a[0];
  const Tensor& b = scales.b[0];
  const bool has_second =
      !two_levels ||
      (scales.a.size() > 1 && scales.b.size() > 1 && is_float32(scales.a[1], scales.b[1]) &&
       all_of({scales.a[1].numel() == 1, scales.b[1].numel() == 1}));
  c.check(all_of({a.numel() == size_a, b.numel() == size_b}) &&
              are_both(a, b, DType::kFloat8E4M3FN) && has_second && scales.swizzle_a == 1 &&
              scales.swizzle_b == 1,
          "for {}NV scaling scale_a must have {} (got: {}) and scale_b must have {} (got: {}). "
          "Must have swizzle type {} (got self: {}, mat_b: {})",
          two_levels ? "" : "single-level ", size_a, a.numel(), size_b, b.numel(), swizzle_text(1),
          swizzle_text(scales.swizzle_a), swizzle_text(scales.swizzle_b));
}

void check_recipes(Call& c, const Scales& scales, Dims recipe_a, Dims recipe_b, Sides sides,
                   SymInt unpacked_k) {
  const Tensor& a = scales.a[0];
  const Tensor& b = scales.b[0];
  const auto are = [&](Scaling first, Scaling second) {
    return recipe_is(recipe_a, {first}) && recipe_is(recipe_b, {second});
  };
  const Sides unpacked = {sides.m, unpacked_k, sides.n};
  const bool is_nv = recipe_is(recipe_a, {kBlockWise1x16, kTensorWise}) &&
                     recipe_is(recipe_b, {kBlockWise1x16, kTensorWise});
  if (are(kTensorWise, kTensorWise)) return check_tensorwise_v2(c, a, b);
  if (are(kRowWise, kRowWise)) return check_rowwise_v2(c, a, b, sides);
  if (are(kBlockWise1x128, kBlockWise1x128))
    return check_blocks_of_128(c, a, b, unpacked, false, false);
  if (are(kBlockWise128x128, kBlockWise1x128))
    return check_blocks_of_128(c, a, b, unpacked, true, false);
  if (are(kBlockWise1x128, kBlockWise128x128))
    return check_blocks_of_128(c, a, b, unpacked, false, true);
  if (are(kBlockWise1x32, kBlockWise1x32)) return check_mx(c, scales, sides);
  if (are(kBlockWise1x16, kBlockWise1x16)) return check_nv(c, scales, unpacked, false);
  if (is_nv) return check_nv(c, scales, unpacked, true);
  const auto [m, k, n] = unpacked;
  const SymInt k_blocks = ceil_div(k, 128);
  // Python reads them from the left: a scale without dimensions is refused by its first.
  const SymInt got[] = {a.size(0), a.size(1), b.size(0), b.size(1)};
  c.check(false,
          "Invalid scaling configuration. For tensorwise scaling, both scales should be scalar. "
          "For rowwise scaling, scale_a should be ({}, 1), scale_b should be (1, {}). "
          "For (BlockWise1x128, BlockWise128x128), scale_a should be ({}, {}), scale_b should be "
          "({}, {}). For (BlockWise1x128, BlockWise1x128), scale_a should be ({}, {}), scale_b "
          "should be ({}, {}). Got scale_a.size()=({}, {}) and scale_b.size()=({}, {})",
          m, n, m, k_blocks, k_blocks, ceil_div(n, 128), m, k_blocks, k_blocks, n, got[0], got[1],
          got[2], got[3]);
}

// Mirrors _check_scaled_mm_sizes_v2.
Value scaled_mm_v2(Call& c, const Tensor& self, const Tensor& mat2, TensorList scale_a,
                   Dims recipe_a, Dims swizzle_a, TensorList scale_b, Dims recipe_b, Dims swizzle_b,
                   const Value&, std::optional<DType> out_dtype) {
  check_operands(c, self, mat2);
  const bool is_packed =
      self.dtype() == DType::kFloat4E2M1FNx2 && mat2.dtype() == DType::kFloat4E2M1FNx2;
  check_enum(c, recipe_a, "_ScalingType");
  check_enum(c, recipe_b, "_ScalingType");
  check_enum(c, swizzle_a, "_SwizzleType");
  check_enum(c, swizzle_b, "_SwizzleType");
  if (has_scale_formats(self)) {
    check_gpu_layout(c, self, mat2);
    c.check_as(ErrorKind::kIndexError, !scale_a.empty() && !scale_b.empty(),
               "list index out of range");
    const Scales scales = {scale_a, scale_b, first_swizzle(swizzle_a), first_swizzle(swizzle_b)};
    check_recipes(c, scales, recipe_a, recipe_b, {self.size(0), self.size(1), mat2.size(1)},
                  is_packed ? self.size(1) * 2 : self.size(1));
  }
  return c.empty({self.size(0), mat2.size(1)}, out_dtype.value_or(self.dtype()));
}

// --- groups of matrices ---

struct Group {
  Tensor* scale_a = nullptr;
  Tensor* scale_b = nullptr;
  Tensor* offsets = nullptr;
  Tensor* bias = nullptr;
  Tensor* scale_result = nullptr;
  std::optional<DType> out_dtype = {};
};

Dims last_two(const Tensor& a) { return a.strides().last(2); }

// One of the last two dimensions is dense, and the stride of the other a multiple of 16 bytes.
void check_group_strides(Call& c, const Tensor& a, std::string_view name) {
  const int64_t last = a.dim() - 1;
  const int64_t alignment = 16 / itemsize(a.dtype());
  const auto is_dense = [&](int64_t dense, int64_t other) {
    return all_of({a.stride(dense) == 1, a.stride(other) >= sym_max(1, a.size(dense))});
  };
  const bool is_column_major = is_dense(last - 1, last);
  c.check(is_column_major || is_dense(last, last - 1),
          "Invalid strides/sizes, got {} for strides and torch.Size({}) for sizes.",
          tuple_text(a.strides()), a.sizes());
  const int64_t other = is_column_major ? last : last - 1;
  c.check(mod(a.stride(other), alignment) == 0,
          "Expected {} stride along {} dim to be multiple of 16 bytes, got {}.", name, other,
          a.stride(other));
}

void check_group_scale(Call& c, std::string_view name, const Tensor& scale, const Tensor& mat,
                       size_t scaled_dim, SymInt multiplier, bool is_mxfp8) {
  if (mat.dim() == 2) {
    c.check(scale.is_contiguous(), "Expected {} to be contiguous.", name);
    if (is_mxfp8) {
      c.check(scale.dim() == mat.dim(),
              "For MXFP8, scale must have same number of dimensions as target tensor, but {} has "
              "mat.ndim={} and scale.ndim={}",
              name, mat.dim(), scale.dim());
      return;
    }
    const SymInt expected = mat.sizes()[scaled_dim] * multiplier;
    c.check(scale.dim() == 1, "Expected {} to be 1D tensor, but got {}D tensor.", name,
            scale.dim());
    c.check(scale.size(0) == expected, "Expected {} to have {} elements, got {} elements.", name,
            expected, scale.size(0));
    return;
  }
  c.check(scale.stride(-1) == 1, "Expected {} to be contiguous in the last dimension.", name);
  c.check(scale.size(0) == mat.size(0), "Expected {} batch dimension to be {}, got {}.", name,
          mat.size(0), scale.size(0));
  if (is_mxfp8) {
    c.check(scale.dim() == mat.dim() - 1,
            "For MXFP8, 3d tensor should have 2d scales, but {} has mat.ndim={} and scale.ndim={}",
            name, mat.dim(), scale.dim());
    const SymInt blocks = floor_div(mat.size(1) + 96, 128) * 4 * round_up(mat.size(2), 128);
    c.check(scale.size(1) == blocks,
            "For MXFP8, expected mat.shape=torch.Size({}) to have scale shape of ({},{}), but got "
            "torch.Size({})",
            mat.sizes(), mat.size(0), blocks, scale.sizes());
    return;
  }
  const SymInt expected = mat.sizes()[1 + scaled_dim];
  c.check(scale.dim() == 2, "Expected {} to be 2D tensor, but got {}D tensor.", name, scale.dim());
  c.check(scale.size(1) == expected, "Expected {} non-batch dimension to be {}, got {}.", name,
          expected, scale.size(1));
}

void check_group_scales(Call& c, const Tensor& a, const Tensor& b, const Group& group) {
  const Tensor& scale_a = *group.scale_a;
  const Tensor& scale_b = *group.scale_b;
  const bool is_mxfp8 = are_both(scale_a, scale_b, DType::kFloat8E8M0FNU);
  c.check(is_float32(scale_a, scale_b) || is_mxfp8,
          "For FP8 scales must both be float32, or for MXFP8 both scales must be float8_e8m0fnu. "
          "Got scale_a.dtype={} and scale_b.dtype={}.",
          scale_a.dtype(), scale_b.dtype());
  const bool many = group.offsets != nullptr && a.dim() == 2 && b.dim() == 2;
  const SymInt multiplier = many ? group.offsets->size(0) : SymInt(1);
  check_group_scale(c, "scale_a", scale_a, a, 0, multiplier, is_mxfp8);
  check_group_scale(c, "scale_b", scale_b, b, 1, multiplier, is_mxfp8);
  c.check(group.scale_result == nullptr,
          "Scale result tensor provided, but it is not supported yet.");
}

void check_group_matrices(Call& c, const Tensor& a, const Tensor& b, bool is_scaled) {
  const DType dtype = is_scaled ? DType::kFloat8E4M3FN : DType::kBFloat16;
  c.check(are_both(a, b, dtype),
          "Expected inputs of {} type but got mat_a.dtype={} and mat_b.dtype={}.",
          is_scaled ? "E4M3 FP8" : "BF16", a.dtype(), b.dtype());
  const auto is_group = [](const Tensor& t) { return t.dim() == 2 || t.dim() == 3; };
  c.check(is_group(a) && is_group(b),
          "Multiplicands must be 2D or 3D but got mat_a.dim()={} and mat_b.dim()={}", a.dim(),
          b.dim());
  if (a.dim() == 3 || b.dim() == 3) {
    c.check(a.size(-1) == b.size(-2), "contraction dimension of mat_a and mat_b must match");
  }
  if (is_scaled) {
    c.check(all_of({a.stride(-2) > 1, a.stride(-1) == 1}),
            "Expected mat_a tensor to be row major in the last two dimensions, got strides {}",
            tuple_text(last_two(a)));
    c.check(all_of({b.stride(-2) == 1, b.stride(-1) > 1}),
            "Expected mat_b tensor to be column major in the last two dimensions, got strides {}",
            tuple_text(last_two(b)));
  }
  check_group_strides(c, a, "mat_a");
  check_group_strides(c, b, "mat_b");
}

void check_group_offsets(Call& c, const Tensor& a, const Tensor& b, const Tensor* offsets) {
  if (a.dim() == 3 && b.dim() == 3) {
    c.check(offsets == nullptr,
            "Offsets tensor provided, but is not needed for 3D/3D multiplicand layouts.");
    return;
  }
  c.check(offsets != nullptr,
          "Offsets tensor not provided, but is needed for {}D/{}D multiplicand layouts.", a.dim(),
          b.dim());
  c.check(offsets->dim() == 1, "Offsets tensor must be 1D, but got offs.dim()={}.", offsets->dim());
  c.check(offsets->dtype() == DType::kInt32,
          "Offsets tensor must be integer (int32) tensor, but got {}.", offsets->dtype());
}

// Mirrors _create_grouped_mm_output_tensor: rows are padded to 16 bytes.
Value grouped_result(Call& c, const Tensor& a, const Tensor& b, const Group& group) {
  const bool a_is_2d = a.dim() == 2;
  const bool b_is_2d = b.dim() == 2;
  const DType dtype = group.out_dtype.value_or(a.dtype());
  DimVector sizes;
  if (a_is_2d != b_is_2d) {
    c.check(group.offsets->size(0) == (a_is_2d ? b : a).size(0),
            "matrix batch sizes have to match");
    sizes = {a.size(-2), b.size(-1)};
  } else {
    if (!a_is_2d) c.check(a.size(0) == b.size(0), "batched dimension has to match");
    sizes = {a_is_2d ? group.offsets->size(0) : a.size(0), a.size(-2), b.size(-1)};
  }
  const SymInt row = round_up(sizes.back(), 16 / itemsize(dtype));
  DimVector strides = {row, 1};
  if (a_is_2d == b_is_2d) strides = {sizes[1] * row, row, 1};
  return c.empty_strided(sizes, strides, dtype);
}

// Mirrors _meta_grouped_mm_common.
Value grouped(Call& c, const Tensor& a, const Tensor& b, const Group& group) {
  const bool is_scaled = group.scale_a != nullptr;
  check_group_matrices(c, a, b, is_scaled);
  if (is_scaled) check_group_scales(c, a, b, group);
  check_group_offsets(c, a, b, group.offsets);
  c.check(group.bias == nullptr, "Bias tensor provided, but it is not supported yet.");
  c.check(group.out_dtype.value_or(DType::kBFloat16) == DType::kBFloat16,
          "If output dtype provided, it must be torch.bfloat16.");
  return grouped_result(c, a, b, group);
}
Value grouped_mm(Call& c, const Tensor& self, const Tensor& mat2, Tensor* offsets, Tensor* bias,
                 std::optional<DType> out_dtype) {
  return grouped(c, self, mat2, {.offsets = offsets, .bias = bias, .out_dtype = out_dtype});
}
Value scaled_grouped_mm(Call& c, const Tensor& self, const Tensor& mat2, const Tensor& scale_a,
                        const Tensor& scale_b, Tensor* offsets, Tensor* bias, Tensor* scale_result,
                        std::optional<DType> out_dtype) {
  return grouped(c, self, mat2,
                 {const_cast<Tensor*>(&scale_a), const_cast<Tensor*>(&scale_b), offsets, bias,
                  scale_result, out_dtype.value_or(DType::kBFloat16)});
}

// clang-format off
constexpr OpDef kScaledMatmulRules[] = {
    {"aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor", rule<&grouped_mm>(), kRealDerivative, derivative<Derivative{.without_formula = "offs,bias"}>},
    {"aten::_scaled_grouped_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? offs=None, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor", rule<&scaled_grouped_mm>()},
    {"aten::_scaled_mm(Tensor self, Tensor mat2, Tensor scale_a, Tensor scale_b, Tensor? bias=None, Tensor? scale_result=None, ScalarType? out_dtype=None, bool use_fast_accum=False) -> Tensor", rule<&scaled_mm>(), kDeviceHint},
    {"aten::_scaled_mm_v2(Tensor self, Tensor mat2, Tensor[] scale_a, int[] recipe_a, int[] swizzle_a, Tensor[] scale_b, int[] recipe_b, int[] swizzle_b, Tensor? bias, ScalarType? out_dtype, int[] contraction_dim=[], bool use_fast_accum=False) -> Tensor", rule<&scaled_mm_v2>(), kDeviceHint},
};
// clang-format on
}  // namespace
}  // namespace rules_of_scaled_matmul

std::span<const OpDef> scaled_matmul_rules() { return rules_of_scaled_matmul::kScaledMatmulRules; }

}  // namespace faketensor
