// flex_attention and flex_attention_backward: attention whose scores a graph changes and another one
// masks. Their values do not depend on what the graphs say, which are not run. Mirrors
// torch/_higher_order_ops/flex_attention.py.
#include <algorithm>

#include "core/graph/higher_order.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr size_t kRank = 4;  // batch, head, position, element

const Tensor& tensor_at(const HigherOrderCall& call, size_t index) {
  const std::span<const Value> args = call.positional();
  if (index >= args.size() || !args[index].is_tensor()) {
    throw_error(ErrorKind::kTypeError,
                format("{}: argument {} must be a tensor", call.name(), index));
  }
  return args[index].tensor();
}

// What Python unpacks into four names.
const Tensor& unpacked(const Tensor& tensor) {
  const size_t rank = tensor.sizes().size();
  if (rank == kRank) return tensor;
  throw_error(ErrorKind::kValueError,
              rank < kRank
                  ? format("not enough values to unpack (expected {}, got {})", kRank, rank)
                  : format("too many values to unpack (expected {})", kRank));
}

DimVector strides_in(const SmallVector<size_t, 8>& order, Dims sizes) {
  DimVector strides;
  for (size_t i = 0; i < sizes.size(); ++i) strides.push_back(0);
  SymInt stride = 1;
  for (const size_t dim : order) {
    strides[dim] = stride;
    stride = stride * sizes[dim];
  }
  return strides;
}

// New, with the dimensions in the order in which those of `like` are in memory, but for the last,
// which is always the innermost. Mirrors _permute_strides.
Value empty_ordered_as(const HigherOrderCall& call, const DimVector& sizes, const Tensor& like) {
  SmallVector<size_t, 8> order = fill_order(like.strides());
  DimVector strides = strides_in(order, sizes);
  if (guard_bool(strides[kRank - 1] != 1)) {
    SmallVector<size_t, 8> innermost;
    innermost.push_back(kRank - 1);
    for (const size_t dim : order)
      if (dim != kRank - 1) innermost.push_back(dim);
    strides = strides_in(innermost, sizes);
  }
  return Value(call.context().empty(sizes, like.dtype(), like.device(), strides));
}

Value summed_over_batch(const HigherOrderCall& call, const Value& gradient) {
  const SymInt batch[] = {0};
  return call.call("aten::sum.dim_IntList", {gradient, call.context().make_ints(batch), true});
}

}  // namespace

// flex_attention(query, key, value, score_mod, block_mask, scale, kernel_options, buffers of both):
// the output, the logarithms of the sums, and the largest scores.
Value flex_attention(HigherOrderCall& call) {
  const Tensor& query = unpacked(tensor_at(call, 0));
  const Tensor& value = tensor_at(call, 2);
  const Dims sizes = query.sizes();
  if (value.sizes().empty())
    throw_error(ErrorKind::kIndexError, "Dimension specified as -1 but tensor has no dimensions");
  Context& context = call.context();
  const Dims rows = sizes.subspan(0, kRank - 1);
  const Value sums(context.empty(rows, DType::kFloat32, query.device()));
  const Value scores(context.empty(rows, DType::kFloat32, query.device()));
  DimVector output;
  for (const SymInt size : rows) output.push_back(size);
  output.push_back(value.sizes().back());
  const Value results[] = {empty_ordered_as(call, output, query), sums, scores};
  return call.tuple(results);
}

// flex_attention_backward(query, key, value, out, logsumexp, grad_out, grad_logsumexp, fw_graph,
// joint_graph, block_mask, scale, kernel_options, buffers of both): the gradients of query, key and
// value, and of what the score's graph reads.
Value flex_attention_backward(HigherOrderCall& call) {
  constexpr size_t kBuffers = 12;
  const Tensor& query = unpacked(tensor_at(call, 0));
  const Tensor& key = tensor_at(call, 1);
  const Tensor& value = unpacked(tensor_at(call, 2));
  const SymInt batch = query.sizes()[0];
  DimVector of_key;
  DimVector of_value;
  for (DimVector* sizes : {&of_key, &of_value}) {
    sizes->push_back(batch);
    sizes->push_back(value.sizes()[1]);
    sizes->push_back(value.sizes()[2]);
  }
  of_key.push_back(query.sizes()[3]);
  of_value.push_back(value.sizes()[3]);
  DimVector of_query;
  for (const SymInt size : query.sizes()) of_query.push_back(size);
  const Value grad_query = empty_ordered_as(call, of_query, query);
  std::vector<Value> captured;
  const std::span<const Value> args = call.positional();
  for (size_t i = 0; args.size() > kBuffers && i < args[kBuffers].size(); ++i) {
    const Value buffer = args[kBuffers][i];
    if (!buffer.is_tensor()) {
      captured.emplace_back();
      continue;
    }
    const Tensor& tensor = buffer.tensor();
    captured.emplace_back(call.context().empty(tensor.sizes(), tensor.dtype(), tensor.device()));
  }
  Value grad_key = empty_ordered_as(call, of_key, key);
  Value grad_value = empty_ordered_as(call, of_value, value);
  if (guard_bool(batch > 1) && guard_bool(value.sizes()[0] == 1)) {
    grad_key = summed_over_batch(call, grad_key);
    grad_value = summed_over_batch(call, grad_value);
  }
  const Value results[] = {grad_query, grad_key, grad_value, call.tuple(captured)};
  return call.tuple(results);
}

}  // namespace faketensor
