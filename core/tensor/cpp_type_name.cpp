#include "core/tensor/cpp_type_name.h"

namespace faketensor {

std::string_view cpp_type_name(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return "unsigned char";
    case DType::kInt8:
      return "signed char";
    case DType::kInt16:
      return "short int";
    case DType::kInt32:
      return "int";
    case DType::kInt64:
      return "long int";
    case DType::kFloat16:
      return "c10::Half";
    case DType::kFloat32:
      return "float";
    case DType::kFloat64:
      return "double";
    case DType::kComplex32:
      return "c10::complex<c10::Half>";
    case DType::kComplex64:
      return "c10::complex<float>";
    case DType::kComplex128:
      return "c10::complex<double>";
    case DType::kBool:
      return "bool";
    case DType::kBFloat16:
      return "c10::BFloat16";
    case DType::kUInt16:
      return "short unsigned int";
    case DType::kUInt32:
      return "unsigned int";
    case DType::kUInt64:
      return "long unsigned int";
    case DType::kFloat8E4M3FN:
      return "c10::Float8_e4m3fn";
    case DType::kFloat8E5M2:
      return "c10::Float8_e5m2";
    case DType::kFloat8E4M3FNUZ:
      return "c10::Float8_e4m3fnuz";
    case DType::kFloat8E5M2FNUZ:
      return "c10::Float8_e5m2fnuz";
    case DType::kFloat8E8M0FNU:
      return "c10::Float8_e8m0fnu";
    default:
      return name(dtype);
  }
}

}  // namespace faketensor
