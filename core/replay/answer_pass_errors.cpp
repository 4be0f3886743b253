#include "core/replay/answer_pass_errors.h"

#include <unordered_map>

#include "core/formats/json_fields.h"
#include "core/graph/graph_text.h"
#include "core/graph/lint.h"
#include "core/graph/readable.h"
#include "core/passes/export_pass.h"
#include "core/passes/fuse.h"
#include "core/passes/passes.h"
#include "core/passes/split.h"
#include "core/replay/pass_questions.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// One question: a call on the first of the graphs.
class PassCall {
 public:
  explicit PassCall(const Json& question)
      : question_(question),
        params_(object_member_or_empty(question, "params")),
        call_(text_member(question, "call")),
        recorded_(program_of(question), call_ == "lint"),
        subject_(recorded_.subject()),
        graph_(*subject_.graph) {
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id))
      ids_.emplace(std::string(graph_.name_of(id)), id);
  }

  void answer(JsonWriter& json) {
    if (call_ == "validate_partition") {
      json.field("out", validate_partition(graph_, nodes_named(list_member(params_, "nodes"))));
    } else if (call_ == "fake_tensor_prop") {
      ValueWriter writer;
      const Value out = propagate();
      writer.write(json.key("out"), out);
    } else {
      run();
      const auto out = json.object("out");
      json.field("graph", graph_text(*subject_.graph));
      json.field("readable", readable_text(*subject_.graph));
    }
  }

 private:
  static Json program_of(const Json& question) {
    Json program = Json::object();
    program["nodes"] = element(list_member(question, "graphs"), 0, "graphs");
    return program;
  }

  void run() {
    if (call_ == "lint") {
      lint(graph_);
    } else if (call_ == "erase_node") {
      graph_.erase(node_named(member(params_, "node")));
    } else if (call_ == "legalize_graph") {
      legalize_graph(subject_, {});
    } else if (call_ == "fuse_by_partitions") {
      std::vector<std::vector<NodeId>> parts;
      for (const Json& part : list_member(params_, "partitions"))
        parts.push_back(nodes_named(part));
      fuse_by_partitions(subject_.program, graph_, parts);
    } else if (call_ == "split_by_tags") {
      split();
    } else {
      run_export_pass();
    }
  }

  void split() {
    std::vector<std::string> tags;
    for (const Json& tag : list_member(params_, "tags")) tags.push_back(text_of(tag, "tags"));
    NodeTags node_tags;
    for (const auto& [name, tag] : object_member_or_empty(params_, "node_tags").items())
      node_tags.emplace(ids_.at(name), text_of(tag, "node_tags"));
    subject_.graph = &split_by_tags(subject_.program, graph_, tags, node_tags);
  }

  void run_export_pass() {
    if (!bool_member(params_, "init", true))
      throw_error(ErrorKind::kExportPassBase, "ExportPass is not initialized with __init__().");
    FakeTensorMode other;
    for (const Json& name : list_member_or_empty(params_, "of_another_mode")) {
      NodeMeta& meta = graph_.meta(node_named(name));
      if (meta.val.is_tensor()) meta.val = Value(other.from_meta(*meta.val.tensor().meta));
    }
    PassOptions options = read_pass_options(params_, subject_.mode);
    if (const Json* called = find_member(params_, "call_operator")) {
      for (const Json& operand : list_member(*called, "args"))
        options.rules.operands.push_back(operand_of(operand));
    }
    const PassRow* row = find_pass(call_);
    if (row == nullptr) throw_error(ErrorKind::kUsage, format("no pass is called '{}'", call_));
    row->run(subject_, options);
  }

  // {"arg": 0}, or a tensor in words: "a fake tensor ones(2, 3)".
  StepOperand operand_of(const Json& json) {
    StepOperand operand;
    if (const Json* argument = find_member(json, "arg")) {
      operand.kind = StepOperand::Kind::kArgument;
      operand.argument = static_cast<size_t>(integer_of(*argument, "arg"));
      return operand;
    }
    const std::string& words = text_of(json, "args");
    DimVector sizes;
    for (const char c : words.substr(words.find('(') + 1)) {
      if (c >= '0' && c <= '9') sizes.push_back(SymInt(int64_t{c - '0'}));
    }
    operand.constant = subject_.mode.empty(sizes, DType::kFloat32);
    return operand;
  }

  // FakeTensorProp on values that are another mode's or this one's.
  Value propagate() {
    Context& context = own_.context();
    context.grad_enabled = true;
    ValueReader reader(own_);
    Interpreter interpreter(context);
    const std::shared_ptr<const Plan> plan = graph_.plan();
    std::vector<Value> values(plan->size());
    for (Row row = 0; row < plan->size(); ++row) {
      try {
        values[row] = plan->row(row).kind == RowKind::kPlaceholder
                          ? reader.read(element(list_member(question_, "values"), row, "values"))
                          : interpreter.run_row(*plan, row, values);
      } catch (const Error& error) {
        throw_at_node(error, graph_, plan->row(row).id);
      }
    }
    return values.back();
  }

  NodeId node_named(const Json& name) const {
    const auto found = ids_.find(text_of(name, "node"));
    if (found == ids_.end())
      throw_error(ErrorKind::kUnreadable, format("no node is called {}", name.dump()));
    return found->second;
  }

  std::vector<NodeId> nodes_named(const Json& names) const {
    std::vector<NodeId> nodes;
    for (const Json& name : names) nodes.push_back(node_named(name));
    return nodes;
  }

  const Json& question_;
  const Json& params_;
  std::string call_;
  RecordedProgram recorded_;
  PassSubject subject_;
  Graph& graph_;
  std::unordered_map<std::string, NodeId> ids_;
  FakeTensorMode own_;  // in which fake_tensor_prop runs
};

// What a pass is given instead of a module.
[[noreturn]] void refuse_value(const Json& value) {
  const std::string_view type = value.is_number_integer() ? "int"
                                : value.is_number()       ? "float"
                                : value.is_string()       ? "str"
                                : value.is_null()         ? "NoneType"
                                                          : "list";
  throw_error(ErrorKind::kAttributeError, format("'{}' object has no attribute 'meta'", type));
}

}  // namespace

void answer_pass_error(JsonWriter& json, const Json& question) {
  if (find_member(question, "graphs") == nullptr || list_member(question, "graphs").empty())
    return json.field("unsupported", "a question without a graph");
  try {
    const Json& first = element(list_member(question, "graphs"), 0, "graphs");
    if (const Json* value = find_member(first, "value"); value != nullptr) refuse_value(*value);
    PassCall call(question);
    call.answer(json);
  } catch (const Error& error) {
    write_error_members(json, error);
  }
}

}  // namespace faketensor
