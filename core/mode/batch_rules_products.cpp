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

// math_addr
Value addr(BatchCall& call, uint32_t) {
  Value out = call.call("aten::outer", {call.arg(1), call.arg(2)});
  if (!is_number(call.arg(4), 1)) out = call.call("aten::mul.Tensor", {out, call.arg(4)});
  if (is_number(call.arg(3), 0)) return out;
  const Value self = is_number(call.arg(3), 1)
                         ? call.arg(0)
                         : call.call("aten::mul.Tensor", {call.arg(0), call.arg(3)});
  return call.call("aten::add.Tensor", {self, out});
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

// --- convolution, convolution_batch_rule ---

// The channels of a result that are groups of batches of channels, N(GBO)HW, as NB(GO)HW.
Value batch_before_groups(const BatchCall& call, const Value& result, SymInt groups) {
  const Value by_group = call.reshape_dim_outof(1, groups, result);
  return call.reshape_dim_into(1, 2, call.reshape_dim_outof(2, call.batch_size(), by_group));
}

// Without a bias: the batch joins a dimension that the convolution does not mix, and is taken out
// of the result's.
Value batched_convolution(BatchCall& call, Args& args) {
  constexpr size_t kTransposed = 6;
  constexpr size_t kGroups = 8;
  const Vmap::Unwrapped input = call.unwrap_arg(0);
  const Vmap::Unwrapped weight = call.unwrap_arg(1);
  const bool transposed = call.arg(kTransposed).to_bool();
  const SymInt groups = call.arg(kGroups).as_sym_int();
  const auto run = [&] { return call.run(args.span()); };
  if (!weight.dim) {
    args[0] = call.reshape_dim_into(*input.dim, 0, input.value);
    return call.wrap(call.reshape_dim_outof(0, call.batch_size(), run()), 0);
  }
  if (input.dim) {
    args[0] = call.reshape_dim_into(*input.dim, 1, input.value);
    args[1] = call.reshape_dim_into(*weight.dim, 0, weight.value);
    args[kGroups] = groups * call.batch_size();
    return call.wrap(call.reshape_dim_outof(1, call.batch_size(), run()), 1);
  }
  if (guard_bool(groups == 1)) {
    args[1] = call.reshape_dim_into(*weight.dim, transposed ? 1 : 0, weight.value);
    return call.wrap(call.reshape_dim_outof(1, call.batch_size(), run()), 1);
  }
  if (transposed) {
    args[1] = call.reshape_dim_into(*weight.dim, 1, weight.value);
  } else {
    const Value by_group = call.reshape_dim_outof(*weight.dim == 0 ? 1 : 0, groups, weight.value);
    const int64_t batch_dim = *weight.dim + (*weight.dim > 0 ? 1 : 0);
    args[1] = call.reshape_dim_into(0, 0, call.reshape_dim_into(batch_dim, 1, by_group));
  }
  return call.wrap(batch_before_groups(call, run(), groups), 1);
}

Value convolution(BatchCall& call, uint32_t) {
  constexpr size_t kBias = 2;
  const bool has_bias = call.arg(kBias).is_tensor();
  const bool is_separate = has_bias && (call.unwrap_arg(1).dim || call.unwrap_arg(kBias).dim);
  Args args(call.args());
  if (!is_separate) return batched_convolution(call, args);
  args[kBias] = Value();
  Value bias = call.arg(kBias);
  const bool product_is_batched = call.unwrap_arg(0).dim || call.unwrap_arg(1).dim;
  const Value product =
      product_is_batched ? batched_convolution(call, args) : call.run(args.span());
  for (int64_t i = product.tensor().dim(); i > 2; --i)
    bias = call.call("aten::unsqueeze", {bias, -1});
  return call.call("aten::add.Tensor", {product, bias});
}

// grid_sample_batch_rule: the batch is part of the samples, of the channels, or of the places. Where
// both are batched, PyTorch takes the batch's size from the input's dimension that is the grid's.
Value grid_sample(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped input = call.unwrap_arg(0);
  const Vmap::Unwrapped grid = call.unwrap_arg(1);
  Args args(call.args());
  const int64_t joined = input.dim && grid.dim ? 0 : 1;
  if (input.dim) args[0] = call.reshape_dim_into(*input.dim, joined, input.value);
  if (grid.dim) args[1] = call.reshape_dim_into(*grid.dim, joined, grid.value);
  const int64_t taken_out = input.dim ? joined : 2;
  const SymInt size =
      input.dim && grid.dim ? input.value.tensor().size(*grid.dim) : call.batch_size();
  return call.wrap(call.reshape_dim_outof(taken_out, size, call.run(args.span())), taken_out);
}

// glu_batch_rule
Value glu(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped self = call.unwrap_arg(0);
  const int64_t rank = call.logical_rank(self);
  if (rank == 0)
    throw_error(ErrorKind::kRuntimeError, "glu does not support 0-dimensional tensors");
  Args args(call.args());
  args[0] = call.move_to_front(self);
  args[1] = call.physical_dim(call.integer(1), rank);
  return call.wrap(call.run(args.span()), 0);
}

// --- norms ---

bool is_batched(const BatchCall& call, size_t index) {
  return call.arg(index).is_tensor() && call.unwrap_arg(index).dim.has_value();
}

constexpr size_t kRunningMean = 3;
constexpr size_t kRunningVar = 4;

void check_running_statistics(const BatchCall& call) {
  const bool training = call.arg(5).to_bool();
  for (const size_t i : {kRunningMean, kRunningVar}) {
    if (!training || !is_batched(call, 0) || !call.arg(i).is_tensor() || is_batched(call, i))
      continue;
    throw_error(
        ErrorKind::kRuntimeError,
        "Batch norm got a batched tensor as input while the running_mean or running_var, which "
        "will be updated in place, were not batched.\nIf you are using a module and do not need "
        "eval mode, please set `track_running_stats` to be False.If you are using a prebuilt "
        "module and do not need eval mode, please see the functorch website for resources on how "
        "to patch your module to work with vmap");
  }
}

// Without scale and shift, which cuDNN needs all the same: the batch is part of the channels.
Value plain_batch_norm(BatchCall& call, bool has_batch) {
  Args args(call.args());
  if (has_batch) {
    args[0] = call.reshape_dim_into(0, 1, call.with_batch_dim(call.unwrap_arg(0)));
    for (const size_t i : {kRunningMean, kRunningVar}) {
      if (!call.arg(i).is_tensor()) continue;
      const Value joined = call.reshape_dim_into(0, 0, call.with_batch_dim(call.unwrap_arg(i)));
      args[i] = call.call("aten::contiguous", {joined});
    }
  }
  const Tensor& input = args[0].tensor();
  const SymInt channels[] = {input.size(1)};
  for (const size_t i : {1, 2})
    args[i] = call.context().empty(channels, input.dtype(), input.device());
  return call.run(args.span());
}

// batch_norm_batch_rule
Value batch_norm(BatchCall& call, uint32_t) {
  check_running_statistics(call);
  const bool has_batch =
      is_batched(call, 0) || is_batched(call, kRunningMean) || is_batched(call, kRunningVar);
  const Value results = plain_batch_norm(call, has_batch);
  const auto batch_taken_out = [&](const Value& value) {
    if (!has_batch || guard_bool(value.tensor().size(0) == 0)) return value;
    return call.wrap(call.reshape_dim_outof(0, call.batch_size(), value), 0);
  };
  Value out = batch_taken_out(call.call("aten::transpose.int", {results.values()[0], 0, 1}));
  const int64_t rank = call.logical_rank(call.unwrap_arg(0));
  for (const size_t i : {1, 2}) {
    if (!call.arg(i).is_tensor()) continue;
    Value factor = call.arg(i);
    while (factor.tensor().dim() < rank) factor = call.call("aten::unsqueeze", {factor, -1});
    out = call.call(i == 1 ? "aten::mul.Tensor" : "aten::add.Tensor", {out, factor});
  }
  SmallVector<Value, 4> all = {call.call("aten::transpose.int", {out, 0, 1})};
  for (const size_t i : {1, 2}) all.push_back(batch_taken_out(results.values()[i]));
  if (results.size() > 3) {  // cuDNN's reserve
    const SymInt none[] = {0};
    all.push_back(call.context().empty(none, DType::kUInt8, call.arg(0).tensor().device()));
  }
  return call.context().make_list(all.span());
}

// native_layer_norm_batch_rule: scale and shift that are batched are applied behind it.
Value layer_norm(BatchCall& call, uint32_t) {
  const Vmap::Unwrapped input = call.unwrap_arg(0);
  Args args(call.args());
  args[0] = call.move_to_front(input);
  if (!is_batched(call, 2) && !is_batched(call, 3)) return call.wrap(call.run(args.span()), 0);
  args[2] = Value();
  args[3] = Value();
  const Value normalized = call.run(args.span());
  const Value results = input.dim ? call.wrap(normalized, 0) : normalized;
  Value out = results.values()[0];
  if (call.arg(2).is_tensor()) out = call.call("aten::mul.Tensor", {out, call.arg(2)});
  if (call.arg(3).is_tensor()) out = call.call("aten::add.Tensor", {out, call.arg(3)});
  const Value all[] = {out, results.values()[1], results.values()[2]};
  return call.context().make_list(all);
}

// loss_batch_rule_helper: one loss per element, all dimensions but the batch's in one.
Value loss(BatchCall& call, uint32_t reduction_at) {
  constexpr int64_t kNone = 0;
  constexpr int64_t kMean = 1;
  const int64_t reduction = call.integer(reduction_at);
  Args args(call.args());
  for (const size_t i : {0, 1}) {
    const Vmap::Unwrapped tensor = call.unwrap_arg(i);
    args[i] = call.move_to_front(tensor);
    if (!tensor.dim || args[i].tensor().dim() > 1)
      args[i] = call.call("aten::flatten.using_ints", {args[i], tensor.dim ? 1 : 0});
  }
  args[reduction_at] = kNone;
  const Value each = call.run(args.span());
  if (each.tensor().dim() == 1) return call.wrap(each, 0);
  if (reduction == kNone) {
    const Vmap::Unwrapped self = call.unwrap_arg(0);
    const Value shaped = call.move_to_front(self.dim ? self : call.unwrap_arg(1));
    const Value sizes = call.context().make_ints(shaped.tensor().sizes());
    return call.wrap(call.call("aten::reshape", {each, sizes}), 0);
  }
  const SymInt last[] = {-1};
  return call.wrap(call.call(reduction == kMean ? "aten::mean.dim" : "aten::sum.dim_IntList",
                             {each, call.context().make_ints(last)}),
                   0);
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

// householder_product_batch_rule
Value householder_product(BatchCall& call, uint32_t) {
  Args args(call.args());
  for (const size_t i : {0, 1}) args[i] = call.with_batch_dim(call.unwrap_arg(i));
  return call.wrap(call.run(args.span()), 0);
}

// In order of their names.
constexpr BatchRule kProductRules[] = {
    {"_linalg_solve_ex.default", &solve},
    {"_native_batch_norm_legit.default", &batch_norm},
    {"addbmm.default", &add_product, static_cast<uint32_t>(Product::kSummedBmm)},
    {"addmm.default", &addmm},
    {"addmv.default", &add_product, static_cast<uint32_t>(Product::kMv)},
    {"addr.default", &addr},
    {"baddbmm.default", &add_product, static_cast<uint32_t>(Product::kBmm)},
    {"bmm.default", &product, 3},
    {"convolution.default", &convolution},
    {"cudnn_batch_norm.default", &batch_norm},
    {"dot.default", &dot},
    {"glu.default", &glu},
    {"grid_sampler_2d.default", &grid_sample},
    {"grid_sampler_3d.default", &grid_sample},
    {"huber_loss.default", &loss, 2},
    {"linalg_householder_product.default", &householder_product},
    {"mm.default", &product, 2},
    {"mse_loss.default", &loss, 2},
    {"mv.default", &mv},
    {"native_batch_norm.default", &batch_norm},
    {"native_layer_norm.default", &layer_norm},
    {"smooth_l1_loss.default", &loss, 2},
    {"trace.default", &trace},
    {"vdot.default", &vdot},
};

}  // namespace

std::span<const BatchRule> product_batch_rules() { return kProductRules; }

}  // namespace faketensor
