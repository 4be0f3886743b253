// DType: PyTorch's scalar types, with their names, sizes and categories.
//
// The values are those of c10::ScalarType (c10/core/ScalarType.h), which is also how op profiles
// and schema defaults print them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faketensor {

enum class DType : uint8_t {
  kUInt8 = 0,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kComplex32,
  kComplex64,
  kComplex128,
  kBool,
  kQInt8,
  kQUInt8,
  kQInt32,
  kBFloat16,
  kQUInt4x2,
  kQUInt2x4,
  kBits1x8,
  kBits2x4,
  kBits4x2,
  kBits8,
  kBits16,
  kFloat8E5M2,
  kFloat8E4M3FN,
  kFloat8E5M2FNUZ,
  kFloat8E4M3FNUZ,
  kUInt16,
  kUInt32,
  kUInt64,
  kUInt1,
  kUInt2,
  kUInt3,
  kUInt4,
  kUInt5,
  kUInt6,
  kUInt7,
  kInt1,
  kInt2,
  kInt3,
  kInt4,
  kInt5,
  kInt6,
  kInt7,
  kFloat8E8M0FNU,
  kFloat4E2M1FNx2,
};
inline constexpr int kDTypeCount = 46;

// What a dtype is for promotion and checks; ordered as promotion orders them.
enum class DTypeCategory : uint8_t { kBool, kIntegral, kFloating, kComplex, kOther };

struct DTypeInfo {
  std::string_view name;        // torch's attribute name: "float32"
  std::string_view cpp_name;    // c10's name, used in messages: "Float"
  std::string_view short_name;  // the one of tables and the command line: "f32"
  uint8_t itemsize;             // bytes
  DTypeCategory category;
};
extern const DTypeInfo kDTypeInfos[kDTypeCount];
inline const DTypeInfo& info(DType dtype) { return kDTypeInfos[static_cast<size_t>(dtype)]; }

inline std::string_view name(DType dtype) { return info(dtype).name; }
inline int64_t itemsize(DType dtype) { return info(dtype).itemsize; }
inline DTypeCategory category(DType dtype) { return info(dtype).category; }
inline bool is_floating(DType dtype) { return category(dtype) == DTypeCategory::kFloating; }
inline bool is_complex(DType dtype) { return category(dtype) == DTypeCategory::kComplex; }
inline bool is_bool(DType dtype) { return dtype == DType::kBool; }
// Integers without bool (c10::isIntegralType(t, /*includeBool=*/false)).
inline bool is_integral(DType dtype) { return category(dtype) == DTypeCategory::kIntegral; }
inline bool is_integral_or_bool(DType dtype) { return is_integral(dtype) || is_bool(dtype); }
inline bool is_float_or_complex(DType dtype) { return is_floating(dtype) || is_complex(dtype); }
// Floating types of less than 32 bits that compute in float32 (Half, BFloat16).
inline bool is_reduced_floating(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}
bool is_float8(DType dtype);

// The real type of a complex type (complex64 -> float32); other types are returned unchanged. And
// back.
DType to_real(DType dtype);
DType to_complex(DType dtype);
// The type that kernels accumulate in: float32 for half types, complex64 for complex32
// (c10::toOpMathType).
DType to_opmath(DType dtype);

// By torch's name ("float32"), its aliases ("float", "half", "long") or the short name ("f32").
std::optional<DType> parse_dtype(std::string_view text);

// "torch.float32", as PyTorch's messages print a dtype.
void append_text(std::string& out, DType dtype);

}  // namespace faketensor
