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

TEST(Derived, StructuredKernelsCheckWhatTheirMetaFunctionsDoNot) {
  constexpr std::string_view kExpanded =
      "RuntimeError: unsupported operation: more than one element of the written-to tensor refers "
      "to a single memory location. Please clone() the tensor before performing the operation.";
  const CallCase cases[] = {
      {"aten::gather.out", {"f32[6]", "0", "i64[3]", "out=f32[3]{0}"}, kExpanded},
      {"aten::index_reduce.out",
       {"f32[3]", "0", "i64[2]", "f32[2]", "prod", "out=f32[3]{0}"},
       kExpanded},
      {"aten::index.Tensor_out", {"f32[5]", "[i64[2]]", "out=f32[2]{0}"}, kExpanded},
      {"aten::index.Tensor_out",
       {"f32[0,5]", "[i64[2]]", "out=f32[0]"},
       "IndexError: index is out of bounds for dimension with size 0"},
      {"aten::index.Tensor_out",
       {"f32[5,5]", "[i64[2],i64[3]]", "out=f32[0]"},
       "IndexError: shape mismatch: indexing tensors could not be broadcast together with shapes "
       "[2], [3]"},
      {"aten::max.dim_max",
       {"f32[0,5]", "0", "max=f32[0]", "max_values=i64[0]"},
       "IndexError: max(): Expected reduction dim 0 to have non-zero size."},
      {"aten::argmax.out",
       {"c64[3]", "out=i64[0]"},
       "RuntimeError: argmax(): does not support complex input"},
      {"aten::linalg_inv_ex.inverse",
       {"f32[3]", "inverse=f32[0]", "info=i32[0]"},
       "RuntimeError: linalg.inv: The input tensor A must have at least 2 dimensions."},
      {"aten::fractional_max_pool2d.output",
       {"f32[1,1,4,4]", "[2,2]", "[2,2]", "f32[1,1,7]", "output=f32[0]", "indices=i64[0]"},
       "(f32[1, 1, 2, 2], i64[1, 1, 2, 2])"},
  };
  for (const CallCase& test : cases) expect_call(test.op, test.args, test.answer);
}

TEST(Derived, SomeOutputsAreDecompositionsOfTheirOwn) {
  const CallCase cases[] = {
      // Whatever dimensions follow the indexed ones stay.
      {"aten::upsample_nearest2d.out",
       {"f32[1,2,3,4,4]", "[3,3]", "out=f32[0]"},
       "f32[1, 2, 3, 3, 4]"},
      {"aten::max_pool2d_with_indices.out",
       {"f32[]", "[1,3]", "out=f32[0]", "indices=i64[0]"},
       "RuntimeError: Expected 3D or 4D input, got 0D"},
      {"aten::pixel_shuffle.out", {"f32[1,1,0,1]", "5", "out=f32[0]"}, "f32[1, 0, 0, 5]"},
      {"aten::nuclear_norm.out",
       {"f32[2,1]", "out=i64[]"},
       "RuntimeError: linalg.matrix_norm expected out tensor dtype Float but got: Long"},
      {"aten::sum.out", {"c64[5]", "out=i64[0]"}, "i64[]"},
      {"aten::cumsum.out",
       {"f32[]", "0", "dtype=int32", "out=f32[]"},
       "RuntimeError: dtype argument and out dtype must match in reduction"},
      {"aten::range.out", {"1", "1", "out=f32[]"}, "f32[]"},
      {"aten::arange.start_out",
       {"0", "64", "0.5", "out=i16[0]"},
       "RuntimeError: step must be nonzero"},
      {"aten::empty.out",
       {"[2]", "memory_format=contiguous_format", "out=f32[0]"},
       "RuntimeError: 'memory_format' argument is incompatible with 'out' tensor argument"},
      {"aten::normal.out", {"i64[2]", "0.5", "out=i64[2]"}, "i64[2]"},
      {"aten::normal.Tensor_Tensor_out",
       {"i64[2]", "i64[2]", "out=i64[2]"},
       "RuntimeError: expected a floating-point or complex dtype, but got dtype=torch.int64"},
      {"aten::diff.out",
       {"i32[3]", "0", "out=f64[3]"},
       "RuntimeError: expected scalar_type Int but found Double"},
      {"aten::_reshape_alias_copy", {"f32[6]", "[6]", "[-1]"}, "f32[6]"},
      {"aten::quantize_per_tensor_dynamic", {"f32[3]", "float16", "false"}, "f16[3]"},
  };
  for (const CallCase& test : cases) expect_call(test.op, test.args, test.answer);
}

}  // namespace
}  // namespace faketensor
