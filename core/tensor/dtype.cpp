#include "core/tensor/dtype.h"

#include <array>
#include <utility>

namespace faketensor {

using enum DTypeCategory;
// clang-format off
const DTypeInfo kDTypeInfos[kDTypeCount] = {
    {"uint8", "Byte", "u8", 1, kIntegral},          {"int8", "Char", "i8", 1, kIntegral},
    {"int16", "Short", "i16", 2, kIntegral},        {"int32", "Int", "i32", 4, kIntegral},
    {"int64", "Long", "i64", 8, kIntegral},         {"float16", "Half", "f16", 2, kFloating},
    {"float32", "Float", "f32", 4, kFloating},      {"float64", "Double", "f64", 8, kFloating},
    {"complex32", "ComplexHalf", "c32", 4, kComplex}, {"complex64", "ComplexFloat", "c64", 8, kComplex},
    {"complex128", "ComplexDouble", "c128", 16, kComplex}, {"bool", "Bool", "b8", 1, kBool},
    {"qint8", "QInt8", "qi8", 1, kOther},           {"quint8", "QUInt8", "qu8", 1, kOther},
    {"qint32", "QInt32", "qi32", 4, kOther},        {"bfloat16", "BFloat16", "bf16", 2, kFloating},
    {"quint4x2", "QUInt4x2", "qu4x2", 1, kOther},   {"quint2x4", "QUInt2x4", "qu2x4", 1, kOther},
    {"bits1x8", "Bits1x8", "bits1x8", 1, kOther},   {"bits2x4", "Bits2x4", "bits2x4", 1, kOther},
    {"bits4x2", "Bits4x2", "bits4x2", 1, kOther},   {"bits8", "Bits8", "bits8", 1, kOther},
    {"bits16", "Bits16", "bits16", 2, kOther},      {"float8_e5m2", "Float8_e5m2", "f8e5m2", 1, kFloating},
    {"float8_e4m3fn", "Float8_e4m3fn", "f8e4m3fn", 1, kFloating}, {"float8_e5m2fnuz", "Float8_e5m2fnuz", "f8e5m2fnuz", 1, kFloating},
    {"float8_e4m3fnuz", "Float8_e4m3fnuz", "f8e4m3fnuz", 1, kFloating}, {"uint16", "UInt16", "u16", 2, kIntegral},
    {"uint32", "UInt32", "u32", 4, kIntegral},      {"uint64", "UInt64", "u64", 8, kIntegral},
    {"uint1", "UInt1", "u1", 1, kIntegral}, {"uint2", "UInt2", "u2", 1, kIntegral}, {"uint3", "UInt3", "u3", 1, kIntegral},
    {"uint4", "UInt4", "u4", 1, kIntegral}, {"uint5", "UInt5", "u5", 1, kIntegral}, {"uint6", "UInt6", "u6", 1, kIntegral},
    {"uint7", "UInt7", "u7", 1, kIntegral},
    {"int1", "Int1", "i1", 1, kIntegral}, {"int2", "Int2", "i2", 1, kIntegral}, {"int3", "Int3", "i3", 1, kIntegral},
    {"int4", "Int4", "i4", 1, kIntegral}, {"int5", "Int5", "i5", 1, kIntegral}, {"int6", "Int6", "i6", 1, kIntegral},
    {"int7", "Int7", "i7", 1, kIntegral},
    {"float8_e8m0fnu", "Float8_e8m0fnu", "f8e8m0fnu", 1, kFloating}, {"float4_e2m1fn_x2", "Float4_e2m1fn_x2", "f4e2m1fnx2", 1, kFloating},
};
// clang-format on

namespace {
// clang-format off
constexpr std::pair<std::string_view, DType> kAliases[] = {
    {"float", DType::kFloat32}, {"double", DType::kFloat64}, {"half", DType::kFloat16}, {"short", DType::kInt16},
    {"int", DType::kInt32},     {"long", DType::kInt64},     {"cfloat", DType::kComplex64}, {"cdouble", DType::kComplex128},
    {"chalf", DType::kComplex32},
};
// clang-format on
}  // namespace

bool is_float8(DType dtype) {
  return (dtype >= DType::kFloat8E5M2 && dtype <= DType::kFloat8E4M3FNUZ) ||
         dtype == DType::kFloat8E8M0FNU;
}

DType to_real(DType dtype) {
  switch (dtype) {
    case DType::kComplex32:
      return DType::kFloat16;
    case DType::kComplex64:
      return DType::kFloat32;
    case DType::kComplex128:
      return DType::kFloat64;
    default:
      return dtype;
  }
}

DType to_complex(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return DType::kComplex32;
    case DType::kBFloat16:
    case DType::kFloat32:
      return DType::kComplex64;
    case DType::kFloat64:
      return DType::kComplex128;
    default:
      return dtype;
  }
}

DType to_opmath(DType dtype) {
  if (is_reduced_floating(dtype) || is_float8(dtype)) return DType::kFloat32;
  return dtype == DType::kComplex32 ? DType::kComplex64 : dtype;
}

std::optional<DType> parse_dtype(std::string_view text) {
  if (text.starts_with("torch.")) text.remove_prefix(6);
  for (int i = 0; i < kDTypeCount; ++i) {
    if (text == kDTypeInfos[static_cast<size_t>(i)].name ||
        text == kDTypeInfos[static_cast<size_t>(i)].short_name)
      return static_cast<DType>(i);
  }
  for (const auto& [alias, dtype] : kAliases) {
    if (text == alias) return dtype;
  }
  return std::nullopt;
}

void append_text(std::string& out, DType dtype) { out.append("torch.").append(name(dtype)); }

}  // namespace faketensor
