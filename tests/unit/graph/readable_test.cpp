#include "core/graph/readable.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/mode/mode.h"

namespace faketensor {
namespace {

TEST(Readable, PythonWithValuesAndTheirEnds) {
  Program program = read_graph_text(R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, 1), kwargs = {})
    %sum_1 : [num_users=0] = call_function[target=torch.ops.aten.sum.default](args = (%x,), kwargs = {dtype: torch.float32})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%add, 0), kwargs = {})
    return (getitem,))");
  Graph& graph = program.graph();
  FakeTensorMode mode;
  graph.meta(graph.first()).val = mode.empty(DimVector{2, 3}, DType::kBool);
  EXPECT_EQ(readable_text(graph), R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "b8[2, 3]"):
        add = x + 1
        sum_1 = torch.ops.aten.sum.default(x, dtype = torch.float32);  x = sum_1 = None
        getitem = add[0];  add = None
        return (getitem,)
)");
}

TEST(Readable, ModulesFollowIndented) {
  Program program = read_graph_text(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %part : [num_users=1] = call_module[target=part](args = (%x,), kwargs = {})
    return part)");
  Graph& part = program.add_graph();
  part.append(
      NewNode{.kind = NodeKind::kOutput, .name = "output", .target = "output", .args = {Value()}});
  program.graph().add_submodule("part", part);
  EXPECT_EQ(readable_text(program.graph()), R"(class GraphModule(torch.nn.Module):
    def forward(self, x):
        part = self.part(x);  x = None
        return part

    class part(torch.nn.Module):
        def forward(self):
            return None
)");
}

}  // namespace
}  // namespace faketensor
