// Functionalization undone: the operators that auto_functionalized calls write to what they are given.
// The graphs after the pass are what PyTorch prints for these programs.
#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/ops/library.h"
#include "core/support/error.h"
#include "core/support/format.h"
#include "text_fixture.h"

namespace faketensor {
namespace {

class RemoveAutoFunctionalized : public TextFixture {
 protected:
  void define(std::string_view schema) { mode.library().define(schema); }
  std::string after(const std::string& text) {
    read(text);
    return graph_text(run("remove_auto_functionalized"));
  }
};

TEST_F(RemoveAutoFunctionalized, APartIsASliceOfItsBaseAndADefaultIsLeftOut) {
  define("mylib::one(Tensor x, Tensor(a!) y, *, int n=1) -> Tensor");
  EXPECT_EQ(after(R"(def forward(self, b_state: "f32[4, 3]", x: "f32[4, 3]"):
    first = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.one.default, x = x, n = 3, _y_base_index = 0, _y_slice_dim = 0, _y_slice_start = 1, _y_slice_end = 3, _all_bases = [b_state])
    getitem = first[0]
    getitem_1 = first[1]
    second = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.one.default, x = x, n = 1, _y_base_index = 0, _y_size = (3, 4), _y_stride = (1, 3), _y_storage_offset = 0, _all_bases = [getitem_1])
    getitem_3 = second[1]
    add = torch.ops.aten.add.Tensor(getitem, getitem_3)
    return (getitem_3, add)
)"),
            R"(graph():
    %b_state : [num_users=4] = placeholder[target=b_state]
    %x : [num_users=2] = placeholder[target=x]
    %slice_tensor : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%b_state, 0, 1, 3), kwargs = {})
    %one_default : [num_users=1] = call_function[target=torch.ops.mylib.one.default](args = (%x, %slice_tensor), kwargs = {n: 3})
    %as_strided_default : [num_users=1] = call_function[target=torch.ops.aten.as_strided.default](args = (%b_state, [3, 4], [1, 3], 0), kwargs = {})
    %one_default_1 : [num_users=0] = call_function[target=torch.ops.mylib.one.default](args = (%x, %as_strided_default), kwargs = {})
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%one_default, %b_state), kwargs = {})
    return (b_state, add))");
}

TEST_F(RemoveAutoFunctionalized, ListsAreListsAndWhatIsNotGivenIsNone) {
  define("mylib::none(Tensor(a!)[] ys, Tensor x, int k=2) -> ()");
  define("mylib::opt(Tensor(a!)? y, Tensor(b!) z) -> ()");
  EXPECT_EQ(after(R"(def forward(self, x: "f32[4, 3]"):
    add = torch.ops.aten.add.Tensor(x, 1)
    mul = torch.ops.aten.mul.Tensor(x, 2)
    first = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.none.default, x = x, k = 2, _ys_length = 2, _ys_0_base_index = 0, _ys_0_slice_dim = 0, _ys_0_slice_start = 0, _ys_0_slice_end = 2, _ys_1_base_index = 1, _all_bases = [add, mul])
    getitem_1 = first[1]
    getitem_2 = first[2]
    second = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.opt.default, _y_base_index = None, _z_base_index = 0, _z_alias = True, _all_bases = [getitem_2])
    getitem_4 = second[1]
    add_1 = torch.ops.aten.add.Tensor(getitem_1, 1)
    return (add_1, getitem_4)
)"),
            R"(graph():
    %x : [num_users=3] = placeholder[target=x]
    %add : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {})
    %mul : [num_users=3] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x, 2), kwargs = {})
    %slice_tensor : [num_users=1] = call_function[target=torch.ops.aten.slice.Tensor](args = (%add, 0, 0, 2), kwargs = {})
    %none_default : [num_users=0] = call_function[target=torch.ops.mylib.none.default](args = ([%slice_tensor, %mul], %x), kwargs = {})
    %alias_default : [num_users=1] = call_function[target=torch.ops.aten.alias.default](args = (%mul,), kwargs = {})
    %opt_default : [num_users=0] = call_function[target=torch.ops.mylib.opt.default](args = (None, %alias_default), kwargs = {})
    %add_1 : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%add, 1), kwargs = {})
    return (add_1, mul))");
}

TEST_F(RemoveAutoFunctionalized, TheFirstVersionGivesWhatIsWrittenToItself) {
  EXPECT_EQ(after(R"(def forward(self, x: "f32[2]", y: "f32[2]"):
    auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.aten.add_.Tensor, self = x, other = y, alpha = 2)
    getitem_1 = auto_functionalized[1]
    copy_ = torch.ops.aten.copy_.default(x, getitem_1)
    return (copy_,)
)"),
            R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %add__tensor : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%x, %y), kwargs = {alpha: 2})
    return (x,))");
}

// A file does not have the schemas of custom operators. Keywords tell of version 2 what is written to.
TEST_F(RemoveAutoFunctionalized, AnOperatorThatNobodyDefinedIsCalledByKeywords) {
  EXPECT_EQ(after(R"(def forward(self, x: "f32[4]", y: "f32[4]"):
    first = torch.ops.higher_order.auto_functionalized_v2(torch.ops.other.write.default, x = x, n_base_index = 7, _ys_length = 2, _ys_0_base_index = 0, _ys_1_base_index = 1, _all_bases = [x, y])
    getitem_1 = first[1]
    getitem_2 = first[2]
    return (getitem_1, getitem_2)
)"),
            R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %y : [num_users=2] = placeholder[target=y]
    %write_default : [num_users=0] = call_function[target=torch.ops.other.write.default](args = (), kwargs = {x: %x, n_base_index: 7, ys: [%x, %y]})
    return (x, y))");
}

TEST_F(RemoveAutoFunctionalized, TheFirstVersionOfAnOperatorThatNobodyDefinedIsRefused) {
  read(R"(def forward(self, x: "f32[4]"):
    first = torch.ops.higher_order.auto_functionalized(torch.ops.other.write.default, x = x)
    getitem_1 = first[1]
    return (getitem_1,)
)");
  try {
    run("remove_auto_functionalized");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupportedOperator);
    EXPECT_EQ(error.message(), "other.write.default");
  }
}

TEST_F(RemoveAutoFunctionalized, WhatIsNoCallOfAnOperatorIsRefused) {
  constexpr std::pair<const char*, const char*> kCalls[] = {
      {"x", "first: argument 0 must be a string"},
      {"torch.ops.aten.add_.Tensor, other = x, _self_base_index = 4, _all_bases = [x]",
       "list index out of range"},
      {"torch.ops.aten.add_.Tensor, other = x, _self_base_index = 0, _all_bases = 3",
       "list index out of range"},
      {"torch.ops.aten.add_.Tensor, other = x, _all_bases = [x]", "'_self_base_index'"}};
  for (const auto& [arguments, message] : kCalls) {
    read(
        format("def forward(self, x: \"f32[4]\"):\n"
               "    first = torch.ops.higher_order.auto_functionalized_v2({})\n"
               "    getitem_1 = first[1]\n"
               "    return (getitem_1,)\n",
               arguments));
    try {
      run("remove_auto_functionalized");
      FAIL() << arguments;
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), message);
    }
  }
}

TEST_F(RemoveAutoFunctionalized, AGraphWithoutSuchCallsStaysAsItIs) {
  read(R"(def forward(self, x: "f32[4]"):
    relu = torch.ops.aten.relu.default(x)
    return (relu,)
)");
  const std::string before = graph_text(program.graph());
  const PassResult result = find_pass("remove_auto_functionalized")->run(*subject, {});
  EXPECT_FALSE(result.modified);
  EXPECT_EQ(graph_text(*subject->graph), before);
}

}  // namespace
}  // namespace faketensor
