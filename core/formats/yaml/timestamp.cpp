#include "core/formats/yaml/timestamp.h"

#include <algorithm>
#include <cstdlib>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor::python {

namespace {

struct Fields {
  int year = 0, month = 0, day = 0;
  bool has_time = false;
  int hour = 0, minute = 0, second = 0, microsecond = 0;
  bool has_zone = false;
  int zone_minutes = 0;
};

// Reads the fields one after the other; a step that does not fit leaves `ok` false.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}
  bool ok = true;

  int number(size_t least, size_t most) {
    size_t length = 0;
    while (length < most && is_digit(length)) ++length;
    if (length < least) ok = false;
    const int value = std::atoi(std::string(text_.substr(0, length)).c_str());
    text_.remove_prefix(length);
    return value;
  }
  bool accept(std::string_view set) {
    if (text_.empty() || set.find(text_[0]) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(std::string_view set) { ok = accept(set) && ok; }
  bool skip_blanks() {
    bool any = false;
    while (accept(" \t")) any = true;
    return any;
  }
  int microseconds() {
    std::string digits;
    for (; is_digit(0); text_.remove_prefix(1)) digits += text_[0];
    digits.resize(6, '0');
    return std::atoi(digits.c_str());
  }
  bool at_end() const { return text_.empty(); }

 private:
  bool is_digit(size_t i) const { return i < text_.size() && text_[i] >= '0' && text_[i] <= '9'; }
  std::string_view text_;
};

void read_zone(FieldReader& reader, Fields& fields) {
  reader.skip_blanks();
  fields.has_zone = true;
  if (reader.accept("Z")) return;
  const bool is_west = reader.accept("-");
  if (!is_west) reader.expect("+");
  fields.zone_minutes = reader.number(1, 2) * 60;
  if (reader.accept(":")) fields.zone_minutes += reader.number(2, 2);
  if (is_west) fields.zone_minutes = -fields.zone_minutes;
}

Fields read_fields(std::string_view text) {
  Fields fields;
  FieldReader reader(text);
  fields.year = reader.number(4, 4);
  reader.expect("-");
  fields.month = reader.number(1, 2);
  reader.expect("-");
  fields.day = reader.number(1, 2);
  if (!reader.at_end()) {
    fields.has_time = true;
    if (!reader.accept("Tt") && !reader.skip_blanks()) reader.ok = false;
    fields.hour = reader.number(1, 2);
    reader.expect(":");
    fields.minute = reader.number(2, 2);
    reader.expect(":");
    fields.second = reader.number(2, 2);
    if (reader.accept(".")) fields.microsecond = reader.microseconds();
    if (!reader.at_end()) read_zone(reader, fields);
  }
  if (!reader.ok || !reader.at_end()) {
    throw_error(ErrorKind::kAttributeError, "'NoneType' object has no attribute 'groupdict'");
  }
  return fields;
}

int days_in_month(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

void check_fields(const Fields& f) {
  const auto require = [](bool condition, std::string_view message) {
    if (!condition) throw_error(ErrorKind::kValueError, std::string(message));
  };
  constexpr int kDayMinutes = 24 * 60;
  require(f.zone_minutes > -kDayMinutes && f.zone_minutes < kDayMinutes,
          "offset must be a timedelta strictly between -timedelta(hours=24) and "
          "timedelta(hours=24)");
  require(f.year >= 1, format("year {} is out of range", f.year));
  require(f.month >= 1 && f.month <= 12, "month must be in 1..12");
  require(f.day >= 1 && f.day <= days_in_month(f.year, f.month), "day is out of range for month");
  require(f.hour <= 23, "hour must be in 0..23");
  require(f.minute <= 59, "minute must be in 0..59");
  require(f.second <= 59, "second must be in 0..59");
}

std::string padded(int number, size_t width) {
  std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string zone_repr(int minutes) {
  if (minutes == 0) return "datetime.timezone.utc";
  if (minutes > 0) return format("datetime.timezone(datetime.timedelta(seconds={}))", minutes * 60);
  return format("datetime.timezone(datetime.timedelta(days=-1, seconds={}))", 86400 + minutes * 60);
}

}  // namespace

Timestamp parse_timestamp(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);  // a regular expression's $
  const Fields f = read_fields(text);
  check_fields(f);
  Timestamp result;
  result.is_date = !f.has_time;
  result.text = padded(f.year, 4) + "-" + padded(f.month, 2) + "-" + padded(f.day, 2);
  if (result.is_date) {
    result.repr = format("datetime.date({}, {}, {})", f.year, f.month, f.day);
    return result;
  }
  result.text += " " + padded(f.hour, 2) + ":" + padded(f.minute, 2) + ":" + padded(f.second, 2);
  result.repr =
      format("datetime.datetime({}, {}, {}, {}, {}", f.year, f.month, f.day, f.hour, f.minute);
  if (f.second != 0 || f.microsecond != 0) result.repr += format(", {}", f.second);
  if (f.microsecond != 0) {
    result.text += "." + padded(f.microsecond, 6);
    result.repr += format(", {}", f.microsecond);
  }
  if (f.has_zone) {
    const int minutes = std::abs(f.zone_minutes);
    result.text +=
        (f.zone_minutes < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2);
    result.repr += ", tzinfo=" + zone_repr(f.zone_minutes);
  }
  result.repr += ")";
  return result;
}

}  // namespace faketensor::python
