// Gradients of the attention kernels: like their inputs, or with heads next to head sizes.
#include "core/ops/call.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_attention_backward {
namespace {

// Like query, key and value. Mirrors meta__scaled_dot_product_flash_backward and its kin,
// torch/_meta_registrations.py.
Value like_inputs(Call& c, Tensor*, const Tensor& query, const Tensor& key, const Tensor& value) {
  (void)c.device();
  return c.tuple({c.empty_like(query), c.empty_like(key), c.empty_like(value)});
}

// Mirrors meta__scaled_dot_product_fused_attention_overrideable_backward,
// torch/_meta_registrations.py.
Value overrideable_attention_backward(Call& c, const Tensor&, const Tensor& query,
                                      const Tensor& key, const Tensor& value, Tensor* attn_bias) {
  (void)c.device();
  return c.tuple({c.empty_like(query), c.empty_like(key), c.empty_like(value),
                  attn_bias != nullptr ? c.empty_like(*attn_bias) : nullptr});
}

// torch.empty_permuted(sizes, (0, 2, 1, 3)).
Tensor* by_position(Call& c, Dims sizes, DType dtype) {
  constexpr int64_t kOrder[] = {0, 2, 1, 3};
  c.check(sizes.size() == 4,
          "Number of dimensions in size does not match the length of the physical_layout; i.e. "
          "len(size) = {} is not equal to len(physical_layout) = 4",
          sizes.size());
  return c.empty_strided(sizes, permuted_strides(sizes, kOrder), dtype);
}

// Mirrors meta__scaled_dot_product_flash_attention_for_cpu_backward,
// torch/_meta_registrations.py. Any of its tensors may be undefined; Python asks three for sizes.
Value flash_attention_for_cpu_backward(Call& c, Tensor*, Tensor* query, Tensor* key,
                                       Tensor* value) {
  const auto gradient = [&](const Tensor* tensor) {
    c.check_as(ErrorKind::kAttributeError, tensor != nullptr,
               "'NoneType' object has no attribute 'size'");
    return by_position(c, tensor->sizes(), tensor->dtype());
  };
  return c.tuple({gradient(query), gradient(key), gradient(value)});
}

// A bias's gradient: a part of a tensor whose last size is a multiple of 16.
Value padded_bias(Call& c, const Tensor& bias) {
  const SymInt last = bias.size(-1);
  const SymInt over = mod(last, 16);
  DimVector sizes(bias.sizes());
  sizes.back() = guard_bool(over == 0) ? last : last + 16 - over;
  Tensor* padded = c.empty(sizes, bias.dtype());
  return c.view(*padded, bias.sizes(), padded->strides());
}

// Mirrors meta__scaled_dot_product_efficient_backward, torch/_meta_registrations.py.
Value sdpa_efficient_backward(Call& c, Tensor*, const Tensor& query, const Tensor& key,
                              const Tensor& value, Tensor* attn_bias, const Tensor&, const Tensor&,
                              const Tensor&, const Tensor&, double, const Value& grad_input_mask) {
  const DimVector query_sizes = {query.size(0), query.size(1), query.size(2), query.size(3)};
  const SymInt value_size = value.size(3);
  const SymInt keys = key.size(2);
  const DimVector key_sizes = {query_sizes[0], query_sizes[1], keys, query_sizes[3]};
  const DimVector value_sizes = {query_sizes[0], query_sizes[1], keys, value_size};
  Tensor* grad_query = by_position(c, query_sizes, query.dtype());
  Tensor* grad_key = by_position(c, key_sizes, key.dtype());
  Tensor* grad_value = by_position(c, value_sizes, value.dtype());
  c.check_as(ErrorKind::kIndexError, attn_bias == nullptr || grad_input_mask.size() > 3,
             "list index out of range");
  const bool has_bias = attn_bias != nullptr && grad_input_mask[3].to_bool();
  return c.tuple(
      {grad_query, grad_key, grad_value, has_bias ? padded_bias(c, *attn_bias) : Value()});
}

// Query, key and value as slices of one tensor.
Value shared_gradients(Call& c, const Tensor& query, const Tensor& key, const Value& grad_bias) {
  c.check_as(ErrorKind::kIndexError, query.dim() > 3 && key.dim() > 3, "tuple index out of range");
  c.check(query.size(1) == key.size(1), "seqlen must match for `shared_storage_dqdkdv");
  c.check(query.size(3) == key.size(3), "embedding dim must match for `shared_storage_dqdkdv");
  DimVector sizes(query.sizes());
  sizes.insert(sizes.size() - 2, 3);
  const Value chunk = *c.empty(sizes, query.dtype());
  return c.tuple({c.call<"aten::select.int">(chunk, -3, 0),
                  c.call<"aten::select.int">(chunk, -3, 1),
                  c.call<"aten::select.int">(chunk, -3, 2), grad_bias});
}

// Mirrors meta__efficient_attention_backward, torch/_meta_registrations.py.
Value efficient_attention_backward(Call& c, const Tensor&, const Tensor& query, const Tensor& key,
                                   const Tensor& value, Tensor* bias, const Value&, const Value&,
                                   const Value&, const Value&, const Value&, const Value&,
                                   const Value&, const Value&, const Value&, const Value&,
                                   const Value&, const Value&, const Value&, const Value&,
                                   bool shared_storage) {
  const Value grad_bias =
      bias != nullptr ? padded_bias(c, *bias) : Value(c.empty({}, c.context().default_dtype));
  if (shared_storage) return shared_gradients(c, query, key, grad_bias);
  return c.tuple({c.empty_like(query), c.empty_like(key), c.empty_like(value), grad_bias});
}

// clang-format off
constexpr OpDef kAttentionBackward[] = {
    {"aten::_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor? bias, Tensor out, Tensor? cu_seqlens_q, Tensor? cu_seqlens_k, SymInt max_seqlen_q, SymInt max_seqlen_k, Tensor logsumexp, float dropout_p, Tensor philox_seed, Tensor philox_offset, int custom_mask_type, bool bias_requires_grad, *, float? scale=None, int? num_splits_key=None, int? window_size=None, bool shared_storage_dqdkdv=False) -> (Tensor, Tensor, Tensor, Tensor)", rule<&efficient_attention_backward>()},
    {"aten::_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, Tensor rng_state, Tensor unused, *, float? scale=None, SymInt? window_size_left=None, SymInt? window_size_right=None) -> (Tensor, Tensor, Tensor)", rule<&like_inputs>()},
    {"aten::_scaled_dot_product_cudnn_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, Tensor attn_bias, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, *, float? scale=None) -> (Tensor, Tensor, Tensor)", rule<&like_inputs>()},
    {"aten::_scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, Tensor value, Tensor attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, Tensor)", rule<&sdpa_efficient_backward>()},
    {"aten::_scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)", rule<&like_inputs>()},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)", rule<&flash_attention_for_cpu_backward>()},
    {"aten::_scaled_dot_product_fused_attention_overrideable_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor attn_bias, bool[4] grad_input_mask, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, float dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value, Tensor grad_attn_bias)", rule<&overrideable_attention_backward>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_attention_backward

std::span<const OpDef> attention_backward_rules() {
  return rules_of_attention_backward::kAttentionBackward;
}

}  // namespace faketensor
