// PythonValues: what yaml.safe_load makes of a document (yaml/constructor.py).
//
//   const Document document(text);
//   const PythonValues values(document);
//   subscript(*values.root(), "operators");   // KeyError: 'operators'
#pragma once

#include <deque>
#include <unordered_map>

#include "core/formats/yaml/composer.h"
#include "core/formats/yaml/python_value.h"

namespace faketensor::yaml {

class PythonValues {
 public:
  explicit PythonValues(const Document& document);
  PythonValues(const PythonValues&) = delete;
  PythonValues& operator=(const PythonValues&) = delete;
  python::Value* root() const { return root_; }

 private:
  struct Pending {
    Node* node;
    python::Value* value;
  };
  python::Value* make(Node* node);
  python::Value* make_scalar(const Node& node, std::string_view tag);
  void fill(Node* node, python::Value& value);
  void fill_dict(Node* node, python::Value& value);
  void fill_pairs(Node* node, python::Value& value, bool is_ordered_map);
  void flatten(Node* node, int depth);
  [[noreturn, gnu::cold]] void fail(std::string_view problem, Mark place) const {
    source_.fail(ErrorKind::kYamlConstructorError, problem, place);
  }
  const std::string& scalar_text(const Node& node) const;

  const Source& source_;
  std::deque<python::Value> values_;
  std::unordered_map<const Node*, python::Value*> made_;
  std::deque<Pending> pending_;
  size_t merged_ = 0;  // items copied by merge keys
  python::Value* root_ = nullptr;
};

}  // namespace faketensor::yaml
