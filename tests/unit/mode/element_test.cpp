// What kernels would have stored: rounding, wrapping and cutting of numbers in every dtype.
#include "core/mode/element.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/mode/element_ops.h"

namespace faketensor {
namespace {

double real(DType dtype, double value) { return rounded(dtype, Element::real(value)).re; }

TEST(Element, FloatsRoundToTheNearestOfTheirType) {
  EXPECT_EQ(real(DType::kFloat32, 0.1), static_cast<double>(0.1f));
  EXPECT_EQ(real(DType::kFloat16, 1.0 / 3), 0.333251953125);
  EXPECT_EQ(real(DType::kBFloat16, 1.0 / 3), 0.333984375);
  EXPECT_EQ(real(DType::kFloat16, 65519.0), 65504.0);
  EXPECT_TRUE(std::isinf(real(DType::kFloat16, 65520.0)));
  EXPECT_EQ(real(DType::kFloat16, std::ldexp(1.0, -25)), 0.0);  // a half of the least
  EXPECT_EQ(real(DType::kFloat16, std::ldexp(1.5, -25)), std::ldexp(1.0, -24));
}

TEST(Element, Float8KeepsItsOwnSpecialValues) {
  EXPECT_EQ(real(DType::kFloat8E4M3FN, 448.0), 448.0);
  EXPECT_TRUE(std::isnan(real(DType::kFloat8E4M3FN, 1000.0)));
  EXPECT_TRUE(std::isinf(real(DType::kFloat8E5M2, 1e6)));
  EXPECT_FALSE(std::signbit(real(DType::kFloat8E4M3FNUZ, -0.0)));
}

TEST(Element, IntegersWrapAtTheirWidth) {
  EXPECT_EQ(rounded(DType::kUInt8, Element::of(257)).integer, 1);
  EXPECT_EQ(rounded(DType::kInt8, Element::of(200)).integer, -56);
  EXPECT_EQ(rounded(DType::kInt64, Element::real(-2.9)).integer, -2);
  EXPECT_EQ(rounded(DType::kBool, Element::real(0.5)).integer, 1);
}

TEST(Element, NumbersBecomeTheValuesThatItemReturns) {
  Arena arena;
  EXPECT_TRUE(to_value(DType::kBool, Element::of(1), arena).as_sym_bool().as_bool());
  EXPECT_EQ(to_value(DType::kInt32, Element::of(7), arena).as_sym_int().as_int(), 7);
  EXPECT_EQ(to_value(DType::kFloat32, Element::real(2.5), arena).as_double(), 2.5);
  EXPECT_EQ(to_value(DType::kComplex64, Element::complex(1, 2), arena).as_complex()[1], 2.0);
}

TEST(Element, AShiftOfAFloatIsByAnyNumber) {
  const auto shifted = [](std::string_view name, double by) {
    const auto tensor = [](double number) {
      return ElementOperand{
          ElementOperand::Kind::kTensor, DType::kFloat64, 0, {Element::real(number)}, Value()};
    };
    const ElementOperand operands[] = {tensor(3), tensor(by)};
    return evaluate({name, operands, {}, DType::kFloat64, DType::kFloat32})->re;
  };
  EXPECT_EQ(shifted("bitwise_left_shift", 2), 12);
  EXPECT_EQ(shifted("bitwise_right_shift", 1), 1.5);
  EXPECT_EQ(shifted("bitwise_right_shift", -2147483648.0), INFINITY);
  EXPECT_EQ(shifted("bitwise_left_shift", -1e300), 0);
}

}  // namespace
}  // namespace faketensor
