#include "core/passes/unflattened_module.h"

#include <algorithm>
#include <unordered_set>

#include "core/passes/graph_copy.h"
#include "core/passes/module_calls.h"

namespace faketensor {

namespace {

// A module with the names on the way to it.
struct Visit {
  UnflattenedModule* module;
  std::vector<std::string> scope;
  bool is_expanded = false;
};

// Each once, behind those that it calls, by the first of its paths.
std::vector<Visit> bottom_up(UnflattenedModule& root) {
  std::vector<Visit> order;
  std::vector<Visit> open = {{&root, {}}};
  std::unordered_set<const UnflattenedModule*> seen;
  while (!open.empty()) {
    if (open.back().is_expanded) {
      order.push_back(std::move(open.back()));
      open.pop_back();
      continue;
    }
    if (!seen.insert(open.back().module).second) {
      open.pop_back();
      continue;
    }
    open.back().is_expanded = true;
    const Visit visit = open.back();
    for (const auto& [name, child] : visit.module->children->list) {
      if (child == nullptr || child->graph == nullptr) continue;
      std::vector<std::string> scope = visit.scope;
      scope.push_back(name);
      open.push_back({child, std::move(scope)});
    }
  }
  return order;
}

void drop_arguments(UnflattenedModule& module) {
  Graph& graph = *module.graph;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kCallModule) continue;
    const UnflattenedModule* called = find_module(module, std::string(graph.target_of(id)));
    if (called == nullptr || called->removed.empty()) continue;
    const std::unordered_set<std::string_view> removed(called->removed.begin(),
                                                       called->removed.end());
    std::vector<Value> kept;
    for (const Value& arg : node.positional()) {
      const bool is_kept =
          !arg.is(Value::Tag::kNodeRef) || !removed.contains(graph.name_of(node_of(arg)));
      if (is_kept) kept.push_back(arg);
    }
    kept.insert(kept.end(), node.by_keyword().begin(), node.by_keyword().end());
    graph.set_arguments(id, kept, node.keywords);
  }
}

bool is_below(const std::vector<std::string>& target, const std::vector<std::string>& scope) {
  return target.size() > scope.size() && std::equal(scope.begin(), scope.end(), target.begin(),
                                                    [](const std::string& a, const std::string& b) {
                                                      return without_call_number(a) == b;
                                                    });
}

void sink_into(UnflattenedModule& module, const std::vector<std::string>& scope,
               const AttributeTargets& targets) {
  Graph& graph = *module.graph;
  std::vector<NodeId> placeholders;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
    if (graph.node(id).kind == NodeKind::kPlaceholder) placeholders.push_back(id);
  if (placeholders.empty()) return;
  // New ones stand right behind the last placeholder, also when that has gone.
  const NodeId last = placeholders.back();
  NodeId next = graph.next(last);
  for (const NodeId id : placeholders) {
    const std::string name(graph.name_of(id));
    const auto target = targets.find(name);
    if (target == targets.end() || !is_below(target->second, scope)) continue;
    if (!graph.users(id).empty()) {
      const std::string path = join_path(target->second, scope.size());
      next = graph.insert_before(next, {.kind = NodeKind::kGetAttr, .name = path, .target = path});
      copy_meta(graph, id, graph, next);
      graph.replace_all_uses(id, next);
    }
    graph.erase(id);
    module.removed.push_back(name);
  }
}

}  // namespace

UnflattenedModule* find_module(UnflattenedModule& from, const std::string& path) {
  UnflattenedModule* at = &from;
  for (const std::string& part : split_path(path)) {
    if (at == nullptr) return nullptr;
    at = at->children->find(part);
  }
  return at;
}

void sink_attributes(UnflattenedModule& root, const AttributeTargets& targets) {
  for (const Visit& visit : bottom_up(root)) {
    drop_arguments(*visit.module);
    sink_into(*visit.module, visit.scope, targets);
  }
}

}  // namespace faketensor
