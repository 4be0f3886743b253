#include "core/mode/operator_facts.h"

#include <algorithm>
#include <iterator>

namespace faketensor {

namespace {

template <size_t N>
bool contains(const std::string_view (&sorted)[N], std::string_view name) {
  return std::binary_search(std::begin(sorted), std::end(sorted), name);
}

// Names without "aten::".
// clang-format off
constexpr std::string_view kInplaceViews[] = {
    "as_strided_.default", "detach_.default", "resize_.default", "resize_as_.default", "set_.default", "set_.source_Storage",
    "set_.source_Storage_storage_offset", "set_.source_Tensor", "set_.source_Tensor_storage_offset", "squeeze_.default",
    "squeeze_.dim", "squeeze_.dims", "swapaxes_.default", "swapdims_.default", "t_.default", "transpose_.default",
    "unsqueeze_.default",
};
constexpr std::string_view kDynamicShapes[] = {
    "_ctc_loss.Tensor", "_ctc_loss.default", "_unique.default", "_unique2.default", "argwhere.default", "bincount.default",
    "index.Tensor", "linalg_lstsq.default", "linalg_lstsq.out", "masked_select.default", "masked_select.out",
    "nonzero.default", "nonzero.out", "one_hot.default", "repeat_interleave.Tensor", "unique_consecutive.default",
    "unique_dim.default", "unique_dim_consecutive.default",
};
constexpr std::string_view kDataDependentOps[] = {
    "_local_scalar_dense.default", "allclose.default", "equal.default", "item.default",
};
constexpr std::string_view kCompositeViews[] = {
    "_autocast_to_full_precision.default", "_autocast_to_reduced_precision.default", "_unpack_dual.default",
    "adjoint.default", "broadcast_to.default", "chunk.default", "coalesce.default", "conj.default", "contiguous.default",
    "dsplit.array", "dsplit.int", "expand_as.default", "flatten.using_ints", "hsplit.array", "hsplit.int", "imag.default",
    "linalg_diagonal.default", "mH.default", "mT.default", "matrix_H.default", "moveaxis.int", "moveaxis.intlist",
    "movedim.int", "movedim.intlist", "narrow.Tensor", "narrow.default", "numpy_T.default", "pin_memory.default",
    "positive.default", "ravel.default", "real.default", "reshape.default", "reshape_as.default", "resolve_conj.default",
    "resolve_neg.default", "split.sizes", "swapaxes.default", "swapdims.default", "tensor_split.indices",
    "tensor_split.sections", "tensor_split.tensor_indices_or_sections", "to.device", "to.dtype", "to.dtype_layout",
    "to.other", "unflatten.int", "view_as.default", "vsplit.array", "vsplit.int",
};
// torch/csrc/utils/python_arg_parser.cpp, without in-place forms.
constexpr std::string_view kNumbersAsTensors[] = {
    "_conj", "_to_copy", "add", "copy", "div", "divide", "floor_divide", "mul", "multiply", "sub", "subtract", "to", "true_divide",
};
// aten/src/ATen/ConjugateFallback.cpp and MathBitFallThroughLists.h, without views.
constexpr std::string_view kConjugateAware[] = {
    "_conj_physical", "addmm", "addmm_", "baddbmm", "bmm", "clone", "conj_physical", "conj_physical_", "copy_", "dot", "empty_like",
    "full_like", "linalg_svd", "mm", "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros", "ones_like", "rand_like",
    "randn_like", "resize_", "resize_as_", "resolve_conj", "resolve_neg", "set_", "vdot", "zeros_like",
};
// clang-format on

std::string_view short_name(const OpEntry& op) {
  return op.name.starts_with("aten::") ? op.name.substr(6) : std::string_view();
}

}  // namespace

bool is_inplace_view(const OpEntry& op) { return contains(kInplaceViews, short_name(op)); }

bool is_lift(const OpEntry& op) {
  return op.name == "aten::lift_fresh.default" || op.name == "aten::lift_fresh_copy.default";
}

bool has_dynamic_shape_tag(const OpEntry& op) { return contains(kDynamicShapes, short_name(op)); }

bool has_data_dependent_tag(const OpEntry& op) {
  return contains(kDataDependentOps, short_name(op));
}

bool is_composite_view(const OpEntry& op) { return contains(kCompositeViews, short_name(op)); }

bool takes_numbers_as_tensors(const OpEntry& op) {
  std::string_view name = short_name(op);
  name = name.substr(0, name.find('.'));
  if (name.ends_with('_')) name.remove_suffix(1);
  return contains(kNumbersAsTensors, name);
}

bool takes_conjugates(const OpEntry& op) {
  if ((op.tags & (kView | kComposite)) != 0) return true;
  std::string_view name = short_name(op);
  return contains(kConjugateAware, name.substr(0, name.find('.')));
}

}  // namespace faketensor
