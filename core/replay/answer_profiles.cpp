#include "core/replay/answer_profiles.h"

#include <set>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/graph/retrace.h"
#include "core/graph/runtime_asserts.h"
#include "core/io/call_json.h"
#include "core/io/profile_json.h"
#include "core/profiles/draft_export.h"
#include "core/profiles/fake_kernels.h"
#include "core/replay/fx_graph_json.h"
#include "core/support/format.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

using nlohmann::json;

void append_error(std::string& out, const Error& error) {
  out.append("\"raises\":\"").append(error.class_name()).append("\",\"message\":");
  append_json_string(out, error.message());
}

void answer_yaml(std::string& out, const json& question) {
  std::string text;
  try {
    text = generate_yaml_from_profiles(read_profiles(member(question, "profiles")));
  } catch (const Error& error) {
    return append_error(out, error);
  }
  out += "\"yaml\":";
  append_json_string(out, text);
  try {
    const OpProfiles again = read_profiles_from_yaml(text);
    out += ",\"loads_back\":";
    append_profiles(out, again);
  } catch (const Error& error) {
    out += ",\"load_raises\":{";
    append_error(out, error);
    out += '}';
  }
}

void answer_load(std::string& out, const json& question) {
  try {
    const OpProfiles profiles = read_profiles_from_yaml(text_member(question, "text"));
    out += "\"profiles\":";
    append_profiles(out, profiles);
  } catch (const Error& error) {
    append_error(out, error);
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
  explicit Scenario(const json& options) : reader_(mode_) {
    if (bool_member(options, "shape_env", true)) mode_.attach_shape_env(nullptr);
    mode_.context().grad_enabled = true;
  }

  void step(std::string& out, const json& step) {
    const std::string kind = text_member(step, "do");
    out += '{';
    try {
      if (kind == "define") {
        define(step);
      } else if (kind == "enter") {
        enter(out, read_profiles(member(step, "profiles")));
      } else if (kind == "exit") {
        if (!scopes_.empty()) scopes_.pop_back();
      } else {
        call(out, step);
      }
    } catch (const Error& error) {
      if (out.back() != '{') out += ',';
      append_error(out, error);
    }
    out += '}';
  }

 private:
  void define(const json& step) {
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

  void enter(std::string& out, const OpProfiles& profiles) {
    std::vector<std::string> warnings;
    const auto append_warnings = [&] {
      out += "\"warnings\":[";
      for (size_t i = 0; i < warnings.size(); ++i) {
        if (i > 0) out += ',';
        append_json_string(out, warnings[i]);
      }
      out += ']';
    };
    try {
      scopes_.emplace_back(mode_.library(), profiles,
                           [&](const std::string& line) { warnings.push_back(line); });
    } catch (const Error&) {
      append_warnings();
      throw;
    }
    append_warnings();
  }

  void call(std::string& out, const json& step) {
    const std::string name = text_member(step, "op");
    const OpId op = mode_.library().find(name);
    if (op == kNoOp) throw_error(ErrorKind::kUnsupportedOperator, name);
    const std::vector<Value> args =
        bind_arguments(mode_.library().entry(op).schema, list_member_or_empty(step, "args"),
                       object_member_or_empty(step, "kwargs"), reader_, &writer_);
    for (const Value& arg : args) collect(arg);
    const size_t seen = symbols_.size();
    const Value result = mode_.context().call(op, args);
    out += "\"out\":";
    writer_.append(out, result);
    bind(step, result);
    collect(result);
    if (symbols_.size() > seen) append_symbols(out, seen);
  }

  // Gives the tensors of a result the numbers by which later steps name them.
  void bind(const json& step, const Value& result) {
    if (find_member(step, "binds") == nullptr) return;
    const json& numbers = list_member(step, "binds");
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

  void append_symbols(std::string& out, size_t first) {
    out += ",\"new_symbols\":{";
    for (size_t i = first; i < symbols_.size(); ++i) {
      if (i > first) out += ',';
      append_json_string(out, to_string(symbols_[i]));
      // "[0, int_oo]"
      std::string range = to_string(mode_.context().shape_env()->range(symbols_[i]));
      range = range.substr(1, range.size() - 2);
      const size_t comma = range.find(", ");
      out += format(":[\"{}\",\"{}\"]", range.substr(0, comma), range.substr(comma + 2));
    }
    out += '}';
  }

  FakeTensorMode mode_;
  ValueReader reader_;
  ValueWriter writer_;
  std::vector<GeneratedFakes> scopes_;
  std::vector<const ExprNode*> symbols_;
  std::unordered_set<const ExprNode*> seen_;
};

void answer_kernels(std::string& out, const json& question) {
  Scenario scenario(object_member_or_empty(question, "mode"));
  out += "\"steps\":[";
  bool is_first = true;
  for (const json& step : list_member(question, "steps")) {
    if (!is_first) out += ',';
    is_first = false;
    scenario.step(out, step);
  }
  out += ']';
}

void append_graph_text(std::string& out, std::string_view field, const FxGraph& graph) {
  out.append(",\"").append(field).append("\":{\"graph\":");
  append_json_string(out, graph.text());
  out += '}';
}

// A graph that draft_export traced: the profiles of its operators, the graph with their guards, and
// what running it again under those profiles gives.
void answer_draft(std::string& out, const json& question, const json& header) {
  FakeTensorMode mode;
  mode.attach_shape_env(nullptr);
  ShapeEnv& env = *mode.context().shape_env();
  for (const json& schema : list_member_or_empty(header, "schemas"))
    mode.library().define(text_of(schema, "schemas"));
  ValueWriter writer;
  FxGraph graph = read_fx_graph(member(question, "graph"), mode, writer);
  std::set<std::string> ops;
  for (const json& op : list_member(question, "ops_to_guard"))
    ops.insert(text_of(op, "ops_to_guard"));
  const OpProfiles profiles = get_op_profiles(graph, ops);
  out += "\"profiles\":";
  append_profiles(out, profiles);
  insert_custom_op_guards(graph, ops);
  append_graph_text(out, "guarded", graph);
  out += ",\"guarded_graph\":";
  append_fx_graph(out, graph, writer);
  try {
    learn_from_asserts(graph, env);
    const GeneratedFakes scope(mode.library(), profiles);
    append_graph_text(out, "decomposed", retrace(graph, mode));
  } catch (const Error& error) {
    out += ",\"decompose_raises\":{";
    append_error(out, error);
    out += '}';
  }
}

}  // namespace

bool answer_profiles(std::string& out, std::string_view kind, const json& question,
                     const json& header) {
  const auto answer = kind == "profiles/yaml"      ? answer_yaml
                      : kind == "profiles/load"    ? answer_load
                      : kind == "profiles/kernels" ? answer_kernels
                                                   : nullptr;
  if (answer == nullptr && kind != "profiles/draft") return false;
  out += "{\"id\":";
  append_json_string(out, text_member(question, "id"));
  out += ',';
  if (answer != nullptr) {
    answer(out, question);
  } else {
    answer_draft(out, question, header);
  }
  out += '}';
  return true;
}

}  // namespace faketensor
