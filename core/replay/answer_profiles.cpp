#include "core/replay/answer_profiles.h"

#include <set>
#include <unordered_set>

#include "core/formats/json_fields.h"
#include "core/graph/graph_text.h"
#include "core/graph/retrace.h"
#include "core/graph/runtime_asserts.h"
#include "core/io/call_json.h"
#include "core/io/graph_json.h"
#include "core/io/profile_json.h"
#include "core/profiles/draft_export.h"
#include "core/profiles/fake_kernels.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

void answer_yaml(JsonWriter& json, const Json& question) {
  std::string text;
  try {
    text = generate_yaml_from_profiles(read_profiles(member(question, "profiles")));
  } catch (const Error& error) {
    return write_error_members(json, error);
  }
  json.field("yaml", text);
  try {
    const OpProfiles again = read_profiles_from_yaml(text);
    write_profiles(json.key("loads_back"), again);
  } catch (const Error& error) {
    const auto raised = json.object("load_raises");
    write_error_members(json, error);
  }
}

void answer_load(JsonWriter& json, const Json& question) {
  try {
    const OpProfiles profiles = read_profiles_from_yaml(text_member(question, "text"));
    write_profiles(json.key("profiles"), profiles);
  } catch (const Error& error) {
    write_error_members(json, error);
  }
}

// The fakes and kernels that a question names: made like the first tensor, or [2, 3].
FakeImpl named_fake(std::string_view name) {
  const bool is_like = name == "empty_like";
  if (!is_like && name != "new_empty_2_3")
    throw_error(ErrorKind::kUnreadable, format("a fake named {}", name));
  return [is_like](FakeCall& call) -> Value {
    for (const Value& arg : call.args()) {
      if (!arg.is_tensor()) continue;
      const Tensor& like = arg.tensor();
      return is_like ? call.empty_like(like)
                     : call.empty_on(like.device(), DimVector{2, 3}, like.dtype());
    }
    return call.empty_on(Device{}, DimVector{2, 3}, DType::kFloat32);
  };
}

// One scenario: a mode, its library, and the scopes that are open.
class Scenario {
 public:
  explicit Scenario(const Json& options) : reader_(mode_) {
    if (bool_member(options, "shape_env", true)) mode_.attach_shape_env(nullptr);
    mode_.context().grad_enabled = true;
  }

  void step(JsonWriter& json, const Json& step) {
    const std::string kind = text_member(step, "do");
    const auto answer = json.object();
    try {
      if (kind == "define") {
        define(step);
      } else if (kind == "enter") {
        enter(json, read_profiles(member(step, "profiles")));
      } else if (kind == "exit") {
        if (!scopes_.empty()) scopes_.pop_back();
      } else {
        call(json, step);
      }
    } catch (const Error& error) {
      write_error_members(json, error);
    }
  }

 private:
  void define(const Json& step) {
    const std::string op = text_member(step, "op");
    const std::string via = text_member(step, "via", "library");
    Library& library = mode_.library();
    OperatorTraits traits;
    if (via == "custom_op") traits.custom_op_function = "real";
    library.define(op, text_member(step, "schema"), std::move(traits));
    const std::string kernel = text_member(step, "kernel", "");
    if (via == "library_explicit")
      library.register_kernel(op, named_fake(kernel.empty() ? "empty_like" : kernel));
    const std::string fake = text_member(step, "fake", "none");
    if (fake != "none") library.register_fake(op, named_fake(fake));
  }

  void enter(JsonWriter& json, const OpProfiles& profiles) {
    const auto warnings = json.array("warnings");
    scopes_.emplace_back(mode_.library(), profiles,
                         [&](const std::string& line) { json.value(line); });
  }

  void call(JsonWriter& json, const Json& step) {
    const std::string name = text_member(step, "op");
    const OpId op = mode_.library().find(name);
    if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, name);
    const std::vector<Value> args =
        bind_arguments(mode_.library().entry(op).schema, list_member_or_empty(step, "args"),
                       object_member_or_empty(step, "kwargs"), reader_, &writer_);
    for (const Value& arg : args) collect(arg);
    const size_t seen = symbols_.size();
    const Value result = mode_.context().call(op, args);
    writer_.write(json.key("out"), result);
    bind(step, result);
    collect(result);
    if (symbols_.size() > seen) write_symbols(json, seen);
  }

  // Gives the tensors of a result the numbers by which later steps name them.
  void bind(const Json& step, const Value& result) {
    if (find_member(step, "binds") == nullptr) return;
    const Json& numbers = list_member(step, "binds");
    size_t at = 0;
    const auto bind_one = [&](const Value& value) {
      if (value.is_tensor() && at < numbers.size())
        reader_.name_tensor(integer_of(numbers[at++], "binds"), &value.tensor());
    };
    bind_one(result);
    for (size_t i = 0; result.is_list() && i < result.size(); ++i) bind_one(result[i]);
  }

  void collect(SymInt size) {
    if (!size.is_symbolic()) return;
    for (const ExprNode* symbol : free_symbols(size.node())) {
      if (seen_.insert(symbol).second) symbols_.push_back(symbol);
    }
  }
  void collect(const Value& value) {
    if (value.is_tensor()) {
      for (const SymInt size : value.tensor().sizes()) collect(size);
    }
    for (size_t i = 0; value.is(Value::Tag::kList) && i < value.size(); ++i) {
      if (value[i].is_tensor()) collect(value[i]);
    }
  }

  // {"u0":["0","int_oo"]}
  void write_symbols(JsonWriter& json, size_t first) {
    const auto symbols = json.object("new_symbols");
    for (size_t i = first; i < symbols_.size(); ++i) {
      const ValueRange range = mode_.context().shape_env()->range(symbols_[i]);
      const std::string ends[] = {to_string(range.lower), to_string(range.upper)};
      json.field(to_string(symbols_[i]), std::span(ends));
    }
  }

  FakeTensorMode mode_;
  ValueReader reader_;
  ValueWriter writer_;
  std::vector<GeneratedFakes> scopes_;
  std::vector<const ExprNode*> symbols_;
  std::unordered_set<const ExprNode*> seen_;
};

void answer_kernels(JsonWriter& json, const Json& question) {
  Scenario scenario(object_member_or_empty(question, "mode"));
  const auto steps = json.array("steps");
  for (const Json& step : list_member(question, "steps")) scenario.step(json, step);
}

void write_graph_text(JsonWriter& json, std::string_view name, const Graph& graph) {
  const auto object = json.object(name);
  json.field("graph", graph_text(graph));
}

// A graph that draft_export traced: the profiles of its operators, the graph with their guards, and
// what running it again under those profiles gives.
void answer_draft(JsonWriter& json, const Json& question, const Json& header) {
  FakeTensorMode mode;
  mode.attach_shape_env(nullptr);
  ShapeEnv& env = *mode.context().shape_env();
  for (const Json& schema : list_member_or_empty(header, "schemas"))
    mode.library().define(text_of(schema, "schemas"));
  ValueWriter writer;
  Program program = read_graph(member(question, "graph"), mode, writer);
  Graph& graph = program.graph();
  std::set<std::string> ops;
  for (const Json& op : list_member(question, "ops_to_guard"))
    ops.insert(text_of(op, "ops_to_guard"));
  const OpProfiles profiles = get_op_profiles(graph, ops);
  write_profiles(json.key("profiles"), profiles);
  insert_custom_op_guards(graph, ops);
  write_graph_text(json, "guarded", graph);
  write_graph(json.key("guarded_graph"), graph, writer);
  try {
    learn_from_asserts(graph, env);
    const GeneratedFakes scope(mode.library(), profiles);
    const Program decomposed = retrace(graph, mode);
    write_graph_text(json, "decomposed", decomposed.graph());
  } catch (const Error& error) {
    const auto raised = json.object("decompose_raises");
    write_error_members(json, error);
  }
}

}  // namespace

bool answer_profiles(JsonWriter& json, std::string_view kind, const Json& question,
                     const Json& header) {
  const auto answer = kind == "profiles/yaml"      ? answer_yaml
                      : kind == "profiles/load"    ? answer_load
                      : kind == "profiles/kernels" ? answer_kernels
                                                   : nullptr;
  if (answer == nullptr && kind != "profiles/draft") return false;
  const auto object = json.object();
  json.field("id", text_member(question, "id"));
  if (answer != nullptr) {
    answer(json, question);
  } else {
    answer_draft(json, question, header);
  }
  return true;
}

}  // namespace faketensor
