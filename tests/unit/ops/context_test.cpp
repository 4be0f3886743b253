#include "core/ops/context.h"

#include <array>

#include <gtest/gtest.h>

#include "core/symbolic/shape_env.h"

namespace faketensor {
namespace {

// A context that calls are made in for ever.
class LongLived : public testing::Test {
 protected:
  Value call(std::string_view op, std::initializer_list<Value> args) {
    return context.call(Registry::builtin().find(op), std::span(args.begin(), args.size()));
  }
  Tensor* empty(std::initializer_list<int64_t> sizes) {
    DimVector dims;
    for (const int64_t size : sizes) dims.push_back(size);
    return context.empty(dims, DType::kFloat32, Device{}.normalized());
  }

  Context context;
};

TEST_F(LongLived, CallsLeaveNothingBehind) {
  Tensor* x = empty({2, 3});
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i) {
      call("aten::add.Tensor", {x, 2.5});
      call("aten::reshape", {x, context.make_ints(DimVector{3, 2})});
    }
    Tensor* const kept[] = {x};
    context.free_all_but(kept);
    EXPECT_LE(context.tensor_capacity(), 128u);
    EXPECT_LE(context.storage_capacity(), 128u);
    EXPECT_EQ(context.arena().capacity(), 0u);
  }
}

TEST_F(LongLived, WhatIsKeptStaysWithWhatItLeadsTo) {
  Tensor* view = &call("aten::t", {empty({2, 3})}).tensor();
  for (int i = 0; i < 1000; ++i) empty({i});
  Tensor* number = context.wrap_number(Value(2.5));
  const std::array<double, 2> parts = {1.5, -2};
  Tensor* complex = context.wrap_number(Value::complex(parts.data()));
  Tensor* const kept[] = {view, number, complex};
  for (int i = 0; i < 3; ++i) {
    context.free_all_but(kept);
    for (int j = 0; j < 1000; ++j) empty({j});
  }
  EXPECT_TRUE(context.owns(*view));
  EXPECT_TRUE(context.owns(*view->base));
  EXPECT_EQ(view->storage, view->base->storage);
  EXPECT_EQ(view->base->sizes()[1].as_int(), 3);
  EXPECT_EQ(call("aten::add.Tensor", {view, number}).tensor().dtype(), DType::kFloat32);
  EXPECT_EQ(call("aten::add.Tensor", {view, complex}).tensor().dtype(), DType::kComplex64);
}

// The symbol that a kept tensor's data was found to be is still its.
TEST_F(LongLived, MemosOfWhatIsKeptStay) {
  ShapeEnv env;
  context.set_shape_env(&env);
  Tensor* x = context.empty({}, DType::kInt64, Device{}.normalized());
  Tensor* other = context.empty({}, DType::kInt64, Device{}.normalized());
  const SymInt item = call("aten::item", {x}).as_sym_int();
  call("aten::item", {other});
  Tensor* const kept[] = {x};
  context.free_all_but(kept);
  EXPECT_TRUE(same_expr(call("aten::item", {x}).as_sym_int(), item));
  EXPECT_TRUE(context.memos().find(*x, Memo::kItem).is(Value::Tag::kInt));
}

}  // namespace
}  // namespace faketensor
