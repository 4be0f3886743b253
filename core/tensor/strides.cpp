#include "core/tensor/strides.h"

#include <algorithm>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/cpp_comparison.h"
#include "core/tensor/contiguity.h"

namespace faketensor {

SymInt numel(Dims sizes) {
  SymInt product = 1;
  for (const SymInt size : sizes) product *= size;
  return product;
}

namespace {
// Fills `strides` so that the dimensions in `order` (innermost first) are dense. Unlike in
// row-major strides, a size of 0 makes what follows 0 (c10::get_channels_last_strides_2d).
void fill_dense(Dims sizes, std::span<const int> order, DimVector& strides) {
  SymInt next = 1;
  for (const int dim : order) {
    strides[static_cast<size_t>(dim)] = next;
    next *= sizes[static_cast<size_t>(dim)];
  }
}
}  // namespace

DimVector contiguous_strides(Dims sizes) {
  DimVector strides(sizes.size());
  SymInt next = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = next;
    if (i > 0) next *= sym_max(sizes[i], 1);
  }
  return strides;
}

DimVector channels_last_strides(Dims sizes) {
  DimVector strides(sizes.size());
  if (sizes.size() == 4) {
    fill_dense(sizes, std::initializer_list<int>{1, 3, 2, 0}, strides);
  } else if (sizes.size() == 3) {
    fill_dense(sizes, std::initializer_list<int>{0, 2, 1}, strides);
  } else {
    throw_error(ErrorKind::kRuntimeError, "required rank 4 tensor to use channels_last format");
  }
  return strides;
}

DimVector channels_last_3d_strides(Dims sizes) {
  DimVector strides(sizes.size());
  if (sizes.size() == 5) {
    fill_dense(sizes, std::initializer_list<int>{1, 4, 3, 2, 0}, strides);
  } else if (sizes.size() == 4) {
    fill_dense(sizes, std::initializer_list<int>{0, 3, 2, 1}, strides);
  } else {
    throw_error(ErrorKind::kRuntimeError, "required rank 5 tensor to use channels_last_3d format");
  }
  return strides;
}

DimVector strides_for(Dims sizes, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::kChannelsLast:
      if (sizes.size() != 4)
        throw_error(ErrorKind::kRuntimeError, "required rank 4 tensor to use channels_last format");
      return channels_last_strides(sizes);
    case MemoryFormat::kChannelsLast3d:
      if (sizes.size() != 5)
        throw_error(ErrorKind::kRuntimeError,
                    "required rank 5 tensor to use channels_last_3d format");
      return channels_last_3d_strides(sizes);
    default:
      return contiguous_strides(sizes);
  }
}

DimVector permuted_strides(Dims sizes, std::span<const int64_t> permutation) {
  DimVector strides(sizes.size());
  SymInt next = 1;
  for (size_t i = permutation.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(permutation[i]);
    strides[dim] = next;
    next *= sym_max(sizes[dim], 1);
  }
  return strides;
}

SymInt storage_elements(Dims sizes, Dims strides, SymInt offset) {
  SymInt elements = offset + 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (guard_or_false(sizes[i] == 0)) return 0;
    elements += strides[i] * (sizes[i] - 1);
  }
  return elements;
}

SymInt storage_bytes(Dims sizes, Dims strides, SymInt offset, DType dtype) {
  return storage_elements(sizes, strides, offset) * itemsize(dtype);
}

std::optional<DimVector> view_strides(Dims sizes, Dims strides, Dims new_sizes) {
  if (sizes.empty()) return DimVector(new_sizes.size(), SymInt(1));
  const SymInt elements = numel(sizes);
  if (guard_or_false(elements == 0)) {
    if (equal_or_false(sizes, new_sizes)) {
      return DimVector(strides);
    }
    return contiguous_strides(new_sizes);
  }
  DimVector result(new_sizes.size());
  size_t left = new_sizes.size();  // dimensions of the view that are not placed yet
  // Stride of the innermost dimension of the current contiguous chunk.
  SymInt chunk_stride = strides.back();
  SymInt chunk = 1;   // elements of the chunk
  SymInt viewed = 1;  // elements of it that the view has placed
  for (size_t dim = sizes.size(); dim-- > 0;) {
    chunk *= sizes[dim];
    const bool chunk_ends =
        dim == 0 ||
        (!known_one(sizes[dim - 1]) &&
         guard_or_true(cpp_compare(Comparison::kNe, strides[dim - 1], chunk * chunk_stride)));
    if (!chunk_ends) continue;
    while (left > 0 && (guard_or_true(cpp_compare(Comparison::kLt, viewed, chunk)) ||
                        known_one(new_sizes[left - 1]))) {
      --left;
      result[left] = viewed * chunk_stride;
      viewed *= new_sizes[left];
    }
    if (guard_or_true(cpp_compare(Comparison::kNe, viewed, chunk))) return std::nullopt;
    if (dim > 0) {
      chunk_stride = strides[dim - 1];
      chunk = 1;
      viewed = 1;
    }
  }
  if (left != 0) return std::nullopt;
  return result;
}

namespace {

bool not_less(SymInt a, SymInt b) {
  if (guard_or_false(b == 0)) return true;
  if (guard_or_false(a == 0)) return false;
  return guard_or_false(a >= b) || guard_or_false(mod(a, b) == 0);
}

// Whether dimension `a` must lie inside of `b` (> 0), outside (< 0), or no operand tells (0).
int compare_dims(Dims sizes, std::span<const Dims> operands, size_t a, size_t b) {
  for (const Dims strides : operands) {
    if (guard_or_false(strides[a] == 0) || guard_or_false(strides[b] == 0)) continue;
    if (guard_or_false(strides[a] == strides[b])) {
      if (not_less(sizes[b], sizes[a])) continue;
      return 1;
    }
    if (not_less(strides[b], strides[a])) return -1;
    if (not_less(strides[a], strides[b])) return 1;
  }
  return 0;
}

}  // namespace

DimVector elementwise_strides(Dims sizes, std::span<const Dims> operands) {
  const size_t rank = sizes.size();
  if (operands.empty() || rank < 2) return contiguous_strides(sizes);
  bool contiguous = true;
  bool channels_last = true;
  Dims asked;
  for (const Dims strides : operands) {
    if (strides.size() != rank) [[unlikely]] {
      throw_error(ErrorKind::kRuntimeError, "Tensors of type SparseTensorImpl do not have strides");
    }
    // Of strides that were just asked about everything is decided.
    if (same_exprs(strides, asked)) continue;
    asked = strides;
    contiguous = contiguous && is_contiguous_or_false(sizes, strides);
    channels_last = channels_last && is_channels_last_contiguous_or_false(sizes, strides);
  }
  if (contiguous && !channels_last) return contiguous_strides(sizes);
  static constexpr int64_t kChannelsLast[] = {0, 2, 3, 1};
  if (channels_last && !contiguous) return permuted_strides(sizes, kChannelsLast);
  // Insertion sort, innermost first; comparisons may be ambiguous, so the order of comparing is
  // part of the answer.
  SmallVector<int64_t, 8> order;
  for (size_t i = rank; i-- > 0;) order.push_back(static_cast<int64_t>(i));
  for (size_t i = 1; i < rank; ++i) {
    size_t moving = i;
    for (size_t j = i; j-- > 0;) {
      const int comparison = compare_dims(sizes, operands, static_cast<size_t>(order[j]),
                                          static_cast<size_t>(order[moving]));
      if (comparison < 0) break;
      if (comparison > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return permuted_strides(sizes, order.span());
}

DimVector dense_strides_like(Dims sizes, Dims strides) {
  const Dims operands[] = {strides};
  return elementwise_strides(sizes, operands);
}

DimVector infer_shape(Dims shape, SymInt elements) {
  DimVector result(shape);
  SymInt known = 1;
  std::optional<size_t> inferred;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (guard_or_false(shape[i] == -1)) {
      if (inferred) throw_error(ErrorKind::kRuntimeError, "only one dimension can be inferred");
      inferred = i;
      continue;
    }
    if (!expect_true(shape[i] > -1)) {
      throw_error(ErrorKind::kRuntimeError,
                  format("invalid shape dimension {} at index {} of shape {}", shape[i], i, shape));
    }
    known *= shape[i];
  }
  const auto check = [&](SymBool valid) {
    if (!expect_true(valid)) {
      throw_error(ErrorKind::kRuntimeError,
                  format("shape '{}' is invalid for input of size {}", shape, elements));
    }
  };
  if (!inferred) {
    check(elements == known);
    return result;
  }
  if (known.maybe_as_int() == 0) {
    check(elements == known);
  } else {
    check(sym_or(sym_and(known > 0, mod(elements, known) == 0), elements == known));
  }
  if (!guard_bool(known != 0)) {  // no runtime assert: TORCH_CHECK of a plain bool
    // Not even an empty tensor says what -1 is beside a 0.
    throw_error(ErrorKind::kRuntimeError,
                format("cannot reshape tensor of 0 elements into shape {} because the unspecified "
                       "dimension size -1 can be "
                       "any value and is ambiguous",
                       shape));
  }
  result[*inferred] = floor_div(elements, known);
  return result;
}

DimVector broadcast_shapes(Dims a, Dims b) {
  const size_t rank = std::max(a.size(), b.size());
  DimVector result(rank);
  for (size_t i = rank; i-- > 0;) {
    const size_t from_end = rank - i;
    const SymInt size_a = a.size() >= from_end ? a[a.size() - from_end] : SymInt(1);
    const SymInt size_b = b.size() >= from_end ? b[b.size() - from_end] : SymInt(1);
    if (guard_or_false(size_a == 1)) {
      result[i] = size_b;
    } else if (guard_or_false(size_b == 1) ||
               expect_true(cpp_compare(Comparison::kEq, size_a, size_b))) {
      result[i] = size_a;
    } else {
      throw_error(ErrorKind::kRuntimeError, format("The size of tensor a ({}) must match the size "
                                                   "of tensor b ({}) at non-singleton dimension {}",
                                                   size_a, size_b, i));
    }
  }
  return result;
}

int64_t wrap_negative_dim(int64_t dim, int64_t rank, bool wrap_scalar) {
  if (rank == 0) {
    if (!wrap_scalar) {
      throw_error(ErrorKind::kIndexError,
                  format("Dimension specified as {} but tensor has no dimensions", dim));
    }
    rank = 1;
  }
  if (dim < -rank || dim >= rank) {
    throw_error(ErrorKind::kIndexError,
                format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                       -rank, rank - 1, dim));
  }
  return dim < 0 ? dim + rank : dim;
}

}  // namespace faketensor
