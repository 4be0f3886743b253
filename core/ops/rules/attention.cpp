// Attention: scaled_dot_product_attention, the kernels it may run, and the fused blocks around it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/devices/sdpa_choice.h"
#include "core/ops/families/arithmetic.h"
#include "core/ops/families/factory.h"
#include "core/ops/rules/tables.h"
#include "core/ops/variables.h"
#include "core/support/python_sort.h"
#include "core/tensor/cpp_type_name.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_attention {
namespace {

// The numbers that dropout's backward would need. PyTorch makes them on the device of the results.
struct RandomState {
  Tensor* seed;
  Tensor* offset;
};
RandomState random_state(Call& c) {
  return {c.empty(Dims(), DType::kInt64), c.empty(Dims(), DType::kInt64)};
}
RandomState flash_random_state(Call& c) {
  return {c.empty({2}, DType::kUInt64), c.empty(Dims(), DType::kUInt64)};
}

SymInt round_up(SymInt size, int64_t to) { return floor_div(size + (to - 1), to) * to; }

// --- kernels ---

// Mirrors meta__scaled_dot_product_flash_attention_for_cpu, torch/_meta_registrations.py.
Value flash_attention_for_cpu(Call& c, const Tensor& query) {
  const SymInt batch = query.size(0);
  const SymInt heads = query.size(1);
  const SymInt length = query.size(2);
  Tensor* attention = c.empty_like(query);
  const DimVector sizes = {batch, heads, length};
  // Allocated as [batch, length, heads], then transposed.
  const DimVector allocated = contiguous_strides(DimVector{batch, length, heads});
  const DimVector strides = {allocated[0], allocated[2], allocated[1]};
  Tensor* logsumexp = empty_restrided(c, sizes, strides, computation_dtype(query.dtype()));
  return c.tuple({attention, logsumexp});
}

// The probabilities that a flash kernel returns for debugging, else an empty tensor.
Tensor* flash_debug_mask(Call& c, const Tensor& query, Dims batch_and_heads, SymInt max_q,
                         SymInt max_k, bool wanted) {
  if (!wanted) return c.empty({0}, query.dtype());
  const int64_t block = guard_bool(query.size(-1) > 64) ? 128 : 256;
  SymInt length = floor_div(max_q + (block - 1), block);
  if (guard_bool(max_k <= 128)) {
    length = 128;
  } else if (guard_bool(max_k <= 256)) {
    length = 256;
  }
  return c.empty({batch_and_heads[0], batch_and_heads[1], max_q, length}, query.dtype());
}

// Mirrors meta__scaled_dot_product_flash_attention, torch/_meta_registrations.py.
Value flash_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor&, double, bool,
                      bool return_debug_mask) {
  const SymInt batch = query.size(0);
  const SymInt heads = query.size(1);
  const SymInt max_q = query.size(2);
  query.size(3);
  const SymInt max_k = key.size(2);
  const DimVector rows = {batch, heads, max_q};
  Tensor* attention = c.empty_like(query);
  Tensor* logsumexp = c.empty(rows, DType::kFloat32);
  Tensor* debug_mask = flash_debug_mask(c, query, rows, max_q, max_k, return_debug_mask);
  const RandomState random = flash_random_state(c);
  return c.tuple({attention, logsumexp, nullptr, nullptr, max_q, max_k, random.seed, random.offset,
                  debug_mask});
}
Value quantized_flash_attention(Call& c, const Tensor& query, const Tensor& key,
                                const Tensor& value, Tensor*, Tensor*, Tensor*, double dropout,
                                bool is_causal, bool return_debug_mask) {
  const Tensor& wide =
      query.dtype() == DType::kFloat8E4M3FN ? *cast_to(c, query, DType::kBFloat16) : query;
  return flash_attention(c, wide, key, value, dropout, is_causal, return_debug_mask);
}

// Mirrors meta__scaled_dot_product_efficient_attention, torch/_meta_registrations.py.
Value efficient_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor& value,
                          Tensor*, bool compute_log_sumexp) {
  const Tensor& rows = c.tensor<"aten::transpose.int">(query, 1, 2);
  c.call<"aten::transpose.int">(key, 1, 2);
  const Tensor& values = c.tensor<"aten::transpose.int">(value, 1, 2);
  const SymInt heads = rows.size(-2);
  const DimVector sizes = {rows.size(0), rows.size(1), heads, values.size(-1)};
  const Value result = c.call<"aten::transpose.int">(*c.empty(sizes, query.dtype()), 1, 2);
  const SymInt length = compute_log_sumexp ? round_up(rows.size(1), 32) : SymInt(0);
  Tensor* logsumexp = c.empty({rows.size(0), heads, length}, DType::kFloat32);
  const RandomState random = random_state(c);
  return c.tuple({result, logsumexp, random.seed, random.offset});
}

// Mirrors alloc_with_matching_layout, torch/_meta_registrations.py: `sizes` with four dimensions in
// the order of the query's strides, the largest first.
Tensor* empty_in_order_of(Call& c, const Tensor& query, const DimVector& sizes) {
  const bool same = guard_equal(sizes, query.sizes());
  if (same) return c.empty_like(query);
  c.check_as(ErrorKind::kIndexError, query.dim() >= 4, "tuple index out of range");
  // sorted(reverse=True) sorts the reversed list and reverses the result.
  SmallVector<int64_t, 4> order = {3, 2, 1, 0};
  python_sort(order,
              [&](int64_t a, int64_t b) { return guard_bool(query.stride(a) < query.stride(b)); });
  std::reverse(order.begin(), order.end());
  return c.empty_strided(sizes, permuted_strides(sizes, order.span()), query.dtype());
}

// Mirrors meta__scaled_dot_product_cudnn_attention, torch/_meta_registrations.py.
Value cudnn_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor& value) {
  const DimVector sizes = {query.size(0), query.size(1), query.size(2), value.size(-1)};
  const SymInt max_k = key.size(2);
  Tensor* result = empty_in_order_of(c, query, sizes);
  Tensor* logsumexp = c.empty({sizes[0], sizes[1], sizes[2], 1}, DType::kFloat32);
  const RandomState random = random_state(c);
  return c.tuple(
      {result, logsumexp, nullptr, nullptr, sizes[2], max_k, random.seed, random.offset, nullptr});
}

// Mirrors meta__scaled_dot_product_fused_attention_overrideable, torch/_meta_registrations.py.
Value overrideable_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor& value) {
  c.check(query.dim() == 3 || query.dim() == 4, "query must be 3D or 4D");
  DimVector sizes(query.sizes());
  sizes.back() = value.size(-1);
  const SymInt max_k = key.size(-2);
  const SymInt batch = query.dim() == 4 ? query.size(0) : SymInt(1);
  Tensor* result = empty_in_order_of(c, query, sizes);
  Tensor* logsumexp = c.empty({batch, query.size(-3), query.size(-2)}, DType::kFloat32);
  const RandomState random = random_state(c);
  return c.tuple({result, logsumexp, nullptr, nullptr, query.size(-2), max_k, random.seed,
                  random.offset, nullptr});
}

// Mirrors meta__flash_attention_forward, torch/_meta_registrations.py: rows of one length, or (with
// cum_seq_q) of many lengths one after the other.
Value flash_attention_forward(Call& c, const Tensor& query, const Tensor& key, const Tensor&,
                              Tensor* cum_seq_q, Tensor* cum_seq_k, SymInt max_q, SymInt max_k,
                              double, bool, bool return_debug_mask) {
  const SymInt batch = cum_seq_q == nullptr ? query.size(0) : cum_seq_q->numel() - 1;
  const SymInt length_q = cum_seq_q == nullptr ? query.size(1) : max_q;
  const SymInt length_k = cum_seq_k == nullptr ? key.size(1) : max_k;
  const DimVector rows = {batch, query.size(-2), length_q};
  Tensor* attention = c.empty_like(query);
  Tensor* logsumexp = cum_seq_q == nullptr ? c.empty(rows, DType::kFloat32)
                                           : c.empty({rows[1], query.size(0)}, DType::kFloat32);
  Tensor* debug_mask = flash_debug_mask(c, query, rows, length_q, length_k, return_debug_mask);
  const RandomState random = flash_random_state(c);
  return c.tuple({attention, logsumexp, random.seed, random.offset, debug_mask});
}

// Mirrors meta__flash_attention_forward_quantized: float8 is attended to in bfloat16.
Value flash_attention_forward_quantized(Call& c, const Tensor& query, const Tensor& key,
                                        const Tensor& value, Tensor* cum_seq_q, Tensor* cum_seq_k,
                                        SymInt max_q, SymInt max_k, double dropout_p,
                                        bool is_causal, bool return_debug_mask) {
  const bool is_float8 = query.dtype() == DType::kFloat8E4M3FN;
  const Tensor& wide = is_float8 ? c.tensor<"aten::to.dtype">(query, DType::kBFloat16) : query;
  return flash_attention_forward(c, wide, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p,
                                 is_causal, return_debug_mask);
}

// Mirrors meta__efficient_attention_forward, torch/_meta_registrations.py.
Value efficient_attention_forward(Call& c, const Tensor& query, const Tensor& key,
                                  const Tensor& value, Tensor*, Tensor* cu_seqlens_q, Tensor*,
                                  std::optional<SymInt> max_seqlen_q,
                                  std::optional<SymInt> max_seqlen_k, double, int64_t,
                                  bool compute_log_sumexp) {
  const DimVector sizes = {query.size(0), query.size(1), query.size(-2), value.size(-1)};
  Tensor* result = c.empty(sizes, query.dtype());
  const bool ragged = cu_seqlens_q != nullptr;
  c.check_as(ErrorKind::kAssertionError, !ragged || max_seqlen_q.has_value(),
             "max_seqlen_q must not be None when cu_seqlens_q is provided");
  const SymInt length_q = ragged ? *max_seqlen_q : sizes[1];
  const SymInt length_k = max_seqlen_k.value_or(key.size(1));
  const SymInt batch = ragged ? cu_seqlens_q->size(0) - 1 : sizes[0];
  const SymInt padded = compute_log_sumexp ? round_up(length_q, 32) : SymInt(0);
  Tensor* logsumexp = c.empty({batch, sizes[2], padded}, DType::kFloat32);
  const RandomState random = random_state(c);
  return c.tuple({result, logsumexp, random.seed, random.offset, length_q, length_k});
}

// --- the composition of matrix products ---

// A boolean mask as what is added to the scores. Mirrors convert_boolean_attn_mask,
// aten/src/ATen/native/transformers/attention.cpp.
Value additive_mask(Call& c, const Value& mask, DType dtype) {
  if (mask.is_none() || !is_bool(mask.tensor().dtype())) return mask;
  const double infinity = std::numeric_limits<double>::infinity();
  const Value never =
      c.call<"aten::scalar_tensor">(-infinity, dtype, Value(), mask.tensor().device(), Value());
  Variables statement(c);
  return c.call<"aten::where.ScalarSelf">(mask, 0.0, statement.keep(never));
}

// Keys or values with each head repeated for the query heads that share it.
Value repeated_heads(Call& c, const Value& x, SymInt query_heads) {
  const SymInt repeats = floor_div(query_heads, x.tensor().size(-3));
  return c.call<"aten::repeat_interleave.self_int">(x, repeats, -3, nullptr);
}

// Mirrors pre_process_group_query_attention_input, aten/src/ATen/native/transformers/attention.cpp.
void repeat_heads(Call& c, const Tensor& query, Value& key, Value& value) {
  const SymInt heads = query.size(-3);
  const SymInt key_heads = key.tensor().size(-3);
  const SymInt value_heads = value.tensor().size(-3);
  const bool equal = guard_bool(heads == key_heads) && guard_bool(key_heads == value_heads);
  if (equal) return;
  c.check(guard_bool(mod(heads, key_heads) == 0) && guard_bool(mod(heads, value_heads) == 0),
          "Number of heads in key and value must divide the number of heads in ");
  key = repeated_heads(c, key, heads);
  value = repeated_heads(c, value, heads);
}

// sdp::calculate_scale, and its root: what queries and keys are multiplied by. Of a size that is not
// known, 1.
double scale_of_each(const Tensor& query, const Value& given) {
  const SymInt size = query.size(-1);
  double scale = 1.0;
  if (!given.is_none()) {
    scale = given.to_double();
  } else if (!size.is_symbolic() && size.as_int() > 0) {
    scale = 1.0 / std::sqrt(static_cast<double>(size.as_int()));
  }
  return std::sqrt(std::abs(scale));
}

// Zero where a query may look, else minus infinity.
Value causal_mask(Call& c, const Tensor& scaled, const Tensor& key) {
  const DimVector sizes = {scaled.size(-2), key.size(-2)};
  const Value ones =
      c.call<"aten::ones">(sizes, DType::kBool, Layout::kStrided, scaled.device(), false);
  return additive_mask(c, c.call<"aten::tril">(ones), scaled.dtype());
}

// Mirrors _scaled_dot_product_attention_math, aten/src/ATen/native/transformers/attention.cpp.
Value attention_math(Call& c, const Tensor& query, const Tensor& key, const Tensor& value,
                     Tensor* attn_mask, double dropout_p, bool is_causal, Tensor* dropout_mask,
                     const Value& given_scale, bool enable_gqa) {
  const DType dtype = query.dtype();
  Variables block(c);
  const auto widened = [&](const Tensor& x) -> Value {
    if (!is_reduced_floating(x.dtype())) return x;
    return block.keep(c.call<"aten::to.dtype">(x, DType::kFloat32));
  };
  const bool is_negative = !given_scale.is_none() && given_scale.to_double() < 0;
  const double root = scale_of_each(query, given_scale);
  const Value scale = root;
  const Value wide_query = widened(query);
  Value keys = widened(key);
  Value values = widened(value);
  const Value query_scale = is_negative ? -root : root;
  const Tensor& scaled = block.keep(c.call<"aten::mul.Scalar">(wide_query, query_scale)).tensor();
  Value mask = attn_mask == nullptr ? Value() : Value(*attn_mask);
  if (is_causal) {
    c.check(attn_mask == nullptr,
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True");
    mask = causal_mask(c, scaled, key);
  }
  if (!mask.is_none()) block.keep(mask);
  if (enable_gqa) {
    repeat_heads(c, scaled, keys, values);
    block.keep(keys);
    block.keep(values);
  }
  const Value transposed = c.call<"aten::transpose.int">(keys, -2, -1);
  Value attention;
  {
    Variables statement(c);
    const Value scaled_keys = statement.keep(c.call<"aten::mul.Scalar">(transposed, scale));
    attention = c.call<"aten::matmul">(scaled, scaled_keys);
  }
  if (!mask.is_none()) attention = c.call<"aten::add.Tensor">(attention, mask);
  attention = c.call<"aten::_safe_softmax">(attention, -1);
  if (dropout_p > 0.0 && dropout_mask != nullptr) {
    const Value dropped = c.call<"aten::logical_not">(*dropout_mask);
    attention = c.call<"aten::masked_fill.Scalar">(attention, dropped, 0.0);
    values = *arithmetic(c, values, scale);
  } else if (dropout_p > 0.0) {
    attention = c.call<"aten::dropout">(attention, dropout_p, true);
  }
  block.keep(attention);
  const auto narrowed = [&](const Value& x) {
    return x.tensor().dtype() == dtype ? x : c.call<"aten::to.dtype">(x, dtype);
  };
  // The tuple's elements are made from the right.
  const Value weights = narrowed(attention);
  const Value output = block.keep(c.call<"aten::matmul">(attention, values));
  return c.tuple({narrowed(output), weights});
}

// --- the operator ---

// Mirrors validate_sdpa_input, aten/src/ATen/native/transformers/attention.cpp.
void check_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor& value,
                     const Tensor* mask) {
  const auto type = [](const Tensor& x) { return cpp_type_name(x.dtype()); };
  c.check(query.dtype() == key.dtype() && query.dtype() == value.dtype(),
          "Expected query, key, and value to have the same dtype, but got query.dtype: {} "
          "key.dtype: {} and value.dtype: {} instead.",
          type(query), type(key), type(value));
  c.check(query.device() == key.device() && query.device() == value.device(),
          "Expected query, key, and value to have the same device type, but got query.device: {} "
          "key.device: {} and value.device: {} instead.",
          query.device(), key.device(), value.device());
  c.check(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
          "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} "
          "key.dim: {} and value.dim: {} instead.",
          query.dim(), key.dim(), value.dim());
  if (mask == nullptr) return;
  c.check(
      is_bool(mask->dtype()) || mask->dtype() == DType::kFloat32 || mask->dtype() == query.dtype(),
      "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
      "attn_mask.dtype: {} and  query.dtype: {} instead.",
      type(*mask), type(query));
}

// CUDA's flash kernel takes head sizes in multiples of 8.
Value padded_flash_attention(Call& c, const Tensor& query, const Tensor& key, const Tensor& value,
                             double dropout_p, bool is_causal, const Value& scale) {
  const SymInt head = query.size(-1);
  const bool is_whole = guard_bool(mod(head, 8) == 0);
  Variables block(c);
  const auto padded = [&](const Tensor& x) -> Value {
    if (is_whole) return x;
    const DimVector pad = {0, round_up(head, 8) - head};
    return block.keep(c.call<"aten::pad">(x, pad, "constant", nullptr));
  };
  const Value padded_query = padded(query);
  const Value padded_key = padded(key);
  const Value output = c.call<"aten::_scaled_dot_product_flash_attention">(
      padded_query, padded_key, padded(value), dropout_p, is_causal, false, scale)[0];
  return is_whole ? output : c.call<"aten::slice.Tensor">(output, -1, 0, head);
}

// What attention is where there is nothing to attend to: zeros, plus sums of the inputs times zero
// that let gradients flow.
Value empty_attention(Call& c, const Tensor& query, Dims sizes) {
  const DType dtype = query.dtype();
  return c.empty(sizes, is_bool(dtype) ? DType::kInt64 : dtype);
}

// Mirrors scaled_dot_product_attention, aten/src/ATen/native/transformers/attention.cpp.
Value scaled_dot_product_attention(Call& c, const Tensor& query, const Tensor& key,
                                   const Tensor& value, Tensor* attn_mask, double dropout_p,
                                   bool is_causal, const Value& scale, bool enable_gqa) {
  check_attention(c, query, key, value, attn_mask);
  DimVector sizes(query.sizes());
  sizes.back() = value.size(-1);
  if (guard_or_false(numel(sizes) == 0) || guard_or_false(key.size(-2) == 0))
    return empty_attention(c, query, sizes);
  const SdpaArguments arguments = {query, key, value, attn_mask, dropout_p, is_causal, enable_gqa};
  const SdpaKernel kernel = choose_sdpa(arguments, c.target());
  Variables block(c);
  const Value given = attn_mask == nullptr ? Value() : Value(*attn_mask);
  const Value mask = additive_mask(c, given, query.dtype());
  if (!mask.is_none()) block.keep(mask);
  switch (kernel) {
    case SdpaKernel::kFlash:
      if (!query.device().is_cpu())
        return padded_flash_attention(c, query, key, value, dropout_p, is_causal, scale);
      return c.call<"aten::_scaled_dot_product_flash_attention_for_cpu">(
          query, key, value, dropout_p, is_causal, mask, scale)[0];
    case SdpaKernel::kEfficient:
      return c.call<"aten::_scaled_dot_product_efficient_attention">(
          query, key, value, mask, false, dropout_p, is_causal, scale)[0];
    case SdpaKernel::kMath:
      break;
  }
  return c.call<"aten::_scaled_dot_product_attention_math">(
      query, key, value, mask, dropout_p, is_causal, nullptr, scale, enable_gqa)[0];
}

// --- fused blocks ---

// Mirrors native_multi_head_attention_fake, torch/_meta_registrations.py.
Value multi_head_attention(Call& c, const Tensor& query, const Tensor&, const Tensor&, int64_t,
                           SymInt num_head, const Tensor&, const Tensor&, const Tensor& proj_weight,
                           const Tensor&, Tensor*, bool need_weights, bool average_attn_weights) {
  if (guard_bool(query.numel() == 0))
    return c.tuple({c.empty(query.sizes(), query.dtype()), c.empty({0}, query.dtype())});
  const SymInt batch = query.size(0);
  const SymInt length = query.size(1);
  Tensor* output = c.empty({batch, length, proj_weight.size(0)}, query.dtype());
  if (!need_weights) return c.tuple({output, c.empty({0}, query.dtype())});
  if (average_attn_weights)
    return c.tuple({output, c.empty({batch, length, length}, query.dtype())});
  return c.tuple({output, c.empty({batch, num_head, length, length}, query.dtype())});
}

// Mirrors meta__transformer_encoder_layer_fwd, torch/_meta_registrations.py.
Value transformer_encoder_layer(Call& c, const Tensor& src) {
  return guard_bool(src.numel() == 0) ? c.call<"aten::clone">(src) : Value(c.empty_like(src));
}

// Mirrors meta__flash_attention_forward_no_dropout_inplace, torch/_meta_registrations.py: only the
// logarithms of the sums are returned.
Value flash_into_out(Call& c, const Tensor&) {
  (void)c.device();
  return c.forward<"aten::_flash_attention_forward">(c.args().subspan(1))[1];
}

// Mirrors _fused_sdp_choice_meta: tensors that look as if they were on "meta" take the composite.
int64_t fused_sdp_choice(Call&) { return 0; }

// clang-format off
constexpr OpDef kAttention[] = {
    {"aten::_efficient_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? bias, Tensor? cu_seqlens_q, Tensor? cu_seqlens_k, SymInt? max_seqlen_q, SymInt? max_seqlen_k, float dropout_p, int custom_mask_type, bool compute_log_sumexp=False, *, float? scale=None, Tensor? seqlen_k=None, int? window_size=None) -> (Tensor output, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, SymInt max_seqlen_batch_q, SymInt max_seqlen_batch_k)", rule<&efficient_attention_forward>(), kRealDerivative, derivative<Derivative{.without_formula = "cu_seqlens_q,cu_seqlens_k,seqlen_k", .differentiable_results = 0b1}>},
    {"aten::_flash_attention_forward(Tensor query, Tensor key, Tensor value, Tensor? cum_seq_q, Tensor? cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, bool return_debug_mask, *, float? scale=None, SymInt? window_size_left=None, SymInt? window_size_right=None, Tensor? seqused_k=None, Tensor? alibi_slopes=None, Tensor? block_table=None, int? num_splits=None) -> (Tensor output, Tensor softmax_logsumexp, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)", rule<&flash_attention_forward>(), kRealDerivative, derivative<Derivative{.without_formula = "cum_seq_q,cum_seq_k,seqused_k,alibi_slopes,block_table", .differentiable_results = 0b1}>},
    {"aten::_flash_attention_forward.quantized(Tensor query, Tensor key, Tensor value, Tensor? cum_seq_q, Tensor? cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, bool return_debug_mask, Tensor? q_descale, Tensor? k_descale, Tensor? v_descale, *, float? scale=None, SymInt? window_size_left=None, SymInt? window_size_right=None, Tensor? seqused_k=None, Tensor? alibi_slopes=None) -> (Tensor output, Tensor softmax_logsumexp, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)", rule<&flash_attention_forward_quantized>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_flash_attention_forward_no_dropout_inplace(Tensor(a!) out, Tensor query, Tensor key, Tensor value, Tensor? cum_seq_q, Tensor? cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, bool return_debug_mask, *, float? scale=None, SymInt? window_size_left=None, SymInt? window_size_right=None, Tensor? seqused_k=None, Tensor? alibi_slopes=None, Tensor? block_table=None, int? num_splits=None) -> Tensor softmax_logsumexp", rule<&flash_into_out>()},
    {"aten::_fused_sdp_choice(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> int", rule<&fused_sdp_choice>(), kByMetaCpp},
    {"aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)", rule<&multi_head_attention>()},
    {"aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)", rule<&attention_math>(), kComposite},
    {"aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)", rule<&cudnn_attention>(), kRealDerivative, derivative<Derivative{.without_formula = "attn_bias", .differentiable_results = 0b1}>},
    {"aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)", rule<&efficient_attention>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)", rule<&flash_attention>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_scaled_dot_product_flash_attention.quantized(Tensor query, Tensor key, Tensor value, Tensor? q_descale, Tensor? k_descale, Tensor? v_descale, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)", rule<&quantized_flash_attention>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)", rule<&flash_attention_for_cpu>(), kRealDerivative, derivative<Derivative{.without_formula = "attn_mask", .differentiable_results = 0b1}>},
    {"aten::_scaled_dot_product_fused_attention_overrideable(Tensor query, Tensor key, Tensor value, Tensor? attn_bias=None, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)", rule<&overrideable_attention>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b1}>},
    {"aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor", rule<&transformer_encoder_layer>()},
    {"aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor", rule<&scaled_dot_product_attention>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_attention

std::span<const OpDef> attention_rules() { return rules_of_attention::kAttention; }

}  // namespace faketensor
