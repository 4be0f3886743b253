#include "core/profiler/memory_categories.h"

#include <algorithm>
#include <unordered_set>

namespace faketensor {

using Storages = std::unordered_set<const Storage*>;

MemoryCategories::MemoryCategories(std::span<const Storage* const> parameters,
                                   std::span<const MemoryNode> nodes) {
  for (const Storage* storage : parameters) set(storage, MemoryCategory::kParameter);
  set_inputs(nodes);
  set_activations(nodes);
}

// One pass finds what depends on a parameter, one back what a computation with parameters is made
// of. What is of the second and not of the first is input.
void MemoryCategories::set_inputs(std::span<const MemoryNode> nodes) {
  Storages depends;
  for (const MemoryNode& node : nodes) {
    const bool is_derived = std::any_of(node.inputs.begin(), node.inputs.end(), [&](auto* each) {
      return is_parameter(each) || depends.count(each) != 0;
    });
    if (is_derived) depends.insert(node.outputs.begin(), node.outputs.end());
  }
  Storages produces;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const auto is_used = [&](auto* each) {
      return is_parameter(each) || produces.count(each) != 0;
    };
    if (!std::any_of(node->inputs.begin(), node->inputs.end(), is_used) &&
        !std::any_of(node->outputs.begin(), node->outputs.end(), is_used))
      continue;
    produces.insert(node->inputs.begin(), node->inputs.end());
    produces.insert(node->outputs.begin(), node->outputs.end());
  }
  for (const Storage* storage : produces) {
    if (depends.count(storage) == 0) set(storage, MemoryCategory::kInput);
  }
}

// Flows from inputs through nodes of which every input is known.
void MemoryCategories::set_activations(std::span<const MemoryNode> nodes) {
  for (const MemoryNode& node : nodes) {
    bool is_fed = false;
    bool is_known = true;
    for (const Storage* storage : node.inputs) {
      const MemoryCategory kind = of(storage);
      is_fed |= kind == MemoryCategory::kInput || kind == MemoryCategory::kActivation;
      is_known &= kind != MemoryCategory::kNone;
    }
    if (!is_fed || !is_known) continue;
    for (const Storage* storage : node.outputs) set(storage, MemoryCategory::kActivation);
  }
}

}  // namespace faketensor
