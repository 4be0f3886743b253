// Compiled functions: which entry is used again, and why one is not, as PyTorch 2.13 answers.
#include "core/profiler/compile/compiler.h"

#include <gtest/gtest.h>

#include "core/profiler/compile/compiled_function.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

class CompilerTest : public testing::Test {
 protected:
  Value tensor(std::initializer_list<SymInt> sizes, DType dtype = DType::kFloat32) {
    return mode_.empty(Dims(sizes.begin(), sizes.size()), dtype);
  }
  Value strided(std::initializer_list<SymInt> sizes, std::initializer_list<SymInt> strides) {
    return Value(mode_.context().empty(Dims(sizes.begin(), sizes.size()), DType::kFloat32, Device{},
                                       Dims(strides.begin(), strides.size())));
  }
  static Value plus_one(Frame& frame, std::span<const Value> in) {
    return frame.call("aten::add.Tensor", {in[0], Value(1)});
  }
  static Value multiply(Frame& frame, std::span<const Value> in) {
    return frame.call("aten::mul.Tensor", {in[0], in[1]});
  }
  CompiledFunction compiled(std::vector<std::string> params,
                            Value (*function)(Frame&, std::span<const Value>),
                            CompileOptions options = {}) {
    return CompiledFunction(compiler_, "fn", std::move(params),
                            {{[function](Frame& f, std::span<const Value> in) {
                              return std::vector{function(f, in)};
                            }}},
                            std::move(options));
  }
  // The reasons of the last recompilation, a line each.
  std::string reasons() const {
    if (compiler_.recompiles().empty()) return "";
    std::string text = compiler_.recompiles().back();
    text.erase(0, text.find("    - "));
    for (size_t at = 0; (at = text.find("    - ", at)) != std::string::npos;) text.erase(at, 6);
    return text;
  }

  FakeTensorMode mode_;
  Compiler compiler_;
};

TEST_F(CompilerTest, TheSecondSizeMakesADimensionDynamic) {
  CompiledFunction fn = compiled({"x"}, &plus_one);
  for (const int64_t size : {3, 4, 5}) fn.call(mode_, {tensor({size})});
  EXPECT_EQ(fn.cache_size(), 2u);
  EXPECT_EQ(reasons(), "0/0: tensor 'x' size mismatch at index 0. expected 3, actual 4");
  fn.call(mode_, {tensor({1})});
  EXPECT_EQ(reasons(),
            "0/1: 2 <= x.size()[0]\n"
            "0/0: tensor 'x' size mismatch at index 0. expected 3, actual 1");
}

TEST_F(CompilerTest, DynamicSizesShareSymbolsWhereTheyAreEqual) {
  CompiledFunction fn = compiled({"x"}, &plus_one, {.dynamic = true});
  fn.call(mode_, {tensor({10, 10})});
  fn.call(mode_, {tensor({10, 15})});
  EXPECT_EQ(reasons(),
            "0/0: x.size()[1] == x.size()[0]  # duck sizing added this equality because these "
            "variables had the same size 10 (to avoid this specialization, set "
            "torch.fx.experimental._config.use_duck_shape = False)");
}

TEST_F(CompilerTest, MetadataIsComparedInPyTorchsOrder) {
  CompiledFunction fn = compiled({"x"}, &plus_one);
  fn.call(mode_, {tensor({3, 4})});
  fn.call(mode_, {tensor({3, 4}, DType::kBFloat16)});
  EXPECT_EQ(reasons(), "0/0: tensor 'x' dtype mismatch. expected Float, actual BFloat16");
  fn.call(mode_, {tensor({3, 4, 5})});
  EXPECT_EQ(reasons(),
            "0/1: tensor 'x' dtype mismatch. expected BFloat16, actual Float\n"
            "0/0: tensor 'x' rank mismatch. expected 2, actual 3");
  fn.call(mode_, {strided({3, 4}, {1, 3})});
  EXPECT_EQ(reasons().substr(reasons().rfind('\n') + 1),
            "0/0: tensor 'x' stride mismatch at index 0. expected 4, actual 1");
}

// As measured: of two inputs that changed at once the first by name is named; the input that failed
// before is asked first from then on.
TEST_F(CompilerTest, InputsAreAskedByNameAndThenByHowOftenTheyFailed) {
  CompiledFunction fn = compiled({"b", "a"}, &multiply);
  fn.call(mode_, {tensor({2}), tensor({2})});
  fn.call(mode_, {tensor({3}), tensor({3})});
  EXPECT_EQ(reasons(), "0/0: tensor 'a' size mismatch at index 0. expected 2, actual 3");
  compiler_.reset();
  fn.call(mode_, {tensor({1, 2}), tensor({2})});
  fn.call(mode_, {tensor({1, 3}), tensor({3})});
  compiler_.reset();
  fn.call(mode_, {tensor({2, 2}), tensor({2})});
  fn.call(mode_, {tensor({3, 2}), tensor({2})});
  fn.call(mode_, {tensor({3, 4}), tensor({4})});
  EXPECT_EQ(reasons(),
            "0/1: tensor 'a' size mismatch at index 0. expected 2, actual 4\n"
            "0/0: tensor 'b' size mismatch at index 0. expected 2, actual 3");
}

TEST_F(CompilerTest, OtherTypesAndConstantsAreReasons) {
  CompiledFunction fn = compiled({"x", "y"}, &multiply);
  fn.call(mode_, {tensor({2}), tensor({2})});
  fn.call(mode_, {tensor({2}), Value(3)});
  EXPECT_EQ(reasons(), "0/0: expected type of 'y' to be a tensor type, ' but found <class 'int'>");
  fn.call(mode_, {tensor({2}), tensor({2})});
  EXPECT_EQ(fn.cache_size(), 2u);
  fn.call(mode_, {tensor({2}), Value(2.5)});
  // A number in the place of a tensor is dynamic at once: of those the type is guarded.
  EXPECT_EQ(reasons().substr(reasons().find("0/1")),
            "0/1: ___check_type_id(y), type=<class 'int'>");
}

TEST_F(CompilerTest, TensorsThatAreOneObjectStayOne) {
  CompiledFunction fn = compiled({"x", "y"}, &multiply);
  const Value x = tensor({3});
  fn.call(mode_, {x, x});
  fn.call(mode_, {x, tensor({3})});
  EXPECT_EQ(reasons(), "0/0: x is y");
}

TEST_F(CompilerTest, MarksAreGuarded) {
  CompiledFunction fn = compiled({"x"}, &plus_one);
  fn.mark_dynamic(0, 0);
  fn.call(mode_, {tensor({3})});
  fn.call(mode_, {tensor({9})});
  EXPECT_EQ(fn.cache_size(), 1u);
  fn.mark_static(0, 0);
  fn.call(mode_, {tensor({4})});
  EXPECT_EQ(reasons(),
            "0/0: _dynamo_static_indices should be absent but is present on runtime tensor");
}

TEST_F(CompilerTest, AMarkedDimensionThatIsSpecialisedIsRefused) {
  CompiledFunction fn = compiled({"x"}, [](Frame& frame, std::span<const Value> in) {
    const SymInt sizes[] = {4, 1};
    return frame.call("aten::view", {in[0], frame.mode().context().make_ints(sizes)});
  });
  fn.mark_dynamic(0, 0);
  EXPECT_THROW(fn.call(mode_, {tensor({4})}), Error);
}

TEST_F(CompilerTest, GradModeIsGuarded) {
  CompiledFunction fn = compiled({"x"}, &plus_one);
  mode_.context().grad_enabled = true;
  fn.call(mode_, {tensor({3})});
  mode_.context().grad_enabled = false;
  fn.call(mode_, {tensor({3})});
  EXPECT_EQ(reasons(), "0/0: GLOBAL_STATE changed: grad_mode ");
}

TEST_F(CompilerTest, BackendsHaveEntriesOfTheirOwn) {
  CompiledFunction eager = compiled({"x"}, &plus_one, {.backend = "eager"});
  CompiledFunction aot = compiled({"x"}, &plus_one, {.backend = "aot_eager"});
  eager.call(mode_, {tensor({2})});
  aot.call(mode_, {tensor({2})});
  EXPECT_EQ(eager.cache_size(), 2u);
  EXPECT_EQ(reasons().find("0/0: BACKEND_MATCH failure: torch.compile detected different backend "
                           "callables. Cached backend: _TorchCompileWrapper(compiler='eager', "
                           "dynamic=None) (id=0x...)."),
            0u);
}

TEST_F(CompilerTest, AtTheLimitAFunctionIsCompiledNoMore) {
  CompiledFunction fn = compiled({"x"}, &plus_one, {.dynamic = false});
  for (int64_t size = 2; size < 14; ++size) fn.call(mode_, {tensor({size})});
  EXPECT_EQ(fn.cache_size(), 8u);
  EXPECT_EQ(compiler_.recompiles().size(), 8u);  // the ninth call still says why
  compiler_.reset();
  EXPECT_EQ(fn.cache_size(), 0u);
}

TEST_F(CompilerTest, FullgraphRefusesABreak) {
  CompiledFunction fn(
      compiler_, "fn", {"x"},
      {{[](Frame&, std::span<const Value> in) { return std::vector{in[0]}; }, "print"},
       {[](Frame&, std::span<const Value> in) { return std::vector{in[0]}; }}},
      {.fullgraph = true});
  EXPECT_THROW(fn.call(mode_, {tensor({3})}), Error);
}

// A call whose guards hold calls no operator.
TEST_F(CompilerTest, AHitMakesTheTracedResultsForItsSizes) {
  int calls = 0;
  CompiledFunction fn(
      compiler_, "fn", {"x"}, {{[&](Frame& frame, std::span<const Value> in) {
        ++calls;
        const Value doubled = frame.call(
            "aten::cat", {frame.mode().context().make_list(std::vector{in[0], in[0]}), Value(0)});
        return std::vector{doubled, in[0]};
      }}},
      {.dynamic = true});
  fn.call(mode_, {tensor({3, 5})});
  const int before = calls;
  const Value x = tensor({7, 11});
  const std::vector<Value> results = fn.call(mode_, {x});
  EXPECT_EQ(calls, before + 0);
  EXPECT_EQ(to_string(results[0].tensor().size(0)), "14");
  EXPECT_EQ(to_string(results[0].tensor().stride(0)), "11");
  EXPECT_EQ(&results[1].tensor(), &x.tensor());
}

// Where a function looks at a symbol by itself, tracing sees one way only.
TEST_F(CompilerTest, AFunctionThatForbidsItRunsInEachCall) {
  int calls = 0;
  CompiledFunction fn(compiler_, "fn", {"x"}, {{[&](Frame& frame, std::span<const Value> in) {
                        ++calls;
                        frame.forbid_replay();
                        return std::vector{plus_one(frame, in)};
                      }}});
  fn.call(mode_, {tensor({3})});
  fn.call(mode_, {tensor({3})});
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(compiler_.entries("fn").front().is_replayable());
}

TEST_F(CompilerTest, AModeOfAnotherTargetIsAReason) {
  CompiledFunction fn = compiled({"x"}, &plus_one);
  fn.call(mode_, {tensor({3})});
  FakeTensorMode other(*target_preset("cpu"));
  fn.call(other, {other.empty(DimVector{3}, DType::kFloat32)});
  EXPECT_EQ(reasons(), "0/0: GLOBAL_STATE changed: target ");
  EXPECT_EQ(compiler_.entries("fn").front().id(), "0/1");
}

TEST_F(CompilerTest, FunctionsOfOneNameHaveCachesOfTheirOwnWhereTheirKeysDiffer) {
  CompiledFunction one = compiled({"x"}, &plus_one, {.key = "1"});
  CompiledFunction two = compiled({"x"}, &plus_one, {.key = "2"});
  one.call(mode_, {tensor({3})});
  two.call(mode_, {tensor({4})});
  EXPECT_TRUE(compiler_.recompiles().empty());
  EXPECT_EQ(two.cache_size(), 1u);
  compiler_.forget("2");
  EXPECT_EQ(two.cache_size(), 0u);
  EXPECT_EQ(one.cache_size(), 1u);
}

// A double cannot tell 2^53 from 2^53 + 1.
TEST_F(CompilerTest, GuardsAreExactAboveWhatDoublesHold) {
  constexpr int64_t kLarge = int64_t{1} << 53;
  CompiledFunction fn = compiled({"x"},
                                 [](Frame& frame, std::span<const Value> in) {
                                   const SymInt size = in[0].tensor().size(0);
                                   return guard_bool(size <= kLarge) ? plus_one(frame, in) : in[0];
                                 },
                                 {.dynamic = true});
  const auto call = [&](int64_t size) { fn.call(mode_, {strided({size}, {0})}); };
  call(kLarge - 1);
  call(kLarge);
  EXPECT_EQ(fn.cache_size(), 1u);
  call(kLarge + 1);
  EXPECT_EQ(fn.cache_size(), 2u);
  EXPECT_EQ(reasons(), "0/0: 2 <= x.size()[0] <= 9007199254740992");
}

}  // namespace
}  // namespace faketensor
