// Dates and times of YAML as Python's datetime shows them.
#pragma once

#include <string>
#include <string_view>

namespace faketensor::python {

struct Timestamp {
  bool is_date = false;  // datetime.date rather than datetime.datetime
  std::string text;      // str(): "2001-12-14 21:59:43"
  std::string repr;      // "datetime.date(2001, 12, 14)"
};

// construct_yaml_timestamp. Raises ValueError for a day or hour that there is not, AttributeError
// for text that is no timestamp, as yaml does.
Timestamp parse_timestamp(std::string_view text);

}  // namespace faketensor::python
