// What modes see of calls, by where they stand (Note [What a mode sees]), and that none takes from
// another what is its.
#include "core/ops/dispatch_mode.h"

#include <gtest/gtest.h>

#include "core/mode/autocast.h"
#include "core/mode/session.h"
#include "core/mode/vmap.h"
#include "core/ops/library.h"
#include "core/support/error.h"

namespace faketensor {
namespace {

// Notes the operators that it sees, as a tracer does, and hands them on.
class Recorder final : public DispatchMode {
 public:
  explicit Recorder(Sees sees = Sees::kProgram) : sees_(sees) {}

  Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
    seen.emplace_back(op.name);
    return next(op, args);
  }
  Sees sees() const override { return sees_; }

  std::vector<std::string> seen;

 private:
  const Sees sees_;
};

using Names = std::vector<std::string>;

class ModesTest : public ::testing::Test {
 protected:
  Tensor& made(std::initializer_list<SymInt> sizes, DType dtype = DType::kFloat32) {
    return *context.empty(DimVector(sizes), dtype, Device{});
  }
  Value call(std::string_view op, std::initializer_list<Value> args) {
    return context.call(Registry::builtin().find(op), {args.begin(), args.size()});
  }

  Context context;
};

TEST_F(ModesTest, SeeWhatCompositesCallAndNotThemselves) {
  Recorder recorder;
  Tensor& x = made({2, 3});
  {
    const ModeScope scope(context, recorder);
    call("aten::matmul", {x, made({3, 4})});
  }
  call("aten::relu", {x});
  EXPECT_EQ(recorder.seen, Names{"aten::mm.default"});
}

TEST_F(ModesTest, TheOneEnteredLastIsAskedFirst) {
  class Doubler final : public DispatchMode {
    Value dispatch(const OpEntry& op, std::span<const Value> args, const NextMode& next) override {
      if (op.name != "aten::relu.default") return next(op, args);
      const Value inner[] = {args[0]};
      context.call(Registry::builtin().find("aten::sin"), inner);  // seen by those below
      return next(Registry::builtin().entry(Registry::builtin().find("aten::cos")), args);
    }

   public:
    explicit Doubler(Context& owner) : context(owner) {}
    Context& context;
  };
  Recorder below;
  Doubler doubler(context);
  Recorder above;
  const ModeScope scopes[] = {{context, below}, {context, doubler}, {context, above}};
  call("aten::relu", {made({2})});
  EXPECT_EQ(above.seen, Names{"aten::relu.default"});
  EXPECT_EQ(below.seen, (Names{"aten::sin.default", "aten::cos.default"}));
  call("aten::exp", {made({2})});
  EXPECT_EQ(above.seen.size(), 2u);
}

TEST_F(ModesTest, AreEnteredAgainAfterAnError) {
  Recorder recorder;
  const ModeScope scope(context, recorder);
  EXPECT_THROW(call("aten::mm", {made({2, 3}), made({2, 3})}), Error);
  call("aten::relu", {made({2})});
  EXPECT_EQ(recorder.seen, (Names{"aten::mm.default", "aten::relu.default"}));
}

TEST_F(ModesTest, CallsOfAMetaKernelAreSeenByNobody) {
  Recorder recorder(Sees::kSteps);
  const ModeScope scope(context, recorder);
  const KernelScope kernel(context);
  call("aten::relu", {made({2})});
  EXPECT_TRUE(recorder.seen.empty());
}

// The rule of aten::_addmm_activation, which PyTorch answers by a decomposition, calls aten::addmm.
TEST_F(ModesTest, WhatARuleCallsIsSeenByThoseWhoSeeSteps) {
  Recorder steps(Sees::kSteps);
  Recorder program;
  const ModeScope scopes[] = {{context, steps}, {context, program}};
  call("aten::_addmm_activation", {made({2}), made({2, 2}), made({2, 2})});
  EXPECT_EQ(program.seen, Names{"aten::_addmm_activation.default"});
  ASSERT_GE(steps.seen.size(), 2u);
  EXPECT_EQ(steps.seen[0], "aten::_addmm_activation.default");
  EXPECT_EQ(steps.seen[1], "aten::addmm.default");
}

// Inside torch.autocast a tracer sees the casts and what is called with their results.
TEST_F(ModesTest, ATracerSeesTheCastsOfAutocast) {
  Recorder recorder;
  const ModeScope tracing(context, recorder);
  AutocastRegions regions(context);
  const ModeScope entered(context, regions);
  const auto inside = regions.enter({DeviceType::kCPU, DType::kBFloat16}, true);
  const Value product = call("aten::matmul", {made({2, 3}), made({3, 4})});
  EXPECT_EQ(product.tensor().dtype(), DType::kBFloat16);
  EXPECT_EQ(recorder.seen,
            (Names{"aten::_to_copy.default", "aten::_to_copy.default", "aten::mm.default"}));
}

// vmap stands above autocast, whichever was entered first; a tracer sees operators on whole batches.
TEST_F(ModesTest, VmapStandsAboveAutocast) {
  Recorder recorder;
  const ModeScope tracing(context, recorder);
  Vmap vmap(context);
  const ModeScope batched(context, vmap);
  AutocastRegions regions(context);
  const ModeScope cast(context, regions);
  const auto inside = regions.enter({DeviceType::kCPU, DType::kBFloat16}, true);
  const int64_t level = vmap.increment_nesting(5, "error");
  const Value rows = vmap.add_batch_dim(made({5, 2, 3}), 0, level);
  const Value product = call("aten::mm", {rows, made({3, 4})});
  EXPECT_EQ(product.tensor().sizes().size(), 2u);
  EXPECT_EQ(product.tensor().dtype(), DType::kBFloat16);
  const Value whole = vmap.remove_batch_dim(product, level, 5, 0);
  EXPECT_EQ(whole.tensor().sizes().size(), 3u);
  EXPECT_EQ(std::count(recorder.seen.begin(), recorder.seen.end(), "aten::_to_copy.default"), 2);
  for (const std::string& name : recorder.seen) EXPECT_NE(name, "aten::matmul.default");
}

class ModesInSession : public ::testing::Test {
 protected:
  ModesInSession() { session.enter(mode); }
  Value call(std::string_view op, std::initializer_list<Value> args) {
    return session.call(op, args);
  }
  Tensor& number(double value) {
    const Element element = Element::real(value);
    return *session.tensor({}, DType::kFloat32, {&element, 1});
  }

  Session session;
  SessionMode& mode = session.add_mode({}, nullptr);
};

// Tracing in a session's mode: the tracer sees each operator, constants stay known, and the dispatch
// cache counts what it counts without a tracer.
TEST_F(ModesInSession, TracingConstantsAndCacheCountsCompose) {
  Tensor& x = *mode.context().empty(DimVector{3, 3}, DType::kFloat32, Device{});
  const auto program = [&] {
    Tensor& four = number(4);
    const Value sum = call("aten::add.Tensor", {&four, 3});
    EXPECT_EQ(call("aten::item", {&sum.tensor()}).as_double(), 7.0);
    call("aten::matmul", {&x, &x});
    call("aten::matmul", {&x, &x});
  };
  session.cache().clear();
  program();
  const DispatchCache::Info alone = session.cache().info();

  session.cache().clear();
  Recorder recorder;
  {
    const ModeScope tracing(mode.context(), recorder);
    program();
  }
  const DispatchCache::Info traced = session.cache().info();
  EXPECT_EQ(recorder.seen,
            (Names{"aten::lift_fresh.default", "aten::add.Tensor",
                   "aten::_local_scalar_dense.default", "aten::mm.default", "aten::mm.default"}));
  EXPECT_EQ(traced.hits, alone.hits);
  EXPECT_EQ(traced.hits, 1);
  EXPECT_EQ(traced.misses, alone.misses);
  EXPECT_EQ(traced.bypasses, alone.bypasses);
  program();  // and after it
  EXPECT_EQ(recorder.seen.size(), 5u);
  EXPECT_EQ(session.cache().info().hits, 3);
}

TEST_F(ModesInSession, ACloneOfTheConjugateFallbackIsACallOfItsOwn) {
  Tensor& z = *mode.context().empty(DimVector{3}, DType::kComplex64, Device{});
  Tensor& conjugate = call("aten::_conj", {&z}).tensor();
  Recorder recorder;
  const ModeScope tracing(mode.context(), recorder);
  EXPECT_FALSE(call("aten::sin", {&conjugate}).tensor().is_conj());
  EXPECT_EQ(recorder.seen, (Names{"aten::clone.default", "aten::sin.default"}));
}

// What the fake of a custom operator calls is FakeTensorMode's, and no tracer's.
TEST_F(ModesInSession, CallsOfAFakeAreSeenByTheModeAndNotByATracer) {
  session.library().define("mylib::foo(Tensor x) -> Tensor");
  session.library().register_fake("mylib::foo", [](FakeCall& call) -> Value {
    const Value x[] = {call.arg(0)};
    return call.context().call(Registry::builtin().find("aten::sin"), x);
  });
  Tensor& x = *mode.context().empty(DimVector{3}, DType::kFloat32, Device{});
  Recorder recorder;
  const ModeScope tracing(mode.context(), recorder);
  session.cache().clear();
  call("mylib::foo", {&x});
  EXPECT_EQ(recorder.seen, Names{"mylib::foo.default"});
  EXPECT_EQ(session.cache().info().misses, 1);  // aten::sin
}

// Autocast in a session: casts are calls, which the mode's cache counts.
TEST_F(ModesInSession, AutocastComposesWithTracing) {
  Tensor& x = *mode.context().empty(DimVector{3, 3}, DType::kFloat32, Device{});
  Recorder recorder;
  const ModeScope tracing(mode.context(), recorder);
  session.enter(SessionScope::kAutocastCpu);
  EXPECT_EQ(call("aten::matmul", {&x, &x}).tensor().dtype(), DType::kBFloat16);
  EXPECT_EQ(recorder.seen,
            (Names{"aten::_to_copy.default", "aten::_to_copy.default", "aten::mm.default"}));
}

}  // namespace
}  // namespace faketensor
