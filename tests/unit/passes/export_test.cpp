// PyTorch's test/export/test_passes.py and test_pass_infra.py, by their names. Graphs before a pass are
// FX text; what PyTorch prints after it is what its tests expect, or what it was asked for.
//
// Not here, and why:
//   test_runtime_assert_one_dim, _multiple_dims, _some_dims_not_specified, _some_inps_not_used: call a
//     program's module with real tensors.
//   test_runtime_assert_inline_constraints_for_cond: PyTorch expects it to fail.
//   test_custom_obj_tuple_out, test_fakify_script_objects,
//   test_fakify_script_objects_properly_handle_containers: objects of TorchScript classes.
//   test_predispatch_autocast_and_set_grad: both passes' own tests; they run one after the other.
//   test_move_to_device_pass: runs the moved module on a GPU.
//   test_move_device_example_inputs: a program that is read has no example inputs.
//   test_constant_folding_pass: quantizes by observers that see data (passes of constants are in
//     text_passes_test.cpp).
//   test_replace_hook_basic: a Python function that is told of each replaced node.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/passes/export_pass.h"
#include "core/passes/sequential_split.h"
#include "core/support/format.h"
#include "text_fixture.h"

namespace faketensor {
namespace {

class TestPasses : public TextFixture {
 protected:
  static size_t count(const Graph& graph, std::string_view target) {
    size_t found = 0;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
      found += graph.target_of(id) == target;
    return found;
  }

  static std::vector<std::string> names(const Graph& graph) {
    std::vector<std::string> found;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
      found.emplace_back(graph.name_of(id));
    return found;
  }

  SequentialParts split() {
    const Graph& graph = program.graph();
    return sequential_split(program, graph,
                            [&](NodeId id) { return graph.target_of(id) == kSetGradEnabled; });
  }
};
using TestPassInfra = TestPasses;

// --- test_passes.py ---

TEST_F(TestPasses, test_view_to_view_copy) {
  read(R"(def forward(self, x: "f32[4, 2, 3]"):
    view = torch.ops.aten.view.default(x, [4, 2, 3])
    cos = torch.ops.aten.cos.default(view)
    sum_1 = torch.ops.aten.sum.default(cos)
    return (sum_1,)
)");
  EXPECT_EQ(count(program.graph(), "torch.ops.aten.view.default"), 1U);
  const Graph& after = run("replace_view_ops_with_view_copy_ops");
  EXPECT_EQ(count(after, "torch.ops.aten.view.default"), 0U);
  EXPECT_EQ(count(after, "torch.ops.aten.view_copy.default"), 1U);
}

TEST_F(TestPasses, test_functionalization_with_view_copy) {
  read(R"(def forward(self, x: "f32[4, 2, 3]"):
    add = torch.ops.aten.add.Tensor(x, 4)
    add_ = torch.ops.aten.add_.Tensor(add, 4)
    view = torch.ops.aten.view.default(add_, [4, 2, 3])
    cos = torch.ops.aten.cos.default(x)
    cos_1 = torch.ops.aten.cos.default(view)
    add_1 = torch.ops.aten.add.Tensor(cos, cos_1)
    return (add_1,)
)");
  const Graph& after = run("replace_view_ops_with_view_copy_ops");
  EXPECT_EQ(count(after, "torch.ops.aten.view.default"), 0U);
  EXPECT_GT(count(after, "torch.ops.aten.view_copy.default"), 0U);
}

TEST_F(TestPasses, test_views_op_having_view_copy) {
  const Registry& registry = Registry::builtin();
  for (const char* view :
       {"alias", "as_strided", "detach", "diagonal", "expand", "permute", "select.int",
        "slice.Tensor", "split_with_sizes", "squeeze", "squeeze.dim", "squeeze.dims", "t",
        "transpose.int", "unbind.int", "unsqueeze", "view"}) {
    const size_t dot = std::string_view(view).find('.');
    const std::string packet(std::string_view(view).substr(0, dot));
    const std::string overload =
        dot == std::string_view::npos ? "default" : std::string(view).substr(dot + 1);
    EXPECT_NE(registry.find(format("torch.ops.aten.{}_copy.{}", packet, overload)), kNoOp) << view;
  }
}

TEST_F(TestPasses, test_runtime_assert_inline_constraints_for_item) {
  read(R"fx(def forward(self, x: "i64[1]"):
    item = torch.ops.aten.item.default(x)
    ge_1 = item >= 2
    _assert_scalar_default = torch.ops.aten._assert_scalar.default(ge_1, "u0 >= 2")
    le_1 = item <= 5
    _assert_scalar_default_1 = torch.ops.aten._assert_scalar.default(le_1, "u0 <= 5")
    return (item,)
)fx");
  const Graph& after = run("insert_deferred_runtime_asserts");
  EXPECT_EQ(count(after, "torch.ops.aten._assert_scalar.default"), 2U) << graph_text(after);
}

TEST_F(TestPasses, test_runtime_assert_inline_constraints_for_nonzero) {
  read(R"fx(def forward(self, x: "i64[s77]"):
    nonzero = torch.ops.aten.nonzero.default(x)
    sym_size_int_2 = torch.ops.aten.sym_size.int(nonzero, 0)
    ge_1 = sym_size_int_2 >= 3
    _assert_scalar_default = torch.ops.aten._assert_scalar.default(ge_1, "u0 >= 3")
    le_1 = sym_size_int_2 <= 5
    _assert_scalar_default_1 = torch.ops.aten._assert_scalar.default(le_1, "u0 <= 5")
    return (nonzero,)
)fx");
  const Graph& after = run("insert_deferred_runtime_asserts");
  EXPECT_EQ(count(after, "torch.ops.aten._assert_scalar.default"), 2U) << graph_text(after);
}

TEST_F(TestPasses, test_math_ops) {
  read(R"(def forward(self, x: "f32[1]"):
    item = torch.ops.aten.item.default(x)
    ceil = math.ceil(item)
    scalar_tensor = torch.ops.aten.scalar_tensor.default(ceil, dtype = torch.int64)
    floor = math.floor(item)
    scalar_tensor_1 = torch.ops.aten.scalar_tensor.default(floor, dtype = torch.int64)
    return (scalar_tensor, scalar_tensor_1)
)");
  const std::string before = graph_text(program.graph());
  EXPECT_EQ(graph_text(run("export_pass")), before);
}

constexpr const char* kMultiDep = R"(def forward(self, x1: "f32[2, 2]", x2: "f32[2, 2]"):
    _set_grad_enabled = torch._C._set_grad_enabled(True)
    add = torch.ops.aten.add.Tensor(x1, 1)
    add_1 = torch.ops.aten.add.Tensor(x2, 1)
    _set_grad_enabled_1 = torch._C._set_grad_enabled(False)
    sin = torch.ops.aten.sin.default(add)
    cos = torch.ops.aten.cos.default(add_1)
    _set_grad_enabled_2 = torch._C._set_grad_enabled(True)
    add_2 = torch.ops.aten.add.Tensor(sin, 1)
    add_3 = torch.ops.aten.add.Tensor(cos, 1)
    _set_grad_enabled_3 = torch._C._set_grad_enabled(False)
    sub = torch.ops.aten.sub.Tensor(add_2, 1)
    sub_1 = torch.ops.aten.sub.Tensor(add_3, 1)
    return (add_2, add_3, sub, sub_1)
)";

TEST_F(TestPasses, test_sequential_split) {
  read(kMultiDep);
  const SequentialParts parts = split();
  EXPECT_EQ(parts.calls.size(), count(program.graph(), kSetGradEnabled));
  for (const auto& [call, part] : parts.calls) EXPECT_EQ(count(*part, kSetGradEnabled), 1U);
}

TEST_F(TestPasses, test_sequential_split_graph) {
  read(kMultiDep);
  const SequentialParts parts = split();
  EXPECT_EQ(graph_text(*parts.main), R"(graph():
    %x1 : [num_users=1] = placeholder[target=x1]
    %x2 : [num_users=1] = placeholder[target=x2]
    %submod_1 : [num_users=2] = call_module[target=submod_1](args = (%x1, %x2), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%submod_1, 0), kwargs = {})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%submod_1, 1), kwargs = {})
    %submod_2 : [num_users=2] = call_module[target=submod_2](args = (%getitem, %getitem_1), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%submod_2, 0), kwargs = {})
    %getitem_3 : [num_users=1] = call_function[target=operator.getitem](args = (%submod_2, 1), kwargs = {})
    %submod_3 : [num_users=2] = call_module[target=submod_3](args = (%getitem_2, %getitem_3), kwargs = {})
    %getitem_4 : [num_users=2] = call_function[target=operator.getitem](args = (%submod_3, 0), kwargs = {})
    %getitem_5 : [num_users=2] = call_function[target=operator.getitem](args = (%submod_3, 1), kwargs = {})
    %submod_4 : [num_users=2] = call_module[target=submod_4](args = (%getitem_4, %getitem_5), kwargs = {})
    %getitem_6 : [num_users=1] = call_function[target=operator.getitem](args = (%submod_4, 0), kwargs = {})
    %getitem_7 : [num_users=1] = call_function[target=operator.getitem](args = (%submod_4, 1), kwargs = {})
    return (getitem_4, getitem_5, getitem_6, getitem_7))");
  EXPECT_EQ(graph_text(*parts.calls[1].second), R"(graph():
    %add : [num_users=1] = placeholder[target=add]
    %add_1 : [num_users=1] = placeholder[target=add_1]
    %_set_grad_enabled_1 : [num_users=0] = call_function[target=torch._C._set_grad_enabled](args = (False,), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%add,), kwargs = {})
    %cos : [num_users=1] = call_function[target=torch.ops.aten.cos.default](args = (%add_1,), kwargs = {})
    return (sin, cos))");
}

// Parts that become no bodies are put back: the graph is what it was, without the switches.
TEST_F(TestPasses, test_inline_) {
  std::string text = kMultiDep;
  for (size_t at = text.find("False"); at != std::string::npos; at = text.find("False"))
    text.replace(at, 5, "True");
  read(text);
  std::string expected;
  const std::string before = readable_text(program.graph());
  for (size_t at = 0; at < before.size();) {
    const size_t end = std::min(before.find('\n', at), before.size() - 1) + 1;
    const std::string line = before.substr(at, end - at);
    if (line.find("_set_grad_enabled") == std::string::npos) expected += line;
    at = end;
  }
  EXPECT_EQ(readable_text(run("replace_set_grad_with_hop")), expected);
}

TEST_F(TestPasses, test_predispatceh_set_grad) {
  constexpr const char* kText = R"(def forward(self, x: "f32[2, 2]"):
    add = torch.ops.aten.add.Tensor(x, 1)
    _set_grad_enabled = torch._C._set_grad_enabled(True)
    sin = torch.ops.aten.sin.default(add)
    sum_1 = torch.ops.aten.sum.default(sin)
    _set_grad_enabled_1 = torch._C._set_grad_enabled(False)
    add_1 = torch.ops.aten.add.Tensor(sum_1, 1)
    _set_grad_enabled_2 = torch._C._set_grad_enabled(True)
    sub = torch.ops.aten.sub.Tensor(add_1, 1)
    return (add_1, sub)
)";
  read(kText);
  EXPECT_EQ(graph_text(run("replace_set_grad_with_hop")), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {})
    %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](args = (%add,), kwargs = {})
    %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.default](args = (%sin,), kwargs = {})
    %submod_4 : [num_users=1] = get_attr[target=submod_2]
    %add_1 : [num_users=1] = call_function[target=torch.ops.higher_order.wrap_with_set_grad_enabled](args = (False, %submod_4, %sum_1), kwargs = {})
    %getitem : [num_users=2] = call_function[target=operator.getitem](args = (%add_1, 0), kwargs = {})
    %sub : [num_users=1] = call_function[target=torch.ops.aten.sub.Tensor](args = (%getitem, 1), kwargs = {})
    return (getitem, sub))");
  EXPECT_EQ(graph_text(*subject->graph->submodules()[0].graph), R"(graph():
    %sum_1 : [num_users=1] = placeholder[target=sum_1]
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%sum_1, 1), kwargs = {})
    return (add_1,))");
}

TEST_F(TestPasses, AnAutocastRegionThatIsNeverLeftIsRefused) {
  read(R"(def forward(self, x: "f32[2, 2]"):
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, False)
    mm = torch.ops.aten.mm.default(x, x)
    return (mm,)
)");
  try {
    run("replace_autocast_with_hop");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kAssertionError);
    EXPECT_EQ(error.message(), "autocast must exit");
  }
}

TEST_F(TestPasses, test_predispatch_autocast) {
  read(R"(def forward(self, x: "f32[2, 2]"):
    add = torch.ops.aten.add.Tensor(x, 1)
    _enter_autocast = torch.amp.autocast_mode._enter_autocast('cpu', None, True, None)
    sin = torch.ops.aten.sin.default(add)
    sum_1 = torch.ops.aten.sum.default(sin)
    _exit_autocast = torch.amp.autocast_mode._exit_autocast(_enter_autocast)
    _enter_autocast_1 = torch.amp.autocast_mode._enter_autocast('cpu', None, False, None)
    add_1 = torch.ops.aten.add.Tensor(sum_1, 1)
    _exit_autocast_1 = torch.amp.autocast_mode._exit_autocast(_enter_autocast_1)
    _enter_autocast_2 = torch.amp.autocast_mode._enter_autocast('cpu', None, True, None)
    sub = torch.ops.aten.sub.Tensor(add_1, 1)
    _exit_autocast_2 = torch.amp.autocast_mode._exit_autocast(_enter_autocast_2)
    return (add_1, sub)
)");
  EXPECT_EQ(code_text(run("replace_autocast_with_hop")), R"(


def forward(self, x):
    add = torch.ops.aten.add.Tensor(x, 1);  x = None
    submod_4 = self.submod_1
    sum_1 = torch.ops.higher_order.wrap_with_autocast('cpu', None, True, None, submod_4, add);  submod_4 = add = None
    getitem = sum_1[0];  sum_1 = None
    submod_5 = self.submod_2
    add_1 = torch.ops.higher_order.wrap_with_autocast('cpu', None, False, None, submod_5, getitem);  submod_5 = getitem = None
    getitem_1 = add_1[0];  add_1 = None
    submod_6 = self.submod_3
    sub = torch.ops.higher_order.wrap_with_autocast('cpu', None, True, None, submod_6, getitem_1);  submod_6 = None
    getitem_2 = sub[0];  sub = None
    return (getitem_1, getitem_2)
    )");
  ASSERT_EQ(subject->graph->submodules().size(), 3U);
  EXPECT_EQ(code_text(*subject->graph->submodules()[0].graph), R"(


def forward(self, add):
    sin = torch.ops.aten.sin.default(add);  add = None
    sum_1 = torch.ops.aten.sum.default(sin);  sin = None
    return (sum_1,)
    )");
}

TEST_F(TestPasses, test_remove_auto_functionalized_pass) {
  mode.library().define("mylib::custom_mutator(Tensor x, Tensor(a!) y) -> Tensor");
  read(R"(def forward(self, b_state: "f32[1]", x: "f32[3, 3]"):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.custom_mutator.default, x = x, _y_base_index = 0, _all_bases = [b_state])
    getitem = auto_functionalized_v2[0]
    getitem_1 = auto_functionalized_v2[1]
    return (getitem_1, getitem)
)");
  run("remove_auto_functionalized");
  EXPECT_EQ(names(*subject->graph),
            (std::vector<std::string>{"b_state", "x", "custom_mutator_default", "output"}));
}

TEST_F(TestPasses, test_remove_auto_functionalized_pass_tuple) {
  mode.library().define("mylib::custom_mutator_tuple(Tensor x, Tensor(a!) y) -> (Tensor, Tensor)");
  read(R"(def forward(self, b_state: "f32[1]", x: "f32[3, 3]"):
    auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.custom_mutator_tuple.default, x = x, _y_base_index = 0, _all_bases = [b_state])
    getitem = auto_functionalized_v2[0]
    getitem_1 = auto_functionalized_v2[1]
    getitem_2 = auto_functionalized_v2[2]
    return (getitem_2, getitem, getitem_1)
)");
  EXPECT_EQ(graph_text(run("remove_auto_functionalized")), R"(graph():
    %b_state : [num_users=2] = placeholder[target=b_state]
    %x : [num_users=1] = placeholder[target=x]
    %custom_mutator_tuple_default : [num_users=2] = call_function[target=torch.ops.mylib.custom_mutator_tuple.default](args = (%x, %b_state), kwargs = {})
    %getitem_3 : [num_users=1] = call_function[target=operator.getitem](args = (%custom_mutator_tuple_default, 0), kwargs = {})
    %getitem_4 : [num_users=1] = call_function[target=operator.getitem](args = (%custom_mutator_tuple_default, 1), kwargs = {})
    return (b_state, getitem_3, getitem_4))");
}

TEST_F(TestPasses, test_move_device_to) {
  read(R"(def forward(self, x: "f32[3]"):
    _assert_tensor_metadata_default = torch.ops.aten._assert_tensor_metadata.default(x, dtype = torch.float32, device = device(type='cpu'), layout = torch.strided)
    to = torch.ops.aten.to.device(x, device(type='cuda', index=0), torch.float32)
    add = torch.ops.aten.add.Tensor(to, to)
    return (add,)
)");
  EXPECT_EQ(code_text(run("move_to_device/cuda")), R"(


def forward(self, x):
    _assert_tensor_metadata_default = torch.ops.aten._assert_tensor_metadata.default(x, dtype = torch.float32, device = 'cuda', layout = torch.strided);  _assert_tensor_metadata_default = None
    to = torch.ops.aten.to.device(x, 'cuda', torch.float32);  x = None
    add = torch.ops.aten.add.Tensor(to, to);  to = None
    return (add,)
    )");
}

TEST_F(TestPasses, test_move_device_submod) {
  read(R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3]"):
        submod_3 = self.submod_1
        add = torch.ops.higher_order.wrap_with_autocast('cuda', torch.bfloat16, True, True, submod_3, x)
        getitem: "f32[3]" = add[0]
        return (getitem,)

    class submod_1(torch.nn.Module):
        def forward(self, arg0_1: "f32[3]"):
            _assert_tensor_metadata_default = torch.ops.aten._assert_tensor_metadata.default(arg0_1, dtype = torch.float32, device = device(type='cpu'), layout = torch.strided)
            to: "f32[3]" = torch.ops.aten.to.dtype_layout(arg0_1, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0))
            add: "f32[3]" = torch.ops.aten.add.Tensor(to, to)
            return (add,)
)");
  run("move_to_device/cuda");
  EXPECT_EQ(code_text(*subject->graph->submodules()[0].graph), R"(


def forward(self, arg0_1):
    _assert_tensor_metadata_default = torch.ops.aten._assert_tensor_metadata.default(arg0_1, dtype = torch.float32, device = 'cuda', layout = torch.strided);  _assert_tensor_metadata_default = None
    to = torch.ops.aten.to.dtype_layout(arg0_1, dtype = torch.float32, layout = torch.strided, device = 'cuda');  arg0_1 = None
    add = torch.ops.aten.add.Tensor(to, to);  to = None
    return (add,)
    )");
}

// --- test_pass_infra.py ---

class NullPass final : public ExportPass {
 public:
  using ExportPass::ExportPass;
};

TEST_F(TestPassInfra, test_export_pass_base) {
  read(R"(def forward(self, x: "f32[3, 2]"):
    cat = torch.ops.aten.cat.default([x, x])
    tensor_split = torch.ops.aten.tensor_split.sections(cat, 2)
    getitem = tensor_split[0]
    getitem_1 = tensor_split[1]
    return (getitem, getitem_1)
)");
  const std::string before = graph_text(program.graph());
  for (const NodeId id : program.graph().order()) {
    program.graph().meta(id).stack_trace = program.strings().intern("a line of code");
  }
  NullPass(*subject).run();
  EXPECT_EQ(graph_text(*subject->graph), before);
  for (const NodeId id : subject->graph->order()) {
    const bool is_call = subject->graph->node(id).kind == NodeKind::kCallFunction;
    EXPECT_EQ(is_call && subject->graph->node(id).stack_trace == 0, false)
        << subject->graph->name_of(id);
  }
}

TEST_F(TestPassInfra, test_cond) {
  read(R"(class GraphModule(torch.nn.Module):
    def forward(self, pred: "b8[]", x: "i64[1]", y: "i64[1]"):
        true_graph_0 = self.true_graph_0
        false_graph_0 = self.false_graph_0
        cond = torch.ops.higher_order.cond(pred, true_graph_0, false_graph_0, (x, y))
        getitem: "i64[1]" = cond[0]
        return (getitem,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x: "i64[1]", y: "i64[1]"):
            sub: "i64[1]" = torch.ops.aten.sub.Tensor(x, y)
            return (sub,)

    class false_graph_0(torch.nn.Module):
        def forward(self, x: "i64[1]", y: "i64[1]"):
            add: "i64[1]" = torch.ops.aten.add.Tensor(x, y)
            return (add,)
)");
  EXPECT_TRUE(NullPass(*subject).run().modified);
  EXPECT_EQ(count(*subject->graph, "torch.ops.higher_order.cond"), 1U);
  EXPECT_EQ(subject->graph->submodules().size(), 2U);
}

constexpr const char* kCustomModule =
    R"(def forward(self, p_my_parameter: "f32[]", b_my_buffer1: "f32[]", b_my_buffer2: "f32[]", x1: "f32[1]", x2: "f32[1]"):
    add = torch.ops.aten.add.Tensor(x1, p_my_parameter)
    mul = torch.ops.aten.mul.Tensor(add, b_my_buffer1)
    mul_1 = torch.ops.aten.mul.Tensor(x2, b_my_buffer2)
    add_1 = torch.ops.aten.add.Tensor(mul, mul_1)
    add_2 = torch.ops.aten.add.Tensor(b_my_buffer2, 1.0)
    return (add_2, add_1)
)";

TEST_F(TestPassInfra, test_node_name_stability) {
  read(kCustomModule);
  const std::vector<std::string> before = names(program.graph());
  NullPass(*subject).run();
  EXPECT_EQ(names(*subject->graph), before);
}

class ModifyInputOutputPass final : public ExportPass {
 public:
  using ExportPass::ExportPass;

 private:
  ProxyValue placeholder(std::string_view name, const Value& value,
                         const NodeMetadata& meta) override {
    return ExportPass::placeholder(format("{}_modified", name), value, meta);
  }
  ProxyValue call_operator(std::string_view op, Args args, Keywords kwargs,
                           const NodeMetadata& meta) override {
    std::vector<ProxyValue> again(args.begin(), args.end());
    again[0] = ExportPass::call_operator(op, args, kwargs, meta);
    return ExportPass::call_operator(op, again, kwargs, meta);
  }
};

// Results and inputs are told by their places here: what they are called is the graph's to say.
TEST_F(TestPassInfra, test_graph_signature_updated_after_transformation) {
  read(kCustomModule);
  const std::string before = node_text(program.graph(), program.graph().last());
  ModifyInputOutputPass(*subject).run();
  const Graph& after = *subject->graph;
  for (NodeId id = after.first(); after.node(id).kind == NodeKind::kPlaceholder;
       id = after.next(id))
    EXPECT_NE(after.name_of(id).find("_modified"), std::string::npos);
  EXPECT_NE(node_text(after, after.last()), before);
}

}  // namespace
}  // namespace faketensor
