#include "core/profiles/op_profile.h"

#include <gtest/gtest.h>

#include "core/mode/mode.h"
#include "core/profiles/extended.h"
#include "core/profiles/fake_kernels.h"
#include "core/support/format.h"
#include "tests/unit/mode/library_fixture.h"

namespace faketensor {
namespace {

// What PyTorch 2.13 writes for two profiles of one operator.
constexpr std::string_view kTwoProfiles = R"(torch_version: '2.13'
operators:
  mylib.foo.default:
  - args_profile:
    - rank: 2
      dtype: 7
      device: cpu
      layout: 7
    out_profile:
      rank: 3
      dtype: 5
      device: cpu
      layout: 7
  - args_profile:
    - rank: 1
      dtype: 7
      device: cuda:0
      layout: 7
    out_profile:
    - rank: 0
      dtype: 12
      device: cuda:0
      layout: 7
    - rank: 1
      dtype: 7
      device: cuda:0
      layout: 7
)";

template <typename Action>
std::string raised_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.class_name()) + ": " + error.message();
  }
  return "no error";
}

TEST(OpProfiles, PyTorchsFormIsReadAndWrittenByteForByte) {
  const OpProfiles profiles = read_profiles_from_yaml(kTwoProfiles);
  ASSERT_EQ(profiles.size(), 1u);
  ASSERT_EQ(profiles[0].profiles.size(), 2u);
  EXPECT_EQ(describe(profiles[0].profiles[0]), "(float32 rank 2 cpu) -> int64 rank 3 cpu");
  EXPECT_EQ(describe(profiles[0].profiles[1]),
            "(float32 rank 1 cuda:0) -> (bool rank 0 cuda:0, float32 rank 1 cuda:0)");
  EXPECT_EQ(generate_yaml_from_profiles(profiles), kTwoProfiles);
}

TEST(OpProfiles, NoOperatorsAndNoProfilesAreBraces) {
  EXPECT_EQ(generate_yaml_from_profiles({}), "torch_version: '2.13'\noperators: {}\n");
  EXPECT_EQ(generate_yaml_from_profiles({{python::Scalar::string("a.b"), {}}}),
            "torch_version: '2.13'\noperators:\n  a.b: []\n");
}

TEST(OpProfiles, PositionsOfNoneAreLostInPyTorchsFormAndKeptInTheSuperset) {
  OpProfiles profiles = read_profiles_from_yaml(kTwoProfiles);
  profiles[0].profiles.resize(1);
  profiles[0].profiles[0].args.insert(profiles[0].profiles[0].args.begin(), std::nullopt);
  const std::string plain = generate_yaml_from_profiles(profiles);
  EXPECT_EQ(read_profiles_from_yaml(plain)[0].profiles[0].args.size(), 1u);
  const std::string extended = generate_extended_yaml(profiles);
  EXPECT_EQ(describe(read_extended_profiles(extended)[0].profiles[0]),
            "(None, float32 rank 2 cpu) -> int64 rank 3 cpu");
  // PyTorch's reader takes the superset for the plain form.
  EXPECT_EQ(generate_yaml_from_profiles(read_profiles_from_yaml(extended)), plain);
}

TEST(OpProfiles, ErrorsAreThoseOfPyTorchsReader) {
  const auto read = [](std::string_view text) {
    return raised_by([&] { read_profiles_from_yaml(text); });
  };
  EXPECT_EQ(read("torch_version: '2.12'\noperators: {}"),
            "RuntimeError: Unable to load outdated profile. It was saved with torch version: 2.12 "
            "but the current torch version is: 2.13");
  EXPECT_EQ(read("operators: {}"), "KeyError: 'torch_version'");
  EXPECT_EQ(read("torch_version: '2.13'\noperators: []"),
            "AttributeError: 'list' object has no attribute 'items'");
  EXPECT_EQ(read(""), "TypeError: 'NoneType' object is not subscriptable");
  const auto with = [&](std::string_view metadata) {
    return read(
        format("torch_version: '2.13'\noperators:\n  a.b:\n  - args_profile: [{}]\n    "
               "out_profile: []\n",
               metadata));
  };
  EXPECT_EQ(with("{rank: 1, dtype: 14, device: cpu, layout: 7}"), "KeyError: 14");
  EXPECT_EQ(with("{rank: 1, dtype: 7, device: 'cuda:01', layout: 7}"),
            "RuntimeError: Invalid device string: 'cuda:01'");
  EXPECT_EQ(with("{rank: [1], dtype: 7, device: cpu, layout: 7}"),
            "TypeError: unhashable type: 'list'");
  EXPECT_EQ(with("{rank: 1, dtype: 7, layout: 7}"), "KeyError: 'device'");
}

TEST(OpProfiles, FilesAreUtf8) {
  EXPECT_EQ(raised_by([] { load_op_profiles("\xFF\xFE"); }),
            "UnreadableInput: op profiles are UTF-8 text; these bytes are not");
  EXPECT_EQ(load_op_profiles(kTwoProfiles).size(), 1u);
}

TEST(Lint, FindsWhatPyTorchTolerates) {
  const auto findings = [](std::string_view text) {
    std::string all;
    for (const LintFinding& finding : lint_profiles(text))
      all += format("{}:{}: {}\n", finding.line, finding.column, finding.message);
    return all;
  };
  EXPECT_EQ(findings(kTwoProfiles), "");
  EXPECT_EQ(findings("torch_version: '2.13'\noperators: {}\ntorch_version: '2.13'\n"),
            "3:1: the key 'torch_version' a second time\n");
  EXPECT_EQ(findings("torch_version: 2.13\noperators: {}\n"),
            "1:16: '2.13' is no text and no whole number\n");
  EXPECT_EQ(findings("torch_version: !!str 2.13\noperators: {}\n"),
            "1:16: a tag; profiles have none\n");
  EXPECT_EQ(
      findings("torch_version: '2.13'\noperators: &a {}\nmore: *a\n"),
      "1:1: 1 aliases; profiles are written out\n2:12: an anchor; profiles are written out\n");
  EXPECT_EQ(findings("a: b: c\n"),
            "1:5: mapping values are not allowed here\n  in \"<unicode string>\", line 1, column "
            "5:\n    a: b: c\n        ^\n");
  EXPECT_EQ(findings("torch_version: '2.13'\noperators:\n  foo:\n  - args_profile: []\n    "
                     "out_profile: {rank: -1, dtype: 14, device: gpu, layout: 0}\n"),
            "3:3: an operator is namespace.name.overload, not 'foo'\n"
            "5:25: a rank is a number from 0 to 64, not '-1'\n"
            "5:36: 14 is no dtype of exported programs\n"
            "5:48: Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, "
            "fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at "
            "start of device string: gpu\n"
            "5:61: 0 is no layout of exported programs\n");
}

TEST(Merge, ReportsProfilesThatContradictEachOther) {
  const OpProfiles one = read_profiles_from_yaml(kTwoProfiles);
  OpProfiles other = one;
  other[0].profiles[0].out[0]->rank = python::Scalar::integer(4);
  const MergedProfiles merged = merge_profiles(one, other);
  ASSERT_EQ(merged.profiles[0].profiles.size(), 3u);
  ASSERT_EQ(merged.conflicts.size(), 1u);
  EXPECT_EQ(
      merged.conflicts[0],
      "'mylib.foo.default': (float32 rank 2 cpu) gives int64 rank 3 cpu and int64 rank 4 cpu");
}

class GeneratedFakesTest : public LibraryFixture {
 protected:
  GeneratedFakesTest() { library.define("mylib::foo(Tensor x) -> Tensor"); }
  Outcome call(std::initializer_list<int64_t> sizes) {
    const Value x = tensor(sizes);
    return mode.call("mylib::foo", {&x, 1});
  }
};

TEST_F(GeneratedFakesTest, ResultsHaveFreshSizesAndPyTorchsStrides) {
  const GeneratedFakes scope(mode.library(), read_profiles_from_yaml(kTwoProfiles));
  const Outcome outcome = call({2, 3});
  ASSERT_FALSE(outcome.error) << outcome.error->message();
  const Tensor& result = outcome.value.tensor();
  EXPECT_EQ(format("{} {} {}", result.sizes(), result.strides(), result.dtype()),
            "[u0, u1, u2] [1, u0, u0*u1] torch.int64");
}

TEST_F(GeneratedFakesTest, ArgumentsThatNoProfileFitsAreNamed) {
  const GeneratedFakes scope(mode.library(), read_profiles_from_yaml(kTwoProfiles));
  EXPECT_EQ(call({2, 2, 2}).error->message(),
            "No fake kernel was found for mylib::foo, and although we have previously registered "
            "some profiles to generate a fake kernel, no profiles match the given inputs: "
            "((FakeTensor(..., size=(2, 2, 2)),), {}).");
}

TEST_F(GeneratedFakesTest, ScopesNestAndEndWithExceptions) {
  EXPECT_EQ(call({2, 3}).error->class_name(), "UnsupportedOperatorException");
  try {
    const GeneratedFakes scope(mode.library(), read_profiles_from_yaml(kTwoProfiles));
    {
      const GeneratedFakes inner(mode.library(),
                                 {{python::Scalar::string("mylib.foo.default"), {}}});
      EXPECT_EQ(call({2, 3}).error->class_name(), "MissingOpProfile");
    }
    EXPECT_FALSE(call({2, 3}).error);
    throw 0;
  } catch (int) {
  }
  EXPECT_EQ(call({2, 3}).error->class_name(), "UnsupportedOperatorException");
}

TEST_F(GeneratedFakesTest, UnknownOperatorsAreRefusedAfterTheirWarning) {
  std::vector<std::string> warnings;
  const auto enter = [&] {
    const GeneratedFakes scope(mode.library(),
                               {{python::Scalar::string("nowhere.foo.default"), {}}},
                               [&](const std::string& line) { warnings.push_back(line); });
  };
  EXPECT_EQ(raised_by(enter), "RuntimeError: operator nowhere::foo does not exist");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0],
      "Registering fake profile for nowhere.foo.default. This will override any existing fake "
      "kernel registration.");
}

TEST_F(GeneratedFakesTest, TheSupersetGivesSizesStridesAndAliases) {
  OpProfiles profiles = read_profiles_from_yaml(kTwoProfiles);
  profiles[0].profiles.resize(1);
  profiles[0].profiles[0].out[0]->rank = python::Scalar::integer(2);
  profiles[0].profiles[0].details = {
      {std::vector<std::string>{"2*x0_1", "x0_0"}, std::vector<std::string>{"x0_0", "1"}, {}}};
  const std::string text = generate_extended_yaml(profiles);
  const GeneratedFakes scope(mode.library(), read_extended_profiles(text));
  const Tensor& result = call({2, 3}).value.tensor();
  EXPECT_EQ(format("{} {}", result.sizes(), result.strides()), "[6, 2] [2, 1]");
}

}  // namespace
}  // namespace faketensor
