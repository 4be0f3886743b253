// The C++ name of a dtype's element type, as messages of PyTorch's C++ kernels print it.
#pragma once

#include <string_view>

#include "core/tensor/dtype.h"

namespace faketensor {

// "float", "c10::Half", "long int" (c10's TypeMeta::name, which is what g++ demangles); torch's
// name for the types that such messages do not name.
std::string_view cpp_type_name(DType dtype);

}  // namespace faketensor
