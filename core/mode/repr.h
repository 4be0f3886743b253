// How tensors and calls of operators print in Python: repr(FakeTensor), and the calls that a mode's
// errors quote.
//
//   tensor_text(x);     // FakeTensor(..., device='cuda:0', size=(2, s77), dtype=torch.float16)
#pragma once

#include <string>
#include <string_view>

#include "core/mode/surroundings.h"
#include "core/ops/registry.h"

namespace faketensor {

// What repr shows besides the metadata.
struct ReprFacts {
  bool is_parameter = false;
  std::string_view grad_fn;  // the class's name; empty for a leaf
  DType default_dtype = DType::kFloat32;
};

// Mirrors torch._tensor_str.
std::string tensor_text(const Tensor& tensor, const ReprFacts& facts = {});

// Mirrors torch.utils._python_dispatch's quoting (torch._ops render_call):
// "aten.add.Tensor(FakeTensor(..., size=(2,)), 3)". Tensors that are not fake print as
// "tensor([...], size=(2,))".
std::string call_text(const OpEntry& op, std::span<const Value> args,
                      const ModeSurroundings& surroundings);

}  // namespace faketensor
