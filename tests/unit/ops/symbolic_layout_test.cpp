// How results are laid out when the batch is a symbol, and of which dtype they are: what
// references made of several steps answer. The answers are PyTorch 2.13's.
#include "core/symbolic/shape_env.h"
#include "core/symbolic/sym_float.h"
#include "core/tensor/strides.h"
#include "expect_call.h"

namespace faketensor {
namespace {

// One tensor [s0, channels, 8, 6] of a format and dtype, then the arguments that follow it.
struct LayoutCase {
  std::string_view op;
  std::vector<std::string> args;
  std::string_view answer;  // "dtype [sizes] [strides]", then guards
};

struct Input {
  DType dtype = DType::kFloat32;
  int64_t channels = 1;
};

std::string answer(const LayoutCase& given, Input input, size_t tensors = 1) {
  FakeTensorMode mode;
  const auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const OpId id = Registry::builtin().find(given.op);
  const OpEntry& op = Registry::builtin().entry(id);
  const SymInt batch = env->create_backed("s0", 5, ValueRange::ints(2, kIntInfinity));
  const DimVector sizes = {batch, input.channels, 8, 6};
  std::vector<Value> values(op.schema.arguments.size(), Value::unset());
  for (size_t i = 0; i < tensors; ++i)
    values.at(i) = *mode.context().empty(sizes, input.dtype, Device(),
                                         strides_for(sizes, MemoryFormat::kChannelsLast));
  for (size_t i = 0; i < given.args.size(); ++i)
    values.at(tensors + i) =
        parse_value(mode, given.args[i], op.schema.arguments[tensors + i].type);
  const Outcome outcome = mode.call(id, values);
  if (outcome.error) return std::string(outcome.error->class_name());
  const Value& first = outcome.value.is_tensor() ? outcome.value : outcome.value.values()[0];
  const Tensor& result = first.tensor();
  std::string text = format("{} {} {}", result.dtype(), result.sizes(), result.strides());
  for (const Guard& guard : env->guards()) text += " " + to_string(guard.condition);
  return text;
}

TEST(SymbolicLayout, ArithmeticAmongTheStepsOfAReferenceIsContiguous) {
  const LayoutCase cases[] = {
      {"aten::gelu", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::gelu", {"tanh"}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::hardswish", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::hardsigmoid", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::mish", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::log_sigmoid", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::logit", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::sinc", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::deg2rad", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::frac", {}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      {"aten::native_dropout", {"0.5", "True"}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      // The defaults of schemas are left out, but 1.0 is not the default 1.
      {"aten::softplus", {}, "torch.float32 [s0, 1, 8, 6] [48, 1, 6, 1]"},
      {"aten::softplus", {"1.0", "20.0"}, "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]"},
      // Steps without arithmetic of tensors keep the format.
      {"aten::relu", {}, "torch.float32 [s0, 1, 8, 6] [48, 1, 6, 1]"},
      {"aten::special_ndtr", {}, "torch.float32 [s0, 1, 8, 6] [48, 1, 6, 1]"},
      {"aten::sin", {}, "torch.float32 [s0, 1, 8, 6] [48, 1, 6, 1]"},
  };
  for (const LayoutCase& c : cases) EXPECT_EQ(answer(c, {}), c.answer) << c.op;
}

TEST(SymbolicLayout, SumsAreTakenBeforeTheirFactorIsLookedAt) {
  const LayoutCase sub = {"aten::sub.Tensor", {"2"}, ""};
  EXPECT_EQ(answer(sub, {}, 2), "torch.float32 [s0, 1, 8, 6] [48, 48, 6, 1]");
  EXPECT_EQ(answer(sub, {.dtype = DType::kBool}, 2), "torch.bool [s0, 1, 8, 6] [48, 48, 6, 1]");
  const LayoutCase add = {"aten::add.Tensor", {"2.5"}, ""};
  EXPECT_EQ(answer(add, {.dtype = DType::kInt32}, 2), "torch.int32 [s0, 1, 8, 6] [48, 48, 6, 1]");
}

TEST(SymbolicLayout, FunctionsForTheMetaDeviceCastInCpp) {
  const Input whole = {.dtype = DType::kInt64, .channels = 3};
  const LayoutCase cases[] = {
      {"aten::special_airy_ai", {}, "torch.float32 [5, 3, 8, 6] [144, 1, 18, 3] Eq(s0, 5)"},
      {"aten::special_hermite_polynomial_h.n_scalar",
       {"3"},
       "torch.float32 [5, 3, 8, 6] [144, 1, 18, 3] Eq(s0, 5)"},
      {"aten::add.Scalar", {"0.5"}, "torch.float32 [5, 3, 8, 6] [144, 1, 18, 3] Eq(s0, 5)"},
      {"aten::add.Scalar", {"2"}, "torch.int64 [s0, 3, 8, 6] [144, 1, 18, 3]"},
      {"aten::special_bessel_j0", {}, "torch.float32 [s0, 3, 8, 6] [144, 1, 18, 3]"},
  };
  for (const LayoutCase& c : cases) EXPECT_EQ(answer(c, whole), c.answer) << c.op;
}

TEST(SymbolicLayout, MeansOfNarrowTypesAreOfTheirDtype) {
  const Input narrow = {.dtype = DType::kBFloat16, .channels = 3};
  const LayoutCase cases[] = {
      {"aten::adaptive_avg_pool2d", {"[1,1]"}, "torch.bfloat16 [s0, 3, 1, 1] [3, 1, 3, 3]"},
      {"aten::mean.dim", {"[-1,-2]", "True"}, "torch.bfloat16 [s0, 3, 1, 1] [3, 1, 1, 1]"},
      {"aten::mean.dim", {"[-1,-2]"}, "torch.bfloat16 [s0, 3] [3, 1]"},
      {"aten::mean", {}, "torch.bfloat16 [] []"},
  };
  for (const LayoutCase& c : cases) EXPECT_EQ(answer(c, narrow), c.answer) << c.op;
}

// Numbers among the arguments: s0 with the hint 8, h0 is s0 * 0.5.
class SymbolicNumbers : public testing::Test {
 protected:
  SymbolicNumbers() {
    mode_.attach_shape_env(env_);
    size_ = env_->create_backed("s0", 8, ValueRange::ints(2, kIntInfinity));
    const SymFloat half = sym_float(size_) * 0.5;
    half_ = Value::sym_float(half.node());
    tensor_ = Value(*mode_.context().empty(DimVector{size_, 2}, DType::kFloat32, Device()));
  }
  std::string answer(std::string_view name, std::initializer_list<Value> args,
                     std::optional<DType> dtype = {}) {
    const OpId id = Registry::builtin().find(name);
    const Schema& schema = Registry::builtin().entry(id).schema;
    std::vector<Value> values(args);
    values.resize(schema.arguments.size(), Value::unset());
    if (dtype) values.at(static_cast<size_t>(schema.find_argument("dtype"))) = *dtype;
    const Outcome outcome = mode_.call(id, values);
    std::string text;
    if (outcome.error) {
      text = outcome.error->class_name();
    } else if (outcome.value.is_tensor()) {
      text = format("{}", outcome.value.tensor().sizes());
    } else {
      text = format("{}", outcome.value);
    }
    for (const Guard& guard : env_->guards()) text += " " + to_string(guard.condition);
    return text;
  }

  FakeTensorMode mode_;
  std::shared_ptr<ShapeEnv> env_ = std::make_shared<ShapeEnv>();
  SymInt size_;
  Value half_, tensor_;
};

TEST_F(SymbolicNumbers, RangesOfFractionsStaySymbolic) {
  EXPECT_EQ(answer("aten::arange.start", {0.5, size_}),
            "[CeilToInt(FloatTrueDiv(ToFloat(s0) - 0.5, 1.0))]");
  EXPECT_EQ(answer("aten::arange.start_step", {size_, 0.0, -0.5}),
            "[CeilToInt(FloatTrueDiv(-ToFloat(s0), -0.5))]");
  EXPECT_EQ(answer("aten::arange.start_step", {0.5, size_, 2.5}, DType::kInt32),
            "[CeilToInt(FloatTrueDiv(ToFloat(s0) - 0.5, 2.5))]");
  EXPECT_EQ(answer("aten::arange.start", {0.5, size_}, DType::kInt64), "[s0]");
  EXPECT_EQ(answer("aten::arange", {half_}, DType::kInt64), "[TruncToInt(0.5*ToFloat(s0))]");
}
TEST_F(SymbolicNumbers, RangesUpToAFractionHaveNoModeToCastTheIndices) {
  EXPECT_EQ(answer("aten::arange", {half_}), "RuntimeError");
}
TEST_F(SymbolicNumbers, NormsAskWhetherTheirOrderIsEven) {
  EXPECT_EQ(answer("aten::linalg_vector_norm", {tensor_, size_}), "[] Eq(Mod(s0, 2), 0)");
}
TEST_F(SymbolicNumbers, NormsAskWhetherAFractionIsEven) {
  EXPECT_EQ(answer("aten::linalg_vector_norm", {tensor_, half_}),
            "[] Eq(Mod(0.5*ToFloat(s0), 2.0), 0.0)");
}
TEST_F(SymbolicNumbers, RenormAsksOfItsNormOnly) {
  EXPECT_EQ(answer("aten::renorm", {tensor_, size_, 0, 1.0}), "[s0, 2] Eq(Mod(s0, 2), 0)");
}
TEST_F(SymbolicNumbers, SizesAsNumbersAreSpecialised) {
  EXPECT_EQ(answer("aten::sym_size", {tensor_}), "[s0, 2]");
  EXPECT_EQ(answer("aten::stride", {tensor_}), "[2, 1]");
  EXPECT_EQ(answer("aten::numel", {tensor_}), "RuntimeError");
  EXPECT_EQ(answer("aten::storage_offset", {tensor_}), "RuntimeError");
  EXPECT_EQ(answer("aten::size", {tensor_}), "[8, 2] Eq(s0, 8)");
}
TEST_F(SymbolicNumbers, SizesAreSetToNumbersWhereTheyAreThoseAlready) {
  EXPECT_EQ(answer("aten::resize_", {tensor_, mode_.context().make_ints(DimVector{8, 2})}),
            "[8, 2] Eq(s0, 8)");
}
TEST_F(SymbolicNumbers, SizesAreNotSetToOtherNumbers) {
  EXPECT_EQ(answer("aten::resize_", {tensor_, mode_.context().make_ints(DimVector{7, 2})}),
            "RuntimeError Ne(s0, 7)");
}
TEST_F(SymbolicNumbers, OutputsAreNotResizedToNumbers) {
  const Value whole = *mode_.context().empty(DimVector{7, 2}, DType::kFloat32, Device());
  EXPECT_EQ(answer("aten::sin.out", {whole, tensor_}), "RuntimeError Ne(s0, 7)");
}

}  // namespace
}  // namespace faketensor
