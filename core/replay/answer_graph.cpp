// `faketensor answer` for a graph: propagates the program that the header names and prints one line
// per node (tests/conformance/GRAPHS.md), stopping at the first error as FakeTensorProp does.
#include "core/replay/answer_graph.h"

#include "core/formats/json_fields.h"
#include "core/io/open.h"
#include "core/io/options_json.h"
#include "core/io/value_json.h"

namespace faketensor {

namespace {

PropagateOptions options_of(const Json& header) {
  PropagateOptions options = read_propagate_options(object_member_or_empty(header, "overrides"));
  options.stop_at_first_error = true;
  options.python_dispatcher = bool_member(header, "python_dispatcher", false);
  return options;
}

}  // namespace

int answer_graph(const std::string& path, const Json& header, CommandIo& io) {
  const std::string& graph = text_member(header, "graph");
  const std::unique_ptr<ByteSource> source = io.open(folder_of(path) + graph);
  const Program program = open_program(*source, graph);
  const Run run = propagate(program, options_of(header));
  BufferedOut out(io);
  ValueWriter writer;
  const BranchScope env = run.shape_env();  // for all nodes at once
  for (Row i = 0; i < program.plan().size(); ++i) {
    if (run.record(i).status != NodeStatus::kOk) continue;
    {
      JsonWriter json(out.text());
      const auto answer = json.object();
      json.field("name", program.text(program.node(i).name));
      writer.write(json.key("val"), run, i);
    }
    out.line_done();
  }
  for (const Problem& problem : run.problems()) {
    {
      JsonWriter json(out.text());
      const auto answer = json.object();
      json.field("name", program.text(program.node(problem.node).name));
      write_error_members(json, problem.error_class, problem.message);
    }
    out.line_done();
  }
  return run.problems().empty() ? kExitFine : kExitErrors;
}

}  // namespace faketensor
