// What a run says of a node, as the command prints it: "float32[2, 3]".
#pragma once

#include <span>
#include <string>

#include "core/command/value_text.h"
#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

inline std::string text_of(const Run& run, Row node) {
  std::span<const TensorRecord> tensors = run.record(node).tensors;
  return value_text(run.record(node).value, tensors);
}

}  // namespace faketensor
