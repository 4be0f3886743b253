// Facts about operators that a mode asks for and that the rows do not tell: torch.Tag of
// native_functions.yaml, and whose numbers serve as tensors.
#pragma once

#include "core/ops/registry.h"

namespace faketensor {

// torch.Tag.inplace_view: changes the metadata of its argument and no data.
bool is_inplace_view(const OpEntry& op);

// FakeTensorMode.lift_fns: what torch.tensor calls on the tensor it has made.
bool is_lift(const OpEntry& op);

// torch.Tag.dynamic_output_shape and data_dependent_output.
bool has_dynamic_shape_tag(const OpEntry& op);
bool has_data_dependent_tag(const OpEntry& op);

// A view that PyTorch composes of others (FakeTensorMode._validate_cache_key).
bool is_composite_view(const OpEntry& op);

// Numbers may stand where tensors are expected (torch._C._should_allow_numbers_as_tensors).
bool takes_numbers_as_tensors(const OpEntry& op);

// Whether the operator reads the conjugate bit of its arguments; others are given clones without
// it.
bool takes_conjugates(const OpEntry& op);

}  // namespace faketensor
