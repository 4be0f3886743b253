// `faketensor answer VECTORS.jsonl[.gz]`: one answer line per recorded question
// (conformance/FORMAT.md).
//
// The header line says what the questions are. Operator vectors: one call each, in a mode of its
// own. Expression vectors: facts and queries in a ShapeEnv of their own. Transcripts: steps in a
// process of their own. A graph: the header names
// the program, which lies beside the file, and the overrides; one line per node. Kinds that this
// version does not answer get one {"unsupported": why} line per question.
#include <nlohmann/json.hpp>

#include "core/command/answer_call.h"
#include "core/command/answer_exprs.h"
#include "core/command/answer_graph.h"
#include "core/command/answer_profiles.h"
#include "core/command/answer_session.h"
#include "core/command/answer_symbolic.h"
#include "core/command/subcommands.h"
#include "core/io/value_json.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

using nlohmann::json;

void answer_operator(std::string& out, const json& question) {
  const std::string& name = question.at("op").get_ref<const std::string&>();
  out += "{\"id\":";
  append_json_string(out, question.at("id").get_ref<const std::string&>());
  out += ',';
  const OpId op = Registry::builtin().find(name);
  if (op == kNoOp) {
    out += "\"unsupported\":\"no rule\"}";
    return;
  }
  if (question.contains("env")) {
    answer_symbolic_operator(out, op, question);
  } else {
    // A mode without a ShapeEnv, grad mode on (FORMAT.md).
    FakeTensorMode mode;
    mode.context().grad_enabled = true;
    answer_call(out, mode, op, question);
  }
  out += '}';
}

// The line at the front of `text`, which loses it.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

// What is read from a line walks it by recursion, so its nesting is bounded before it is parsed.
void check_nesting(std::string_view line, size_t number) {
  const uint32_t most = ReadLimits{}.max_json_depth;
  uint32_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most)
        throw_error(ErrorKind::kLimitExceeded,
                    format("line {}: JSON nested more than {} deep", number, most));
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    }
  }
}

json parse_line(std::string_view line, size_t number) {
  check_nesting(line, number);
  json value = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    throw_error(ErrorKind::kUnreadable, format("line {} is not a JSON object", number));
  return value;
}

}  // namespace

int answer_command(const std::vector<std::string>& args, CommandIo& io) {
  if (args.size() != 1) throw_error(ErrorKind::kUsage, "answer takes one file of recorded vectors");
  const std::unique_ptr<ByteSource> source = io.open(args[0]);
  const std::string content = read_text(*source, ReadLimits{});
  std::string_view text = content;
  json header = parse_line(take_line(text), 1).value("header", json::object());
  if (header.value("kind", "") == "graph") return answer_graph(args[0], header, io);

  const std::string kind = header.value("kind", "");
  BufferedOut out(io);
  for (size_t number = 2; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    const json question = parse_line(line, number);
    try {
      if (answer_profiles(out.text(), kind, question, header)) {
        // answered
      } else if (question.contains("op") && question.contains("id")) {
        answer_operator(out.text(), question);
      } else if (question.contains("queries") && question.contains("id")) {
        answer_exprs(out.text(), question);
      } else if (question.contains("session")) {
        answer_session(out.text(), question);
      } else {
        out.text() += "{\"id\":";
        append_json_string(out.text(), question.value("id", ""));
        out.text() += ",\"unsupported\":\"vectors of this kind\"}";
      }
    } catch (const json::exception& error) {
      throw_error(ErrorKind::kUnreadable, format("line {}: {}", number, error.what()));
    }
    out.line_done();
  }
  return kExitFine;
}

}  // namespace faketensor
