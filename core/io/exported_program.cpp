#include "core/io/exported_program.h"

#include "core/formats/copy_json.h"
#include "core/graph/verifier.h"
#include "core/io/graph_reader.h"
#include "core/io/program_places.h"
#include "core/io/serialized_values.h"
#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {
namespace {

// Of PyTorch 2.3 and 2.4 (5), 2.5 (7), and 2.6 and later (8). What was written otherwise is told
// apart where it is read, by its form: a file states its version last.
constexpr int64_t kOldestSchema = 5;
constexpr int64_t kNewestSchema = 8;

// Walks the document and hands its parts to the readers of this file and to the GraphReader.
//
// An unknown schema version explains every other error, but stands at the end of the file. So the
// first error is kept, the rest of the document only looked at for its version, and the more
// telling of the two thrown at the end.
class ProgramSink final : public JsonSink {
 public:
  ProgramSink(Program& program, const ReadLimits& limits)
      : program_(program), state_(program, limits), graph_(state_, program.graph()) {}

  uint64_t memory() const override { return state_.memory(); }

  bool enter(std::string_view name, JsonKind kind, uint32_t position) override {
    const Place next = place_inside(place(), name, kind);
    const bool is_second =
        (next == Place::kGraph && has_graph_) || (next == Place::kSignature && has_signature_);
    if (next == Place::kOutside || is_second) return false;
    if (next == Place::kGraph) graph_position_ = position;
    if (next == Place::kNodes) graph_.begin_nodes();
    path_.push_back(next);
    return true;
  }

  void leave() override {
    if (path_.back() == Place::kGraph) has_graph_ = true;
    if (path_.back() == Place::kSignature) has_signature_ = true;
    path_.pop_back();
  }

  void value(std::string_view name, JsonValue value) override {
    if (!first_error_.empty()) {
      if (path_.size() == 1 && name == "schema_version") read_schema_version(value);
      return;
    }
    try {
      read_part(name, value);
    } catch (const Error& error) {
      // A limit is a limit whatever the version.
      if (error.kind() == ErrorKind::kLimitExceeded) throw;
      first_error_ = error.message();
    }
  }

  void finish() {
    if (has_version_ &&
        (program_.schema_major < kOldestSchema || program_.schema_major > kNewestSchema)) {
      throw_error(
          ErrorKind::kUnreadable,
          format("schema version {}.{} is not supported: this reads versions {} to {}, of "
                 "PyTorch 2.3 to 2.14",
                 program_.schema_major, program_.schema_minor, kOldestSchema, kNewestSchema));
    }
    if (!first_error_.empty()) throw_error(ErrorKind::kUnreadable, first_error_);
    if (!has_graph_)
      throw_error(ErrorKind::kUnreadable,
                  "no exported program: the member \"graph_module\" with its \"graph\" is missing");
    if (!has_version_)
      throw_error(ErrorKind::kUnreadable,
                  "no exported program: its member \"schema_version\" is missing");
    if (!has_signature_)
      throw_error(ErrorKind::kUnreadable,
                  "no exported program: the member \"signature\" of its graph module is missing");
    name_constant_inputs();
    graph_.finish(graph_position_);
    state_.symbols.finish();
    verify(program_);
    check_signature();
    build_module_tree(program_);
  }

 private:
  using Place = ProgramPlace;

  struct ReadInputSpec {
    InputSpec spec;
    StringId arg = 0;  // 0: a constant without a name
    uint32_t position = 0;
  };

  Place place() const { return path_.empty() ? Place::kOutside : path_.back(); }

  void read_part(std::string_view name, JsonValue value) {
    switch (place()) {
      case Place::kOutside:
        value.members();  // the document is no object: says so
        break;
      case Place::kProgram:
        read_program_member(name, value);
        break;
      case Place::kGraphModule:
        read_graph_module_member(name, value);
        break;
      case Place::kGraph:
        graph_.read_member(name, value);
        break;
      case Place::kNodes:
        graph_.read_node(value);
        break;
      case Place::kTensorValues:
        graph_.read_tensor_value(name, value);
        break;
      case Place::kSignature:
        if (name == "input_specs" || name == "output_specs") value.items();  // no array: says so
        break;
      case Place::kInputSpecs:
        read_input_spec(value);
        break;
      case Place::kOutputSpecs:
        read_output_spec(value);
        break;
      case Place::kCallGraph:
        read_module_call(value);
        break;
    }
  }

  void read_program_member(std::string_view name, JsonValue value) {
    if (name == "schema_version") {
      read_schema_version(value);
    } else if (name == "range_constraints") {
      state_.symbols.read_ranges(value);
    } else if (name == "torch_version") {
      program_.torch_version = value.string();
    } else if (name == "graph_module") {
      value.members();  // no object: says so
    }
  }

  void read_graph_module_member(std::string_view name, JsonValue value) {
    if (name == "graph" || name == "signature") {
      value.members();  // no object: says so
      throw_at(value.position(), format("a second member named \"{}\"", name));
    }
    if (name == "module_call_graph") value.items();  // no array: says so
  }

  void read_schema_version(JsonValue value) {
    if (value.is(JsonKind::kInteger)) {  // until PyTorch 2.2
      program_.schema_major = version_number(value);
    } else {
      JsonFields fields(value);
      program_.schema_major = version_number(fields.required("major"));
      program_.schema_minor = version_number(fields.required("minor"));
    }
    has_version_ = true;
  }
  static int version_number(JsonValue value) {
    constexpr int64_t kLargest = 1'000'000;
    if (value.integer() < 0 || value.integer() > kLargest) {
      throw_at(value.position(), format("a schema version of {}", value.integer()));
    }
    return static_cast<int>(value.integer());
  }

  // InputSpec.
  void read_input_spec(JsonValue value) {
    using Kind = InputSpec::Kind;
    const JsonMember member = union_member(value);
    JsonFields fields(member.value);
    ReadInputSpec read;
    read.position = value.position();
    const auto target = [&](Kind kind, std::string_view field) {
      read.spec.kind = kind;
      read.arg = intern(JsonFields(fields.required("arg")).required("name"));
      if (!field.empty()) read.spec.target = intern(fields.required(field));
    };
    if (member.name == "parameter") {
      target(Kind::kParameter, "parameter_name");
    } else if (member.name == "buffer") {
      target(Kind::kBuffer, "buffer_name");
      const JsonValue persistent = fields.optional("persistent");
      read.spec.persistent = persistent.is_null() || persistent.boolean();
    } else if (member.name == "tensor_constant") {
      target(Kind::kConstant, "tensor_constant_name");
    } else if (member.name == "custom_obj") {
      target(Kind::kCustomObject, "custom_obj_name");
    } else if (member.name == "token") {
      target(Kind::kToken, {});
    } else if (member.name == "constant_input") {
      read.arg = intern(fields.required("name"));
    } else if (member.name == "user_input") {
      read.arg = argument_name(fields.required("arg"));
    } else {
      throw_at(value.position(), format("an input of unknown kind \"{}\"", member.name));
    }
    input_specs_.push_back(read);
  }

  // OutputSpec.
  void read_output_spec(JsonValue value) {
    using Kind = OutputSpec::Kind;
    struct Row {
      std::string_view name;
      Kind kind;
      std::string_view target;
    };
    static constexpr Row kRows[] = {
        {"user_output", Kind::kUser, {}},
        {"loss_output", Kind::kLoss, {}},
        {"buffer_mutation", Kind::kBufferMutation, "buffer_name"},
        {"parameter_mutation", Kind::kParameterMutation, "parameter_name"},
        {"user_input_mutation", Kind::kUserInputMutation, "user_input_name"},
        {"gradient_to_parameter", Kind::kGradientToParameter, "parameter_name"},
        {"gradient_to_user_input", Kind::kGradientToUserInput, "user_input_name"},
        {"token", Kind::kToken, {}},
    };
    const JsonMember member = union_member(value);
    for (const Row& row : kRows) {
      if (row.name != member.name) continue;
      JsonFields fields(member.value);
      OutputSpec spec;
      spec.kind = row.kind;
      if (!row.target.empty()) spec.target = intern(fields.required(row.target));
      program_.outputs.push_back(spec);
      return;
    }
    throw_at(value.position(), format("an output of unknown kind \"{}\"", member.name));
  }

  // ModuleCallEntry.
  void read_module_call(JsonValue value) {
    JsonFields fields(value);
    const StringId path = intern(fields.required("fqn"));
    const JsonValue signature = fields.optional("signature");
    StringId kept = 0;
    if (!signature.is_null() && !program_.text(path).empty()) {
      std::string text;
      JsonWriter json(text);
      copy_json(json, signature);
      kept = state_.intern(text);
    }
    program_.module_call_graph.emplace_back(path, kept);
  }

  StringId intern(JsonValue text) { return state_.intern(text.string()); }

  // The name in a user input's Argument; 0 for a constant.
  StringId argument_name(JsonValue argument) {
    const JsonMember member = union_member(argument);
    if (!member.value.is(JsonKind::kObject)) return 0;
    JsonFields fields(member.value);
    const JsonValue name = fields.optional("name");
    if (!name.is_null()) return intern(name);
    const JsonValue symbolic = fields.optional("as_name");
    return symbolic.is_null() ? 0 : intern(symbolic);
  }

  // A constant among the inputs has its name in the signature only.
  void name_constant_inputs() {
    const Graph& graph = program_.graph();
    size_t i = 0;
    for (NodeId id = graph.first(); id != kNoNode && i < input_specs_.size(); id = graph.next(id)) {
      if (graph.node(id).kind != NodeKind::kPlaceholder) return;
      if (graph.node(id).name == 0) graph_.name_placeholder(id, input_specs_[i].arg);
      ++i;
    }
  }

  void check_signature() {
    const Plan& plan = program_.plan();
    const size_t inputs = plan.input_count();
    if (input_specs_.size() != inputs) {
      throw_error(ErrorKind::kUnreadable, format("the signature lists {} inputs, the graph has {}",
                                                 input_specs_.size(), inputs));
    }
    for (size_t i = 0; i < inputs; ++i) {
      const Node& node = plan.node(static_cast<Row>(i));
      const ReadInputSpec& read = input_specs_[i];
      if (read.arg != 0 && read.arg != node.name) {
        throw_at(read.position, format("input {} is '{}' in the signature and '{}' in the graph", i,
                                       program_.text(read.arg), program_.text(node.name)));
      }
      program_.inputs.push_back(read.spec);
    }
    const Value& results = plan.rows().back().args[0];
    const size_t outputs = results.is_list() ? results.size() : 1;
    if (program_.outputs.size() != outputs) {
      throw_error(ErrorKind::kUnreadable, format("the signature lists {} outputs, the graph has {}",
                                                 program_.outputs.size(), outputs));
    }
  }

  Program& program_;
  ReadState state_;
  GraphReader graph_;
  std::vector<Place> path_;
  std::vector<ReadInputSpec> input_specs_;
  uint32_t graph_position_ = 0;
  bool has_graph_ = false;
  bool has_signature_ = false;
  bool has_version_ = false;
  std::string first_error_;
};

}  // namespace

void read_exported_program(std::string& text, Program& program, const ReadLimits& limits) {
  // Texts of expressions are kept apart, so the document's own counts to the end only.
  const ReadLimits beside = limits.holding(text.size());
  ProgramSink sink(program, beside);
  read_json(text, sink, limits);
  sink.finish();
}

}  // namespace faketensor
