// `faketensor call OPERATOR ARGUMENT...`: one operator on values typed on the command line.
#include "core/command/options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/io/value_json.h"
#include "core/ops/bind.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// "name=value" for an argument of that name; the position and the value's text.
std::pair<size_t, std::string_view> argument_at(const Schema& schema, const std::string& text,
                                                size_t next) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos) {
    const int position = schema.find_argument(std::string_view(text).substr(0, equals));
    if (position >= 0)
      return {static_cast<size_t>(position), std::string_view(text).substr(equals + 1)};
  }
  if (next >= schema.arguments.size()) {
    throw_error(ErrorKind::kUsage, format("{} takes {} arguments: {}", schema.name,
                                          schema.arguments.size(), schema.text));
  }
  return {next, text};
}

std::vector<Value> typed_arguments(FakeTensorMode& mode, const Schema& schema,
                                   const std::vector<std::string>& texts) {
  ArgumentBinder binder(schema);
  for (size_t i = 1; i < texts.size(); ++i) {
    const auto [position, text] = argument_at(schema, texts[i], binder.size());
    binder.set(position, parse_value(mode, text, schema.arguments[position].type));
  }
  const std::span<const Value> values = binder.values();
  return std::vector<Value>(values.begin(), values.end());
}

void print_outcome(const Outcome& outcome, std::string_view form, BufferedOut& out) {
  if (form == "json") {
    ValueWriter writer;
    if (outcome.error) {
      out.text() += format("{\"raises\":\"{}\",\"message\":", outcome.error->class_name());
      append_json_string(out.text(), outcome.error->message());
      out.text() += '}';
    } else {
      writer.append(out.text(), outcome.value);
    }
  } else if (outcome.error) {
    out.text() += format("{}: {}", outcome.error->class_name(), outcome.error->message());
  } else {
    std::span<const TensorRecord> none;
    out.text() += value_text(outcome.value, none);
  }
  out.line_done();
}

}  // namespace

int call_command(const std::vector<std::string>& args, CommandIo& io) {
  const Options options(args, {{"--target", true}, {"--format", true}});
  const std::vector<std::string>& texts = options.positional();
  if (texts.empty())
    throw_error(
        ErrorKind::kUsage,
        "call takes an operator and its arguments, as in: call aten::mm 'f32[2,3]' 'f32[3,4]'");
  const std::string form = options.get("--format").value_or("text");
  if (form != "text" && form != "json")
    throw_error(ErrorKind::kUsage, format("--format is text or json, not '{}'", form));
  const OpId op = Registry::builtin().find(texts[0]);
  if (op == kNoOp)
    throw_error(
        ErrorKind::kUsage,
        format("there is no rule for an operator '{}'; `faketensor ops` lists those there are",
               texts[0]));
  Target target;
  if (const auto preset = options.get("--target")) {
    const auto found = target_preset(*preset);
    if (!found) throw_error(ErrorKind::kUsage, format("--target: '{}' is no target", *preset));
    target = *found;
  }
  FakeTensorMode mode(target);
  mode.attach_shape_env(nullptr);
  const Outcome outcome =
      mode.call(op, typed_arguments(mode, Registry::builtin().entry(op).schema, texts));
  BufferedOut out(io);
  print_outcome(outcome, form, out);
  return outcome.error ? kExitErrors : kExitFine;
}

}  // namespace faketensor
