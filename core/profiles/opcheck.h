// Checks a fake against what the real operator gave.
//
// Mirrors what torch.library.opcheck's test_faketensor asks: the fake's results agree with the real
// ones in number, dtype, device, layout, sizes and strides; sizes that the fake leaves open agree
// with every size in their range. It does not run anything real: the results are recorded ones.
//
//   const std::vector<std::string> differences =
//       opcheck(mode, "mylib::foo", args, {&real_meta, 1});
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mode/mode.h"

namespace faketensor {

// What is different, in words; empty for a fake that agrees. `real` are the metas of the tensors in
// the real result, in order.
std::vector<std::string> opcheck(FakeTensorMode& mode, std::string_view op,
                                 std::span<const Value> args,
                                 std::span<const TensorMeta* const> real);

}  // namespace faketensor
