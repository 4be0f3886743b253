#include "core/profiles/draft_export.h"

#include <algorithm>

#include "core/profiles/fake_kernels.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// TensorMetadata.maybe_from_tensor
std::optional<TensorMetadata> maybe_metadata(const Value& value) {
  if (!value.is_tensor()) return {};
  return metadata_of(value.tensor());
}

// What stands in an argument's place: the value of a node, or nothing for what is none.
Value argument_value(const FxGraph& graph, const Value& argument) {
  return argument.is(Value::Tag::kNodeRef) ? graph.node(argument.node()).val : Value();
}

OpProfile profile_of(const FxGraph& graph, const FxNode& node) {
  OpProfile profile;
  for (const Value& arg : node.args)
    profile.args.push_back(maybe_metadata(argument_value(graph, arg)));
  for (const auto& [name, arg] : node.kwargs)
    profile.args.push_back(maybe_metadata(argument_value(graph, arg)));
  if (!node.val.is_tensor() && !node.val.is_list())
    throw_error(ErrorKind::kAssertionError,
                format("out_profile must not be None for meta type of {}", node.name));
  profile.is_tuple = node.val.is_list();
  if (!profile.is_tuple) profile.out.push_back(maybe_metadata(node.val));
  for (size_t i = 0; profile.is_tuple && i < node.val.size(); ++i)
    profile.out.push_back(maybe_metadata(node.val[i]));
  return profile;
}

}  // namespace

OpProfiles get_op_profiles(const FxGraph& graph, const std::set<std::string>& ops) {
  OpProfiles profiles;
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) {
    const FxNode& node = graph.node(id);
    if (node.kind != FxNode::Kind::kCall || ops.count(node.target) == 0) continue;
    auto of_op = std::find_if(profiles.begin(), profiles.end(), [&](const OperatorProfiles& each) {
      return each.op.text == node.target;
    });
    if (of_op == profiles.end()) {
      profiles.push_back({python::Scalar::string(node.target), {}});
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

void insert_custom_op_guards(FxGraph& graph, const std::set<std::string>& ops) {
  constexpr std::string_view kTarget = "aten._assert_tensor_metadata.default";
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) {
    if (graph.node(id).kind != FxNode::Kind::kCall || ops.count(graph.node(id).target) == 0)
      continue;
    std::vector<Value> args = graph.node(id).args;
    for (const auto& [name, arg] : graph.node(id).kwargs) args.push_back(arg);
    for (const Value& arg : args) {
      const Value val = argument_value(graph, arg);
      if (!val.is_tensor()) continue;
      const Tensor& tensor = val.tensor();
      graph.insert_before(id, {.name = name_of_target(kTarget),
                               .target = std::string(kTarget),
                               .args = {arg},
                               .kwargs = {{"dtype", tensor.dtype()},
                                          {"device", tensor.device()},
                                          {"layout", tensor.layout()}}});
    }
  }
}

}  // namespace faketensor
