#include "core/ops/rules/tables.h"

namespace faketensor {

std::span<const std::span<const OpDef>> rule_tables() {
  static const std::span<const OpDef> kTables[] = {
      activation_rules(),
      comparison_rules(),
      matmul_rules(),
      pointwise_binary_rules(),
      pointwise_unary_rules(),
      reduction_rules(),
      symbolic_scalar_rules(),
      view_rules(),
  };
  return kTables;
}

}  // namespace faketensor
