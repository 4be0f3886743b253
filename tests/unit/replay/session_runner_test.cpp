// Transcripts that no recorder wrote: a step that is wrong is answered with an error, PyTorch's
// where PyTorch has one, and the session goes on.
#include "core/replay/session_runner.h"

#include <gtest/gtest.h>

#include "core/formats/json_fields.h"

namespace faketensor {
namespace {

class SessionRunnerTest : public ::testing::Test {
 protected:
  std::string answer(std::string_view step) {
    std::string out;
    JsonWriter json(out);
    runner.run(json, parse_json(step, "step"));
    return out;
  }
  void expect_error(std::string_view step, std::string_view error_class, std::string_view message) {
    const Json reply = parse_json(answer(step), "reply");
    EXPECT_EQ(text_member(reply, "raises", "nothing"), error_class) << step << reply;
    EXPECT_EQ(text_member(reply, "message", ""), message) << step;
  }
  void expect_refused(std::string_view step) {
    const Json reply = parse_json(answer(step), "reply");
    EXPECT_EQ(text_member(reply, "raises", "nothing"), "UnreadableInput") << step << reply;
  }

  SessionRunner runner;
};

// The words of internal_new_from_data, torch/csrc/utils/tensor_new.cpp.
TEST_F(SessionRunnerTest, RaggedDataIsRefused) {
  const auto tensor = [](std::string_view data) {
    return R"({"do": "tensor", "as": "t", "data": )" + std::string(data) + "}";
  };
  expect_error(tensor("[[1], [2, 3]]"), "ValueError",
               "expected sequence of length 1 at dim 1 (got 2)");
  expect_error(tensor("[[1, 2], [3]]"), "ValueError",
               "expected sequence of length 2 at dim 1 (got 1)");
  expect_error(tensor("[[[1]], [[1, 2]]]"), "ValueError",
               "expected sequence of length 1 at dim 2 (got 2)");
  expect_error(tensor("[[1], 2]"), "TypeError", "not a sequence");
  expect_error(tensor("[1, [2]]"), "TypeError",
               "'list' object cannot be interpreted as an integer");
  expect_error(tensor("[1.5, [2]]"), "TypeError", "must be real number, not list");
  expect_error(tensor("[\"a\"]"), "ValueError", "too many dimensions 'str'");
  expect_error(tensor("\"a\""), "TypeError", "new(): invalid data type 'str'");
  expect_error(tensor("[null]"), "RuntimeError", "Could not infer dtype of NoneType");
  expect_error(tensor("[{}]"), "RuntimeError", "Could not infer dtype of dict");
  expect_error(tensor("[1, 9223372036854775808]"), "ValueError",
               "Overflow when unpacking long long");
  expect_error(tensor(std::string(129, '[') + "1" + std::string(129, ']')), "ValueError",
               "too many dimensions 'list'");
  std::string many = "[[1], [2";
  for (int i = 0; i < 20000; ++i) many += ",2";
  expect_error(tensor(many + "]]"), "ValueError",
               "expected sequence of length 1 at dim 1 (got 20001)");
}

TEST_F(SessionRunnerTest, DataWithoutElementsNeedNotBeRegular) {
  const auto shape = [&](std::string_view data) {
    answer(R"({"do": "tensor", "as": "t", "data": )" + std::string(data) + "}");
    const std::string sizes = answer(R"({"do": "get", "arg": "t", "name": "shape"})");
    const std::string dtype = answer(R"({"do": "get", "arg": "t", "name": "dtype"})");
    return sizes + dtype;
  };
  const std::string_view kFloat = R"({"result":{"dtype":"float32"}})";
  EXPECT_EQ(shape("[[], [1]]"), R"({"result":[2,0]})" + std::string(kFloat));
  EXPECT_EQ(shape("[[[]], [[]]]"), R"({"result":[2,1,0]})" + std::string(kFloat));
  EXPECT_EQ(shape("[1.0, 9223372036854775808]"), R"({"result":[2]})" + std::string(kFloat));
  EXPECT_EQ(shape("[]"), R"({"result":[0]})" + std::string(kFloat));
}

TEST_F(SessionRunnerTest, TheGeometryOfARealTensorIsChecked) {
  const auto real = [](std::string_view rest) {
    return R"({"do": "real", "as": "r", )" + std::string(rest) + "}";
  };
  expect_error(real(R"("size": [-1])"), "RuntimeError",
               "Trying to create tensor with negative dimension -1: [-1]");
  expect_error(real(R"("size": [2, 3], "stride": [1])"), "RuntimeError",
               "dimensionality of sizes (2) must match dimensionality of strides (1)");
  expect_error(real(R"("size": [2, 3], "stride": [-1, 1])"), "RuntimeError",
               "Storage size calculation overflowed with sizes=[2, 3] and strides=[-1, 1]");
  expect_error(real(R"("size": [2, 3], "offset": -5)"), "RuntimeError",
               "Tensor: invalid storage offset -5");
  expect_error(real(R"("size": ["a"])"), "TypeError",
               "empty(): argument 'size' (position 1) must be tuple of ints, but found element of "
               "type str at pos 0");
  expect_error(real(R"("size": [2], "stride": ["a"])"), "TypeError",
               "empty_strided(): argument 'stride' (position 2) must be tuple of ints, but found "
               "element of type str at pos 0");
  expect_error(real(R"("size": "a")"), "TypeError",
               "empty(): argument 'size' (position 1) must be tuple of ints, not str");
  EXPECT_EQ(answer(real(R"("size": [2, 3], "stride": [1, 2])")).substr(0, 9), "{\"result\"");
}

TEST_F(SessionRunnerTest, ADeviceThatThereIsNotIsRefused) {
  answer(R"({"do": "mode", "as": "m", "options": {}})");
  answer(R"({"do": "real", "as": "r", "size": [2]})");
  answer(R"({"do": "from_tensor", "mode": "m", "arg": "r", "as": "x"})");
  const Json reply = parse_json(
      answer(R"({"do": "set", "arg": "x", "name": "fake_device", "value": "nonsense"})"), "reply");
  EXPECT_EQ(text_member(reply, "raises"), "RuntimeError");
  EXPECT_TRUE(
      text_member(reply, "message").ends_with("device type at start of device string: nonsense"))
      << reply;
  expect_error(R"({"do": "set", "arg": "x", "name": "fake_device", "value": 3})", "TypeError",
               "not a device: 3");
  expect_error(R"({"do": "set", "arg": "x", "name": "requires_grad", "value": "abc"})",
               "RuntimeError", "requires_grad must be a bool");
}

TEST_F(SessionRunnerTest, AStepIsReadByTypes) {
  for (const char* step : {
           R"({"do": "get"})",
           R"({"do": "get", "arg": 5, "name": "device"})",
           R"({"do": "is", "args": ["a"]})",
           R"({"do": "mode", "as": 5})",
           R"({"do": "mode", "as": "m", "options": {"export": "yes"}})",
           R"({"do": "mode", "as": "m", "shape_env": {"of": "nothing"}})",
           R"({"do": "real", "as": "r", "size": [2], "offset": 2.5})",
           R"({"do": "real", "as": "r", "size": [2], "dtype": 6})",
           R"({"do": "call", "op": 3})",
           R"({"do": "call", "op": "aten::add.Tensor", "args": 3})",
           R"({"do": "define", "name": "a::b"})",
           R"({"do": "enter", "context": 1})",
           R"({"do": "sym", "expr": ["add", 9223372036854775808, 1]})",
           R"({"do": "from_descriptions", "mode": "nothing"})",
       })
    expect_refused(step);
  answer(R"({"do": "mode", "as": "m", "options": {}, "shape_env": {}})");
  answer(R"({"do": "real", "as": "r", "size": [2, 3]})");
  for (const char* step : {
           R"({"do": "from_tensor", "mode": "m", "arg": "r", "dynamic": "STATIC"})",
           R"({"do": "from_tensor", "mode": "m", "arg": "r", "dynamic": [5, 5]})",
           R"({"do": "new_symbol", "kind": "size", "source": "s", "value": 2.5})",
           R"({"do": "sym", "expr": {"size": ["r"]}})",
           R"({"do": "sym", "expr": {"size": ["r", "0"]}})",
           R"({"do": "guard", "how": "constrain_range", "expr": 1, "min": "a"})",
           R"({"do": "from_descriptions", "mode": "m", "records": [{"size": 5}]})",
           R"({"do": "from_descriptions", "mode": "m", "records": {"a": 5}})",
       })
    expect_refused(step);
}

TEST_F(SessionRunnerTest, AListWhoseElementIsRefusedLeavesNoTrace) {
  answer(R"({"do": "real", "as": "r", "size": [2, 3]})");
  for (int i = 0; i < 40; ++i)
    expect_refused(R"({"do": "call", "op": "aten::sum.dim_IntList",
                       "args": [{"ref": "r"}, [{"dtype": "zzz"}]]})");
  EXPECT_EQ(answer(R"({"do": "call", "op": "aten::sum.dim_IntList", "args": [{"ref": "r"}, [0]]})")
                .substr(0, 9),
            "{\"result\"");
}

}  // namespace
}  // namespace faketensor
