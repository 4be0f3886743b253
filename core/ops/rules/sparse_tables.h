// The rows for calls with a sparse tensor, by the name of the overload.
//
// A row says how an operator answers where one of its tensors is COO or compressed. Operators
// without a row refuse such tensors as PyTorch's dispatcher does (families/sparse.h,
// refuse_sparse).
#pragma once

#include <span>

#include "core/ops/call.h"

namespace faketensor {

std::span<const std::span<const SparseDef>> sparse_tables();

// One per file of this folder that has any.
std::span<const SparseDef> sparse_factory_rows();
std::span<const SparseDef> sparse_inplace_rows();
std::span<const SparseDef> sparse_matmul_rows();
std::span<const SparseDef> sparse_pointwise_rows();
std::span<const SparseDef> sparse_view_rows();

}  // namespace faketensor
