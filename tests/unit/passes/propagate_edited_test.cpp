// FakeTensorProp on graphs that passes have edited, and PyTorch's FakeTensorPropTest (test/test_fake_tensor.py) on a
// graph of FX text.
#include <optional>

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/passes/pass.h"
#include "core/passes/propagate.h"

namespace faketensor {
namespace {

class PropagateEdited : public testing::Test {
 protected:
  void read(const char* text, std::vector<Value> inputs) {
    program.emplace(read_graph_text(text));
    size_t at = 0;
    for (const NodeId id : program->graph().order()) {
      if (program->graph().node(id).kind == NodeKind::kPlaceholder)
        program->graph().meta(id).val = inputs[at++];
    }
    subject.emplace(PassSubject{*program, mode, &program->graph()});
    PassOptions options;
    options.uses_own_mode = true;
    find_pass("fake_tensor_prop")->run(*subject, options);
    notes.note_all(graph());
  }
  Graph& graph() { return program->graph(); }
  NodeId node(std::string_view name) {
    for (const NodeId id : graph().order())
      if (graph().name_of(id) == name) return id;
    return kNoNode;
  }
  size_t propagate() { return propagate_edited(mode, graph(), notes); }
  Dims sizes(std::string_view name) { return graph().node(node(name)).val.tensor().sizes(); }

  FakeTensorMode mode;
  std::optional<Program> program;
  std::optional<PassSubject> subject;
  ValueNotes notes;
};

constexpr const char* kTwoLayers = R"(graph():
    %w1 : [num_users=1] = placeholder[target=w1]
    %w2 : [num_users=1] = placeholder[target=w2]
    %value : [num_users=1] = placeholder[target=value]
    %layer1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%value, %w1), kwargs = {})
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%layer1,), kwargs = {})
    %layer2 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%relu, %w2), kwargs = {})
    return (layer2,))";

TEST_F(PropagateEdited, test_fake_tensor_prop_on_nn_module) {
  const auto f32 = [&](DimVector dims) { return mode.empty(dims, DType::kFloat32); };
  read(kTwoLayers, {f32({3, 4}), f32({2, 3}), f32({5, 4})});
  EXPECT_EQ(sizes("layer2")[0].as_int(), 5);
  EXPECT_EQ(sizes("layer2")[1].as_int(), 2);
  EXPECT_EQ(propagate(), 0u);
}

TEST_F(PropagateEdited, AnEditRunsWhatItTouchesUntilAValueIsWhatItWas) {
  const auto f32 = [&](DimVector dims) { return mode.empty(dims, DType::kFloat32); };
  read(kTwoLayers, {f32({3, 4}), f32({2, 3}), f32({5, 4})});
  graph().set_target(node("relu"), "torch.ops.aten.gelu.default");
  EXPECT_EQ(propagate(), 1u);
  // A batch that is taken from a slice changes all that follows.
  const NodeId slice = graph().insert_before(
      node("layer1"), {.name = "slice_1",
                       .target = "torch.ops.aten.slice.Tensor",
                       .args = {node_ref(node("value")), Value(0), Value(0), Value(2)}});
  const Value args[] = {node_ref(slice), node_ref(node("w1"))};
  graph().set_arguments(node("layer1"), args, {});
  EXPECT_EQ(propagate(), 4u);
  EXPECT_EQ(sizes("layer2")[0].as_int(), 2);
}

TEST_F(PropagateEdited, AnErrorHasTheNode) {
  const auto f32 = [&](DimVector dims) { return mode.empty(dims, DType::kFloat32); };
  read(kTwoLayers, {f32({3, 4}), f32({2, 3}), f32({5, 4})});
  graph().set_target(node("relu"), "torch.ops.aten.mm.default");
  try {
    propagate();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("While executing %relu"), std::string::npos) << error.message();
  }
}

// What nonzero() gives has a size that is known when the program runs only; run again it goes by the
// name that it had.
TEST_F(PropagateEdited, test_unbacked_shape_realloc) {
  mode.attach_shape_env(nullptr);
  read(R"(graph():
    %value : [num_users=1] = placeholder[target=value]
    %nonzero : [num_users=1] = call_function[target=torch.ops.aten.nonzero.default](args = (%value,), kwargs = {})
    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%nonzero,), kwargs = {})
    return (neg,))",
       {mode.empty(DimVector{5}, DType::kFloat32)});
  const std::string before = to_string(sizes("nonzero")[0]);
  EXPECT_EQ(before, "u0");
  const Value args[] = {node_ref(node("value"))};
  graph().set_arguments(node("nonzero"), args, {});
  EXPECT_GE(propagate(), 1u);
  EXPECT_EQ(to_string(sizes("nonzero")[0]), before);
  EXPECT_EQ(to_string(sizes("neg")[0]), before);
}

}  // namespace
}  // namespace faketensor
