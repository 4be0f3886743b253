#include "core/io/edited_program.h"

#include "core/io/open.h"
#include "core/io/program_writer.h"
#include "core/io/pt2_writer.h"
#include "core/passes/program_values.h"
#include "core/passes/propagate.h"
#include "core/passes/reachable_graphs.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

Program read_program(const std::string& text, std::string_view name, const ReadLimits& limits) {
  return open_program(MemorySource(text), name, limits);
}

}  // namespace

EditedProgram::EditedProgram(const ByteSource& source, std::string_view name,
                             const ReadLimits& limits, std::string_view model)
    : limits_(limits),
      file_(file_text(source, name, limits, model)),
      program_(read_program(file_.text, name, limits)),
      subject_{program_, mode_, &program_.graph()} {
  mode_.attach_shape_env(program_.shape_env);
  make_values(program_, mode_);
  for (const std::shared_ptr<Graph>& graph : program_.graphs())
    notes_[graph.get()].note_all(*graph);
}

PassResult EditedProgram::run(std::string_view pass) {
  const PassRow* row = find_pass(pass);
  if (row == nullptr)
    throw_error(ErrorKind::kUsage, format("no pass is called '{}' (faketensor passes)", pass));
  return row->run(subject_, read_pass_argument(pass));
}

PassResult EditedProgram::replace(GraphPattern pattern) {
  PassOptions options;
  options.pattern = std::move(pattern);
  return find_pass("replace_pattern")->run(subject_, options);
}

size_t EditedProgram::propagate() {
  size_t count = 0;
  for (Graph* graph : reachable_graphs(subject_))
    count += propagate_edited(mode_, *graph, notes_[graph]);
  return count;
}

// Submodules that a pass has split off are called by nodes, for which the schema has no form.
void EditedProgram::check_has_no_module_calls() const {
  const Graph& graph = *subject_.graph;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    if (graph.node(id).kind != NodeKind::kCallModule) continue;
    throw_error(ErrorKind::kUsage,
                format("{}: a graph that calls modules is no exported program", graph.name_of(id)));
  }
}

std::string EditedProgram::json() {
  check_has_no_module_calls();
  propagate();
  if (file_.kind == "text") return write_program(program_, graph(), nullptr, limits_);
  std::string text = file_.text;
  return write_program(program_, graph(), &text, limits_);
}

// The bytes of weights are copied, so what is said of them must stay.
void EditedProgram::check_weights() const {
  const Graph& graph = *subject_.graph;
  size_t i = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kPlaceholder || i >= program_.inputs.size()) continue;
    const InputSpec& spec = program_.inputs[i++];
    if (spec.kind == InputSpec::Kind::kUser || !node.val.is_tensor()) continue;
    check_weight(graph.name_of(id), node.recorded, *node.val.tensor().meta);
  }
}

void EditedProgram::write_pt2(const ByteSource& archive, ByteSink& sink) {
  check_weights();
  faketensor::write_pt2(archive, json(), limits_, sink);
}

std::string program_json(const ByteSource& source, std::string_view name,
                         const ReadLimits& limits) {
  FileText file = file_text(source, name, limits);
  if (file.kind != "text") return std::move(file.text);
  return EditedProgram(MemorySource(file.text), name, limits).json();
}

}  // namespace faketensor
