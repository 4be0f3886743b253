// TextProgramBuilder: what the readers of both forms of FX text make a program of.
//
// A reader appends nodes, says where they stand and how they are annotated, and goes on after what
// is wrong. `finish` then makes the symbols that annotations name, with the ranges and hints that
// the text gives, the metas of what is annotated, and the signature.
//
// Note [Symbols of text]: "u0" is unbacked, every other name a backed symbol, at least 2 unless a
// range says otherwise. One without a hint ("batch=8", or a line "Hints: {s77: 8}") gets the least
// multiple of 8 in its range that is neither another one's hint nor a size of the text, so that no
// two sizes are equal by accident.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/read_limits.h"
#include "core/graph/program.h"
#include "core/graph/text/annotation.h"
#include "core/graph/text/program_text.h"

namespace faketensor {

class TextProgramBuilder {
 public:
  TextProgramBuilder(Program& program, ProgramText& text, const ReadLimits& limits)
      : program_(program), text_(text), limits_(limits) {}

  Program& program() { return program_; }
  ProgramText& text() { return text_; }

  void error(TextSpan span, std::string message);
  void warn(TextSpan span, std::string message);

  // Appends a node. Raises LimitExceeded for one more than the limits allow.
  NodeId append(Graph& graph, const Node& node, TextSpan span);
  // Says "f32[s0, 3]" of a node; `span` is that text's, whose bytes are `annotation` unless it was
  // written otherwise.
  void annotate(Graph& graph, NodeId id, TextSpan span, std::string annotation);
  bool is_annotated(const Graph& graph, NodeId id) const;
  // An input that is a parameter or buffer of the module: "layer.weight".
  void set_attribute(NodeId id, std::string_view target);
  void text_span(NodeId id, TextSpan span) { text_.set_span(id, span); }

  // "x: USER_INPUT", "p_w: PARAMETER target='w'" of a graph signature; and of its outputs.
  void sign_input(std::string_view name, std::string_view kind, std::string_view target,
                  bool persistent);
  void sign_output(std::string_view kind, std::string_view target);
  // "s77: VR[2, 100]": an end that is no number is unbounded.
  void set_range(std::string_view symbol, std::optional<int64_t> lower,
                 std::optional<int64_t> upper);
  void set_hint(std::string_view symbol, int64_t hint) { hints_[std::string(symbol)] = hint; }

  void finish();

 private:
  struct Annotated {
    Graph* graph;
    NodeId id;
    TextSpan span;
    TextAnnotation said;
  };

  void find_symbols();
  void note_symbols(std::string_view expression);
  void make_symbols();
  int64_t free_hint(const SymbolSpec& symbol);
  void make_value(const Annotated& annotated);
  std::optional<SymInt> size_of(std::string_view expression);
  void bind_unbacked(const Annotated& annotated);
  void sign();

  Program& program_;
  ProgramText& text_;
  const ReadLimits& limits_;
  size_t nodes_ = 0;
  std::vector<std::unique_ptr<std::string>> texts_;  // of annotations
  std::vector<Annotated> annotated_;
  std::unordered_map<NodeId, size_t> annotation_of_;  // of the main graph's nodes
  std::map<std::string, int64_t, std::less<>> hints_;
  std::unordered_map<std::string_view, size_t> symbol_of_;  // place in program_.symbols
  std::vector<bool> is_ranged_;                             // by symbol
  std::map<int64_t, bool> taken_;                           // sizes and hints of the text
  std::unordered_map<std::string_view, const ExprNode*> parsed_;
  std::map<std::string, bool, std::less<>> bound_;  // unbacked symbols
  struct Signed {
    InputSpec::Kind kind;
    StringId target;
    bool persistent;
  };
  std::unordered_map<StringId, Signed> inputs_;  // by name
  std::vector<OutputSpec> outputs_;
};

}  // namespace faketensor
