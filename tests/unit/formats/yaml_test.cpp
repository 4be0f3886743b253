// Reading and writing YAML as PyYAML does; the expected texts are PyYAML's own.
#include <gtest/gtest.h>

#include "core/formats/yaml/constructor.h"
#include "core/formats/yaml/emitter.h"
#include "core/support/error.h"

namespace faketensor::yaml {
namespace {

std::string loaded(std::string_view text) {
  try {
    const Document document(text);
    const PythonValues values(document);
    return repr(*values.root());
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.message();
  }
}

TEST(YamlRead, PlainScalarsAreWhatYaml11Says) {
  EXPECT_EQ(loaded("[yes, No, on, OFF, true, y]"), "[True, False, True, False, True, 'y']");
  EXPECT_EQ(loaded("[1, -2, +3, 0x1F, 0b101, 010, 1_000, 1:30, 08, 0o7]"),
            "[1, -2, 3, 31, 5, 8, 1000, 90, '08', '0o7']");
  EXPECT_EQ(loaded("[1.5, .5, 1e3, 1.5e+3, -.inf, .NaN, 1:30.5]"),
            "[1.5, 0.5, '1e3', 1500.0, -inf, nan, 90.5]");
  EXPECT_EQ(
      loaded("[~, null, , '']"),
      "ParserError: while parsing a flow node\nexpected the node content, but found ','\n  in "
      "\"<unicode string>\", line 1, column 11:\n    [~, null, , '']\n              ^");
  EXPECT_EQ(loaded("[2001-12-14, 2001-12-14t21:59:43.10-05:00, 99999999999999999999]"),
            "[datetime.date(2001, 12, 14), datetime.datetime(2001, 12, 14, 21, 59, 43, 100000, "
            "tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=68400))), "
            "99999999999999999999]");
}

TEST(YamlRead, TagsMakeValuesOrAreRefused) {
  EXPECT_EQ(loaded("[!!int '2', !!str 2, !!float 2, !!binary aGk=, ! 12]"),
            "[2, '2', 2.0, b'hi', 12]");
  EXPECT_EQ(loaded("!!omap [a: 1, b: 2]"), "[('a', 1), ('b', 2)]");
  EXPECT_EQ(loaded("a: !!python/name:os.system"),
            "ConstructorError: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/name:os.system'\n  in \"<unicode string>\", line 1, column "
            "4:\n    a: !!python/name:os.system\n       ^");
}

TEST(YamlRead, BlockAndQuotedScalarsFold) {
  EXPECT_EQ(loaded("a: |\n  x\n   y\n\nb: >-\n  one\n  two\n\n  three\n"),
            "{'a': 'x\\n y\\n', 'b': 'one two\\nthree'}");
  EXPECT_EQ(loaded("'it''s\n  folded'"), "\"it's folded\"");
  EXPECT_EQ(loaded("\"a\\tb\\x41\\u00e9\\\n  c\""),
            "'a\\tbA\xC3\xA9"
            "c'");
}

TEST(YamlRead, KeysAreMergedReplacedAndHashed) {
  EXPECT_EQ(loaded("{a: 1, a: 2}"), "{'a': 2}");
  EXPECT_EQ(loaded("{1: a, true: b, 1.0: c}"), "{1: 'c'}");
  EXPECT_EQ(loaded("x: &x {a: 1}\ny:\n  <<: *x\n  b: 2"), "{'x': {'a': 1}, 'y': {'a': 1, 'b': 2}}");
  EXPECT_EQ(loaded("&a [*a]"), "[[...]]");
  EXPECT_EQ(loaded("[a]: b"),
            "ConstructorError: while constructing a mapping\nfound unhashable key\n  in \"<unicode "
            "string>\", line 1, column 1:\n    [a]: b\n    ^");
}

TEST(YamlRead, ErrorsShowTheirPlace) {
  EXPECT_EQ(loaded("a: b: c"),
            "ScannerError: mapping values are not allowed here\n  in \"<unicode string>\", line 1, "
            "column 5:\n    a: b: c\n        ^");
  EXPECT_EQ(loaded("a: *x"),
            "ComposerError: found undefined alias 'x'\n  in \"<unicode string>\", line 1, column "
            "4:\n    a: *x\n       ^");
  EXPECT_EQ(loaded("a\x07"),
            "ReaderError: unacceptable character #x0007: special characters are not allowed\n  in "
            "\"<unicode string>\", position 1");
}

TEST(YamlRead, LimitsAreStated) {
  EXPECT_EQ(loaded(std::string(1000, '[')),
            "LimitExceeded: YAML nested more than 128 deep, at line 1");
  std::string bomb = "a0: &a0 {k0: 1}\n";
  for (int i = 1; i < 40; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += name + ": &" + name + " {<<: [" + before + ", " + before + "]}\n";
  }
  EXPECT_EQ(loaded(bomb), "LimitExceeded: YAML merge keys bring more than 1000000 items");
}

std::string dumped(std::string_view key) {
  Emitter out;
  out.begin_mapping();
  out.key(python::Scalar::string(key));
  out.begin_sequence();
  out.scalar(python::Scalar::integer(1));
  out.end_sequence();
  out.end_mapping();
  return out.finish();
}

TEST(YamlWrite, KeysAreQuotedAsTheyNeedIt) {
  EXPECT_EQ(dumped("a.b"), "a.b:\n- 1\n");
  EXPECT_EQ(dumped("1.5"), "'1.5':\n- 1\n");
  EXPECT_EQ(dumped("yes"), "'yes':\n- 1\n");
  EXPECT_EQ(dumped(" a"), "' a':\n- 1\n");
  EXPECT_EQ(dumped("a: b"), "'a: b':\n- 1\n");
  EXPECT_EQ(dumped("tab\there"), "\"tab\\there\":\n- 1\n");
  EXPECT_EQ(dumped("\xF0\x9F\x98\x80"), "\"\\U0001F600\":\n- 1\n");
}

TEST(YamlWrite, LongAndBrokenKeysStandBehindAQuestionMark) {
  EXPECT_EQ(dumped("a\nb"), "? 'a\n\n  b'\n: - 1\n");
  const std::string longest(122, 'x');
  EXPECT_EQ(dumped(longest), longest + ":\n- 1\n");
  EXPECT_EQ(dumped(longest + "x"), "? " + longest + "x\n: - 1\n");
  EXPECT_EQ(dumped(""), "? ''\n: - 1\n");
}

}  // namespace
}  // namespace faketensor::yaml
