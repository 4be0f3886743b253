// The Python values that a YAML document stands for, and what Python says of them.
//
// Values form a graph where the document has aliases; yaml::PythonValues makes and owns them. The
// functions are Python's own: str and repr, equality of dictionary keys (1, 1.0 and True are one
// key), and the errors of subscripts and loops on a value of the wrong class, since those are what
// read_profiles_from_yaml raises for a text that is no profile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace faketensor::python {

// A value without elements; also what a profile holds where any value can stand.
struct Scalar {
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,       // `text`: decimal digits
    kFloat,     // `real`
    kString,    // `text`
    kBytes,     // `text`
    kDate,      // `text`: str(), `repr`
    kDateTime,  // the same
    kTuple,
    kList,
    kDict,
    kSet,
  };
  Kind kind = Kind::kNone;
  bool truth = false;
  double real = 0;
  std::string text;
  std::string repr;

  bool is(Kind of) const { return kind == of; }
  static Scalar string(std::string_view text);
  static Scalar integer(int64_t value);
};

struct Value : Scalar {
  // Of a dict: keys and values in turn.
  std::vector<Value*> items;
  // Of a dict or set: where in `items` a key is, by its identity_key.
  std::unordered_map<std::string, size_t> keys;
};

// The name of the Python class: "str", "NoneType", "datetime.date".
std::string_view class_name(const Scalar& value);
std::string str(const Value& value);
std::string repr(const Value& value);
std::string scalar_repr(const Scalar& value);
// Equal for values that are one dictionary key; lists, dicts and sets are no keys.
std::string identity_key(const Scalar& value);
bool is_hashable(const Scalar& value);
// Raises TypeError: "unhashable type: 'list'".
void check_hashable(const Value& value);

// value[key]. Raises KeyError, or TypeError for what is no dictionary.
const Value& subscript(const Value& value, std::string_view key);
// The key in a dict; null where there is none.
const Value* find(const Value& dict, std::string_view key);
// What a for loop over the value meets: elements, keys, characters (as null). Raises TypeError for
// what is not iterable.
std::vector<const Value*> iterate(const Value& value);

}  // namespace faketensor::python
