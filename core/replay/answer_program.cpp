#include "core/replay/answer_program.h"

#include <algorithm>
#include <cctype>

#include "core/formats/json_fields.h"
#include "core/graph/graph_text.h"
#include "core/graph/readable.h"
#include "core/io/graph_json.h"
#include "core/io/open.h"
#include "core/passes/program_values.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// As torch.export.graph_signature names them.
std::string_view kind_name(InputSpec::Kind kind) {
  switch (kind) {
    case InputSpec::Kind::kUser:
      return "USER_INPUT";
    case InputSpec::Kind::kParameter:
      return "PARAMETER";
    case InputSpec::Kind::kBuffer:
      return "BUFFER";
    case InputSpec::Kind::kConstant:
      return "CONSTANT_TENSOR";
    case InputSpec::Kind::kToken:
      return "TOKEN";
    case InputSpec::Kind::kCustomObject:
      return "CUSTOM_OBJ";
  }
  return {};
}

std::string_view kind_name(OutputSpec::Kind kind) {
  switch (kind) {
    case OutputSpec::Kind::kUser:
      return "USER_OUTPUT";
    case OutputSpec::Kind::kLoss:
      return "LOSS_OUTPUT";
    case OutputSpec::Kind::kBufferMutation:
      return "BUFFER_MUTATION";
    case OutputSpec::Kind::kParameterMutation:
      return "PARAMETER_MUTATION";
    case OutputSpec::Kind::kUserInputMutation:
      return "USER_INPUT_MUTATION";
    case OutputSpec::Kind::kGradientToParameter:
      return "GRADIENT_TO_PARAMETER";
    case OutputSpec::Kind::kGradientToUserInput:
      return "GRADIENT_TO_USER_INPUT";
    case OutputSpec::Kind::kToken:
      return "TOKEN";
  }
  return {};
}

void write_target(JsonWriter& json, const Program& program, StringId target) {
  if (target == 0) return json.value(nullptr);
  json.value(program.text(target));
}

void write_inputs(JsonWriter& json, const Program& program) {
  const auto list = json.array("inputs");
  const Graph& graph = program.graph();
  NodeId id = graph.first();
  for (const InputSpec& input : program.inputs) {
    const auto row = json.array();
    json.value(kind_name(input.kind));
    json.value(graph.name_of(id));
    write_target(json, program, input.target);
    if (input.kind == InputSpec::Kind::kBuffer) {
      json.value(input.persistent);
    } else {
      json.value(nullptr);
    }
    id = graph.next(id);
  }
}

// A value that is no node stands for itself.
void write_outputs(JsonWriter& json, const Program& program, ValueWriter& writer) {
  const auto list = json.array("outputs");
  const Graph& graph = program.graph();
  const Node& output = graph.node(graph.last());
  const Value values = output.args.empty() ? Value() : output.args[0];
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const auto row = json.array();
    json.value(kind_name(program.outputs[i].kind));
    const Value value = values.is_list() ? values[i] : values;
    if (value.is(Value::Tag::kNodeRef)) {
      json.value(graph.name_of(node_of(value)));
    } else {
      const auto constant = json.object();
      writer.write(json.key("value"), value);
    }
    write_target(json, program, program.outputs[i].target);
  }
}

void write_ranges(JsonWriter& json, const Program& program) {
  const auto ranges = json.object("range_constraints");
  for (const SymbolSpec& symbol : program.symbols) {
    const std::string ends[] = {
        to_string(symbol.lower ? RangeEnd(*symbol.lower) : RangeEnd(kMinusIntInfinity)),
        to_string(symbol.upper ? RangeEnd(*symbol.upper) : RangeEnd(kIntInfinity))};
    json.field(symbol.name, std::span<const std::string>(ends));
  }
}

}  // namespace

void answer_program(JsonWriter& json, const Json& question) {
  const std::string text = member(question, "exported_program").dump();
  Program program = open_program(MemorySource(text), "exported_program");
  FakeTensorMode mode;
  mode.attach_shape_env(program.shape_env);
  make_values(program, mode);
  ValueWriter writer;
  json.field("graph", graph_text(program.graph()));
  json.field("readable", readable_text(program.graph()));
  {
    const auto signature = json.object("signature");
    write_inputs(json, program);
    write_outputs(json, program, writer);
  }
  write_ranges(json, program);
  write_graph(json.key("nodes"), program.graph(), writer);
}

}  // namespace faketensor
