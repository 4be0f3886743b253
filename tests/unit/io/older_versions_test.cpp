// What PyTorch 2.3 to 2.7 wrote otherwise than the schema of today has it.
#include <limits>

#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/io/open.h"
#include "core/support/format.h"
#include "sample_program.h"
#include "tests/unit/formats/expect_error.h"
#include "tests/unit/formats/zip_builder.h"

namespace faketensor {
namespace {

// The sample as an older PyTorch would have written it: `changes` in order.
std::string sample_after(
    std::initializer_list<std::pair<std::string_view, std::string_view>> changes) {
  std::string text = sample_program();
  for (const auto& [from, to] : changes) text = changed(text, from, to);
  return text;
}

TEST(OlderVersions, SchemasFiveToEightAreRead) {
  for (const char* version : {"5, \"minor\": 1", "5, \"minor\": 3", "7, \"minor\": 3",
                              "8, \"minor\": 2", "8, \"minor\": 99"}) {
    const Program program = read_program(sample_with("8, \"minor\": 20", version));
    EXPECT_EQ(names(program), "p_w x linear halves left as_none right add output ") << version;
  }
  // 2.3 and 2.4 have a dialect in the place of the verifiers, and do not name themselves.
  const Program program =
      read_program(sample_after({{"8, \"minor\": 20", "5, \"minor\": 3"},
                                 {"\"verifiers\": [\"TRAINING\"], \"torch_version\": \"2.13.0\", "
                                  "\"guards_code\": []",
                                  "\"dialect\": \"ATEN\""}}));
  EXPECT_EQ(program.torch_version, "");
  EXPECT_EQ(program.schema_major, 5);
}

TEST(OlderVersions, EarlierSchemasAreNamed) {
  expect_unreadable(
      [] { read_program(sample_with("{\"major\": 8, \"minor\": 20}", "2")); },
      {"schema version 2.0 is not supported: this reads versions 5 to 8, of PyTorch 2.3 to 2.14"});
}

TEST(OlderVersions, SymbolsAreWrittenAsTheyArePrinted) {
  const Program program = read_program(sample_after(
      {{"Symbol('s0', positive=True, integer=True)", "s0"},
       {"Symbol('s0', positive=True, integer=True)\", \"hint\": {\"as_int\": 2}", "2*s0 - 1\""}}));
  ASSERT_EQ(program.symbols.size(), 1u);
  EXPECT_EQ(program.symbols[0].hint, 2);
  const Node& x = program.node(program.find("x"));
  const Node& linear = program.node(program.find("linear"));
  EXPECT_EQ(format("{}", x.recorded->sizes()), "[s0, 3]");
  EXPECT_EQ(format("{}", linear.recorded->sizes()), "[2*s0 - 1, 4]");
}

TEST(OlderVersions, UnboundedRangesEndAtInfinity) {
  const Program upper = read_program(sample_with("\"max_val\": 64", "\"max_val\": Infinity"));
  EXPECT_EQ(upper.symbols[0].lower, 2);
  EXPECT_FALSE(upper.symbols[0].upper.has_value());
  const Program both = read_program(
      sample_with("\"min_val\": 2, \"max_val\": 64", "\"min_val\": -Infinity, \"max_val\": null"));
  EXPECT_FALSE(both.symbols[0].lower.has_value());
  for (const char* wrong : {"NaN", "-Infinity", "2.5", "Inf"}) {
    expect_unreadable(
        [&] { read_program(sample_with("\"max_val\": 64", format("\"max_val\": {}", wrong))); },
        {"byte "});
  }
}

TEST(OlderVersions, NumbersThatAreNotFiniteStandBareInArguments) {
  const auto argument = [](std::string_view number) {
    const Program program = read_program(
        sample_with("{\"as_int\": 1}, \"kind\"", format("{\"as_float\": {}}, \"kind\"", number)));
    return format("{}", program.plan().row(program.find("halves")).args[1]);
  };
  EXPECT_EQ(argument("Infinity"), "inf");
  EXPECT_EQ(argument("-Infinity"), "-inf");
  EXPECT_EQ(argument("NaN"), "nan");
}

TEST(OlderVersions, AByteOrderMarkIsPassedOver) {
  const std::string marked = "\xEF\xBB\xBF" + sample_program();
  EXPECT_EQ(open_program(MemorySource(marked), "m.json").graph().size(), 9u);
  EXPECT_EQ(open_program(MemorySource(gzipped(marked)), "m.json").graph().size(), 9u);
  const std::string archive = ZipBuilder().stored("m/models/model.json", marked).build();
  EXPECT_EQ(open_program(MemorySource(archive), "m.pt2").graph().size(), 9u);
  // Places stay those of the file.
  expect_unreadable([] { read_program("\xEF\xBB\xBF{\"graph_module\": 3}"); }, {"byte 20"});
}

// Before schema 8.7 a higher-order operator did not say whether it returns a tuple of one: then a
// tensor is the value itself, and a tuple of one is a list of one.
TEST(OlderVersions, ATupleOfOneIsAList) {
  const std::string call =
      sample_after({{"torch.ops.aten.linear.default", "torch.ops.higher_order.demo"},
                    {",\n   \"is_hop_single_tensor_return\": null, \"name\": \"linear\"", ""}});
  EXPECT_EQ(names(read_program(call)), "p_w x linear halves left as_none right add output ");
  const Program tuple = read_program(changed(call, R"([{"as_tensor": {"name": "linear"}}])",
                                             R"([{"as_tensors": [{"name": "linear"}]}])"));
  EXPECT_EQ(names(tuple), "p_w x demo linear halves left as_none right add output ");
  EXPECT_EQ(tuple.plan().row(tuple.find("linear")).kind, RowKind::kGetItem);
  const Program list =
      read_program(changed(call, R"([{"as_tensor": {"name": "linear"}}])",
                           R"([{"as_tensors": [{"name": "other"}, {"name": "linear"}]}])"));
  EXPECT_EQ(names(list), "p_w x demo other linear halves left as_none right add output ");
}

constexpr std::string_view kTwoOutputs =
    R"({"as_graph": {"name": "body", "graph": {"inputs": [{"as_tensor": {"name": "x"}}],
 "outputs": [{"as_tensors": [{"name": "relu"}, {"name": "x"}]}],
 "nodes": [{"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}}],
  "outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}}],
 "tensor_values": {"x": {"dtype": 5, "sizes": [], "requires_grad": false, "device": {"type": "cpu"}, "strides": [],
  "storage_offset": {"as_int": 0}, "layout": 7}}, "sym_int_values": {}, "sym_bool_values": {}}}})";

TEST(OlderVersions, AGraphMayReturnAList) {
  const auto with_graph = [](std::string_view graph) {
    return sample_with("{\"as_int\": 1}, \"kind\": 2", format("{}, \"kind\": 2", graph));
  };
  const Program program = read_program(with_graph(kTwoOutputs));
  const Graph& body = program.plan().row(program.find("halves")).args[1].graph();
  const Value returned = body.plan()->rows().back().args[0];
  ASSERT_EQ(returned.size(), 1u);
  ASSERT_EQ(returned[0].size(), 2u);
  EXPECT_EQ(returned[0][0].node(), 1u);
  EXPECT_EQ(returned[0][1].node(), 0u);
  expect_unreadable(
      [&] {
        read_program(with_graph(
            changed(std::string(kTwoOutputs), "{\"name\": \"x\"}]}]", "{\"name\": \"p_w\"}]}]")));
      },
      {"subgraph 'body'", "the output uses 'p_w', which nothing defines"});
}

TEST(OlderVersions, OptionalTensorsMayBeBareNames) {
  const Program program = read_program(
      sample_with("{\"as_int\": 1}, \"kind\"",
                  R"({"as_optional_tensors": [{"as_tensor": "x"}, {"as_none": []}]}, "kind")"));
  const Value list = program.plan().row(program.find("halves")).args[1];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].node(), program.find("x"));
  EXPECT_TRUE(list[1].is_none());
}

TEST(OlderVersions, TheOldArchiveIsRead) {
  const std::string archive = ZipBuilder()
                                  .deflate("serialized_exported_program.json", sample_program())
                                  .stored("version", "7.3")
                                  .stored("serialized_state_dict.pt", "weights")
                                  .build();
  EXPECT_EQ(open_program(MemorySource(archive), "m.pt2").graph().size(), 9u);
}

}  // namespace
}  // namespace faketensor
