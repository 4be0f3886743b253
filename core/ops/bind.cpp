#include "core/ops/bind.h"

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

size_t ArgumentBinder::position_of(std::string_view name) const {
  const int found = schema_.find_argument(name);
  if (found < 0) {
    throw_error(ErrorKind::kRuntimeError,
                format("Unknown keyword argument '{}' for operator '{}'. Schema: {}", name,
                       schema_.name, schema_.text));
  }
  const auto position = static_cast<size_t>(found);
  if (position < positional_) {
    throw_error(
        ErrorKind::kRuntimeError,
        format("Argument '{}' specified both as positional and keyword argument. Schema: {}", name,
               schema_.text));
  }
  return position;
}

}  // namespace faketensor
