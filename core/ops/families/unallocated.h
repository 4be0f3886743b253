// The errors of kernels that read their arguments: a fake tensor has no data.
#pragma once

#include <string>

#include "core/ops/call.h"

namespace faketensor {

// TensorImpl::data: raises RuntimeError, "The tensor has a non-zero number of elements, but its
// data is not allocated yet. ...".
[[noreturn]] void fail_unallocated(const Call& call);

// Tensor::toString: "torch.cuda.FloatTensor" for the types that had such a class,
// "CUDABFloat16Type" for the others.
std::string class_text(const Tensor& tensor);

}  // namespace faketensor
