// Numbers of YAML 1.1 as Python reads them: integers of any length in bases 2 to 60, floats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace faketensor::python {

// The digits of yaml.constructor.construct_yaml_int: "0x1F" is "31", "1:30" is "90", "-07" is "-7".
// Raises ValueError as int() does.
std::string int_digits(std::string_view text);
// construct_yaml_float: "1:30.5" is 90.5, "-.inf". Raises ValueError as float() does.
double float_value(std::string_view text);
// The integer that a finite float without fraction is, exactly.
std::optional<std::string> exact_digits(double value);

}  // namespace faketensor::python
