// `faketensor answer VECTORS.jsonl[.gz]`: one answer line per recorded question
// (tests/conformance/FORMAT.md).
//
// The header line says what the questions are. Operator vectors: one call each, in a mode of its
// own. Expression vectors: facts and queries in a ShapeEnv of their own. Transcripts: steps in a
// process of their own. A graph: the header names the program, which lies beside the file, and the
// overrides; one line per node. Kinds that this version does not answer get one
// {"unsupported": why} line per question.
#include "core/replay/answer.h"

#include "core/formats/json_fields.h"
#include "core/formats/text.h"
#include "core/replay/answer_call.h"
#include "core/replay/answer_exprs.h"
#include "core/replay/answer_graph.h"
#include "core/replay/answer_memory.h"
#include "core/replay/answer_passes.h"
#include "core/replay/answer_profiler.h"
#include "core/replay/answer_profiles.h"
#include "core/replay/answer_session.h"
#include "core/replay/answer_symbolic.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

void answer_operator(JsonWriter& json, const Json& question) {
  const std::string& name = text_member(question, "op");
  const auto answer = json.object();
  json.field("id", text_member(question, "id"));
  const OpId op = Registry::builtin().find(name);
  if (op == kNoOp) return json.field("unsupported", "no rule");
  if (question.contains("env")) return answer_symbolic_operator(json, op, question);
  // A mode without a ShapeEnv, grad mode on (FORMAT.md).
  FakeTensorMode mode;
  mode.context().grad_enabled = true;
  answer_call(json, mode, op, question);
}

// The line at the front of `text`, which loses it.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

Json parse_line(std::string_view line, size_t number) {
  const std::string what = format("line {}", number);
  Json value = parse_json(line, what);
  if (!value.is_object())
    throw_error(ErrorKind::kUnreadable, format("{} is not a JSON object", what));
  return value;
}

void answer_question(JsonWriter& json, std::string_view kind, const Json& question,
                     const Json& header) {
  if (answer_profiles(json, kind, question, header)) return;
  if (answer_passes(json, kind, question)) return;
  if (answer_memory(json, kind, question)) return;
  if (answer_profiler(json, kind, question)) return;
  const bool has_id = question.contains("id");
  if (question.contains("op") && has_id) return answer_operator(json, question);
  if (question.contains("queries") && has_id) return answer_exprs(json, question);
  if (question.contains("session")) return answer_session(json, question);
  const auto answer = json.object();
  json.field("id", text_member(question, "id", ""));
  json.field("unsupported", "vectors of this kind");
}

// An error of the question itself, not of what it asks: it says in which line it stands.
void answer_line(std::string& out, std::string_view kind, const Json& question, const Json& header,
                 size_t number) {
  try {
    JsonWriter json(out);
    answer_question(json, kind, question, header);
  } catch (const Error& error) {
    throw_error(error.kind(), format("line {}: {}", number, error.message()));
  }
}

int answer_command(const Options& options, CommandIo& io) {
  const std::vector<std::string>& args = options.positional();
  if (args.size() != 1) throw_error(ErrorKind::kUsage, "answer takes one file of recorded vectors");
  const std::unique_ptr<ByteSource> source = io.open(args[0]);
  const std::string content = read_text(*source, ReadLimits{});
  std::string_view text = content;
  const Json first = parse_line(take_line(text), 1);
  const Json& header = object_member_or_empty(first, "header");
  const std::string kind = text_member(header, "kind", "");
  if (kind == "graph") return answer_graph(args[0], header, io);
  if (kind == "passes/passes") return answer_pass_questions(args[0], text, io);

  BufferedOut out(io);
  for (size_t number = 2; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    answer_line(out.text(), kind, parse_line(line, number), header, number);
    out.line_done();
  }
  return kExitFine;
}

constexpr std::string_view kAbout = R"(usage: faketensor answer VECTORS.jsonl[.gz]

Answers recorded conformance vectors, one line each; the header line of the file says what they are.

example:
  faketensor answer tests/conformance/data/ops/matmul.jsonl.gz > answers.jsonl
)";

}  // namespace

const Subcommand kAnswer = {
    "answer", &answer_command, "answer recorded conformance vectors", kAbout, {}, {}};

}  // namespace faketensor
