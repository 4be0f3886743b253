// The release of faketensor.
#pragma once

#include <string_view>

namespace faketensor {

// "0.1.0", as in package.json.
std::string_view version();

}  // namespace faketensor
