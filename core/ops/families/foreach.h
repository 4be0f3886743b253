// Foreach: one operator applied to each element of lists of tensors.
//
//   {"aten::_foreach_add.List(Tensor[] self, Tensor[] other, *, Scalar alpha=1) -> Tensor[]",
//    foreach_of<"aten::add.Tensor">(), kInplace},
//
// The elementwise operator's arguments are the row's, with element i in place of each list
// (of tensors or of numbers). kInplace derives `_foreach_add_.List`, which calls `add_.Tensor`. All
// elements are computed as on the meta device; each result is on the common device of the elements
// in its place. Mirrors foreach_run_and_map_input_device, torch/_subclasses/fake_impls.py, over the
// slow paths of aten/src/ATen/native/ForeachOpsKernels.cpp.
#pragma once

#include <string>

#include "core/ops/call.h"

namespace faketensor {

// The operators that answer for one element; kNoOp where there is no in-place one.
struct ForeachElement {
  OpId functional = kNoOp;
  OpId inplace = kNoOp;
};

// "aten::add_.Tensor" for "aten::add.Tensor".
std::string inplace_name(std::string_view functional);

Value foreach_element(Call& call, const ForeachElement& element);

// check_foreach_api_restrictions, aten/src/ATen/native/ForeachUtils.h: lists as long as the first.
// Returns that length.
size_t check_lists(const Call& call);

// The part of it for operators that take lists of any length: what an in-place operator demands of
// the tensors it writes to.
void check_written_list(const Call& call);

template <FixedString functional>
consteval Rule foreach_of() {
  return {[](Call& call, uint64_t) {
    static const ForeachElement kElement = {
        Registry::builtin().find(functional.view()),
        Registry::builtin().find(inplace_name(functional.view()))};
    return foreach_element(call, kElement);
  }};
}
// The same where the in-place operator has another name.
template <FixedString functional, FixedString inplace>
consteval Rule foreach_of() {
  return {[](Call& call, uint64_t) {
    static const ForeachElement kElement = {Registry::builtin().find(functional.view()),
                                            Registry::builtin().find(inplace.view())};
    return foreach_element(call, kElement);
  }};
}

}  // namespace faketensor
