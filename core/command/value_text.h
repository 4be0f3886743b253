// Values as people read and type them: "f32[2, 3]", "f32[2, 3] strides [1, 2] cuda:0".
#pragma once

#include <string>
#include <string_view>

#include "core/graph/fake_tensor_prop.h"

namespace faketensor {

// dtype and sizes: "f32[2, s0]".
std::string shape_text(const TensorMeta& meta);
// What is not the default: strides unless contiguous ("channels_last", "strides [1, 2]"), offset,
// device unless cpu, conj, neg.
std::string layout_text(const TensorMeta& meta);
// Both: "f32[2, 3] channels_last cuda:0".
std::string tensor_text(const TensorMeta& meta);
// A value of any kind on one line; lists in parentheses.
std::string value_text(const Value& value, std::span<const TensorRecord>& tensors);
// "588.0 KiB"
std::string bytes_text(int64_t bytes);
// "12.3 GFLOP"
std::string flops_text(int64_t flops);
// "12.3 ms"
std::string seconds_text(double seconds);
// The first two of a size: an expression as it is written.
std::string bytes_text(SymInt bytes);
std::string flops_text(SymInt flops);

// A value typed on the command line for an argument of this type: f32[2,3], f32[2,3]{1,2}@cuda,
// i64[], [f32[2],f32[2]], 3, 1.5, True, None, [1,2], float32, cuda:0, channels_last, any text.
// Raises UsageError.
Value parse_value(FakeTensorMode& mode, std::string_view text, const ArgType& type);

}  // namespace faketensor
