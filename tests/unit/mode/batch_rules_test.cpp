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
      const OpId op = Registry::builtin().find(name);
      ASSERT_NE(op, kNoOp) << name;
      EXPECT_EQ(find_batch_rule(Registry::builtin().entry(op)), &rule) << name;
    }
  }
}

}  // namespace
}  // namespace faketensor
