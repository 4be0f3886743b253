// Overloads that follow from their functional rows: out= variants.

#include <gtest/gtest.h>

#include "tests/unit/ops/expect_call.h"

namespace faketensor {
namespace {

TEST(Derived, OutOverloadsHaveTheSchemasOfPyTorch) {
  const Registry& registry = Registry::builtin();
  const std::string_view expected[] = {
      "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
      "aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, "
      "Tensor(b!) max_values) -> (Tensor(a!) values, Tensor(b!) indices)",
      "aten::ones.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)",
      "aten::unbind_copy.int_out(Tensor self, int dim=0, *, Tensor(a!)[] out) -> ()",
      "aten::nll_loss_forward.output(Tensor self, Tensor target, Tensor? weight, int reduction, "
      "SymInt ignore_index, *, Tensor(a!) output, Tensor(b!) total_weight) -> (Tensor(a!), "
      "Tensor(b!))",
  };
  for (const std::string_view schema : expected) {
    const OpId id = registry.find(schema.substr(0, schema.find('(')));
    ASSERT_NE(id, kNoOp) << schema;
    EXPECT_EQ(registry.entry(id).schema.text, schema);
  }
}

TEST(Derived, EveryKernelWritesItsOwnWay) {
  const CallCase cases[] = {
      // out_wrapper: contiguous when resized, safe casts only.
      {"aten::sin.out", {"f32[2,3]", "out=f32[0]"}, "f32[2, 3]"},
      {"aten::add.out", {"f32[3,2]", "f32[2]", "out=f64[3,2]"}, "f64[3, 2]"},
      {"aten::add.out",
       {"f32[3,2]", "f32[2]", "out=i32[3,2]"},
       "RuntimeError: Attempting to cast from torch.float32 to out tensor with dtype torch.int32, "
       "but this can't be cast because it is not safe!"},
      {"aten::mm.out",
       {"f32[3,2]", "f32[2,4]", "out=f64[3,4]"},
       "RuntimeError: Expected out tensor to have dtype torch.float32 but got torch.float64 "
       "instead"},
      // Generated and structured kernels name C++'s types.
      {"aten::topk.values",
       {"f32[4]", "2", "values=f64[2]", "indices=i64[2]"},
       "RuntimeError: Expected out tensor to have dtype float, but got double instead"},
      // Devices are compared when the result is wrapped.
      {"aten::sin.out",
       {"f32[2]", "out=f32[2]@cuda"},
       "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at "
       "least two devices, cpu and cuda:0!"},
      // A decomposition compares them first.
      {"aten::hardswish.out",
       {"f32[2]", "out=f32[2]@cuda"},
       "RuntimeError: Attempting to copy from device cpu to device cuda:0, but cross-device copies "
       "are not allowed!"},
      // A composite hands its output on.
      {"aten::hstack.out", {"[f32[2],f32[3]]", "out=f32[0]"}, "f32[5]"},
      {"aten::_stack.out", {"[f32[2,3],f32[2,3]]", "0", "out=f32[0]"}, "f32[4, 3]"},
      {"aten::fft_rfft.out",
       {"f32[8]", "out=f32[0]"},
       "RuntimeError: rfft expects a complex output tensor, but got Float"},
      // FakeTensorMode adds a device to the arguments of factories.
      {"aten::zeros_like.out",
       {"f32[2]", "out=f32[2]"},
       "RuntimeError: aten::zeros_like() expected at most 3 argument(s) but received 4 "
       "argument(s). Declaration: aten::zeros_like.out(Tensor self, *, MemoryFormat? "
       "memory_format=None, Tensor(a!) out) -> Tensor(a!)"},
  };
  for (const CallCase& test : cases) {
    expect_call(test.op, test.args, test.answer);
  }
}

}  // namespace
}  // namespace faketensor
