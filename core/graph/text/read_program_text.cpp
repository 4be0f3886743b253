#include "core/graph/text/read_program_text.h"

#include "core/graph/text/code_reader.h"
#include "core/graph/text/example_values.h"
#include "core/graph/text/graph_form_reader.h"
#include "core/support/format.h"

namespace faketensor {

bool looks_like_program_text(std::string_view text) {
  constexpr size_t kSample = 4096;
  if (text.substr(0, kSample).find('\0') != std::string_view::npos) return false;
  return looks_like_graph_form(text) || looks_like_code(text);
}

namespace {

// Inputs that nothing says anything of: what is computed of them is not reached.
void tell_unknown_inputs(Program& program, ProgramText& text) {
  Graph& graph = program.graph();
  const bool may_be_none = !looks_like_graph_form(text.text());
  for (NodeId id = graph.first(); id != kNoNode && graph.node(id).kind == NodeKind::kPlaceholder;
       id = graph.next(id)) {
    NodeMeta& meta = graph.meta(id);
    const bool is_none = meta.val.is_none() && !may_be_none;
    if (meta.recorded != nullptr || (!meta.val.is_unset() && !is_none)) continue;
    meta.val = graph.users(id).empty() ? Value() : Value::unset();
    if (!meta.val.is_unset()) continue;
    const std::string_view name = graph.name_of(id);
    text.add_problem({TextProblem::Severity::kWarning, text.span_of(id),
                      format("nothing says what {} is: write {}: \"f32[2, 3]\"", name, name)});
  }
}

// Nodes of which the text names no line of somebody's code come from the text itself.
void note_lines(Program& program, const ProgramText& text, std::string_view name) {
  Graph& graph = program.graph();
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    NodeMeta& meta = graph.meta(id);
    const NodeKind kind = graph.node(id).kind;
    const TextSpan span = text.span_of(id);
    if (meta.stack_trace != 0 || !span.is_somewhere() || kind == NodeKind::kPlaceholder ||
        kind == NodeKind::kOutput)
      continue;
    meta.stack_trace = program.strings().intern(
        format("  File \"{}\", line {}, in forward\n", name, text.place(span).line));
  }
}

}  // namespace

TextProgram parse_program_text(std::string text, const ReadLimits& limits) {
  constexpr size_t kMostBytes = 0xFFFFFFFE;  // positions are 32-bit
  if (text.size() > kMostBytes || text.size() > limits.max_text())
    throw_too_large("the program's text", limits);
  TextProgram read;
  read.text = std::make_shared<ProgramText>(std::move(text));
  read.program.kind = "text";
  TextProgramBuilder builder(read.program, *read.text, limits);
  if (looks_like_graph_form(read.text->text())) {
    read_graph_form(builder);
  } else {
    read_code(builder);
  }
  builder.finish();
  return read;
}

TextProgram read_program_text(std::string text, std::string_view name, const ReadLimits& limits) {
  TextProgram read = parse_program_text(std::move(text), limits);
  read.program.name = name;
  tell_unknown_inputs(read.program, *read.text);
  record_example_values(read.program, *read.text);
  note_lines(read.program, *read.text, name);
  return read;
}

}  // namespace faketensor
