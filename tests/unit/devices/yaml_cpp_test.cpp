// yaml-cpp reads the same from the targets as our own reader (Note [Targets are compiled in by our own
// reader], core/devices/device_model.h). Built where yaml-cpp is installed.
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "../test_files.h"
#include "core/devices/presets.h"
#include "core/formats/text.h"
#include "core/formats/yaml/composer.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

void expect_same(const yaml::Node& ours, const YAML::Node& theirs) {
  if (ours.kind == yaml::NodeKind::kScalar) {
    ASSERT_TRUE(theirs.IsScalar());
    EXPECT_EQ(theirs.Scalar(), ours.value);
    return;
  }
  ASSERT_EQ(ours.kind, yaml::NodeKind::kMapping);
  ASSERT_TRUE(theirs.IsMap());
  ASSERT_EQ(2 * theirs.size(), ours.items.size());
  size_t i = 0;
  for (const auto& member : theirs) {
    expect_same(*ours.items[i++], member.first);
    expect_same(*ours.items[i++], member.second);
  }
}

TEST(YamlCpp, ReadsTheSameFromEachTarget) {
  EXPECT_GE(device_presets().size(), 15u);
  for (const Preset& preset : device_presets()) {
    const std::string path = test_file(format("../targets/{}.yaml", preset.name));
    const yaml::Document document(read_all(FileSource(path), {}));
    expect_same(*document.root(), YAML::LoadFile(path));
  }
}

}  // namespace
}  // namespace faketensor
