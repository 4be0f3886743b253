// Values from outside: what is no value is refused, and leaves the reader as it was.
#include "core/io/value_json.h"

#include "core/formats/json_fields.h"
#include "core/io/call_json.h"
#include "core/ops/registry.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

class ValueJsonTest : public ::testing::Test {
 protected:
  Value read(std::string_view text) { return reader.read(parse_json(text, "x")); }
  void expect_refused(std::string_view text) {
    expect_unreadable([&] { read(text); }, {"not a value"});
  }
  FakeTensorMode mode;
  ValueReader reader{mode};
};

TEST_F(ValueJsonTest, AListWhoseElementRaisesLeavesNoTrace) {
  for (int i = 0; i < 40; ++i) expect_refused(R"([[{"dtype": "zzz"}]])");
  EXPECT_EQ(read("[[1, 2], [3]]").size(), 2u);
  expect_limit([&] { read(std::string(17, '[') + std::string(17, ']')); }, {"more than 16 deep"});
}

// Where a number only has to be far off, the nearest stands for it; a length is made of no other.
TEST_F(ValueJsonTest, IntegersBeyond64BitsAreRefusedAsPyTorchRefusesThem) {
  const auto bound = [&](std::string_view op, std::string_view args) {
    const Registry& registry = Registry::builtin();
    return bind_arguments(registry.entry(registry.find(op)).schema, parse_json(args, "x"),
                          nlohmann::json::object(), reader, nullptr);
  };
  constexpr std::string_view kTensor = R"([{"t": 0, "size": [3], "dtype": "int64"}, )";
  const auto beside = [&](std::string_view rest) { return format("{}{}]", kTensor, rest); };
  const std::string details =
      "Cast error details: Unable to cast Python instance of type <class 'int'> to C++ type '?'";
  expect_error([&] { bound("aten::argmax", beside("9223372036854775808")); },
               ErrorKind::kRuntimeError,
               {"of type 'Optional[int]' for argument 'dim' but instead found type 'int'",
                "Value: 9223372036854775808", details});
  expect_error([&] { bound("aten::select.int", beside("0, 18446744073709551615")); },
               ErrorKind::kRuntimeError, {"argument 'index'", "Position: 2", details});
  EXPECT_EQ(bound("aten::add.Scalar", beside("18446744073709551615"))[1].as_sym_int().as_int(),
            INT64_MAX);
  EXPECT_EQ(bound("aten::arange", "[9223372036854775807]")[0].as_sym_int().as_int(), INT64_MAX);
  expect_unreadable([&] { bound("aten::arange", "[9223372036854775808]"); }, {"not a value"});
}

TEST_F(ValueJsonTest, GeometryIsHeldAgainstItself) {
  expect_refused(R"({"t": 0, "size": [2, 3], "stride": [1], "dtype": "float32"})");
  expect_refused(R"({"t": 0, "size": [-1], "dtype": "float32"})");
  expect_refused(R"({"t": 0, "size": [2], "stride": [-1], "dtype": "float32"})");
  expect_refused(R"({"t": 0, "size": [2], "offset": -5, "dtype": "float32"})");
  expect_refused(R"({"t": 0, "size": [2], "dtype": "float32", "storage": 0, "nbytes": -8})");
  expect_refused(R"({"t": 0, "size": ["a"], "dtype": "float32"})");
  expect_refused(R"({"t": 0, "size": 3, "dtype": "float32"})");
  EXPECT_EQ(
      read(R"({"t": 0, "size": [2, 3], "stride": [1, 2], "dtype": "float32"})").tensor().dim(), 2);
}

TEST_F(ValueJsonTest, ASparseTensorHasAsManySizesAsDimensions) {
  const std::string sizes =
      R"({"t": 0, "size": [2, 3], "dtype": "float32", "layout": "sparse_coo")";
  expect_refused(sizes + R"(, "sparse_dim": 3})");
  expect_refused(sizes + R"(, "sparse_dim": 2, "dense_dim": 1})");
  expect_refused(sizes + R"(, "sparse_dim": 4294967298})");
  expect_refused(sizes + R"(, "sparse_dim": -1})");
  expect_refused(sizes + R"(, "nnz": -2})");
  EXPECT_EQ(read(sizes + R"(, "sparse_dim": 1, "dense_dim": 1})").tensor().dim(), 2);
}

// Layouts that are neither strided nor sparse have no name of a kind of sparse tensors.
TEST_F(ValueJsonTest, ATensorOfAnotherLayoutIsRefusedByOperatorsOfSparseOnes) {
  for (const char* layout : {"jagged", "_mkldnn"}) {
    const Json whole = {{"t", 0}, {"size", {2, 3}}, {"dtype", "float32"}, {"layout", layout}};
    const Value other = ValueReader(mode).read(whole);
    const Value args[] = {other, other};
    EXPECT_TRUE(mode.call("aten::add_.Tensor", args).error) << layout;
  }
}

TEST_F(ValueJsonTest, MembersOfAnotherTypeAreRefused) {
  expect_refused(R"({"t": 0, "size": [2], "dtype": "float32", "conj": 1})");
  expect_refused(R"({"t": 0, "size": [2], "dtype": 6})");
  expect_refused(R"({"f": "infinite"})");
  expect_refused(R"({"c": [1, "a"]})");
  expect_refused("9223372036854775808");
  expect_refused("{}");
}

TEST_F(ValueJsonTest, AConstantExpressionIsHeldAgainstTheSameRules) {
  mode.attach_shape_env(std::make_shared<ShapeEnv>());
  expect_refused(R"({"t": 0, "size": ["0 - 5"], "dtype": "float32"})");
}

TEST(OverrideJson, SizesAreNoLessThanZero) {
  const InputOverride change = read_override(parse_json(R"({"size": [4, 3]})", "x"));
  EXPECT_EQ(change.sizes->size(), 2u);
  expect_unreadable([] { read_override(parse_json(R"({"size": [4, -3]})", "x")); },
                    {"not a value: {\"size\":[4,-3]}"});
  expect_unreadable([] { read_override(parse_json(R"({"stride": [2.5]})", "x")); },
                    {"not a value"});
  expect_unreadable([] { read_overrides(parse_json("[]", "x")); }, {"'inputs' must be an object"});
}

}  // namespace
}  // namespace faketensor
