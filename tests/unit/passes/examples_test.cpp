#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "../test_files.h"
#include "core/graph/graph_text.h"
#include "core/graph/interpreter.h"
#include "core/passes/export_pass.h"

namespace faketensor {
namespace {

const SymInt kColumn[] = {-1, 1, 1, 1};

// example: Another operator for one
class AddToSub final : public ExportPass {
 public:
  using ExportPass::ExportPass;

 private:
  ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                           const NodeMetadata& meta) override {
    const bool is_add = op == "torch.ops.aten.add.Tensor";
    return ExportPass::call_operator(is_add ? "torch.ops.aten.sub.Tensor" : op, args, kwargs, meta);
  }
};
// end of example

// example: A convolution takes up its batch norm
// batch_norm(conv2d(x, w)) in eval mode is conv2d with w and a bias scaled by weight / sqrt(var).
void fuse_conv_bn(Graph& graph) {
  for (const NodeId norm : graph.order()) {
    const std::span<const Value> bn = graph.node(norm).args;
    if (graph.target_of(norm) != "torch.ops.aten.batch_norm.default" || bn[5].to_bool()) continue;
    const NodeId conv = node_of(bn[0]);
    const std::span<const Value> args = graph.node(conv).args;
    const bool is_ours = graph.target_of(conv) == "torch.ops.aten.conv2d.default" &&
                         graph.users(conv).size() == 1 && !bn[1].is_none() && !bn[2].is_none();
    if (!is_ours) continue;
    const auto call = [&](std::string op, std::vector<Value> with) {
      return node_ref(graph.insert_before(
          norm,
          {.name = op.substr(0, op.find('.')), .target = "torch.ops.aten." + op, .args = with}));
    };
    const Value deviation = call("add.Tensor", {bn[4], bn[7]});
    const Value scale = call("mul.Tensor", {bn[1], call("rsqrt.default", {deviation})});
    const Value column = call("view.default", {scale, Value::ints(kColumn)});
    const Value weight = call("mul.Tensor", {args[1], column});
    const bool has_bias = args.size() > 2 && !args[2].is_none();
    const Value centred =
        has_bias ? call("sub.Tensor", {args[2], bn[3]}) : call("neg.default", {bn[3]});
    const Value bias = call("add.Tensor", {call("mul.Tensor", {centred, scale}), bn[2]});
    std::vector<Value> fused(args.begin(), args.end());
    fused.resize(std::max<size_t>(fused.size(), 3));
    fused[1] = weight;
    fused[2] = bias;
    graph.replace_all_uses(norm, node_of(call("conv2d.default", fused)));
    graph.erase(norm);
    graph.erase(conv);
  }
}
// end of example

// The examples of a text, each with what stands between `begin` and `end`.
std::vector<std::string> blocks(const std::string& text, std::string_view begin,
                                std::string_view end) {
  std::vector<std::string> found;
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at = text.find('\n', at + 1) + 1;
    const size_t stop = text.find(end, at);
    found.push_back(text.substr(at, stop - at));
  }
  return found;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(PassExamples, TheReadmeShowsWhatIsTestedHere) {
  const std::string root = test_file("..");
  const std::vector<std::string> shown =
      blocks(read_file(root + "/core/passes/README.md"), "```cpp", "```");
  const std::vector<std::string> tested =
      blocks(read_file(root + "/tests/unit/passes/examples_test.cpp"),
             "\n// example:", "// end of example");
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown, tested);
  for (const std::string& example : shown)
    EXPECT_LT(std::count(example.begin(), example.end(), '\n'), 40);
}

Program with_values(std::string_view text, FakeTensorMode& mode,
                    std::initializer_list<DimVector> sizes) {
  Program program = read_graph_text(text);
  NodeId id = program.graph().first();
  for (const DimVector& size : sizes) {
    program.graph().meta(id).val = mode.empty(size, DType::kFloat32);
    id = program.graph().next(id);
  }
  return program;
}

TEST(PassExamples, AnOperatorIsReplacedAndTheNodeRenamed) {
  FakeTensorMode mode;
  Program program = with_values(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {})
    return (add,))",
                                mode, {{2, 3}});
  PassSubject subject{program, mode, &program.graph()};
  EXPECT_TRUE(AddToSub(subject).run().modified);
  EXPECT_EQ(graph_text(*subject.graph), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %sub : [num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%x, 1), kwargs = {})
    return (sub,))");
  EXPECT_EQ(subject.graph->node(subject.graph->next(subject.graph->first())).val.tensor().dim(), 2);
}

TEST(PassExamples, ABatchNormGoesIntoItsConvolution) {
  FakeTensorMode mode;
  Program program = with_values(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %w : [num_users=1] = placeholder[target=w]
    %g : [num_users=1] = placeholder[target=g]
    %b : [num_users=1] = placeholder[target=b]
    %m : [num_users=1] = placeholder[target=m]
    %v : [num_users=1] = placeholder[target=v]
    %conv2d : [num_users=1] = call_function[target=torch.ops.aten.conv2d.default](args = (%x, %w), kwargs = {})
    %batch_norm : [num_users=1] = call_function[target=torch.ops.aten.batch_norm.default](args = (%conv2d, %g, %b, %m, %v, False, 0.1, 1e-05, False), kwargs = {})
    return (batch_norm,))",
                                mode, {{1, 3, 8, 8}, {6, 3, 3, 3}, {6}, {6}, {6}, {6}});
  Graph& graph = program.graph();
  fuse_conv_bn(graph);
  const std::string text = graph_text(graph);
  EXPECT_EQ(text.find("batch_norm"), std::string::npos) << text;
  std::vector<Value> inputs;
  for (NodeId id = graph.first(); graph.node(id).kind == NodeKind::kPlaceholder;
       id = graph.next(id))
    inputs.push_back(graph.node(id).val);
  const Value result = Interpreter(mode.context()).run_graph(graph, inputs);
  EXPECT_EQ(result[0].tensor().sizes()[1].as_int(), 6);
  EXPECT_EQ(result[0].tensor().sizes()[2].as_int(), 6);
}

}  // namespace
}  // namespace faketensor
