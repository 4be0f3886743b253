#include "core/devices/version_changes.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/support/format.h"

namespace faketensor {
namespace {

TEST(VersionChanges, VersionsAreReadAsTorchWritesThem) {
  EXPECT_EQ(parse_torch_version("2.8.0+cu126"), (TorchVersion{2, 8}));
  EXPECT_EQ(parse_torch_version("2.14.1"), (TorchVersion{2, 14}));
  EXPECT_EQ(parse_torch_version("2.7.0a0+git1"), (TorchVersion{2, 7}));
  for (const char* text : {"", "<=2.4", "main", "2", "2.", "2.x"})
    EXPECT_EQ(parse_torch_version(text), std::nullopt) << text;
  EXPECT_EQ(format("{}", TorchVersion{2, 10}), "2.10");
  EXPECT_LT((TorchVersion{2, 9}), (TorchVersion{2, 10}));
}

TEST(VersionChanges, AChangeIsAboutEveryOverloadOfItsOperators) {
  const VersionChange change{"aten.nonzero aten.argwhere", TorchVersion{2, 8}, kInStrides, ""};
  EXPECT_TRUE(change.is_about("torch.ops.aten.nonzero.default"));
  EXPECT_TRUE(change.is_about("torch.ops.aten.argwhere.default"));
  EXPECT_FALSE(change.is_about("torch.ops.aten.nonzero_static.default"));
  EXPECT_FALSE(change.is_about("torch.ops.aten.where.default"));
  EXPECT_FALSE(change.is_about("_operator.getitem"));
}

TEST(VersionChanges, ThoseBetweenTwoReleasesAreListedWhicheverIsLater) {
  const auto has = [](TorchVersion one, TorchVersion other, std::string_view target) {
    const auto changes = changes_between(one, other);
    return std::any_of(changes.begin(), changes.end(), [&](const VersionChange* change) {
      return change->since && change->is_about(target);
    });
  };
  constexpr std::string_view kNonzero = "torch.ops.aten.nonzero.default";
  EXPECT_TRUE(has({2, 6}, {2, 13}, kNonzero));
  EXPECT_TRUE(has({2, 13}, {2, 6}, kNonzero));
  EXPECT_FALSE(has({2, 7}, {2, 13}, kNonzero));
  EXPECT_FALSE(has({2, 13}, {2, 13}, kNonzero));
}

TEST(VersionChanges, AChangeCoversWhatIsLess) {
  const VersionChange strides{"aten.einsum", TorchVersion{2, 9}, kInStrides, ""};
  EXPECT_TRUE(strides.covers(kInStrides));
  EXPECT_TRUE(strides.covers(kInStridesOfOnes));
  EXPECT_FALSE(strides.covers(kInStrides | kInDType));
  EXPECT_FALSE(strides.covers(kInSizes));
  const VersionChange ones{"aten.einsum", TorchVersion{2, 9}, kInStridesOfOnes, ""};
  EXPECT_FALSE(ones.covers(kInStrides));
  const VersionChange sizes{"aten.lstm", TorchVersion{2, 13}, kInSizes, ""};
  EXPECT_TRUE(sizes.covers(kInSizes | kInStrides));
  EXPECT_TRUE(sizes.covers(kInUnbackedSizes));
}

// A row that no operator or aspect could be found by would explain nothing.
TEST(VersionChanges, RowsAreComplete) {
  for (const VersionChange& change : version_changes()) {
    EXPECT_FALSE(change.operators.empty());
    EXPECT_FALSE(change.what.empty()) << change.operators;
    EXPECT_NE(change.aspects, 0) << change.operators;
    EXPECT_NE(change.operators.front(), ' ');
    EXPECT_EQ(change.operators.find("  "), std::string_view::npos);
  }
}

}  // namespace
}  // namespace faketensor
