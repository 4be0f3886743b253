// Recurrent layers unrolled in time, as passes take them apart. Mirrors _rnn_helper and the
// operators that call it, torch/_decomp/decompositions.py; what runs them is C++
// (ops/rules/rnn.cpp). Layers of packed sequences read their batch sizes as data and stay whole.
//
// PyTorch's lstm takes oneDNN's layer where that is on; export and run_decompositions switch it off
// (_ignore_backend_decomps, torch/export/_trace.py), so it has no place here.
#include <algorithm>
#include <vector>

#include "core/ops/families/operand.h"
#include "core/ops/steps/tables.h"

namespace faketensor {

namespace steps_of_recurrent {
namespace {

using Taken = StepsDef::Taken;

// The parameters of one direction of one layer; None where there are none.
struct Weights {
  Value input, hidden, input_bias, hidden_bias, projection;
};

// What one direction of one layer keeps from step to step; `cell` is an LSTM's.
struct State {
  Value hidden, cell;
};

struct Layers {
  bool has_biases;
  int64_t count;
  bool bidirectional, batch_first;
};

std::span<const Value> elements(Call& c, const Value& tensor) {
  return c.call<"aten::unbind.int">(tensor, 0).values();
}

std::span<const Value> chunks(Call& c, const Value& tensor, int64_t count, int64_t dim) {
  return c.call<"aten::chunk">(tensor, count, dim).values();
}

Operand linear(Call& c, const Value& input, const Value& weight, const Value& bias) {
  return {c, c.call<"aten::linear">(input, weight, bias)};
}

// One set for each direction of each layer.
std::vector<Weights> gather_weights(Call& c, TensorList params, bool has_biases, bool projected) {
  const size_t size = (has_biases ? 4 : 2) + (projected ? 1 : 0);
  c.check_as(ErrorKind::kAssertionError, params.size() % size == 0,
             "len(params)={} is not divisible by group_size={}", params.size(), size);
  std::vector<Weights> weights;
  for (size_t i = 0; i < params.size(); i += size) {
    Weights one{params[i], params[i + 1], Value(), Value(), Value()};
    if (has_biases) {
      one.input_bias = params[i + 2];
      one.hidden_bias = params[i + 3];
    }
    if (projected) one.projection = params[i + size - 1];
    weights.push_back(one);
  }
  return weights;
}

// Cells: what one step makes of its part of the input and of the state. lstm_cell, gru_cell and
// rnn_cell of the same file.
State lstm_cell(Call& c, const Value& input, const State& state, const Weights& w) {
  const Operand gates = linear(c, state.hidden, w.hidden, w.hidden_bias) + Operand(c, input);
  const std::span<const Value> gate = chunks(c, gates, 4, 2);
  const Operand in = Operand(c, gate[0]).op<"aten::sigmoid">();
  const Operand forget = Operand(c, gate[1]).op<"aten::sigmoid">();
  const Operand candidate = Operand(c, gate[2]).op<"aten::tanh">();
  const Operand out = Operand(c, gate[3]).op<"aten::sigmoid">();
  const Operand kept = forget * Operand(c, state.cell);
  const Operand cell = kept + in * candidate;
  const Operand hidden = out * cell.op<"aten::tanh">();
  if (w.projection.is_none()) return {hidden, cell};
  return {linear(c, hidden, w.projection, Value()), cell};
}

State gru_cell(Call& c, const Value& input, const State& state, const Weights& w) {
  const std::span<const Value> in = chunks(c, input, 3, 1);
  const Operand gates = linear(c, state.hidden, w.hidden, w.hidden_bias);
  const std::span<const Value> kept = chunks(c, gates, 3, 2);
  const Operand reset = (Operand(c, kept[0]) + Operand(c, in[0])).op<"aten::sigmoid">();
  const Operand update = (Operand(c, kept[1]) + Operand(c, in[1])).op<"aten::sigmoid">();
  const Operand memory = Operand(c, kept[2]) * reset;
  const Operand candidate = (Operand(c, in[2]) + memory).op<"aten::tanh">();
  const Operand difference = Operand(c, state.hidden) - candidate;
  return {difference * update + candidate, Value()};
}

template <FixedString activation>
State rnn_cell(Call& c, const Value& input, const State& state, const Weights& w) {
  const Operand sum = linear(c, state.hidden, w.hidden, w.hidden_bias) + Operand(c, input);
  return {sum.op<activation>(), Value()};
}

using Cell = State (*)(Call&, const Value&, const State&, const Weights&);

// One direction of one layer over the whole input; `state` becomes the last one. An LSTM's state gets
// its dimension of time before the input is multiplied, that of other layers after.
Value run_direction(Call& c, Cell cell, const Value& input, State& state, const Weights& w,
                    bool reverse) {
  const bool is_lstm = !state.cell.is_none();
  if (is_lstm) {
    state.hidden = c.call<"aten::unsqueeze">(state.hidden, 0);
    state.cell = c.call<"aten::unsqueeze">(state.cell, 0);
  }
  Value gates = linear(c, input, w.input, w.input_bias);
  const SymInt time[] = {0};
  if (reverse) gates = c.call<"aten::flip">(gates, Dims(time));
  if (!is_lstm) state.hidden = c.call<"aten::unsqueeze">(state.hidden, 0);
  std::vector<Value> outputs;
  for (const Value& step : elements(c, gates)) {
    state = cell(c, step, state, w);
    outputs.push_back(state.hidden);
  }
  if (reverse) std::reverse(outputs.begin(), outputs.end());
  const Value output = c.call<"aten::cat">(c.list(outputs), 0);
  state.hidden = c.call<"aten::squeeze.dim">(state.hidden, 0);
  if (is_lstm) state.cell = c.call<"aten::squeeze.dim">(state.cell, 0);
  return output;
}

// All layers; `states` become the last ones. Dropout is never reached in PyTorch's form.
Value run_layers(Call& c, Cell cell, const Layers& layers, const Tensor& input,
                 std::span<State> states, std::span<const Weights> weights) {
  Value value = layers.batch_first ? c.call<"aten::transpose.int">(input, 0, 1) : Value(input);
  for (int64_t i = 0; i < layers.count; ++i) {
    const size_t at = static_cast<size_t>(i) * (layers.bidirectional ? 2 : 1);
    const Value forward = run_direction(c, cell, value, states[at], weights[at], false);
    if (layers.bidirectional) {
      const Value backward = run_direction(c, cell, value, states[at + 1], weights[at + 1], true);
      const Value both[] = {forward, backward};
      value = c.call<"aten::cat">(c.list(both), forward.tensor().dim() - 1);
    } else {
      value = forward;
    }
  }
  return layers.batch_first ? c.call<"aten::transpose.int">(value, 0, 1) : value;
}

Value stacked(Call& c, std::span<const State> states, Value State::*part) {
  std::vector<Value> values;
  for (const State& state : states) values.push_back(state.*part);
  return c.call<"aten::stack">(c.list(values), 0);
}

Value lstm(Call& c, const Tensor& input, TensorList hx, TensorList params, bool has_biases,
           int64_t num_layers, double, bool, bool bidirectional, bool batch_first) {
  c.check_as(ErrorKind::kAssertionError, hx.size() == 2, "lstm expects two hidden states, got {}",
             hx.size());
  const SymInt hidden_size = hx[0].size(2);
  const bool projected = guard_bool(hidden_size != hx[1].size(2));
  const std::vector<Weights> weights = gather_weights(c, params, has_biases, projected);
  const std::span<const Value> hidden = elements(c, hx[0]);
  const std::span<const Value> cell = elements(c, hx[1]);
  std::vector<State> states;
  for (size_t i = 0; i < std::min(hidden.size(), cell.size()); ++i)
    states.push_back({hidden[i], cell[i]});
  const Layers layers{has_biases, num_layers, bidirectional, batch_first};
  const Value output = run_layers(c, &lstm_cell, layers, input, states, weights);
  const Value last = stacked(c, states, &State::hidden);
  return c.tuple({output, last, stacked(c, states, &State::cell)});
}

template <Cell kCell>
Value one_state(Call& c, const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
                int64_t num_layers, double, bool, bool bidirectional, bool batch_first) {
  const std::vector<Weights> weights = gather_weights(c, params, has_biases, false);
  std::vector<State> states;
  for (const Value& hidden : elements(c, hx)) states.push_back({hidden, Value()});
  const Layers layers{has_biases, num_layers, bidirectional, batch_first};
  const Value output = run_layers(c, kCell, layers, input, states, weights);
  return c.tuple({output, stacked(c, states, &State::hidden)});
}

// clang-format off
constexpr StepsDef kRecurrentSteps[] = {
    {"aten::gru.input", rule<&one_state<&gru_cell>>(), Taken::kNobody},
    {"aten::lstm.input", rule<&lstm>(), Taken::kNobody},
    {"aten::rnn_relu.input", rule<&one_state<&rnn_cell<"aten::relu">>>(), Taken::kNobody},
    {"aten::rnn_tanh.input", rule<&one_state<&rnn_cell<"aten::tanh">>>(), Taken::kNobody},
};
// clang-format on

}  // namespace
}  // namespace steps_of_recurrent

std::span<const StepsDef> recurrent_steps() { return steps_of_recurrent::kRecurrentSteps; }

}  // namespace faketensor
