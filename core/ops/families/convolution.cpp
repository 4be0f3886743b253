#include "core/ops/families/convolution.h"

namespace faketensor {

namespace {
Dims expand(Call& call, Dims given, std::string_view name, int64_t expected) {
  if (static_cast<int64_t>(given.size()) == expected) return given;
  call.check(given.size() == 1,
             "expected {} to be a single integer value or a list of {} values to match the "
             "convolution dimensions, but got {}={}",
             name, expected, name, given);
  call.check_as(ErrorKind::kValueError, expected >= 0,
                "cannot create std::vector larger than max_size()");
  return call.context().arena().copy(Dims(DimVector(static_cast<size_t>(expected), given[0])));
}
}  // namespace

ConvLists expand_lists(Call& call, const Tensor& weight, const ConvLists& given) {
  const int64_t rank = weight.dim() - 2;
  ConvLists lists;
  lists.stride = expand(call, given.stride, "stride", rank);
  lists.padding = expand(call, given.padding, "padding", rank);
  lists.dilation = expand(call, given.dilation, "dilation", rank);
  lists.output_padding = expand(call, given.output_padding, "output_padding", rank);
  return lists;
}

}  // namespace faketensor
