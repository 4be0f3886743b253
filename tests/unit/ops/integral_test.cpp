#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Integral, IntegratesAlongADimension) {
  const CallCase cases[] = {
      {"aten::trapezoid.dx", {"f32[2,3]"}, "f32[2]"},
      {"aten::trapezoid.x", {"i64[2,3]", "f32[3]"}, "f32[2]"},
      {"aten::trapezoid.x", {"f32[0,3]", "f32[2]", "dim=0"}, "f32[3]"},
      {"aten::trapz.dx", {"f16[2,3]", "dim=0"}, "f16[3]"},
      {"aten::trapz.x", {"f32[2,3]", "f32[2,3]"}, "f32[2]"},
      {"aten::cumulative_trapezoid.dx", {"f32[2,3]"}, "f32[2, 2]"},
      {"aten::cumulative_trapezoid.x", {"f32[2,3]", "f32[3]"}, "f32[2, 2]"},
      {"aten::trapezoid.x",
       {"f32[2,3]", "f32[2]"},
       "RuntimeError: trapezoid: There must be one `x` value for each sample point"},
      {"aten::trapezoid.dx",
       {"bool[2]"},
       "RuntimeError: trapezoid: received a bool input for `y`, but bool is not supported"},
      {"aten::cumulative_trapezoid.dx",
       {"f32[2]", "dx=True"},
       "RuntimeError: cumulative_trapezoid: Currently, we only support dx as a real number."},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Integral, Differentiates) {
  const CallCase cases[] = {
      {"aten::gradient.scalarint", {"f32[2,3]"}, "(f32[2, 3], f32[2, 3])"},
      {"aten::gradient.array", {"i64[3,3]", "dim=[1]", "edge_order=2"}, "(f32[3, 3])"},
      {"aten::gradient.scalararray", {"f32[2,3]", "spacing=2", "dim=[0]"}, "(f32[2, 3])"},
      {"aten::gradient.scalarrayint", {"f32[3]", "spacing=[2]"}, "(f32[3])"},
      {"aten::gradient.scalarrayarray", {"f32[3]", "spacing=[2]", "dim=[0]"}, "(f32[3])"},
      {"aten::gradient.tensorarrayint", {"f32[3]", "spacing=[f64[3]]", "dim=0"}, "(f64[3])"},
      {"aten::gradient.tensorarray",
       {"f32[3,2]", "spacing=[f32[3]]", "dim=[0]", "edge_order=2"},
       "(f32[3, 2])"},
      {"aten::gradient.array",
       {"f32[3]", "dim=[0,0]"},
       "RuntimeError: dim 0 appears multiple times in the list of dims"},
      {"aten::gradient.array",
       {"f32[3]", "dim=[0]", "edge_order=3"},
       "RuntimeError: torch.gradient only supports edge_order=1 and edge_order=2."},
      {"aten::gradient.scalarint",
       {"f32[1]"},
       "RuntimeError: torch.gradient expected each dimension size to be at least edge_order+1"},
      {"aten::gradient.scalarint",
       {"u8[3]"},
       "RuntimeError: torch.gradient does not support uint8 input."},
      {"aten::gradient.scalarrayarray",
       {"f32[3]", "spacing=[1,2]", "dim=[0]"},
       "RuntimeError: torch.gradient expected spacing to be unspecified, a scalar or it's spacing "
       "and dim arguments to have the same length, but got a spacing argument of length 2 and a "
       "dim "
       "argument of length 1."},
      {"aten::gradient.scalarrayint",
       {"f32[3,3,3]", "spacing=[1,2]"},
       "RuntimeError: torch.gradient expected spacing to be unspecified, a scalar, or a list of "
       "length equal to 'self.dim() = 3', since dim argument was not given, but got a list of "
       "length 2"},
      {"aten::gradient.tensorarray",
       {"f32[3]", "spacing=[f32[3,1]]", "dim=[0]"},
       "RuntimeError: torch.gradient expected each element of spacing to have one dimension, but "
       "got an element with 2 dimensions!"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(Integral, FindsQuantiles) {
  const CallCase cases[] = {
      {"aten::quantile", {"f32[2,3]", "f32[]"}, "f32[]"},
      {"aten::quantile",
       {"f32[3,2,1,2]", "f32[2]", "2", "True"},
       "f32[2, 3, 2, 1, 2] strides [1, 8, 4, 4, 2]"},
      {"aten::quantile",
       {"f64[2,3]", "f64[4]", "1", "interpolation=lower"},
       "f64[4, 2] strides [1, 4]"},
      {"aten::quantile.scalar", {"f32[2,3]", "0.5", "0"}, "f32[3]"},
      {"aten::nanquantile", {"f32[2,3]", "f32[2]", "0"}, "f32[2, 3] strides [1, 2]"},
      {"aten::nanquantile.scalar", {"f32[2,3]", "0.5", "0", "True"}, "f32[1, 3]"},
      {"aten::quantile",
       {"f32[0]", "f32[]"},
       "RuntimeError: quantile() input tensor must be non-empty"},
      {"aten::quantile",
       {"f32[2]", "f32[1,1]"},
       "RuntimeError: quantile() q must be a scalar or 1D tensor"},
      {"aten::quantile",
       {"i64[2]", "i64[]"},
       "RuntimeError: quantile() input tensor must be either float or double dtype"},
      {"aten::quantile",
       {"f32[2]", "f64[]"},
       "RuntimeError: quantile() q tensor must be same dtype as the input tensor"},
      {"aten::quantile.scalar",
       {"f32[2]", "2.0"},
       "RuntimeError: quantile() q must be in the range [0, 1] but got 2"},
      {"aten::quantile",
       {"f32[2]", "f32[]", "interpolation=odd"},
       "RuntimeError: quantile() interpolation must be one of linear, lower, higher, midpoint or "
       "nearest, but got odd"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
