#include "core/symbolic/python_number.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

class PythonNumberTest : public testing::Test {
 protected:
  std::string text(const PythonNumber& number) { return to_string(number.node(env_.pool())); }
  PythonNumber binary(std::string_view name, PythonNumber a, PythonNumber b) {
    return apply(*python_binary(name), a, b);
  }
  PythonNumber unary(std::string_view name, PythonNumber a) {
    return apply(*python_unary(name), a);
  }

  ShapeEnv env_;
  PythonNumber s0_ = env_.create_backed("s0", 6, ValueRange::ints(2, kIntInfinity));
  PythonNumber s1_ = env_.create_backed("s1", 4, ValueRange::ints(2, kIntInfinity));
  PythonNumber u0_ = env_.create_unbacked_int();
  PythonNumber two_ = SymInt(2);
  PythonNumber half_ = SymFloat(0.5);
};

TEST_F(PythonNumberTest, ComparisonsAreAskedOfTheSymbolicSide) {
  EXPECT_EQ(text(binary("lt", SymInt(5), s0_)), "s0 > 5");
  const PythonNumber zero = binary("sub", s0_, s0_);
  EXPECT_TRUE(zero.is_symbolic());
  EXPECT_EQ(text(binary("le", zero, u0_)), "0 <= u0");
}

TEST_F(PythonNumberTest, AHintThatDividesByZeroIsRefused) {
  const PythonNumber zero = binary("floordiv", s1_, s0_);  // 4 // 6
  EXPECT_THROW(binary("floordiv", two_, zero), Error);
  EXPECT_THROW(binary("mod", s0_, zero), Error);
  EXPECT_THROW(binary("truediv", s0_, zero), Error);
  EXPECT_EQ(text(binary("floordiv", u0_, zero)), "(u0//((s1//s0)))");
}

TEST_F(PythonNumberTest, IntegersAmongFloatsArePromoted) {
  EXPECT_EQ(text(binary("mul", s0_, half_)), "0.5*ToFloat(s0)");
  EXPECT_EQ(text(binary("max", s0_, half_)), "Max(0.5, ToFloat(s0))");
  EXPECT_EQ(text(binary("truediv", s0_, two_)), "IntTrueDiv(s0, 2)");
  EXPECT_EQ(text(binary("floordiv", s0_, half_)),
            "ToFloat(FloorToInt(FloatTrueDiv(ToFloat(s0), 0.5)))");
  EXPECT_EQ(text(unary("int", binary("truediv", s0_, two_))), "TruncToInt(IntTrueDiv(s0, 2))");
}

TEST_F(PythonNumberTest, RemaindersOfFloatsStayExpressions) {
  EXPECT_EQ(text(binary("mod", s0_, SymFloat(2.5))), "Mod(ToFloat(s0), 2.5)");
  EXPECT_EQ(text(binary("mod", unary("float", u0_), s0_)), "PythonMod(ToFloat(u0), ToFloat(s0))");
  EXPECT_EQ(text(binary("mod", unary("float", s0_), unary("float", s0_))), "0");
  const PythonNumber remainder = binary("mod", s0_, SymFloat(2.5));
  EXPECT_EQ(env_.hint(remainder.node(env_.pool()))->real, 1.0);
  EXPECT_EQ(to_string(env_.bound(remainder.node(env_.pool()))), "[0, 1.5]");
}

TEST_F(PythonNumberTest, ADivisorWhoseHintIsZeroRaisesAsNumbersDo) {
  const PythonNumber zero = env_.create_backed("s2", 0, ValueRange::ints(0, kIntInfinity));
  const auto error = [&](std::string_view op, PythonNumber a, PythonNumber b) -> std::string {
    try {
      return text(binary(op, a, b));
    } catch (const Error& raised) {
      return raised.message();
    }
  };
  EXPECT_EQ(error("floordiv", s0_, zero), "integer division or modulo by zero");
  EXPECT_EQ(error("mod", s0_, zero), "integer modulo by zero");
  EXPECT_EQ(error("truediv", s0_, zero), "division by zero");
  EXPECT_EQ(error("truediv", unary("float", s0_), zero), "float division by zero");
  EXPECT_EQ(error("mod", unary("float", s0_), zero), "float modulo");
  EXPECT_EQ(error("floordiv", u0_, zero), "(u0//s2)");
}

TEST_F(PythonNumberTest, AFloatKeepsItsTypeWhereItsExpressionIsTheIntegerZero) {
  const PythonNumber x = unary("float", s0_);
  const PythonNumber zero = binary("sub", x, x);
  EXPECT_TRUE(zero.is_float());
  EXPECT_EQ(text(zero), "0");
}

TEST_F(PythonNumberTest, ShiftsAreProductsAndFloorDivisions) {
  EXPECT_EQ(text(binary("lshift", s0_, two_)), "4*s0");
  EXPECT_EQ(text(binary("rshift", s0_, two_)), "(s0//4)");
  EXPECT_EQ(text(binary("lshift", two_, s0_)), "2*(PowByNatural(2, s0))");
  EXPECT_THROW(binary("lshift", SymInt(1), SymInt(-1)), Error);
}

TEST_F(PythonNumberTest, ModuloIsPythonsWhereASignIsUnknown) {
  EXPECT_EQ(text(binary("mod", s0_, two_)), "Mod(s0, 2)");
  EXPECT_EQ(text(binary("mod", u0_, two_)), "PythonMod(u0, 2)");
  EXPECT_EQ(text(binary("mod", binary("bitand", u0_, two_), SymInt(3))),
            "Mod(BitwiseFn_bitwise_and(u0, 2), 3)");
}

TEST_F(PythonNumberTest, PowersGuardOnTheSignOfTheirExponent) {
  EXPECT_EQ(text(binary("pow", s0_, two_)), "s0**2");
  EXPECT_TRUE(env_.guards().empty());
  EXPECT_EQ(text(binary("pow", s0_, SymInt(-1))), "FloatPow(ToFloat(s0), -1.0)");
}

TEST_F(PythonNumberTest, AddedBooleansAreDecided) {
  const PythonNumber condition = binary("eq", s0_, SymInt(6));
  EXPECT_EQ(text(binary("add", condition, two_)), "3");
  ASSERT_EQ(env_.guards().size(), 1u);
  EXPECT_EQ(to_string(env_.guards()[0].condition), "Eq(s0, 6)");
}

TEST_F(PythonNumberTest, SelectionNeedsTwoValuesOfOneType) {
  const PythonNumber condition = binary("eq", s0_, s1_);
  EXPECT_EQ(text(select(condition, s0_, s1_)), "Piecewise((s0, Eq(s0, s1)), (s1, True))");
  EXPECT_THROW(select(condition, s0_, two_), Error);
}

TEST_F(PythonNumberTest, PlainNumbersAreComputed) {
  EXPECT_EQ(binary("floordiv", SymInt(-7), two_).as_int().as_int(), -4);
  EXPECT_EQ(binary("mod", SymFloat(-7.5), SymFloat(2)).as_float().as_double(), 0.5);
  EXPECT_EQ(unary("round", SymFloat(2.5)).as_int().as_int(), 2);
  EXPECT_TRUE(binary("lt", SymInt(1), SymFloat(1.5)).as_bool().as_bool());
  EXPECT_THROW(binary("mod", two_, SymInt(0)), Error);
  EXPECT_THROW(unary("sqrt", SymFloat(-1)), Error);
}

}  // namespace
}  // namespace faketensor
