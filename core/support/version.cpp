#include "core/support/version.h"

namespace faketensor {

std::string_view version() { return FAKETENSOR_VERSION; }

}  // namespace faketensor
