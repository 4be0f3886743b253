// What is written of a program, as it is and under a what-if. Real programs are those of
// tests/conformance/data/models, or of the folder that FAKETENSOR_MODELS names; that PyTorch reads
// what is written is shown by tests/conformance/pytorch_reads.py.
#include "core/io/program_rewriter.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/text.h"
#include "core/formats/zip.h"
#include "core/graph/graph_text.h"
#include "core/io/open.h"
#include "core/io/pt2.h"
#include "sample_program.h"

namespace faketensor {
namespace {

using nlohmann::json;

std::vector<std::string> models() {
  const char* folder = std::getenv("FAKETENSOR_MODELS");
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           folder != nullptr ? folder : FAKETENSOR_TESTS "/conformance/data/models")) {
    const std::string path = entry.path().string();
    const bool is_answers = path.find(".answers.") != std::string::npos;
    if ((path.ends_with(".json.gz") && !is_answers) || path.ends_with(".pt2"))
      paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string text_of(const std::string& path) {
  const FileSource source(path);
  if (is_zip(source)) return read_pt2_model(ZipArchive(source, {}));
  return read_text(source, {});
}

TEST(ProgramRewriter, ARealProgramIsWrittenAsEqualJson) {
  const std::vector<std::string> paths = models();
  ASSERT_GT(paths.size(), 20u);
  for (const std::string& path : paths) {
    const std::string written = rewrite_file(FileSource(path), path, {});
    EXPECT_TRUE(json::parse(written) == json::parse(text_of(path))) << path;
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
  const Program program = open_program(source, "model.json");
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

TEST(ProgramRewriter, WhatHasProblemsIsNotWritten) {
  RetargetOptions options;
  options.dims["x.1"] = 7;
  options.assume["view.0"] = "literal";
  options.assume["view.1"] = "literal";
  EXPECT_THROW(written_under(options, static_program()), Error);
}

}  // namespace
}  // namespace faketensor
