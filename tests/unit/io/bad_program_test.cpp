// Programs that are not what they claim to be: each is refused with its place and its node.
#include <gtest/gtest.h>

#include "core/support/format.h"
#include "sample_program.h"
#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

using Words = std::initializer_list<std::string_view>;

// The sample with one change is refused, and the message has these words and a byte.
void expect_bad(std::string_view from, std::string_view to, Words words) {
  const std::string text = sample_with(from, to);
  expect_unreadable([&] { read_program(text); }, words);
}

TEST(BadProgram, JsonThatIsNoProgram) {
  expect_unreadable([] { read_program("{}"); }, {"\"graph_module\"", "missing"});
  expect_unreadable([] { read_program("[]"); }, {"byte 0", "expected an object, found an array"});
  expect_unreadable([] { read_program("3"); }, {"expected an object, found an integer"});
  expect_unreadable([] { read_program("{\"graph_module\": 3}"); },
                    {"byte 17", "expected an object, found an integer"});
  expect_unreadable([] { read_program("{\"graph_module\": {\"graph\": []}}"); },
                    {"expected an object, found an array"});
  expect_unreadable([] { read_program("not json"); }, {"byte 1", "not JSON"});
  expect_unreadable([] { read_program(""); }, {"empty"});
}

TEST(BadProgram, CutOffAtAnyByte) {
  const std::string whole = sample_program();
  for (size_t size = 0; size < whole.size(); ++size) {
    expect_unreadable([&] { read_program(whole.substr(0, size)); }, {"byte ", "not JSON"});
  }
}

TEST(BadProgram, AnUnknownSchemaVersionIsNamedEvenWhereTheRestIsUnreadable) {
  expect_bad("\"major\": 8", "\"major\": 9", {"schema version 9.20 is not supported"});
  expect_bad("\"major\": 8", "\"major\": 0", {"schema version 0.20"});
  expect_bad("\"major\": 8", "\"major\": 999999999999", {"a schema version of 999999999999"});
  expect_bad("\"major\": 8", "\"major\": \"8\"", {"expected an integer, found a string"});
  const std::string later = changed(sample_with("\"major\": 8", "\"major\": 9"),
                                    "\"as_tensor\": {\"name\": \"p_w\"}", "\"as_value\": 1");
  expect_unreadable([&] { read_program(later); }, {"schema version 9.20"});
  expect_bad("\"schema_version\"", "\"version\"", {"\"schema_version\" is missing"});
}

TEST(BadProgram, MissingMembersAreNamed) {
  for (const std::string_view member : {"target", "inputs", "outputs", "metadata"}) {
    const std::string text = sample_program();
    const size_t node = text.find("\"target\"");
    std::string broken = text;
    broken.insert(broken.find(format("\"{}\":", member), node) + 1, "no_");
    expect_unreadable([&] { read_program(broken); },
                      {"byte ", "node 'linear'", format("lacks its member \"{}\"", member)});
  }
  expect_bad("\"inputs\": [{\"as_tensor\"", "\"no\": [{\"as_tensor\"", {"before the \"inputs\""});
  expect_bad("\"outputs\": [{\"as_tensor\": {\"name\": \"add\"}}],\n \"nodes\"",
             "\"no\": 0,\n \"nodes\"", {"lacks its member \"outputs\""});
  expect_bad("\"nodes\"", "\"no\"", {"lacks its member \"nodes\""});
  expect_bad("\"signature\": {\"input", "\"no\": {\"input", {"\"signature\"", "missing"});
  for (const std::string_view member :
       {"dtype", "sizes", "requires_grad", "device", "strides", "storage_offset", "layout"}) {
    expect_bad(format("\"{}\"", member), "\"no\"",
               {"tensor value 'p_w'", format("lacks its member \"{}\"", member)});
  }
}

TEST(BadProgram, MembersOfTheWrongTypeAreNamed) {
  expect_bad("\"nodes\": [", "\"nodes\": 3, \"n\": [", {"expected an array, found an integer"});
  expect_bad("\"target\": \"torch.ops.aten.linear.default\"", "\"target\": 3",
             {"node 'linear'", "expected a string, found an integer"});
  expect_bad("\"inputs\": [\n    {\"name\": \"input\"",
             "\"inputs\": {}, \"i\": [\n    {\"name\": \"input\"",
             {"node 'linear'", "expected an array, found an object"});
  expect_bad("\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]", "\"outputs\": null",
             {"node 'linear'", "expected an array, found null"});
  expect_bad("\"name\": \"linear\"}", "\"name\": []}", {"expected a string, found an array"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "7, \"kind\": 2",
             {"node 'halves'", "expected an object, found an integer"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_int\": 1.5}, \"kind\": 2",
             {"node 'halves'", "expected an integer, found a number"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_int\": 1}, \"kind\": \"KEYWORD\"",
             {"expected an integer, found a string"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_float\": \"1.0\"}, \"kind\": 2",
             {"expected a number, found \"1.0\""});
  expect_bad("\"sizes\": [{\"as_int\": 4}", "\"sizes\": [4",
             {"tensor value 'p_w'", "expected an object, found an integer"});
  expect_bad("\"requires_grad\": true", "\"requires_grad\": 1",
             {"tensor value 'p_w'", "expected a boolean"});
  expect_bad("\"device\": {\"type\": \"cpu\", \"index\": null}", "\"device\": \"cpu\"",
             {"tensor value 'p_w'", "expected an object, found a string"});
  expect_bad("\"tensor_values\": {", "\"tensor_values\": 1, \"t\": {",
             {"expected an object, found an integer"});
  expect_bad("\"input_specs\": [", "\"input_specs\": 1, \"i\": [",
             {"expected an array, found an integer"});
  expect_bad("\"range_constraints\": {", "\"range_constraints\": [], \"r\": {",
             {"expected an object, found an array"});
  expect_bad("\"module_call_graph\": [", "\"module_call_graph\": {}, \"m\": [",
             {"expected an array, found an object"});
  expect_bad("\"is_single_tensor_return\": false", "\"is_single_tensor_return\": 0",
             {"expected a boolean"});
  expect_bad("\"torch_version\": \"2.13.0\"", "\"torch_version\": 2.13", {"expected a string"});
}

TEST(BadProgram, UnknownKindsAreNamed) {
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_quaternion\": 1}, \"kind\": 2",
             {"node 'halves'", "unknown kind \"as_quaternion\""});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{}, \"kind\": 2",
             {"node 'halves'", "found 0 members"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_int\": 1, \"as_bool\": true}, \"kind\": 2",
             {"node 'halves'", "found 2 members"});
  expect_bad("{\"as_none\": true}, {\"as_tensor\"", "{\"as_token\": 1}, {\"as_tensor\"",
             {"node 'halves'", "\"as_token\""});
  expect_bad("{\"as_tensor\": {\"name\": \"x\"}}],", "{\"as_ints\": [1]}],",
             {"an input of kind \"as_ints\""});
  expect_bad("{\"user_input\":", "{\"magic\":", {"an input of unknown kind \"magic\""});
  expect_bad("{\"user_output\":", "{\"magic\":", {"an output of unknown kind \"magic\""});
  expect_bad("\"dtype\": 7", "\"dtype\": 99",
             {"tensor value 'p_w'", "scalar type 99 is not known"});
  expect_bad("\"dtype\": 7", "\"dtype\": 0", {"scalar type 0"});
  expect_bad("\"layout\": 7", "\"layout\": 42", {"layout 42 is not known"});
  expect_bad("\"type\": \"cpu\"", "\"type\": \"abacus\"", {"device type 'abacus'"});
  expect_bad("\"index\": 1", "\"index\": 999", {"a device index of 999"});
  expect_bad("\"index\": 1", "\"index\": -1", {"a device index of -1"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_memory_format\": 9}, \"kind\": 2",
             {"memory format 9 is not known"});
}

TEST(BadProgram, NamesMustBeDefinedOnceAndBeforeTheirUse) {
  expect_bad("\"arg\": {\"as_tensor\": {\"name\": \"left\"}}",
             "\"arg\": {\"as_tensor\": {\"name\": \"nowhere\"}}", {"node 'add'", "uses 'nowhere'"});
  // A use of itself and of a later node: a cycle.
  expect_bad("\"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
             "\"arg\": {\"as_tensor\": {\"name\": \"linear\"}}",
             {"node 'linear'", "uses 'linear', which nothing before it defines"});
  expect_bad("\"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
             "\"arg\": {\"as_tensor\": {\"name\": \"add\"}}", {"node 'linear'", "uses 'add'"});
  // The name of a call with several results is no value.
  expect_bad("\"arg\": {\"as_tensor\": {\"name\": \"left\"}}",
             "\"arg\": {\"as_tensor\": {\"name\": \"torch_fn\"}}",
             {"node 'add'", "uses 'torch_fn'"});
  expect_bad("\"outputs\": [{\"as_tensor\": {\"name\": \"add\"}}],\n \"nodes\"",
             "\"outputs\": [{\"as_tensor\": {\"name\": \"gone\"}}],\n \"nodes\"",
             {"the output uses 'gone'"});
  expect_bad("{\"as_tensor\": {\"name\": \"right\"}}]", "{\"as_tensor\": {\"name\": \"left\"}}]",
             {"node 'halves'", "second definition of 'left'"});
  expect_bad("\"outputs\": [{\"as_tensor\": {\"name\": \"linear\"}}]",
             "\"outputs\": [{\"as_tensor\": {\"name\": \"x\"}}]", {"second definition of 'x'"});
  expect_bad("{\"as_tensor\": {\"name\": \"x\"}}],", "{\"as_tensor\": {\"name\": \"p_w\"}}],",
             {"second definition of 'p_w'"});
  expect_bad("\"x\": {\"dtype\"", "\"p_w\": {\"dtype\"", {"tensor value 'p_w'", "second entry"});
}

TEST(BadProgram, EveryTensorInputHasItsMetadata) {
  expect_bad("\"x\": {\"dtype\"", "\"y\": {\"dtype\"",
             {"input 'x' has no entry in \"tensor_values\""});
}

TEST(BadProgram, ArgumentsAreGivenOnce) {
  expect_bad("\"name\": \"alpha\"", "\"name\": \"self\"", {"node 'add'", "'self' is given twice"});
}

TEST(BadProgram, NumbersOutOfRangeAreRefused) {
  expect_bad("\"as_int\": 4}", "\"as_int\": -4}", {"tensor value 'p_w'", "negative"});
  expect_bad("\"as_int\": 4}", "\"as_int\": 92233720368547758080}", {"does not fit 64 bits"});
  expect_bad("\"as_int\": 4}", "\"as_int\": 9223372036854775807}", {"tensor value 'p_w'"});
  expect_bad("\"as_int\": 4}", "\"as_int\": NaN}", {"expected an integer, found a number"});
  expect_bad("{\"as_int\": 1}, \"kind\": 2", "{\"as_int\": -9223372036854775808}, \"kind\": 2",
             {"node 'halves'"});
  expect_bad("\"strides\": [{\"as_int\": 3}, ", "\"strides\": [",
             {"tensor value 'p_w'", "1 strides for 2 sizes"});
  std::string many;
  for (int i = 0; i < 65; ++i) many += "{\"as_int\": 1}, ";
  expect_bad("\"sizes\": [", "\"sizes\": [" + many, {"tensor value 'p_w'", "67 sizes"});
}

TEST(BadProgram, SymbolsMustMakeSense) {
  expect_bad("\"min_val\": 2", "\"min_val\": 65", {"the range of 's0' is empty"});
  expect_bad("\"min_val\": 2", "\"min\": 2", {"lacks its member \"min_val\""});
  expect_bad("Symbol('s0', positive=True, integer=True)", "__import__('os').system('true')",
             {"byte ", "an expression that cannot be read"});
  expect_bad("Symbol('s0', positive=True, integer=True)", "Symbol('s0'",
             {"an expression that cannot be read"});
  expect_bad("Symbol('s0', positive=True, integer=True)", "", {"an empty expression"});
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "Add(Integer(1), ";
  const std::string text = sample_with("Symbol('s0', positive=True, integer=True)", deep);
  try {
    read_program(text);
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    EXPECT_TRUE(error.kind() == ErrorKind::kUnreadable ||
                error.kind() == ErrorKind::kLimitExceeded);
  }
}

TEST(BadProgram, TheSignatureMustFitTheGraph) {
  expect_bad(",\n   {\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}", "",
             {"the signature lists 1 inputs, the graph has 2"});
  expect_bad("{\"user_output\": {\"arg\": {\"as_tensor\": {\"name\": \"add\"}}}}", "",
             {"the signature lists 0 outputs, the graph has 1"});
  expect_bad("{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}",
             "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"y\"}}}}",
             {"input 1 is 'y' in the signature and 'x' in the graph"});
}

TEST(BadProgram, MembersOfOneNameTwiceAreRefused) {
  expect_bad("\"opset_version\"", "\"graph_module\": {\"graph\": {}}, \"opset_version\"",
             {"byte "});
  expect_bad("\"metadata\": {}, \"is_hop", "\"metadata\": {}, \"metadata\": {}, \"is_hop",
             {"a second member named \"metadata\""});
}

TEST(BadProgram, LimitsAreKept) {
  ReadLimits limits;
  limits.max_nodes = 5;
  expect_limit([&] { read_program(sample_program(), limits); }, {"more than 5 nodes"});
  limits = {};
  limits.max_text_bytes = 100;
  expect_limit([&] { read_program(sample_program(), limits); }, {"limit of 100"});
  limits = {};
  limits.max_json_depth = 4;
  expect_limit([&] { read_program(sample_program(), limits); }, {"nested deeper"});
  const std::string text = sample_with("{\"as_int\": 1}, \"kind\": 2", std::string(200'000, '['));
  expect_limit([&] { read_program(text); }, {"nested deeper than the limit of 256"});
}

}  // namespace
}  // namespace faketensor
