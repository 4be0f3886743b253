// What storages are for, by the rules of MemoryProfile (torch/profiler/_memory_profiler.py).
//
// Nodes stand in the order of the data. What depends on no parameter and a computation with
// parameters is made of is an input; what comes of inputs, through nodes of which all is known, is an
// activation. What the rules do not reach is of no category.
//
//   const MemoryCategories categories(parameters, nodes);
//   categories.of(storage)   // MemoryCategory::kActivation
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/tensor/tensor.h"

namespace faketensor {

// Numbers are those in the files (_CATEGORY_TO_INDEX).
enum class MemoryCategory : uint8_t {
  kParameter,
  kOptimizerState,
  kInput,
  kTemporary,
  kActivation,
  kGradient,
  kAutogradDetail,
  kNone
};
inline constexpr size_t kMemoryCategories = 8;

// What a call of the program reads that was there before it, and what it leaves.
struct MemoryNode {
  std::vector<const Storage*> inputs;
  std::vector<const Storage*> outputs;
};

class MemoryCategories {
 public:
  MemoryCategories(std::span<const Storage* const> parameters, std::span<const MemoryNode> nodes);

  MemoryCategory of(const Storage* storage) const {
    const auto found = categories_.find(storage);
    return found == categories_.end() ? MemoryCategory::kNone : found->second;
  }

 private:
  void set_inputs(std::span<const MemoryNode> nodes);
  void set_activations(std::span<const MemoryNode> nodes);
  // The first to be said of a storage holds.
  void set(const Storage* storage, MemoryCategory category) {
    categories_.try_emplace(storage, category);
  }
  bool is_parameter(const Storage* storage) const {
    return of(storage) == MemoryCategory::kParameter;
  }

  std::unordered_map<const Storage*, MemoryCategory> categories_;
};

}  // namespace faketensor
