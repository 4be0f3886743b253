#include "core/passes/decompose/decomposition_table.h"

#include <algorithm>
#include <iterator>

#include "core/ops/steps/steps.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The functional overloads of _core_aten_decompositions_post_autograd (torch/_decomp/__init__.py):
// in-place and out= ones are functional before anybody asks.
constexpr std::string_view kCoreAten[] = {
    "aten::_chunk_cat",
    "aten::_euclidean_dist",
    "aten::_fused_rms_norm_backward",
    "aten::_log_softmax_backward_data",
    "aten::_prelu_kernel",
    "aten::_prelu_kernel_backward",
    "aten::_reshape_alias",
    "aten::_safe_softmax",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_softmax_backward_data",
    "aten::_unsafe_index.Tensor",
    "aten::_unsafe_index_put",
    "aten::_unsafe_masked_index",
    "aten::_unsafe_masked_index_put_accumulate",
    "aten::_unsafe_view",
    "aten::_weight_norm_interface",
    "aten::addcdiv",
    "aten::addcmul",
    "aten::addr",
    "aten::affine_grid_generator",
    "aten::alias_copy",
    "aten::all",
    "aten::all.dim",
    "aten::all.dims",
    "aten::aminmax",
    "aten::arange",
    "aten::arange.start",
    "aten::baddbmm",
    "aten::baddbmm.dtype",
    "aten::bernoulli",
    "aten::binary_cross_entropy",
    "aten::binary_cross_entropy_backward",
    "aten::binary_cross_entropy_with_logits",
    "aten::block_diag",
    "aten::celu",
    "aten::channel_shuffle",
    "aten::clamp_max",
    "aten::clamp_max.Tensor",
    "aten::clamp_min",
    "aten::clamp_min.Tensor",
    "aten::col2im",
    "aten::count_nonzero",
    "aten::count_nonzero.dim_IntList",
    "aten::cudnn_batch_norm",
    "aten::cudnn_batch_norm_backward",
    "aten::deg2rad",
    "aten::detach",
    "aten::diag_embed",
    "aten::diagonal_backward",
    "aten::diagonal_copy",
    "aten::dot",
    "aten::elu_backward",
    "aten::embedding_dense_backward",
    "aten::empty_like",
    "aten::expand_copy",
    "aten::eye",
    "aten::eye.m",
    "aten::fill.Scalar",
    "aten::fill.Tensor",
    "aten::floor_divide",
    "aten::floor_divide.Scalar",
    "aten::frac",
    "aten::gelu_backward",
    "aten::glu",
    "aten::glu_backward",
    "aten::hann_window",
    "aten::hann_window.periodic",
    "aten::hardshrink",
    "aten::hardsigmoid",
    "aten::hardsigmoid_backward",
    "aten::hardswish",
    "aten::hardswish_backward",
    "aten::hardtanh_backward",
    "aten::heaviside",
    "aten::huber_loss",
    "aten::huber_loss_backward",
    "aten::im2col",
    "aten::index_add",
    "aten::index_copy",
    "aten::index_fill.int_Scalar",
    "aten::index_fill.int_Tensor",
    "aten::isin.Scalar_Tensor",
    "aten::isin.Tensor_Scalar",
    "aten::isin.Tensor_Tensor",
    "aten::isneginf",
    "aten::isposinf",
    "aten::leaky_relu_backward",
    "aten::lerp.Scalar",
    "aten::lerp.Tensor",
    "aten::linalg_cross",
    "aten::linspace",
    "aten::linspace.Scalar_Tensor",
    "aten::linspace.Tensor_Scalar",
    "aten::linspace.Tensor_Tensor",
    "aten::log_sigmoid_backward",
    "aten::log_sigmoid_forward",
    "aten::logaddexp",
    "aten::logaddexp2",
    "aten::logit",
    "aten::logit_backward",
    "aten::logspace",
    "aten::logspace.Scalar_Tensor",
    "aten::logspace.Tensor_Scalar",
    "aten::logspace.Tensor_Tensor",
    "aten::logsumexp",
    "aten::masked_fill.Scalar",
    "aten::masked_fill.Tensor",
    "aten::max_unpool2d",
    "aten::max_unpool3d",
    "aten::miopen_batch_norm_backward",
    "aten::mish",
    "aten::mse_loss",
    "aten::mse_loss_backward",
    "aten::multi_margin_loss",
    "aten::multilabel_margin_loss_forward",
    "aten::mv",
    "aten::mvlgamma",
    "aten::nan_to_num",
    "aten::nansum",
    "aten::native_batch_norm_backward",
    "aten::native_dropout_backward",
    "aten::native_group_norm_backward",
    "aten::native_layer_norm_backward",
    "aten::new_empty",
    "aten::new_full",
    "aten::new_ones",
    "aten::new_zeros",
    "aten::nll_loss2d_backward",
    "aten::nll_loss2d_forward",
    "aten::nll_loss_backward",
    "aten::nll_loss_forward",
    "aten::norm.Scalar",
    "aten::norm.ScalarOpt_dim",
    "aten::norm.ScalarOpt_dim_dtype",
    "aten::norm.ScalarOpt_dtype",
    "aten::ones",
    "aten::ones_like",
    "aten::pixel_shuffle",
    "aten::pixel_unshuffle",
    "aten::rad2deg",
    "aten::reflection_pad1d",
    "aten::reflection_pad1d_backward",
    "aten::reflection_pad2d",
    "aten::reflection_pad2d_backward",
    "aten::reflection_pad3d",
    "aten::reflection_pad3d_backward",
    "aten::renorm",
    "aten::replication_pad1d",
    "aten::replication_pad2d",
    "aten::replication_pad3d",
    "aten::resize_as",
    "aten::roll",
    "aten::rot90",
    "aten::rsub.Scalar",
    "aten::rsub.Tensor",
    "aten::select_backward",
    "aten::select_scatter",
    "aten::sgn",
    "aten::sigmoid_backward",
    "aten::silu",
    "aten::sinc",
    "aten::slice_backward",
    "aten::smooth_l1_loss",
    "aten::smooth_l1_loss_backward",
    "aten::soft_margin_loss",
    "aten::soft_margin_loss_backward",
    "aten::softplus",
    "aten::softplus_backward",
    "aten::softshrink",
    "aten::special_entr",
    "aten::special_log_ndtr",
    "aten::special_xlog1py",
    "aten::special_xlog1py.other_scalar",
    "aten::special_xlog1py.self_scalar",
    "aten::split.Tensor",
    "aten::split_with_sizes_copy",
    "aten::squeeze",
    "aten::squeeze.dim",
    "aten::squeeze_copy",
    "aten::squeeze_copy.dim",
    "aten::squeeze_copy.dims",
    "aten::stack",
    "aten::std.correction",
    "aten::std_mean.correction",
    "aten::sum",
    "aten::t",
    "aten::t_copy",
    "aten::take",
    "aten::tanh_backward",
    "aten::threshold",
    "aten::threshold_backward",
    "aten::trace",
    "aten::transpose.int",
    "aten::transpose_copy.int",
    "aten::tril",
    "aten::triu",
    "aten::unbind.int",
    "aten::unfold_backward",
    "aten::unfold_copy",
    "aten::unsafe_split.Tensor",
    "aten::unsafe_split_with_sizes",
    "aten::unsqueeze_copy",
    "aten::upsample_linear1d",
    "aten::vdot",
    "aten::xlogy.Scalar_Other",
    "aten::xlogy.Scalar_Self",
    "aten::xlogy.Tensor",
    "aten::zero",
    "aten::zeros",
    "aten::zeros_like",
};

// Composites of Python alone: the C++ operator of that name is another.
constexpr std::string_view kPythonComposites[] = {
    "aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d",
    "aten::_upsample_nearest_exact3d", "aten::native_batch_norm",
    "aten::upsample_nearest1d",        "aten::upsample_nearest2d",
    "aten::upsample_nearest3d",
};

// Composites that are tagged maybe_aliasing_or_mutating: what they are depends on their arguments.
constexpr std::string_view kNeverKept[] = {
    "aten::_batch_norm_impl_index",
    "aten::alpha_dropout",
    "aten::atleast_1d",
    "aten::atleast_2d",
    "aten::atleast_3d",
    "aten::batch_norm",
    "aten::cartesian_prod",
    "aten::conj_physical",
    "aten::dropout",
    "aten::feature_alpha_dropout",
    "aten::feature_dropout",
    "aten::native_batch_norm",
    "aten::unsafe_chunk",
};

// Composites of core ATen that default_decompositions() keeps (torch/export/decomp_utils.py).
constexpr std::string_view kKeptByDefault[] = {
    "aten::_fused_rms_norm",         "aten::mish_backward",          "aten::silu_backward",
    "aten::upsample_bilinear2d.vec", "aten::upsample_nearest2d.vec",
};

template <size_t n>
constexpr bool has(const std::string_view (&names)[n], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

static_assert(std::is_sorted(std::begin(kCoreAten), std::end(kCoreAten)));
static_assert(std::is_sorted(std::begin(kPythonComposites), std::end(kPythonComposites)));
static_assert(std::is_sorted(std::begin(kNeverKept), std::end(kNeverKept)));
static_assert(std::is_sorted(std::begin(kKeptByDefault), std::end(kKeptByDefault)));

// Mirrors _check_valid_to_preserve (torch/_export/utils.py): the schema says that the operator is a
// function of its arguments.
bool can_be_kept(const OpEntry& op) {
  if (op.written_arguments != 0 || has(kNeverKept, overload_name(op))) return false;
  const auto& arguments = op.schema.arguments;
  return std::none_of(arguments.begin(), arguments.end(),
                      [](const Argument& argument) { return !argument.alias.empty(); });
}

const OpEntry& find_entry(std::string_view name) {
  const OpId op = Registry::builtin().find(name);
  if (op == kNoOp) throw_error(ErrorKind::kUsage, format("no operator is called '{}'", name));
  return Registry::builtin().entry(op);
}

}  // namespace

std::string_view overload_name(const OpEntry& op) {
  constexpr std::string_view kDefault = ".default";
  return op.name.substr(0, op.name.size() - (op.name.ends_with(kDefault) ? kDefault.size() : 0));
}

bool is_composite(const OpEntry& op) {
  return op.derived != OpEntry::Derived::kFake &&
         ((op.tags & kComposite) != 0 || has(kPythonComposites, overload_name(op)));
}

DecompositionTable DecompositionTable::core_aten() {
  DecompositionTable table;
  for (const OpEntry& op : Registry::builtin().entries()) {
    const std::string_view name = overload_name(op);
    const bool is_listed = has(kCoreAten, name) && steps_of(op.id) != nullptr;
    if (op.is_aten() && !has(kKeptByDefault, name) && (is_listed || is_composite(op)))
      table.set(op.id, true);
  }
  return table;
}

DecompositionTable DecompositionTable::all_composites() {
  DecompositionTable table;
  for (const OpEntry& op : Registry::builtin().entries()) {
    if (is_composite(op)) table.set(op.id, true);
  }
  return table;
}

void DecompositionTable::set(OpId op, bool is_in) {
  if (op >= in_table_.size()) in_table_.resize(Registry::builtin().entries().size());
  in_table_[op] = is_in;
}

void DecompositionTable::add(std::string_view name) {
  const OpEntry& op = find_entry(name);
  if (!is_composite(op) && steps_of(op.id) == nullptr)
    throw_error(ErrorKind::kUsage, format("'{}' has no decomposition", name));
  set(op.id, true);
}

void DecompositionTable::remove(std::string_view name) { set(find_entry(name).id, false); }

bool DecompositionTable::replaces(const OpEntry& op) const {
  if (op.derived == OpEntry::Derived::kFake) return false;
  const bool is_in = op.id < in_table_.size() && in_table_[op.id];
  return is_composite(op) ? is_in || !can_be_kept(op) : is_in;
}

DecompositionTable read_table(std::span<const std::string> parts) {
  const bool is_core = parts.empty() || parts[0] == "core_aten" || parts[0].starts_with("-");
  DecompositionTable table = is_core                    ? DecompositionTable::core_aten()
                             : parts[0] == "composites" ? DecompositionTable::all_composites()
                                                        : DecompositionTable();
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (i == 0 && (part == "core_aten" || part == "none" || part == "composites")) continue;
    if (part.starts_with("-")) {
      table.remove(part.substr(1));
    } else {
      table.add(part);
    }
  }
  return table;
}

}  // namespace faketensor
