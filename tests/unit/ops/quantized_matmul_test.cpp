#include "expect_call.h"

namespace faketensor {
namespace {

TEST(QuantizedMatmul, Answers) {
  const CallCase cases[] = {
      {"aten::_int_mm", {"i8[17,8]", "i8[8,16]"}, "i32[17, 16]"},
      {"aten::_weight_int4pack_mm",
       {"f16[2,64]", "i32[2,1,32,4]", "32", "f16[2,16,2]"},
       "f16[2, 16]"},
      {"aten::_weight_int4pack_mm_for_cpu",
       {"f16[2,64]", "u8[16,32]", "32", "f16[2,16,2]"},
       "f16[2, 16]"},
      {"aten::_weight_int8pack_mm", {"f16[2,64]", "i8[16,64]", "f16[16]"}, "f16[2, 16]"},
      {"aten::_convert_weight_to_int4pack", {"u8[16,32]", "2"}, "i32[2, 2, 32, 1]"},
      {"aten::_convert_weight_to_int4pack_for_cpu", {"i32[16,64]", "2"}, "u8[16, 32]"},
      {"aten::_sparse_semi_structured_mm", {"f16[8,4]", "i16[8,1]", "f16[8,3]"}, "f16[8, 3]"},
      {"aten::_sparse_mm", {"f32[2,3]", "f32[3,4]"}, "f32[2, 4] strides [1, 2]"},
      {"aten::_cslt_sparse_mm", {"f16[8,4]", "f16[8,3]"}, "f16[8, 3]"},
      {"aten::_scaled_mm",
       {"f8e4m3fn[16,32]@cuda", "f8e4m3fn[32,16]{1,32}@cuda", "f32[]@cuda", "f32[]@cuda"},
       "f8e4m3fn[16, 16] cuda:0"},
      {"aten::_grouped_mm",
       {"bf16[3,8,16]", "bf16[3,16,10]{160,1,16}"},
       "bf16[3, 8, 10] strides [128, 16, 1]"},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

TEST(QuantizedMatmul, Refuses) {
  const CallCase cases[] = {
      {"aten::_int_mm",
       {"f32[17,8]", "i8[8,16]"},
       "RuntimeError: expected self to be int8 or uint8, got torch.float32"},
      {"aten::_weight_int8pack_mm",
       {"f16[2,64]", "i8[16,64]", "f16[15]"},
       "RuntimeError: expected q_scales to be 1D with size 16, got shape torch.Size([15])"},
      {"aten::_sparse_semi_structured_mm",
       {"f16[8,4]", "i16[8,1]", "f16[9,3]"},
       "AssertionError: mat1.size(1)=4 != mat2.size(0)/2=4.5"},
      {"aten::_scaled_mm",
       {"f8e4m3fn[16,32]@cuda", "f8e4m3fn[32,16]@cuda", "f32[]@cuda", "f32[]@cuda"},
       "RuntimeError: mat2 must be col_major, got stride (16, 1)"},
      {"aten::_scaled_mm",
       {"f8e4m3fn[16,32]", "f8e4m3fn[32,16]", "f32[16]", "f32[16]"},
       "RuntimeError: For non-tensorwise scaling, scale tensors must be 2D, but got "
       "scale_a.dim()=1 and scale_b.dim()=1"},
      {"aten::_scaled_mm",
       {"f32[16,32]", "f8e4m3fn[32,16]", "f32[]", "f32[]"},
       "RuntimeError: Expected both inputs to be fp8 or fp4 types but got self.dtype=torch.float32 "
       "and mat2.dtype=torch.float8_e4m3fn"},
      {"aten::_grouped_mm",
       {"bf16[8,16]", "bf16[3,16,8]"},
       "RuntimeError: Offsets tensor not provided, but is needed for 2D/3D multiplicand layouts."},
      {"aten::_grouped_mm",
       {"f32[8,16]", "bf16[3,16,8]"},
       "RuntimeError: Expected inputs of BF16 type but got mat_a.dtype=torch.float32 and "
       "mat_b.dtype=torch.bfloat16."},
  };
  for (const CallCase& c : cases) expect_call(c.op, c.args, c.answer);
}

}  // namespace
}  // namespace faketensor
