#include "core/io/problem_json.h"

namespace faketensor {

void write_problem_members(JsonWriter& json, const Program& program, const Problem& problem) {
  if (problem.node != kNoRow) json.field("name", program.text(program.node(problem.node).name));
  write_error_members(json, problem.error_class, problem.message);
  json.field_if_any("op", problem.op);
  json.field_if_any("module", problem.module_path);
  json.field_if_any("source", problem.source);
  json.field_if_any("hint", problem.hint);
}

}  // namespace faketensor
