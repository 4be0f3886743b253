// Programs that are typed: what is read, what is said of what is wrong, and where.
#include "core/graph/text/program_text.h"

#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "core/graph/text/read_program_text.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

TextProgram read(std::string_view text) {
  return read_program_text(std::string(text), "typed.txt", {});
}

// "name: f32[2, 3]" of every value that is a tensor, "name: 3" of numbers, "name !" of others.
std::string values(const TextProgram& of) {
  const Program& program = of.program;
  const Run run = propagate(program);
  const BranchScope env = run.shape_env();
  std::string text;
  for (Row row = 0; row < run.plan().size(); ++row) {
    const NodeRecord& record = run.record(row);
    text += format("{}{}", row == 0 ? "" : "\n", run.plan().name_of(row));
    if (record.status != NodeStatus::kOk) {
      text += " !";
    } else if (record.value.is_tensor()) {
      const TensorMeta& meta = *record.tensors[0].meta;
      text += format(" {}{}", info(meta.dtype()).short_name, meta.sizes());
    } else if (record.value.is_number()) {
      text += format(" {}", record.value);
    }
  }
  return text;
}

// "3:9+5 message" of every problem.
std::string problems(const TextProgram& of) {
  std::string text;
  for (const TextProblem& problem : of.text->problems()) {
    const TextPlace at = of.text->place(problem.span);
    text += format("{}{}:{}+{} {}", text.empty() ? "" : "\n", at.line, at.column, at.length,
                   problem.message);
  }
  return text;
}

TEST(ProgramText, AFewLinesAreAProgram) {
  const TextProgram of = read(R"(def forward(self, x: "f32[s0, 3]", weight: "f32[4, 3]"):
    y = torch.ops.aten.linear.default(x, weight)
    z = aten.relu(y) + 1
    return z.sum(-1, keepdim=True), y.view(-1)
)");
  EXPECT_EQ(problems(of), "");
  EXPECT_EQ(values(of),
            "x f32[s0, 3]\nweight f32[4, 3]\ny f32[s0, 4]\nrelu f32[s0, 4]\nz f32[s0, 4]\n"
            "sum f32[s0, 1]\nview f32[4*s0]\noutput");
}

TEST(ProgramText, SymbolsHaveTheHintsAndRangesThatAreGiven) {
  const TextProgram of = read(R"(def forward(self, x: "f32[batch=5, 2*seq]", y: "i64[seq]"):
    return x + 1

Range constraints: {batch: VR[2, 100]}
)");
  EXPECT_EQ(problems(of), "");
  ASSERT_EQ(of.program.symbols.size(), 2u);
  EXPECT_EQ(of.program.symbols[0].name, "batch");
  EXPECT_EQ(of.program.symbols[0].hint, 5);
  EXPECT_EQ(of.program.symbols[0].upper, 100);
  EXPECT_EQ(of.program.symbols[1].name, "seq");
  EXPECT_EQ(of.program.symbols[1].hint, 8);
}

TEST(ProgramText, DtypesStridesAndDevicesStandInAnnotations) {
  const TextProgram of = read(R"(def forward(self, x: "bf16[2, 3][1, 2]cuda:1", y: "bool[]"):
    return (x,)
)");
  EXPECT_EQ(problems(of), "");
  const TensorMeta& x = *of.program.node(0).recorded;
  EXPECT_EQ(x.dtype(), DType::kBFloat16);
  EXPECT_EQ(x.strides()[1].as_int(), 2);
  EXPECT_EQ(format("{}", x.device()), "cuda:1");
  EXPECT_EQ(of.program.node(1).recorded->dtype(), DType::kBool);
}

TEST(ProgramText, AttributesOfTheModuleAreParametersAndBuffers) {
  const TextProgram of = read(R"(class Model(torch.nn.Module):
    layer.bias: "f32[4]"
    steps: "i64[]"

    def forward(self, x: "f32[2, 3]"):
        weight: "f32[4, 3]" = self.layer.weight
        y = aten.linear(x, weight, self.layer.bias)
        return y * self.steps
)");
  EXPECT_EQ(problems(of), "");
  ASSERT_EQ(of.program.inputs.size(), 4u);
  EXPECT_EQ(of.program.inputs[0].kind, InputSpec::Kind::kParameter);
  EXPECT_EQ(of.program.text(of.program.inputs[0].target), "layer.weight");
  EXPECT_EQ(of.program.text(of.program.inputs[1].target), "layer.bias");
  EXPECT_EQ(of.program.inputs[2].kind, InputSpec::Kind::kBuffer);
  EXPECT_EQ(of.program.inputs[3].kind, InputSpec::Kind::kUser);
  EXPECT_EQ(values(of),
            "weight f32[4, 3]\nlayer_bias f32[4]\nsteps i64[]\nx f32[2, 3]\ny f32[2, 4]\n"
            "mul f32[2, 4]\noutput f32[2, 4]");
}

TEST(ProgramText, EveryErrorIsToldWithItsPlaceAndReadingGoesOn) {
  const TextProgram of = read(R"(def forward(self, x: "f32[2, 3]", y: "f99[2]"):
    a = aten.relu(xs)
    b = aten.relu(x
    c = torch.ops.aten.lnear.default(x, x)
    for i in x:
        d = 1
    e = aten.exp(x)
    f = aten.add(a, e)
    return (e, f)
)");
  EXPECT_EQ(problems(of),
            "1:38+8 no dtype is called f99: f32, bf16, i64, b8 are some\n"
            "2:19+2 xs is not defined; did you mean x?\n"
            "3:19+1 ')' expected behind this\n"
            "4:9+28 torch.ops.aten.lnear.default: no operator has this name; did you mean "
            "aten.linear?\n"
            "5:5+3 'for' is none of a graph's statements, which are assignments and one return");
  EXPECT_EQ(of.text->error_count(), 4u);
  EXPECT_EQ(values(of), "x f32[2, 3]\ny\na !\nb !\nc !\ne f32[2, 3]\nf !\noutput !");
}

TEST(ProgramText, ColumnsAreUtf16Units) {
  const TextProgram of =
      read("def forward(self, x: \"f32[2]\"):\n    é𝄞 = x + oops\n    return x\n");
  EXPECT_EQ(problems(of), "2:15+4 oops is not defined");
}

TEST(ProgramText, AnnotationsThatAreNotSoAreWarnings) {
  const TextProgram of = read(R"(def forward(self, x: "f32[2, 3]", k):
    y: "f32[3, 2]" = x + 1
    z = y * k
    return z
)");
  EXPECT_EQ(problems(of),
            "1:35+1 nothing says what k is: write k: \"f32[2, 3]\"\n"
            "2:5+1 y is f32[2, 3], not f32[3, 2] as it says here");
  EXPECT_EQ(of.text->error_count(), 0u);
}

TEST(ProgramText, FunctionsMethodsAndOperatorsFindTheirOverload) {
  const TextProgram of =
      read(R"(def forward(self, x: "f32[2, 3, 4]", ids: "i64[5]", table: "f32[10, 4]"):
    a = F.embedding(ids, table)
    b = torch.nn.functional.relu(x, inplace=False)
    c = x.permute(2, 0, 1).reshape(4, -1)
    d = 1 - x / 2
    e = 2 / x > x
    f = x[:, None, 1:, ..., 0:2]
    g = x[0]
    h, i = x.split(2, dim=-1)
    j = x.shape[1]
    k = torch.zeros(2, j)
    l = (~e).float() @ x.mT
    m = torch.cat([x, x], dim=1)
    n = F.softmax(x, dim=-1)
    x += 1
    return x
)");
  EXPECT_EQ(problems(of), "");
  const std::string found = values(of);
  for (const std::string_view line :
       {"\na f32[5, 4]\n", "\nb f32[2, 3, 4]\n", "\nc f32[4, 6]\n", "\nd f32[2, 3, 4]\n",
        "\ne b8[2, 3, 4]\n", "\nf f32[2, 1, 2, 2]\n", "\ng f32[3, 4]\n", "\nh f32[2, 3, 2]\n",
        "\ni f32[2, 3, 2]\n", "\nj 3\n", "\nk f32[2, 3]\n", "\nl f32[2, 3, 3]\n",
        "\nm f32[2, 6, 4]\n", "\nn f32[2, 3, 4]\n"})
    EXPECT_NE(found.find(line), std::string::npos) << line << found;
}

TEST(ProgramText, ArgumentsThatNoOverloadTakesAreAnErrorOfTheNode) {
  const TextProgram of = read(R"(def forward(self, x: "f32[2, 3]"):
    y = aten.relu(x, "no")
    return y
)");
  const faketensor::Run run = propagate(of.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].message,
            "aten.relu(Tensor, 'no'): none of its overloads takes these arguments:\n"
            "  aten::relu(Tensor self) -> Tensor");
  EXPECT_EQ(run.problems()[0].source, "typed.txt:2 in forward");
}

TEST(ProgramText, GraphsMayHaveAnnotations) {
  const TextProgram of = read(R"(graph():
    %x : "f32[s0, 4]" [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    %z : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%q,), kwargs = {})
    return (y, z))");
  EXPECT_EQ(problems(of), "4:85+1 the name q before its definition");
  EXPECT_EQ(values(of), "x f32[s0, 4]\ny f32[s0, 4]\nz !\noutput !");
}

TEST(ProgramText, ProgramsOfSubgraphsAreRead) {
  const TextProgram of = read(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[s77, 8]", flag: "b8[]"):
        # No stacktrace found for following nodes
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(flag, true_graph_0, false_graph_0, (x,));  flag = true_graph_0 = false_graph_0 = x = None
        getitem: "f32[s77, 8]" = cond[0];  cond = None
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "f32[s77, 8]"):
            # File: model.py:4 in forward, code: return x.sin()
            sin: "f32[s77, 8]" = torch.ops.aten.sin.default(x);  x = None
            return (sin,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "f32[s77, 8]"):
            cos: "f32[s77, 8]" = torch.ops.aten.cos.default(x);  x = None
            return (cos,)
)");
  EXPECT_EQ(problems(of), "");
  EXPECT_EQ(of.program.graphs().size(), 3u);
  EXPECT_NE(values(of).find("getitem f32[s77, 8]"), std::string::npos);
}

TEST(ProgramText, WhatIsNoProgramIsSaid) {
  EXPECT_FALSE(looks_like_program_text("hello"));
  EXPECT_FALSE(looks_like_program_text(std::string_view("def \0", 5)));
  EXPECT_TRUE(looks_like_program_text("\n\ndef forward(self):\n"));
  EXPECT_TRUE(looks_like_program_text("import torch\nclass M(torch.nn.Module):\n"));
}

}  // namespace
}  // namespace faketensor
