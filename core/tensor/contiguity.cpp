#include "core/tensor/contiguity.h"

#include <algorithm>
#include <initializer_list>

#include "core/support/python_sort.h"
#include "core/symbolic/sym_int.h"
#include "core/tensor/strides.h"

namespace faketensor {

namespace {

using Order = std::initializer_list<size_t>;  // of dimensions, innermost first
constexpr Order kChannelsLast2d = {1, 3, 2, 0};
constexpr Order kChannelsLast3d = {1, 4, 3, 2, 0};

bool all_hinted(Dims sizes, Dims strides) {
  const auto has_hint = [](SymInt dim) { return hint(dim).has_value(); };
  return std::all_of(sizes.begin(), sizes.end(), has_hint) &&
         std::all_of(strides.begin(), strides.end(), has_hint);
}

// Mirrors check_contiguous_sizes_strides: a stride may count sizes as they are or, as the strides
// of new tensors do, at least as 1.
bool composes(Dims sizes, Dims strides) {
  SymInt expected = 1;
  SymInt expected_of_new = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known_one(sizes[i])) continue;
    if (guard_or_true(strides[i] != expected) && guard_or_true(strides[i] != expected_of_new))
      return false;
    const SymInt counted = sym_max(sizes[i], 1);
    const bool is_same = same_expr(expected, expected_of_new) && same_expr(counted, sizes[i]);
    expected_of_new *= counted;
    expected = is_same ? expected_of_new : expected * sizes[i];
  }
  return true;
}

// Dense in the order given; dimensions of size 1 may have any stride.
bool is_dense_in_order(Dims sizes, Dims strides, Order order) {
  SymInt expected = 1;
  for (const size_t d : order) {
    if (known_one(sizes[d])) continue;
    if (guard_or_true(strides[d] != expected)) return false;
    expected *= sizes[d];
  }
  return true;
}

// The same, decided with the hints.
bool is_dense_by_hints(Dims sizes, Dims strides, Order order) {
  SymInt expected = 1;
  for (const size_t d : order) {
    if (!guard_bool(sizes[d] != 1)) continue;
    if (guard_bool(strides[d] != expected)) return false;
    expected *= sizes[d];
  }
  return true;
}

// Compilers evaluate arguments in different orders, and expressions are printed in the order in
// which they were made: so each operand is a statement of its own.
SymBool is_single_or_as_expected(SymInt size, SymInt stride, SymInt expected) {
  const SymBool is_single = size == 1;
  const SymBool is_as_expected = stride == expected;
  return sym_or(is_single, is_as_expected);
}

// The same as one condition.
SymBool dense_condition(Dims sizes, Dims strides, Order order) {
  SymInt expected = 1;
  SymBool condition = true;
  for (const size_t d : order) {
    condition = sym_and(condition, is_single_or_as_expected(sizes[d], strides[d], expected));
    expected *= sizes[d];
  }
  return condition;
}

SymBool density_in_order(Dims sizes, Dims strides, Order order) {
  if (is_dense_in_order(sizes, strides, order)) return true;
  if (all_plain(sizes) && all_plain(strides)) return false;
  const SymBool condition = dense_condition(sizes, strides, order);
  if (!condition.is_symbolic()) return condition;
  if (all_hinted(sizes, strides)) return is_dense_by_hints(sizes, strides, order);
  return condition;
}

// c10::is_channels_last_strides_2d_s4 / _3d_s5: strides grow along `order`, with the ambiguous
// cases decided against it.
bool looks_like_order(Dims sizes, Dims strides, Order order) {
  SymInt least = 0;
  if (guard_bool(strides[1] == 0)) return false;  // trivial: expanded channels
  for (const size_t d : order) {
    if (guard_bool(sizes[d] == 0)) return false;
    if (guard_bool(strides[d] < least)) return false;
    // N111 and N1HW of any strides are contiguous rather than channels last.
    if (d == 0 && guard_bool(least == strides[1])) return false;
    // A size of 1 must not hide that the next stride is not larger.
    least = strides[d];
    if (guard_bool(sizes[d] > 1)) least *= sizes[d];
  }
  return true;
}

}  // namespace

// --- torch._prims_common ---

bool is_contiguous_or_false(Dims sizes, Dims strides, SymInt count) {
  return guard_or_false(count < 2) || composes(sizes, strides);
}
bool is_contiguous_or_false(Dims sizes, Dims strides) {
  return is_contiguous_or_false(sizes, strides, numel(sizes));
}

bool is_channels_last_contiguous_or_false(Dims sizes, Dims strides) {
  return sizes.size() == 4 && is_dense_in_order(sizes, strides, kChannelsLast2d);
}

bool is_non_overlapping_and_dense_or_false(Dims sizes, Dims strides) {
  const size_t rank = sizes.size();
  if (guard_or_false(numel(sizes) < 2)) return true;
  if (rank == 1) return guard_or_false(strides[0] == 1);
  SmallVector<int, 8> order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int>(i));
  // By stride; u0 counts as less than 2048*u0 (class K of torch/_prims_common).
  python_sort(order, [&](int a, int b) {
    const SymInt stride_a = strides[static_cast<size_t>(a)];
    const SymInt stride_b = strides[static_cast<size_t>(b)];
    if (guard_or_false(stride_a < stride_b)) return true;
    const bool divides =
        guard_or_false(stride_a == 0) || guard_or_false(mod(stride_b, stride_a) == 0);
    return divides && guard_or_true(stride_a != stride_b);
  });
  DimVector sorted_sizes(rank);
  DimVector sorted_strides(rank);
  for (size_t i = 0; i < rank; ++i) {
    const auto dim = static_cast<size_t>(order[rank - 1 - i]);
    sorted_sizes[i] = sizes[dim];
    sorted_strides[i] = strides[dim];
  }
  return composes(sorted_sizes, sorted_strides);
}

bool are_strides_like_channels_last_or_false(Dims sizes, Dims strides) {
  if (sizes.size() != 4 && sizes.size() != 5) return false;
  if (guard_or_true(strides[1] == 0)) return false;
  SymInt least = 0;
  for (const size_t d : sizes.size() == 4 ? kChannelsLast2d : kChannelsLast3d) {
    if (guard_or_true(sizes[d] == 0)) return false;
    if (guard_or_true(strides[d] < least)) return false;
    if (d == 0 && guard_bool(least == strides[1])) return false;
    least = strides[d] * sizes[d];
  }
  return true;
}

// --- c10 ---

SymBool contiguity(Dims sizes, Dims strides) {
  const SymInt elements = numel(sizes);
  if (guard_or_false(elements == 0) || composes(sizes, strides)) return true;
  if (all_plain(sizes) && all_plain(strides)) return false;
  SymInt expected = 1;
  SymBool condition = true;
  for (size_t i = sizes.size(); i-- > 0;) {
    condition = sym_and(condition, is_single_or_as_expected(sizes[i], strides[i], expected));
    expected *= sizes[i];
  }
  condition = sym_or(condition, elements == 0);
  if (!condition.is_symbolic() || !all_hinted(sizes, strides)) return condition;
  if (guard_bool(elements == 0)) return true;
  expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (guard_bool(sizes[i] == 1)) continue;
    if (guard_bool(strides[i] != expected)) return false;
    expected *= sizes[i];
  }
  return true;
}

SymBool channels_last_contiguity(Dims sizes, Dims strides) {
  if (sizes.size() != 4) return false;
  return density_in_order(sizes, strides, kChannelsLast2d);
}

SymBool channels_last_3d_contiguity(Dims sizes, Dims strides) {
  if (sizes.size() != 5) return false;
  return density_in_order(sizes, strides, kChannelsLast3d);
}

bool has_channels_last_strides(Dims sizes, Dims strides) {
  return sizes.size() == 4 && looks_like_order(sizes, strides, kChannelsLast2d);
}

bool has_channels_last_3d_strides(Dims sizes, Dims strides) {
  return sizes.size() == 5 && looks_like_order(sizes, strides, kChannelsLast3d);
}

std::optional<bool> is_dense_in_some_order(Dims sizes, Dims strides) {
  if (!all_hinted(sizes, strides)) return std::nullopt;
  const size_t rank = sizes.size();
  if (rank == 1) return guard_bool(sizes[0] < 2) || guard_bool(strides[0] == 1);
  SmallVector<size_t, 8> order;
  for (size_t i = 0; i < rank; ++i) order.push_back(i);
  // By stride, dimensions of size 0 or 1 last: their strides mean nothing. An insertion sort that
  // compares with the front first, as std::sort does with so few: each comparison may guard.
  const auto is_before = [&](size_t a, size_t b) {
    if (guard_bool(sizes[a] < 2)) return false;
    if (guard_bool(sizes[b] < 2)) return true;
    return guard_bool(strides[a] < strides[b]);
  };
  for (size_t i = 1; i < rank; ++i) {
    const size_t moving = order[i];
    size_t to = 0;
    if (!is_before(moving, order[0])) {
      for (to = i; to > 1 && is_before(moving, order[to - 1]);) --to;
    }
    for (size_t j = i; j > to; --j) order[j] = order[j - 1];
    order[to] = moving;
  }
  SymInt expected = 1;
  for (const size_t d : order) {
    if (guard_bool(sizes[d] < 2)) return true;
    if (guard_bool(strides[d] != expected)) return false;
    expected *= sizes[d];
  }
  return true;
}

}  // namespace faketensor
