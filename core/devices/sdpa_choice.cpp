#include "core/devices/sdpa_choice.h"

#include "core/symbolic/sym_int.h"

namespace faketensor {

namespace {

bool equal(SymInt a, SymInt b) { return guard_bool(a == b); }
bool equal(SymInt a, SymInt b, SymInt c) { return equal(a, b) && equal(a, c); }
// Whether a size broadcasts to another.
bool fits(SymInt size, SymInt to) { return equal(size, to) || equal(size, 1); }

bool all_have_rank_4(const SdpaArguments& a) {
  return a.query.dim() == 4 && a.key.dim() == 4 && a.value.dim() == 4;
}

// Mirrors check_batch_size_and_num_heads_dense.
bool batch_and_heads_match(const SdpaArguments& a, bool supports_gqa) {
  if (!equal(a.query.size(0), a.key.size(0), a.value.size(0))) return false;
  const SymInt heads = a.query.size(1);
  if (!a.enable_gqa || !supports_gqa) return equal(heads, a.key.size(1), a.value.size(1));
  return equal(a.key.size(1), a.value.size(1)) && equal(mod(heads, a.key.size(1)), 0);
}

// Mirrors check_attn_mask_shape.
bool mask_broadcasts(const SdpaArguments& a) {
  if (a.mask == nullptr) return true;
  const Tensor& mask = *a.mask;
  if (mask.meta->has(kRequiresGrad)) return false;
  if (!fits(mask.size(-2), a.query.size(2)) || !fits(mask.size(-1), a.key.size(2))) return false;
  if (mask.dim() == 2) return true;
  return mask.dim() == 4 && fits(mask.size(0), a.query.size(0)) &&
         fits(mask.size(1), a.query.size(1));
}

bool has_tokens(const SdpaArguments& a) {
  return !equal(a.query.size(-2), 0) && !equal(a.key.size(-2), 0);
}

bool last_dim_is_dense(const SdpaArguments& a, bool ignore_size_one) {
  const bool inputs =
      equal(a.query.stride(-1), 1) && equal(a.key.stride(-1), 1) && equal(a.value.stride(-1), 1);
  const bool ignored = ignore_size_one && equal(a.query.size(-1), 1);
  const bool mask = a.query.device().is_cpu() || a.mask == nullptr || equal(a.mask->stride(-1), 1);
  return (inputs || ignored) && mask;
}

bool has_one_head_size(const SdpaArguments& a) {
  return equal(a.query.size(-1), a.key.size(-1), a.value.size(-1));
}

bool has_one_dtype(const SdpaArguments& a) {
  return a.query.dtype() == a.key.dtype() && a.query.dtype() == a.value.dtype();
}

bool uses_flash_on_cpu(const SdpaArguments& a) {
  const DType dtype = a.query.dtype();
  return !(a.dropout > 0) && all_have_rank_4(a) && batch_and_heads_match(a, true) &&
         mask_broadcasts(a) && has_one_head_size(a) && has_tokens(a) &&
         last_dim_is_dense(a, false) && has_one_dtype(a) && is_floating(dtype) && !is_float8(dtype);
}

// Mirrors can_use_flash_attention of the CUDA file: sm_80 or newer, half types, no mask.
bool uses_flash_on_cuda(const SdpaArguments& a, const Target& target) {
  if (target.sm < 80 || a.mask != nullptr || !all_have_rank_4(a)) return false;
  const bool square = !a.is_causal || equal(a.query.size(-2), a.key.size(-2));
  return batch_and_heads_match(a, true) && has_one_head_size(a) &&
         guard_bool(a.query.size(-1) <= 256) && square && has_tokens(a) &&
         last_dim_is_dense(a, true) && has_one_dtype(a) && is_reduced_floating(a.query.dtype());
}

// Mirrors can_use_mem_efficient_attention: head sizes in whole vectors of 16 bytes on tensor cores.
bool uses_efficient_on_cuda(const SdpaArguments& a, const Target& target) {
  const DType dtype = a.query.dtype();
  const bool has_dtype = dtype == DType::kFloat32 || dtype == DType::kFloat16 ||
                         (dtype == DType::kBFloat16 && target.sm >= 80);
  if (!has_dtype || !has_one_dtype(a) || !all_have_rank_4(a)) return false;
  const int64_t alignment = is_reduced_floating(dtype) ? 8 : (target.sm >= 80 ? 4 : 1);
  const bool aligned = equal(a.query.size(-1), a.key.size(-1)) &&
                       equal(mod(a.query.size(-1), alignment), 0) &&
                       equal(mod(a.value.size(-1), alignment), 0);
  return aligned && batch_and_heads_match(a, false) && has_tokens(a) && last_dim_is_dense(a, false);
}

}  // namespace

SdpaKernel choose_sdpa(const SdpaArguments& arguments, const Target& target) {
  const Device device = arguments.query.device();
  if (device.is_cpu()) {
    return uses_flash_on_cpu(arguments) ? SdpaKernel::kFlash : SdpaKernel::kMath;
  }
  if (!device.is_cuda() || !target.has_gpu()) return SdpaKernel::kMath;
  if (uses_flash_on_cuda(arguments, target)) return SdpaKernel::kFlash;
  return uses_efficient_on_cuda(arguments, target) ? SdpaKernel::kEfficient : SdpaKernel::kMath;
}

}  // namespace faketensor
