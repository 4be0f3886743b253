#include "core/replay/pass_questions.h"

#include <map>
#include <set>
#include <unordered_map>

#include "core/formats/json_fields.h"
#include "core/graph/runtime_asserts.h"
#include "core/io/graph_json.h"
#include "core/io/open.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// "s77", "u0"
bool is_symbol(const std::string& text) {
  return text.size() > 1 && (text[0] == 's' || text[0] == 'u') &&
         text.find_first_not_of("0123456789", 1) == std::string::npos;
}

RangeEnd range_end(const Json& end) {
  const std::string& text = text_of(end, "range_constraints");
  if (text == "int_oo") return kIntInfinity;
  if (text == "-int_oo") return kMinusIntInfinity;
  return static_cast<int64_t>(std::stoll(text));
}

// The symbols that sizes and numbers of values name.
void collect_symbols(const Json& json, std::set<std::string>& symbols) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    for (size_t at = 0; at < text.size();) {
      size_t end = at;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
      if (is_symbol(text.substr(at, end - at))) symbols.insert(text.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  } else if (json.is_structured()) {
    for (const Json& element : json) collect_symbols(element, symbols);
  }
}

// What the example's inputs were where placeholders have symbols.
void collect_hints(const Json& recorded, const Json& real, std::map<std::string, int64_t>& hints) {
  if (recorded.is_string() && real.is_number_integer()) {
    if (is_symbol(recorded.get<std::string>()))
      hints.emplace(recorded.get<std::string>(), real.get<int64_t>());
    return;
  }
  if (const Json* size = find_member(recorded, "size")) {
    const Json& known = list_member_or_empty(real, "size");
    for (size_t i = 0; i < size->size() && i < known.size(); ++i)
      collect_hints((*size)[i], known[i], hints);
  } else if (const Json* symbol = find_member(recorded, "sym")) {
    collect_hints(*symbol, real, hints);
  }
}

}  // namespace

RecordedProgram::RecordedProgram(const Json& program, bool may_be_wrong)
    : values_(mode_), real_values_(mode_) {
  mode_.attach_shape_env(nullptr);
  mode_.context().grad_enabled = true;
  make_symbols(program);
  ShapeEnv& env = *mode_.context().shape_env();
  const GraphJsonOptions options{.may_be_wrong = may_be_wrong};
  read_graph_into(program_, program_.graph(), member(program, "nodes"), values_, &env,
                  mode_.library(), writer_, options);
  if (!may_be_wrong) learn_from_asserts(program_.graph(), env);
  read_inputs(list_member_or_empty(program, "inputs"));
  read_signature(object_member_or_empty(program, "signature"));
}

// {"inputs": [[kind, name, target, persistent], ...], "outputs": [[kind, name, target], ...]}
void RecordedProgram::read_signature(const Json& signature) {
  const std::map<std::string, InputSpec::Kind> input_kinds = {
      {"USER_INPUT", InputSpec::Kind::kUser},
      {"PARAMETER", InputSpec::Kind::kParameter},
      {"BUFFER", InputSpec::Kind::kBuffer},
      {"CONSTANT_TENSOR", InputSpec::Kind::kConstant},
      {"CUSTOM_OBJ", InputSpec::Kind::kCustomObject},
      {"TOKEN", InputSpec::Kind::kToken}};
  const std::map<std::string, OutputSpec::Kind> output_kinds = {
      {"USER_OUTPUT", OutputSpec::Kind::kUser},
      {"LOSS_OUTPUT", OutputSpec::Kind::kLoss},
      {"BUFFER_MUTATION", OutputSpec::Kind::kBufferMutation},
      {"PARAMETER_MUTATION", OutputSpec::Kind::kParameterMutation},
      {"USER_INPUT_MUTATION", OutputSpec::Kind::kUserInputMutation},
      {"GRADIENT_TO_PARAMETER", OutputSpec::Kind::kGradientToParameter},
      {"GRADIENT_TO_USER_INPUT", OutputSpec::Kind::kGradientToUserInput},
      {"TOKEN", OutputSpec::Kind::kToken}};
  const auto read = [&](const Json& row, const auto& kinds, auto& spec) {
    const auto kind = kinds.find(text_of(element(row, 0, "signature"), "signature"));
    if (kind == kinds.end())
      throw_error(ErrorKind::kUnreadable, format("no kind of input or output: {}", row.dump()));
    spec.kind = kind->second;
    const Json& target = element(row, 2, "signature");
    if (target.is_string()) spec.target = program_.strings().intern(target.get<std::string>());
  };
  const Json& inputs = list_member_or_empty(signature, "inputs");
  for (size_t i = 0; i < inputs.size() && i < program_.inputs.size(); ++i)
    read(inputs[i], input_kinds, program_.inputs[i]);
  for (const Json& row : list_member_or_empty(signature, "outputs"))
    read(row, output_kinds, program_.outputs.emplace_back());
}

void RecordedProgram::read_module_stacks(const Json& program) {
  const std::string text = member(program, "exported_program").dump();
  const Program exported = open_program(MemorySource(text), "exported_program");
  const Graph& from = exported.graph();
  std::unordered_map<std::string_view, NodeId> nodes;
  for (NodeId id = from.first(); id != kNoNode; id = from.next(id))
    nodes.emplace(from.name_of(id), id);
  Graph& graph = program_.graph();
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const auto found = nodes.find(graph.name_of(id));
    if (found == nodes.end()) continue;
    const std::string_view stack = from.text(from.node(found->second).module_stack);
    if (!stack.empty()) graph.meta(id).module_stack = program_.strings().intern(stack);
  }
  program_.module_call_graph.clear();
  for (const auto& [call, signature] : exported.module_call_graph)
    program_.module_call_graph.emplace_back(
        program_.strings().intern(exported.text(call)),
        signature == 0 ? 0 : program_.strings().intern(exported.text(signature)));
}

void RecordedProgram::make_symbols(const Json& program) {
  ShapeEnv& env = *mode_.context().shape_env();
  const Json& nodes = list_member(member(program, "nodes"), "nodes");
  const Json& inputs = list_member_or_empty(program, "inputs");
  std::set<std::string> symbols;
  std::map<std::string, int64_t> hints;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Json* val = find_member(nodes[i], "val");
    if (val == nullptr) continue;
    collect_symbols(*val, symbols);
    const Json* real = i < inputs.size() ? find_member(inputs[i], "value") : nullptr;
    if (real != nullptr) collect_hints(*val, *real, hints);
  }
  const Json& ranges = object_member_or_empty(program, "range_constraints");
  const auto range_of = [&](const std::string& symbol) {
    const Json* ends = find_member(ranges, symbol);
    if (ends == nullptr || ends->size() != 2) return ValueRange::ints(0, kIntInfinity);
    return ValueRange::ints(range_end((*ends)[0]), range_end((*ends)[1]));
  };
  int64_t unbacked = 0;
  for (const std::string& symbol : symbols) {
    if (symbol[0] == 'u') {
      unbacked = std::max(unbacked, int64_t{std::stoll(symbol.substr(1))} + 1);
    } else {
      const auto hint = hints.find(symbol);
      env.create_backed(symbol, hint == hints.end() ? 2 : hint->second, range_of(symbol));
    }
  }
  for (int64_t i = 0; i < unbacked; ++i) {
    const SymInt made = env.create_unbacked_int();
    const std::string name = format("u{}", i);
    if (find_member(ranges, name) == nullptr) continue;
    const ValueRange range = range_of(name);
    env.constrain_range(made, range.lower, range.upper);
  }
  env.take_pending_unbacked();
}

void RecordedProgram::read_inputs(const Json& inputs) {
  for (const Json& input : inputs) {
    const Json* target = find_member(input, "target");
    inputs_.push_back({real_values_.read(member(input, "value")),
                       target != nullptr && target->is_string() ? target->get<std::string>() : ""});
  }
}

// --- parameters ---

namespace {

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& element : list) texts.push_back(text_of(element, "params"));
  return texts;
}

StepOperand read_operand(const Json& json, ValueReader& values) {
  StepOperand operand;
  if (const Json* argument = find_member(json, "arg")) {
    operand.kind = StepOperand::Kind::kArgument;
    operand.argument = static_cast<size_t>(integer_of(*argument, "arg"));
  } else if (const Json* step = find_member(json, "let")) {
    operand.kind = StepOperand::Kind::kStep;
    operand.step = text_of(*step, "let");
  } else {
    operand.constant = values.read(json);
  }
  return operand;
}

// [name, operator, operands, {"if_arg": 2}]
ExpansionStep read_step(const Json& json, ValueReader& values) {
  ExpansionStep step;
  step.name = text_of(element(json, 0, "expand"), "expand");
  step.op = text_of(element(json, 1, "expand"), "expand");
  for (const Json& operand : list_of(element(json, 2, "expand"), "expand"))
    step.operands.push_back(read_operand(operand, values));
  if (json.size() > 3)
    step.if_argument = static_cast<size_t>(integer_of(member(json[3], "if_arg"), "if_arg"));
  return step;
}

OperatorRules read_rules(const Json& params, FakeTensorMode& mode) {
  ValueReader values(mode);
  OperatorRules rules;
  for (const auto& [op, by] : object_member_or_empty(params, "replace").items())
    rules.replace[op] = text_of(by, "replace");
  if (const Json* after = find_member(params, "insert_after")) {
    rules.after = texts_of(list_member(*after, "ops"));
    rules.after_op = text_member(*after, "op");
  }
  if (const Json* before = find_member(params, "insert_before")) {
    rules.before = texts_of(list_member(*before, "ops"));
    rules.before_argument = static_cast<size_t>(integer_member(*before, "arg", 0));
    rules.before_op = text_member(*before, "op");
  }
  rules.drop = texts_of(list_member_or_empty(params, "drop"));
  rules.kept_argument = static_cast<size_t>(integer_member(params, "keep_arg", 0));
  for (const auto& [op, steps] : object_member_or_empty(params, "expand").items()) {
    for (const Json& step : steps) rules.expand[op].push_back(read_step(step, values));
  }
  rules.placeholder_suffix = text_member(params, "placeholder_suffix", "");
  if (const Json* after = find_member(params, "after_placeholder")) {
    rules.placeholder_dtype = parse_dtype(text_member(*after, "dtype"));
    rules.placeholder_op = text_member(*after, "op");
    for (const auto& [keyword, value] : object_member_or_empty(*after, "kwargs").items())
      rules.placeholder_keywords.emplace_back(keyword, values.read(value));
  }
  if (const Json* before = find_member(params, "before_output")) {
    rules.output_op = text_member(*before, "op");
    for (const Json& operand : list_member_or_empty(*before, "args"))
      rules.output_operands.push_back(values.read(operand));
  }
  return rules;
}

// [[name, operator, operands], ...] as FX text; a text among the operands names an input or an
// earlier step. Nodes are called after their operators.
std::string pattern_text(const Json& inputs, const Json& steps) {
  std::string text = "graph():\n";
  Namespace names;
  std::map<std::string, std::string> named;
  for (const Json& input : inputs) {
    const std::string name = names.take(text_of(input, "inputs"));
    named[text_of(input, "inputs")] = name;
    text += format("%{} : = placeholder[target={}]\n", name, name);
  }
  std::string last;
  for (const Json& step : steps) {
    const std::string target = "torch.ops." + text_of(element(step, 1, "pattern"), "pattern");
    last = names.take(name_of_target(target));
    std::string operands;
    for (const Json& operand : list_of(element(step, 2, "pattern"), "pattern")) {
      const bool is_name = operand.is_string() && named.count(operand.get<std::string>()) != 0;
      operands += (operands.empty() ? "" : ", ") +
                  (is_name ? "%" + named[operand.get<std::string>()] : operand.dump());
    }
    text += format("%{} : = call_function[target={}](args = ({},), kwargs = {})\n", last, target,
                   operands, "{}");
    named[text_of(element(step, 0, "pattern"), "pattern")] = last;
  }
  return text + format("return ({},)\n", last);
}

}  // namespace

PassOptions read_pass_options(const Json& params, FakeTensorMode& mode) {
  PassOptions options;
  options.rules = read_rules(params, mode);
  options.operators = texts_of(list_member_or_empty(params, "ops"));
  options.allows_single_node_partition = bool_member(params, "allows_single_node_partition", false);
  options.skip_horizontal_fusion = bool_member(params, "skip_horizontal_fusion", false);
  options.group_size =
      integer_member(params, "nodes_per_tag", integer_member(params, "nodes_per_part", 2));
  if (find_member(params, "pattern") != nullptr) {
    const Json& inputs = list_member(params, "inputs");
    options.pattern = {pattern_text(inputs, list_member(params, "pattern")),
                       pattern_text(inputs, list_member(params, "replacement"))};
  }
  if (const std::string device = text_member(params, "device", ""); !device.empty())
    options.device = parse_device(device);
  options.grad_enabled = bool_member(params, "grad_enabled", true);
  options.on_module = text_member(params, "on", "") == "module";
  if (const Json* own = find_member(params, "mode")) {
    options.uses_own_mode = own->is_string();
    options.has_shape_env = own->is_object() && bool_member(*own, "shape_env", false);
  }
  // A list of operators is a table, the name of PyTorch's own the default.
  if (const Json* table = find_member(params, "table"); table != nullptr) {
    options.operators = {table->is_array() ? "none" : text_of(*table, "table")};
    if (table->is_array()) {
      for (const std::string& op : texts_of(*table)) options.operators.push_back(op);
    }
  }
  options.passes = texts_of(list_member_or_empty(params, "passes"));
  options.steps = integer_member(params, "steps", 1);
  return options;
}

}  // namespace faketensor
