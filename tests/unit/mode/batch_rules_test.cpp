#include "core/mode/batch_rules.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace faketensor {
namespace {

TEST(BatchRules, TablesAreInOrderAndNameOperators) {
  for (const auto rules :
       {shared_batch_rules(), view_batch_rules(), indexing_batch_rules(), product_batch_rules()}) {
    EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end(),
                               [](const auto& a, const auto& b) { return a.op < b.op; }));
    for (const BatchRule& rule : rules) {
      const std::string name = "aten::" + std::string(rule.op);
      EXPECT_NE(Registry::builtin().find(name), kNoOp) << name;
      EXPECT_EQ(find_batch_rule(rule.op), &rule) << name;
    }
  }
}

}  // namespace
}  // namespace faketensor
