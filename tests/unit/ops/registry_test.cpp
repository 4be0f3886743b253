#include "core/ops/registry.h"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/ops/call.h"
#include "core/ops/families/pointwise.h"
#include "core/ops/rules/out_overloads.h"
#include "core/ops/rules/sparse_tables.h"
#include "core/ops/rules/tables.h"

namespace faketensor {
namespace {

TEST(Registry, EverySchemaPrintsBackAsItWasWritten) {
  for (const OpEntry& entry : Registry::builtin().entries())
    EXPECT_EQ(to_string(entry.schema), entry.schema.text);
}

TEST(Registry, NoOverloadHasTwoRules) {
  std::set<std::string_view> names;
  for (const OpEntry& entry : Registry::builtin().entries())
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
}

TEST(Registry, FindsNamesInEverySpelling) {
  const Registry& registry = Registry::builtin();
  const OpId mm = registry.find("aten::mm");
  ASSERT_NE(mm, kNoOp);
  EXPECT_EQ(registry.find("aten::mm.default"), mm);
  EXPECT_EQ(registry.find("torch.ops.aten.mm.default"), mm);
  EXPECT_EQ(registry.find("aten::no_such_operator"), kNoOp);
  EXPECT_EQ(registry.find("torch.ops"), kNoOp);
  EXPECT_EQ(registry.find(""), kNoOp);
}

TEST(Registry, DerivesInplaceOverloadsFromTheFunctionalRow) {
  const Registry& registry = Registry::builtin();
  const OpEntry& inplace = registry.entry(registry.find("aten::atan2_"));
  EXPECT_EQ(inplace.derived, OpEntry::Derived::kInplace);
  EXPECT_EQ(inplace.functional, registry.find("aten::atan2"));
  EXPECT_EQ(inplace.schema.text, "aten::atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)");
}

TEST(Registry, AnEntryIsCompletedWhenItsNameIsFound) {
  const Registry registry;  // other tests ask builtin() for all entries
  const OpId mm = registry.number("aten::mm");
  ASSERT_NE(mm, kNoOp);
  EXPECT_FALSE(registry.is_complete(mm));
  EXPECT_EQ(registry.find("torch.ops.aten.mm.default"), mm);
  EXPECT_TRUE(registry.is_complete(mm));
  EXPECT_FALSE(registry.is_complete(registry.number("aten::bmm")));
  EXPECT_EQ(registry.number("aten::no_such_operator"), kNoOp);
}

// The first of each kind: a registry takes a while to make.
TEST(Registry, WhatAnEntryRefersToIsCompleteToo) {
  std::set<std::pair<OpEntry::Derived, int>> kinds;
  size_t forwards = 0;
  for (const OpEntry& entry : Registry::builtin().entries()) {
    const int by = entry.out == nullptr ? -1 : static_cast<int>(entry.out->by);
    if (entry.functional == kNoOp || !kinds.emplace(entry.derived, by).second) continue;
    const Registry registry;
    const OpEntry& found = registry.entry(registry.find(entry.name));
    EXPECT_EQ(found.functional, entry.functional);
    EXPECT_TRUE(registry.is_complete(found.functional)) << entry.name;
    EXPECT_EQ(found.forward, entry.forward);
    if (found.forward == kNoOp) continue;
    ++forwards;
    EXPECT_TRUE(registry.is_complete(found.forward)) << entry.name;
  }
  EXPECT_GE(kinds.size(), 5u);
  EXPECT_GE(forwards, 1u);
}

TEST(Registry, AnInplaceOverloadOfAListIsItsRows) {
  const Registry& registry = Registry::builtin();
  EXPECT_EQ(registry.entry(registry.find("aten::_foreach_add_.List")).derived,
            OpEntry::Derived::kListInplace);
}

TEST(Registry, NamesAreThoseOfTheSchemas) {
  for (const OpEntry& entry : Registry::builtin().entries()) {
    EXPECT_EQ(entry.name, entry.schema.full_name());
    EXPECT_EQ(Registry::builtin().number(entry.name), entry.id);
  }
}

// The letters of core/ops/call.h that may read an argument of this type.
std::string_view codes_for(const ArgType& type) {
  if (type.is_list) {
    if (type.kind == ArgKind::kTensor) return "Lv";
    return type.kind == ArgKind::kInt ? "Dv" : "v";
  }
  switch (type.kind) {
    case ArgKind::kTensor:
      return type.is_optional ? "tv" : "Ttv";
    case ArgKind::kInt:
      return "Siv";
    case ArgKind::kFloat:
      return "fv";
    case ArgKind::kBool:
      return "bBv";
    case ArgKind::kDType:
      return "dv";
    case ArgKind::kDevice:
      return "cv";
    case ArgKind::kLayout:
      return "lv";
    case ArgKind::kMemoryFormat:
      return "mv";
    case ArgKind::kString:
      return "sv";
    default:
      return "v";
  }
}

TEST(Registry, ParametersOfTypedRulesFitTheSchema) {
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (entry.rule.signature == nullptr) continue;
    const std::string_view signature = entry.rule.signature;
    ASSERT_LE(signature.size(), entry.schema.arguments.size()) << entry.schema.text;
    for (size_t i = 0; i < signature.size(); ++i) {
      const ArgType& type = entry.schema.arguments[i].type;
      const char letter = static_cast<char>(signature[i] & ~detail::kOptionalCode);
      EXPECT_NE(codes_for(type).find(letter), std::string_view::npos)
          << "parameter " << i << " ('" << letter << "') of " << entry.schema.text;
      // None is no number: what may be None is read by an optional, a pointer, as a list or a Value.
      const bool takes_none =
          letter != signature[i] || std::string_view("tLDv").find(letter) != std::string_view::npos;
      EXPECT_TRUE(takes_none || !type.is_optional)
          << "parameter " << i << " of " << entry.schema.text << " may be None";
    }
  }
}

TEST(SchemaParser, ReadsListsDefaultsAliasesAndKeywordOnlyArguments) {
  Arena arena;
  const Schema schema = parse_schema(
      "aten::f.x(Tensor(a!) self, Tensor?[] indices, int[2] stride=1, *, SymInt[]? size=None, str "
      "mode=\"mean\", float eps=1e-05) -> "
      "(Tensor(a!) out, Tensor[])",
      arena);
  EXPECT_EQ(schema.full_name(), "aten::f.x");
  ASSERT_EQ(schema.arguments.size(), 6u);
  EXPECT_TRUE(schema.arguments[0].is_written());
  EXPECT_TRUE(schema.arguments[1].type.is_element_optional);
  EXPECT_EQ(schema.arguments[2].default_value.ints().size(), 2u);
  EXPECT_TRUE(schema.arguments[3].is_keyword_only && schema.arguments[3].default_value.is_none());
  EXPECT_EQ(schema.arguments[4].default_value.text(), "mean");
  EXPECT_EQ(schema.arguments[5].default_value.as_double(), 1e-05);
  EXPECT_EQ(schema.returns.size(), 2u);
}

TEST(SchemaParser, RefusesTextThatIsNoSchemaWithItsPosition) {
  for (const char* text : {"", "aten::f", "aten::f(", "aten::f(Tensor self",
                           "aten::f(Tensor self) ->", "aten::f(Tensor self) -> Tensor, x"}) {
    Arena arena;
    EXPECT_ANY_THROW(parse_schema(text, arena)) << text;
  }
}

std::string_view name_of(std::string_view schema) { return schema.substr(0, schema.find('(')); }
std::string_view name_of(const OpDef& row) { return name_of(row.schema); }
std::string_view name_of(const OutDef& row) { return row.name; }
std::string_view name_of(const SparseDef& row) { return row.op; }

template <typename Row>
void expect_sorted(std::span<const Row> table) {
  for (size_t i = 1; i < table.size(); ++i)
    EXPECT_LT(name_of(table[i - 1]), name_of(table[i])) << "a table's rows are sorted by name";
}

TEST(Registry, TablesAreSorted) {
  for (const std::span<const OpDef> table : rule_tables()) expect_sorted(table);
  for (const std::span<const SparseDef> table : sparse_tables()) expect_sorted(table);
  expect_sorted(out_overloads());
}

// A family of tensor operators that stands in the row of a built-in of TorchScript on numbers
// would answer a tensor.
TEST(Registry, WhatAnswersANumberAnswersNoTensor) {
  for (const OpEntry& entry : Registry::builtin().entries()) {
    const bool is_number =
        entry.schema.returns.size() == 1 && entry.schema.returns[0].type.kind != ArgKind::kTensor;
    EXPECT_FALSE(is_number && is_pointwise(entry.rule)) << entry.schema.text;
  }
}

}  // namespace
}  // namespace faketensor
