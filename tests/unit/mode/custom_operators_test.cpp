#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "library_fixture.h"

namespace faketensor {
namespace {

class LibraryTest : public LibraryFixture {
 protected:
  std::string error_of(std::string_view op, std::vector<Value> args) {
    const Outcome outcome = mode.call(op, args);
    return outcome.error ? raised(outcome) : "no error";
  }
  template <typename Action>
  static std::string raised_by(Action action) {
    try {
      action();
    } catch (const Error& error) {
      return std::string(error.class_name()) + ": " + error.message();
    }
    return "no error";
  }
};

Value like_first(FakeCall& call) { return call.empty_like(call.arg(0).tensor()); }

TEST_F(LibraryTest, AFakeAnswersWithFreshSizes) {
  library.define("mylib::nonzeros(Tensor x) -> Tensor");
  library.register_fake("mylib::nonzeros", [](FakeCall& call) {
    const SymInt count = call.new_dynamic_size(1, 9);
    return call.empty({count, call.arg(0).tensor().dim()}, DType::kInt64);
  });
  const Value x = tensor({2, 3});
  const Outcome outcome = mode.call("mylib::nonzeros", {&x, 1});
  ASSERT_FALSE(outcome.error) << outcome.error->message();
  EXPECT_EQ(format("{}", outcome.value.tensor().sizes()), "[u0, 2]");
  EXPECT_TRUE(guard_bool(outcome.value.tensor().size(0) < 10));
  EXPECT_TRUE(guard_bool(outcome.value.tensor().size(0) > 0));
}

TEST_F(LibraryTest, FreshSizesNeedAShapeEnvAndARange) {
  library.define("mylib::f(Tensor x, int min, int? max) -> Tensor");
  library.register_fake("mylib::f", [](FakeCall& call) {
    std::optional<int64_t> max;
    if (!call.arg(2).is_none()) max = guard_int(call.arg(2).as_sym_int());
    return call.empty({call.new_dynamic_size(guard_int(call.arg(1).as_sym_int()), max)},
                      DType::kFloat32);
  });
  EXPECT_EQ(
      error_of("mylib::f", {tensor({2}), -1, Value()}),
      "ValueError: ctx.new_dynamic_size(min=-1, ...): expected min to be greater than or equal "
      "to 0: this API can only create non-negative sizes.");
  EXPECT_EQ(error_of("mylib::f", {tensor({2}), 9, 7}),
            "ValueError: Maximum value to constrain_as_size can't be less than the specified min "
            "value, received min=9 and max=7");
  mode.context().set_shape_env(nullptr);
  EXPECT_EQ(error_of("mylib::f", {tensor({2}), 0, Value()}),
            "DynamicOutputShapeException: mylib.f.default");
}

TEST_F(LibraryTest, OperatorsWithoutAFakeSayWhatIsMissing) {
  library.define("mylib::foo(Tensor x) -> Tensor");
  library.define("mylib::bar(Tensor x) -> Tensor", {.custom_op_function = "bar_cpu"});
  library.define("mylib::fill(Tensor(a!) x) -> ()");
  EXPECT_EQ(error_of("mylib::foo", {tensor({2})}),
            "UnsupportedOperatorException: mylib.foo.default");
  EXPECT_EQ(
      error_of("mylib::bar", {tensor({2})}),
      "RuntimeError: There was no fake impl registered for <CustomOpDef(mylib::bar)>. This is "
      "necessary for torch.compile/export/fx tracing to work. Please use "
      "`bar_cpu.register_fake` to add an fake impl.");
  EXPECT_EQ(error_of("mylib::fill", {tensor({2})}), "no error");
  EXPECT_EQ(error_of("mylib::nowhere", {tensor({2})}),
            "UnsupportedOperatorException: mylib::nowhere");
}

// Its kernel for autograd would count the write, which fakes never reach.
TEST_F(LibraryTest, WhatWritesLeavesTheVersionOfWhatItWritesTo) {
  library.define("mylib::fill(Tensor(a!) x) -> ()");
  const Value x = tensor({2});
  mode.call("mylib::fill", {&x, 1});
  EXPECT_EQ(x.tensor().storage->version, 0u);
}

// should_allow_numbers_as_tensors asks for the namespace, too.
TEST_F(LibraryTest, NumbersStandForTensorsInOperatorsOfAtenOnly) {
  library.define("mylib::add(Tensor x, Tensor y) -> Tensor");
  library.register_fake("mylib::add", like_first);
  EXPECT_NE(error_of("mylib::add", {tensor({2}), Value(3)}), "no error");
  EXPECT_EQ(error_of("aten::add.Tensor", {tensor({2}), Value(3)}), "no error");
}

TEST_F(LibraryTest, WhatACustomOpWritesToGetsANewVersion) {
  library.define("mylib::fill(Tensor(a!) x) -> ()", {.custom_op_function = "fill_cpu"});
  library.register_fake("mylib::fill", [](FakeCall&) { return Value(); });
  const Value x = tensor({2});
  mode.call("mylib::fill", {&x, 1});
  EXPECT_EQ(x.tensor().storage->version, 1u);
}
TEST_F(LibraryTest, WhatAnOverriddenBuiltInWritesToGetsANewVersion) {
  library.register_fake("aten::zero_", [](FakeCall& call) { return call.arg(0); });
  const Value x = tensor({2});
  mode.call("aten::zero_", {&x, 1});
  EXPECT_EQ(x.tensor().storage->version, 1u);
}

TEST_F(LibraryTest, ScopedFakesStackAndGoAsTheirScopesEnd) {
  library.define("mylib::foo(Tensor x) -> Tensor");
  library.register_fake("mylib::foo", like_first);
  const Value x = tensor({2, 3});
  const auto rank = [&] { return mode.call("mylib::foo", {&x, 1}).value.tensor().dim(); };
  {
    const Library::ScopedFake outer(library, "mylib::foo", [](FakeCall& call) -> Value {
      return call.empty({1}, DType::kFloat32);
    });
    EXPECT_EQ(rank(), 1);
    {
      const Library::ScopedFake inner(library, "mylib::foo", [](FakeCall& call) -> Value {
        return call.empty({}, DType::kFloat32);
      });
      EXPECT_EQ(rank(), 0);
    }
    EXPECT_EQ(rank(), 1);
  }
  EXPECT_EQ(rank(), 2);
}

TEST_F(LibraryTest, TheFakeOfACustomOpThatHadNoneStays) {
  library.define("mylib::foo(Tensor x) -> Tensor", {.custom_op_function = "foo"});
  { const Library::ScopedFake scope(library, "mylib::foo", like_first); }
  EXPECT_EQ(error_of("mylib::foo", {tensor({2})}), "no error");
}

TEST_F(LibraryTest, BuiltInOperatorsAreOverriddenForAScope) {
  const Value x = tensor({2, 3});
  {
    const Library::ScopedFake scope(library, "aten::relu", [](FakeCall& call) -> Value {
      return call.empty({7}, DType::kInt64);
    });
    EXPECT_EQ(mode.call("aten::relu", {&x, 1}).value.tensor().dim(), 1);
  }
  EXPECT_EQ(mode.call("aten::relu", {&x, 1}).value.tensor().dim(), 2);
}

TEST_F(LibraryTest, ResultsAreWhatTheSchemaSays) {
  library.define("mylib::one(Tensor x) -> Tensor");
  library.define("mylib::two(Tensor x) -> (Tensor, Tensor)");
  library.define("mylib::list(Tensor x) -> Tensor[]");
  library.define("mylib::none(Tensor(a!) x) -> ()");
  for (const char* op : {"mylib::two", "mylib::list", "mylib::none"})
    library.register_fake(op, like_first);
  library.register_fake("mylib::one",
                        [](FakeCall& call) -> Value { return call.tuple({call.arg(0)}); });
  const Value x = tensor({3});
  EXPECT_EQ(error_of("mylib::one", {x}),
            "RuntimeError: Unable to cast [FakeTensor(..., size=(3,))] to Tensor");
  EXPECT_EQ(error_of("mylib::two", {x}),
            "TypeError: Object of type 'FakeTensor' is not an instance of 'sequence'");
  EXPECT_EQ(error_of("mylib::list", {x}),
            "RuntimeError: Unable to cast Python instance of type <class "
            "'torch._subclasses.fake_tensor.FakeTensor'> to C++ type '?' (#define "
            "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)");
  EXPECT_EQ(error_of("mylib::none", {x}),
            "RuntimeError: Expected __torch_dispatch__ for mylib::none to return None but it "
            "returned something else instead.");
}

TEST_F(LibraryTest, FakesSeeArgumentsAsPythonDoes) {
  library.define("mylib::foo(Tensor x, int n=3, float f=2., str s='a', *, int? k=None) -> Tensor");
  std::string seen;
  library.register_fake("mylib::foo", [&](FakeCall& call) {
    seen = call.arguments_text();
    return call.arg(0);
  });
  const Value x = tensor({2});
  const auto text = [&](std::vector<Value> args) {
    mode.call("mylib::foo", args);
    return seen;
  };
  EXPECT_EQ(text({x, 3, 2.0}), "((FakeTensor(..., size=(2,)),), {})");
  EXPECT_EQ(text({x, 4}), "((FakeTensor(..., size=(2,)), 4), {})");
  EXPECT_EQ(text({x, 3, 3}), "((FakeTensor(..., size=(2,)), 3, 3.0), {})");
  EXPECT_EQ(text({x, 3, 2.0, Value::string("a"), 1}), "((FakeTensor(..., size=(2,)),), {'k': 1})");
}

TEST_F(LibraryTest, DefinitionsAreChecked) {
  EXPECT_EQ(
      raised_by([&] { library.define("foo", "(Tensor x) -> Tensor"); }),
      "ValueError: Expected `qualname` to be of the form \"namespace::name\", but got foo. The "
      "qualname passed to the torch.library APIs must consist of a namespace and a name, e.g. "
      "aten::sin");
  EXPECT_EQ(
      raised_by([&] { library.define("a::foo", "Tensor x -> Tensor"); }),
      "ValueError: define(qualname, schema, ...): expected schema to look like e.g. \"(Tensor "
      "x) -> Tensor\" but got \"Tensor x -> Tensor\"");
  EXPECT_EQ(raised_by([&] { library.define("a::foo(Tensorx x) -> Tensor"); }).substr(0, 36),
            "RuntimeError: unknown type specifier");
  EXPECT_EQ(raised_by([&] { library.define("a::foo(Tensor) -> Tensor"); }).substr(0, 12),
            "RuntimeError");
  EXPECT_EQ(raised_by([&] { library.define("a::foo(int y=a) -> Tensor"); }).substr(0, 44),
            "RuntimeError: invalid numeric default value ");
  library.define("a::foo(Tensor x) -> Tensor");
  EXPECT_EQ(raised_by([&] { library.define("a::foo(Tensor x) -> Tensor"); }).substr(0, 36),
            "RuntimeError: Tried to register an o");
  library.remove("a::foo");
  library.define("a::foo(Tensor x) -> Tensor");
  EXPECT_EQ(raised_by([&] { library.register_fake("a::bar", like_first); }),
            "RuntimeError: operator a::bar does not exist");
}

TEST_F(LibraryTest, ResultsRequireGradWhereAnArgumentDoes) {
  library.define("mylib::foo(Tensor x) -> (Tensor, Tensor)");
  library.register_fake("mylib::foo", [](FakeCall& call) {
    return call.tuple({call.empty({1}, DType::kFloat32), call.empty({1}, DType::kInt64)});
  });
  mode.context().grad_enabled = true;
  const Value leaf = tensor({2});
  MetaSpec spec = leaf.tensor().meta->spec();
  spec.flags |= kRequiresGrad;
  leaf.tensor().meta = mode.context().metas().intern(spec);
  const Value result = mode.call("mylib::foo", {&leaf, 1}).value;
  EXPECT_TRUE(result[0].tensor().meta->has(kRequiresGrad));
  EXPECT_FALSE(result[1].tensor().meta->has(kRequiresGrad));
}

constexpr std::string_view kNoInt =
    "RuntimeError: 0 INTERNAL ASSERT FAILED at "
    "\"/__w/pytorch/pytorch/aten/src/ATen/core/ivalue.h\":663, please report a bug to PyTorch. "
    "expected int";

// IValue::toInt of each element; a fraction is never read as the bits of a symbolic integer.
TEST_F(LibraryTest, DefaultsOfIntListsAreIntegers) {
  for (const std::string_view type : {"SymInt[1] s=[-1.5]", "SymInt[1] s=[1.5]", "int[2] s=1.5",
                                      "int[1] s=[True]", "int[1] s=['a']", "int[1] s=[None]"}) {
    EXPECT_EQ(raised_by([&] {
                library.define("mylib::f(Tensor x, " + std::string(type) + ") -> Tensor");
              }),
              kNoInt)
        << type;
  }
  EXPECT_NE(raised_by([&] {
              library.define("mylib::f(Tensor x, bool[1] s=[1]) -> Tensor");
            }).find("ivalue.h\":710"),
            std::string::npos);
}

TEST_F(LibraryTest, AListOfManyElementsKeepsItsLength) {
  library.define("mylib::many(Tensor x, int[65538] s=0) -> Tensor");
  const Schema& schema = library.entry(library.find("mylib::many")).schema;
  EXPECT_EQ(schema.arguments[1].default_value.size(), 65538u);
  library.define("mylib::none(Tensor x, int[0] s=0) -> Tensor");
  const Schema& none = library.entry(library.find("mylib::none")).schema;
  EXPECT_EQ(none.arguments[1].default_value.size(), 0u);
  EXPECT_EQ(raised_by([&] {
              library.define("mylib::g(Tensor x, int[9999999999] s=0) -> Tensor");
            }).substr(0, 13),
            "LimitExceeded");
  EXPECT_EQ(raised_by([&] {
              library.define("mylib::h(Tensor x, int s=99999999999999999999) -> Tensor");
            }),
            "IndexError: stoll");
}

// Numbers of enumerations that there are not stay numbers, as in PyTorch.
TEST_F(LibraryTest, ADefaultThatNamesNoEnumeratorStaysANumber) {
  library.define("mylib::e(Tensor x, ScalarType t=99, MemoryFormat m=-1, Layout l=77) -> Tensor");
  const Schema& schema = library.entry(library.find("mylib::e")).schema;
  EXPECT_EQ(format("{}", schema.arguments[1].default_value), "99");
  EXPECT_EQ(format("{}", schema.arguments[2].default_value), "-1");
  EXPECT_EQ(format("{}", schema.arguments[3].default_value), "77");
}

TEST_F(LibraryTest, ManyWrittenArgumentsAreFine) {
  std::string schema = "mylib::wide(";
  std::vector<Value> args;
  for (int i = 0; i < 70; ++i) {
    schema += (i == 0 ? "Tensor(a" : ", Tensor(a") + std::to_string(i) + "!) x" + std::to_string(i);
    MetaSpec spec = tensor({2}).tensor().meta->spec();
    spec.flags |= kRequiresGrad;
    args.push_back(mode.from_meta(*mode.context().metas().intern(spec)));
  }
  library.define(schema + ") -> ()");
  library.register_fake("mylib::wide", [](FakeCall&) { return Value(); });
  mode.context().grad_enabled = true;
  EXPECT_EQ(error_of("mylib::wide", args), "no error");
}

// As README.md has it.
TEST(ReadmeExample, ACustomOperatorInCpp) {
  faketensor::FakeTensorMode mode;
  mode.attach_shape_env(nullptr);  // where fresh sizes come from
  mode.library().define("mylib::nonzeros(Tensor x) -> Tensor");
  mode.library().register_fake("mylib::nonzeros", [](faketensor::FakeCall& call) {
    const faketensor::SymInt count = call.new_dynamic_size();  // known at run time only
    return call.empty({count, call.arg(0).tensor().dim()}, faketensor::DType::kInt64);
  });
  const faketensor::Value x = mode.empty(faketensor::DimVector{2, 3}, faketensor::DType::kFloat32);
  const faketensor::Outcome outcome = mode.call("mylib::nonzeros", {&x, 1});  // i64[u0, 2]
  EXPECT_EQ(format("{}", outcome.value.tensor().sizes()), "[u0, 2]");
}

}  // namespace
}  // namespace faketensor
