#include "core/io/graph_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/graph/graph_text.h"
#include "core/graph/retrace.h"
#include "core/graph/runtime_asserts.h"
#include "core/profiles/draft_export.h"
#include "core/profiles/fake_kernels.h"
#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

using nlohmann::json;

// x -> dx::nz -> relu, as draft_export leaves it.
constexpr const char* kGraph = R"({"nodes": [
  {"name": "x", "op": "placeholder", "target": "x", "args": [], "users": 1,
   "val": {"t": 0, "size": [3, 4], "stride": [4, 1], "dtype": "float32", "device": "cpu", "storage": 0}},
  {"name": "nz", "op": "call_function", "target": "dx.nz.default", "args": [{"n": "x"}], "users": 2,
   "val": {"t": 1, "size": ["u0", 2], "stride": [2, 1], "dtype": "float32", "device": "cpu", "storage": 1},
   "unbacked_bindings": {"u0": ".size()[0]"}},
  {"name": "relu", "op": "call_function", "target": "aten.relu.default", "args": [{"n": "nz"}], "users": 1,
   "val": {"t": 2, "size": ["u0", 2], "stride": [2, 1], "dtype": "float32", "device": "cpu", "storage": 2}},
  {"name": "output", "op": "output", "target": "output", "args": [[{"n": "relu"}]], "users": 0}]})";

class GraphJsonTest : public testing::Test {
 protected:
  GraphJsonTest() {
    mode.attach_shape_env(nullptr);
    mode.library().define("dx::nz(Tensor x) -> Tensor");
  }
  Program read(const json& graph) { return read_graph(graph, mode, writer); }
  FakeTensorMode mode;
  ValueWriter writer;
};

TEST_F(GraphJsonTest, GraphsPrintAsPyTorchPrintsThem) {
  EXPECT_EQ(graph_text(read(json::parse(kGraph)).graph()), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %nz : [num_users=1] = call_function[target=torch.ops.dx.nz.default](args = (%x,), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%nz,), kwargs = {})
    return (relu,))");
}

TEST_F(GraphJsonTest, WhatIsWrittenIsReadAgain) {
  std::string text;
  JsonWriter json_text(text);
  write_graph(json_text, read(json::parse(kGraph)).graph(), writer);
  const json written = json::parse(text);
  EXPECT_EQ(written["nodes"][1]["unbacked_bindings"], json({{"u0", ".size()[0]"}}));
  EXPECT_EQ(written["nodes"][3]["args"], json::parse(R"([[{"n": "relu"}]])"));
  EXPECT_EQ(written["nodes"][2]["val"]["size"], json::parse(R"(["u0", 2])"));
}

TEST_F(GraphJsonTest, GuardsAndRuntimeAssertsAreThoseOfDraftExport) {
  Program program = read(json::parse(kGraph));
  Graph& graph = program.graph();
  const OpProfiles profiles = get_op_profiles(graph, {"dx.nz.default"});
  insert_custom_op_guards(graph, {"dx.nz.default"});
  learn_from_asserts(graph, *mode.context().shape_env());
  const GeneratedFakes scope(mode.library(), profiles);
  // The profile knows the rank only, so both sizes are fresh; u0 is the one that the graph names.
  EXPECT_EQ(graph_text(retrace(graph, mode).graph()), R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %_assert_tensor_metadata : [num_users=0] = call_function[target=torch.ops.aten._assert_tensor_metadata.default](args = (%x, None, None, torch.float32), kwargs = {device: cpu, layout: torch.strided})
    %nz : [num_users=3] = call_function[target=torch.ops.dx.nz.default](args = (%x,), kwargs = {})
    %sym_size_int_2 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%nz, 0), kwargs = {})
    %sym_size_int_3 : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%nz, 1), kwargs = {})
    %ge : [num_users=1] = call_function[target=operator.ge](args = (%sym_size_int_2, 0), kwargs = {})
    %_assert_scalar_default : [num_users=0] = call_function[target=torch.ops.aten._assert_scalar.default](args = (%ge, Runtime assertion failed for expression u0 >= 0 on node 'ge'), kwargs = {})
    %ge_1 : [num_users=1] = call_function[target=operator.ge](args = (%sym_size_int_3, 0), kwargs = {})
    %_assert_scalar_default_1 : [num_users=0] = call_function[target=torch.ops.aten._assert_scalar.default](args = (%ge_1, Runtime assertion failed for expression u2 >= 0 on node 'ge_1'), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%nz,), kwargs = {})
    return (relu,))");
}

TEST_F(GraphJsonTest, NamesAvoidWhatPythonTakes) {
  Namespace names;
  EXPECT_EQ(names.take("sum"), "sum_1");
  EXPECT_EQ(names.take("add"), "add");
  EXPECT_EQ(names.take("add"), "add_1");
  EXPECT_EQ(names.take("add_1"), "add_2");
  EXPECT_EQ(names.take("3 x"), "_3_x");
  EXPECT_EQ(name_of_target("torch.ops.aten.sum.dim_IntList"), "sum_dim_int_list");
  EXPECT_EQ(name_of_target("_operator.ge"), "ge");
}

TEST_F(GraphJsonTest, WhatIsNoGraphIsRefused) {
  json later = json::parse(kGraph);
  later["nodes"][1]["args"][0]["n"] = "relu";
  EXPECT_THROW(read(later), Error);
  json symbol = json::parse(kGraph);
  symbol["nodes"][1]["unbacked_bindings"] = {{"u99999999", ".size()[0]"}};
  EXPECT_THROW(read(symbol), Error);
  json output = json::parse(kGraph);
  output["nodes"][3]["args"] = json::array();
  EXPECT_THROW(read(output), Error);
}

}  // namespace
}  // namespace faketensor
