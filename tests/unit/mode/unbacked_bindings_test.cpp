#include "core/mode/unbacked_bindings.h"

#include <gtest/gtest.h>

#include "core/ops/context.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

std::string bindings(ShapeEnv& env, const Value& value) {
  std::string out;
  for (const UnbackedBinding& binding : compute_unbacked_bindings(env, value, "the value")) {
    out += to_string(binding.symbol) + binding.path + ";";
  }
  return out;
}

TEST(UnbackedBindings, AreFoundInSizesListsAndNumbers) {
  ShapeEnv env;
  Context context;
  context.set_shape_env(&env);
  const SymInt u = env.create_unbacked_int();
  const SymInt sizes[] = {u, 2};
  const Value n = context.empty(sizes, DType::kInt64, Device{});
  EXPECT_EQ(bindings(env, n), "u0.size()[0];");
  EXPECT_EQ(bindings(env, n), "");
  const Value pair[] = {n, Value(env.create_unbacked_int())};
  EXPECT_EQ(bindings(env, context.make_list(pair)), "u1[1];");
  EXPECT_EQ(bindings(env, Value(env.create_unbacked_bool())),
            "u2.cast_symbool_to_symint_guardless();");
  EXPECT_EQ(bindings(env, Value(env.create_unbacked_int() * 4)), "u3.__floordiv__(4);");
}

TEST(UnbackedBindings, ASymbolThatNothingBindsIsAnError) {
  ShapeEnv env;
  env.create_unbacked_int();
  try {
    compute_unbacked_bindings(env, Value(3), "3");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.class_name(), "PendingUnbackedSymbolNotFound");
    EXPECT_TRUE(error.message().starts_with(
        "Pending unbacked symbols {u0} not in returned outputs 3 .\nDid you"));
  }
}

}  // namespace
}  // namespace faketensor
