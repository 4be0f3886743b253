#include "core/ops/families/convolution.h"

namespace faketensor {

DimVector expand_param(Call& call, Dims given, std::string_view name, int64_t expected) {
  if (given.size() == 1) {
    call.check_as(ErrorKind::kValueError, expected >= 0,
                  "cannot create std::vector larger than max_size()");
    return DimVector(static_cast<size_t>(expected), given[0]);
  }
  call.check(static_cast<int64_t>(given.size()) == expected,
             "expected {} to be a single integer value or a list of {} values to match the "
             "convolution dimensions, but got {}={}",
             name, expected, name, given);
  return DimVector(given);
}

}  // namespace faketensor
