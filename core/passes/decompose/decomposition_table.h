// DecompositionTable: which operators run_decompositions takes apart.
//
// PyTorch's table maps an operator to the Python function that answers it by others; here the
// functions are steps (core/ops/steps/steps.h), and a table says for which operators they are
// taken. A composite (CompositeImplicitAutograd) that is in no table is kept whole where its schema
// says that it neither aliases nor writes; all others are taken apart always.
//
//   DecompositionTable table = DecompositionTable::core_aten();
//   table.remove("aten.linear.default");
//   if (table.replaces(op)) ...
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/registry.h"

namespace faketensor {

class DecompositionTable {
 public:
  // {}: only composites that cannot be kept are taken apart.
  DecompositionTable() = default;
  // torch.export.default_decompositions(): to the operators of core ATen.
  static DecompositionTable core_aten();

  // Every composite is taken apart, whether it could be kept or not.
  static DecompositionTable all_composites();

  // "aten.silu.default", in any of the forms that Registry::find knows. Raises UsageError for what
  // is no operator and, to be added, for one that PyTorch has no decomposition of.
  void add(std::string_view name);
  void remove(std::string_view name);

  // Whether an operator becomes the calls that answer it.
  bool replaces(const OpEntry& op) const;

 private:
  void set(OpId op, bool is_in);

  std::vector<bool> in_table_;  // by OpId
};

// A table as it is written, a part after the other: "core_aten", "none" or "composites", which may
// come first, then operators to add, or to remove ("-aten.linear.default"). Without a first part the table begins
// as that of core ATen where the first operator is removed, and empty where it is added; with no part
// at all it is that of core ATen.
DecompositionTable read_table(std::span<const std::string> parts);

// "aten::add.Tensor"; of a default overload "aten::relu".
std::string_view overload_name(const OpEntry& op);

// Whether PyTorch dispatches an operator to a composite implementation, in C++ or in Python.
bool is_composite(const OpEntry& op);

}  // namespace faketensor
