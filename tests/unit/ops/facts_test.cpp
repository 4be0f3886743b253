// What is known of operators besides how they answer: the tables of core/ops/facts.cpp held against
// the registry, and the rows against who answers for them in PyTorch (tests/conformance/data/schemas).
#include "core/ops/facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../test_files.h"
#include "core/formats/text.h"
#include "core/ops/registry.h"

namespace faketensor {
namespace {

const OpEntry& entry(std::string_view name) {
  return Registry::builtin().entry(Registry::builtin().find(name));
}

TEST(Facts, EachNameInTheTablesIsAnOperators) {
  std::set<std::string, std::less<>> packets;
  for (const OpEntry& op : Registry::builtin().entries()) packets.emplace(op.schema.name);
  const auto qualified = [](std::string_view name) {
    return name.find("::") == std::string_view::npos ? "aten::" + std::string(name)
                                                     : std::string(name);
  };
  for (const FactKey& key : fact_keys()) {
    const std::string name = qualified(key.name);
    const bool is_there = key.is_overload ? name.find('.') != std::string::npos &&
                                                Registry::builtin().find(name) != kNoOp
                                          : packets.count(name) != 0;
    EXPECT_TRUE(is_there) << name << " of " << key.table;
  }
}

TEST(Facts, ArgumentsWithoutFormulaAreTensorsOfTheSchema) {
  for (const OpEntry& op : Registry::builtin().entries()) {
    if (op.derivative == nullptr || op.out != nullptr) continue;
    const std::string_view names = op.derivative->without_formula;
    const size_t count =
        names.empty() ? 0 : 1 + static_cast<size_t>(std::count(names.begin(), names.end(), ','));
    EXPECT_EQ(static_cast<size_t>(std::popcount(op.facts.without_formula)), count) << op.name;
    for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
      const bool is_left_out = (op.facts.without_formula >> i & 1) != 0;
      EXPECT_TRUE(!is_left_out || op.schema.arguments[i].type.kind == ArgKind::kTensor)
          << op.name << " " << i;
    }
  }
}

AnsweredBy answered_by(const std::string& recorded) {
  static const std::map<std::string, AnsweredBy> kNames = {
      {"meta_py", AnsweredBy::kMetaPy},
      {"meta_cpp", AnsweredBy::kMetaCpp},
      {"structured", AnsweredBy::kStructured},
      {"ref", AnsweredBy::kRef},
      {"decomp", AnsweredBy::kDecomp},
      {"fake_impl", AnsweredBy::kFakeImpl},
      {"prim", AnsweredBy::kPrim},
      {"composite", AnsweredBy::kComposite},
      {"composite_explicit", AnsweredBy::kCompositeExplicit},
      {"fallback", AnsweredBy::kFallback},
      {"custom_fake", AnsweredBy::kCustomFake},
      {"trivial", AnsweredBy::kTrivial},
      {"unsupported", AnsweredBy::kUnsupported},
  };
  const auto found = kNames.find(recorded);
  return found == kNames.end() ? AnsweredBy::kUnknown : found->second;
}

TEST(Facts, RowsSayWhoAnswersInPyTorch) {
  const std::string text =
      read_text(FileSource(test_file("conformance/data/schemas/ops.jsonl.gz")), ReadLimits{});
  size_t held = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const nlohmann::json line = nlohmann::json::parse(text.substr(at, end - at));
    at = end + 1;
    if (!line.contains("schema") || !line.contains("answers")) continue;
    const std::string schema = line["schema"];
    const OpId id = Registry::builtin().find(schema.substr(0, schema.find('(')));
    if (id == kNoOp || Registry::builtin().entry(id).derived != OpEntry::Derived::kNone) continue;
    ++held;
    EXPECT_EQ(Registry::builtin().entry(id).facts.answered_by, answered_by(line["answers"]))
        << schema << " is answered by " << line["answers"];
  }
  EXPECT_GT(held, 2000u);
}

// What the rows and tables come to, for one operator of each kind.
TEST(Facts, AreJoinedFromRowsAndTables) {
  EXPECT_TRUE(entry("aten::add.Tensor").facts.has(kNumbersAsTensors));
  EXPECT_EQ(entry("aten::add.Tensor").facts.zero_tensors, ZeroTensors::kZeroIfBoth);
  EXPECT_TRUE(entry("prims::add").facts.has(kWrapsNumbers));
  EXPECT_FALSE(entry("prims::add").facts.has(kNumbersAsTensors));
  EXPECT_EQ(entry("aten::mm").facts.autocast_cpu, AutocastPolicy::kLowerPrecision);
  EXPECT_EQ(entry("aten::exp").facts.autocast_cuda, AutocastPolicy::kSinglePrecision);
  EXPECT_EQ(entry("aten::nonzero").facts.cache_bypass, CacheBypass::kDynamicShape);
  EXPECT_EQ(entry("aten::_unique2.out").facts.cache_bypass, CacheBypass::kNone);
  EXPECT_EQ(entry("aten::reshape").facts.cache_bypass, CacheBypass::kCompositeView);
  EXPECT_EQ(entry("torchvision::nms").facts.cache_bypass, CacheBypass::kNonBuiltin);
  EXPECT_EQ(entry("aten::squeeze_.dim").facts.formula, 4);
  EXPECT_EQ(entry("aten::clamp_max_.Tensor").facts.formula, 1) << "as clamp_max.Tensor";
  EXPECT_EQ(entry("aten::native_batch_norm").facts.without_formula, 0b11000u);
  EXPECT_EQ(entry("aten::native_batch_norm").facts.differentiable_results, 1u);
  EXPECT_TRUE(entry("aten::add_.Tensor").facts.has(kRecordedWrite));
  EXPECT_FALSE(entry("aten::logical_not_").facts.has(kRecordedWrite));
}

// An in-place overload's tensor had a history before, and has one of zeros after.
TEST(Facts, ComparisonsAreNotDifferentiableUnlessInPlace) {
  EXPECT_NE(entry("aten::eq.Scalar").tags & kNoDerivative, 0u);
  EXPECT_EQ(entry("aten::eq_.Scalar").tags & kNoDerivative, 0u);
}

TEST(Facts, NamesAsPythonAndDerivativesSpellThem) {
  const OpEntry& op = entry("aten::add_.Tensor");
  EXPECT_EQ(op.python_name(), "aten.add_.Tensor");
  EXPECT_EQ(op.local_name(), "add_.Tensor");
  EXPECT_EQ(op.packet(), "add_");
  EXPECT_EQ(op.base_name(), "add");
  EXPECT_EQ(entry("aten::mm").python_name(), "aten.mm.default");
}

}  // namespace
}  // namespace faketensor
