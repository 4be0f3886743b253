#include "core/profiles/draft_export.h"

#include <algorithm>

#include "core/profiles/fake_kernels.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

// TensorMetadata.maybe_from_tensor
std::optional<TensorMetadata> maybe_metadata(const Value& value) {
  if (!value.is_tensor()) return {};
  return metadata_of(value.tensor());
}

// The value of the node that an argument names; None for an argument that names no node.
Value argument_value(const Graph& graph, const Value& argument) {
  return argument.is(Value::Tag::kNodeRef) ? graph.node(node_of(argument)).val : Value();
}

// "mylib.foo.default" of a call that is one of `ops`; empty for other nodes.
std::string_view operator_of(const Graph& graph, const Node& node,
                             const std::set<std::string>& ops) {
  const std::string_view target = graph.text(node.target);
  if (node.kind != NodeKind::kCallFunction || !target.starts_with(kTorchOps)) return {};
  const std::string_view name = operator_name(target);
  return ops.count(std::string(name)) == 0 ? std::string_view() : name;
}

OpProfile profile_of(const Graph& graph, const Node& node) {
  OpProfile profile;
  for (const Value& arg : node.args)
    profile.args.push_back(maybe_metadata(argument_value(graph, arg)));
  if (!node.val.is_tensor() && !node.val.is_list())
    throw_error(ErrorKind::kAssertionError,
                format("out_profile must not be None for meta type of {}", graph.text(node.name)));
  profile.is_tuple = node.val.is_list();
  if (!profile.is_tuple) profile.out.push_back(maybe_metadata(node.val));
  for (size_t i = 0; profile.is_tuple && i < node.val.size(); ++i)
    profile.out.push_back(maybe_metadata(node.val[i]));
  return profile;
}

}  // namespace

OpProfiles get_op_profiles(const Graph& graph, const std::set<std::string>& ops) {
  OpProfiles profiles;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    const std::string_view op = operator_of(graph, node, ops);
    if (op.empty()) continue;
    auto of_op = std::find_if(profiles.begin(), profiles.end(),
                              [&](const OperatorProfiles& each) { return each.op.text == op; });
    if (of_op == profiles.end()) {
      profiles.push_back({python::Scalar::string(std::string(op)), {}});
      of_op = profiles.end() - 1;
    }
    OpProfile profile = profile_of(graph, node);
    const bool is_there =
        std::any_of(of_op->profiles.begin(), of_op->profiles.end(),
                    [&](const OpProfile& each) { return identity(each) == identity(profile); });
    if (!is_there) of_op->profiles.push_back(std::move(profile));
  }
  return profiles;
}

void insert_custom_op_guards(Graph& graph, const std::set<std::string>& ops) {
  constexpr std::string_view kTarget = "torch.ops.aten._assert_tensor_metadata.default";
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (operator_of(graph, graph.node(id), ops).empty()) continue;
    for (const Value& arg : graph.node(id).args) {
      const Value val = argument_value(graph, arg);
      if (!val.is_tensor()) continue;
      const Tensor& tensor = val.tensor();
      graph.insert_before(id, NewNode{.name = name_of_target(kTarget),
                                      .target = std::string(kTarget),
                                      .args = {arg},
                                      .kwargs = {{"dtype", tensor.dtype()},
                                                 {"device", tensor.device()},
                                                 {"layout", tensor.layout()}}});
    }
  }
}

}  // namespace faketensor
