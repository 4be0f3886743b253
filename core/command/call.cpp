// `faketensor call OPERATOR ARGUMENT...`: one operator on values typed on the command line.
#include "core/command/options.h"
#include "core/command/propagate_options.h"
#include "core/command/subcommands.h"
#include "core/command/value_text.h"
#include "core/io/options_json.h"
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
    JsonWriter json(out.text());
    if (outcome.error) {
      const auto raised = json.object();
      write_error_members(json, *outcome.error);
    } else {
      ValueWriter().write(json, outcome.value);
    }
  } else if (outcome.error) {
    out.text() += format("{}: {}", outcome.error->class_name(), outcome.error->message());
  } else {
    std::span<const TensorRecord> none;
    out.text() += value_text(outcome.value, none);
  }
  out.line_done();
}

int call_command(const Options& options, CommandIo& io) {
  const std::vector<std::string>& texts = options.positional();
  if (texts.empty())
    throw_error(
        ErrorKind::kUsage,
        "call takes an operator and its arguments, as in: call aten::mm 'f32[2,3]' 'f32[3,4]'");
  const std::string form = options.choice("--format", {"text", "json"});
  const OpId op = Registry::builtin().find(texts[0]);
  if (op == kNoOp)
    throw_error(
        ErrorKind::kUsage,
        format("there is no rule for an operator '{}'; `faketensor ops` lists those there are",
               texts[0]));
  const std::optional<std::string> target = options.get("--target");
  FakeTensorMode mode(target ? open_target(*target, io).target : Target{});
  mode.attach_shape_env(nullptr);
  const Outcome outcome =
      mode.call(op, typed_arguments(mode, Registry::builtin().entry(op).schema, texts));
  BufferedOut out(io);
  print_outcome(outcome, form, out);
  return outcome.error ? kExitErrors : kExitFine;
}

constexpr std::string_view kCallAbout = R"(usage: faketensor call OPERATOR ARGUMENT... [OPTION]...

Calls one operator. Arguments come in schema order or as NAME=VALUE:
  f32[2,3]   f32[2,3]{1,2} (strides)   i64[4]@cuda   [f32[2],f32[2]]   3   1.5   True   None   [1,2]   float32   channels_last

)";

constexpr OptionRow kCallOptions[] = {
    {"--target", "T", "as for propagate"},
    {"--format", "F", "text or json"},
};

constexpr std::string_view kCallMore = R"(
examples:
  faketensor call aten::mm 'f32[2,3]' 'f32[3,4]'
  faketensor call aten::sum.dim_IntList 'i32[4,5]@cuda' '[1]' keepdim=True
  faketensor call aten::conv2d 'f32[1,3,8,8]' 'f32[6,3,3,3]' padding='[1,1]'
)";

}  // namespace

const Subcommand kCallCommand = {"call",     &call_command, "one operator on typed arguments",
                                 kCallAbout, kCallOptions,  kCallMore};

}  // namespace faketensor
