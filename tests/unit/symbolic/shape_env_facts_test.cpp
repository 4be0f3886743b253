#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"
#include "core/symbolic/suggest_fix.h"

namespace faketensor {
namespace {

ErrorKind kind_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::kUsage;
}

TEST(ShapeEnvFacts, RangesThatNothingSatisfiesAreRefused) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  env.constrain_range(u, 0, 10);
  EXPECT_EQ(kind_of([&] { env.constrain_range(u, 30, 40); }), ErrorKind::kValueRange);
  EXPECT_EQ(kind_of([&] { env.constrain_range(5, 6, 7); }), ErrorKind::kValueError);
  EXPECT_EQ(kind_of([&] { env.constrain_range(u, 7, 6); }), ErrorKind::kValueError);
  EXPECT_EQ(env.range(u.node()), ValueRange::ints(0, 10));
}

TEST(ShapeEnvFacts, OnlySymbolsAreSizes) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  EXPECT_EQ(kind_of([&] { env.constrain_range_for_size(u + 1); }), ErrorKind::kAssertionError);
  env.advise_is_size(u + 1);
  EXPECT_FALSE(env.is_size_like(u.node()));
  env.advise_is_size(u);
  EXPECT_TRUE(env.is_size_like(u.node()));
}

TEST(ShapeEnvFacts, UnifiedSymbolsAreOne) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  const SymInt v = env.create_unbacked_int();
  env.constrain_unify(u, v);
  EXPECT_EQ(env.replace(v.node()), u.node());
  env.constrain_unify(u, 4);
  EXPECT_TRUE(env.replace(v.node())->is_integer(4));
  EXPECT_EQ(kind_of([&] { env.constrain_unify(3, 4); }), ErrorKind::kAssertionError);
}

TEST(ShapeEnvFacts, ARenamedSymbolGoesByTheOtherName) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  const SymInt v = env.create_unbacked_int();
  env.rename_unbacked_to(v.node(), u.node());
  EXPECT_EQ(to_string(env.replace((v * 2).node())), "2*u0");
}

TEST(ShapeEnvFacts, FreshSymbolsArePendingUntilTaken) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  const bool before = env.ignore_fresh_unbacked_symbols(true);
  env.create_unbacked_int();
  env.ignore_fresh_unbacked_symbols(before);
  EXPECT_EQ(env.take_pending_unbacked(), std::vector<const ExprNode*>{u.node()});
  EXPECT_TRUE(env.take_pending_unbacked().empty());
}

TEST(ShapeEnvFacts, SuggestedChecksSettleTheDecisionAndAreForgotten) {
  ShapeEnv env;
  const SymInt u = env.create_unbacked_int();
  EXPECT_EQ(kind_of([&] { guard_bool(u + 1 > 0); }), ErrorKind::kGuardOnDataDependent);
  ASSERT_NE(env.last_undecided(), nullptr);
  EXPECT_EQ(suggest_fix(env, env.last_undecided()),
            "torch._check(u0 >= 0) or torch._check(u0 >= 1)");
  EXPECT_TRUE(env.deferred_runtime_asserts().empty());
  EXPECT_EQ(env.range(u.node()).lower, kMinusIntInfinity);
  EXPECT_EQ(kind_of([&] { guard_bool(u + 1 > 0); }), ErrorKind::kGuardOnDataDependent);
}

// PyTorch remembers that "s0 != 6" was not known when it was asked with a fallback, and guards on
// it again where it is asked without one.
TEST(ShapeEnvFacts, ATriedFixChangesNoLaterDecision) {
  const auto guards_after = [](bool tries_fix) {
    ShapeEnv env;
    const SymInt s = env.create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
    const SymInt u = env.create_unbacked_int();
    guard_or_false(s == 6);
    if (tries_fix) suggest_fix(env, (u > 0).node());
    guard_bool(s == 6);
    return env.format_guards();
  };
  EXPECT_EQ(guards_after(false), " - Ne(s0, 6)\n - Ne(s0, 6)");
  EXPECT_EQ(guards_after(true), guards_after(false));
}

TEST(ShapeEnvFacts, GuardsAreListedWithTheirOrigin) {
  ShapeEnv env;
  const SymInt s = env.create_symbol(5, Source::local("x").size(0));
  env.set_origin(3);
  EXPECT_TRUE(guard_bool(s == 5));
  EXPECT_EQ(env.format_guards(), " - Eq(s77, 5)");
  EXPECT_EQ(env.guards()[0].origin, 3u);
  EXPECT_EQ(env.replacement_origin(s.node()), 3u);
  EXPECT_TRUE(env.nontrivial_guards().empty());
}

// SymNode.expr is made anew only after another replacement.
TEST(ShapeEnvFacts, UnifiedSymbolsAreShownAsTheyWereUntilTheNextReplacement) {
  ShapeEnv env;
  const SymInt u0 = env.create_unbacked_int();
  const SymInt u1 = env.create_unbacked_int();
  env.constrain_unify(u0, u1);
  EXPECT_EQ(to_string((u0 + u1).node()), "u0 + u1");
  EXPECT_EQ(to_string(env.simplify((u0 + u1).node())), "2*u0");
  const SymInt u2 = env.create_unbacked_int();
  EXPECT_TRUE(expect_true(u2 == 3));
  EXPECT_EQ(to_string((u0 + u1).node()), "2*u0");
}

}  // namespace
}  // namespace faketensor
