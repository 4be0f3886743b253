// Descriptions of tensors as PyTorch writes them: MetaTensorDesc and MetaStorageDesc as JSON.
//
// These are the records "describe_storage" and "describe_tensor" of a structured trace
// (TORCH_TRACE), which MetaTensorDescriber makes (torch/_subclasses/meta_utils.py): tensors name
// their storage, the base they view and their gradient by number. Fields that hold PyTorch's
// defaults are left out there, and so may be here.
//
//   {"describe_storage": {"id": 0, "describer_id": 0, "size": 48}}
//   {"describe_tensor": {"id": 0, "ndim": 2, "dtype": "torch.float32",
//    "device": "device(type='cpu')", "size": [3, 4], "stride": [4, 1], "storage": 0, "is_leaf":
//    true}}
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/mode/converter.h"

namespace faketensor {

// A tensor with what its metadata does not tell.
struct DescribedTensor {
  std::shared_ptr<const TensorDescription> tensor;
  bool is_leaf = false;
  bool is_parameter = false;
  bool is_inference = false;
};

// The tensors that a list of such records describes, each once, in the order of the list. A record
// may stand without the key that says what it is. Raises Unreadable for records that are none, that
// name what no record before them describes, and for kinds of tensors that have no fake here
// (nested, functorch's, subclasses).
std::vector<DescribedTensor> read_tensor_descriptions(const nlohmann::json& records);

}  // namespace faketensor
