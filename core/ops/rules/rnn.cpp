// Recurrent layers and cells, and the fused kernels they run on.
//
// A layer is the same cell at each time step. PyTorch unrolls it; here the cell is called for two
// steps at most unless a mode watches, since from the second step on its hidden state has the
// metadata of the last one.
#include <algorithm>

#include "core/ops/families/arithmetic.h"
#include "core/ops/families/sparse.h"
#include "core/ops/families/unallocated.h"
#include "core/ops/families/view.h"
#include "core/ops/rules/tables.h"
#include "core/ops/variables.h"

namespace faketensor {

namespace rules_of_rnn {
namespace {

enum class CellKind : uint8_t { kLstm, kGru, kTanh, kRelu };

// The weights of one layer in one direction; null where absent.
struct CellWeights {
  Tensor* input = nullptr;
  Tensor* hidden = nullptr;
  Tensor* input_bias = nullptr;
  Tensor* hidden_bias = nullptr;
  Tensor* projection = nullptr;
};

// The state between two time steps; `cell` is for LSTM only.
struct State {
  const Tensor* hidden = nullptr;
  const Tensor* cell = nullptr;
};

// How a whole recurrent operator is called.
struct Layers {
  CellKind kind;
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train;
  bool bidirectional;
  bool batch_first;
};

Value optional(Tensor* tensor) { return tensor == nullptr ? Value() : Value(*tensor); }

// --- one step ---

Value linear_input(Call& c, const CellWeights& w, const Tensor& input) {
  return c.call<"aten::linear">(input, *w.input, optional(w.input_bias));
}
Value linear_hidden(Call& c, const CellWeights& w, const Tensor& hidden) {
  return c.call<"aten::linear">(hidden, *w.hidden, optional(w.hidden_bias));
}
Value matmul_transposed(Call& c, const Tensor& x, const Tensor& weight) {
  return c.call<"aten::matmul">(x, c.call<"aten::t">(weight));
}

State lstm_step(Call& c, const CellWeights& w, const Tensor& input, bool is_gates, State state) {
  Value hidden;
  Value cell;
  Variables block(c);
  if (input.device().is_cuda()) {
    const Value input_gates = block.keep(matmul_transposed(c, input, *w.input));
    const Value result = c.call<"aten::_thnn_fused_lstm_cell">(
        input_gates, block.keep(matmul_transposed(c, *state.hidden, *w.hidden)), *state.cell,
        optional(w.input_bias), optional(w.hidden_bias));
    hidden = result[0];
    cell = result[1];
  } else {
    const Value from_input = is_gates ? Value(input) : linear_input(c, w, input);
    block.keep(*state.cell);  // until the new state takes its place
    const Value gates =
        block.keep(c.call<"aten::add_.Tensor">(linear_hidden(c, w, *state.hidden), from_input));
    const Value chunks = gate_parts(c, gates, 4);
    const Value kept = c.call<"aten::mul.Tensor">(chunks[1], *state.cell);
    cell = c.call<"aten::add_.Tensor">(kept, c.call<"aten::mul.Tensor">(chunks[0], chunks[2]));
    hidden = c.call<"aten::mul.Tensor">(chunks[3], c.call<"aten::tanh">(cell));
  }
  if (w.projection != nullptr) hidden = matmul_transposed(c, hidden.tensor(), *w.projection);
  return {&hidden.tensor(), &cell.tensor()};
}

State gru_step(Call& c, const CellWeights& w, const Tensor& input, bool is_gates, State state) {
  Variables block(c);
  if (input.device().is_cuda()) {
    const Value input_gates = block.keep(matmul_transposed(c, input, *w.input));
    const Value result = c.call<"aten::_thnn_fused_gru_cell">(
        input_gates, block.keep(matmul_transposed(c, *state.hidden, *w.hidden)), *state.hidden,
        optional(w.input_bias), optional(w.hidden_bias));
    return {&result[0].tensor()};
  }
  const Value from_input = is_gates ? Value(input) : block.keep(linear_input(c, w, input));
  const Value inputs = gate_parts(c, from_input, 3);
  const Value hiddens = gate_parts(c, block.keep(linear_hidden(c, w, *state.hidden)), 3);
  const Value reset = c.call<"aten::add_.Tensor">(hiddens[0], inputs[0]);
  const Value update = c.call<"aten::add_.Tensor">(hiddens[1], inputs[1]);
  const Value candidate = c.call<"aten::mul_.Tensor">(hiddens[2], reset);
  const Value fresh = block.keep(c.call<"aten::add.Tensor">(inputs[2], candidate));
  const Value difference = c.call<"aten::sub.Tensor">(*state.hidden, fresh);
  const Value kept = c.call<"aten::mul_.Tensor">(difference, update);
  return {&c.tensor<"aten::add_.Tensor">(kept, fresh)};
}

State simple_step(Call& c, CellKind kind, const CellWeights& w, const Tensor& input, bool is_gates,
                  State state) {
  const Value from_input = is_gates ? Value(input) : linear_input(c, w, input);
  const Value sum = c.call<"aten::add_.Tensor">(linear_hidden(c, w, *state.hidden), from_input);
  return {kind == CellKind::kRelu ? &c.tensor<"aten::relu">(sum) : &c.tensor<"aten::tanh">(sum)};
}

// One time step of a cell; with `is_gates` the input was multiplied by its weights already.
State step(Call& c, CellKind kind, const CellWeights& w, const Tensor& input, bool is_gates,
           State state) {
  switch (kind) {
    case CellKind::kLstm:
      return lstm_step(c, w, input, is_gates, state);
    case CellKind::kGru:
      return gru_step(c, w, input, is_gates, state);
    case CellKind::kTanh:
    case CellKind::kRelu:
      return simple_step(c, kind, w, input, is_gates, state);
  }
  return state;
}

// --- layers ---

struct LayerResult {
  Value output;  // [time, batch, features]
  State state;
};

// Mirrors FullLayer, aten/src/ATen/native/RNN.cpp. What each step gives is kept to the end of `block`.
LayerResult run_layer(Call& c, CellKind kind, const CellWeights& w, const Tensor& input,
                      State state, Variables& block) {
  const bool is_gates = input.device().is_cpu();
  Variables layer(c);
  const Value by_step = is_gates ? layer.keep(linear_input(c, w, input)) : Value(input);
  const Value steps = c.call<"aten::unbind.int">(by_step, 0);
  c.check(steps.size() > 0, "Expected sequence length to be larger than 0 in RNN");
  const size_t called = is_watched(c) ? steps.size() : std::min<size_t>(steps.size(), 2);
  std::vector<Value> outputs;
  for (size_t i = 0; i < called; ++i) {
    state = step(c, kind, w, steps[i].tensor(), is_gates, state);
    outputs.push_back(block.keep(*state.hidden));
  }
  if (called == steps.size()) return {c.call<"aten::stack">(c.list(outputs), 0), state};
  DimVector sizes = {static_cast<int64_t>(steps.size())};
  sizes.append(state.hidden->sizes());
  return {c.empty_on(input.device(), sizes, state.hidden->dtype()), state};
}

// The weights of all layers and directions, in PyTorch's order. Mirrors gather_params.
std::vector<CellWeights> gather_weights(Call& c, TensorList params, bool has_biases,
                                        bool has_projections) {
  const size_t group = (has_biases ? 4u : 2u) + (has_projections ? 1u : 0u);
  c.check(params.size() % group == 0, "got an incorrect number of RNN parameters");
  std::vector<CellWeights> result;
  for (size_t i = 0; i < params.size(); i += group) {
    CellWeights w = {&params[i], &params[i + 1]};
    if (has_biases) {
      w.input_bias = &params[i + 2];
      w.hidden_bias = &params[i + 3];
    }
    if (has_projections) w.projection = &params[i + group - 1];
    result.push_back(w);
  }
  return result;
}

// Mirrors check_attributes, aten/src/ATen/native/RNN.cpp.
void check_devices(Call& c, const Tensor& input, TensorList params, TensorList hiddens) {
  const auto check_all = [&](TensorList tensors, std::string_view what, std::string_view name) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      c.check(tensors[i].device() == input.device(),
              "Input and {} tensors are not at the same device, found input tensor at {} and {} "
              "tensor at {}",
              what, input.device(), name, tensors[i].device());
    }
  };
  check_all(hiddens, "hidden", "hidden");
  check_all(params, "parameter", "parameter");
}

std::vector<State> initial_states(Call& c, TensorList hx) {
  const Value hiddens = c.call<"aten::unbind.int">(hx[0], 0);
  const Value cells = hx.size() > 1 ? c.call<"aten::unbind.int">(hx[1], 0) : Value();
  c.check(hx.size() < 2 || cells.size() == hiddens.size(),
          "Expected as many cell states as hidden states, but got {} and {}", cells.size(),
          hiddens.size());
  std::vector<State> result;
  for (size_t i = 0; i < hiddens.size(); ++i) {
    result.push_back({&hiddens[i].tensor(), hx.size() > 1 ? &cells[i].tensor() : nullptr});
  }
  return result;
}

Value stacked(Call& c, const std::vector<State>& states, const Tensor* State::*member) {
  std::vector<Value> values;
  for (const State& state : states) values.push_back(*(state.*member));
  return c.call<"aten::stack">(c.list(values), 0);
}

// That there are weights and states for each layer and direction. Returns the number of layers.
size_t check_layer_counts(Call& c, int64_t num_layers, bool bidirectional, size_t weights,
                          size_t states) {
  const size_t directions = bidirectional ? 2 : 1;
  const auto count = static_cast<size_t>(std::max<int64_t>(num_layers, 0));
  c.check(weights % directions == 0 && states % directions == 0,
          "Odd number of params or hiddens given to a bidirectional RNN");
  c.check(states == count * directions, "Expected more hidden states in stacked_rnn");
  c.check(weights == count * directions, "Expected more weights in stacked_rnn");
  return count;
}

// Mirrors _rnn_impl and apply_layer_stack, aten/src/ATen/native/RNN.cpp. Returns the output and the
// final states.
LayerResult run_layers(Call& c, const Layers& layers, const Tensor& input,
                       const std::vector<CellWeights>& weights, std::vector<State>& states) {
  const size_t directions = layers.bidirectional ? 2 : 1;
  const size_t count =
      check_layer_counts(c, layers.num_layers, layers.bidirectional, weights.size(), states.size());
  Value current = input;
  for (size_t layer = 0; layer < count; ++layer) {
    Variables block(c);
    SmallVector<Value, 4> outputs;
    for (size_t direction = 0; direction < directions; ++direction) {
      const size_t i = layer * directions + direction;
      const LayerResult result =
          run_layer(c, layers.kind, weights[i], current.tensor(), states[i], block);
      outputs.push_back(block.keep(result.output));
      states[i] = result.state;
    }
    current = directions == 1 ? outputs[0] : c.call<"aten::cat">(c.list(outputs.span()), -1);
    if (layers.dropout != 0 && layers.train && layer + 1 < count)
      current = c.call<"aten::dropout">(current, layers.dropout, true);
  }
  return {current, {}};
}

// --- fused kernels ---

// Mirrors cudnn_is_acceptable, aten/src/ATen/native/cudnn/RNN.cpp's callers: how PyTorch was built
// counts, not the GPU.
bool uses_cudnn(Call& c, const Tensor& input) {
  const DType dtype = input.dtype();
  const bool is_known =
      dtype == DType::kFloat64 || dtype == DType::kFloat32 || dtype == DType::kFloat16;
  return c.target().cudnn != 0 && c.target().cudnn_enabled && input.device().is_cuda() &&
         is_known && !guard_or_false(input.numel() == 0);
}

// Mirrors use_mkldnn, aten/src/ATen/native/RNN.cpp, on a CPU that computes in bfloat16 but not in
// float16, as most do (the one that the recorded answers are from too).
bool uses_mkldnn(Call& c, const Tensor& input, TensorList params, TensorList hx) {
  const auto on_cpu = [](TensorList tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].device().is_cpu()) return false;
    }
    return true;
  };
  const bool is_known = input.dtype() == DType::kFloat32 || input.dtype() == DType::kBFloat16;
  return c.target().mkldnn_enabled && is_known && input.device().is_cpu() && on_cpu(params) &&
         on_cpu(hx) && !guard_or_false(input.numel() == 0);
}

bool has_symbols(const Tensor& tensor) {
  const auto is_symbolic = [](SymInt x) { return x.is_symbolic(); };
  return std::any_of(tensor.sizes().begin(), tensor.sizes().end(), is_symbolic) ||
         std::any_of(tensor.strides().begin(), tensor.strides().end(), is_symbolic);
}

// Mirrors mkldnn_rnn_layer, torch/_meta_registrations.py.
Value mkldnn_rnn_layer(Call& c, const Tensor& input, const Tensor&, const Tensor&, const Tensor&,
                       const Tensor&, const Tensor& hx, const Tensor& cx, bool, Dims, int64_t,
                       int64_t hidden_size, int64_t, bool, bool, bool batch_first) {
  input.size(1);
  const DimVector sizes = {input.size(0), input.size(1), hidden_size};
  (void)batch_first;  // the first two sizes keep their order either way
  return c.tuple({c.empty(sizes, input.dtype()), c.empty(hx.sizes(), hx.dtype()),
                  c.empty(cx.sizes(), cx.dtype()), c.empty({0}, DType::kUInt8)});
}

// Mirrors mkldnn_rnn, aten/src/ATen/native/mkldnn/RNN.cpp: a kernel call for each layer and
// direction.
Value lstm_mkldnn(Call& c, const Layers& layers, const Tensor& input, TensorList hx,
                  TensorList params) {
  const size_t directions = layers.bidirectional ? 2 : 1;
  const size_t group = layers.has_biases ? 4 : 2;
  c.check(params.size() % group == 0, "MatrixRef: ArrayRef size {} not divisible by stride {}",
          params.size(), group);
  Variables block(c);
  const auto contiguous = [&](const Value& x) { return block.keep(c.call<"aten::contiguous">(x)); };
  const Value by_time =
      layers.batch_first ? c.call<"aten::transpose.int">(input, 0, 1) : Value(input);
  Value current = contiguous(by_time);
  const Tensor& hidden = contiguous(hx[0]).tensor();
  const Tensor& cell = contiguous(hx[1]).tensor();
  const SymInt hidden_size = hidden.size(2);
  // Variables that each layer writes anew.
  std::optional<Variables> layer_input;
  std::optional<Variables> layer_output[2];
  SmallVector<Value, 8> hiddens;
  SmallVector<Value, 8> cells;
  for (int64_t layer = 0; layer < layers.num_layers; ++layer) {
    SmallVector<Value, 4> outputs;
    for (size_t direction = 0; direction < directions; ++direction) {
      const size_t i = static_cast<size_t>(layer) * directions + direction;
      c.check((i + 1) * group <= params.size(), "got an incorrect number of RNN parameters");
      const Tensor& w = params[i * group];
      const Tensor& bias = layers.has_biases ? params[i * group + 2] : w;
      const auto index = static_cast<int64_t>(i);
      const Value layer_cell = c.call<"aten::select.int">(cell, 0, index);
      const Value result = c.call<"aten::mkldnn_rnn_layer">(
          current, w, params[i * group + 1], bias, bias,
          c.call<"aten::select.int">(hidden, 0, index), layer_cell, direction > 0, DimVector(), 2,
          hidden_size, layers.num_layers, layers.has_biases, layers.bidirectional,
          layers.batch_first, layers.train);
      outputs.push_back(layer_output[direction].emplace(c).keep(result[0]));
      hiddens.push_back(block.keep(result[1]));
      cells.push_back(block.keep(result[2]));
    }
    current = directions == 1 ? outputs[0] : c.call<"aten::cat">(c.list(outputs.span()), -1);
    layer_input.emplace(c).keep(current);
    if (layers.dropout != 0 && layers.train && layer + 1 < layers.num_layers)
      current = c.call<"aten::dropout">(current, layers.dropout, true);
  }
  if (layers.batch_first) current = c.call<"aten::transpose.int">(current, 0, 1);
  return c.tuple({current, c.call<"aten::stack">(c.list(hiddens.span()), 0),
                  c.call<"aten::stack">(c.list(cells.span()), 0)});
}

// Mirrors _cudnn_rnn, torch/_meta_registrations.py.
Value cudnn_rnn(Call& c, const Tensor& input, TensorList, int64_t, Tensor* weight_buf,
                const Tensor& hx, Tensor* cx, int64_t, SymInt hidden_size, SymInt proj_size,
                int64_t num_layers, bool batch_first, double, bool, bool bidirectional,
                Dims batch_sizes) {
  const SymInt directions = bidirectional ? 2 : 1;
  const SymInt output_size = guard_bool(proj_size != 0) ? proj_size : hidden_size;
  DimVector sizes;
  SymInt batch;
  if (!batch_sizes.empty()) {
    batch = batch_sizes[0];
    sizes = DimVector{input.size(0), output_size * directions};
  } else {
    batch = batch_first ? input.size(0) : input.size(1);
    sizes = DimVector{input.size(0), input.size(1), output_size * directions};
  }
  const DimVector cell = {directions * num_layers, batch, hidden_size};
  Tensor* output = c.empty(sizes, input.dtype());
  Tensor* cy = cx == nullptr ? c.empty({0}, c.context().default_dtype) : c.empty(cell, cx->dtype());
  Tensor* hy = c.empty({cell[0], batch, output_size}, hx.dtype());
  return c.tuple({output, hy, cy, c.empty({0}, DType::kUInt8), optional(weight_buf)});
}

// Mirrors _cudnn_impl, aten/src/ATen/native/cudnn/RNN.cpp: the weights are not flattened, since
// fake tensors have no memory.
Value run_cudnn(Call& c, const Layers& layers, const Tensor& input, TensorList hx,
                TensorList params) {
  const Tensor& hidden = hx[0];
  const bool projected = hx.size() > 1 && guard_bool(hx[1].size(2) != hidden.size(2));
  const SymInt hidden_size = projected ? hx[1].size(2) : hidden.size(2);
  const SymInt proj_size = projected ? hidden.size(2) : SymInt(0);
  constexpr int64_t kModes[] = {2, 3, 1, 0};
  const Value result = c.call<"aten::_cudnn_rnn">(
      input, params, layers.has_biases ? 4 : 2, nullptr, hidden,
      hx.size() > 1 ? Value(hx[1]) : Value(), kModes[static_cast<size_t>(layers.kind)], hidden_size,
      proj_size, layers.num_layers, layers.batch_first, layers.dropout, layers.train,
      layers.bidirectional, DimVector(), nullptr);
  return hx.size() > 1 ? c.tuple({result[0], result[1], result[2]})
                       : c.tuple({result[0], result[1]});
}

void check_fused_cell(Call& c, const Tensor& input_gates, const Tensor& hidden_gates,
                      Tensor* input_bias, Tensor* hidden_bias, const Tensor& previous) {
  const auto sizes = [](const Tensor& x) { return format("torch.Size({})", x.sizes()); };
  const auto same = [](const Tensor& a, const Tensor& b) {
    if (a.dim() != b.dim()) return false;
    for (int64_t i = 0; i < a.dim(); ++i) {
      if (!guard_bool(a.size(i) == b.size(i))) return false;
    }
    return true;
  };
  c.check(input_gates.dim() == 2, "{} != 2", input_gates.dim());
  c.check(same(input_gates, hidden_gates), "{} != {}", sizes(input_gates), sizes(hidden_gates));
  const SymInt gates = input_gates.size(1);
  if (input_bias != nullptr) {
    c.check(input_bias->dim() == 1, "{} != 1", input_bias->dim());
    c.check(input_bias->numel() == gates, "{} != {}", input_bias->numel(), gates);
    c.check_as(ErrorKind::kAttributeError, hidden_bias != nullptr,
               "'NoneType' object has no attribute 'shape'");
    c.check(same(*input_bias, *hidden_bias), "{} != {}", sizes(*input_bias), sizes(*hidden_bias));
  }
  c.check(previous.dim() == 2, "{} != 2", previous.dim());
  const SymInt expected = floor_div(input_gates.size(0) * gates, 4);
  c.check(previous.numel() == expected, "{} != {} * {} // 4 (aka {})", previous.numel(),
          input_gates.size(0), gates, expected);
  // Its comparison of devices asks the biases for theirs: a cell on CUDA cannot be without.
  c.check_as(ErrorKind::kAttributeError, input_bias != nullptr,
             "'NoneType' object has no attribute 'device'");
}

// Mirrors _thnn_fused_lstm_cell_meta, torch/_meta_registrations.py.
Value thnn_fused_lstm_cell(Call& c, const Tensor& input_gates, const Tensor& hidden_gates,
                           const Tensor& cx, Tensor* input_bias, Tensor* hidden_bias) {
  check_fused_cell(c, input_gates, hidden_gates, input_bias, hidden_bias, cx);
  Tensor* workspace = c.empty(input_gates.sizes(), input_gates.dtype());
  Tensor* hy = c.empty(cx.sizes(), cx.dtype());
  return c.tuple({hy, c.empty(cx.sizes(), cx.dtype()), workspace});
}

// Whether the hidden state of an LSTM has another size than its cell, which is asked for first.
bool has_projections(TensorList hx) {
  const SymInt cell = hx[1].size(2);
  return guard_bool(hx[0].size(2) != cell);
}

// --- operators ---

// Mirrors lstm.input and the operators that ONE_HIDDEN_RNN defines, aten/src/ATen/native/RNN.cpp.
Value recurrent(Call& c, const Layers& layers, const Tensor& input, TensorList hx,
                TensorList params) {
  const bool is_lstm = layers.kind == CellKind::kLstm;
  if (uses_cudnn(c, input)) return run_cudnn(c, layers, input, hx, params);
  const bool projected = is_lstm && has_projections(hx);
  if (is_lstm && !projected && uses_mkldnn(c, input, params, hx) && !has_symbols(hx[0]))
    return lstm_mkldnn(c, layers, input, hx, params);
  check_devices(c, input, params, hx);
  const Tensor& by_time = layers.batch_first ? c.tensor<"aten::transpose.int">(input, 0, 1) : input;
  const std::vector<CellWeights> weights = gather_weights(c, params, layers.has_biases, projected);
  std::vector<State> states = initial_states(c, hx);
  const LayerResult result = run_layers(c, layers, by_time, weights, states);
  const Value output =
      layers.batch_first ? c.call<"aten::transpose.int">(result.output, 0, 1) : result.output;
  const Value hidden = stacked(c, states, &State::hidden);
  if (!is_lstm) return c.tuple({output, hidden});
  return c.tuple({output, hidden, stacked(c, states, &State::cell)});
}

Value lstm(Call& c, const Tensor& input, TensorList hx, TensorList params, bool has_biases,
           int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {
  c.check(hx.size() == 2, "lstm expects two hidden states");
  const Layers layers = {CellKind::kLstm, has_biases,    num_layers, dropout,
                         train,           bidirectional, batch_first};
  return recurrent(c, layers, input, hx, params);
}

template <CellKind kKind>
Value one_hidden(Call& c, const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
                 int64_t num_layers, double dropout, bool train, bool bidirectional,
                 bool batch_first) {
  const Layers layers = {kKind, has_biases, num_layers, dropout, train, bidirectional, batch_first};
  const Value hidden = hx;
  return recurrent(c, layers, input, TensorList(Value::list({&hidden, 1})), params);
}

// The checks of the cell operators, aten/src/ATen/native/RNN.cpp; each kind of cell makes them in
// an order of its own.
void check_cell_input(Call& c, const Tensor& input, const CellWeights& w) {
  const SymInt expected = w.input->size(1);
  c.check(input.size(1) == expected, "input has inconsistent input_size: got {} expected {}",
          input.size(1), expected);
}
void check_cell_hidden(Call& c, const Tensor& input, const Tensor& hx, const CellWeights& w,
                       int label) {
  const SymInt hidden_size = w.hidden->size(1);
  c.check(input.size(0) == hx.size(0), "Input batch size {} doesn't match hidden{} batch size {}",
          input.size(0), label, hx.size(0));
  c.check(hx.size(1) == hidden_size, "hidden{} has inconsistent hidden_size: got {}, expected {}",
          label, hx.size(1), hidden_size);
}
void check_cell_weights(Call& c, const CellWeights& w, int64_t gates) {
  const SymInt expected = w.hidden->size(1) * gates;
  const auto check_rows = [&](std::string_view name, const Tensor& weight) {
    c.check(weight.size(0) == expected, "{} first dim must be {} * hidden_size = {}, but got {}",
            name, gates, expected, weight.size(0));
  };
  check_rows("weight_ih", *w.input);
  check_rows("weight_hh", *w.hidden);
}

Value lstm_cell(Call& c, const Tensor& input, TensorList hx, Tensor& w_ih, Tensor& w_hh,
                Tensor* b_ih, Tensor* b_hh) {
  c.check(hx.size() == 2, "lstm_cell expects two hidden states");
  const CellWeights w = {&w_ih, &w_hh, b_ih, b_hh};
  check_cell_input(c, input, w);
  check_cell_weights(c, w, 4);
  check_cell_hidden(c, input, hx[0], w, 0);
  check_cell_hidden(c, input, hx[1], w, 1);
  const State state = lstm_step(c, w, input, false, {&hx[0], &hx[1]});
  return c.tuple({*state.hidden, *state.cell});
}

Value gru_cell(Call& c, const Tensor& input, const Tensor& hx, Tensor& w_ih, Tensor& w_hh,
               Tensor* b_ih, Tensor* b_hh) {
  const CellWeights w = {&w_ih, &w_hh, b_ih, b_hh};
  check_cell_input(c, input, w);
  check_cell_hidden(c, input, hx, w, 0);
  check_cell_weights(c, w, 3);
  return *gru_step(c, w, input, false, {&hx}).hidden;
}

template <CellKind kKind>
Value simple_cell(Call& c, const Tensor& input, const Tensor& hx, Tensor& w_ih, Tensor& w_hh,
                  Tensor* b_ih, Tensor* b_hh) {
  const CellWeights w = {&w_ih, &w_hh, b_ih, b_hh};
  check_cell_weights(c, w, 1);
  check_cell_input(c, input, w);
  check_cell_hidden(c, input, hx, w, 0);
  return *simple_step(c, kKind, w, input, false, {&hx}).hidden;
}

// --- packed sequences ---

// The sizes of the steps are data, which PyTorch's kernel goes on to read. Mirrors PackedLayer,
// aten/src/ATen/native/RNN.cpp.
[[noreturn]] void read_batch_sizes(Call& c, const Tensor& batch_sizes) {
  batch_sizes.size(0);
  c.check(batch_sizes.dtype() == DType::kInt64, "expected scalar type Long but found {}",
          info(batch_sizes.dtype()).cpp_name);
  fail_unallocated(c);
}

Value one_hidden_packed(Call& c, const Tensor&, const Tensor& batch_sizes, const Tensor& hx,
                        TensorList params, bool has_biases, int64_t num_layers, double, bool,
                        bool bidirectional) {
  const size_t weights = gather_weights(c, params, has_biases, false).size();
  const Value hidden = hx;
  const size_t states = initial_states(c, TensorList(Value::list({&hidden, 1}))).size();
  check_layer_counts(c, num_layers, bidirectional, weights, states);
  read_batch_sizes(c, batch_sizes);
}

Value lstm_packed(Call& c, const Tensor&, const Tensor& batch_sizes, TensorList hx,
                  TensorList params, bool has_biases, int64_t num_layers, double, bool,
                  bool bidirectional) {
  c.check(hx.size() == 2, "lstm expects two hidden states");
  const size_t weights = gather_weights(c, params, has_biases, has_projections(hx)).size();
  const size_t states = c.call<"aten::unbind.int">(hx[0], 0).size();
  check_layer_counts(c, num_layers, bidirectional, weights, states);
  read_batch_sizes(c, batch_sizes);
}

// Mirrors miopen_rnn, torch/_meta_registrations.py: the weights are put in one buffer.
Value miopen_rnn(Call& c, const Tensor& input, TensorList weight, int64_t weight_stride0,
                 const Value& hx, const Value& cx, int64_t mode, int64_t hidden_size,
                 int64_t num_layers, bool batch_first, double dropout, bool train,
                 bool bidirectional, Dims batch_sizes, const Value& dropout_state) {
  SymInt elements = 0;
  for (const Value& part : weight.values()) elements = elements + part.tensor().numel();
  const Value buffer = c.empty({elements}, input.dtype());
  return c.call<"aten::_cudnn_rnn">(input, weight, weight_stride0, buffer, hx, cx, mode,
                                    hidden_size, 0, num_layers, batch_first, dropout, train,
                                    bidirectional, batch_sizes, dropout_state);
}

// clang-format off
constexpr OpDef kRnn[] = {
    {"aten::_cudnn_rnn(Tensor input, Tensor[] weight, int weight_stride0, Tensor? weight_buf, Tensor hx, Tensor? cx, int mode, SymInt hidden_size, SymInt proj_size, int num_layers, bool batch_first, float dropout, bool train, bool bidirectional, SymInt[] batch_sizes, Tensor? dropout_state) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&cudnn_rnn>(), kRealDerivative, derivative<Derivative{.without_formula = "weight_buf", .differentiable_results = 0b111}>},
    {"aten::_thnn_fused_gru_cell(Tensor input_gates, Tensor hidden_gates, Tensor hx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor)", no_cpu_kernel(KernelOn::kCuda), kByFallback | kRealDerivative},
    {"aten::_thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)", rule<&thnn_fused_lstm_cell>(), kRealDerivative | kIntegerHistory, derivative<Derivative{.differentiable_results = 0b11}>},
    {"aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", rule<&one_hidden_packed>(), kComposite},
    {"aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", rule<&one_hidden<CellKind::kGru>>(), kComposite},
    {"aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", rule<&gru_cell>(), kComposite},
    {"aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)", rule<&lstm_packed>(), kComposite},
    {"aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)", rule<&lstm>(), kComposite},
    {"aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)", rule<&lstm_cell>(), kComposite},
    {"aten::miopen_rnn(Tensor input, Tensor[] weight, int weight_stride0, Tensor hx, Tensor? cx, int mode, int hidden_size, int num_layers, bool batch_first, float dropout, bool train, bool bidirectional, int[] batch_sizes, Tensor? dropout_state) -> (Tensor, Tensor, Tensor, Tensor, Tensor)", rule<&miopen_rnn>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b111}>},
    {"aten::mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)", rule<&mkldnn_rnn_layer>(), kRealDerivative, derivative<Derivative{.differentiable_results = 0b111}>},
    {"aten::rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", rule<&one_hidden_packed>(), kComposite},
    {"aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", rule<&one_hidden<CellKind::kRelu>>(), kComposite},
    {"aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", rule<&simple_cell<CellKind::kRelu>>(), kComposite},
    {"aten::rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", rule<&one_hidden_packed>(), kComposite},
    {"aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", rule<&one_hidden<CellKind::kTanh>>(), kComposite},
    {"aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", rule<&simple_cell<CellKind::kTanh>>(), kComposite},
};
// clang-format on
}  // namespace
}  // namespace rules_of_rnn

std::span<const OpDef> rnn_rules() { return rules_of_rnn::kRnn; }

}  // namespace faketensor
