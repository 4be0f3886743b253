// Fakes written as text: shape expressions, or a body of other operators.
//
// An operator whose results follow from the sizes of its arguments needs no C++ function:
//
//   library.register_fake("mylib::pad2", fake_by_shapes({{.sizes = {"x0_0 + 4", "x0_1"}}}));
//   library.register_fake("mylib::gate", fake_by_body(R"(
//     graph():
//       %x : placeholder
//       %sigmoid : call_function[target=torch.ops.aten.sigmoid.default](args = (%x,), kwargs = {})
//       %mul : call_function[target=torch.ops.aten.mul.Tensor](args = (%x, %sigmoid), kwargs = {})
//       return mul)"));
//
// A body is what str(graph) of a torch.fx.Graph prints (core/graph/graph_text.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/library.h"
#include "core/profiles/op_profile.h"

namespace faketensor {

// One result: sizes (and strides) over x<argument>_<dimension>, and what is otherwise than in the
// first tensor among the arguments.
struct ShapeRule {
  std::vector<std::string> sizes;
  std::optional<DType> dtype = {};
  std::optional<Device> device = {};
  std::optional<std::vector<std::string>> strides = {};  // none: contiguous
};
// One rule is one tensor, several are a tuple. Raises ValueError at the call for a size that names
// no argument's dimension.
FakeImpl fake_by_shapes(std::vector<ShapeRule> rules);

// Raises UnreadableInput with the line for text that is no body, for a name before its definition,
// and for a node that is neither a placeholder nor a call of an operator. Placeholders are the
// operator's arguments in the order of its schema.
FakeImpl fake_by_body(std::string_view text);

}  // namespace faketensor
