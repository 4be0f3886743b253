// Gradients of views, of indexing and of scans: zeros into which a gradient is put.
#include <algorithm>

#include "core/ops/families/operand.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_indexing_backward {
namespace {

Value zeros_like_part(Call& c, const Tensor& grad, Dims sizes) {
  return c.call<"aten::new_zeros">(grad, sizes);
}

// Mirrors slice_backward, select_backward and diagonal_backward,
// torch/_decomp/decompositions.py.
Value slice_backward(Call& c, const Tensor& grad, Dims sizes, int64_t dim, SymInt start, SymInt end,
                     SymInt step) {
  return c.call<"aten::slice_scatter">(zeros_like_part(c, grad, sizes), grad, dim, start, end,
                                       step);
}
Value select_backward(Call& c, const Tensor& grad, Dims sizes, int64_t dim, SymInt index) {
  return c.call<"aten::select_scatter">(zeros_like_part(c, grad, sizes), grad, dim, index);
}
Value diagonal_backward(Call& c, const Tensor& grad, Dims sizes, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  return c.call<"aten::diagonal_scatter">(zeros_like_part(c, grad, sizes), grad, offset, dim1,
                                          dim2);
}

// --- unfold ---

struct Unfold {
  Dims sizes;
  int64_t dim;
  int64_t size;
  int64_t step;
};

// Whether the gradient has the sizes that unfold gives.
bool is_unfolded(const Tensor& grad, const Unfold& unfold) {
  if (grad.sizes().size() != unfold.sizes.size() + 1) return false;
  if (!guard_or_false(grad.size(-1) == unfold.size)) return false;
  const auto at = static_cast<size_t>(unfold.dim);
  const SymInt folds = floor_div(unfold.sizes[at] - unfold.size, unfold.step) + 1;
  for (size_t i = 0; i < unfold.sizes.size(); ++i) {
    if (!guard_or_false(grad.sizes()[i] == (i == at ? folds : unfold.sizes[i]))) return false;
  }
  return true;
}

// A window's part of the gradient, reshaped and expanded to the target's sizes: its dimensions
// stand at the end but for the unfolded one, which keeps its place.
Operand fold_source(Call& c, const Operand& source, int64_t dim, const DimVector& target) {
  const auto rank = static_cast<int64_t>(target.size());
  const int64_t given = source.tensor().dim();
  if (given > rank) return source.op<"aten::expand">(target);
  DimVector sizes(target.size(), SymInt(1));
  for (int64_t i = 0; i < given; ++i) {
    const int64_t to = i == dim ? dim : i + rank - given;
    if (to < 0 || to >= rank) return source.op<"aten::expand">(target);
    SymInt& size = sizes[static_cast<size_t>(to)];
    if (guard_or_false(size == 1)) {
      size = source.tensor().size(i);
    } else {
      c.check(source.tensor().size(i) == 1,
              "unfold_backward grad shape is not broadcastable to input_size");
    }
  }
  return source.reshape(sizes).op<"aten::expand">(target);
}

// Mirrors unfold_backward, torch/_decomp/decompositions.py. Every window adds alike: the first and
// the last stand for all.
Value unfold_backward(Call& c, const Tensor& grad, Dims sizes, int64_t dimension, int64_t size,
                      int64_t step) {
  c.check_as(ErrorKind::kValueError, step > 0, "step is {} but must be > 0", step);
  if (sizes.empty()) return c.call<"aten::squeeze_copy.dim">(grad, 0);
  const Unfold unfold = {sizes, wrap_dim(dimension, static_cast<int64_t>(sizes.size())), size,
                         step};
  const Operand zeros(c, zeros_like_part(c, grad, sizes));
  if (is_unfolded(grad, unfold)) return zeros;
  const SymInt length = sizes[static_cast<size_t>(unfold.dim)];
  const auto range = [&](SymInt end) {
    return Operand(c, c.call<"aten::arange">(end, DType::kInt32, nullptr, grad.device()));
  };
  const Operand gradient(c, grad);
  if (step >= size) {
    const Operand index =
        range(length).op<"aten::unfold">(0, size, step).op<"aten::flatten.using_ints">();
    const Operand source = gradient.op<"aten::movedim.int">(-1, unfold.dim + 1)
                               .op<"aten::flatten.using_ints">(unfold.dim, unfold.dim + 1);
    SmallVector<Value, 8> indices(static_cast<size_t>(unfold.dim));
    indices.push_back(index);
    return zeros.op<"aten::_unsafe_index_put">(c.list(indices.span()), source, true)
        .op<"aten::contiguous">();
  }
  const SymInt folds = grad.size(unfold.dim);
  for (const int64_t offset : {size - 1, int64_t{0}}) {
    const SymInt most = sym_max(floor_div(length - offset + step - 1, step), 0);
    const SymInt count = sym_min(folds, most);
    DimVector target(sizes);
    target[static_cast<size_t>(unfold.dim)] = count;
    const Operand source =
        gradient.op<"aten::select.int">(-1, offset).op<"aten::narrow">(unfold.dim, 0, count);
    const Operand expanded = fold_source(c, source, unfold.dim, target);
    (void)zeros.op<"aten::index_add">(unfold.dim, range(count), expanded);
  }
  return zeros;
}

// --- indexing (CompositeImplicit, aten/src/ATen/native/TensorAdvancedIndexing.cpp); fake tensors
// are tensor subclasses, for which the out-of-place operators are taken ---

Value index_select_backward(Call& c, const Tensor& grad, Dims sizes, int64_t dim,
                            const Tensor& index) {
  return c.call<"aten::index_add">(zeros_like_part(c, grad, sizes), dim, index, grad);
}
Value gather_backward(Call& c, const Tensor& grad, const Tensor& self, int64_t dim,
                      const Tensor& index, bool sparse_grad) {
  if (sparse_grad) return c.call<"aten::_gather_sparse_backward">(self, dim, index, grad);
  return c.call<"aten::scatter_add">(zeros_like_part(c, grad, self.sizes()), dim, index, grad);
}
Value masked_select_backward(Call& c, const Tensor& grad, const Tensor& input, const Tensor& mask) {
  const DimVector sizes = broadcast_shapes(input.sizes(), mask.sizes());
  const Value zeros = c.call<"aten::zeros_like">(c.call<"aten::expand">(input, sizes));
  return c.call<"aten::masked_scatter">(zeros, mask, grad);
}
// Mirrors meta_masked_scatter_backward, torch/_meta_registrations.py.
Tensor* masked_scatter_backward(Call& c, const Tensor& grad, const Tensor&, Dims sizes) {
  return c.empty(sizes, grad.dtype());
}
// Mirrors value_selecting_reduction_backward_symint, aten/src/ATen/native/ReduceOps.cpp.
Value value_selecting_reduction_backward(Call& c, const Tensor& grad, int64_t dim,
                                         const Tensor& indices, Dims sizes, bool keepdim) {
  Value source = grad;
  Value index = indices;
  if (!keepdim && !sizes.empty()) {
    source = c.call<"aten::unsqueeze">(grad, dim);
    index = c.call<"aten::unsqueeze">(indices, dim);
  }
  const Value zeros = c.call<"aten::zeros">(sizes, grad.dtype(), Layout::kStrided, grad.device());
  return c.call<"aten::scatter.src">(zeros, dim, index, source);
}
// Mirrors trace_backward_symint, aten/src/ATen/native/ReduceOps.cpp.
Value trace_backward(Call& c, const Tensor& grad, Dims sizes) {
  c.check(sizes.size() == 2, "expected matrix input");
  const Value zeros = c.call<"aten::zeros">(DimVector{sizes[0] * sizes[1]}, grad.dtype(),
                                            Layout::kStrided, grad.device());
  const Value indices = c.call<"aten::arange.start_step">(
      0, zeros.tensor().numel(), sizes[1] + 1, DType::kInt64, Layout::kStrided, grad.device());
  const Value filled = c.call<"aten::index_fill.int_Tensor">(zeros, 0, indices, grad);
  return c.call<"aten::view">(filled, sizes);
}

// --- scans (aten/src/ATen/native/ReduceOps.cpp) ---

Value cummaxmin_backward(Call& c, const Tensor& grad, const Tensor& input, const Tensor& indices,
                         int64_t dim) {
  if (guard_bool(input.numel() == 0)) return c.alias(input);
  const Value zeros =
      c.call<"aten::zeros">(input.sizes(), input.dtype(), Layout::kStrided, input.device());
  return c.call<"aten::scatter_add">(zeros, dim, indices, grad);
}

// Products without the element at `k`, from there on.
Operand omitted_products(Call& c, const Operand& input, int64_t dim, SymInt k, SymInt size,
                         const Operand& ones) {
  const auto joined = [&](const Operand& a, const Operand& b) {
    const Value parts[] = {a, b};
    return Operand(c, c.call<"aten::cat">(c.list(parts), dim));
  };
  const auto after = [&] {
    return input.op<"aten::slice.Tensor">(dim, k + 1).op<"aten::cumprod">(dim);
  };
  if (guard_bool(k == 0)) return joined(ones, after());
  const Operand until =
      input.op<"aten::slice.Tensor">(dim, 0, k).op<"aten::prod.dim_int">(dim, true);
  if (guard_bool(k == size - 1)) return until;
  const Operand rest = after();
  return joined(until, until.op<"aten::expand">(rest.tensor().sizes()) * rest);
}

// Mirrors cumprod_backward, aten/src/ATen/native/ReduceOps.cpp, in its form for tensor subclasses.
// The slices of the result are alike: the first, the second and the last stand for all.
Value cumprod_backward(Call& c, const Tensor& grad, const Tensor& input, int64_t dim,
                       const Tensor& output) {
  if (guard_bool(input.numel() <= 1)) return grad;
  const int64_t at = wrap_dim(dim, input.dim());
  if (guard_bool(input.size(at) == 1)) return grad;
  const Operand factors = Operand(c, input).op<"aten::conj">();
  const Operand gradient(c, grad);
  (void)(Operand(c, output).op<"aten::conj">() * gradient);
  const SymInt size = input.size(at);
  DimVector ones_sizes(input.sizes());
  ones_sizes[static_cast<size_t>(at)] = 1;
  const Operand ones =
      Operand(c, c.call<"aten::ones">(DimVector{1}, grad.dtype(), Layout::kStrided, grad.device()))
          .op<"aten::expand">(ones_sizes);
  Value slice;
  for (const SymInt k : {SymInt(0), SymInt(1), size - 1}) {
    if (guard_bool(k >= size)) continue;
    const Operand products = omitted_products(c, factors, at, k, size, ones);
    slice = (gradient.op<"aten::slice.Tensor">(at, k) * products).sum({at});
  }
  const Tensor& one = slice.tensor();
  DimVector sizes(one.sizes());
  sizes.insert(static_cast<size_t>(at), size);
  return c.context().empty(sizes, one.dtype(), one.device());
}

// clang-format off
constexpr OpDef kIndexingBackward[] = {
    {"aten::cummaxmin_backward(Tensor grad, Tensor input, Tensor indices, int dim) -> Tensor", rule<&cummaxmin_backward>(), kComposite},
    {"aten::cumprod_backward(Tensor grad, Tensor input, int dim, Tensor output) -> Tensor", rule<&cumprod_backward>(), kComposite},
    {"aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor", rule<&diagonal_backward>(), kByDecomp},
    {"aten::gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor", rule<&gather_backward>(), kComposite},
    {"aten::index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor", rule<&index_select_backward>(), kComposite},
    {"aten::masked_scatter_backward(Tensor grad_output, Tensor mask, SymInt[] sizes) -> Tensor", rule<&masked_scatter_backward>()},
    {"aten::masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor", rule<&masked_select_backward>(), kComposite},
    {"aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor", rule<&select_backward>(), kByDecomp},
    {"aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor", rule<&slice_backward>(), kByDecomp},
    {"aten::trace_backward(Tensor grad, SymInt[] sizes) -> Tensor", rule<&trace_backward>(), kComposite},
    {"aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor", rule<&unfold_backward>(), kByDecomp},
    {"aten::value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor", rule<&value_selecting_reduction_backward>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_indexing_backward

std::span<const OpDef> indexing_backward_rules() {
  return rules_of_indexing_backward::kIndexingBackward;
}

}  // namespace faketensor
