#include "core/symbolic/bounds.h"

#include <gtest/gtest.h>

#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

// Asked of bound_sympy, torch 2.13: s0 in [2, 38], s1 in [2, int_oo], s2 in [10, 46], u0 >= 0, zuf0
// any float.
struct BoundCase {
  const char* text;
  const char* range;
};

class Bound : public testing::TestWithParam<BoundCase> {
 protected:
  Bound() {
    env_.create_backed("s0", 3, ValueRange::ints(2, 38));
    env_.create_backed("s1", 32, ValueRange::ints(2, kIntInfinity));
    env_.create_backed("s2", 12, ValueRange::ints(10, 46));
    env_.create_unbacked_int("u0", ValueRange::ints(0, kIntInfinity));
    env_.create_unbacked_float("zuf0", ValueRange::unknown(ExprType::kFloat));
  }
  ShapeEnv env_;
};

TEST_P(Bound, IsThatOfPytorch) {
  EXPECT_EQ(to_string(env_.bound(parse_expr(env_.pool(), GetParam().text))), GetParam().range);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(InfinitiesOfIntegersAndFloats, Bound, testing::Values(
    BoundCase{"zuf0", "[-inf, inf]"},
    BoundCase{"zuf0**2", "[0, int_oo]"},
    BoundCase{"zuf0**3 + 1", "[-int_oo, int_oo]"},
    BoundCase{"-zuf0**2 + zuf0*(zuf0 + ToFloat(s0))", "[-int_oo, inf]"},
    BoundCase{"7*u0*FloorToInt(zuf0)", "[-int_oo, int_oo]"},
    BoundCase{"s0*FloorToInt(zuf0 + ToFloat(s0))", "[-inf, inf]"}));

INSTANTIATE_TEST_SUITE_P(BeyondSixtyFourBits, Bound, testing::Values(
    BoundCase{"s2**16", "[10000000000000000, int_oo]"},
    BoundCase{"s2**20", "[int_oo, int_oo]"},
    BoundCase{"4096*s2**11", "[409600000000000, 7992747557714831343616]"}));

INSTANTIATE_TEST_SUITE_P(FloatsToTheLastDigitInTheOrderOfSympy, Bound, testing::Values(
    BoundCase{"ToFloat(s2)*(IntTrueDiv(s2, 4))*OpaqueUnaryFn_sqrt(IntTrueDiv(s2, s2))",
         "[11.656310103003921, 1134.5786001859897]"}));
// clang-format on

}  // namespace
}  // namespace faketensor
