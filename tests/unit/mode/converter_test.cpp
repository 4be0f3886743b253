#include "core/mode/converter.h"

#include <gtest/gtest.h>

#include "core/support/error.h"

namespace faketensor {
namespace {

TensorDescription described(uint64_t id, std::vector<SymInt> sizes, std::vector<SymInt> strides,
                            int64_t nbytes) {
  TensorDescription tensor;
  tensor.id = id;
  tensor.sizes = std::move(sizes);
  tensor.strides = std::move(strides);
  tensor.storage = {id, nbytes};
  return tensor;
}

std::string text(Dims dims) {
  std::string out;
  for (const SymInt dim : dims) out += (out.empty() ? "" : ", ") + to_string(dim);
  return out;
}

TEST(Converter, SizesBecomeSymbolsAndBytesFollow) {
  Context context;
  ShapeEnv env;
  context.set_shape_env(&env);
  Converter converter(context);
  const TensorDescription x = described(0, {5, 3}, {3, 1}, 60);
  const Tensor* fake = converter.from_tensor(x, {.source = Source::local("x")});
  EXPECT_EQ(text(fake->sizes()), "s77, s27");
  EXPECT_EQ(text(fake->strides()), "s27, 1");
  EXPECT_EQ(to_string(fake->storage->nbytes), "4*s27*(s77 - 1) + 4*s27");
  EXPECT_EQ(converter.from_tensor(x), fake);
}

TEST(Converter, StaticShapesAndNoShapeEnvStayNumbers) {
  Context context;
  ShapeEnv env;
  context.set_shape_env(&env);
  Converter converter(context);
  const TensorDescription x = described(0, {5, 3}, {3, 1}, 60);
  const Tensor* fake =
      converter.from_tensor(x, {.source = Source::local("x"), .static_shapes = true});
  EXPECT_EQ(text(fake->sizes()), "5, 3");
  EXPECT_TRUE(env.symbols().empty());
}

TEST(Converter, AnOffsetKeepsTheRealStorage) {
  Context context;
  ShapeEnv env;
  context.set_shape_env(&env);
  Converter converter(context);
  TensorDescription x = described(0, {4, 6}, {6, 1}, 116);
  x.offset = 5;
  const Tensor* fake = converter.from_tensor(x, {.source = Source::local("x")});
  EXPECT_EQ(to_string(fake->offset()), "s83");
  EXPECT_EQ(to_string(fake->storage->nbytes), "116");
  EXPECT_TRUE(env.guards().empty());
}

TEST(Converter, AViewStandsOnTheFakeOfItsBase) {
  Context context;
  Converter converter(context);
  const auto base = std::make_shared<const TensorDescription>(described(0, {24}, {1}, 96));
  TensorDescription view = described(1, {6}, {1}, 96);
  view.storage.id = 0;
  view.offset = 12;
  view.base = base;
  const Tensor* fake = converter.from_tensor(view);
  ASSERT_NE(fake->base, nullptr);
  EXPECT_EQ(fake->base, converter.from_tensor(*base));
  EXPECT_EQ(fake->storage, fake->base->storage);
}

TEST(Converter, TensorsOnOneStorageAlias) {
  Context context;
  Converter converter(context);
  const TensorDescription a = described(0, {4}, {1}, 16);
  TensorDescription b = described(1, {2}, {1}, 16);
  b.storage.id = 0;
  EXPECT_EQ(converter.from_tensor(a)->storage, converter.from_tensor(b)->storage);
}

TEST(Converter, ANumberThatComesInAsATensorIsKnown) {
  Context context;
  ShapeEnv env;
  context.set_shape_env(&env);
  Converter converter(context);
  TensorDescription x = described(0, {}, {}, 8);
  x.dtype = DType::kInt64;
  x.item = Number::of(7);
  const Tensor* fake = converter.from_tensor(x, {.source = Source::local("x")});
  const Value item = context.memos().find(*fake, Memo::kItem);
  ASSERT_TRUE(item.is(Value::Tag::kInt));
  EXPECT_EQ(to_string(item.as_sym_int()), "s57");
  EXPECT_EQ(env.hint_of_symbol(item.as_sym_int().node()), 7);
  TensorDescription y = x;
  y.id = 1;
  converter.is_export = true;
  EXPECT_TRUE(context.memos()
                  .find(*converter.from_tensor(y, {.source = Source::local("y")}), Memo::kItem)
                  .is_none());
}

TEST(Converter, AContextBesideStaticShapesIsRefused) {
  Context context;
  Converter converter(context);
  SymbolicContext symbolic = SymbolicContext::all_duck(1);
  EXPECT_THROW(converter.from_tensor(described(0, {4}, {1}, 16),
                                     {.symbolic_context = &symbolic, .static_shapes = true}),
               Error);
}

// Its as_strided of the fake base is noted as a fake of its own.
TEST(Converter, AViewCountsTwiceInTheNamesOfTensorsWithoutSource) {
  Context context;
  ShapeEnv env;
  context.set_shape_env(&env);
  Converter converter(context);
  TensorDescription view = described(1, {6}, {1}, 96);
  view.storage.id = 0;
  view.base = std::make_shared<const TensorDescription>(described(0, {24}, {1}, 96));
  converter.from_tensor(view, {.source = Source::local("v")});
  const Tensor* fake = converter.from_tensor(described(2, {5}, {1}, 20));
  EXPECT_EQ(env.sources(fake->sizes()[0].node())[0].name(),
            "__meta_utils_unknown_tensor3.size()[0]");
}

TEST(Converter, ATensorAtAnOffsetThatIsASymbolIsPlaced) {
  Context context;
  ShapeEnv env({.specialize_zero_one = false});
  context.set_shape_env(&env);
  Converter converter(context);
  const Tensor* fake =
      converter.from_tensor(described(0, {5}, {1}, 20), {.source = Source::local("x")});
  EXPECT_EQ(to_string(fake->offset()), "s83");
  EXPECT_TRUE(converter.is_placed(*fake));
  EXPECT_FALSE(converter.is_placed(*converter.from_tensor(described(1, {}, {}, 4))));
}

}  // namespace
}  // namespace faketensor
