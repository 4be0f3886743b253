#include "expect_call.h"

namespace faketensor {
namespace {

TEST(Contraction, AnswersAsItsProductsDo) {
  expect_call("aten::einsum", {"ij,jk->ik", "[f32[2,3], f32[3,4]]"}, "f32[2, 4]");
  expect_call("aten::einsum", {"bij,bjk->bik", "[f32[5,2,3], f32[5,3,4]]"}, "f32[5, 2, 4]");
  // Without an arrow, labels that occur once are the result.
  expect_call("aten::einsum", {"bij,bjk", "[f32[5,2,3], f32[5,3,4]]"}, "f32[2, 4]");
  expect_call("aten::einsum", {"...ij->...ji", "[f32[5,2,3]]"}, "f32[5, 3, 2] strides [6, 1, 3]");
  expect_call("aten::einsum", {"ii->i", "[f32[3,3]]"}, "f32[3] strides [4]");
  expect_call("aten::einsum", {"ii", "[f32[3,3]]"}, "f32[]");
  expect_call("aten::einsum", {"i,j->ij", "[f32[2], f32[3]]"}, "f32[2, 3]");
  expect_call("aten::einsum", {"ij,jk,kl->il", "[f32[2,3], f32[3,4], f32[4,5]]"}, "f32[2, 5]");
}

// Where the right operand's dimensions come first, bmm gives the result's order itself.
TEST(Contraction, OperandsTradePlacesForAContiguousResult) {
  expect_call("aten::einsum", {"bij,bjk->bki", "[f32[2,3,4], f32[2,4,5]]"}, "f32[2, 5, 3]");
}

TEST(Contraction, RefusesInPytorchsWords) {
  expect_call("aten::einsum", {"ij,jk->ik", "[f32[2,3], f32[4,4]]"},
              "RuntimeError: einsum(): subscript j has size 4 for operand 1 which does not "
              "broadcast with previously seen size 3");
  expect_call("aten::einsum", {"ij", "[f32[2]]"},
              "RuntimeError: einsum(): the number of subscripts in the equation (2) does not match "
              "the number of dimensions (1) for operand 0 and no ellipsis was given");
  expect_call("aten::einsum", {"i->j", "[f32[2]]"},
              "RuntimeError: einsum(): output subscript j does not appear in the equation for any "
              "input operand");
  expect_call(
      "aten::einsum", {"i,j", "[f32[2]]"},
      "RuntimeError: einsum(): fewer operands were provided than specified in the equation");
  expect_call("aten::einsum", {"..i", "[f32[2]]"},
              "RuntimeError: einsum(): found '.' for operand 0 that is not part of any ellipsis");
}

TEST(Tensordot, ContractsTheListedDimensions) {
  expect_call("aten::tensordot", {"f32[2,3,4]", "f32[4,3,5]", "[1, 2]", "[1, 0]"}, "f32[2, 5]");
  expect_call("aten::tensordot", {"f32[2,3]", "f32[4,5]", "[1]", "[0]"},
              "RuntimeError: contracted dimensions need to match, but first has size 3 in dim 1 "
              "and second has size 4 in dim 0");
}

TEST(Bilinear, OneFormPerOutputFeature) {
  expect_call("aten::bilinear", {"f32[6,2,3]", "f32[6,2,4]", "f32[5,3,4]", "f32[5]"},
              "f32[6, 2, 5]");
  expect_call(
      "aten::bilinear", {"f32[2,3]", "f32[2,4]", "f32[5,4,4]"},
      "RuntimeError: bilinear(): input1 size does not match weight size: got 3 but expected "
      "4");
  expect_call("aten::bilinear", {"f32[2,3]", "f16[2,4]", "f32[5,3,4]"},
              "RuntimeError: All tensors must have the same dtype, got input1: float, input2: "
              "c10::Half, weight: float");
}

}  // namespace
}  // namespace faketensor
