// Gradients of operators whose gradients have no file of their own: cells of recurrent networks,
// distances, fake quantisation, the matrix exponential; and autograd's switch.

#include "core/ops/families/operand.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace rules_of_backward {
namespace {

// --- autograd ---

// Mirrors VariableHooks::requires_grad_, torch/csrc/autograd/variable.cpp.
Value requires_grad_inplace(Call& c, Tensor& self, bool requires_grad) {
  c.check(!requires_grad || is_float_or_complex(self.dtype()),
          "Only Tensors of floating point and complex dtype can require gradients");
  MetaSpec spec = self.meta->spec();
  const auto flags = static_cast<uint16_t>(spec.flags & ~kRequiresGrad);
  spec.flags = requires_grad ? static_cast<uint16_t>(flags | kRequiresGrad) : flags;
  self.meta = c.context().metas().intern(spec);
  return self;
}

// Mirrors the refusals of run_backward, torch/csrc/autograd/autograd.cpp; there are no graphs to
// walk.
void run_backward(Call& c, const Tensor& self, TensorList inputs) {
  c.check(self.meta->has(kRequiresGrad),
          "element 0 of tensors does not require grad and does not have a grad_fn");
  for (size_t i = 0; i < inputs.size(); ++i) {
    c.check(inputs[i].meta->has(kRequiresGrad),
            "can't retain_grad on Tensor that has requires_grad=False");
  }
}

// --- recurrent networks ---

Value joined(Call& c, std::initializer_list<Value> parts) {
  return c.call<"aten::cat">(c.list(std::span(parts.begin(), parts.size())), 1);
}

Value column_sum(const Operand& x, const Tensor* bias) {
  return bias == nullptr ? Value() : x.sum({0}).value();
}

Operand with_bias(Call& c, const Operand& x, Tensor* bias) {
  return bias == nullptr ? x : x + Operand(c, *bias);
}

// Mirrors _thnn_differentiable_lstm_cell_backward, aten/src/ATen/native/RNN.cpp.
Value lstm_cell_backward(Call& c, Tensor* grad_hy, Tensor* grad_cy, const Tensor& input_gates,
                         const Tensor& hidden_gates, Tensor* input_bias, Tensor* hidden_bias,
                         const Tensor& cx, const Tensor& cy) {
  if (grad_hy == nullptr && grad_cy == nullptr)
    return c.tuple({Value(), Value(), Value(), Value(), Value()});
  const Operand sum = Operand(c, input_gates) + Operand(c, hidden_gates);
  const Operand gates = with_bias(c, with_bias(c, sum, input_bias), hidden_bias);
  const Value chunks = gate_parts(c, gates, 4);
  const auto sigmoid = [&](size_t i) { return Operand(c, chunks[i]).op<"aten::sigmoid">(); };
  const Operand input = sigmoid(0);
  const Operand forget = sigmoid(1);
  const Operand cell = Operand(c, chunks[2]).op<"aten::tanh">();
  const Operand output = sigmoid(3);
  Operand grad_cx = Operand(c, cy).op<"aten::tanh">();
  Operand grad_output = grad_cx;
  if (grad_hy != nullptr) {
    const Operand grad(c, *grad_hy);
    grad_output = (grad * grad_cx).op<"aten::sigmoid_backward">(output);
    grad_cx = (grad * output).op<"aten::tanh_backward">(grad_cx);
    if (grad_cy != nullptr) grad_cx = grad_cx + Operand(c, *grad_cy);
  } else {
    grad_output = {c, c.call<"aten::zeros_like">(cx, nullptr, nullptr, nullptr, nullptr,
                                                 MemoryFormat::kContiguous)};
    grad_cx = {c, *grad_cy};
  }
  const Operand by_input = grad_cx * cell;
  const Operand by_forget = grad_cx * Operand(c, cx);
  const Operand by_cell = grad_cx * input;
  grad_cx = grad_cx * forget;
  const Value grad_gates = joined(c, {by_input.op<"aten::sigmoid_backward">(input),
                                      by_forget.op<"aten::sigmoid_backward">(forget),
                                      by_cell.op<"aten::tanh_backward">(cell), grad_output});
  const Value grad_bias = column_sum({c, grad_gates}, input_bias);
  return c.tuple({grad_gates, grad_gates, grad_cx.value(), grad_bias, grad_bias});
}

// Mirrors _thnn_differentiable_gru_cell_backward, aten/src/ATen/native/RNN.cpp.
Value gru_cell_backward(Call& c, const Tensor& grad_hy, const Tensor& input_gates,
                        const Tensor& hidden_gates, const Tensor& hx, Tensor* input_bias,
                        Tensor* hidden_bias) {
  const Operand grad(c, grad_hy);
  const Value inputs = gate_parts(c, with_bias(c, {c, input_gates}, input_bias), 3);
  const Value hiddens = gate_parts(c, with_bias(c, {c, hidden_gates}, hidden_bias), 3);
  const auto sum = [&](size_t i) { return Operand(c, inputs[i]) + Operand(c, hiddens[i]); };
  const Operand reset = sum(0).op<"aten::sigmoid">();
  const Operand update = sum(1).op<"aten::sigmoid">();
  const Operand grad_hx = grad * update;
  const Operand hidden(c, hiddens[2]);
  const Operand fresh = (Operand(c, inputs[2]) + reset * hidden).op<"aten::tanh">();
  const Operand by_update = (grad * (Operand(c, hx) - fresh)).op<"aten::sigmoid_backward">(update);
  const Operand by_fresh = (grad * (1 - update)).op<"aten::tanh_backward">(fresh);
  const Operand by_hidden = by_fresh * reset;
  const Operand by_reset = (by_fresh * hidden).op<"aten::sigmoid_backward">(reset);
  const Value grad_inputs = joined(c, {by_reset, by_update, by_fresh});
  const Value grad_hiddens = joined(c, {by_reset, by_update, by_hidden});
  return c.tuple({grad_inputs, grad_hiddens, grad_hx.value(),
                  column_sum({c, grad_inputs}, input_bias),
                  column_sum({c, grad_hiddens}, hidden_bias)});
}

// Mirrors _thnn_fused_lstm_cell_backward_impl, torch/_meta_registrations.py.
Value fused_lstm_cell_backward_impl(Call& c, Tensor* grad_hy, Tensor* grad_cy, const Tensor& cx,
                                    const Tensor& cy, const Tensor& workspace, bool has_bias) {
  if (grad_hy == nullptr && grad_cy == nullptr) return c.tuple({Value(), Value(), Value()});
  const Tensor& grad = grad_hy != nullptr ? *grad_hy : *grad_cy;
  const bool fits = grad.dim() == 2 &&
                    (grad_cy == nullptr || guard_equal(grad_cy->sizes(), grad.sizes())) &&
                    guard_equal(cx.sizes(), grad.sizes()) &&
                    guard_equal(cy.sizes(), grad.sizes()) && workspace.dim() == 2;
  c.check(fits ? workspace.numel() == grad.size(0) * grad.size(1) * 4 : SymBool(false), "");
  Tensor* grad_gates = c.empty(workspace.sizes(), workspace.dtype());
  Tensor* grad_cx = c.empty(cx.sizes(), cx.dtype());
  Tensor* grad_bias = has_bias ? c.empty({workspace.size(1)}, workspace.dtype()) : nullptr;
  return c.tuple({grad_gates, grad_cx, grad_bias});
}

// Mirrors _thnn_fused_lstm_cell_backward, aten/src/ATen/native/RNN.cpp: gradients shared by both
// sets of gates and biases.
Value fused_lstm_cell_backward(Call& c, uint64_t) {
  const Value result = c.forward<"aten::_thnn_fused_lstm_cell_backward_impl">(c.args());
  return c.tuple({result[0], result[0], result[1], result[2], result[2]});
}

// Mirrors mkldnn_rnn_layer_backward, torch/_meta_registrations.py: gradients of 32-bit floats; both
// biases share one.
Value mkldnn_rnn_layer_backward(Call& c, const Tensor& input, const Tensor& input_weight,
                                const Tensor& hidden_weight, const Tensor& bias, const Tensor&,
                                const Tensor& hx, const Tensor& cx, const Tensor&, const Tensor&,
                                const Tensor&, Tensor*, Tensor*, Tensor*, bool, int64_t mode,
                                int64_t hidden_size) {
  constexpr int64_t kGru = 3;
  c.check_as(ErrorKind::kIndexError, mode == kGru || bias.dim() > 0, "tuple index out of range");
  const SymInt bias_size = mode == kGru ? SymInt(hidden_size) * 4 : bias.size(0);
  const auto gradient = [&](Dims sizes) { return c.empty(sizes, DType::kFloat32); };
  Tensor* grad_input = gradient(input.sizes());
  Tensor* grad_hx = gradient(hx.sizes());
  Tensor* grad_cx = gradient(cx.sizes());
  Tensor* grad_input_weight = gradient(input_weight.sizes());
  Tensor* grad_hidden_weight = gradient(hidden_weight.sizes());
  Tensor* grad_bias = c.empty({bias_size}, DType::kFloat32);
  return c.tuple(
      {grad_input, grad_input_weight, grad_hidden_weight, grad_bias, grad_bias, grad_hx, grad_cx});
}

// --- distances ---

// Mirrors meta_cdist_backward, torch/_meta_registrations.py.
Value cdist_backward(Call& c, const Tensor&, const Tensor& x1, const Tensor& x2) {
  c.check_as(ErrorKind::kIndexError, x1.dim() >= 2 && x2.dim() >= 2, "tuple index out of range");
  const size_t rank = x1.sizes().size();
  DimVector sizes =
      broadcast_shapes(x1.sizes().first(rank - 2), x2.sizes().first(x2.sizes().size() - 2));
  SymInt elements = x1.size(-2) * x1.size(-1) * x2.size(-2);
  for (const SymInt size : sizes) elements = elements * size;
  (void)c.device();
  if (guard_bool(elements == 0)) return c.call<"aten::zeros_like">(x1);
  sizes.push_back(x1.size(-2));
  sizes.push_back(x1.size(-1));
  return c.empty(sizes, x1.dtype());
}

// Mirrors meta__pdist_backward, torch/_meta_registrations.py.
Tensor* pdist_backward(Call& c, const Tensor&, const Tensor& self, double, const Tensor& pdist) {
  c.check(self.is_contiguous(), "_pdist_backward requires self to be contiguous");
  c.check(pdist.is_contiguous(), "_pdist_backward requires pdist to be contiguous");
  return c.empty(self.sizes(), self.dtype());
}

// --- others ---

// Mirrors meta__segment_reduce_backward, torch/_meta_registrations.py.
Tensor* segment_reduce_backward(Call& c, const Tensor& grad, const Tensor&, const Tensor& data,
                                std::string_view, Tensor* lengths, Tensor* offsets) {
  c.check_as(ErrorKind::kAssertionError, lengths != nullptr || offsets != nullptr,
             "segment_reduce(): Either lengths or offsets must be defined");
  const Value dense = c.call<"aten::contiguous">(data);
  (void)c.device();
  return c.empty_like(dense.tensor(), grad.dtype());
}

// Mirrors fake_quantize_per_channel_affine_cachemask_backward,
// aten/src/ATen/native/quantized/FakeQuantPerChannelAffine.cpp, and its twin per tensor.
Value cachemask_backward(Call& c, const Tensor& grad, const Tensor& mask) {
  c.check(is_bool(mask.dtype()),
          "Expected mask.scalar_type() == ScalarType::Bool to be true, but got false.  (Could this "
          "error message be improved?  If so, please report an enhancement request to PyTorch.)");
  c.check(mask.numel() == grad.numel(),
          "`mask` and `dY` are not the same size: `mask` is size {} and `dY` is size {}",
          mask.numel(), grad.numel());
  if (guard_bool(grad.numel() <= 0)) return grad;
  return c.call<"aten::mul.Tensor">(grad, mask);
}

// Mirrors matrix_exp_backward, aten/src/ATen/native/LinearAlgebra.cpp: the exponential of a matrix
// of twice the size, of which a part is taken.
Value matrix_exp_backward(Call& c, const Tensor& self, const Tensor& grad) {
  c.check(self.dim() >= 2,
          "matrix_exp_backward: The input tensor A must have at least 2 dimensions.");
  c.check(self.size(-1) == self.size(-2),
          "matrix_exp_backward: A must be batches of square matrices, but they are {} by {} "
          "matrices",
          self.size(-2), self.size(-1));
  const Operand transposed = Operand(c, self).op<"aten::mH">();
  const SymInt n = transposed.tensor().size(-1);
  DimVector sizes(transposed.tensor().sizes());
  for (size_t i = sizes.size() - 2; i < sizes.size(); ++i) sizes[i] = sizes[i] * 2;
  const Operand blocks(c,
                       c.call<"aten::zeros">(sizes, grad.dtype(), Layout::kStrided, grad.device()));
  const auto block = [&](const Operand& of, SymInt row, SymInt column) {
    return of.op<"aten::narrow">(-2, row, n).op<"aten::narrow">(-1, column, n);
  };
  (void)block(blocks, 0, 0).op<"aten::copy_">(transposed);
  (void)block(blocks, n, n).op<"aten::copy_">(transposed);
  (void)block(blocks, 0, n).op<"aten::copy_">(grad);
  return block(blocks.op<"aten::linalg_matrix_exp">(), 0, n);
}

// Mirrors to_dense_backward and to_mkldnn_backward, aten/src/ATen/native/TensorConversions.cpp and
// MkldnnTensorMath: a strided gradient in the input's dtype.
Value to_dense_backward(Call& c, const Tensor& grad, const Tensor& input) {
  return grad.dtype() == input.dtype() ? Value(grad)
                                       : c.call<"aten::to.dtype">(grad, input.dtype());
}

// Mirrors checkLongTensor, aten/src/ATen/native/PackedSequence.cpp.
void check_lengths(Call& c, const Tensor& lengths) {
  c.check(lengths.dim() == 1 && lengths.device().is_cpu() && lengths.dtype() == DType::kInt64,
          "'lengths' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor",
          lengths.dim(), lengths.device(), info(lengths.dtype()).cpp_name);
}

// Mirrors _pack_padded_sequence_backward_symint, aten/src/ATen/native/PackedSequence.cpp.
Value pack_padded_sequence_backward(Call& c, const Tensor& grad, Dims input_size,
                                    const Tensor& batch_sizes, bool batch_first) {
  DimVector sizes(input_size);
  if (batch_first) {
    c.check(sizes.size() >= 2,
            "Expected input_size.size() >= 2 to be true, but got false.  (Could this error message "
            "be improved?  If so, please report an enhancement request to PyTorch.)");
    std::swap(sizes[0], sizes[1]);
  }
  const Value zeros = c.call<"aten::zeros">(sizes, grad.dtype(), Layout::kStrided, grad.device());
  check_lengths(c, batch_sizes);
  c.check(batch_sizes.numel() == 0,
          "Cannot access data pointer of Tensor (e.g. FakeTensor, FunctionalTensor). If you're "
          "using torch.compile/export/fx, it is likely that we are erroneously tracing into a "
          "custom kernel. To fix this, please wrap the custom kernel into an opaque custom op.");
  return batch_first ? c.call<"aten::transpose.int">(zeros, 0, 1) : zeros;
}

// clang-format off
constexpr OpDef kBackward[] = {
    {"aten::_backward(Tensor self, Tensor[] inputs, Tensor? gradient=None, bool? retain_graph=None, bool create_graph=False) -> ()", rule<&run_backward>(), kComposite},
    {"aten::_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor", rule<&cdist_backward>(), kRealDerivative},
    {"aten::_pack_padded_sequence_backward(Tensor grad, SymInt[] input_size, Tensor batch_sizes, bool batch_first) -> Tensor", rule<&pack_padded_sequence_backward>(), kComposite},
    {"aten::_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor", rule<&pdist_backward>(), kRealDerivative},
    {"aten::_segment_reduce_backward(Tensor grad, Tensor output, Tensor data, str reduce, *, Tensor? lengths=None, Tensor? offsets=None, int axis=0, Scalar? initial=None) -> Tensor", rule<&segment_reduce_backward>()},
    {"aten::_thnn_differentiable_gru_cell_backward(Tensor grad_hy, Tensor input_gates, Tensor hidden_gates, Tensor hx, Tensor? input_bias, Tensor? hidden_bias) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&gru_cell_backward>(), kComposite},
    {"aten::_thnn_differentiable_lstm_cell_backward(Tensor? grad_hy, Tensor? grad_cy, Tensor input_gates, Tensor hidden_gates, Tensor? input_bias, Tensor? hidden_bias, Tensor cx, Tensor cy) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&lstm_cell_backward>(), kComposite},
    {"aten::_thnn_fused_lstm_cell_backward(Tensor? grad_hy, Tensor? grad_cy, Tensor cx, Tensor cy, Tensor workspace, bool has_bias) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", {&fused_lstm_cell_backward}, kComposite},
    {"aten::_thnn_fused_lstm_cell_backward_impl(Tensor? grad_hy, Tensor? grad_cy, Tensor cx, Tensor cy, Tensor workspace, bool has_bias) -> (Tensor, Tensor, Tensor)", rule<&fused_lstm_cell_backward_impl>()},
    {"aten::fake_quantize_per_channel_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor", rule<&cachemask_backward>(), kComposite},
    {"aten::fake_quantize_per_tensor_affine_cachemask_backward(Tensor grad, Tensor mask) -> Tensor", rule<&cachemask_backward>(), kComposite},
    {"aten::matrix_exp_backward(Tensor self, Tensor grad) -> Tensor", rule<&matrix_exp_backward>(), kComposite},
    {"aten::mkldnn_rnn_layer_backward(Tensor input, Tensor weight1, Tensor weight2, Tensor weight3, Tensor weight4, Tensor hx_, Tensor cx_tmp, Tensor output, Tensor hy_, Tensor cy_, Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, bool reverse, int mode, int hidden_size, int num_layers, bool has_biases, bool train, bool bidirectional, int[] batch_sizes, bool batch_first, Tensor workspace) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&mkldnn_rnn_layer_backward>()},
    {"aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)", rule<&requires_grad_inplace>(), kComposite},
    {"aten::to_dense_backward(Tensor grad, Tensor input, bool? masked_grad=None) -> Tensor", rule<&to_dense_backward>(), kComposite},
    {"aten::to_mkldnn_backward(Tensor grad, Tensor input) -> Tensor", rule<&to_dense_backward>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_backward

std::span<const OpDef> backward_rules() { return rules_of_backward::kBackward; }

}  // namespace faketensor
