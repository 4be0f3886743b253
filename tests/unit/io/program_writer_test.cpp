// Programs whose graphs were changed, written. Real programs are those of tests/conformance/data/models, or
// of the folder that FAKETENSOR_MODELS names; that PyTorch reads what is written is shown by
// tests/conformance/pytorch_reads.py.
#include "core/io/program_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../test_files.h"
#include "core/formats/zip.h"
#include "core/graph/graph_text.h"
#include "core/graph/verifier.h"
#include "core/io/edited_program.h"
#include "core/io/open.h"
#include "core/io/program_text.h"
#include "core/support/error.h"
#include "json_difference.h"

namespace faketensor {
namespace {

using nlohmann::json;

Program opened(const std::string& text) { return open_program(MemorySource(text), "written"); }

TEST(ProgramWriter, AGraphThatNobodyChangedIsWrittenAsTheFileHasIt) {
  const std::vector<std::string> paths = recorded_models();
  ASSERT_GT(paths.size(), 20u);
  for (const std::string& path : paths) {
    // What a graph does not hold: that an empty list was a dictionary, and names of calls that return
    // None, which are those that PyTorch's deserialiser gives them.
    const bool has_more = path.find("/vmap/") != std::string::npos ||
                          path.find("/hints_wrapper") != std::string::npos;
    if (has_more) continue;
    const FileSource source(path);
    EditedProgram edited(source, path);
    EXPECT_EQ(json_difference(program_text(source, path), edited.json()), "") << path;
  }
}

TEST(ProgramWriter, ATypedProgramIsWrittenAsJsonAlsoAfterPasses) {
  const std::string text =
      "def forward(self, x: \"f32[2, 3]\"):\n"
      "    unused = torch.ops.aten.neg.default(x)\n"
      "    relu = torch.ops.aten.relu.default(x)\n"
      "    return (relu,)\n";
  EditedProgram edited(MemorySource(text), "typed.py");
  edited.run("dce");
  const Program read = opened(edited.json());
  EXPECT_TRUE(violations(read).empty());
  EXPECT_EQ(read.kind, "json");
  EXPECT_EQ(graph_text(read.graph()), graph_text(edited.graph()));
  EXPECT_EQ(read.find("unused"), kNoRow);
}

// An exported program returns a tuple; that the typed one did not is said in its calling convention.
TEST(ProgramWriter, AProgramTypedWithOneValueReturnsAListOfOne) {
  const std::string text =
      "def forward(self, x: \"f32[s0, 3]\"):\n"
      "    return torch.ops.aten.relu.default(x)\n";
  const json written = json::parse(program_json(MemorySource(text), "typed.py"))["graph_module"];
  EXPECT_EQ(written["graph"]["is_single_tensor_return"], false);
  EXPECT_EQ(written["graph"]["outputs"].size(), 1u);
  const json& convention = written["module_call_graph"][0]["signature"];
  EXPECT_TRUE(json::parse(convention["out_spec"].get<std::string>())[1]["type"].is_null());
}

TEST(ProgramWriter, AGraphThatCallsModulesIsRefusedByName) {
  const std::string text =
      "def forward(self, x: \"f32[2, 3]\"):\n"
      "    a = torch.ops.aten.neg.default(x)\n"
      "    b = torch.ops.aten.relu.default(a)\n"
      "    return (b,)\n";
  EditedProgram edited(MemorySource(text), "typed.py");
  edited.run("split_module/1");
  EXPECT_THROW(
      {
        try {
          edited.json();
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::kUsage);
          EXPECT_NE(error.message().find("calls modules"), std::string::npos);
          throw;
        }
      },
      Error);
}

std::string resnet() { return test_file("conformance/data/models/resnet18/static.json.gz"); }

TEST(ProgramWriter, WhatPassesMadeIsReadAgainAsTheSameGraph) {
  for (const char* pass : {"cse", "dce", "export_pass/aten.relu_.default=aten.gelu.default",
                           "fuse_conv_bn", "move_to_device/cuda:0"}) {
    EditedProgram edited(FileSource(resnet()), "resnet18");
    edited.run(pass);
    const std::string text = edited.json();
    const Program read = opened(text);
    EXPECT_TRUE(violations(read).empty());
    EXPECT_EQ(graph_text(read.graph()), graph_text(edited.graph())) << pass;
  }
}

// x.split(2) of x[4], of which the first element is taken twice.
constexpr const char* kSplit = R"({"graph_module": {"graph": {
 "inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "relu"}}],
 "nodes": [
  {"target": "torch.ops.aten.split.Tensor", "inputs": [
    {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
    {"name": "split_size", "arg": {"as_int": 2}, "kind": 1}],
   "outputs": [{"as_tensors": [{"name": "getitem"}, {"name": "split_unused_1"}]}],
   "metadata": {"from_node": "[]", "torch_fn": "split_1;split"}, "is_hop_single_tensor_return": null, "name": "split"},
  {"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "getitem"}}, "kind": 1}],
   "outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "relu"}],
 "tensor_values": {
  "x": {"dtype": 7, "sizes": [{"as_int": 4}], "requires_grad": false, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7},
  "getitem": {"dtype": 7, "sizes": [{"as_int": 2}], "requires_grad": false, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7},
  "split_unused_1": {"dtype": 7, "sizes": [{"as_int": 2}], "requires_grad": false, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 1}], "storage_offset": {"as_int": 2}, "layout": 7},
  "relu": {"dtype": 7, "sizes": [{"as_int": 2}], "requires_grad": false, "device": {"type": "cpu", "index": null},
   "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}},
 "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, "sym_float_values": {}},
 "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
  "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "relu"}}}}]},
 "module_call_graph": [
  {"fqn": "", "signature": null},
  {"fqn": "part", "signature": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "relu"}}],
   "in_spec": "a", "out_spec": "b", "forward_arg_names": ["x"]}},
  {"fqn": "other", "signature": {"inputs": [{"as_tensor": {"name": "getitem"}}], "outputs": [{"as_int": 3}],
   "in_spec": "a", "out_spec": "b", "forward_arg_names": null}}],
 "metadata": {}, "treespec_namedtuple_fields": {}},
 "opset_version": {"aten": 10}, "range_constraints": {}, "schema_version": {"major": 8, "minor": 20},
 "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": [], "later": 1})";

class WrittenSplit : public testing::Test {
 protected:
  WrittenSplit() : edited(MemorySource(std::string_view(kSplit)), "split") {}

  NodeId node(std::string_view name) {
    for (const NodeId id : edited.graph().order())
      if (edited.graph().name_of(id) == name) return id;
    return kNoNode;
  }
  json written() { return json::parse(edited.json()); }

  EditedProgram edited;
};

TEST_F(WrittenSplit, AsItIsItIsTheFile) { EXPECT_EQ(written(), json::parse(kSplit)); }

TEST_F(WrittenSplit, TwoNodesOfOneElementGoByTheNameOfTheFirst) {
  Graph& graph = edited.graph();
  const NodeId twice =
      graph.insert_before(node("relu"), {.name = "twice",
                                         .target = "_operator.getitem",
                                         .args = {node_ref(node("split")), Value(0)}});
  const NodeId sum =
      graph.insert_before(graph.last(), {.name = "sum",
                                         .target = "torch.ops.aten.add.Tensor",
                                         .args = {node_ref(node("relu")), node_ref(twice)}});
  const Value result[] = {node_ref(sum)};
  const Value output = Value::tuple(graph.store().arena.copy(std::span<const Value>(result)));
  graph.set_arguments(graph.last(), {&output, 1}, {});
  const json program = written()["graph_module"];
  const json& add = program["graph"]["nodes"][2];
  EXPECT_EQ(add["inputs"][1]["arg"], json::parse(R"({"as_tensor": {"name": "getitem"}})"));
  EXPECT_EQ(program["signature"]["output_specs"][0]["user_output"]["arg"],
            json::parse(R"({"as_tensor": {"name": "sum_1"}})"));
  EXPECT_EQ(program["module_call_graph"], json::parse(kSplit)["graph_module"]["module_call_graph"]);
}

TEST_F(WrittenSplit, AModuleWhoseValuesHaveGoneLosesItsSignature) {
  Graph& graph = edited.graph();
  const Value x[] = {node_ref(node("x"))};
  graph.set_arguments(node("relu"), x, {});
  graph.erase(node("getitem"));
  graph.erase(node("split"));
  const json program = written()["graph_module"];
  EXPECT_EQ(program["graph"]["nodes"].size(), 1u);
  EXPECT_FALSE(program["module_call_graph"][1]["signature"].is_null());
  EXPECT_TRUE(program["module_call_graph"][2]["signature"].is_null());
  // The relu of x, which has 4 elements, was propagated.
  EXPECT_EQ(program["graph"]["tensor_values"]["relu"]["sizes"][0]["as_int"], 4);
}

TEST_F(WrittenSplit, WhatHasNoFormSaysWhy) {
  const auto refusal = [&] {
    try {
      edited.json();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.message();
    }
    return std::string();
  };
  Graph& graph = edited.graph();
  const NodeId attribute = graph.insert_before(node("relu"), {.kind = NodeKind::kGetAttr,
                                                              .name = "weight",
                                                              .target = "weight",
                                                              .val = graph.node(node("x")).val});
  const Value with_attribute[] = {node_ref(attribute)};
  graph.set_arguments(node("relu"), with_attribute, {});
  EXPECT_EQ(refusal(),
            "relu is not written: weight is an attribute; the pass lift_constants makes it an "
            "input");
  const NodeId call = graph.insert_before(node("relu"), {.kind = NodeKind::kCallModule,
                                                         .name = "part",
                                                         .target = "part",
                                                         .args = {node_ref(node("x"))},
                                                         .val = graph.node(node("x")).val});
  const Value of_module[] = {node_ref(call)};
  graph.set_arguments(node("relu"), of_module, {});
  EXPECT_NE(refusal().find("part: a graph that calls modules is no exported program"),
            std::string::npos)
      << refusal();
}

TEST(ProgramWriter, AProgramOfFxTextGetsASignatureOfItsOwn) {
  Program program = read_graph_text(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    return (relu,))");
  FakeTensorMode mode;
  const Value x = mode.empty(DimVector{2, 3}, DType::kFloat32);
  for (const NodeId id : program.graph().order()) program.graph().meta(id).val = x;
  program.inputs.resize(1);
  program.outputs.resize(1);
  const Program read = opened(write_program(program, program.graph(), nullptr));
  EXPECT_EQ(graph_text(read.graph()), graph_text(program.graph()));
  EXPECT_EQ(read.schema_major, 8);
}

}  // namespace
}  // namespace faketensor
