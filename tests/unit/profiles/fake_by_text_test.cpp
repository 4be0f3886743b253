#include "core/profiles/fake_by_text.h"

#include "core/profiles/opcheck.h"
#include "core/support/format.h"
#include "tests/unit/mode/library_fixture.h"

namespace faketensor {
namespace {

class FakeByTextTest : public LibraryFixture {
 protected:
  std::string shown(std::string_view op, std::vector<Value> args) {
    const Outcome outcome = mode.call(op, args);
    if (outcome.error) return raised(outcome);
    std::string text;
    append_text(text, outcome.value);
    return text;
  }
};

TEST_F(FakeByTextTest, ShapesAreExpressionsOfTheArgumentsSizes) {
  library.define("mylib::pad(Tensor x, Tensor y) -> (Tensor, Tensor)");
  library.register_fake("mylib::pad", fake_by_shapes({{.sizes = {"x0_0 + 4", "x0_1*x1_0"}},
                                                      {.sizes = {}, .dtype = DType::kBool}}));
  EXPECT_EQ(shown("mylib::pad", {tensor({2, 3}), tensor({5})}),
            "[FakeTensor(..., size=(6, 15)), FakeTensor(..., size=(), dtype=torch.bool)]");
  library.define("mylib::wrong(Tensor x) -> Tensor");
  library.register_fake("mylib::wrong", fake_by_shapes({{.sizes = {"x0_7"}}}));
  EXPECT_EQ(shown("mylib::wrong", {tensor({2})}),
            "ValueError: the size 'x0_7' names x0_7, which no argument has");
}

TEST_F(FakeByTextTest, BodiesAreWhatFxPrints) {
  library.define("mylib::gate(Tensor x, Tensor w) -> Tensor");
  library.register_fake("mylib::gate", fake_by_body(R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %w : [num_users=1] = placeholder[target=w]
    %mm : [num_users=1] = call_function[target=torch.ops.aten.mm.default](args = (%x, %w), kwargs = {})
    %sum_1 : [num_users=1] = call_function[target=torch.ops.aten.sum.dim_IntList](args = (%mm, [1], True), kwargs = {dtype: torch.float64})
    return sum_1
)"));
  EXPECT_EQ(shown("mylib::gate", {tensor({2, 3}), tensor({3, 4})}),
            "FakeTensor(..., size=(2, 1), dtype=torch.float64)");
  EXPECT_EQ(shown("mylib::gate", {tensor({2, 3}), tensor({4, 4})}),
            "RuntimeError: a and b must have same reduction dim, but got [2, 3] X [4, 4].");
}

TEST_F(FakeByTextTest, BodiesThatAreNoneAreRefusedWithTheirLine) {
  const auto raised = [](std::string_view text) -> std::string {
    try {
      fake_by_body(text);
    } catch (const Error& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(raised("graph():\n"), "line 1 of the graph: a graph ends with its return");
  EXPECT_EQ(raised("%x : placeholder\nreturn %y"),
            "line 2 of the graph: the name y before its definition");
  EXPECT_EQ(raised("%x : something[target=w]\n"),
            "line 1 of the graph: a node is a placeholder, a get_attr or a call");
  EXPECT_EQ(raised("%x : get_attr[target=w]\nreturn x"),
            "'x' is a get_attr: the nodes of a body are placeholders and calls of operators");
}

TEST_F(FakeByTextTest, OpcheckComparesWithRecordedResults) {
  library.define("mylib::nonzeros(Tensor x) -> Tensor");
  library.register_fake("mylib::nonzeros", [](FakeCall& call) {
    return call.empty({call.new_dynamic_size(0, 6), call.arg(0).tensor().dim()}, DType::kInt64);
  });
  const Value x = tensor({2, 3});
  const auto check = [&](const Value& real) {
    const TensorMeta* meta = real.tensor().meta;
    return opcheck(mode, "mylib::nonzeros", {&x, 1}, {&meta, 1});
  };
  EXPECT_TRUE(check(tensor({4, 2}, DType::kInt64)).empty());
  const std::vector<std::string> differences = check(tensor({7, 2}, DType::kInt32));
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0], "result 0: dtype torch.int64 where the operator gave torch.int32");
  EXPECT_EQ(differences[1].substr(0, 15), "result 0: sizes");
}

}  // namespace
}  // namespace faketensor
