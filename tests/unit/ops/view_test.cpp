#include "core/symbolic/shape_env.h"
#include "expect_call.h"

namespace faketensor {
namespace {

TEST(View, GivesTheSameStorageAnotherShape) {
  const CallCase cases[] = {
      {"aten::view", {"f32[4,6]", "[2,-1]"}, "f32[2, 12]"},
      {"aten::view", {"f32[1,3]{7,1}", "[3]"}, "f32[3]"},
      {"aten::view", {"f32[0,3]", "[3,0]"}, "f32[3, 0]"},
      {"aten::_unsafe_view", {"f32[4,6]", "[24]"}, "f32[24]"},
      {"aten::_reshape_alias", {"f32[4,6]", "[24]", "[1]"}, "f32[24]"},
      {"aten::view_as", {"f32[4]", "i64[2,2]"}, "f32[2, 2]"},
      {"aten::reshape", {"f32[4,6]{1,4}", "[24]"}, "f32[24]"},
      {"aten::reshape_as", {"f32[4]", "i64[2,2]"}, "f32[2, 2]"},
      {"aten::ravel", {"f32[2,3]{1,2}"}, "f32[6]"},
      {"aten::flatten.using_ints", {"f32[2,3,4]", "1"}, "f32[2, 12]"},
      {"aten::flatten.using_ints", {"f32[]"}, "f32[1]"},
      {"aten::unflatten.int", {"f32[2,12]", "1", "[3,-1]"}, "f32[2, 3, 4]"},
      {"aten::squeeze", {"f32[1,2,1]"}, "f32[2]"},
      {"aten::squeeze.dim", {"f32[1,2,1]", "-1"}, "f32[1, 2]"},
      {"aten::squeeze.dims", {"f32[1,2,1]", "[0,2]"}, "f32[2]"},
      {"aten::unsqueeze", {"f32[2,3]{1,2}", "1"}, "f32[2, 1, 3] strides [1, 6, 2]"},
      {"aten::alias", {"f32[2,3]{1,2}"}, "f32[2, 3] strides [1, 2]"},
      {"aten::detach", {"f32[2]"}, "f32[2]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, ReordersDimensions) {
  const CallCase cases[] = {
      {"aten::transpose.int", {"f32[2,3]", "0", "-1"}, "f32[3, 2] strides [1, 3]"},
      {"aten::t", {"f32[2,3]"}, "f32[3, 2] strides [1, 3]"},
      {"aten::t", {"f32[2]"}, "f32[2]"},
      {"aten::numpy_T", {"f32[2,3,4]"}, "f32[4, 3, 2] strides [1, 4, 12]"},
      {"aten::mT", {"f32[2,3,4]"}, "f32[2, 4, 3] strides [12, 1, 4]"},
      {"aten::mH", {"c64[2,3]"}, "c64[3, 2] strides [1, 3] conj"},
      {"aten::permute", {"f32[2,3,4]", "[2,0,1]"}, "f32[4, 2, 3] strides [1, 12, 4]"},
      {"aten::movedim.int", {"f32[2,3,4]", "0", "-1"}, "f32[3, 4, 2] strides [4, 1, 12]"},
      {"aten::movedim.intlist",
       {"f32[2,3,4]", "[0,1]", "[1,0]"},
       "f32[3, 2, 4] strides [4, 12, 1]"},
      {"aten::swapaxes", {"f32[2,3]", "0", "1"}, "f32[3, 2] strides [1, 3]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, BroadcastsWithStrideZero) {
  const CallCase cases[] = {
      {"aten::expand", {"f32[3,1]", "[2,-1,4]"}, "f32[2, 3, 4] strides [0, 1, 0]"},
      {"aten::expand", {"f32[]", "[2]"}, "f32[2] strides [0]"},
      {"aten::expand_as", {"f32[3]", "f32[2,3]"}, "f32[2, 3] strides [0, 1]"},
      {"aten::broadcast_to", {"f32[3]", "[2,3]"}, "f32[2, 3] strides [0, 1]"},
      {"aten::broadcast_tensors",
       {"[f32[3],f32[2,1]]"},
       "(f32[2, 3] strides [0, 1], f32[2, 3] strides [1, 0])"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, TakesParts) {
  const CallCase cases[] = {
      {"aten::select.int", {"f32[4,6]", "0", "-1"}, "f32[6] offset 18"},
      {"aten::slice.Tensor", {"f32[4,6]", "1", "2", "5", "2"}, "f32[4, 2] strides [6, 2] offset 2"},
      {"aten::slice.Tensor", {"f32[4]", "0", "3", "1"}, "f32[0] offset 3"},
      {"aten::narrow", {"f32[4,6]", "0", "-2", "2"}, "f32[2, 6] offset 12"},
      {"aten::diagonal", {"f32[3,4]", "1"}, "f32[3] strides [5] offset 1"},
      {"aten::unfold", {"f32[10]", "0", "4", "2"}, "f32[4, 4] strides [2, 1]"},
      {"aten::as_strided", {"f32[10]", "[2,2]", "[3,1]", "1"}, "f32[2, 2] strides [3, 1] offset 1"},
      {"aten::chunk", {"f32[5]", "2"}, "(f32[3], f32[2] offset 3)"},
      {"aten::split.Tensor", {"f32[5]", "3"}, "(f32[3], f32[2] offset 3)"},
      {"aten::split_with_sizes", {"f32[5]", "[1,4]"}, "(f32[1], f32[4] offset 1)"},
      {"aten::tensor_split.sections", {"f32[5]", "2"}, "(f32[3], f32[2] offset 3)"},
      {"aten::tensor_split.indices", {"f32[5]", "[1]"}, "(f32[1], f32[4] offset 1)"},
      {"aten::hsplit.int", {"f32[4]", "2"}, "(f32[2], f32[2] offset 2)"},
      {"aten::unbind.int", {"f32[2,3]"}, "(f32[3], f32[3] offset 3)"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, ReadsTheBytesAsOtherNumbers) {
  const CallCase cases[] = {
      {"aten::view.dtype", {"f32[2,4]", "float64"}, "f64[2, 2]"},
      {"aten::view.dtype", {"f32[2,4]", "float16"}, "f16[2, 8]"},
      {"aten::view_as_real", {"c64[2]"}, "f32[2, 2]"},
      {"aten::view_as_complex", {"f32[3,2]"}, "c64[3]"},
      {"aten::_conj", {"c64[2]"}, "c64[2] conj"},
      {"aten::real", {"c64[2]"}, "f32[2] strides [2]"},
      {"aten::imag", {"c64[2]"}, "f32[2] strides [2] offset 1"},
      {"aten::resolve_conj", {"c64[2]"}, "c64[2]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, CopiesOfViewsAreContiguous) {
  const CallCase cases[] = {
      {"aten::permute_copy", {"f32[2,3]", "[1,0]"}, "f32[3, 2]"},
      {"aten::expand_copy", {"f32[1]", "[3]"}, "f32[3]"},
      {"aten::slice_copy.Tensor", {"f32[4]", "0", "1", "3"}, "f32[2]"},
      {"aten::unbind_copy.int", {"f32[2,3]"}, "(f32[3], f32[3])"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(View, Refuses) {
  const CallCase cases[] = {
      {"aten::view",
       {"f32[4,6]{1,4}", "[24]"},
       "ValueError: Cannot view a tensor with shape torch.Size([4, 6]) and strides (1, 4) as a "
       "tensor with shape (24,)!"},
      {"aten::view", {"f32[4]", "[3]"}, "RuntimeError: shape '[3]' is invalid for input of size 4"},
      {"aten::view", {"f32[4]", "[-1,-1]"}, "RuntimeError: only one dimension can be inferred"},
      {"aten::select.int",
       {"f32[2]", "0", "2"},
       "IndexError: select(): index 2 out of range for tensor of size [2] at dimension 0"},
      {"aten::slice.Tensor",
       {"f32[2]", "0", "0", "1", "0"},
       "RuntimeError: slice step must be positive"},
      {"aten::permute",
       {"f32[2,3]", "[0,0]"},
       "RuntimeError: permute(): duplicate dims are not allowed."},
      {"aten::t",
       {"f32[1,2,3]"},
       "RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D"},
      {"aten::split.Tensor",
       {"f32[2]", "-1"},
       "RuntimeError: split expects split_size be non-negative, but got split_size=-1"},
      {"aten::chunk",
       {"f32[2]", "0"},
       "RuntimeError: chunk expects `chunks` to be greater than 0, got: 0"},
      {"aten::transpose.int",
       {"f32[2]", "0", "3"},
       "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 3)"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

class ViewIdentity : public testing::Test {
 protected:
  Value call(std::string_view op, std::initializer_list<Value> args) {
    return mode.context().call(Registry::builtin().find(op),
                               std::span<const Value>(args.begin(), args.size()));
  }
  Tensor& tensor(std::initializer_list<SymInt> sizes) {
    return mode.empty(DimVector(sizes), DType::kFloat32).tensor();
  }
  FakeTensorMode mode;
};

TEST_F(ViewIdentity, NothingToDoGivesTheVeryTensor) {
  Tensor& x = tensor({2, 3});
  EXPECT_EQ(&call("aten::contiguous", {x}).tensor(), &x);
  EXPECT_EQ(&call("aten::to.dtype", {x, DType::kFloat32}).tensor(), &x);
  EXPECT_EQ(&call("aten::flatten.using_ints", {x, 1, 1}).tensor(), &x);
  EXPECT_NE(&call("aten::detach", {x}).tensor(), &x);
  EXPECT_NE(&call("aten::_to_copy", {x, DType::kFloat32}).tensor(), &x);
}

TEST_F(ViewIdentity, ViewsShareStorageAndCopiesDoNot) {
  Tensor& x = tensor({2, 3});
  EXPECT_EQ(call("aten::transpose.int", {x, 0, 1}).tensor().storage, x.storage);
  EXPECT_NE(call("aten::alias_copy", {x}).tensor().storage, x.storage);
}

TEST_F(ViewIdentity, InPlaceMetadataChangesTheTensorOnly) {
  Tensor& x = tensor({2, 3});
  const TensorMeta* before = x.meta;
  EXPECT_EQ(&call("aten::transpose_", {x, 0, 1}).tensor(), &x);
  EXPECT_NE(x.meta, before);
  EXPECT_EQ(x.sizes()[0].as_int(), 3);
  EXPECT_EQ(before->sizes()[0].as_int(), 2);  // what was recorded earlier stays
}

TEST_F(ViewIdentity, AnUndecidableSliceHasASizeOfItsOwn) {
  const auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const SymInt u = env->create_unbacked_int();
  const Tensor& part = call("aten::slice.Tensor", {tensor({8}), 0, nullptr, u}).tensor();
  EXPECT_TRUE(part.sizes()[0].is_symbolic());
}

// The reference broadcasts, and asks of each size whether it is 1.
TEST_F(ViewIdentity, UnsqueezeGuardsSizesThatMayBeOne) {
  const auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const SymInt s = env->create_backed("s0", 4, ValueRange::ints(0, kIntInfinity));
  call("aten::unsqueeze", {mode.empty(DimVector{s}, DType::kFloat32), 0});
  ASSERT_FALSE(env->guards().empty());
  EXPECT_EQ(to_string(env->guards().front().condition), "Ne(s0, 1)");
}

TEST_F(ViewIdentity, ASizeOfANewTensorIsNotMadeSizeLike) {
  const auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const SymInt u = env->create_unbacked_int();
  call("aten::zeros", {mode.context().make_ints(DimVector{u})});
  EXPECT_FALSE(env->is_size_like(u.node()));
  EXPECT_EQ(env->range(u.node()).lower, 0);
}

TEST(View, FormsOfForwardDifferentiationAndAutocast) {
  const CallCase cases[] = {
      {"aten::_fw_primal", {"f32[2]", "0"}, "f32[2]"},
      {"aten::_unpack_dual", {"f32[2]", "0"}, "(f32[2], None)"},
      {"aten::_make_dual",
       {"f32[2]", "f32[2]", "1"},
       "RuntimeError: Invalid level given to _make_dual"},
      {"aten::slice_inverse",
       {"f32[2]", "f32[2]"},
       "AssertionError: Expected exactly one tensor arg for view op, got 2"},
      {"aten::narrow.Tensor",
       {"f32[2]", "0", "f32[]", "1"},
       "RuntimeError: start must be an 0-dim integral Tensor."},
      {"aten::_autocast_to_full_precision", {"f16[2]", "True", "True"}, "f32[2]"},
      {"aten::_nested_view_from_buffer",
       {"f32[2]", "i64[1,1]", "i64[1,1]", "i64[1]"},
       "UnsupportedOperatorException: aten._nested_view_from_buffer.default"},
      {"aten::_autocast_to_reduced_precision",
       {"f32[2]", "True", "True", "float16", "bfloat16"},
       "bf16[2]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
