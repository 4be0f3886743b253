// `faketensor answer` for a graph: propagates the program that the header names and prints one line
// per node (tests/conformance/GRAPHS.md), stopping at the first error as FakeTensorProp does.
#include "core/replay/answer_graph.h"

#include "core/formats/json_fields.h"
#include "core/io/open.h"
#include "core/io/value_json.h"

namespace faketensor {

namespace {

using nlohmann::json;

PropagateOptions overrides_of(const json& header) {
  PropagateOptions options;
  options.stop_at_first_error = true;
  options.python_dispatcher = bool_member(header, "python_dispatcher", false);
  const json& overrides = object_member_or_empty(header, "overrides");
  options.inputs = read_overrides(object_member_or_empty(overrides, "inputs"));
  return options;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

int answer_graph(const std::string& path, const json& header, CommandIo& io) {
  const std::string& graph = text_member(header, "graph");
  const std::unique_ptr<ByteSource> source = io.open(folder_of(path) + graph);
  const Program program = open_program(*source, graph);
  const Run run = propagate(program, overrides_of(header));
  BufferedOut out(io);
  ValueWriter writer;
  const BranchScope env = run.shape_env();  // for all nodes at once
  for (NodeId i = 0; i < program.graph().size(); ++i) {
    if (run.record(i).status != NodeStatus::kOk) continue;
    out.text() += "{\"name\":";
    append_json_string(out.text(), program.text(program.graph().node(i).name));
    out.text() += ",\"val\":";
    writer.append(out.text(), run, i);
    out.text() += '}';
    out.line_done();
  }
  for (const Problem& problem : run.problems()) {
    out.text() += "{\"name\":";
    append_json_string(out.text(), program.text(program.graph().node(problem.node).name));
    out.text().append(",\"raises\":\"").append(problem.error_class).append("\",\"message\":");
    append_json_string(out.text(), problem.message);
    out.text() += '}';
    out.line_done();
  }
  return run.problems().empty() ? kExitFine : kExitErrors;
}

}  // namespace faketensor
