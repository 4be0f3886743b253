// A program of a user of the installed library.
#include <cstdio>

#include "core/tensor/promotion.h"

int main() {
  using faketensor::DType;
  const DType dtype = faketensor::promote_types(DType::kFloat16, DType::kInt64);
  std::printf("float16 with int64 gives %s\n", std::string(faketensor::name(dtype)).c_str());
  return dtype == DType::kFloat16 ? 0 : 1;
}
