#include "core/io/exported_program.h"

#include <gtest/gtest.h>

#include "core/support/format.h"
#include "core/symbolic/shape_env.h"
#include "sample_program.h"
#include "tests/unit/formats/expect_error.h"

namespace faketensor {
namespace {

const Node& node_of(const Program& program, std::string_view name) {
  return program.node(program.find(name));
}
const PlanRow& row_of(const Program& program, std::string_view name) {
  return program.plan().row(program.find(name));
}

// The value of an argument of the second node, whose kind is unknown to no schema: "x" is the node
// linear.
Value argument(const Program& program) { return row_of(program, "halves").args[1]; }

std::string with_argument(std::string_view argument) {
  return sample_with("{\"as_int\": 1}, \"kind\": 2", format("{}, \"kind\": 2", argument));
}

Program read_with_argument(std::string_view text) { return read_program(with_argument(text)); }

TEST(ExportedProgram, NodesHaveTheNamesAndOrderOfPyTorchsDeserialiser) {
  const Program program = read_program(sample_program());
  EXPECT_EQ(names(program), "p_w x linear halves left as_none right add output ");
  EXPECT_EQ(program.torch_version, "2.13.0");
  EXPECT_EQ(program.schema_minor, 20);
  EXPECT_EQ(row_of(program, "left").kind, RowKind::kGetItem);
  EXPECT_EQ(row_of(program, "right").args[1].as_sym_int().as_int(), 2);
  EXPECT_EQ(row_of(program, "right").args[0].node(), program.find("halves"));
}

TEST(ExportedProgram, ArgumentsOfKnownOperatorsStandInSchemaOrder) {
  const Program program = read_program(sample_program());
  const PlanRow& linear = row_of(program, "linear");
  ASSERT_NE(linear.op, kNoOp);
  ASSERT_EQ(linear.args.size(), 3u);
  EXPECT_EQ(linear.args[0].node(), program.find("x"));
  EXPECT_EQ(linear.args[1].node(), program.find("p_w"));
  EXPECT_TRUE(linear.args[2].is_unset());
  const PlanRow& add = row_of(program, "add");
  ASSERT_EQ(add.args.size(), 3u);
  EXPECT_EQ(add.args[1].node(), program.find("right"));
  EXPECT_EQ(add.args[2].as_sym_int().as_int(), 2);
}

TEST(ExportedProgram, UnknownOperatorsKeepArgumentsInFileOrderWithTheirNames) {
  const Program program = read_program(sample_program());
  const PlanRow& halves = row_of(program, "halves");
  EXPECT_EQ(halves.op, kNoOp);
  EXPECT_EQ(program.text(node_of(program, "halves").target), "torch.ops.demo.halves.default");
  ASSERT_EQ(halves.arg_names.size(), 2u);
  EXPECT_EQ(halves.arg_names[0], 0u);
  EXPECT_EQ(program.text(halves.arg_names[1]), "dim");
}

TEST(ExportedProgram, AnArgumentOurSchemaDoesNotHaveMakesTheOperatorUnknown) {
  const Program program = read_program(sample_with("\"name\": \"alpha\"", "\"name\": \"beta\""));
  const PlanRow& add = row_of(program, "add");
  EXPECT_EQ(add.op, kNoOp);
  EXPECT_EQ(program.text(add.arg_names.back()), "beta");
}

TEST(ExportedProgram, RecordedValuesAreJoinedToNodes) {
  const Program program = read_program(sample_program());
  const TensorMeta& weight = *node_of(program, "p_w").recorded;
  EXPECT_EQ(format("{} {} {}", weight.sizes(), weight.strides(), weight.dtype()),
            "[4, 3] [3, 1] torch.float32");
  EXPECT_TRUE(weight.has(kRequiresGrad));
  const TensorMeta& x = *node_of(program, "x").recorded;
  EXPECT_EQ(format("{} {}", x.sizes(), x.device()), "[s0, 3] cuda:1");
  EXPECT_EQ(name(node_of(program, "linear").recorded->dtype()), "bfloat16");
  EXPECT_EQ(node_of(program, "add").recorded, nullptr);
}

TEST(ExportedProgram, SymbolsHaveTheirRangesAndHints) {
  const Program program = read_program(sample_program());
  ASSERT_EQ(program.symbols.size(), 1u);
  EXPECT_EQ(program.symbols[0].name, "s0");
  EXPECT_EQ(program.symbols[0].lower, 2);
  EXPECT_EQ(program.symbols[0].upper, 64);
  EXPECT_EQ(program.symbols[0].hint, 2);
  ASSERT_NE(program.shape_env, nullptr);
  const SymInt size = node_of(program, "x").recorded->sizes()[0];
  EXPECT_EQ(hint(size), 2);
  EXPECT_EQ(program.shape_env->range(size.node()), ValueRange::ints(2, 64));
}

TEST(ExportedProgram, AStaticProgramHasNoShapeEnv) {
  std::string text = changed(sample_program(), "{\"s0\": {\"min_val\": 2, \"max_val\": 64}}", "{}");
  const std::string symbol =
      "{\"as_expr\": {\"expr_str\": \"Symbol('s0', positive=True, integer=True)\", \"hint\": "
      "{\"as_int\": 2}}}";
  text = changed(changed(text, symbol, "{\"as_int\": 2}"), symbol, "{\"as_int\": 2}");
  EXPECT_EQ(read_program(text).shape_env, nullptr);
}

TEST(ExportedProgram, SignatureModulesAndPlacesAreKept) {
  const Program program = read_program(sample_program());
  ASSERT_EQ(program.inputs.size(), 2u);
  EXPECT_EQ(program.inputs[0].kind, InputSpec::Kind::kParameter);
  EXPECT_EQ(program.text(program.inputs[0].target), "l.weight");
  EXPECT_EQ(program.inputs[1].kind, InputSpec::Kind::kUser);
  ASSERT_EQ(program.outputs.size(), 1u);
  EXPECT_EQ(program.outputs[0].kind, OutputSpec::Kind::kUser);
  EXPECT_EQ(program.module_path(node_of(program, "linear")), "l");
  EXPECT_EQ(program.source_line(node_of(program, "linear")), "model.py:7 in forward");
  ASSERT_EQ(program.module_call_graph.size(), 2u);
  EXPECT_EQ(program.module_call_graph[0].second, 0u);  // the program's own
  EXPECT_EQ(program.text(program.module_call_graph[1].first), "l");
}

TEST(ExportedProgram, TheSignatureOfAModulesCallIsKept) {
  const Program program = read_program(
      changed(sample_program(), "{\"fqn\": \"l\", \"signature\": null}",
              "{\"fqn\": \"l\", \"signature\": {\"inputs\": [], \"in_spec\": \"[1]\"}}"));
  EXPECT_EQ(program.text(program.module_call_graph[1].second), R"({"inputs":[],"in_spec":"[1]"})");
}

TEST(ExportedProgram, EveryInputSpecIsKnown) {
  struct Case {
    std::string_view json;
    InputSpec::Kind kind;
    std::string_view target;
  };
  const Case cases[] = {
      {R"({"buffer": {"arg": {"name": "p_w"}, "buffer_name": "b", "persistent": false}})",
       InputSpec::Kind::kBuffer, "b"},
      {R"({"tensor_constant": {"arg": {"name": "p_w"}, "tensor_constant_name": "c"}})",
       InputSpec::Kind::kConstant, "c"},
      {R"({"custom_obj": {"arg": {"name": "p_w", "class_fqn": "K"}, "custom_obj_name": "o"}})",
       InputSpec::Kind::kCustomObject, "o"},
      {R"({"token": {"arg": {"name": "p_w"}}})", InputSpec::Kind::kToken, ""},
      {R"({"user_input": {"arg": {"as_custom_obj": {"name": "p_w", "class_fqn": "K"}}}})",
       InputSpec::Kind::kUser, ""},
  };
  for (const Case& one : cases) {
    const Program program = read_program(sample_with(
        R"({"parameter": {"arg": {"name": "p_w"}, "parameter_name": "l.weight"}})", one.json));
    EXPECT_EQ(program.inputs[0].kind, one.kind) << one.json;
    EXPECT_EQ(program.text(program.inputs[0].target), one.target);
  }
}

TEST(ExportedProgram, EveryOutputSpecIsKnown) {
  struct Case {
    std::string_view json;
    OutputSpec::Kind kind;
    std::string_view target;
  };
  const Case cases[] = {
      {R"({"loss_output": {"arg": {"name": "add"}}})", OutputSpec::Kind::kLoss, ""},
      {R"({"buffer_mutation": {"arg": {"name": "add"}, "buffer_name": "b"}})",
       OutputSpec::Kind::kBufferMutation, "b"},
      {R"({"parameter_mutation": {"arg": {"name": "add"}, "parameter_name": "p"}})",
       OutputSpec::Kind::kParameterMutation, "p"},
      {R"({"user_input_mutation": {"arg": {"name": "add"}, "user_input_name": "x"}})",
       OutputSpec::Kind::kUserInputMutation, "x"},
      {R"({"gradient_to_parameter": {"arg": {"name": "add"}, "parameter_name": "p"}})",
       OutputSpec::Kind::kGradientToParameter, "p"},
      {R"({"gradient_to_user_input": {"arg": {"name": "add"}, "user_input_name": "x"}})",
       OutputSpec::Kind::kGradientToUserInput, "x"},
      {R"({"token": {"arg": {"name": "add"}}})", OutputSpec::Kind::kToken, ""},
  };
  for (const Case& one : cases) {
    const Program program = read_program(
        sample_with(R"({"user_output": {"arg": {"as_tensor": {"name": "add"}}}})", one.json));
    EXPECT_EQ(program.outputs[0].kind, one.kind) << one.json;
    EXPECT_EQ(program.text(program.outputs[0].target), one.target);
  }
}

TEST(ExportedProgram, ConstantInputsGetTheirNameFromTheSignature) {
  std::string text =
      sample_with("{\"as_tensor\": {\"name\": \"x\"}}]",
                  "{\"as_tensor\": {\"name\": \"x\"}}, {\"as_int\": 5}, {\"as_none\": true}]");
  text = changed(text, "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}}",
                 "{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}},"
                 "{\"constant_input\": {\"name\": \"n\", \"value\": {\"as_int\": 5}}},"
                 "{\"user_input\": {\"arg\": {\"as_none\": true}}}");
  const Program program = read_program(text);
  EXPECT_EQ(names(program).substr(0, 13), "p_w x n arg3 ");
  EXPECT_EQ(node_of(program, "n").val.as_sym_int().as_int(), 5);
}

TEST(ExportedProgram, EveryArgumentKindIsRead) {
  struct Case {
    std::string_view json;
    std::string_view repr;
  };
  const Case cases[] = {
      {R"({"as_none": true})", "None"},
      {R"({"as_int": -7})", "-7"},
      {R"({"as_ints": [1, -1]})", "[1, -1]"},
      {R"({"as_float": 0.5})", "0.5"},
      {R"({"as_float": 2})", "2.0"},
      {R"({"as_float": "Infinity"})", "inf"},
      {R"({"as_float": "-Infinity"})", "-inf"},
      {R"({"as_float": "NaN"})", "nan"},
      {R"({"as_floats": [1.5, "Infinity"]})", "[1.5, inf]"},
      {R"({"as_bool": true})", "True"},
      {R"({"as_bools": [true, false]})", "[True, False]"},
      {R"({"as_scalar_type": 13})", "torch.bfloat16"},
      {R"({"as_scalar_type": 28})", "torch.uint16"},
      {R"({"as_memory_format": 2})", "torch.channels_last"},
      {R"({"as_layout": 7})", "torch.strided"},
      {R"({"as_sym_int": {"as_int": 3}})", "3"},
      {R"({"as_sym_ints": [{"as_int": 3}, {"as_int": -1}]})", "[3, -1]"},
      {R"({"as_sym_bool": {"as_bool": false}})", "False"},
      {R"({"as_sym_bools": [{"as_bool": false}]})", "[False]"},
      {R"({"as_sym_float": {"as_float": 1.0}})", "1.0"},
      {R"({"as_sym_floats": [{"as_float": 1.0}]})", "[1.0]"},
      {R"({"as_optional_tensor": {"as_none": true}})", "None"},
      {R"({"as_tensors": []})", "[]"},
  };
  for (const Case& one : cases) {
    std::string text;
    append_text(text, argument(read_with_argument(one.json)));
    EXPECT_EQ(text, one.repr) << one.json;
  }
}

TEST(ExportedProgram, ArgumentsThatHoldTensorsOrTextAreRead) {
  {
    const Program program =
        read_with_argument(R"({"as_tensors": [{"name": "x"}, {"name": "p_w"}]})");
    EXPECT_EQ(argument(program)[1].node(), program.find("p_w"));
  }
  {
    const Program program = read_with_argument(
        R"({"as_optional_tensors": [{"as_none": true}, {"as_tensor": {"name": "x"}}]})");
    EXPECT_TRUE(argument(program)[0].is_none());
    EXPECT_EQ(argument(program)[1].node(), program.find("x"));
  }
  {
    const Program program =
        read_with_argument(R"({"as_nested_tensors": [[{"name": "x"}], [{"name": "p_w"}]]})");
    EXPECT_EQ(argument(program)[1][0].node(), program.find("p_w"));
  }
  {
    const Program program =
        read_with_argument(R"({"as_sym_ints": [{"as_int": 3}, {"as_name": "x"}]})");
    EXPECT_EQ(argument(program)[0].as_sym_int().as_int(), 3);
    EXPECT_EQ(argument(program)[1].node(), program.find("x"));
  }
  {
    const Program program = read_with_argument(R"({"as_int_lists": [[1, 2], []]})");
    EXPECT_EQ(argument(program)[0][1].as_sym_int().as_int(), 2);
    EXPECT_EQ(argument(program)[1].size(), 0u);
  }
  {
    const Program program = read_with_argument(R"({"as_float_lists": [[1.0], [2.0]]})");
    EXPECT_EQ(argument(program)[1][0].as_double(), 2.0);
  }
  {
    const Program program = read_with_argument(R"({"as_strings": ["a", "\u00e9"]})");
    EXPECT_EQ(argument(program)[1].text(), "\xc3\xa9");
  }
  {
    const Program program = read_with_argument(R"({"as_device": {"type": "cuda", "index": 3}})");
    EXPECT_EQ(format("{}", argument(program).device()), "cuda:3");
  }
  {
    const Program program =
        read_with_argument(R"({"as_complex": {"real": 1.0, "imag": "-Infinity"}})");
    EXPECT_EQ(argument(program).as_complex()[0], 1.0);
    EXPECT_LT(argument(program).as_complex()[1], -1e308);
  }
  {
    const Program program = read_with_argument(
        R"({"as_string_to_argument": {"k": {"as_int": 1}, "t": {"as_tensor": {"name": "x"}}}})");
    EXPECT_EQ(argument(program)[0][0].text(), "k");
    EXPECT_EQ(argument(program)[1][1].node(), program.find("x"));
  }
  {
    const Program program =
        read_with_argument(R"({"as_custom_obj": {"name": "o", "class_fqn": "K"}})");
    EXPECT_EQ(argument(program).text(), "o");
  }
  {
    const Program program = read_with_argument(R"({"as_operator": "torch.ops.aten.add.Tensor"})");
    EXPECT_EQ(argument(program).text(), "torch.ops.aten.add.Tensor");
  }
}

constexpr std::string_view kSubgraph =
    R"({"as_graph": {"name": "body", "graph": {"inputs": [{"as_tensor": {"name": "x"}}], "outputs": [{"as_tensor": {"name": "relu"}}],
 "nodes": [{"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}],
 "outputs": [{"as_tensor": {"name": "relu"}}], "metadata": {}, "is_hop_single_tensor_return": null, "name": "relu"}],
 "tensor_values": {"x": {"dtype": 5, "sizes": [], "requires_grad": false, "device": {"type": "cpu", "index": null}, "strides": [],
 "storage_offset": {"as_int": 0}, "layout": 7}}, "is_single_tensor_return": true}}})";

TEST(ExportedProgram, ASubgraphHasNamesOfItsOwn) {
  const Program program = read_with_argument(kSubgraph);
  ASSERT_EQ(program.graphs().size(), 2u);
  const Graph& body = argument(program).graph();
  EXPECT_EQ(program.text(body.name), "body");
  EXPECT_EQ(names(body), "x relu output ");
  EXPECT_EQ(name(body.plan()->node(0).recorded->dtype()), "int64");
  EXPECT_EQ(body.plan()->rows().back().args[0].node(), 1u);
  // The outer "x" is what it was.
  EXPECT_EQ(name(node_of(program, "x").recorded->dtype()), "float32");
  EXPECT_EQ(names(program), "p_w x linear halves left as_none right add output ");
}

TEST(ExportedProgram, ASubgraphDoesNotSeeNamesOutside) {
  const std::string text =
      changed(with_argument(kSubgraph), "\"self\", \"arg\": {\"as_tensor\": {\"name\": \"x\"}}",
              "\"self\", \"arg\": {\"as_tensor\": {\"name\": \"p_w\"}}");
  expect_unreadable([&] { read_program(text); },
                    {"node 'halves'", "subgraph 'body'", "node 'relu'", "uses 'p_w'"});
}

TEST(ExportedProgram, AHigherOrderOperatorReturnsATupleUnlessItSaysOtherwise) {
  const std::string call =
      sample_with("torch.ops.aten.linear.default", "torch.ops.higher_order.demo");
  EXPECT_EQ(
      names(read_program(changed(call, "null, \"name\": \"linear\"", "false, \"name\": \"demo\""))),
      "p_w x demo linear halves left as_none right add output ");
  EXPECT_EQ(
      names(read_program(changed(call, "null, \"name\": \"linear\"", "true, \"name\": \"demo\""))),
      "p_w x linear halves left as_none right add output ");
}

TEST(ExportedProgram, ListsOfResultsBecomeGetitems) {
  const std::string list = sample_with(
      R"([{"as_tensor": {"name": "left"}}, {"as_none": true}, {"as_tensor": {"name": "right"}}])",
      R"([{"as_tensors": [{"name": "left"}, {"name": "right"}]}])");
  EXPECT_EQ(names(read_program(list)), "p_w x linear halves left right add output ");
  const std::string nested = sample_with(
      R"({"as_none": true}, {"as_tensor": {"name": "right"}})",
      R"({"as_tensors": [{"name": "getitem"}, {"name": "right"}]}, {"as_none": true}, {"as_none": true})");
  EXPECT_EQ(
      names(read_program(changed(nested, "\"name\": \"getitem\"", "\"name\": \"getitem_4\""))),
      "p_w x linear halves left getitem getitem_4 right as_none as_none_1 add output ");
}

TEST(ExportedProgram, ResultsOfNoneAreNamedAsTorchFxNamesThem) {
  const std::string text = sample_with(
      R"("outputs": [{"as_tensor": {"name": "left"}}, {"as_none": true}, {"as_tensor": {"name": "right"}}])",
      R"("outputs": [{"as_none": true}])");
  const std::string uses_x = changed(changed(text, "\"name\": \"left\"", "\"name\": \"x\""),
                                     "\"name\": \"right\"", "\"name\": \"x\"");
  EXPECT_EQ(names(read_program(uses_x)), "p_w x linear halves_default_unused add output ");
}

TEST(ExportedProgram, UnknownMembersAreOfLaterMinorVersionsAndPassedOver) {
  std::string text = sample_with("\"opset_version\"",
                                 "\"novelty\": {\"deep\": [1, {\"a\": null}]}, \"opset_version\"");
  text = changed(text, "\"minor\": 20", "\"minor\": 99, \"patch\": \"x\"");
  text = changed(text, "\"metadata\": {}, \"is_hop",
                 "\"metadata\": {\"custom\": \"{}\"}, \"new\": [], \"is_hop");
  EXPECT_EQ(names(read_program(text)), "p_w x linear halves left as_none right add output ");
}

TEST(ExportedProgram, MembersMayComeInAnyOrderButInputsBeforeNodes) {
  // The signature and the schema version first, as a writer that sorts names has them.
  std::string text = sample_program();
  const size_t graph = text.find("\"graph\": ");
  const size_t signature = text.find(" \"signature\"");
  const size_t calls = text.find(" \"module_call_graph\"");
  const std::string moved = text.substr(signature, calls - signature);
  text = text.substr(0, graph) + moved + text.substr(graph, signature - graph) + text.substr(calls);
  EXPECT_EQ(names(read_program(text)), "p_w x linear halves left as_none right add output ");
}

}  // namespace
}  // namespace faketensor
