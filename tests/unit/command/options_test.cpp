#include "core/command/options.h"

#include <gtest/gtest.h>

#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

constexpr OptionRow kRows[] = {
    {"--set", "DIM=N", "another size"},
    {"--check", "", "compare instead\nof printing"},
    {"--format", "F", "text or json"},
};

template <typename Body>
void expect_usage(Body body, std::string_view words) {
  expect_error(body, ErrorKind::kUsage, {words});
}

TEST(Options, TheHelpHasALinePerRowInOneColumn) {
  EXPECT_EQ(option_lines(kRows),
            "  --set DIM=N   another size\n"
            "  --check       compare instead\n"
            "                of printing\n"
            "  --format F    text or json\n");
}

TEST(Options, ARowWithAnArgumentTakesAValue) {
  const Options options({"a", "--set", "x=1", "--set=y=2", "--check", "--", "--b"}, kRows);
  EXPECT_EQ(options.all("--set"), (std::vector<std::string>{"x=1", "y=2"}));
  EXPECT_EQ(options.get("--set"), "y=2");
  EXPECT_TRUE(options.has("--check"));
  EXPECT_EQ(options.positional(), (std::vector<std::string>{"a", "--b"}));
  expect_usage([] { Options({"--set"}, kRows); }, "option '--set' needs a value");
  expect_usage([] { Options({"--check=1"}, kRows); }, "option '--check' takes no value");
  expect_usage([] { Options({"--sets"}, kRows); }, "there is no option '--sets'");
}

TEST(Options, AChoiceIsOneOfItsWords) {
  EXPECT_EQ(Options({}, kRows).choice("--format", {"text", "json"}), "text");
  EXPECT_EQ(Options({"--format", "json"}, kRows).choice("--format", {"text", "json"}), "json");
  expect_usage(
      [] {
        (void)Options({"--format", "yaml"}, kRows).choice("--format", {"table", "text", "json"});
      },
      "--format is table, text or json, not 'yaml'");
}

}  // namespace
}  // namespace faketensor
