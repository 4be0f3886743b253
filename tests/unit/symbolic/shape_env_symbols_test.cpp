#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/support/sha256.h"
#include "core/symbolic/shape_env.h"
#include "core/symbolic/symbolic_geometry.h"

namespace faketensor {
namespace {

std::string text(SymInt value) { return to_string(value); }

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256("abc")[0], 0xba);
  EXPECT_EQ(sha256("abc")[31], 0xad);
  EXPECT_EQ(sha256("")[0], 0xe3);
  EXPECT_EQ(sha256(std::string(200, 'a'))[0], sha256(std::string(200, 'a'))[0]);
}

TEST(ShapeEnvSymbols, AreNamedAfterTheirSource) {
  ShapeEnv env;
  const Source x = Source::local("x");
  EXPECT_EQ(x.size(0).name(), "L['x'].size()[0]");
  EXPECT_EQ(text(env.create_symbol(5, x.size(0), DimDynamic::kDynamic)), "s77");
  EXPECT_EQ(text(env.create_symbol(3, x.size(1), DimDynamic::kDynamic)), "s27");
  EXPECT_EQ(env.symbol_of_source("L['x'].size()[1]"), env.pool().find_symbol("s27"));
}

TEST(ShapeEnvSymbols, TakeTheNextNumberWhereOneIsTaken) {
  ShapeEnv env;
  env.create_symbol(5, Source::local("x").size(0), DimDynamic::kDynamic);
  EXPECT_EQ(text(env.create_symbol(5, Source::local("x").size(0), DimDynamic::kDynamic)), "s78");
}

TEST(ShapeEnvSymbols, DuckSizesShareASymbolAndZeroAndOneAreNumbers) {
  ShapeEnv env;
  const SymInt a = env.create_symbol(5, Source::local("x").size(0));
  EXPECT_TRUE(same_expr(a, env.create_symbol(5, Source::local("y").size(0))));
  EXPECT_EQ(env.sources(a.node()).size(), 2u);
  EXPECT_FALSE(
      same_expr(a, env.create_symbol(5, Source::local("z").size(0), DimDynamic::kDynamic)));
  EXPECT_EQ(env.create_symbol(1, Source::local("x").size(1)).maybe_as_int(), 1);
}

TEST(ShapeEnvSymbols, StridesAreProductsWhereTheyFit) {
  ShapeEnv env;
  SymbolicContext context = SymbolicContext::all_duck(3);
  const int64_t sizes[] = {4, 3, 5};
  const int64_t contiguous[] = {15, 5, 1};
  const SymbolicGeometry dense =
      create_symbolic_geometry(env, sizes, contiguous, 0, Source::local("x"), context);
  EXPECT_EQ(text(dense.strides[0]), "s27*s53");
  EXPECT_EQ(text(dense.strides[1]), "s53");
  const int64_t sliced[] = {30, 5, 1};
  const SymbolicGeometry gaps =
      create_symbolic_geometry(env, sizes, sliced, 7, Source::local("y"), context);
  EXPECT_EQ(env.sources(gaps.strides[0].node())[0].name(), "L['y'].stride()[0]");
  EXPECT_EQ(env.sources(gaps.offset.node())[0].name(), "L['y'].storage_offset()");
}

TEST(ShapeEnvSymbols, AConstraintNarrowsOrRefuses) {
  ShapeEnv env;
  const SymInt a = env.create_symbol(5, Source::local("x").size(0), DimDynamic::kDuck,
                                     DimConstraint::min_max(0, 9));
  EXPECT_EQ(env.range(a.node()), ValueRange::ints(2, 9));
  try {
    env.create_symbol(5, Source::local("x").size(1), DimDynamic::kDynamic,
                      DimConstraint::min_max(4, 4));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.class_name(), "ConstraintViolationError");
    EXPECT_EQ(error.message(),
              "Static shape constraint of 4 does not match input size of 5, for L['x'].size()[1]");
  }
}

TEST(ShapeEnvSymbols, UnbackedInputsAreSizeLike) {
  ShapeEnv env;
  const SymInt u = env.create_symbol(5, Source::local("x").size(0), DimDynamic::kUnbacked);
  EXPECT_EQ(text(u), "u0");
  EXPECT_TRUE(env.is_size_like(u.node()));
  EXPECT_TRUE(env.is_unbacked_input(u.node()));
  EXPECT_EQ(env.range(u.node()), ValueRange::ints(0, kIntInfinity));
}

TEST(ShapeEnvSymbols, OfAnotherEnvironmentAreMadeAnew) {
  ShapeEnv theirs;
  const SymInt u = theirs.create_unbacked_int();
  const SymInt sizes[] = {u, 4, u * 2};
  const SymInt strides[] = {u * 8, u * 2, 1};
  ShapeEnv ours;
  const SymbolicGeometry made = transfer_geometry(ours, sizes, strides, 0, Source::local("x"));
  EXPECT_EQ(text(made.sizes[2]), "2*u0");
  EXPECT_EQ(text(made.strides[0]), "8*u0");
  EXPECT_EQ(made.sizes[0].node()->pool, &ours.pool());
}

TEST(ShapeEnvSymbols, AStatefulContextGivesTheSameSymbolsAgain) {
  ShapeEnv env;
  const int64_t sizes[] = {4, 6};
  const int64_t strides[] = {6, 1};
  const auto first_size = [&](uint64_t remembered_as) {
    SymbolicContext context({DimDynamic::kDynamic, DimDynamic::kDynamic});
    context.remembered_as = remembered_as;
    return create_symbolic_geometry(env, sizes, strides, 0, Source::local("x"), context).sizes[0];
  };
  const SymInt known = first_size(1);
  EXPECT_TRUE(same_expr(first_size(1), known));
  EXPECT_FALSE(same_expr(first_size(2), known));
  EXPECT_FALSE(same_expr(first_size(0), first_size(0)));
}

// Nodes are numbered in each pool: one of another is never looked up by its number.
TEST(ShapeEnvSymbols, OfAnotherEnvironmentAreRefused) {
  ShapeEnv mine;
  ShapeEnv other;
  for (int i = 0; i < 2000; ++i) other.create_unbacked_int();
  const ExprNode* foreign = other.create_unbacked_int().node();
  for (const auto ask : {0, 1, 2}) {
    try {
      if (ask == 0) mine.range(foreign);
      if (ask == 1) mine.hint(foreign);
      if (ask == 2) mine.maybe_evaluate_static(foreign);
      EXPECT_EQ(ask, 1);  // an unbacked symbol has no hint, whoever is asked
    } catch (const Error& error) {
      EXPECT_TRUE(error.message() == "vr must not be None for symbol u2000" ||
                  error.message() == "a symbolic value of another environment")
          << error.message();
    }
  }
}

}  // namespace
}  // namespace faketensor
