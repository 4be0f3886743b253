// PyValue: what yaml.safe_load makes of a document, and what Python then says of it.
//
// Values form a graph where the text has aliases; PyValues owns them. The functions are Python's
// own: str and repr, equality of dictionary keys (1, 1.0 and True are one key), and the errors of
// subscripts and loops on a value of the wrong class, since those are what read_profiles_from_yaml
// raises for a text that is no profile.
//
//   const Document document(text);
//   const PyValues values(document);
//   subscript(*values.root(), "operators");   // KeyError: 'operators'
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "core/profiles/yaml/composer.h"

namespace faketensor::yaml {

// A value without elements; also what a profile holds where any value can stand.
struct PyScalar {
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
  static PyScalar string(std::string_view text);
  static PyScalar integer(int64_t value);
};

struct PyValue : PyScalar {
  std::vector<PyValue*> items;  // of a dict: keys and values in turn
  std::unordered_map<std::string, size_t>
      keys;  // of a dict or set: by identity_key, where in `items`
  Mark start;
};

class PyValues {
 public:
  explicit PyValues(const Document& document);
  PyValues(const PyValues&) = delete;
  PyValues& operator=(const PyValues&) = delete;
  PyValue* root() const { return root_; }

 private:
  struct Pending {
    Node* node;
    PyValue* value;
  };
  PyValue* make(Node* node);
  PyValue* make_scalar(const Node& node, std::string_view tag);
  PyValue* make_time(const Node& node, PyValue& value);
  void fill(Node* node, PyValue& value);
  void fill_dict(Node* node, PyValue& value);
  void fill_pairs(Node* node, PyValue& value, bool is_ordered_map);
  void flatten(Node* node, int depth);
  [[noreturn, gnu::cold]] void fail(std::string_view problem, Mark place) const {
    source_.fail(ErrorKind::kYamlConstructorError, problem, place);
  }
  const std::string& scalar_text(const Node& node) const;

  const Source& source_;
  std::deque<PyValue> values_;
  std::unordered_map<const Node*, PyValue*> made_;
  std::deque<Pending> pending_;
  size_t merged_ = 0;  // items copied by merge keys
  PyValue* root_ = nullptr;
};

// The name of the Python class: "str", "NoneType", "datetime.date".
std::string_view class_name(const PyScalar& value);
std::string str(const PyValue& value);
std::string repr(const PyValue& value);
std::string scalar_repr(const PyScalar& value);
// Equal for values that are one dictionary key; lists, dicts and sets are no keys.
std::string identity_key(const PyScalar& value);
bool is_hashable(const PyScalar& value);
// Raises TypeError: "unhashable type: 'list'".
void check_hashable(const PyValue& value);

// value[key]. Raises KeyError, or TypeError for what is no dictionary.
const PyValue& subscript(const PyValue& value, std::string_view key);
// The key in a dict; null where there is none.
const PyValue* find(const PyValue& dict, std::string_view key);
// What a for loop over the value meets: elements, keys, characters (as null). Raises TypeError for
// what is not iterable.
std::vector<const PyValue*> iterate(const PyValue& value);

}  // namespace faketensor::yaml
