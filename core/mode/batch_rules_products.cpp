// Batching rules of products, convolutions, norms and losses. Mirrors
// aten/src/ATen/functorch/BatchRulesLinearAlgebra.cpp, BatchRulesConvolution.cpp,
// BatchRulesNorm.cpp and BatchRulesLoss.cpp.
#include <algorithm>

#include "core/mode/batch_rules.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

using Args = SmallVector<Value, 16>;

Value dot(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped a = call.unwrap_arg(0);
  const Vmap::Unwrapped b = call.unwrap_arg(1);
  if (call.logical_rank(a) != 1 || call.logical_rank(b) != 1)
    throw_error(ErrorKind::kRuntimeError, "Got wrong shapes for dot");
  const Value left = call.move_to_front(a);
  const Value right = call.move_to_front(b);
  if (!a.dim || !b.dim) {
    const Value turned = call.call("aten::t", {right});
    return call.wrap(call.call("aten::matmul", {left, turned}), 0);
  }
  const Value row = call.call("aten::unsqueeze", {left, -2});
  const Value column = call.call("aten::unsqueeze", {right, -1});
  const Value product = call.call("aten::matmul", {row, column});
  const Value squeezed = call.call("aten::squeeze.dim", {product, -1});
  return call.wrap(call.call("aten::squeeze.dim", {squeezed, -1}), 0);
}

// mv_batch_rule, tv_batch_rule
Value mv(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Vmap::Unwrapped other = call.unwrap_arg(1);
  const int64_t rank = call.logical_rank(self);
  const int64_t other_rank = call.logical_rank(other);
  if (rank != 2 || other_rank != 1) {
    throw_error(ErrorKind::kRuntimeError,
                format("Shape mismatch: Got incorrect dims for mv(a, b). a has dim {}and b has dim "
                       "{}but expected them to have dim 2 and dim 1",
                       rank, other_rank));
  }
  if (self.dim && other.dim) {
    const Value matrix = call.movedim(self.value, *self.dim, -3);
    const Value column = call.call("aten::unsqueeze", {call.move_to_front(other), -1});
    const Value product = call.call("aten::matmul", {matrix, column});
    const Value result = call.call("aten::squeeze.dim", {product, -1});
    return call.wrap(result, result.tensor().dim() - 2);
  }
  if (self.dim)
    return call.wrap(call.call("aten::matmul", {call.move_to_front(self), other.value}), 0);
  const Value columns = call.movedim(other.value, *other.dim, -1);
  return call.wrap(call.call("aten::matmul", {self.value, columns}), 1);
}

// mm_batch_rule and bmm_batch_rule
Value product(BatchCall& call, uint32_t rank) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const Vmap::Unwrapped other = call.unwrap_arg(1);
  const int64_t ranks[] = {call.logical_rank(self), call.logical_rank(other)};
  if (ranks[0] != rank || ranks[1] != rank) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("Shape mismatch: Got incorrect dims for {}(a, b). a has dim {}and b has dim {}but "
               "expected them to have dim {} and dim {}",
               rank == 2 ? "mm" : "bmm", ranks[0], ranks[1], rank, rank));
  }
  const Value left = call.move_to_front(self);
  const Value right = call.move_to_front(other);
  return call.wrap(call.call("aten::matmul", {left, right}), 0);
}

Value addmm(BatchCall& call, uint32_t) {
  const Value scaled = call.call("aten::mul.Tensor", {call.arg(0), call.arg(3)});
  const Value times = call.call("aten::mm", {call.arg(1), call.arg(2)});
  return call.call("aten::add.Tensor", {scaled, times, call.arg(4)});
}

bool is_number(const Value& value, double number) {
  if (value.is(Value::Tag::kFloat)) return value.as_double() == number;
  return value.is(Value::Tag::kInt) && !value.as_sym_int().is_symbolic() &&
         static_cast<double>(value.as_sym_int().as_int()) == number;
}

// addmv_decomp, addbmm_decomp, baddbmm_decomp: a product, scaled and added.
enum class Product : uint32_t { kMv, kSummedBmm, kBmm };

Value add_product(BatchCall& call, uint32_t params) {
  const auto kind = static_cast<Product>(params);
  Value out =
      call.call(kind == Product::kMv ? "aten::mv" : "aten::bmm", {call.arg(1), call.arg(2)});
  const SymInt first[] = {0};
  if (kind == Product::kSummedBmm)
    out = call.call("aten::sum.dim_IntList", {out, call.context().make_ints(first)});
  if (!is_number(call.arg(4), 1)) out = call.call("aten::mul.Tensor", {out, call.arg(4)});
  if (is_number(call.arg(3), 0)) return out;
  const Value scaled = call.call("aten::mul.Tensor", {call.arg(0), call.arg(3)});
  return call.call("aten::add.Tensor", {scaled, out});
}

Value vdot(BatchCall& call, uint32_t) {
  const bool is_complex_number = is_complex(call.arg(0).tensor().dtype());
  const Value left = is_complex_number ? call.call("aten::conj", {call.arg(0)}) : call.arg(0);
  return call.call("aten::dot", {left, call.arg(1)});
}

Value trace(BatchCall& call, uint32_t) {
  const int64_t rank = call.arg(0).tensor().dim();
  if (rank != 2) {
    throw_error(ErrorKind::kRuntimeError,
                format("trace: expected a matrix, but got tensor with dim {}", rank));
  }
  return call.call("aten::sum", {call.call("aten::diagonal", {call.arg(0)})});
}

// convolution_batch_rule where the input alone is batched: the batch joins dimension 0.
Value convolution(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped input = call.unwrap_arg(0);
  const bool others = call.unwrap_arg(1).dim || (call.arg(2).is_tensor() && call.unwrap_arg(2).dim);
  if (!input.dim || others) return batch_by_slices(call);
  Args args(call.args());
  args[0] = call.reshape_dim_into(*input.dim, 0, input.value);
  return call.wrap(call.reshape_dim_outof(0, call.batch_size(), call.run(args.span())), 0);
}

// native_layer_norm_batch_rule: scale and shift that are batched are applied behind it.
Value layer_norm(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped input = call.unwrap_arg(0);
  const auto is_batched = [&](size_t i) {
    return call.arg(i).is_tensor() && call.unwrap_arg(i).dim.has_value();
  };
  if (!input.dim) return batch_by_slices(call);
  Args args(call.args());
  args[0] = call.move_to_front(input);
  if (!is_batched(2) && !is_batched(3)) return call.wrap(call.run(args.span()), 0);
  args[2] = Value();
  args[3] = Value();
  const Value results = call.wrap(call.run(args.span()), 0);
  Value out = results.values()[0];
  if (call.arg(2).is_tensor()) out = call.call("aten::mul.Tensor", {out, call.arg(2)});
  if (call.arg(3).is_tensor()) out = call.call("aten::add.Tensor", {out, call.arg(3)});
  const Value all[] = {out, results.values()[1], results.values()[2]};
  return call.context().make_list(all);
}

// loss_batch_rule_helper: one loss per element, reduced over all dimensions but the batch's.
Value loss(BatchCall& call, uint32_t reduction_at) {
  constexpr int64_t kNone = 0;
  constexpr int64_t kMean = 1;
  const int64_t reduction = call.integer(reduction_at);
  const Pair pair = aligned_pair(call, call.unwrap_arg(0), call.unwrap_arg(1), false);
  Args args(call.args());
  args[0] = pair.first;
  args[1] = pair.second;
  args[reduction_at] = kNone;
  const Value each = call.run(args.span());
  if (reduction == kNone || each.tensor().dim() <= 1) return call.wrap(each, 0);
  DimVector dims;
  for (int64_t i = 1; i < each.tensor().dim(); ++i) dims.push_back(i);
  const Value over = call.context().make_ints(dims);
  return call.wrap(
      call.call(reduction == kMean ? "aten::mean.dim" : "aten::sum.dim_IntList", {each, over}), 0);
}

// solve_ex_batch_rule: a vector on the right stays one dimension smaller.
Value solve(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped a = call.unwrap_arg(0);
  const Vmap::Unwrapped b = call.unwrap_arg(1);
  const int64_t a_rank = call.logical_rank(a);
  const int64_t b_rank = call.logical_rank(b);
  const int64_t rank = std::max(a_rank, b_rank);
  const bool is_vector = a_rank > b_rank;
  Args args(call.args());
  args[0] = call.padded(call.move_to_front(a), a.dim.has_value(), rank);
  args[1] = call.padded(call.move_to_front(b), b.dim.has_value(), is_vector ? rank - 1 : rank);
  if (!a.dim) args[0] = call.with_batch_dim({args[0], {}});
  if (!b.dim) args[1] = call.with_batch_dim({args[1], {}});
  return call.wrap(call.run(args.span()), 0);
}

// In order of their names.
constexpr BatchRule kProductRules[] = {
    {"_linalg_solve_ex.default", &solve},
    {"addbmm.default", &add_product, static_cast<uint32_t>(Product::kSummedBmm)},
    {"addmm.default", &addmm},
    {"addmv.default", &add_product, static_cast<uint32_t>(Product::kMv)},
    {"baddbmm.default", &add_product, static_cast<uint32_t>(Product::kBmm)},
    {"bmm.default", &product, 3},
    {"convolution.default", &convolution},
    {"dot.default", &dot},
    {"huber_loss.default", &loss, 2},
    {"mm.default", &product, 2},
    {"mse_loss.default", &loss, 2},
    {"mv.default", &mv},
    {"native_layer_norm.default", &layer_norm},
    {"smooth_l1_loss.default", &loss, 2},
    {"trace.default", &trace},
    {"vdot.default", &vdot},
};

}  // namespace

std::span<const BatchRule> product_batch_rules() { return kProductRules; }

}  // namespace faketensor
