// Modes as their users meet them: which mode answers, what is known of tensors, when constants end.
#include "core/mode/session.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/support/error.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

class SessionTest : public ::testing::Test {
 protected:
  Tensor& number(Element element, DType dtype) { return *session.tensor({}, dtype, {&element, 1}); }
  Value call(std::string_view op, std::initializer_list<Value> args) {
    return session.call(op, args);
  }
  // The class of the error that a call raises.
  std::string raised(std::string_view op, std::initializer_list<Value> args) {
    try {
      session.call(op, args);
    } catch (const Error& error) {
      return std::string(error.class_name());
    }
    return "nothing";
  }

  Session session;
  SessionMode& mode = session.add_mode({}, nullptr);
};

// A session whose mode has a ShapeEnv, and sizes [s0, s1] in it.
class SymbolicCacheTest : public ::testing::Test {
 protected:
  SymbolicCacheTest() {
    session.enter(mode);
    session.cache().clear();
  }
  Tensor& made(DType dtype) { return *mode.context().empty(sizes, dtype, Device{}); }
  DispatchCache::Info counted() { return session.cache().info(); }

  Session session;
  std::shared_ptr<ShapeEnv> env = std::make_shared<ShapeEnv>();
  SessionMode& mode = session.add_mode({}, env);
  DimVector sizes{env->create_backed("s0", 3, ValueRange::ints(2, kIntInfinity)),
                  env->create_backed("s1", 4, ValueRange::ints(2, kIntInfinity))};
};

TEST_F(SessionTest, TheNumberOfAConstantIsKnown) {
  session.enter(mode);
  Tensor& four = number(Element::real(4), DType::kFloat32);
  const Value sum = call("aten::add.Tensor", {&four, 3});
  EXPECT_EQ(call("aten::item", {&sum.tensor()}).as_double(), 7.0);
}

TEST_F(SessionTest, WhatWasComputedMayBeWrittenTo) {
  session.enter(mode);
  Tensor& leaf = *mode.context().empty(DimVector{3, 4}, DType::kFloat32, Device{});
  session.set_requires_grad(leaf, true);
  EXPECT_EQ(raised("aten::add_.Tensor", {&leaf, 1}), "RuntimeError");
  Tensor& computed = call("aten::mul.Tensor", {&leaf, 2}).tensor();
  EXPECT_FALSE(session.is_leaf(computed));
  EXPECT_EQ(&call("aten::add_.Tensor", {&computed, 1}).tensor(), &computed);
  EXPECT_EQ(session.state(computed).grad_fn, "AddBackward0");
  // A view of it too; that of a leaf may not be.
  Tensor& row = call("aten::select.int", {&computed, 0, 0}).tensor();
  call("aten::mul_.Scalar", {&row, 2.0});
  EXPECT_EQ(session.state(row).grad_fn, "SelectBackward0");
  EXPECT_EQ(session.state(computed).grad_fn, "CopySlices");
  Tensor& view = call("aten::t", {&leaf}).tensor();
  EXPECT_EQ(raised("aten::add_.Tensor", {&view, 1}), "RuntimeError");
  EXPECT_EQ(raised("aten::detach_", {&view}), "RuntimeError");
  // Nor parts that came in a list.
  const Value parts = call("aten::unbind.int", {&computed, 0});
  EXPECT_EQ(raised("aten::relu_", {&parts[0].tensor()}), "RuntimeError");
  // Without grad mode nothing is recorded.
  session.enter(SessionScope::kNoGrad);
  call("aten::add_.Tensor", {&leaf, 1});
  EXPECT_TRUE(session.is_leaf(leaf));
}

TEST_F(SessionTest, TensorsAmongSizesAreTheirNumbers) {
  session.enter(mode);
  Tensor& x = *mode.context().empty(DimVector{3}, DType::kFloat32, Device{});
  Tensor& four = number(Element::of(4), DType::kInt64);
  const Value sizes[] = {2, &four};
  Tensor& made = call("aten::new_full", {&x, Value::list(sizes), 0.0}).tensor();
  EXPECT_EQ(made.size(1).as_int(), 4);
  Tensor& half = number(Element::real(0.5), DType::kFloat32);
  const Value broken[] = {2, &half};
  EXPECT_EQ(raised("aten::new_full", {&x, Value::list(broken), 0.0}), "RuntimeError");
}

TEST_F(SessionTest, KernelsSeeMetaTensorsAndMakePlainOnes) {
  Tensor& fake = *mode.context().empty(DimVector{3}, DType::kFloat32, Device{});
  Tensor* plain =
      session.make_real({.sizes = fake.sizes(), .device = Device{DeviceType::kMeta}}, 12);
  session.enter(mode);
  session.enter_in_kernel_invocation(mode);
  Tensor& sum = call("aten::add.Tensor", {&fake, plain}).tensor();
  EXPECT_TRUE(sum.device().is_meta());
  EXPECT_EQ(session.mode_of(sum), nullptr);
  EXPECT_TRUE(fake.device().is_cpu());
  session.exit();
  EXPECT_EQ(raised("aten::neg", {plain}), "AssertionError");
}

TEST_F(SessionTest, NumbersAreKeysByTheirValue) {
  session.enter(mode);
  Tensor& x = *mode.context().empty(DimVector{3}, DType::kFloat32, Device{});
  session.cache().clear();
  const auto hits_of = [&](const Value& first, const Value& second) {
    const int64_t before = session.cache().info().hits;
    call("aten::add.Tensor", {&x, first});
    call("aten::add.Tensor", {&x, second});
    return session.cache().info().hits - before;
  };
  EXPECT_EQ(hits_of(1, 2), 0);
  EXPECT_EQ(hits_of(7, 7), 1);
  EXPECT_EQ(hits_of(3, 3.0), 0);
  EXPECT_EQ(hits_of(0.0, -0.0), 1);
  EXPECT_EQ(hits_of(std::nan(""), std::nan("")), 0);
}

TEST_F(SessionTest, KnownZerosAreExpandedForOtherOperators) {
  session.enter(mode);
  session.cache().clear();
  const SymInt sizes[] = {3, 4};
  Tensor& zero = call("aten::_efficientzerotensor", {Value::ints(sizes)}).tensor();
  EXPECT_EQ(zero.storage->nbytes.as_int(), 48);
  EXPECT_EQ(session.cache().info().bypasses.at("dispatch_key_set mismatch"), 1);
  const Device meta{DeviceType::kMeta};
  Tensor& moved = call("aten::_to_copy", {&zero, Value(), Value(), meta}).tensor();
  EXPECT_EQ(moved.stride(0).as_int(), 0);
  EXPECT_EQ(moved.storage->nbytes.as_int(), 4);
  EXPECT_EQ(call("aten::sin", {&zero}).tensor().stride(0).as_int(), 4);
  EXPECT_EQ(raised("aten::add_.Tensor", {&zero, 1}), "RuntimeError");
  // Views of it and products with it are such zeros again.
  Tensor& product = call("aten::mul.Tensor", {&call("aten::t", {&zero}).tensor(), 2}).tensor();
  EXPECT_EQ(raised("aten::zero_", {&product}), "RuntimeError");
  EXPECT_EQ(raised("aten::zero_", {&call("aten::clone", {&zero}).tensor()}), "nothing");
}

TEST_F(SessionTest, NewConstantsMissNothing) {
  session.enter(mode);
  session.cache().clear();
  number(Element::of(4), DType::kInt64);
  EXPECT_EQ(session.cache().info().misses, 0);
  EXPECT_EQ(session.cache().info().bypasses.at("non-fake tensor"), 1);
}

TEST_F(SessionTest, AWriteThroughAnAliasIsSeenByAll) {
  session.enter(mode);
  Tensor& one = number(Element::of(1), DType::kInt64);
  Tensor& alias = call("aten::detach", {&one}).tensor();
  EXPECT_EQ(alias.storage, one.storage);
  call("aten::fill_.Scalar", {&alias, 5});
  EXPECT_EQ(call("aten::item", {&one}).as_sym_int().as_int(), 5);
}

TEST_F(SessionTest, AWriteOfUnknownNumbersEndsTheConstantsOfItsStorage) {
  session.enter(mode);
  Tensor& one = number(Element::real(1), DType::kFloat32);
  Tensor& alias = call("aten::detach", {&one}).tensor();
  call("aten::bernoulli_.float", {&alias, 0.5});
  EXPECT_EQ(raised("aten::item", {&one}), "DataDependentOutputException");
}

TEST_F(SessionTest, ResultsOfMoreThanOneElementAreNoConstants) {
  session.enter(mode);
  const Element elements[] = {Element::of(1), Element::of(2)};
  Tensor* two = session.tensor(DimVector{2}, DType::kInt64, elements);
  EXPECT_EQ(ConstantTracker::real_of(*two), nullptr);
}

TEST_F(SessionTest, RealTensorsAreRefusedOrConverted) {
  Tensor* real = session.make_real({.sizes = {}}, 4);
  session.enter(mode);
  EXPECT_EQ(raised("aten::sin", {real}), "AssertionError");
  SessionMode& lenient = session.add_mode({.allow_non_fake_inputs = true}, nullptr);
  session.enter(lenient);
  EXPECT_EQ(session.mode_of(call("aten::sin", {real}).tensor()), &lenient);
  // What writes to a real tensor returns that tensor.
  EXPECT_EQ(&call("aten::neg_", {real}).tensor(), real);
}

TEST_F(SessionTest, TheInnermostModeAnswersAndRefusesTensorsOfOthers) {
  SessionMode& inner = session.add_mode({}, nullptr);
  session.enter(mode);
  Tensor& outer_tensor = number(Element::real(1), DType::kFloat32);
  session.enter(inner);
  EXPECT_EQ(session.current_mode(), &inner);
  EXPECT_EQ(raised("aten::sin", {&outer_tensor}), "AssertionError");
  session.enter(SessionScope::kUnsetFake);
  EXPECT_EQ(session.mode_of(call("aten::sin", {&outer_tensor}).tensor()), &mode);
  session.exit();
  session.exit();
  EXPECT_EQ(session.current_mode(), &mode);
}

TEST_F(SessionTest, OneRealTensorBecomesOneFakeOfEachMode) {
  SessionMode& other = session.add_mode({}, nullptr);
  Tensor* real = session.make_real({.sizes = {}}, 4);
  Tensor* fake = session.from_tensor(mode, *real, {});
  EXPECT_EQ(session.from_tensor(mode, *real, {}), fake);
  EXPECT_NE(session.from_tensor(other, *real, {}), fake);
  EXPECT_EQ(session.detect_fake_mode({}), nullptr);
  const Value args[] = {fake};
  EXPECT_EQ(session.detect_fake_mode(args), &mode);
}

TEST_F(SessionTest, InferenceTensorsChangeInInferenceModeOnly) {
  session.enter(mode);
  session.enter(SessionScope::kInference);
  Tensor& made = number(Element::real(1), DType::kFloat32);
  EXPECT_TRUE(session.state(made).is_inference);
  call("aten::neg_", {&made});
  session.exit();
  EXPECT_EQ(raised("aten::neg_", {&made}), "RuntimeError");
  EXPECT_FALSE(session.state(call("aten::neg", {&made}).tensor()).is_inference);
}

TEST_F(SessionTest, BackwardGivesLeavesTheirGradients) {
  Tensor* real = session.make_real({.sizes = {}}, 4);
  session.set_requires_grad(*real, true);
  Tensor* leaf = session.from_tensor(mode, *real, {});
  Tensor& result = call("aten::mul.Tensor", {leaf, 2}).tensor();
  EXPECT_FALSE(session.is_leaf(result));
  EXPECT_EQ(session.state(result).grad_fn, "MulBackward0");
  session.backward(result);
  ASSERT_NE(session.state(*leaf).grad, nullptr);
  EXPECT_EQ(session.mode_of(*session.state(*leaf).grad), &mode);
}

TEST_F(SessionTest, TheDispatchCacheCountsWhatPyTorchCounts) {
  session.enter(mode);
  Tensor& x =
      call("aten::empty.memory_format", {session.real().context().make_ints(DimVector{2, 3})})
          .tensor();
  session.cache().clear();
  call("aten::sin", {&x});
  call("aten::sin", {&x});
  call("aten::sum", {&x});  // calls sum.dim_IntList
  call("aten::transpose_", {&x, 0, 1});
  const DispatchCache::Info info = session.cache().info();
  EXPECT_EQ(info.hits, 1);
  EXPECT_EQ(info.misses, 3);
  EXPECT_EQ(info.bypasses.at("inplace view"), 1);
  EXPECT_EQ(info.size, 4u);
}

TEST_F(SessionTest, ReprNamesWhatIsNotUsual) {
  session.enter(mode);
  Context& context = mode.context();
  Tensor* half = context.empty(DimVector{2}, DType::kFloat16, *parse_device("cuda:0"));
  EXPECT_EQ(session.repr(*half),
            "FakeTensor(..., device='cuda:0', size=(2,), dtype=torch.float16)");
}

TEST_F(SymbolicCacheTest, AResultFromTheCacheHasTheStorageOfAStridedTensor) {
  Tensor& x = made(DType::kFloat32);
  const Tensor& first = session.call("aten::relu", {&x}).tensor();
  const Tensor& second = session.call("aten::relu", {&x}).tensor();
  EXPECT_EQ(to_string(first.storage->nbytes), "4*s0*s1");
  EXPECT_EQ(to_string(second.storage->nbytes), "4*s1*(s0 - 1) + 4*s1");
  EXPECT_EQ(counted().hits, 1);
}

// The sum that add.out copies comes from the cache the second time, so copy_ has another key.
TEST_F(SymbolicCacheTest, WhatIsGivenACachedResultHasAnotherKey) {
  Tensor& x = made(DType::kFloat32);
  for (int i = 0; i < 3; ++i) session.call("aten::add.out", {&x, &x, 1, &x});
  EXPECT_EQ(counted().hits, 1 + 2);
  EXPECT_EQ(counted().misses, 3 + 1);
  EXPECT_EQ(counted().bypasses.at("kwarg aliases output"), 3);
}

// The reference, its prim, and the memory of the result, which is the same for all.
TEST_F(SymbolicCacheTest, AReferenceThatIsOnePrimIsThreeCalls) {
  Tensor& x = made(DType::kFloat32);
  session.call("aten::log", {&x});
  EXPECT_EQ(counted().misses, 3);
  int64_t others = 0;
  for (const char* name :
       {"aten::log1p", "aten::erfc", "aten::acosh", "aten::abs", "aten::special_i0e"}) {
    session.call(name, {&x});
    ++others;
    EXPECT_EQ(counted().misses, 3 + 2 * others) << name;
    EXPECT_EQ(counted().hits, others) << name;
  }
}

TEST_F(SymbolicCacheTest, WhatARaisingOperatorCalledBeforeIsCounted) {
  Tensor& numbers = made(DType::kInt64);
  EXPECT_THROW(session.call("aten::mean", {&numbers}), Error);
  EXPECT_EQ(counted().misses, 2);  // prims.sum, empty_strided
}

// The conjugate fallback clones what the operator reads.
TEST_F(SessionTest, AnOperatorWithoutConjugatesIsGivenAClone) {
  session.enter(mode);
  Tensor& z = *mode.context().empty(DimVector{3}, DType::kComplex64, Device{});
  Tensor& conjugate = call("aten::_conj", {&z}).tensor();
  session.cache().clear();
  EXPECT_FALSE(call("aten::sin", {&conjugate}).tensor().is_conj());
  call("aten::sin", {&z});
  EXPECT_EQ(session.cache().info().misses, 2);  // clone, sin
  EXPECT_EQ(session.cache().info().hits, 1);
}

// meta_utils.py places it by set_, a write to it and its views.
TEST_F(SessionTest, ASecondTensorOnAConvertedStorageHasBeenWrittenTo) {
  Tensor* real = session.make_real({.sizes = DimVector{2, 3}}, 24);
  Tensor& detached = session.call("aten::detach", {real}).tensor();
  EXPECT_EQ(detached.base, nullptr);
  Tensor* first = session.from_tensor(mode, *real, {});
  Tensor* second = session.from_tensor(mode, detached, {});
  EXPECT_EQ(first->storage, second->storage);
  EXPECT_EQ(session.version(*first), 0);
  EXPECT_EQ(session.version(*second), 1);
}

TEST_F(SessionTest, AutocastRunsProductsInTheLowerPrecisionAndLossesInFloat32) {
  session.enter(mode);
  Tensor& x = *mode.context().empty(DimVector{3, 3}, DType::kFloat32, Device{});
  Tensor& doubles = *mode.context().empty(DimVector{3, 3}, DType::kFloat64, Device{});
  session.enter(SessionScope::kAutocastCpu);
  Tensor& product = call("aten::mm", {&x, &x}).tensor();
  EXPECT_EQ(product.dtype(), DType::kBFloat16);
  EXPECT_EQ(call("aten::mse_loss", {&product, &product}).tensor().dtype(), DType::kFloat32);
  EXPECT_EQ(call("aten::mm", {&doubles, &doubles}).tensor().dtype(), DType::kFloat64);
  EXPECT_EQ(call("aten::add.Tensor", {&x, &x}).tensor().dtype(), DType::kFloat32);
  // A composite operator that is not listed itself calls one that is.
  const Value operands[] = {x, x};
  const Value sum =
      call("aten::einsum", {Value::string("ij,jk->ik"), mode.context().make_list(operands)});
  EXPECT_EQ(sum.tensor().dtype(), DType::kBFloat16);
  session.exit();
  EXPECT_EQ(call("aten::mm", {&x, &x}).tensor().dtype(), DType::kFloat32);
}

TEST_F(SessionTest, AJoinInAutocastIsInTheWidestDtypeOfItsParts) {
  session.enter(mode);
  Tensor& x = *mode.context().empty(DimVector{3}, DType::kFloat32, Device{});
  Tensor& half = *mode.context().empty(DimVector{3}, DType::kBFloat16, Device{});
  session.enter(SessionScope::kAutocastCpu);
  const Value mixed[] = {x, half};
  const Value alike[] = {half, half};
  Context& context = mode.context();
  EXPECT_EQ(call("aten::cat", {context.make_list(mixed)}).tensor().dtype(), DType::kFloat32);
  EXPECT_EQ(call("aten::cat", {context.make_list(alike)}).tensor().dtype(), DType::kBFloat16);
}

TEST_F(SessionTest, AFakeCopyKeepsAliasesOfBuffersAndTiesOfParameters) {
  Tensor* parameter = session.make_real({.sizes = DimVector{2, 3}}, 24);
  session.state(*parameter).is_parameter = true;
  session.set_requires_grad(*parameter, true);
  Tensor* buffer = session.make_real({.sizes = DimVector{4}}, 16);
  Tensor& view = session.call("aten::select.int", {buffer, 0, 0}).tensor();
  Tensor* const module[] = {parameter, parameter, buffer, &view};
  const std::vector<Tensor*> copies = session.fake_copy(mode, module);
  ASSERT_EQ(copies.size(), 4u);
  EXPECT_EQ(copies[0], copies[1]);
  EXPECT_TRUE(session.state(*copies[0]).is_parameter);
  EXPECT_TRUE(copies[0]->meta->has(kRequiresGrad));
  EXPECT_EQ(copies[2]->storage, copies[3]->storage);
  EXPECT_EQ(session.mode_of(*copies[3]), &mode);
}

TEST_F(SessionTest, QuantizedTensorsAreNotConverted) {
  TensorDescription quantized;
  quantized.dtype = DType::kQInt8;
  try {
    mode.converter().from_tensor(quantized);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.class_name(), "UnsupportedFakeTensorException");
    EXPECT_EQ(error.message(), "quantized nyi in meta tensors");
  }
}

TEST_F(SymbolicCacheTest, FreshUnbackedSymbolsAreIgnoredInTheirScope) {
  session.enter(SessionScope::kIgnoreFreshUnbacked);
  EXPECT_TRUE(env->ignore_fresh_unbacked_symbols(true));
  session.exit();
  EXPECT_FALSE(env->ignore_fresh_unbacked_symbols(false));
}

TEST(DispatchCacheTest, ACrosscheckFindsAnAnswerThatIsNotTheOneKept) {
  DispatchCache cache;
  CachedCall call;
  call.key = "aten::sin(x)";
  EXPECT_EQ(cache.find(call, nullptr), DispatchCache::Found::kNothing);
  cache.keep(call, "", nullptr, "float32 [2]");
  EXPECT_EQ(cache.find(call, nullptr), DispatchCache::Found::kHit);
  EXPECT_FALSE(cache.does_contradict(call, "float32 [2]", nullptr));
  EXPECT_TRUE(cache.does_contradict(call, "float32 [3]", nullptr));
  EXPECT_EQ(cache.info().hits, 1);
}

TEST_F(SessionTest, AModeThatCrosschecksAnswersAsOthersDo) {
  SessionMode& checked = session.add_mode({.cache_crosscheck = true}, nullptr);
  session.enter(checked);
  Tensor& x = *checked.context().empty(DimVector{2}, DType::kFloat32, Device{});
  session.cache().clear();
  call("aten::sin", {&x});
  EXPECT_EQ(call("aten::sin", {&x}).tensor().dim(), 1);
  EXPECT_EQ(session.cache().info().hits, 1);
}

// resize_ sets the sizes before it finds that their product does not exist.
TEST_F(SessionTest, ANegativeSizeIsNotPassedOn) {
  session.enter(mode);
  Tensor& x = call("aten::zeros", {mode.context().make_ints(DimVector{3, 3})}).tensor();
  EXPECT_EQ(raised("aten::resize_", {&x, mode.context().make_ints(DimVector{1, -1})}),
            "RuntimeError");
  EXPECT_EQ(raised("aten::transpose.int", {&x, 0, 1}), "RuntimeError");
  EXPECT_EQ(raised("aten::lift_fresh", {&x}), "RuntimeError");
  EXPECT_EQ(
      mode.mode().call("aten::split.Tensor", std::array<Value, 3>{x, 2, 1}).error->class_name(),
      "RuntimeError");
}

// Tensor.__deepcopy__ asks a subclass for data_ptr(), which counts the elements.
TEST_F(SymbolicCacheTest, ATensorOfSymbolicSizesIsNotCopied) {
  Tensor& x = made(DType::kFloat32);
  EXPECT_THROW(session.deepcopy(x), Error);
}

TEST_F(SessionTest, ATensorHasAsManyElementsAsItsSizesSay) {
  const std::vector<Element> many(200'000, Element::of(2));
  EXPECT_THROW(session.tensor(DimVector{2, 1}, DType::kInt64, many), Error);
  EXPECT_THROW(session.tensor(DimVector{2, 1}, DType::kInt64, {}), Error);
  EXPECT_NO_THROW(session.tensor(DimVector{2, 1}, DType::kInt64, std::span(many).first(2)));
}

// Quantized numbers are not kept: their bytes are never read as others.
TEST_F(SessionTest, QuantizedTensorsAreNotCompared) {
  const DimVector sizes = {1};
  Tensor* whole = session.make_real({.sizes = sizes, .dtype = DType::kQUInt8}, 1);
  EXPECT_NE(raised("aten::equal", {whole, whole}), "nothing");
}

// Strides of 0 make billions of elements of a few bytes; none of them is looked at.
TEST_F(SessionTest, AnExpandedTensorIsNotTakenApart) {
  const DimVector sizes = {2, int64_t{1} << 40};
  const DimVector strides = {0, 0};
  Tensor* wide = session.make_real({.sizes = sizes, .strides = strides}, 4);
  EXPECT_EQ(raised("aten::equal", {wide, wide}), "DataDependentOutputException");
  EXPECT_EQ(call("aten::add.Tensor", {wide, 1}).tensor().dim(), 2);
}

// Words of check_legacy_grad_assignment, torch/csrc/autograd/python_variable.cpp.
TEST_F(SessionTest, AGradientFitsItsTensorAndIsNotItsOwn) {
  const auto refusal = [&](Tensor& tensor, Tensor* grad) {
    try {
      session.set_grad(tensor, grad);
    } catch (const Error& error) {
      return error.message().substr(0, 60);
    }
    return std::string();
  };
  Tensor& x = number(Element::real(4), DType::kFloat32);
  Tensor& y = number(Element::real(4), DType::kFloat32);
  Tensor& whole = number(Element::of(4), DType::kInt64);
  EXPECT_EQ(refusal(x, &x), "can't assign Variable as its own grad");
  EXPECT_EQ(refusal(x, &whole), "attempting to assign a gradient with dtype 'long int' to a t");
  EXPECT_EQ(refusal(x, &y), "");
  EXPECT_EQ(refusal(y, &x), "gradients of gradients more than 16 deep");
  EXPECT_EQ(refusal(x, nullptr), "");
  // A cycle through a view's base.
  Tensor& view = call("aten::view", {&x, Value::ints({})}).tensor();
  EXPECT_EQ(refusal(x, &view), "gradients of gradients more than 16 deep");
  Tensor* last = &x;
  std::string refused;
  for (int i = 0; i < 20 && refused.empty(); ++i) {
    Tensor& next = number(Element::real(1), DType::kFloat32);
    refused = refusal(next, last);
    last = &next;
  }
  EXPECT_EQ(refused, "gradients of gradients more than 16 deep");
}

}  // namespace
}  // namespace faketensor
