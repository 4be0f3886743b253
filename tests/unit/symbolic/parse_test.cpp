#include "core/symbolic/parse.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

// Expressions of exported programs beside sympy's str of them.
TEST(ParseExpr, ReadsTheExpressionsOfExportedProgramsAndPrintsThemBack) {
  std::ifstream file(test_file("unit/symbolic/data/exported_expressions.tsv"));
  ASSERT_TRUE(file);
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    const size_t tab = line.find('\t');
    const std::string constructor = line.substr(0, tab);
    const std::string printed = line.substr(tab + 1);
    ExprPool pool;
    const ExprNode* expr = parse_expr(pool, constructor);
    EXPECT_EQ(to_string(expr), printed);
    EXPECT_EQ(to_constructor_string(expr), constructor);
    EXPECT_EQ(parse_expr(pool, printed), expr);
    ++count;
  }
  EXPECT_GT(count, 90);
}

TEST(ParseExpr, TakesAssumptionsFromConstructorsAndFromNames) {
  ExprPool pool;
  EXPECT_TRUE(pool.symbol_info(parse_expr(pool, "s3")).positive);
  EXPECT_TRUE(pool.symbol_info(parse_expr(pool, "u3")).unbacked);
  EXPECT_FALSE(pool.symbol_info(parse_expr(pool, "Symbol('s4', integer=True)")).positive);
  EXPECT_TRUE(
      pool.symbol_info(parse_expr(pool, "Symbol('batch', positive=True, integer=True)")).positive);
  EXPECT_EQ(parse_expr(pool, "zf1")->type, ExprType::kFloat);
}

struct Refused {
  const char* text;
  const char* message;
};

class ParseError : public testing::TestWithParam<Refused> {};

TEST_P(ParseError, GivesTheColumn) {
  ExprPool pool;
  try {
    parse_expr(pool, GetParam().text);
    FAIL() << GetParam().text;
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), GetParam().message);
  }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Texts, ParseError, testing::Values(
    Refused{"", "expression, column 1: expected an expression"},
    Refused{"s0 +", "expression, column 5: expected an expression"},
    Refused{"(s0", "expression, column 4: expected ')'"},
    Refused{"s0 s1", "expression, column 4: unexpected text after the expression"},
    Refused{"Frob(s0)", "expression, column 6: unknown function 'Frob'"},
    Refused{"Mod(s0)", "expression, column 8: wrong number of arguments"},
    Refused{"99999999999999999999", "expression, column 21: expected an integer of 64 bits"},
    Refused{"Eq(s0, u0) + 1", "expression, column 15: expected a number"},
    Refused{"s0 | u0", "expression, column 8: expected a condition"},
    Refused{"Symbol('s0", "expression, column 8: a quote is not closed"},
    Refused{"s0//0", "division by zero"}));
// clang-format on

TEST(ParseExpr, RefusesDeepNestingInsteadOfRecursing) {
  ExprPool pool;
  const std::string deep = std::string(100000, '(') + "s0" + std::string(100000, ')');
  EXPECT_THROW(parse_expr(pool, deep), Error);
  EXPECT_EQ(to_string(parse_expr(pool, std::string(50001, '-') + "s0")), "-s0");
}

}  // namespace
}  // namespace faketensor
