// Embeddings: rows of a table looked up, alone or summed in bags.
#include "core/ops/call.h"
#include "core/ops/families/factory.h"
#include "core/ops/families/symbolic_sizes.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_embedding {
namespace {

enum BagMode : int64_t { kSum, kMean, kMax };

bool is_index_dtype(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32; }

// Mirrors embedding, torch/_meta_registrations.py, on the device of the weight; indices on the meta
// device, or for a weight on it, may be elsewhere (embedding, torch/_subclasses/fake_impls.py).
Tensor* embedding(Call& c, const Tensor& weight, const Tensor& indices) {
  c.check_as(ErrorKind::kAssertionError, weight.dim() == 2, "'weight' must be 2-D, got {}-D",
             weight.dim());
  c.check(is_index_dtype(indices.dtype()),
          "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
          "Long, Int; but got {} instead",
          indices.dtype());
  DimVector sizes(indices.sizes());
  sizes.push_back(weight.sizes()[1]);
  if (!weight.device().is_meta() && !indices.device().is_meta()) (void)c.device();
  return c.context().empty(sizes, weight.dtype(), weight.device());
}

Tensor* new_on(Call& c, const Tensor& like, std::initializer_list<SymInt> sizes) {
  return c.context().empty(Dims(sizes.begin(), sizes.size()), like.dtype(), like.device());
}

// The arguments of _embedding_bag.
struct Bag {
  const Tensor& weight;
  const Tensor& indices;
  const Tensor& offsets;
  int64_t mode;
  const Tensor* per_sample_weights;
  bool include_last_offset;
  int64_t padding_idx;
};

void check_bag(const Call& c, const Bag& bag) {
  c.check(is_index_dtype(bag.indices.dtype()), "expected indices to be long or int, got {}",
          bag.indices.dtype());
  c.check(is_index_dtype(bag.offsets.dtype()), "expected offsets to be long or int, got {}",
          bag.offsets.dtype());
  c.check(is_floating(bag.weight.dtype()), "expected weight to be floating point type, got {}",
          bag.weight.dtype());
}

void check_sample_weights(const Call& c, const Bag& bag) {
  if (bag.per_sample_weights == nullptr) return;
  const Tensor& weights = *bag.per_sample_weights;
  c.check(bag.mode == kSum, "embedding_bag: per_sample_weights only supported with mode='sum'");
  c.check(weights.dim() == 1, "expected per_sample_weights to be 1D tensor, got {}D",
          weights.dim());
  c.check(weights.numel() == bag.indices.numel(),
          "expected per_sample_weights.numel() ({} to be the same as indices.numel() ({})",
          weights.numel(), bag.indices.numel());
}

// Whether the CPU kernel sums rows without noting which bag each index fell into.
bool sums_fast(const Bag& bag) {
  const DType dtype = bag.weight.dtype();
  return (dtype == DType::kFloat32 || dtype == DType::kFloat16) &&
         guard_bool(bag.weight.stride(1) == 1) && bag.padding_idx < 0 &&
         (bag.per_sample_weights == nullptr || guard_bool(bag.per_sample_weights->stride(0) == 1));
}

// Mirrors meta_embedding_bag and meta_embedding_bag_forward_only, torch/_meta_registrations.py.
Value embedding_bag(Call& c, const Bag& bag, bool forward_only) {
  check_bag(c, bag);
  SymInt bags = bag.offsets.size(0);
  if (bag.include_last_offset) {
    c.check(bags >= 1, "include_last_offset: numBags should be at least 1");
    bags -= 1;
  }
  const SymInt columns = bag.weight.size(1);
  Tensor* output = new_on(c, bag.weight, {bags, columns});
  check_sample_weights(c, bag);
  if (!bag.offsets.device().is_cpu()) {
    Tensor* max_indices =
        bag.mode == kMax ? new_on(c, bag.indices, {bags, columns}) : new_on(c, bag.indices, {0});
    return c.tuple(
        {output, new_on(c, bag.indices, {bag.indices.size(0)}),
         c.context().empty(bag.offsets.sizes(), bag.indices.dtype(), bag.indices.device()),
         max_indices});
  }
  const bool notes_bags = bag.mode == kMean || bag.mode == kMax || !sums_fast(bag);
  Tensor* offset2bag = new_on(c, bag.offsets, {notes_bags ? bag.indices.size(0) : SymInt(0)});
  Tensor* max_indices =
      bag.mode == kMax ? new_on(c, bag.offsets, {bags, columns}) : new_on(c, bag.offsets, {bags});
  Tensor* bag_size = forward_only ? c.context().empty(bag.offsets.sizes(), bag.offsets.dtype(),
                                                      bag.offsets.device())
                                  : new_on(c, bag.offsets, {bags});
  return c.tuple({output, offset2bag, bag_size, max_indices});
}

Value bag_op(Call& c, const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool,
             int64_t mode, bool, Tensor* per_sample_weights, bool include_last_offset,
             int64_t padding_idx) {
  return embedding_bag(
      c, {weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx},
      false);
}
Value bag_forward_only(Call& c, const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                       bool, int64_t mode, bool, Tensor* per_sample_weights,
                       bool include_last_offset, int64_t padding_idx) {
  (void)c.device();
  return embedding_bag(
      c, {weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx},
      true);
}

// Mirrors embedding_bag, aten/src/ATen/native/EmbeddingBag.cpp: without a gradient to come, only
// the forward pass.
Value bag_composite(Call& c, const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                    bool scale_grad_by_freq, int64_t mode, bool sparse, Tensor* per_sample_weights,
                    bool include_last_offset, std::optional<int64_t> padding_idx) {
  int64_t padding = -1;
  if (padding_idx) {
    specialize_sizes(weight);
    const int64_t rows = guard_int(weight.size(0));
    c.check(*padding_idx >= -rows && *padding_idx < rows,
            "padding_idx must be within the number of embeddings, -{} through {}, but got {}", rows,
            rows - 1, *padding_idx);
    padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  }
  Tensor& index = c.tensor<"aten::contiguous">(indices);
  Tensor& starts = c.tensor<"aten::contiguous">(offsets);
  if (weight.meta->has(kRequiresGrad)) {
    return c.call<"aten::_embedding_bag">(weight, index, starts, scale_grad_by_freq, mode, sparse,
                                          per_sample_weights, include_last_offset, padding);
  }
  return c.call<"aten::_embedding_bag_forward_only">(weight, index, starts, scale_grad_by_freq,
                                                     mode, sparse, per_sample_weights,
                                                     include_last_offset, padding);
}
Value bag_without_padding(Call& c, const Tensor& weight, const Tensor& indices,
                          const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse,
                          Tensor* per_sample_weights, bool include_last_offset) {
  return bag_composite(c, weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                       per_sample_weights, include_last_offset, std::nullopt);
}

Tensor* embedding_renorm(Call& c, const Tensor& self) {
  c.device();
  return c.empty_like(self);
}

// --- gradients ---

// Mirrors meta_embedding_dense_backward, torch/_meta_registrations.py.
Tensor* embedding_dense_backward(Call& c, const Tensor& grad_output, const Tensor&,
                                 SymInt num_weights) {
  const SymInt columns = grad_output.size(-1);
  const DimVector sizes = {num_weights, columns};
  check_sizes(c, sizes);
  return c.empty(sizes, grad_output.dtype());
}

Value embedding_backward(Call& c, const Tensor& grad, const Tensor& indices, SymInt num_weights,
                         SymInt padding_idx, bool scale_grad_by_freq, bool sparse) {
  c.check(!sparse || !scale_grad_by_freq,
          "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  if (sparse)
    return c.call<"aten::embedding_sparse_backward">(grad, indices, num_weights, padding_idx,
                                                     false);
  return c.call<"aten::embedding_dense_backward">(grad, indices, num_weights, padding_idx,
                                                  scale_grad_by_freq);
}

// Mirrors meta_embedding_bag_dense_backward, torch/_meta_registrations.py.
Tensor* bag_dense_backward(Call& c, const Tensor& grad, SymInt num_weights) {
  const DType dtype = grad.dtype();
  c.check(is_reduced_floating(dtype) || dtype == DType::kFloat32 || dtype == DType::kFloat64,
          "Unsupported input type encountered: {}", dtype);
  const DimVector sizes = {num_weights, grad.size(1)};
  check_sizes(c, sizes);
  return c.empty(sizes, dtype);
}
Tensor* embedding_bag_dense_backward(Call& c, const Tensor& grad, const Tensor&, const Tensor&,
                                     const Tensor&, const Tensor&, SymInt num_weights) {
  return bag_dense_backward(c, grad, num_weights);
}
Value embedding_bag_backward(Call& c, const Tensor& grad, const Tensor& indices,
                             const Tensor& offsets, const Tensor& offset2bag,
                             const Tensor& bag_size, const Tensor&, SymInt num_weights,
                             bool scale_grad_by_freq, int64_t mode, bool sparse,
                             Tensor* per_sample_weights, SymInt padding_idx) {
  if (!sparse) return bag_dense_backward(c, grad, num_weights);
  return c.call<"aten::_embedding_bag_sparse_backward">(grad, indices, offsets, offset2bag,
                                                        bag_size, num_weights, scale_grad_by_freq,
                                                        mode, per_sample_weights, padding_idx);
}

// Mirrors meta_embedding_bag_per_sample_weights_backward, torch/_meta_registrations.py.
Tensor* per_sample_weights_backward(Call& c, const Tensor& grad, const Tensor& weight,
                                    const Tensor& indices, const Tensor&, const Tensor&,
                                    int64_t mode) {
  const SymInt features = grad.size(1);
  c.check(mode == kSum, "embedding_bag_backward: per_sample_weights only supported for mode='sum'");
  const bool ranks = grad.dim() == 2 && indices.dim() == 1 && weight.dim() == 2;
  c.check(ranks && expect_true(weight.size(1) == features),
          "Expected cond to be True, but got False. (Could this error message be improved? If so, "
          "please report an enhancement request to PyTorch.)");
  return c.empty({indices.size(0)}, grad.dtype());
}

// clang-format off
constexpr OpDef kEmbeddingRules[] = {
    {"aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", rule<&bag_op>(), kDeviceHint | kByFakeImpl | kRealDerivative, derivative<Derivative{.saved_sizes = {0}}>},
    {"aten::_embedding_bag_backward(Tensor grad, Tensor indices, Tensor offsets, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor", rule<&embedding_bag_backward>(), kRealDerivative},
    {"aten::_embedding_bag_dense_backward(Tensor grad, Tensor indices, Tensor offset2bag, Tensor bag_size, Tensor maximum_indices, SymInt num_weights, bool scale_grad_by_freq, int mode, Tensor? per_sample_weights, int padding_idx=-1) -> Tensor", rule<&embedding_bag_dense_backward>(), kRealDerivative},
    {"aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", rule<&bag_forward_only>(), kDeviceHint},
    {"aten::_embedding_bag_per_sample_weights_backward(Tensor grad, Tensor weight, Tensor indices, Tensor offsets, Tensor offset2bag, int mode, int padding_idx=-1) -> Tensor", rule<&per_sample_weights_backward>()},
    {"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", rule<&embedding>(), kByFakeImpl | kRealDerivative, derivative<Derivative{.saved_sizes = {0}}>},
    {"aten::embedding_backward(Tensor grad, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq, bool sparse) -> Tensor", rule<&embedding_backward>(), kComposite},
    {"aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", rule<&bag_without_padding>(), kComposite},
    {"aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", rule<&bag_composite>(), kComposite},
    {"aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor", rule<&embedding_dense_backward>(), kRealDerivative},
    {"aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor", rule<&embedding_renorm>(), kInplace | kByCompositeExplicit | kRealDerivative},
};
// clang-format on
}  // namespace
}  // namespace rules_of_embedding

std::span<const OpDef> embedding_rules() { return rules_of_embedding::kEmbeddingRules; }

}  // namespace faketensor
