#include "core/symbolic/shape_env.h"
#include "expect_call.h"

namespace faketensor {
namespace {

constexpr const char* kLstmWeights = "[f32[16,3], f32[16,4], f32[16], f32[16]]";

TEST(Recurrent, CellsGiveTheNextState) {
  expect_call("aten::lstm_cell",
              {"f32[2,3]", "[f32[2,4], f32[2,4]]", "f32[16,3]", "f32[16,4]", "f32[16]", "f32[16]"},
              "(f32[2, 4], f32[2, 4])");
  expect_call("aten::gru_cell", {"f32[2,3]", "f32[2,4]", "f32[12,3]", "f32[12,4]"}, "f32[2, 4]");
  expect_call("aten::rnn_tanh_cell", {"f32[2,3]", "f32[2,4]", "f32[4,3]", "f32[4,4]"}, "f32[2, 4]");
}

TEST(Recurrent, LayersGiveAllStepsAndTheFinalState) {
  expect_call("aten::lstm.input",
              {"f32[5,2,3]", "[f32[1,2,4], f32[1,2,4]]", kLstmWeights, "True", "1", "0.0", "False",
               "False", "False"},
              "(f32[5, 2, 4], f32[1, 2, 4], f32[1, 2, 4])");
  expect_call("aten::gru.input",
              {"f32[5,2,3]", "f32[2,2,4]", "[f32[12,3], f32[12,4], f32[12,3], f32[12,4]]", "False",
               "1", "0.0", "False", "True", "False"},
              "(f32[5, 2, 8], f32[2, 2, 4])");
}

TEST(Recurrent, ABatchFirstLayerReturnsATransposedTensor) {
  expect_call("aten::rnn_relu.input",
              {"f32[2,5,3]", "f32[1,2,4]", "[f32[4,3], f32[4,4]]", "False", "1", "0.0", "False",
               "False", "True"},
              "(f32[2, 5, 4] strides [4, 8, 1], f32[1, 2, 4])");
}

TEST(Recurrent, OnCudaAnLstmCellIsFusedAndAGruCellHasNoFake) {
  expect_call("aten::lstm_cell",
              {"f32[2,3]@cuda", "[f32[2,4]@cuda, f32[2,4]@cuda]", "f32[16,3]@cuda",
               "f32[16,4]@cuda", "f32[16]@cuda", "f32[16]@cuda"},
              "(f32[2, 4] cuda:0, f32[2, 4] cuda:0)");
  expect_call(
      "aten::gru_cell", {"f32[2,3]@cuda", "f32[2,4]@cuda", "f32[12,3]@cuda", "f32[12,4]@cuda"},
      "UnsupportedOperatorException: aten::_thnn_fused_gru_cell.default: FakeTensorMode runs "
      "the kernel of the GPU, which there is none of");
}

TEST(Recurrent, AnLstmWithoutBiasesOnCudaIsPytorchsAttributeError) {
  // cuDNN takes no bfloat16, so the cell is the fused one.
  const std::string error = "AttributeError: 'NoneType' object has no attribute 'device'";
  expect_call(
      "aten::lstm.input",
      {"bf16[5,3,8]@cuda", "[bf16[1,3,16]@cuda, bf16[1,3,16]@cuda]",
       "[bf16[64,8]@cuda, bf16[64,16]@cuda]", "False", "1", "0.0", "False", "False", "False"},
      error);
  expect_call("aten::_thnn_fused_lstm_cell", {"f32[3,64]", "f32[3,64]", "f32[3,16]"}, error);
  expect_call("aten::_thnn_fused_lstm_cell", {"f32[3,64]", "f32[3,64]", "f32[3,16]", "f32[64]"},
              "AttributeError: 'NoneType' object has no attribute 'shape'");
}

TEST(Recurrent, RefusesInPytorchsWords) {
  expect_call("aten::gru_cell", {"f32[2,3]", "f32[3,4]", "f32[12,3]", "f32[12,4]"},
              "RuntimeError: Input batch size 2 doesn't match hidden0 batch size 3");
  expect_call("aten::rnn_tanh_cell", {"f32[2,3]", "f32[2,4]", "f32[5,3]", "f32[4,4]"},
              "RuntimeError: weight_ih first dim must be 1 * hidden_size = 4, but got 5");
  expect_call("aten::gru.input",
              {"f32[5,2,3]", "f32[2,2,4]", "[f32[12,3], f32[12,4]]", "False", "1", "0.0", "False",
               "False", "False"},
              "RuntimeError: Expected more hidden states in stacked_rnn");
}

TEST(Rnn, GatesDivideIntoAsManyPartsAsTheCellHas) {
  FakeTensorMode mode;
  const auto env = std::make_shared<ShapeEnv>();
  mode.attach_shape_env(env);
  const SymInt rows = env->create_backed("s0", 4, ValueRange::ints(0, kIntInfinity));
  const SymInt hidden = env->create_unbacked_int();
  env->constrain_range_for_size(hidden);
  const Value x = mode.empty(DimVector{rows, hidden}, DType::kFloat32);
  const Value args[] = {x, x, x, x};
  const Outcome outcome = mode.call(Registry::builtin().find("aten::gru_cell"), args);
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->message(), "expected gates of a size divisible into 3, but got 2 parts");
}

}  // namespace
}  // namespace faketensor
