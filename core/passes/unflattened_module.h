// The modules that a program is unflattened to (unflatten.h) while they are made.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace faketensor {

// Modules that are one instance share their children.
struct UnflattenedModule {
  struct Children {
    std::vector<std::pair<std::string, UnflattenedModule*>> list;
    std::unordered_map<std::string, size_t> places;

    UnflattenedModule* find(const std::string& name) const {
      const auto found = places.find(name);
      return found == places.end() ? nullptr : list[found->second].second;
    }
    void set(const std::string& name, UnflattenedModule& module) {
      const auto [found, is_new] = places.emplace(name, list.size());
      if (is_new) list.emplace_back(name, nullptr);
      list[found->second].second = &module;
    }
    // What is gone has no module.
    void remove(const std::string& name) {
      const auto found = places.find(name);
      if (found == places.end()) return;
      list[found->second].second = nullptr;
      places.erase(found);
    }
  };
  Graph* graph = nullptr;  // null for a module that only holds others
  // Of a higher-order operator, which is as it was.
  const Graph* operator_graph = nullptr;
  std::shared_ptr<Children> children = std::make_shared<Children>();
  std::vector<std::string> removed = {};  // placeholders that have become attributes
  std::vector<std::string> specs = {};    // pytree specs, the attributes _spec_0, _spec_1, ...
  // Of several calls whose signatures are kept: what each runs. Such a module has no graph itself.
  std::vector<UnflattenedModule*> dispatched = {};
};

// The module on a path below another; null where there is none.
UnflattenedModule* find_module(UnflattenedModule& from, const std::string& path);

// Parameters, buffers and constants are fetched where they are used, and handed down no more.
// `targets`: by the name of an input, the path of the attribute that it is, in its parts.
using AttributeTargets = std::unordered_map<std::string, std::vector<std::string>>;
void sink_attributes(UnflattenedModule& root, const AttributeTargets& targets);

}  // namespace faketensor
