// What is said of a value beside its name: "f32[s77, 3][3, 1]cuda:0", "Sym(2*s77)".
//
// As print_readable() writes it, strides and device where it was asked for them. Written by hand,
// dtypes may have their long names ("float32[2, 3]"), and a symbol may have the size of the example
// behind it ("f32[batch=8, 3]"). Without strides a tensor is contiguous, without a device on the
// CPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/device.h"
#include "core/tensor/dtype.h"

namespace faketensor {

// Expressions are views into the annotation.
struct TextAnnotation {
  enum class Kind : uint8_t { kTensor, kScalar, kUnknown };
  Kind kind = Kind::kUnknown;
  DType dtype = DType::kFloat32;
  std::optional<Device> device;
  std::vector<std::string_view> sizes;
  std::optional<std::vector<std::string_view>> strides;
  std::string_view scalar;
  std::vector<std::pair<std::string_view, int64_t>> hints;  // "batch", 8
};

// kUnknown for text that says nothing about a tensor ("torch.Tensor", "int"). For what begins as
// such a text and is none, the reason is put in `wrong`.
TextAnnotation parse_annotation(std::string_view text, std::string& wrong);

}  // namespace faketensor
