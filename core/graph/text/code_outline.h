// The outline of a text of code: its modules with their forward functions, and what a printed
// ExportedProgram says below them.
//
// A module of the text is a class, or the text itself where a function stands in none. Only
// beginnings of logical lines are looked at; what stands in functions is read by code_reader.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/text/lexer.h"
#include "core/graph/text/program_builder.h"

namespace faketensor {

struct CodeModule {
  // "weight: "f32[2, 3]"" in the body of a class.
  struct Attribute {
    std::string path;
    TextSpan span;
    std::string annotation;
  };

  std::string_view name;  // empty for the text itself
  size_t indent = 0;
  std::vector<std::unique_ptr<CodeModule>> children;
  std::vector<Attribute> attributes;
  // The forward function, or the first one: where "def" stands, and its indentation.
  TextSpan function;
  size_t function_indent = 0;
  std::string_view function_name;

  bool has_function() const { return function.is_somewhere(); }
  const CodeModule* child(std::string_view name) const;
};

// The modules of the text; what it says of signature, ranges and hints goes to the builder, as do
// problems with what stands outside of functions.
CodeModule outline_code(TextProgramBuilder& builder);

}  // namespace faketensor
