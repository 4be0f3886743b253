#include "core/symbolic/knowledge.h"

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/canonical_condition.h"

namespace faketensor {
namespace {

class KnowledgeTest : public testing::Test {
 protected:
  const ExprNode* add(const char* name, ValueRange range, bool unbacked = false) {
    SymbolInfo info;
    info.name = name;
    info.unbacked = unbacked;
    const ExprNode* symbol = pool_.symbol(info);
    knowledge_.add_symbol(symbol, range);
    return symbol;
  }

  ExprPool pool_;
  Knowledge knowledge_{pool_, /*affine_only=*/false};
};

TEST_F(KnowledgeTest, EachChangeCountsWhatItMakesStale) {
  const ExprNode* a = add("a", ValueRange::ints(0, 10));
  const ExprNode* b = add("b", ValueRange::ints(0, 10));
  Epochs before = knowledge_.epochs();

  knowledge_.narrow(a, ValueRange::ints(0, 20));
  EXPECT_EQ(knowledge_.epochs().facts, before.facts);  // nothing new

  knowledge_.narrow(a, ValueRange::ints(2, 8));
  EXPECT_GT(knowledge_.epochs().ranges, before.ranges);
  EXPECT_GT(knowledge_.epochs().facts, before.facts);
  EXPECT_EQ(knowledge_.epochs().statics, before.statics);  // as PyTorch keeps them

  before = knowledge_.epochs();
  knowledge_.add_axioms(pool_.make(ExprKind::kLt, a, b));
  EXPECT_GT(knowledge_.epochs().facts, before.facts);
  EXPECT_EQ(knowledge_.epochs().statics, before.statics);

  before = knowledge_.epochs();
  knowledge_.add_divisible(pool_.make(ExprKind::kMod, a, b));
  EXPECT_GT(knowledge_.epochs().remainders, before.remainders);
  EXPECT_GT(knowledge_.epochs().statics, before.statics);

  before = knowledge_.epochs();
  knowledge_.set_replacement(b, a);
  EXPECT_GT(knowledge_.epochs().replacements, before.replacements);
  EXPECT_GT(knowledge_.epochs().statics, before.statics);
  EXPECT_EQ(knowledge_.epochs().hints, before.hints);

  before = knowledge_.epochs();
  knowledge_.set_hint(a, Number::of(4));
  EXPECT_GT(knowledge_.epochs().hints, before.hints);
  EXPECT_EQ(knowledge_.epochs().facts, before.facts);
}

TEST_F(KnowledgeTest, ACopyLearnsForItself) {
  const ExprNode* u = add("u0", ValueRange::ints(0, 10), /*unbacked=*/true);
  Knowledge copy = knowledge_;
  copy.narrow(u, ValueRange::ints(3, 5));
  copy.add_axioms(pool_.make(ExprKind::kNe, u, pool_.integer(4)));
  EXPECT_EQ(knowledge_.range(u), ValueRange::ints(0, 10));
  EXPECT_TRUE(knowledge_.axioms().empty());
}

TEST_F(KnowledgeTest, SizeLikeRangesKeepTwoAndHintsStayInside) {
  const ExprNode* u = add("u0", ValueRange::ints(0, 10), /*unbacked=*/true);
  knowledge_.mark_size_like(u);
  knowledge_.narrow(u, ValueRange::ints(0, 1));
  EXPECT_EQ(knowledge_.range(u), ValueRange::ints(0, 2));
  const ExprNode* s = add("s0", ValueRange::ints(2, kIntInfinity));
  knowledge_.set_hint(s, Number::of(5));
  EXPECT_THROW(knowledge_.narrow(s, ValueRange::ints(6, 8)), Error);
  const ExprNode* t = add("s1", ValueRange::ints(2, kIntInfinity));
  knowledge_.set_hint(t, Number::of(5));
  knowledge_.constrain(t, ValueRange::ints(6, 8));  // produce_guards judges it
  EXPECT_EQ(knowledge_.range(t), ValueRange::ints(6, 8));
}

TEST_F(KnowledgeTest, ChainsOfReplacementsAreShortenedWhenFollowed) {
  const ExprNode* a = add("a", ValueRange::ints(2, 100));
  const ExprNode* b = add("b", ValueRange::ints(2, 100));
  const ExprNode* c = add("c", ValueRange::ints(2, 100));
  knowledge_.set_replacement(a, b);
  knowledge_.set_replacement(b, c);
  EXPECT_EQ(knowledge_.replacement(a), b);
  EXPECT_EQ(knowledge_.find(a), c);
  EXPECT_EQ(knowledge_.replacement(a), c);
  EXPECT_EQ(knowledge_.replaced_symbols(), (std::vector<const ExprNode*>{a, b}));
  knowledge_.set_replacement(c, pool_.add(a, c));  // holds c itself
  EXPECT_EQ(knowledge_.replacement(c), nullptr);
}

TEST(Axioms, TellWhatFollowsOfTheSameDifference) {
  ExprPool pool;
  const ExprNode* a = pool.symbol({.name = "a", .positive = true});
  const ExprNode* b = pool.symbol({.name = "b", .positive = true});
  Axioms axioms;
  axioms.add(pool.make(ExprKind::kLt, a, b));
  const auto truth = [&](ExprKind kind, const ExprNode* left, const ExprNode* right) {
    return axioms.apply(canonical_condition(pool.make(kind, left, right)));
  };
  EXPECT_TRUE(truth(ExprKind::kLe, a, b)->is_true());
  EXPECT_TRUE(truth(ExprKind::kNe, a, b)->is_true());
  EXPECT_TRUE(truth(ExprKind::kLe, b, a)->is_false());
  EXPECT_FALSE(axioms.apply(pool.make(ExprKind::kLt, a, pool.integer(3)))->is_constant());
}

}  // namespace
}  // namespace faketensor
