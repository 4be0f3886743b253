// Functional collectives: _c10d_functional::* and its twins with gradients.
//
// Mirrors the Meta functions of torch/distributed/_functional_collectives.py. A group is no more
// than its name; where its size matters, the call says it.
#include "core/ops/families/copy.h"
#include "core/ops/rules/tables.h"

namespace faketensor {

namespace rules_of_collective {
namespace {

// torch.empty_like on the device of all tensors of the call.
Tensor* like(Call& c, const Tensor& input) {
  const Tensor* laid_out = c.empty_like(input);
  return c.empty_strided(laid_out->sizes(), laid_out->strides(), input.dtype());
}

Tensor* all_reduce(Call& c, const Tensor& input) { return c.empty(input.sizes(), input.dtype()); }
Tensor* same_layout(Call& c, const Tensor& input) { return like(c, input); }
Value itself(Call& c, Tensor& input) { return written(c, input); }
Value themselves(Call& c, TensorList inputs) {
  (void)c.device();
  return c.list(inputs.values());
}
// What was sent is no result.
Tensor* sent(Call& c, const Tensor& tensor) { return c.empty({0}, tensor.dtype()); }

// The shards of all members of the group, one after the other.
Tensor* gathered(Call& c, const Tensor& input, SymInt group_size) {
  DimVector sizes(input.sizes());
  if (sizes.empty()) {
    sizes.push_back(group_size);
  } else {
    sizes[0] *= group_size;
  }
  return c.empty(sizes, input.dtype());
}
// One member's shard of the sum.
Tensor* scattered(Call& c, const Tensor& input, SymInt group_size) {
  DimVector sizes(input.sizes());
  c.check_as(ErrorKind::kIndexError, !sizes.empty(), "list index out of range");
  c.check_as(ErrorKind::kZeroDivisionError, !guard_or_false(group_size == 0),
             "integer division or modulo by zero");
  sizes[0] = floor_div(sizes[0], group_size);
  return c.empty(sizes, input.dtype());
}

template <typename Each>
Value for_each(Call& c, TensorList inputs, const Each& each) {
  SmallVector<Value, 8> results;
  for (size_t i = 0; i < inputs.size(); ++i) results.push_back(each(inputs[i]));
  return c.list(results.span());
}

Value all_reduce_coalesced(Call& c, TensorList inputs) {
  return for_each(c, inputs, [&](const Tensor& input) { return like(c, input); });
}
Value all_gather_coalesced(Call& c, TensorList inputs, SymInt group_size) {
  return for_each(c, inputs, [&](const Tensor& input) { return gathered(c, input, group_size); });
}
Tensor* reduce_scatter(Call& c, const Tensor& input, std::string_view, SymInt group_size) {
  return scattered(c, input, group_size);
}
Value reduce_scatter_coalesced(Call& c, TensorList inputs, std::string_view, SymInt group_size) {
  return for_each(c, inputs, [&](const Tensor& input) { return scattered(c, input, group_size); });
}

// Mirrors _all_to_all_single_meta.
Tensor* all_to_all(Call& c, const Tensor& input, Dims output_split_sizes) {
  SymInt total = 0;
  for (const SymInt size : output_split_sizes) {
    c.check(size >= 0,
            "Expected cond to be True, but got False. (Could this error message be improved? If "
            "so, please report an enhancement request to PyTorch.)");
    total += size;
  }
  DimVector sizes(input.sizes());
  c.check_as(ErrorKind::kIndexError, !sizes.empty(), "list assignment index out of range");
  sizes[0] = total;
  return c.empty(sizes, input.dtype());
}

// Mirrors _batch_p2p_ops_meta.
Value batch_p2p(Call& c, const Value& ops, const Value&, const Value&, TensorList tensors) {
  SmallVector<Value, 8> results;
  for (size_t i = 0; i < tensors.size() && i < ops.size(); ++i) {
    const bool receives = ops[i].is(Value::Tag::kString) && ops[i].text() == "irecv";
    results.push_back(receives ? Value(tensors[i]) : Value(sent(c, tensors[i])));
  }
  return c.list(results.span());
}

// clang-format off
constexpr OpDef kCollectiveRules[] = {
    {"_c10d_functional::_wrap_tensor_autograd(Tensor input) -> Tensor", rule<&same_layout>(), kByCustomFake},
    {"_c10d_functional::all_gather_into_tensor(Tensor input, int group_size, Any group_name) -> Tensor", rule<&gathered>()},
    {"_c10d_functional::all_gather_into_tensor_coalesced(Tensor[] inputs, int group_size, Any group_name) -> Tensor[]", rule<&all_gather_coalesced>()},
    {"_c10d_functional::all_gather_into_tensor_out(Tensor input, int group_size, Any group_name, *, Tensor(a!) out) -> Tensor(a!)", rule<&gathered>(), kByTrivial},
    {"_c10d_functional::all_reduce(Tensor input, str reduce_op, Any group_name) -> Tensor", rule<&all_reduce>()},
    {"_c10d_functional::all_reduce_(Tensor(a!) input, str reduce_op, Any group_name) -> Tensor(a!)", rule<&itself>()},
    {"_c10d_functional::all_reduce_coalesced(Tensor[] inputs, str reduce_op, Any group_name) -> Tensor[]", rule<&all_reduce_coalesced>()},
    {"_c10d_functional::all_reduce_coalesced_(Tensor[](a!) inputs, str reduce_op, Any group_name) -> Tensor[](a!)", rule<&themselves>()},
    {"_c10d_functional::all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, Any group_name) -> Tensor", rule<&all_to_all>()},
    {"_c10d_functional::batch_p2p_ops(str[] op_list, int[] peer_list, int[] tag_list, Tensor[] tensors, str group_name) -> Tensor[]", rule<&batch_p2p>()},
    {"_c10d_functional::broadcast(Tensor input, int src, Any group_name) -> Tensor", rule<&same_layout>()},
    {"_c10d_functional::broadcast_(Tensor(a!) input, int src, Any group_name) -> Tensor(a!)", rule<&itself>()},
    {"_c10d_functional::irecv(Tensor tensor, int src, int tag, str group_name) -> Tensor", rule<&same_layout>()},
    {"_c10d_functional::isend(Tensor tensor, int dst, int tag, str group_name) -> Tensor", rule<&sent>()},
    {"_c10d_functional::reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, Any group_name) -> Tensor", rule<&reduce_scatter>()},
    {"_c10d_functional::reduce_scatter_tensor_coalesced(Tensor[] inputs, str reduce_op, int group_size, Any group_name) -> Tensor[]", rule<&reduce_scatter_coalesced>()},
    {"_c10d_functional::reduce_scatter_tensor_out(Tensor input, str reduce_op, int group_size, Any group_name, *, Tensor(a!) out) -> Tensor(a!)", rule<&reduce_scatter>(), kByTrivial},
    {"_c10d_functional::wait_tensor(Tensor tensor) -> Tensor", rule<&same_layout>()},
    {"_c10d_functional_autograd::all_gather_into_tensor(Tensor input, int group_size, Any group_name) -> Tensor", rule<&gathered>()},
    {"_c10d_functional_autograd::all_to_all_single(Tensor input, SymInt[] output_split_sizes, SymInt[] input_split_sizes, Any group_name) -> Tensor", rule<&all_to_all>()},
    {"_c10d_functional_autograd::reduce_scatter_tensor(Tensor input, str reduce_op, int group_size, Any group_name) -> Tensor", rule<&reduce_scatter>()},
};
// clang-format on
}  // namespace
}  // namespace rules_of_collective

std::span<const OpDef> collective_rules() { return rules_of_collective::kCollectiveRules; }

}  // namespace faketensor
