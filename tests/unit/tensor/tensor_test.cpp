#include "core/tensor/tensor.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/contiguity.h"
#include "core/tensor/promotion.h"
#include "core/tensor/strides.h"

namespace faketensor {
namespace {

DimVector dims(std::initializer_list<int64_t> values) {
  DimVector result;
  for (const int64_t value : values) result.push_back(value);
  return result;
}

::testing::AssertionResult same(Dims a, std::initializer_list<int64_t> b) {
  const DimVector expected = dims(b);
  if (a.size() == expected.size() &&
      std::equal(a.begin(), a.end(), expected.begin(),
                 [](SymInt x, SymInt y) { return same_expr(x, y); })) {
    return ::testing::AssertionSuccess();
  }
  ::testing::AssertionResult result = ::testing::AssertionFailure();
  for (const SymInt value : a) result << to_string(value) << " ";
  return result;
}

TEST(MetaTable, EqualMetasAreOnePointer) {
  MetaTable table;
  const DimVector sizes = dims({2, 3});
  const TensorMeta* a = table.intern({.sizes = sizes, .dtype = DType::kFloat16});
  EXPECT_EQ(a, table.intern({.sizes = sizes, .strides = dims({3, 1}), .dtype = DType::kFloat16}));
  EXPECT_NE(a, table.intern({.sizes = sizes, .strides = dims({1, 2}), .dtype = DType::kFloat16}));
  EXPECT_NE(a, table.intern({.sizes = sizes, .dtype = DType::kFloat32}));
  EXPECT_NE(a, table.intern({.sizes = sizes, .offset = 1, .dtype = DType::kFloat16}));
}

TEST(MetaTable, TellsWhetherStridesAreThoseOfANewTensorToTheLetter) {
  MetaTable table;
  const auto is_row_major = [&](std::initializer_list<int64_t> sizes,
                                std::initializer_list<int64_t> strides) {
    return table.intern({.sizes = dims(sizes), .strides = dims(strides)})->has(kRowMajor);
  };
  EXPECT_TRUE(is_row_major({2, 1, 3}, {3, 3, 1}));
  EXPECT_FALSE(is_row_major({2, 1, 3}, {3, 1, 1}));  // contiguous, but not as a new tensor is
  EXPECT_FALSE(is_row_major({2, 3}, {1, 2}));
  EXPECT_TRUE(is_row_major({2, 0, 3}, {3, 3, 1}));
  EXPECT_TRUE(table.intern({})->has(kRowMajor));
}

TEST(MetaTable, TellsWhetherAnythingIsSymbolic) {
  MetaTable table;
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
  const DimVector symbolic = {s0, 3};
  EXPECT_TRUE(table.intern({.sizes = symbolic})->has_symbols());
  EXPECT_TRUE(table.intern({.sizes = dims({2, 3}), .offset = s0})->has_symbols());
  EXPECT_FALSE(table.intern({.sizes = dims({2, 3}), .offset = 4})->has_symbols());
}

TEST(MetaTable, KeepsMetasWhenItGrows) {
  MetaTable table;
  std::vector<const TensorMeta*> metas;
  for (int64_t i = 0; i < 1000; ++i) metas.push_back(table.intern({.sizes = dims({i})}));
  for (int64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(table.intern({.sizes = dims({i})}), metas[static_cast<size_t>(i)]);
  EXPECT_EQ(table.size(), 1000u);
}

TEST(Strides, OfNewTensors) {
  EXPECT_TRUE(same(contiguous_strides(dims({2, 0, 4})), {4, 4, 1}));
  EXPECT_TRUE(same(channels_last_strides(dims({2, 3, 4, 5})), {60, 1, 15, 3}));
  EXPECT_TRUE(same(channels_last_3d_strides(dims({2, 3, 4, 5, 6})), {360, 1, 90, 18, 3}));
}

TEST(Strides, AmbiguousShapesCountAsContiguousRatherThanChannelsLast) {
  EXPECT_FALSE(has_channels_last_strides(dims({2, 8, 1, 1}), dims({8, 1, 1, 1})));
  EXPECT_TRUE(has_channels_last_strides(dims({2, 8, 4, 4}), dims({128, 1, 32, 8})));
  EXPECT_FALSE(has_channels_last_strides(dims({2, 8, 4, 4}), dims({128, 16, 4, 1})));
}

TEST(Strides, NonOverlappingAndDense) {
  for (const auto& [strides, dense] :
       {std::pair{dims({1, 2}), true}, std::pair{dims({0, 1}), false},
        std::pair{dims({4, 1}), false}}) {
    EXPECT_EQ(is_non_overlapping_and_dense_or_false(dims({2, 3}), strides), dense);
    EXPECT_EQ(is_dense_in_some_order(dims({2, 3}), strides), dense);
  }
}

TEST(Strides, AViewExistsWhereChunksStayWhole) {
  EXPECT_TRUE(same(*view_strides(dims({2, 3, 4}), dims({12, 4, 1}), dims({6, 4})), {4, 1}));
  EXPECT_TRUE(same(*view_strides(dims({4, 6}), dims({1, 4}), dims({2, 2, 6})), {2, 1, 4}));
  EXPECT_FALSE(view_strides(dims({2, 3}), dims({1, 2}), dims({6})).has_value());
}

TEST(Strides, ElementwiseResultsKeepTheOrderTheOperandsAgreeOn) {
  const DimVector sizes = dims({2, 3, 4});
  const DimVector transposed = dims({1, 2, 6});
  const Dims operands[] = {transposed};
  EXPECT_TRUE(same(elementwise_strides(sizes, operands), {1, 2, 6}));
}

// The strides of a row-major tensor of `own` sizes, expanded to `sizes` as references do.
DimVector expanded_strides(Dims own, Dims sizes) {
  const DimVector strides = contiguous_strides(own);
  const size_t missing = sizes.size() - own.size();
  DimVector result(sizes.size(), SymInt(0));
  for (size_t i = sizes.size(); !own.empty() && i-- > 0;) {
    const bool is_new = i < missing;
    if (!same_expr(is_new ? SymInt(1) : own[i - missing], sizes[i])) continue;
    result[i] = is_new ? sizes[i + 1] * result[i + 1] : strides[i - missing];
  }
  return result;
}

// Note [Row-major operands], core/ops/families/pointwise.cpp.
TEST(Strides, RowMajorOperandsGiveARowMajorResultHoweverTheyAreExpanded) {
  constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 4};
  uint32_t state = 1;
  const auto next = [&state](uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    DimVector full;
    for (uint32_t rank = next(6); full.size() < rank;) full.push_back(kSizes[next(6)]);
    std::vector<DimVector> owns;
    DimVector sizes;
    for (uint32_t count = 1 + next(3); owns.size() < count;) {
      DimVector& own =
          owns.emplace_back(Dims(full).last(next(static_cast<uint32_t>(full.size()) + 1)));
      for (SymInt& size : own) size = next(3) == 0 ? SymInt(1) : size;
      sizes = broadcast_shapes(sizes, own);
    }
    std::vector<DimVector> strides;
    for (const DimVector& own : owns) strides.push_back(expanded_strides(own, sizes));
    const std::vector<Dims> operands(strides.begin(), strides.end());
    const DimVector result = elementwise_strides(sizes, operands);
    const DimVector expected = contiguous_strides(sizes);
    EXPECT_TRUE(std::equal(result.begin(), result.end(), expected.begin(), expected.end(),
                           [](SymInt a, SymInt b) { return same_expr(a, b); }))
        << format("{} gives {}", sizes.span(), result.span());
  }
}

TEST(Dims, PrintAsPythonsSizesAndTuples) {
  EXPECT_EQ(format("{}", size_text(dims({2, 3}))), "torch.Size([2, 3])");
  EXPECT_EQ(format("{} {} {}", tuple_text(dims({2, 3})), tuple_text(dims({2})), tuple_text({})),
            "(2, 3) (2,) ()");
}

TEST(Strides, StorageHoldsTheLastElement) {
  EXPECT_TRUE(same_expr(storage_elements(dims({2, 3}), dims({10, 1}), 4), 17));
  EXPECT_TRUE(same_expr(storage_elements(dims({2, 0}), dims({10, 1}), 4), 0));
}

TEST(Shapes, InferOneDimensionOrSayWhyNot) {
  EXPECT_TRUE(same(infer_shape(dims({2, -1}), 12), {2, 6}));
  try {
    infer_shape(dims({5, -1}), 12);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "shape '[5, -1]' is invalid for input of size 12");
  }
}

TEST(Shapes, OverflowingProductsAreAnError) {
  EXPECT_THROW(numel(dims({1ll << 40, 1ll << 40})), Error);
}

TEST(Shapes, WrapDimCountsFromTheEnd) {
  EXPECT_EQ(wrap_dim(-1, 3), 2);
  EXPECT_EQ(wrap_dim(0, 0), 0);
  EXPECT_THROW(wrap_dim(3, 3), Error);
}

TEST(Promotion, FollowsPytorchsLattice) {
  EXPECT_EQ(promote_types(DType::kUInt8, DType::kInt8), DType::kInt16);
  EXPECT_EQ(promote_types(DType::kFloat16, DType::kBFloat16), DType::kFloat32);
  EXPECT_EQ(promote_types(DType::kInt64, DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(promote_types(DType::kFloat64, DType::kComplex64), DType::kComplex128);
  EXPECT_EQ(promote_types(DType::kBool, DType::kUInt8), DType::kUInt8);
  EXPECT_THROW(promote_types(DType::kFloat8E4M3FN, DType::kFloat32), Error);
  EXPECT_THROW(promote_types(DType::kUInt16, DType::kInt32), Error);
}

TEST(Promotion, ALowerPriorityOnlyRaisesTheCategory) {
  ResultType ints;
  ints.add(DType::kInt32, ResultType::kDimensioned);
  ints.add(DType::kInt64, ResultType::kZeroDim);
  EXPECT_EQ(ints.result(), DType::kInt32);
  ResultType mixed;
  mixed.add(DType::kInt32, ResultType::kDimensioned);
  mixed.add(DType::kFloat64, ResultType::kZeroDim);
  EXPECT_EQ(mixed.result(), DType::kFloat64);
  ResultType number;
  number.add(DType::kFloat16, ResultType::kDimensioned);
  number.add(DType::kFloat64, ResultType::kNumber);
  EXPECT_EQ(number.result(), DType::kFloat16);
}

TEST(Names, ParseInEverySpelling) {
  EXPECT_EQ(parse_dtype("torch.float32"), DType::kFloat32);
  EXPECT_EQ(parse_dtype("bf16"), DType::kBFloat16);
  EXPECT_EQ(parse_dtype("long"), DType::kInt64);
  EXPECT_FALSE(parse_dtype("float33").has_value());
  EXPECT_EQ(parse_device("cuda:3"), (Device{DeviceType::kCUDA, 3}));
  EXPECT_EQ(parse_device("cuda")->normalized(), (Device{DeviceType::kCUDA, 0}));
  EXPECT_FALSE(parse_device("cuda:x").has_value());
}

// What reads strides by the number of sizes relies on it.
TEST(MetaTable, AsManyStridesAsSizesAreTaken) {
  MetaTable metas;
  const DimVector sizes = {2, 3};
  for (const DimVector& strides : {DimVector{1}, DimVector{1, 1, 1}}) {
    try {
      metas.intern({.sizes = sizes, .strides = strides});
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.message(),
                "dimensionality of sizes (2) must match dimensionality of strides (" +
                    std::to_string(strides.size()) + ")");
    }
  }
}

}  // namespace
}  // namespace faketensor
