// The files of tests/, wherever the checkout lies. What has to know it is one object of all tests, so that
// their own do not change with the folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faketensor {

// "golden/files/pairs.json" as a path that opens.
std::string test_file(std::string_view path);
// The programs of conformance/data/models, or of the folder that FAKETENSOR_MODELS names, in order.
std::vector<std::string> recorded_models();

}  // namespace faketensor
