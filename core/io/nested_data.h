// NestedData: what torch.tensor makes of nested lists: numbers in row-major order, their sizes and
// their dtype. Ragged lists and what is no number raise what PyTorch raises.
//
//   const NestedData data(parse_json("[[1, 2], [3, 4]]", "data"));    // sizes [2, 2], int64
//   real.from_elements(data.sizes, data.dtype(DType::kFloat32), data.elements);
#pragma once

#include <vector>

#include "core/formats/json_fields.h"
#include "core/mode/element.h"
#include "core/tensor/dtype.h"

namespace faketensor {

// Mirrors internal_new_from_data, torch/csrc/utils/tensor_new.cpp. Numbers that JSON lacks are
// {"f": "inf"} and {"c": [re, im]}.
class NestedData {
 public:
  DimVector sizes;
  std::vector<Element> elements;

  explicit NestedData(const Json& data);
  // What torch.tensor chooses.
  DType dtype(DType default_dtype) const;

 private:
  void measure(const Json& data);
  void infer(const Json& data);
  void store(const Json& data, size_t dim);
  Element element(const Json& data) const;
  void raise(DTypeCategory to) { category_ = std::max(category_, to); }

  DTypeCategory category_ = DTypeCategory::kBool;
};

}  // namespace faketensor
