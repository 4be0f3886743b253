// FakeTensorProp on graphs that passes have edited, and PyTorch's FakeTensorPropTest (test/test_fake_tensor.py) on graphs
// of FX text, by its names.
//
// test_torch_load_with_fake_mode is not here: torch.load unpickles objects of Python, and nothing is unpickled here. The
// devices that it checks are what fakes of described storages get (tests/unit/mode/converter_test.cpp).
#include <optional>

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/passes/pass.h"
#include "core/passes/propagate.h"
#include "core/support/format.h"

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
  // Parameters that are fakes of another mode.
  FakeTensorMode other;
  graph().meta(node("w1")).val = other.empty(DimVector{2, 3}, DType::kFloat32);
  PassOptions options;
  options.uses_own_mode = true;
  try {
    find_pass("fake_tensor_prop")->run(*subject, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAssertionError);
    EXPECT_NE(error.message().find("Mixing fake modes NYI"), std::string::npos) << error.message();
  }
}

// What is None among the inputs is handed on as None.
TEST_F(PropagateEdited, test_fake_tensor_prop_on_nn_module_with_optional_args) {
  const auto f32 = [&](DimVector dims) { return mode.empty(dims, DType::kFloat32); };
  read(R"(graph():
    %value : [num_users=3] = placeholder[target=value]
    %another_value : [num_users=0] = placeholder[target=another_value]
    %another_optional_value : [num_users=1] = placeholder[target=another_optional_value]
    %rand_like : [num_users=1] = call_function[target=torch.rand_like](args = (%value,), kwargs = {})
    %add : [num_users=1] = call_function[target=_operator.add](args = (%value, %rand_like), kwargs = {})
    %add_1 : [num_users=2] = call_function[target=_operator.add](args = (%add, %another_optional_value), kwargs = {})
    %mul : [num_users=1] = call_function[target=_operator.mul](args = (%add_1, %add_1), kwargs = {})
    return mul)",
       {f32({5, 4}), Value(), f32({5, 4})});
  EXPECT_EQ(sizes("mul")[0].as_int(), 5);
  EXPECT_EQ(sizes("mul")[1].as_int(), 4);
  // meta["val"] of what is None is not there.
  EXPECT_TRUE(graph().node(node("another_value")).val.is_unset());
}

TEST_F(PropagateEdited, test_nonzero_stride) {
  mode.attach_shape_env(nullptr);
  read(R"(graph():
    %value : [num_users=1] = placeholder[target=value]
    %nonzero : [num_users=1] = call_function[target=torch.ops.aten.nonzero.default](args = (%value,), kwargs = {})
    %t : [num_users=1] = call_function[target=torch.ops.aten.t.default](args = (%nonzero,), kwargs = {})
    return (t,))",
       {mode.empty(DimVector{5}, DType::kFloat32)});
  // torch.ones(5).nonzero() lies dimension by dimension: its transpose is contiguous.
  EXPECT_TRUE(graph().node(node("t")).val.tensor().is_contiguous());
}

// As torch.fx.Interpreter says where a node raises; what is inside of a body is said of the node that
// calls it.
class ErrorOfANode : public PropagateEdited {
 protected:
  void expect(const char* text, std::vector<Value> inputs, ErrorKind kind, std::string_view message,
              std::string_view node, std::string_view trace = "None") {
    try {
      read(text, std::move(inputs));
      FAIL() << node;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_EQ(
          error.message(),
          format(
              "{}\n\nWhile executing {}\nOriginal traceback:\n{}\nUse tlparse to see full graph. "
              "(https://github.com/pytorch/"
              "tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)",
              message, node, trace));
    }
  }
  Value f32(DimVector dims) { return mode.empty(dims, DType::kFloat32); }
};

TEST_F(ErrorOfANode, CallFunction) {
  expect(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %cat : [num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%x, %x],), kwargs = {dim: 7})
    return cat)",
         {f32({2, 3})}, ErrorKind::kIndexError,
         "Dimension out of range (expected to be in range of [-2, 1], but got 7)",
         "%cat : [num_users=1] = call_function[target=torch.ops.aten.cat.default](args = ([%x, "
         "%x],), kwargs = {dim: 7})");
}

TEST_F(ErrorOfANode, CallMethod) {
  expect(R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %view : [num_users=1] = call_method[target=view](args = (%x, 7), kwargs = {})
    return view)",
         {f32({2, 3})}, ErrorKind::kRuntimeError, "shape '[7]' is invalid for input of size 6",
         "%view : [num_users=1] = call_method[target=view](args = (%x, 7), kwargs = {})");
}

// With the lines of somebody's code that a node has.
TEST_F(ErrorOfANode, OriginalTraceback) {
  program.emplace(read_graph_text(kTwoLayers));
  const std::vector<Value> inputs = {f32({3, 4}), f32({2, 7}), f32({5, 4})};
  size_t at = 0;
  for (const NodeId id : graph().order())
    if (graph().node(id).kind == NodeKind::kPlaceholder) graph().meta(id).val = inputs[at++];
  const std::string trace = "  File \"model.py\", line 3, in forward\n    y = layer(x)\n";
  graph().meta(node("layer2")).stack_trace = program->strings().intern(trace);
  subject.emplace(PassSubject{*program, mode, &graph()});
  PassOptions options;
  options.uses_own_mode = true;
  try {
    find_pass("fake_tensor_prop")->run(*subject, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("Original traceback:\n" + trace + "\nUse tlparse"),
              std::string::npos)
        << error.message();
  }
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
