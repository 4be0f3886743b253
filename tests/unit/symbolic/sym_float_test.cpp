#include "core/symbolic/sym_float.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

TEST(SymFloat, ConstantsComputeAsDoubles) {
  EXPECT_EQ((SymFloat(1.5) + 2.0).as_double(), 3.5);
  EXPECT_EQ(int_true_div(7, 2).as_double(), 3.5);
  EXPECT_EQ(trunc_to_int(-2.7).as_int(), -2);
  EXPECT_EQ(floor_to_int(-2.7).as_int(), -3);
  EXPECT_EQ(round_to_int(2.5).as_int(), 2);
  EXPECT_THROW(SymFloat(1.0) / 0.0, Error);
  EXPECT_THROW(trunc_to_int(std::numeric_limits<double>::infinity()), Error);
}

TEST(SymFloat, NoNanIsTakenForAnExpression) {
  EXPECT_FALSE(SymFloat(std::nan("")).is_symbolic());
  EXPECT_FALSE(SymFloat(-std::numeric_limits<double>::quiet_NaN()).is_symbolic());
  EXPECT_FALSE(SymFloat(-std::numeric_limits<double>::infinity()).is_symbolic());
  EXPECT_TRUE(std::isnan(SymFloat(std::nan("")).as_double()));
}

TEST(SymFloat, ExpressionsOfSizesPrintAndGuardAsInPyTorch) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 16, ValueRange::ints(2, kIntInfinity));
  const SymFloat scale = SymFloat(1.0) / sym_sqrt(sym_float(s0));
  EXPECT_EQ(to_string(scale), "FloatTrueDiv(1.0, OpaqueUnaryFn_sqrt(ToFloat(s0)))");
  EXPECT_EQ(hint(scale), 0.25);
  EXPECT_EQ(to_string(int_true_div(s0, 2)), "IntTrueDiv(s0, 2)");
  EXPECT_TRUE(guard_bool(int_true_div(s0, 2) > 1.5));
  EXPECT_EQ(guard_float(scale), 0.25);
  ASSERT_EQ(env.guards().size(), 2u);
  EXPECT_EQ(to_string(env.guards()[0].condition), "(IntTrueDiv(s0, 2)) > 1.5");
  EXPECT_EQ(to_string(env.guards()[1].condition),
            "Eq(FloatTrueDiv(1.0, OpaqueUnaryFn_sqrt(ToFloat(s0))), 0.25)");
}

TEST(SymFloat, HelpersOfIntegersFollowPython) {
  ShapeEnv env;
  const SymInt s0 = env.create_backed("s0", 16, ValueRange::ints(2, kIntInfinity));
  EXPECT_EQ(to_string(pow_by_natural(s0, 2)), "s0**2");
  EXPECT_EQ(to_string(sym_abs(-s0)), "s0");
  EXPECT_EQ(to_string(sym_int(s0 < 20)), "Piecewise((1, s0 < 20), (0, True))");
  EXPECT_EQ(trunc_to_int(sym_float(s0)).node()->kind, ExprKind::kTruncToInt);
}

TEST(SymFloat, AnIntegerWithoutAnIntegralHintHasNone) {
  ShapeEnv env;
  const SymFloat x = SymFloat::from_node(
      env.create_backed_float("zf0", INFINITY, ValueRange::floats(-INFINITY, INFINITY), false));
  EXPECT_EQ(hint(ceil_to_int(x)), std::nullopt);
}

}  // namespace
}  // namespace faketensor
