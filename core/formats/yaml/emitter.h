// Emitter: YAML in the form of PyYAML's yaml.dump(value, sort_keys=False), byte for byte
// (yaml/emitter.py, representer.py): block style, two spaces, lines folded after 80 columns, names
// quoted where they look like something else, long or broken keys behind "? ".
//
//   Emitter out;
//   out.begin_mapping();
//   out.key(python::Scalar::string("rank"));
//   out.scalar(python::Scalar::integer(2));
//   out.end_mapping();
//   out.finish();   // "rank: 2\n"
#pragma once

#include <vector>

#include "core/formats/yaml/python_value.h"

namespace faketensor::yaml {

class Emitter {
 public:
  // A mapping without keys is begin_mapping(true) alone, and so with sequences.
  void begin_mapping(bool is_empty = false);
  void end_mapping() { pop(); }
  void begin_sequence(bool is_empty = false);
  void end_sequence() { pop(); }
  void key(const python::Scalar& name);
  void scalar(const python::Scalar& value);
  // The text, with its last line ended.
  std::string finish();

 private:
  struct Collection {
    bool is_mapping;
    int outer_indent;
  };

  void begin_collection(bool is_mapping, bool is_empty);
  void begin_item();
  void pop();
  void write(std::u32string_view part);
  void indicator(std::string_view text, bool needs_space, bool is_indentation = false);
  void line_break(char32_t c = U'\n');
  void line_breaks(std::u32string_view breaks);
  void indent();
  void write_scalar(const python::Scalar& value, bool is_simple_key);
  void single_quoted(std::u32string_view text, bool may_split);
  void double_quoted(std::u32string_view text, bool may_split);
  void plain(std::u32string_view text, bool may_split);
  void words(std::u32string_view text, bool may_split, bool is_quoted);

  std::string out_;
  std::vector<Collection> open_;
  int indent_ = -1;  // none yet
  int column_ = 0;
  bool after_space_ = true;        // no space is needed before an indicator
  bool after_indentation_ = true;  // only indentation on this line so far
};

}  // namespace faketensor::yaml
