#include "core/tensor/contiguity.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"
#include "core/tensor/strides.h"
#include "core/tensor/tensor.h"

namespace faketensor {
namespace {

std::string guards_of(const ShapeEnv& env) {
  std::string text;
  for (const Guard& guard : env.guards()) text += to_string(guard.condition) + "; ";
  return text;
}

TEST(Contiguity, KnownLayoutsOfSymbolicSizesLeaveNoGuards) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 4, ValueRange::ints(2, kIntInfinity));
  const SymInt u0 = env.create_unbacked_int();
  env.constrain_range_for_size(u0);
  EXPECT_TRUE(is_contiguous_or_false(DimVector{s0, u0}, DimVector{u0, 1}));
  EXPECT_TRUE(same_expr(contiguity(DimVector{s0, u0}, DimVector{u0, 1}), true));
  EXPECT_EQ(guards_of(env), "");
}

TEST(Contiguity, WhatOnlyDataCanTellIsNoOrAConditionOrAnError) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  const SymInt u1 = env.create_unbacked_int();
  const DimVector sizes = {3, u0};
  const DimVector strides = {u1, 1};
  EXPECT_FALSE(is_contiguous_or_false(sizes, strides));
  EXPECT_TRUE(contiguity(sizes, strides).is_symbolic());
  EXPECT_THROW(has_channels_last_strides(DimVector{3, u0, 2, 2}, DimVector{u1, 1, 2, 2}), Error);
}

TEST(Contiguity, FactsOfSymbolicMetasAreDecidedWhenAskedFor) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 4, ValueRange::ints(0, kIntInfinity));
  const SymInt s1 = env.create_backed("s1", 5, ValueRange::ints(0, kIntInfinity));
  MetaTable table;
  const TensorMeta* meta = table.intern({.sizes = DimVector{s0, s1}, .strides = DimVector{s1, 1}});
  EXPECT_EQ(guards_of(env), "");
  EXPECT_TRUE(meta->has(kContiguous));
  EXPECT_NE(guards_of(env), "");
}

}  // namespace
}  // namespace faketensor
