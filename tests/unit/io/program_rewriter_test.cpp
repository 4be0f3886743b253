// What is written of a program, as it is and under a what-if. Real programs are those of
// tests/conformance/data/models, or of the folder that FAKETENSOR_MODELS names; that PyTorch reads
// what is written is shown by tests/conformance/pytorch_reads.py.
#include "core/io/program_rewriter.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../test_files.h"
#include "core/graph/bodies.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/edited_program.h"
#include "core/io/open.h"
#include "core/io/program_text.h"
#include "json_difference.h"
#include "sample_program.h"

namespace faketensor {
namespace {

using nlohmann::json;

TEST(ProgramRewriter, ARealProgramIsWrittenAsEqualJson) {
  const std::vector<std::string> paths = recorded_models();
  ASSERT_GT(paths.size(), 20u);
  for (const std::string& path : paths) {
    const FileSource source(path);
    EXPECT_EQ(json_difference(program_text(source, path), rewrite_file(source, path, {})), "")
        << path;
  }
}

TEST(ProgramRewriter, MembersThatAreNotKnownAreCopied) {
  std::string text = changed(sample_program(), "\"guards_code\": []",
                             R"("later": {"x": [1.5, null, true, "\u00e9"]})");
  const json expected = json::parse(text);
  EXPECT_EQ(json::parse(rewrite_program(text, {}, {})), expected);
}

// A static program: x.view(24, 1) of x[2, 3, 4].
std::string static_program() {
  return R"end({"graph_module": {"graph": {"inputs": [{"as_tensor": {"name": "x"}}],
 "outputs": [{"as_tensor": {"name": "view"}}],
 "nodes": [
  {"target": "torch.ops.aten.view.default", "inputs": [
    {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
    {"name": "size", "arg": {"as_ints": [24, 1]}, "kind": 1}],
   "outputs": [{"as_tensor": {"name": "view"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "view"}],
 "tensor_values": {
  "x": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}, {"as_int": 4}], "requires_grad": false,
   "device": {"type": "cpu", "index": null}, "strides": [{"as_int": 12}, {"as_int": 4}, {"as_int": 1}],
   "storage_offset": {"as_int": 0}, "layout": 7},
  "view": {"dtype": 7, "sizes": [{"as_int": 24}, {"as_int": 1}], "requires_grad": true,
   "device": {"type": "cpu", "index": null}, "strides": [{"as_int": 1}, {"as_int": 1}],
   "storage_offset": {"as_int": 0}, "layout": 7}},
 "sym_int_values": {}, "sym_bool_values": {}, "is_single_tensor_return": false, "custom_obj_values": {}, "sym_float_values": {}},
 "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
  "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "view"}}}}]},
 "module_call_graph": [], "metadata": {}, "treespec_namedtuple_fields": {}},
 "opset_version": {"aten": 10}, "range_constraints": {},
 "schema_version": {"major": 8, "minor": 20}, "verifiers": ["TRAINING"], "torch_version": "2.13.0", "guards_code": []})end";
}

// The program that a what-if makes of a text.
json written_under(RetargetOptions options, const std::string& text) {
  const MemorySource source(text);
  Program program = open_program(source, "model.json");
  if (has_bodies(program)) {
    program = with_bodies(std::make_shared<const Program>(std::move(program)));
    options.values_of_bodies = true;
  }
  ArgumentChanges changes;
  options.changes = &changes;
  const RetargetedRun answer = propagate_retargeted(program, options);
  return json::parse(rewrite_file(source, "model.json", {&answer.run, &changes}));
}

TEST(ProgramRewriter, AnotherBatchIsWrittenInArgumentsAndValues) {
  RetargetOptions options;
  options.dims["batch"] = 5;
  const json graph = written_under(options, static_program())["graph_module"]["graph"];
  EXPECT_EQ(graph["nodes"][0]["inputs"][1]["arg"], json::parse(R"({"as_ints": [60, 1]})"));
  EXPECT_EQ(graph["tensor_values"]["x"]["sizes"][0], json::parse(R"({"as_int": 5})"));
  EXPECT_EQ(graph["tensor_values"]["view"]["sizes"][0], json::parse(R"({"as_int": 60})"));
  EXPECT_TRUE(graph["tensor_values"]["view"]["requires_grad"].get<bool>());
}

TEST(ProgramRewriter, ADynamicBatchIsTakenFromItsInputByNodes) {
  RetargetOptions options;
  options.dynamic["batch"] = {};
  const json written = written_under(options, static_program());
  const std::string text = written.dump();
  const MemorySource source(text);
  EXPECT_EQ(graph_text(open_program(source, "written").graph()),
            R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %sym_size_int : [num_users=1] = call_function[target=torch.ops.aten.sym_size.int](args = (%x, 0), kwargs = {})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (12, %sym_size_int), kwargs = {})
    %view : [num_users=1] = call_function[target=torch.ops.aten.view.default](args = (%x, [%mul, 1]), kwargs = {})
    return (view,))");
  EXPECT_EQ(written["range_constraints"],
            json::parse(R"({"s0": {"min_val": 2, "max_val": null}})"));
  const json& values = written["graph_module"]["graph"];
  EXPECT_EQ(values["tensor_values"]["x"]["sizes"][0]["as_expr"]["expr_str"],
            "Symbol('s0', positive=True, integer=True)");
  EXPECT_EQ(values["sym_int_values"]["mul"]["as_expr"]["expr_str"],
            "Mul(Integer(12), Symbol('s0', positive=True, integer=True))");
}

// A region without gradients, with the batch of three written into its graph.
std::string region() {
  const std::string text = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3, 8]"):
        submod_1 = self.submod_1
        wrap = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_1, x)
        getitem = wrap[0]
        view_1 = torch.ops.aten.view.default(getitem, [3, 8])
        return (view_1,)

    class submod_1(torch.nn.Module):
        def forward(self, x: "f32[3, 8]"):
            view = torch.ops.aten.view.default(x, [3, 2, 4])
            transpose = torch.ops.aten.transpose.int(view, 1, 2)
            reshape = torch.ops.aten.reshape.default(transpose, [12, 2])
            return (reshape,)
)";
  return program_json(MemorySource(text), "region.txt");
}

// What the program that was written says of itself, and what it answers.
std::string readable_and_right(const json& written) {
  const std::string text = written.dump();
  const Program program = open_program(MemorySource(text), "written");
  const Run run = propagate(program);
  EXPECT_TRUE(run.problems().empty());
  EXPECT_TRUE(run.compare_with_recorded().empty());
  return std::string(readable_program(program).text());
}

TEST(ProgramRewriter, AnotherBatchIsWrittenInsideOfGraphsToo) {
  RetargetOptions options;
  options.dims["batch"] = 7;
  const std::string text = readable_and_right(written_under(options, region()));
  EXPECT_NE(text.find(R"(view: "f32[7, 2, 4]" = torch.ops.aten.view.default(x, [7, 2, 4]))"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find(R"(reshape: "f32[28, 2]" = torch.ops.aten.reshape.default(transpose, [28, 2]))"),
      std::string::npos)
      << text;
}

// A file may hold graphs inside of graphs, and several at one call.
TEST(ProgramRewriter, EachGraphOfAProgramIsWrittenAsItsOwn) {
  const std::string text = R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3, 8]", p: "b8[]"):
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (x,))
        getitem = cond[0]
        view_3 = torch.ops.aten.view.default(getitem, [24])
        return (view_3,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[3, 8]"):
            submod_1 = self.submod_1
            wrap = torch.ops.higher_order.wrap_with_set_grad_enabled(False, submod_1, x)
            getitem = wrap[0]
            view_1 = torch.ops.aten.view.default(getitem, [3, 8])
            return (view_1,)

        class submod_1(torch.nn.Module):
            def forward(self, x: "f32[3, 8]"):
                view = torch.ops.aten.view.default(x, [3, 2, 4])
                return (view,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[3, 8]"):
            view_2 = torch.ops.aten.view.default(x, [1, 3, 8])
            reshape = torch.ops.aten.reshape.default(view_2, [3, 8])
            return (reshape,)
)";
  RetargetOptions options;
  options.dims["x.0"] = 7;
  const std::string written =
      readable_and_right(written_under(options, program_json(MemorySource(text), "branches.txt")));
  for (const char* line :
       {R"(view_3: "f32[56]" = torch.ops.aten.view.default(getitem, [56]))",
        R"(view_1: "f32[7, 8]" = torch.ops.aten.view.default(getitem, [7, 8]))",
        R"(view: "f32[7, 2, 4]" = torch.ops.aten.view.default(x, [7, 2, 4]))",
        R"(view_2: "f32[1, 7, 8]" = torch.ops.aten.view.default(x, [1, 7, 8]))",
        R"(reshape: "f32[7, 8]" = torch.ops.aten.reshape.default(view_2, [7, 8]))"})
    EXPECT_NE(written.find(line), std::string::npos) << line << "\n" << written;
}

TEST(ProgramRewriter, AGraphComputesItsSizesFromWhatItIsGiven) {
  RetargetOptions options;
  options.dynamic["batch"] = {};
  const std::string text = readable_and_right(written_under(options, region()));
  const size_t inside = text.find("class submod_1");
  ASSERT_NE(inside, std::string::npos) << text;
  for (const char* line :
       {R"end(sym_size_int: "Sym(s0)" = torch.ops.aten.sym_size.int(x, 0))end",
        R"(view: "f32[s0, 2, 4]" = torch.ops.aten.view.default(x, [sym_size_int, 2, 4]))",
        R"end(mul: "Sym(4*s0)" = 4 * sym_size_int)end",
        R"(reshape: "f32[4*s0, 2]" = torch.ops.aten.reshape.default(transpose, [mul, 2]))"})
    EXPECT_NE(text.find(line, inside), std::string::npos) << line << "\n" << text;
}

// The device of a region with autocast is an argument of an operator without a schema.
TEST(ProgramRewriter, AnArgumentOfAHigherOrderOperatorIsWrittenAtItsPlace) {
  std::string text = region();
  constexpr std::string_view kCall = "wrap_with_set_grad_enabled";
  const json plain = json::parse(text);
  json changed = plain;
  for (json& node : changed["graph_module"]["graph"]["nodes"]) {
    if (node["target"].get<std::string>().find(kCall) == std::string::npos) continue;
    node["target"] = "torch.ops.higher_order.wrap_with_autocast";
    json inputs = json::array();
    const auto add = [&](json arg) {
      inputs.push_back({{"name", ""}, {"arg", std::move(arg)}, {"kind", 1}});
    };
    add({{"as_string", "cpu"}});
    add({{"as_scalar_type", 13}});
    add({{"as_bool", true}});
    add({{"as_none", true}});
    for (size_t i = 1; i < node["inputs"].size(); ++i) add(node["inputs"][i]["arg"]);
    node["inputs"] = inputs;
  }
  RetargetOptions options;
  options.device = Device{DeviceType::kCUDA};
  const std::string written = readable_and_right(written_under(options, changed.dump()));
  EXPECT_NE(written.find("wrap_with_autocast('cuda', "), std::string::npos) << written;
}

TEST(ProgramRewriter, WhatHasProblemsIsNotWritten) {
  RetargetOptions options;
  options.dims["x.1"] = 7;
  options.assume["view.0"] = "literal";
  options.assume["view.1"] = "literal";
  EXPECT_THROW(written_under(options, static_program()), Error);
}

}  // namespace
}  // namespace faketensor
