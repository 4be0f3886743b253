#include "core/replay/answer_passes.h"

#include <map>

#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/edited_program.h"
#include "core/io/graph_json.h"
#include "core/passes/unflatten.h"
#include "core/replay/answer_pass_errors.h"
#include "core/replay/answer_program.h"
#include "core/replay/flop_counter.h"
#include "core/replay/pass_questions.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The parameters of each pass by its name, for a pass manager that names others.
using Parameters = std::map<std::string, Json>;

// The text of each module, as {"graphs": {"(root)": {"graph": ..., "readable": ...}}}.
std::string unflattened_modules(PassSubject& subject) {
  const UnflattenedModules modules = unflatten(subject.program, *subject.graph);
  std::string text;
  JsonWriter json(text);
  const auto object = json.object();
  const auto graphs = json.object("graphs");
  for (const auto& [path, graph] : modules.graphs) {
    const auto module = json.object(path.empty() ? "(root)" : path);
    json.field("graph", graph_text(*graph));
    json.field("readable", readable_text(*graph, path.empty()       ? "UnflattenedModule"
                                                 : graph->name == 0 ? "InterpreterModule"
                                                                    : "GraphModule"));
  }
  return text;
}

PassResult run_pass(const std::string& name, const Json& params, PassSubject& subject,
                    const Parameters& all) {
  PassOptions options = read_pass_options(params, subject.mode);
  for (const std::string& pass : options.passes) {
    const auto known = all.find(pass);
    options.pass_options.push_back(
        read_pass_options(known == all.end() ? Json::object() : known->second, subject.mode));
  }
  if (name == "unflatten") return {.modified = false, .info = unflattened_modules(subject)};
  if (name == "flop_counter") return {.modified = false, .info = count_flops(subject)};
  const PassRow* row = find_pass(name);
  if (row != nullptr) return row->run(subject, options);
  if (options.passes.empty())
    throw_error(ErrorKind::kUnsupportedOperator, format("no pass is called '{}'", name));
  // "remove_runtime_assertions+dce": one after the other, each once.
  for (size_t i = 0; i < options.passes.size(); ++i)
    find_pass(options.passes[i])->run(subject, options.pass_options[i]);
  return {.modified = true};
}

void write_after(JsonWriter& json, RecordedProgram& program, const PassSubject& subject,
                 bool modified, const std::string& before) {
  const std::string after = graph_text(*subject.graph);
  if (!modified && after == before) return json.field("same", true);
  json.field("graph", after);
  json.field("readable", readable_text(*subject.graph));
  write_graph(json.key("nodes"), *subject.graph, program.writer());
}

void answer_pass(JsonWriter& json, const Json& question, const Json& recorded,
                 const Parameters& all) {
  const std::string& name = text_member(question, "pass");
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  const bool is_known = find_pass(name) != nullptr || find_member(question, "params") != nullptr;
  if (!is_known) return json.field("unsupported", "no such pass");
  try {
    RecordedProgram program(recorded);
    if (name == "unflatten") program.read_module_stacks(recorded);
    PassSubject subject = program.subject();
    const std::string before = graph_text(*subject.graph);
    const PassResult result =
        run_pass(name, object_member_or_empty(question, "params"), subject, all);
    write_after(json, program, subject, result.modified, before);
    if (!result.info.empty()) json.key("info").raw(result.info);
  } catch (const Error& error) {
    const bool is_unknown = error.kind() == ErrorKind::kUnsupportedOperator && error.op().empty() &&
                            find_pass(name) == nullptr;
    if (is_unknown) return json.field("unsupported", error.message());
    write_error_members(json, error);
  }
}

// A pass inside export, of whose program the text was recorded.
void answer_text_pass(JsonWriter& json, const Json& question, const Json& before) {
  const std::string& name = text_member(question, "pass");
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  try {
    EditedProgram edited(MemorySource(text_member(before, "readable")), "before.txt");
    run_pass(name, object_member_or_empty(question, "params"), edited.subject(), {});
    json.field("graph", graph_text(edited.graph()));
    json.field("readable", readable_text(edited.graph()));
  } catch (const Error& error) {
    write_error_members(json, error);
  }
}

template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty()) use(parse_json(line, format("line {}", number)));
  }
}

}  // namespace

int answer_pass_questions(const std::string& path, std::string_view text, CommandIo& io) {
  const std::unique_ptr<ByteSource> source = io.open(folder_of(path) + "programs.jsonl");
  const std::string content = read_text(*source, ReadLimits{});
  std::map<std::string, Json> programs;
  for_each_line(content, [&](Json program) {
    if (find_member(program, "id") == nullptr) return;
    std::string id = text_member(program, "id");
    programs.emplace(std::move(id), std::move(program));
  });
  Parameters all;
  for_each_line(text, [&](const Json& question) {
    all.emplace(text_member(question, "pass"), object_member_or_empty(question, "params"));
  });
  BufferedOut out(io);
  for_each_line(text, [&](const Json& question) {
    const auto program = programs.find(text_member(question, "program", ""));
    const Json* before = find_member(question, "nodes_before");
    Json recorded = Json::object();
    if (before != nullptr) recorded["nodes"] = *before;
    JsonWriter json(out.text());
    const Json& printed = object_member_or_empty(question, "program_before");
    if (before == nullptr && find_member(printed, "readable") != nullptr) {
      answer_text_pass(json, question, printed);
    } else {
      answer_pass(json, question, program == programs.end() ? recorded : program->second, all);
    }
    out.line_done();
  });
  return kExitFine;
}

bool answer_passes(JsonWriter& json, std::string_view kind, const Json& question) {
  const auto answer = kind == "passes/programs" ? answer_program
                      : kind == "passes/errors" ? answer_pass_error
                                                : nullptr;
  if (answer == nullptr) return false;
  const auto object = json.object();
  json.field("id", text_member(question, "id"));
  answer(json, question);
  return true;
}

}  // namespace faketensor
