#include "core/ops/families/foreach.h"

#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Foreach, AppliesTheElementwiseOperatorToEachElement) {
  const CallCase cases[] = {
      {"aten::_foreach_sqrt", {"[i64[2],f16[3]{2}]"}, "(f32[2], f16[3])"},
      {"aten::_foreach_add.List", {"[f32[2,1],i8[]]", "[f32[3],f64[2]]"}, "(f32[2, 3], f64[2])"},
      {"aten::_foreach_add.ScalarList", {"[f32[2],i64[2]]", "[1,2.5]"}, "(f32[2], f32[2])"},
      {"aten::_foreach_mul.Tensor", {"[f32[2],f64[3]]", "f32[]"}, "(f32[2], f64[3])"},
      {"aten::_foreach_lerp.Scalar", {"[f32[2]]", "[f32[2]]", "0.5"}, "(f32[2])"},
      {"aten::_foreach_pow.ScalarAndTensor", {"2", "[f32[2],i32[3]]"}, "(f32[2], i32[3])"},
      {"aten::_foreach_norm.Scalar", {"[c64[2,3],f32[4]]"}, "(f32[], f32[])"},
      {"aten::_foreach_powsum.Scalar", {"[u8[2],c128[2]]"}, "(i64[], f64[])"},
      {"aten::_foreach_max", {"[f32[2,3]]"}, "(f32[])"},
      {"aten::_foreach_mm", {"[f32[2,3]]", "[f32[3,4]]"}, "(f32[2, 4])"},
      {"aten::_foreach_zero", {"[f32[2,3]{1,2}]"}, "(f32[2, 3] strides [1, 2])"},
      {"aten::_foreach_copy", {"[f32[2],f32[3]]", "[i64[2]]"}, "(f32[2])"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Foreach, DerivesWhatWritesToItsListOrToAnother) {
  const CallCase cases[] = {
      {"aten::_foreach_sqrt_", {"[f32[2],f16[3]]"}, "None"},
      {"aten::_foreach_pow_.List", {"[f32[2]]", "[f32[2]]"}, "None"},
      {"aten::_foreach_zero_", {"[f32[2]]"}, "None"},
      {"aten::_foreach_add.List_out", {"[f32[2]]", "[f32[2]]", "out=[f32[3]]"}, "None"},
      {"aten::_foreach_norm.Scalar_out", {"[f32[2]]", "out=[f32[]]"}, "None"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Foreach, FindsTheDeviceOfEachResultAmongTheListsElements) {
  const CallCase cases[] = {
      {"aten::_foreach_add.List",
       {"[f32[2]@cuda,f32[2]]", "[f32[],f32[2]]"},
       "(f32[2] cuda:0, f32[2])"},
      {"aten::_foreach_mul.Tensor", {"[f32[2]@cuda]", "f32[]@cuda:1"}, "(f32[2] cuda:0)"},
      {"aten::_foreach_add_.List", {"[f32[2]@cuda]", "[f32[2]]"}, "None"},
      {"aten::_foreach_add.List",
       {"[f32[2]@cuda]", "[f32[2]]"},
       "FakeTensorDeviceMismatchError: Expected all tensors to be on the same device, but found at "
       "least two devices, cuda:0 and cpu!"},
      {"aten::_foreach_copy", {"[f32[2]@cuda]", "[f32[2]]"}, "(f32[2] cuda:0)"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Foreach, Refuses) {
  const CallCase cases[] = {
      {"aten::_foreach_abs", {"[]"}, "RuntimeError: Tensor list must have at least one tensor."},
      {"aten::_foreach_add.List",
       {"[f32[2]]", "[f32[2],f32[2]]"},
       "RuntimeError: Tensor lists must have the same number of tensors, got 1 and 2"},
      {"aten::_foreach_add.ScalarList",
       {"[f32[2]]", "[1,2]"},
       "RuntimeError: Tensor list must have same number of elements as scalar list."},
      {"aten::_foreach_div.Tensor",
       {"[f32[2]]", "f32[1]"},
       "RuntimeError: scalar tensor expected to be 0 dim but it has 1 dimensions and 1 elements."},
      {"aten::_foreach_addcmul.Tensor",
       {"[f32[2]]", "[f32[2]]", "[f32[2]]", "f32[1]"},
       "RuntimeError: Expected scalars to be on CPU, got meta instead."},
      {"aten::_foreach_norm.Scalar",
       {"[f32[0]]", "inf"},
       "RuntimeError: _foreach_norm cannot compute infinity norm on empty tensor"},
      {"aten::_foreach_max",
       {"[f32[0]]"},
       "RuntimeError: _foreach_max cannot compute the maximum of an empty tensor; max over zero "
       "elements is undefined."},
      {"aten::_foreach_mm",
       {"[f32[2,2]]", "[]"},
       "RuntimeError: _foreach_mm: self and mat2 must have the same number of tensors"},
      {"aten::_foreach_abs.out",
       {"[f32[2]]", "out=[f16[2]]"},
       "RuntimeError: Expected out tensor to have dtype float, but got c10::Half instead"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Foreach, GradientScalingAndFusedOptimizers) {
  const CallCase cases[] = {
      {"aten::_amp_foreach_non_finite_check_and_unscale",
       {"[f16[2,1],f32[3]]", "f32[]", "f32[1]"},
       "((f16[2, 1], f32[3]), f32[])"},
      {"aten::_amp_foreach_non_finite_check_and_unscale_",
       {"[f32[2]]", "f32[2]", "f32[]"},
       "RuntimeError: found_inf must be a 1-element tensor."},
      {"aten::_amp_update_scale", {"f32[]", "i32[]", "f32[]", "2.0", "0.5", "1"}, "(f32[], i32[])"},
      {"aten::_fused_sgd_",
       {"[f32[2]]", "[f32[2]]", "[]", "weight_decay=0.", "momentum=0.", "lr=1.", "dampening=0.",
        "nesterov=False", "maximize=False", "is_first_step=True"},
       "None"},
      {"aten::_fused_adagrad",
       {"[f32[2]]", "[f32[2]]", "[f32[2]]", "[f32[]]", "lr=1.", "lr_decay=0.", "weight_decay=0.",
        "eps=0.", "maximize=False"},
       "((f32[2]), (f32[2]), (f32[2]), (f32[]))"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Foreach, ObserversQuantize) {
  const std::vector<std::string> state = {"f32[2,3]", "i64[1]", "i64[1]", "f32[1]",
                                          "f32[1]",   "f32[1]", "i32[1]", "0.01"};
  const auto with = [&](std::vector<std::string> rest) {
    std::vector<std::string> args = state;
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  expect_call("aten::_fused_moving_avg_obs_fq_helper", with({"0", "255", "0"}),
              "(f32[2, 3], b8[2, 3])");
  expect_call("aten::fused_moving_avg_obs_fake_quant", with({"0", "255", "0"}), "f32[2, 3]");
  expect_call("aten::_fused_moving_avg_obs_fq_helper_functional", with({"0", "255", "2"}),
              "RuntimeError: Error in fused_moving_avg_obs_fake_quant_cpu: ch_axis must be < "
              "self.dim()");
}

TEST(Foreach, NamesTheInPlaceOperator) {
  EXPECT_EQ(inplace_name("aten::add.Tensor"), "aten::add_.Tensor");
  EXPECT_EQ(inplace_name("aten::abs"), "aten::abs_");
}

}  // namespace
}  // namespace faketensor
