#include "core/graph/program.h"

#include <array>

namespace faketensor {

std::string_view name(InputSpec::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "user", "parameter", "buffer", "constant", "token", "custom_object"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name(OutputSpec::Kind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {"user",
                                                             "loss",
                                                             "buffer_mutation",
                                                             "parameter_mutation",
                                                             "user_input_mutation",
                                                             "gradient_to_parameter",
                                                             "gradient_to_user_input",
                                                             "token"};
  return kNames[static_cast<size_t>(kind)];
}

Program::Program() : store_(std::make_shared<GraphStore>()), metas_(std::make_shared<MetaTable>()) {
  add_graph();
  modules.emplace_back();
}

Program Program::sharing(const Program& other) {
  Program program = other;
  program.graphs_.front() = std::make_shared<Graph>(*program.store_);
  return program;
}

Row Program::find(std::string_view node_name) const {
  const StringId id = store_->strings.find(node_name, 0);
  return id == 0 ? kNoRow : plan().find(id);
}

std::string_view Program::module_path(const Node& node) const {
  return text(modules[node.module].path);
}

std::string Program::source_line(const Node& node) const {
  // The last 'File "x.py", line 12, in forward' of the trace is the innermost line of the user's
  // code.
  const std::string_view trace = text(node.stack_trace);
  const size_t file = trace.rfind("File \"");
  if (file == std::string_view::npos) return {};
  const size_t name_begin = file + 6;
  const size_t name_end = trace.find('"', name_begin);
  const size_t line_end = trace.find('\n', name_begin);
  if (name_end == std::string_view::npos || name_end > line_end) return {};
  std::string result(trace.substr(name_begin, name_end - name_begin));
  std::string_view rest = trace.substr(
      name_end + 1, line_end == std::string_view::npos ? line_end : line_end - name_end - 1);
  const std::string_view line_word = ", line ";
  if (rest.starts_with(line_word)) {
    rest.remove_prefix(line_word.size());
    const size_t comma = rest.find(',');
    result.append(":").append(rest.substr(0, comma));
    if (comma != std::string_view::npos) result.append(rest.substr(comma + 1));
  }
  return result;
}

}  // namespace faketensor
