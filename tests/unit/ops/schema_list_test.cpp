// The registry and the schema parser held against the schemas of all overloads of PyTorch
// (tests/conformance/data/schemas).
#include <string>
#include <unordered_map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../test_files.h"
#include "core/formats/text.h"
#include "core/ops/registry.h"

namespace faketensor {
namespace {

std::vector<std::string> recorded_schemas() {
  const std::string text =
      read_text(FileSource(test_file("conformance/data/schemas/ops.jsonl.gz")), ReadLimits{});
  std::vector<std::string> schemas;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const nlohmann::json line = nlohmann::json::parse(text.substr(at, end - at));
    if (line.contains("schema")) schemas.push_back(line["schema"]);
    at = end + 1;
  }
  return schemas;
}

// Operators of exported programs that are Python functions, not overloads of PyTorch's dispatcher;
// the transformers library registers its own.
bool is_listed(std::string_view name) {
  for (const std::string_view space : {"_operator::", "math::", "torch::", "transformers::"}) {
    if (name.starts_with(space)) return false;
  }
  return true;
}

TEST(SchemaList, EverySchemaOfPyTorchPrintsBackAsItWasParsed) {
  const std::vector<std::string> schemas = recorded_schemas();
  EXPECT_EQ(schemas.size(), 4491u);
  Arena arena;
  for (const std::string& text : schemas) EXPECT_EQ(to_string(parse_schema(text, arena)), text);
}

// Holds rows and what is derived from them alike.
TEST(SchemaList, EverySchemaOfTheRegistryIsPyTorchsCharForChar) {
  Arena arena;
  const std::vector<std::string> schemas = recorded_schemas();
  std::unordered_map<std::string, std::string_view> recorded;
  for (const std::string& text : schemas)
    recorded.emplace(parse_schema(text, arena).full_name(), text);
  for (const OpEntry& entry : Registry::builtin().entries()) {
    if (!is_listed(entry.name)) continue;
    const auto found = recorded.find(std::string(entry.name));
    ASSERT_NE(found, recorded.end()) << "PyTorch has no overload " << entry.schema.text;
    EXPECT_EQ(entry.schema.text, found->second);
  }
}

}  // namespace
}  // namespace faketensor
