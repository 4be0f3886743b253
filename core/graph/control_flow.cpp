// Branches and loops: cond, while_loop, map_impl, scan, associative_scan.
#include <algorithm>
#include <utility>

#include "core/graph/higher_order.h"
#include "core/mode/repr.h"
#include "core/support/format.h"
#include "core/symbolic/ignore_fresh_symbols.h"

namespace faketensor {

SmallVector<size_t, 8> fill_order(Dims strides) {
  SmallVector<size_t, 8> order;
  for (size_t i = strides.size(); i-- > 0;) {
    size_t at = order.size();
    order.push_back(i);
    while (at > 0 && guard_or_false(strides[i] < strides[order[at - 1]])) {
      std::swap(order[at], order[at - 1]);
      --at;
    }
  }
  return order;
}

namespace {

bool is_int(const Value& value) { return value.is(Value::Tag::kInt); }

bool is_plain_int(const Value& value) { return is_int(value) && !value.as_sym_int().is_symbolic(); }

ShapeEnv& shape_env_of(const HigherOrderCall& call) {
  ShapeEnv* env = call.context().shape_env();
  if (env == nullptr) throw_error(ErrorKind::kAssertionError, "mode.shape_env is None");
  return *env;
}

// --- cond ---

// The range that constrain_symbol_range is told: that of a number or a symbol, and all integers for
// any other expression.
ValueRange bounds_of(const ShapeEnv& env, SymInt value) {
  if (!value.is_symbolic()) return ValueRange::ints(value.as_int(), value.as_int());
  return value.node()->kind == ExprKind::kSymbol ? env.range(value.node())
                                                 : ValueRange::unknown(ExprType::kInt);
}

// A fresh symbol for two values, in the range from the smaller to the larger.
SymInt merged_int(ShapeEnv& env, SymInt a, SymInt b) {
  const SymInt merged = env.create_unbacked_int();
  const ValueRange one = bounds_of(env, a);
  const ValueRange other = bounds_of(env, b);
  env.constrain_range(merged, std::min(one.lower, other.lower), std::max(one.upper, other.upper));
  return merged;
}

DimVector merged_sizes(const HigherOrderCall& call, Dims a, Dims b) {
  DimVector sizes;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = !has_unbacked(a[i]) && !has_unbacked(b[i]) && same_expr(a[i], b[i]);
    sizes.push_back(same ? a[i] : merged_int(shape_env_of(call), a[i], b[i]));
  }
  return sizes;
}

// Strides over the merged sizes, by what the strides of a branch are products of.
class KnownStrides {
 public:
  const SymInt* find(SymInt stride) const {
    for (const Pair& pair : known_)
      if (same_expr(pair.known, stride)) return &pair.merged;
    return nullptr;
  }
  void set(SymInt stride, SymInt merged) {
    for (Pair& pair : known_) {
      if (same_expr(pair.known, stride)) {
        pair.merged = merged;
        return;
      }
    }
    known_.push_back({stride, merged});
  }

 private:
  struct Pair {
    SymInt known;
    SymInt merged;
  };
  SmallVector<Pair, 8> known_;
};

// Mirrors _bound_stride, torch/_higher_order_ops/cond.py.
DimVector merged_strides(const Tensor& a, const Tensor& b, const DimVector& sizes) {
  const auto order = fill_order(a.strides());
  const auto other = fill_order(b.strides());
  if (!std::equal(order.begin(), order.end(), other.begin(), other.end())) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("The sorted order of strides of the two branches' output doesn't match."
               "this indicates the contiguousness of the two branches are different. "
               "True branch has stride {} but false branch has stride {}."
               "Consider using contiguous() to make the two branches have the same contiguousness.",
               tuple_text(a.strides()), tuple_text(b.strides())));
  }
  KnownStrides known_a;
  KnownStrides known_b;
  DimVector strides;
  for (size_t i = 0; i < sizes.size(); ++i) strides.push_back(0);
  for (const size_t i : order) {
    const SymInt stride_a = a.strides()[i];
    const SymInt stride_b = b.strides()[i];
    if (guard_bool(stride_a == 0)) continue;
    if (const SymInt* known = known_a.find(stride_a)) {
      strides[i] = *known;
    } else if (guard_bool(stride_a == 1)) {
      known_a.set(stride_a, 1);
      known_b.set(stride_b, 1);
      strides[i] = 1;
    } else {
      throw_error(ErrorKind::kRuntimeError,
                  format("It seems one of cond's output stride is not a simple accumulative "
                         "multiplication of sizes. This could be because cond returns a slice of a "
                         "tensor, which is not dense in memory. True branch has size {}, stride {} "
                         "and false branch has size {} stride {}. Hint: can call t.contiguous(). ",
                         size_text(a.sizes()), tuple_text(a.strides()), size_text(b.sizes()),
                         tuple_text(b.strides())));
    }
    const SymInt next = strides[i] * sizes[i];
    known_a.set(stride_a * a.sizes()[i], next);
    known_b.set(stride_b * b.sizes()[i], next);
  }
  return strides;
}

template <typename T>
void check_same(std::string_view attribute, const T& a, const T& b) {
  if (a == b) return;
  throw_error(ErrorKind::kRuntimeError,
              format("When merging two branches' output in torch.cond,  expected same {} but got "
                     "{} and {}.",
                     attribute, a, b));
}

void check_mergeable(const Tensor& a, const Tensor& b) {
  const auto python = [](DType dtype) { return format("torch.{}", info(dtype).name); };
  check_same("dtype", python(a.dtype()), python(b.dtype()));
  check_same("device", format("{}", a.device()), format("{}", b.device()));
  check_same("layout", format("torch.{}", name(a.layout())), format("torch.{}", name(b.layout())));
  check_same("dim", a.dim(), b.dim());
  check_same("is_conj", std::string(a.is_conj() ? "True" : "False"),
             std::string(b.is_conj() ? "True" : "False"));
  if (!guard_bool(a.offset() == b.offset())) {
    throw_error(ErrorKind::kRuntimeError,
                format("When merging two branches' output in torch.cond,  expected same "
                       "storage_offset but got {} and {}.",
                       a.offset(), b.offset()));
  }
  if (a.layout() != Layout::kStrided)
    throw_error(ErrorKind::kAssertionError, "sparse tensors not yet implemented");
  if (a.is_conj()) throw_error(ErrorKind::kAssertionError, "conjugate tensors not yet implemented");
}

std::string_view python_type(const Value& value) {
  if (value.is_tensor()) return "<class 'torch._subclasses.fake_tensor.FakeTensor'>";
  if (is_int(value)) return is_plain_int(value) ? "<class 'int'>" : "<class 'torch.SymInt'>";
  if (value.is(Value::Tag::kBool)) return "<class 'bool'>";
  return value.is(Value::Tag::kFloat) ? "<class 'float'>" : "<class 'torch.SymFloat'>";
}

// The output of a cond, given that of each branch. Mirrors _merge_output,
// torch/_higher_order_ops/cond.py.
Value merge_output(const HigherOrderCall& call, const Value& a, const Value& b) {
  if (a.is_none() && b.is_none()) return Value();
  if (is_plain_int(a) && is_plain_int(b)) {
    return same_expr(a.as_sym_int(), b.as_sym_int())
               ? a
               : Value(merged_int(shape_env_of(call), a.as_sym_int(), b.as_sym_int()));
  }
  if (!a.is_tensor() || !b.is_tensor()) {
    throw_error(ErrorKind::kAssertionError,
                format("expected both a and b to be FakeTensor, got a={}, b={}", python_type(a),
                       python_type(b)));
  }
  const Tensor& on_true = a.tensor();
  const Tensor& on_false = b.tensor();
  check_mergeable(on_true, on_false);
  const DimVector sizes = merged_sizes(call, on_true.sizes(), on_false.sizes());
  const DimVector strides = merged_strides(on_true, on_false, sizes);
  Context& context = call.context();
  return call.call("aten::empty_strided", {context.make_ints(sizes), context.make_ints(strides),
                                           on_true.dtype(), Value::unset(), on_true.device()});
}

// TreeSpec(tuple, None, [*,
//   *])
std::string tree_text(size_t leaves) {
  std::string text = "TreeSpec(tuple, None, [";
  for (size_t i = 0; i < leaves; ++i) text += i == 0 ? "*" : ",\n  *";
  return text + "])";
}

}  // namespace

// cond(pred, true_graph, false_graph, operands): both branches run. Mirrors cond_fake_tensor_mode,
// torch/_higher_order_ops/cond.py.
Value cond(HigherOrderCall& call) {
  const std::vector<Value> operands = call.list(3);
  std::vector<Value> on_true;
  std::vector<Value> on_false;
  {
    const IgnoreFreshSymbols scope(call.context().shape_env());
    on_true = call.run(call.graph(1), operands);
    on_false = call.run(call.graph(2), operands);
  }
  if (on_true.size() != on_false.size()) {
    throw_error(ErrorKind::kRuntimeError,
                format("Unmatched output spec from torch.cond branches: true branch tree_spec {} "
                       "vs false branch tree_spec {}.",
                       tree_text(on_true.size()), tree_text(on_false.size())));
  }
  std::vector<Value> merged;
  for (size_t i = 0; i < on_true.size(); ++i)
    merged.push_back(merge_output(call, on_true[i], on_false[i]));
  return call.tuple(merged);
}

// --- while_loop ---

namespace {

std::string python_text(const Value& value) {
  return value.is_tensor() ? tensor_text(value.tensor()) : format("{}", value);
}

// Sizes as a tuple compares them: each pair guards; what only data can tell counts as different.
bool differ(Dims a, Dims b) {
  if (a.size() != b.size()) return true;
  for (size_t i = 0; i < a.size(); ++i) {
    try {
      if (!guard_bool(a[i] == b[i])) return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kGuardOnDataDependent) throw;
      return true;
    }
  }
  return false;
}

// Mirrors diff_meta and diff_device of check_meta_consistency, torch/_higher_order_ops/utils.py,
// without contiguity; empty where nothing differs.
std::vector<std::string> differences(const Value& a, const Value& b) {
  if (is_int(a) && is_int(b)) return {};
  if (!a.is_tensor() || !b.is_tensor())
    return {format("type: {} vs {}", python_text(a), python_text(b))};
  const Tensor& one = a.tensor();
  const Tensor& other = b.tensor();
  std::string of_meta;
  const auto add = [&of_meta](std::string_view what, const std::string& first,
                              const std::string& second) {
    of_meta += format("{}'{}: {} vs {}'", of_meta.empty() ? "" : ", ", what, first, second);
  };
  if (differ(one.sizes(), other.sizes()))
    add("shape", format("{}", size_text(one.sizes())), format("{}", size_text(other.sizes())));
  if (one.dtype() != other.dtype()) {
    add("dtype", format("torch.{}", info(one.dtype()).name),
        format("torch.{}", info(other.dtype()).name));
  }
  if (differ(one.strides(), other.strides()))
    add("stride", format("{}", tuple_text(one.strides())),
        format("{}", tuple_text(other.strides())));
  std::vector<std::string> found;
  if (!of_meta.empty()) found.push_back(std::move(of_meta));
  if (!(one.device() == other.device())) found.emplace_back("device");
  return found;
}

void check_carried(const std::vector<Value>& carried, const std::vector<Value>& outputs) {
  if (carried.size() != outputs.size()) {
    std::string texts[2];
    for (const size_t side : {0, 1}) {
      for (const Value& value : side == 0 ? carried : outputs)
        texts[side] += (texts[side].empty() ? "" : ", ") + python_text(value);
    }
    throw_error(ErrorKind::kUncapturedHigherOrder,
                format("Expected carried_inputs and body_output to have same number of outputs but "
                       "got lhs:[{}] and rhs:[{}]",
                       texts[0], texts[1]));
  }
  std::string all;
  for (size_t i = 0; i < carried.size(); ++i) {
    for (const std::string& difference : differences(carried[i], outputs[i])) {
      all +=
          format("{}pair[{}] differ in {}, where lhs is {} and rhs is {}", all.empty() ? "" : "\n",
                 i, difference, python_text(carried[i]), python_text(outputs[i]));
    }
  }
  if (all.empty()) return;
  throw_error(
      ErrorKind::kUncapturedHigherOrder,
      format("Expected carried_inputs and body_output to have same metadata but found:\n{}", all));
}

// One turn of the body, whose outputs stand for those of any number of turns.
std::vector<Value> one_turn(HigherOrderCall& call) {
  const std::vector<Value> carried = call.list(2);
  std::vector<Value> inputs = carried;
  for (const Value& input : call.list(3)) inputs.push_back(input);
  const IgnoreFreshSymbols scope(call.context().shape_env());
  std::vector<Value> outputs = call.run(call.graph(1), inputs);
  check_carried(carried, outputs);
  return outputs;
}

}  // namespace

// while_loop(cond, body, carried_inputs, additional_inputs): a carried integer may end as any
// integer. Mirrors while_loop_fake_tensor_mode, torch/_higher_order_ops/while_loop.py.
Value while_loop(HigherOrderCall& call) {
  // PyTorch asks the ShapeEnv before it traces the body.
  if (call.context().shape_env() == nullptr)
    throw_error(ErrorKind::kAttributeError,
                "'NoneType' object has no attribute 'ignore_fresh_unbacked_symbols'");
  std::vector<Value> outputs = one_turn(call);
  for (Value& output : outputs)
    if (is_int(output)) output = shape_env_of(call).create_unbacked_int();
  return call.tuple(outputs);
}

Value while_loop_stack_output(HigherOrderCall& call) {
  std::vector<Value> outputs = one_turn(call);
  const SymInt turns = shape_env_of(call).create_unbacked_int();
  for (Value& output : outputs) {
    if (!output.is_tensor()) {
      throw_error(ErrorKind::kAssertionError,
                  "all carried_inputs must be tensors for stack_output");
    }
    DimVector repeats = {turns};
    for (int64_t i = 0; i < output.tensor().dim(); ++i) repeats.push_back(1);
    const Value clone = call.call("aten::clone", {output});
    const Value row = call.call("aten::unsqueeze", {clone, 0});
    output = call.call("aten::repeat", {row, call.context().make_ints(repeats)});
  }
  return call.tuple(outputs);
}

// --- loops over a dimension ---

namespace {

SymInt length_along(std::span<const Value> tensors, int64_t dim, const HigherOrderCall& call) {
  if (tensors.empty() || !tensors[0].is_tensor() || dim < 0 || dim >= tensors[0].tensor().dim()) {
    throw_error(ErrorKind::kRuntimeError,
                format("{}() operator doesn't support unbatched inputs", call.name()));
  }
  return tensors[0].tensor().size(dim);
}

// first_slice_copy
Value first_slice(const HigherOrderCall& call, const Value& tensor, int64_t dim = 0) {
  return call.call("aten::select_copy.int", {tensor, dim, 0});
}

Value contiguous_clone(const HigherOrderCall& call, const Value& tensor) {
  return call.call("aten::clone", {tensor, MemoryFormat::kContiguous});
}

}  // namespace

// map_impl(body, xs, operands): the body on the first slice, results stacked. Mirrors
// map_fake_tensor_mode, torch/_higher_order_ops/map.py.
Value map_impl(HigherOrderCall& call) {
  const std::vector<Value> xs = call.list(1);
  std::vector<Value> inputs;
  for (const Value& x : xs) inputs.push_back(first_slice(call, x));
  for (const Value& operand : call.list(2)) inputs.push_back(operand);
  const SymInt count = length_along(xs, 0, call);
  std::vector<Value> results = call.run(call.graph(0), inputs);
  for (Value& result : results) {
    if (!result.is_tensor()) continue;
    DimVector sizes = {count};
    sizes.append(result.tensor().sizes());
    const Value row = call.call("aten::unsqueeze", {result, 0});
    result =
        contiguous_clone(call, call.call("aten::expand", {row, call.context().make_ints(sizes)}));
  }
  return call.tuple(results);
}

// scan(combine, init, xs, additional_inputs): carries first, then stacked outputs. PyTorch 2.6
// wrote scan(combine, init, xs, dim, reverse, additional_inputs): slices along `dim`, stacked along
// 0 all the same. Mirrors scan_fake_tensor_mode, torch/_higher_order_ops/scan.py.
Value scan(HigherOrderCall& call) {
  std::vector<Value> inputs = call.list(1);
  const size_t carries = inputs.size();
  const std::vector<Value> xs = call.list(2);
  constexpr size_t kArgumentsWithDim = 6;
  const std::span<const Value> args = call.positional();
  const bool has_dim = args.size() == kArgumentsWithDim && args[3].is(Value::Tag::kInt);
  const int64_t dim = has_dim ? args[3].to_int() : 0;
  const SymInt count = length_along(xs, dim, call);
  for (const Value& x : xs) inputs.push_back(first_slice(call, x, dim));
  for (const Value& input : call.list(has_dim ? 5 : 3)) inputs.push_back(input);
  std::vector<Value> results = call.run(call.graph(0), inputs);
  for (size_t i = carries; i < results.size(); ++i) {
    if (!results[i].is_tensor()) continue;
    DimVector repeats = {count};
    for (int64_t d = 0; d < results[i].tensor().dim(); ++d) repeats.push_back(1);
    const Value row = call.call("aten::unsqueeze", {results[i], 0});
    results[i] =
        contiguous_clone(call, call.call("aten::repeat", {row, call.context().make_ints(repeats)}));
  }
  return call.tuple(results);
}

// associative_scan(combine, xs, additional_inputs). Mirrors assoiciative_scan_fake_tensor_mode,
// torch/_higher_order_ops/associative_scan.py.
Value associative_scan(HigherOrderCall& call) {
  std::vector<Value> results;
  for (const Value& x : call.list(1)) results.push_back(call.call("aten::clone", {x}));
  return call.tuple(results);
}

}  // namespace faketensor
