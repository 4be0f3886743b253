// vmap in exported programs: tensors with a dimension that the operators between do not see.
#include <gtest/gtest.h>

#include "core/graph/fake_tensor_prop.h"
#include "program_builder.h"
#include "run_text.h"

namespace faketensor {
namespace {

// A program with one level of vmap around what `body` adds.
class VmapProgram : public ProgramBuilder {
 public:
  // A call of torch._functorch.predispatch.
  Row predispatch(const std::string& name, std::vector<Value> args) {
    return call_function("torch._functorch.predispatch." + name, name, std::move(args));
  }
  void enter(int64_t size, std::string_view randomness = "error") {
    predispatch("_vmap_increment_nesting", {size, Value::string(randomness)});
  }
  Row batched(Row tensor, int64_t dim, int64_t level = 1) {
    return predispatch("_add_batch_dim", {ref(tensor), dim, level});
  }
  Row unbatched(Row tensor, int64_t size, int64_t dim, int64_t level = 1) {
    return predispatch("_remove_batch_dim", {ref(tensor), level, size, dim});
  }
  Row leave() { return predispatch("_vmap_decrement_nesting", {}); }
};

TEST(Vmap, HidesADimensionFromTheOperatorsBetween) {
  VmapProgram b;
  const Row x = b.input("x", {4, 3, 5});
  b.enter(3);
  const Row row = b.batched(x, 1);
  const Row sum = b.call("aten.sum.dim_IntList", {ref(row), b.ints({1})});
  const Row result = b.unbatched(sum, 3, 0);
  const Row left = b.leave();
  b.output({result});
  const auto run = propagate(b.program);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(text_of(run, row), "f32[4, 5] strides [15, 1]");
  EXPECT_EQ(run.record(row).tensors[0].storage, run.record(x).tensors[0].storage);
  EXPECT_EQ(text_of(run, sum), "f32[4]");
  EXPECT_EQ(text_of(run, result), "f32[3, 4]");
  EXPECT_EQ(text_of(run, left), "1");
}

TEST(Vmap, AlignsTensorsThatAreBatchedAndTensorsThatAreNot) {
  VmapProgram b;
  const Row x = b.input("x", {6, 3});
  const Row w = b.input("w", {2, 3});
  b.enter(6);
  const Row row = b.batched(x, 0);
  const Row scaled = b.call("aten.mul.Tensor", {ref(row), ref(w)});
  const Row linear = b.call("aten.linear.default", {ref(row), ref(w)});
  const Row first = b.unbatched(scaled, 6, 1);
  const Row second = b.unbatched(linear, 6, 0);
  const Row third = b.unbatched(w, 6, 0);
  b.leave();
  b.output({first, second, third});
  const auto run = propagate(b.program);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(text_of(run, scaled), "f32[2, 3]");
  EXPECT_EQ(text_of(run, first), "f32[2, 6, 3] strides [3, 6, 1]");
  EXPECT_EQ(text_of(run, second), "f32[6, 2]");
  EXPECT_EQ(text_of(run, third), "f32[6, 2, 3] strides [0, 3, 1]");
}

TEST(Vmap, Nests) {
  VmapProgram b;
  const Row x = b.input("x", {4, 5, 3});
  b.enter(4);
  const Row outer = b.batched(x, 0, 1);
  b.enter(5);
  const Row inner = b.batched(outer, 0, 2);
  const Row dot = b.call("aten.dot.default", {ref(inner), ref(inner)});
  const Row rows = b.unbatched(dot, 5, 0, 2);
  b.leave();
  const Row all = b.unbatched(rows, 4, 0, 1);
  b.leave();
  b.output({all});
  const auto run = propagate(b.program);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(text_of(run, inner), "f32[3]");
  EXPECT_EQ(text_of(run, dot), "f32[]");
  EXPECT_EQ(text_of(run, rows), "f32[5]");
  EXPECT_EQ(text_of(run, all), "f32[4, 5]");
}

TEST(Vmap, RandomNumbersNeedItsLeave) {
  for (const std::string_view randomness : {"error", "different", "same"}) {
    VmapProgram b;
    const Row x = b.input("x", {4, 3});
    b.enter(4, randomness);
    b.batched(x, 0);
    const Row drawn = b.call("aten.rand.default", {b.ints({3})});
    const Row all = b.unbatched(drawn, 4, 0);
    b.leave();
    b.output({all});
    const auto run = propagate(b.program);
    if (randomness == "error") {
      ASSERT_EQ(run.problems().size(), 1u);
      EXPECT_EQ(run.problems()[0].message,
                "vmap: called random operation while in randomness error mode. Please either use "
                "the 'same' or 'different' randomness flags on vmap or perform the randomness "
                "operation out of vmap");
      continue;
    }
    EXPECT_EQ(text_of(run, all), randomness == "same" ? "f32[4, 3] strides [0, 1]" : "f32[4, 3]");
  }
}

TEST(Vmap, DataCannotBeAskedFor) {
  VmapProgram b;
  const Row x = b.input("x", {4});
  b.enter(4);
  const Row number = b.batched(x, 0);
  const Row item = b.call("aten.item.default", {ref(number)});
  b.leave();
  b.output({item});
  const auto run = propagate(b.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_TRUE(run.problems()[0].message.starts_with("vmap: It looks like you're calling .item()"));
}

TEST(Vmap, LevelsAndDimensionsThatThereAreNotAreRefused) {
  VmapProgram b;
  const Row x = b.input("x", {4, 3});
  const Row outside = b.batched(x, 0);
  b.enter(4);
  const Row far = b.batched(x, 7);
  const Row row = b.batched(x, 0);
  const Row nowhere = b.unbatched(x, 4, -1);
  b.leave();
  const Row escaped = b.call("aten.sin.default", {ref(row)});
  const Row left = b.leave();
  b.output({x});
  const auto run = propagate(b.program);
  std::vector<Row> wrong;
  for (const Problem& problem : run.problems()) wrong.push_back(problem.node);
  EXPECT_EQ(wrong, (std::vector<Row>{outside, far, nowhere, escaped, left}));
}

TEST(Vmap, NestsSoDeepAndNoDeeper) {
  VmapProgram b;
  const Row x = b.input("x", {1});
  for (int i = 0; i < 33; ++i) b.enter(1);
  b.output({x});
  const auto run = propagate(b.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].error_class, "LimitExceeded");
}

// What `op` makes of a copy of x[3, 4] whose batch dimension, of size 5, is at `dim`: what is seen,
// and then all of it.
std::string in_place(const std::string& op, int64_t dim, std::vector<Value> args) {
  VmapProgram b;
  const Row x = dim == 0   ? b.input("x", {5, 3, 4})
                : dim == 1 ? b.input("x", {3, 5, 4})
                           : b.input("x", {3, 4, 5});
  b.enter(5);
  const Row copy = b.call("aten.clone.default", {ref(b.batched(x, dim)), Value::unset()});
  args.insert(args.begin(), ref(copy));
  const Row changed = b.call(op, args);
  const Row all = b.unbatched(copy, 5, 0);
  b.leave();
  b.output({changed, all});
  const auto run = propagate(b.program);
  if (!run.problems().empty()) return run.problems()[0].message;
  EXPECT_EQ(run.record(changed).tensors[0].tensor, run.record(copy).tensors[0].tensor);
  return text_of(run, changed) + "; " + text_of(run, all);
}

TEST(Vmap, ViewsInPlaceAreSeen) {
  EXPECT_EQ(in_place("aten.transpose_.default", 1, {0, 1}),
            "f32[4, 3] strides [1, 20]; f32[5, 4, 3] strides [4, 1, 20]");
  EXPECT_EQ(in_place("aten.t_.default", 0, {}),
            "f32[4, 3] strides [1, 4]; f32[5, 4, 3] strides [12, 1, 4]");
  EXPECT_EQ(in_place("aten.unsqueeze_.default", 1, {0}),
            "f32[1, 3, 4] strides [60, 20, 1]; f32[5, 1, 3, 4] strides [4, 60, 20, 1]");
  EXPECT_EQ(in_place("aten.unsqueeze_.default", 1, {-1}),
            "f32[3, 4, 1] strides [20, 1, 1]; f32[5, 3, 4, 1] strides [4, 20, 1, 1]");
  EXPECT_EQ(in_place("aten.squeeze_.dim", 2, {0}),
            "f32[3, 4] strides [20, 5]; f32[5, 3, 4] strides [1, 20, 5]");
  EXPECT_EQ(in_place("aten.resize_.default", 0, {VmapProgram().ints({}), Value::unset()}),
            "f32[]; f32[5]");
  EXPECT_EQ(in_place("aten.transpose_.default", 0, {0, 5}),
            "Dimension out of range (expected to be in range of [-2, 1], but got 5)");
  EXPECT_TRUE(in_place("aten.resize_.default", 1, {VmapProgram().ints({}), Value::unset()})
                  .ends_with("NYI: resize_ batch rule for batch dim != 0"));
}

// As PyTorch 2.13 answers: squeeze_ of all dimensions takes a batch of one with it.
TEST(Vmap, ABatchOfOneIsLostInSqueezing) {
  for (const bool has_dims : {false, true}) {
    VmapProgram b;
    const Row x = b.input("x", {1, 1, 4});
    b.enter(1);
    const Row copy = b.call("aten.clone.default", {ref(b.batched(x, 1)), Value::unset()});
    const Row squeezed = has_dims ? b.call("aten.squeeze_.dims", {ref(copy), b.ints({0})})
                                  : b.call("aten.squeeze_.default", {ref(copy)});
    const Row all = b.unbatched(copy, 1, 0);
    b.leave();
    b.output({squeezed, all});
    const auto run = propagate(b.program);
    ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
    EXPECT_EQ(text_of(run, squeezed), has_dims ? "f32[4]" : "f32[]");
    EXPECT_EQ(text_of(run, all), has_dims ? "f32[1, 4]" : "f32[4]");
  }
}

// A composite that reads nothing but the dtype of what is batched answers without a batch.
TEST(Vmap, ACompositesResultIsBatchedWhereItsOperatorsSaySo) {
  VmapProgram b;
  const Row x = b.input("x", {4, 3});
  const Row w = b.input("w", {2}, DType::kFloat64);
  b.enter(4);
  const Row cast = b.call("aten.type_as.default", {ref(w), ref(b.batched(x, 0))});
  const Row all = b.unbatched(cast, 4, 0);
  b.leave();
  b.output({all});
  const auto run = propagate(b.program);
  ASSERT_TRUE(run.problems().empty()) << run.problems()[0].message;
  EXPECT_EQ(text_of(run, all), "f32[4, 2] strides [0, 1]");
}

TEST(Vmap, ALaterTransformIsUnknown) {
  VmapProgram b;
  const Row x = b.input("x", {4});
  const Row grad = b.predispatch("_unwrap_for_grad", {ref(x), 1});
  b.output({grad});
  const auto run = propagate(b.program);
  ASSERT_EQ(run.problems().size(), 1u);
  EXPECT_EQ(run.problems()[0].kind, Problem::Kind::kUnknown);
}

}  // namespace
}  // namespace faketensor
