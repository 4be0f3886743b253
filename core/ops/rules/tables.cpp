#include "core/ops/rules/tables.h"

namespace faketensor {

std::span<const std::span<const OpDef>> rule_tables() {
  static const std::span<const OpDef> kTables[] = {
      matmul_rules(),
      pointwise_rules(),
      view_rules(),
  };
  return kTables;
}

}  // namespace faketensor
