#include "core/passes/graph_copy.h"

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

void copy_meta(const Graph& from, NodeId id, Graph& to, NodeId copy) {
  static_cast<NodeMeta&>(to.meta(copy)) = from.node(id);
  if (!from.bindings(id).empty()) to.set_bindings(copy, from.bindings(id));
}

NodeId GraphCopy::copy_of(NodeId id) {
  NodeId copy = (*this)(id);
  if (copy == kNoNode && on_missing) map(id, copy = on_missing(id));
  if (copy == kNoNode)
    throw_error(ErrorKind::kValueError,
                format("node '{}' is named before it is copied", from_.name_of(id)));
  return copy;
}

Value GraphCopy::mapped(const Value& argument) {
  if (argument.is(Value::Tag::kNodeRef)) return node_ref(copy_of(node_of(argument)));
  if (!argument.is(Value::Tag::kList)) return argument;
  std::vector<Value> elements;
  for (const Value& element : argument.values()) elements.push_back(mapped(element));
  const std::span<const Value> kept = to_.store().arena.copy(std::span<const Value>(elements));
  return Value::like(argument, kept);
}

NodeId GraphCopy::add(NodeId id, std::string_view name) {
  const Node& node = from_.node(id);
  NewNode copy;
  copy.kind = node.kind;
  copy.target = from_.text(node.target);
  copy.name = name.empty() ? name_of_target(copy.target) : std::string(name);
  for (const Value& arg : node.positional()) copy.args.push_back(mapped(arg));
  for (size_t i = 0; i < node.keywords.size(); ++i)
    copy.kwargs.emplace_back(std::string(from_.text(node.keywords[i])),
                             mapped(node.by_keyword()[i]));
  const NodeId made = to_.insert_before(place, copy);
  copy_meta(from_, id, to_, made);
  if (node.kind == NodeKind::kGetAttr || node.kind == NodeKind::kCallModule) {
    if (const Graph* module = from_.submodule(node.target); module != nullptr)
      to_.add_submodule(copy.target, *module);
  }
  map(id, made);
  return made;
}

NodeId GraphCopy::add_placeholder(NodeId id) {
  const std::string name(from_.name_of(id));
  const NodeId made =
      to_.append(NewNode{.kind = NodeKind::kPlaceholder, .name = name, .target = name});
  copy_meta(from_, id, to_, made);
  map(id, made);
  return made;
}

void GraphCopy::add_output(const Value& value) {
  to_.append(NewNode{.kind = NodeKind::kOutput,
                     .name = "output",
                     .target = "output",
                     .args = {value},
                     .val = Value::unset()});
}

}  // namespace faketensor
