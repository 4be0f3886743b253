#include "core/ops/rules/sparse_tables.h"

namespace faketensor {

std::span<const std::span<const SparseDef>> sparse_tables() {
  static const std::span<const SparseDef> kTables[] = {
      sparse_factory_rows(),   sparse_inplace_rows(), sparse_matmul_rows(),
      sparse_pointwise_rows(), sparse_view_rows(),
  };
  return kTables;
}

}  // namespace faketensor
