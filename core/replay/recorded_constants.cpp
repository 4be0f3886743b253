#include "core/replay/recorded_constants.h"

#include <cmath>
#include <optional>

#include "core/formats/json_fields.h"
#include "core/io/value_json.h"
#include "core/support/error.h"

namespace faketensor {

namespace {

// Of the one number in nested lists; nothing for other data.
std::optional<Element> element_of(const Json& nested) {
  const Json* data = &nested;
  while (data->is_array() && data->size() == 1) data = &data->front();
  if (data->is_boolean()) return Element::of(data->get<bool>() ? 1 : 0);
  if (data->is_number_integer()) return Element::of(integer_of(*data, "const"));
  const Json* parts = find_member(*data, "c");
  if (parts != nullptr && parts->is_array() && parts->size() == 2) {
    const std::optional<double> re = float_of((*parts)[0]);
    const std::optional<double> im = float_of((*parts)[1]);
    return re && im ? std::optional(Element::complex(*re, *im)) : std::nullopt;
  }
  const std::optional<double> number = float_of(*data);
  return number ? std::optional(Element::real(*number)) : std::nullopt;
}

}  // namespace

RecordedConstants::RecordedConstants(FakeTensorMode& mode)
    : real_(mode.context().target()),
      constants_(mode.context(), real_),
      dispatch_(
          mode.context(), constants_, *this,
          {.allow_non_fake_inputs = true, .avoid_device_init = !mode.context().target().has_gpu()}),
      entered_(mode.context(), dispatch_) {}

void RecordedConstants::adopt(Tensor& tensor, const Json& data) {
  if (!ConstantTracker::may_become_constant(tensor) || !has_elements(tensor.dtype())) return;
  if (tensor.numel().as_int() != 1 || tensor.storage == nullptr) return;
  const std::optional<Element> element = element_of(data);
  if (element)
    constants_.adopt(tensor, *real_.from_elements(tensor.sizes(), tensor.dtype(), {&*element, 1}));
}

}  // namespace faketensor
