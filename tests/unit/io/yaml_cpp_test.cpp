// Every profile that we write is read by yaml-cpp to the same content, so that C++ users of our
// files need nothing of ours. (Why our own reader is another one: Note [Why our own YAML],
// core/formats/yaml/composer.h.) Built where yaml-cpp is installed.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "../test_files.h"
#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/formats/yaml/constructor.h"
#include "core/io/profile_json.h"
#include "core/profiles/extended.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

using Kind = python::Scalar::Kind;

std::string read_test_file(std::string_view path) {
  return read_text(FileSource(test_file(path)), {});
}

// Whether a scalar is what yaml-cpp's user gets who asks for that type.
bool is_same_scalar(const python::Value& ours, const YAML::Node& theirs) {
  switch (ours.kind) {
    case Kind::kNone:
      return theirs.IsNull();
    case Kind::kBool:
      return theirs.as<bool>() == ours.truth;
    case Kind::kFloat:
      return std::isnan(ours.real) ? std::isnan(theirs.as<double>())
                                   : theirs.as<double>() == ours.real;
    default:  // digits, a date and a string are their text
      return theirs.as<std::string>() == ours.text;
  }
}

void expect_same(const python::Value& ours, const YAML::Node& theirs) {
  if (ours.is(Kind::kList)) {
    ASSERT_TRUE(theirs.IsSequence()) << python::repr(ours);
    ASSERT_EQ(theirs.size(), ours.items.size());
    for (size_t i = 0; i < theirs.size(); ++i) expect_same(*ours.items[i], theirs[i]);
  } else if (ours.is(Kind::kDict)) {
    ASSERT_TRUE(theirs.IsMap()) << python::repr(ours);
    ASSERT_EQ(2 * theirs.size(), ours.items.size());
    size_t i = 0;
    for (const auto& member : theirs) {
      expect_same(*ours.items[i++], member.first);
      expect_same(*ours.items[i++], member.second);
    }
  } else {
    // Only what stands without quotes may be anything but a string.
    EXPECT_TRUE(ours.is(Kind::kString) || theirs.IsNull() || theirs.Tag() == "?")
        << python::repr(ours);
    EXPECT_TRUE(is_same_scalar(ours, theirs)) << python::repr(ours);
  }
}

void expect_yaml_cpp_reads(const std::string& text) {
  const yaml::Document document(text);
  const yaml::PythonValues values(document);
  SCOPED_TRACE(text);
  expect_same(*values.root(), YAML::Load(text));
}

void expect_yaml_cpp_reads(const OpProfiles& profiles) {
  expect_yaml_cpp_reads(generate_yaml_from_profiles(profiles));
  expect_yaml_cpp_reads(generate_extended_yaml(profiles));
}

// Calls `use` with each question of a file of recorded ones.
template <typename Use>
void each_recorded(std::string_view path, Use use) {
  const std::string text = read_test_file(path);
  std::string_view left = text;
  for (bool is_header = true; !left.empty(); is_header = false) {
    const size_t end = std::min(left.find('\n'), left.size());
    if (!is_header) use(parse_json(left.substr(0, end), path));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

TEST(YamlCpp, ReadsTheProfilesThatPytorchWroteAsWeWriteThem) {
  size_t count = 0;
  each_recorded("conformance/data/profiles/yaml.jsonl.gz", [&](const Json& question) {
    if (!question.contains("yaml")) return;  // a set that cannot be written
    expect_yaml_cpp_reads(read_profiles(member(question, "profiles")));
    ++count;
  });
  EXPECT_GT(count, 100u);
}

TEST(YamlCpp, ReadsWhatWeMakeOfEveryTextThatPytorchRead) {
  size_t count = 0;
  each_recorded("conformance/data/profiles/load.jsonl.gz", [&](const Json& question) {
    if (!question.contains("profiles") || !question.contains("text")) return;
    expect_yaml_cpp_reads(load_op_profiles(text_member(question, "text")));
    ++count;
  });
  EXPECT_GT(count, 100u);
}

TEST(YamlCpp, ReadsTheProfilesOfTracedGraphs) {
  each_recorded("conformance/data/profiles/draft.jsonl.gz", [](const Json& question) {
    if (const Json* profiles = find_member(question, "profiles"))
      expect_yaml_cpp_reads(read_profiles(*profiles));
  });
}

// What the command prints, below the line that runs it.
TEST(YamlCpp, ReadsWhatTheCommandRecords) {
  for (const std::string_view name : {"profile_record", "profile_record_sizes"}) {
    const std::string text = read_test_file(format("golden/texts/{}.txt", name));
    expect_yaml_cpp_reads(text.substr(text.find('\n') + 1));
  }
  expect_yaml_cpp_reads(read_extended_profiles(read_test_file("golden/custom_profiles.yaml")));
}

}  // namespace
}  // namespace faketensor
