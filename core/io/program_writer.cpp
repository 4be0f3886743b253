#include "core/io/program_writer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_set>

#include "core/formats/copy_json.h"
#include "core/formats/json_events.h"
#include "core/io/graph_writer.h"
#include "core/io/program_places.h"
#include "core/io/serialized_values.h"
#include "core/ops/registry.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// What is written around a graph.
class Frame {
 public:
  Frame(JsonWriter& json, const Program& program, const Graph& graph)
      : json_(json),
        program_(program),
        graph_(graph),
        values_(program, program.shape_env.get()),
        writer_(json, graph, values_, notes_),
        output_(graph.last()) {
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      names_.emplace(graph.name_of(id));
      if (graph.node(id).kind == NodeKind::kPlaceholder) inputs_.push_back(id);
    }
    if (inputs_.size() != program.inputs.size())
      throw_error(ErrorKind::kUsage,
                  format("a graph of {} inputs is not written as a program of {}", inputs_.size(),
                         program.inputs.size()));
  }

  FileNotes& notes() { return notes_; }

  void write_graph() { writer_.write(GraphWriter::Role::kProgram); }

  // `was` is the file's, where there is one.
  void write_signature(const JsonValue* was) {
    if (was != nullptr) note_signature(*was);
    const auto signature = json_.object();
    {
      const auto specs = json_.array("input_specs");
      for (size_t i = 0; i < inputs_.size(); ++i) write_input_spec(program_.inputs[i], inputs_[i]);
    }
    const auto specs = json_.array("output_specs");
    for (size_t i = 0; i < program_.outputs.size(); ++i)
      write_output_spec(program_.outputs[i], result(i));
  }

  // With the file's ranges, as JSON, by the names of their symbols.
  void write_ranges(const std::map<std::string, std::string>& known) {
    const auto object = json_.object();
    for (const auto& [name, range] : known) json_.key(name).raw(range);
    for (const auto& [name, symbol] : values_.symbols())
      if (!known.contains(name)) values_.write_range(json_.key(name), symbol);
  }

  // See Note [Names in the module call graph].
  void write_module_calls(JsonValue was) {
    const auto calls = json_.array();
    for (const JsonValue entry : was.items()) {
      const auto object = json_.object();
      for (const JsonMember member : entry.members()) {
        json_.key(member.name);
        const bool is_signature = member.name == "signature" && !member.value.is_null();
        if (is_signature && !write_call_signature(member.value)) {
          json_.value(nullptr);
        } else if (!is_signature) {
          copy_json(json_, member.value);
        }
      }
    }
  }

  // Of a program without a file: one call, of all tensors by position.
  void write_own_module_calls() {
    size_t users = 0;
    for (const InputSpec& input : program_.inputs) users += input.kind == InputSpec::Kind::kUser;
    size_t results = 0;
    for (const OutputSpec& output : program_.outputs)
      results += output.kind == OutputSpec::Kind::kUser;
    const std::string empty_dict =
        R"({"type": "builtins.dict", "context": "[]", "children_spec": []})";
    const std::string inputs =
        format(R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [{}, {}]}])",
               tuple_spec(users), empty_dict);
    const auto calls = json_.array();
    const auto entry = json_.object();
    json_.field("fqn", "");
    const auto signature = json_.object("signature");
    { const auto none = json_.array("inputs"); }
    { const auto none = json_.array("outputs"); }
    json_.field("in_spec", inputs);
    // What was typed as `return y` returns a tensor and no tuple.
    const std::span<const Value> returned = graph_.node(output_).args;
    const bool is_bare = results == 1 && !returned.empty() && !returned[0].is_list();
    json_.field("out_spec", format("[1, {}]", is_bare ? std::string(kLeaf) : tuple_spec(results)));
    json_.field("forward_arg_names", nullptr);
  }

 private:
  static constexpr std::string_view kLeaf =
      R"({"type": null, "context": null, "children_spec": []})";

  static std::string tuple_spec(size_t count) {
    std::string children;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) children += ", ";
      children += kLeaf;
    }
    return R"({"type": "builtins.tuple", "context": "null", "children_spec": [)" + children + "]}";
  }

  Value result(size_t i) const {
    const std::span<const Value> args = graph_.node(output_).args;
    const Value results = args.empty() ? Value() : args[0];
    if (!results.is_list()) return results;
    if (results.size() != program_.outputs.size())
      throw_error(ErrorKind::kUsage,
                  format("a graph of {} outputs is not written as a program of {}", results.size(),
                         program_.outputs.size()));
    return results[i];
  }

  // The names that inputs and outputs had in the file, for what else goes by them; classes.
  void note_signature(JsonValue was) {
    size_t i = 0;
    const auto named = [&](JsonValue spec) {
      const JsonMember member = union_member(spec);
      JsonFields fields(member.value);
      const JsonValue arg = fields.optional("arg");
      JsonValue holder = arg.is_null() ? member.value : arg;
      if (member.name.starts_with("user_") && holder.size() == 1 &&
          member.name != "user_input_mutation")
        holder = union_member(holder).value;
      if (!holder.is(JsonKind::kObject)) return std::string();
      JsonFields inner(holder);
      const JsonValue class_name = inner.optional("class_fqn");
      for (const std::string_view field : {"name", "as_name"}) {
        const JsonValue text = inner.optional(field);
        if (!text.is(JsonKind::kString)) continue;
        if (!class_name.is_null()) notes_.classes.emplace(text.string(), class_name.string());
        return std::string(text.string());
      }
      return std::string();
    };
    JsonFields fields(was);
    const JsonValue inputs = fields.required("input_specs");
    if (inputs.size() == inputs_.size()) {
      for (const JsonValue spec : inputs.items())
        renamed_.emplace(named(spec), graph_.name_of(inputs_[i++]));
    }
    const JsonValue outputs = fields.required("output_specs");
    i = 0;
    if (outputs.size() != program_.outputs.size()) return;
    for (const JsonValue spec : outputs.items()) {
      const Value now = result(i++);
      if (now.is(Value::Tag::kNodeRef)) renamed_.emplace(named(spec), graph_.name_of(node_of(now)));
    }
  }

  void write_name(std::string_view member, NodeId id) {
    const auto object = json_.object(member);
    json_.field("name", writer_.name_of(id));
  }

  void write_input_spec(const InputSpec& spec, NodeId id) {
    using Kind = InputSpec::Kind;
    const std::string_view target = program_.text(spec.target);
    const auto object = json_.object();
    switch (spec.kind) {
      case Kind::kUser:
        return write_user_input(id);
      case Kind::kParameter: {
        const auto inner = json_.object("parameter");
        write_name("arg", id);
        return json_.field("parameter_name", target);
      }
      case Kind::kBuffer: {
        const auto inner = json_.object("buffer");
        write_name("arg", id);
        json_.field("buffer_name", target);
        return json_.field("persistent", spec.persistent);
      }
      case Kind::kConstant: {
        const auto inner = json_.object("tensor_constant");
        write_name("arg", id);
        return json_.field("tensor_constant_name", target);
      }
      case Kind::kToken: {
        const auto inner = json_.object("token");
        return write_name("arg", id);
      }
      case Kind::kCustomObject: {
        const auto inner = json_.object("custom_obj");
        {
          const auto arg = json_.object("arg");
          json_.field("name", graph_.name_of(id));
          json_.field("class_fqn", class_of(id));
        }
        return json_.field("custom_obj_name", target);
      }
    }
  }

  std::string class_of(NodeId id) const {
    const auto found = notes_.classes.find(std::string(graph_.name_of(id)));
    return found == notes_.classes.end() ? std::string() : found->second;
  }

  void write_user_input(NodeId id) {
    const Value& value = graph_.node(id).val;
    const bool is_constant = !value.is_tensor() && !value.is_symbolic() && class_of(id).empty();
    if (!is_constant) {
      const auto input = json_.object("user_input");
      json_.key("arg");
      return writer_.write_argument(node_ref(id));
    }
    const auto input = json_.object("constant_input");
    json_.field("name", graph_.name_of(id));
    json_.key("value");
    writer_.write_argument(value);
  }

  void write_output_spec(const OutputSpec& spec, const Value& value) {
    struct OutputRow {
      OutputSpec::Kind kind;
      std::string_view name;
      std::string_view target;
    };
    using Kind = OutputSpec::Kind;
    static constexpr OutputRow kRows[] = {
        {Kind::kUser, "user_output", {}},
        {Kind::kLoss, "loss_output", {}},
        {Kind::kBufferMutation, "buffer_mutation", "buffer_name"},
        {Kind::kParameterMutation, "parameter_mutation", "parameter_name"},
        {Kind::kUserInputMutation, "user_input_mutation", "user_input_name"},
        {Kind::kGradientToParameter, "gradient_to_parameter", "parameter_name"},
        {Kind::kGradientToUserInput, "gradient_to_user_input", "user_input_name"},
        {Kind::kToken, "token", {}},
    };
    const auto object = json_.object();
    for (const OutputRow& row : kRows) {
      if (row.kind != spec.kind) continue;
      const auto inner = json_.object(row.name);
      if (row.kind == Kind::kUser) {
        json_.key("arg");
        return writer_.write_argument(value);
      }
      if (!value.is(Value::Tag::kNodeRef))
        throw_error(
            ErrorKind::kUsage,
            format("an output of the kind {} that is no node's value is not written", row.name));
      write_name("arg", node_of(value));
      if (row.target.empty()) return;
      const std::string target(program_.text(spec.target));
      const auto renamed = renamed_.find(target);
      const bool is_input = row.target == "user_input_name" && renamed != renamed_.end();
      return json_.field(row.target, is_input ? std::string_view(renamed->second) : target);
    }
  }

  // False, and nothing written, where it names what there is no more.
  bool write_call_signature(JsonValue was) {
    JsonFields fields(was);
    for (const std::string_view side : {"inputs", "outputs"}) {
      for (const JsonValue argument : fields.required(side).items())
        if (const std::string name = name_in(argument); !name.empty() && now(name).empty())
          return false;
    }
    const auto object = json_.object();
    for (const JsonMember member : was.members()) {
      json_.key(member.name);
      if (member.name != "inputs" && member.name != "outputs") {
        copy_json(json_, member.value);
        continue;
      }
      const auto arguments = json_.array();
      for (const JsonValue argument : member.value.items()) write_renamed(argument);
    }
    return true;
  }

  static std::string name_in(JsonValue argument) {
    const JsonMember member = union_member(argument);
    if (!member.value.is(JsonKind::kObject)) return {};
    for (const JsonMember inner : member.value.members()) {
      const bool is_name = inner.name == "name" || inner.name == "as_name";
      if (is_name && inner.value.is(JsonKind::kString)) return std::string(inner.value.string());
    }
    return {};
  }

  std::string now(const std::string& name) const {
    if (names_.contains(name)) return name;
    const auto renamed = renamed_.find(name);
    return renamed == renamed_.end() ? std::string() : renamed->second;
  }

  void write_renamed(JsonValue argument) {
    const std::string name = name_in(argument);
    if (name.empty()) return copy_json(json_, argument);
    const JsonMember member = union_member(argument);
    const auto object = json_.object();
    const auto inner = json_.object(member.name);
    for (const JsonMember part : member.value.members()) {
      if (part.name == "name" || part.name == "as_name") {
        json_.field(part.name, now(name));
      } else {
        copy_json(json_.key(part.name), part.value);
      }
    }
  }

  JsonWriter& json_;
  const Program& program_;
  const Graph& graph_;
  ExportedValues values_;
  FileNotes notes_;
  GraphWriter writer_;
  NodeId output_;
  std::vector<NodeId> inputs_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::string> renamed_;  // of inputs and outputs
};

// Walks the file, its graph for what FileNotes wants of it, and writes all else anew.
class FileWriter final : public JsonSink {
 public:
  FileWriter(JsonWriter& json, Frame& frame, const std::string& text)
      : json_(json), frame_(frame), text_(text) {}

  uint64_t memory() const override { return text_.capacity(); }

  bool enter(std::string_view name, JsonKind kind, uint32_t) override {
    // The signature and the module call graph are small enough to be taken whole.
    const Place outer = places_.empty() ? Place::kOutside : places_.back();
    const Place next = place_inside(outer, name, kind);
    if (next == Place::kOutside || next == Place::kSignature || next == Place::kCallGraph)
      return false;
    if (next == Place::kProgram || next == Place::kGraphModule) {
      JsonWriter& json = places_.empty() ? json_ : json_.key(name);
      scopes_.emplace_back(new JsonWriter::Scope(json.object()));
    } else {
      scopes_.emplace_back();
    }
    places_.push_back(next);
    return true;
  }

  void leave() override {
    if (places_.back() == Place::kGraph) {
      json_.key("graph");
      frame_.write_graph();
      has_graph_ = true;
    }
    if (places_.back() == Place::kProgram && !has_ranges_) write_ranges();
    places_.pop_back();
    scopes_.pop_back();
  }

  void value(std::string_view name, JsonValue value) override {
    if (places_.empty()) value.members();  // the document is no object: says so
    switch (places_.back()) {
      case Place::kNodes:
        return note_node("", value);
      case Place::kGraph:
        if (name == "custom_obj_values") note_classes(value);
        return;
      case Place::kGraphModule:
        json_.key(name);
        if (name == "signature") return frame_.write_signature(&value);
        if (name == "module_call_graph") return frame_.write_module_calls(value);
        return copy_json(json_, value);
      case Place::kProgram:
        if (name != "range_constraints") return copy_json(json_.key(name), value);
        note_ranges(value);
        if (has_graph_) write_ranges();
        return;
      default:
        return;
    }
  }

 private:
  using Place = ProgramPlace;

  static std::string text_of(JsonValue value) {
    std::string text;
    JsonWriter json(text);
    copy_json(json, value);
    return text;
  }

  void note_ranges(JsonValue ranges) {
    for (const JsonMember range : ranges.members())
      ranges_.emplace(range.name, text_of(range.value));
  }

  // Behind the graph: they name the symbols of all its values.
  void write_ranges() {
    json_.key("range_constraints");
    frame_.write_ranges(ranges_);
    has_ranges_ = true;
  }

  void note_classes(JsonValue objects) {
    for (const JsonMember object : objects.members()) {
      JsonFields fields(object.value);
      frame_.notes().classes.emplace(object.name, fields.required("class_fqn").string());
    }
  }

  void note_node(std::string_view graph, JsonValue node) {
    JsonFields fields(node);
    const std::string_view target = fields.required("target").string();
    const JsonValue inputs = fields.required("inputs");
    if (is_dispatcher_target(target)) note_operator(target, inputs, fields.required("outputs"));
    const JsonValue name = fields.optional("name");
    if (!name.is_null()) note_metadata(graph, name.string(), target, fields.required("metadata"));
    for (const JsonValue input : inputs.items()) {
      const JsonMember argument = union_member(JsonFields(input).required("arg"));
      if (argument.name == "as_custom_obj") {
        JsonFields object(argument.value);
        frame_.notes().classes.emplace(object.required("name").string(),
                                       object.required("class_fqn").string());
      }
      if (argument.name == "as_graph") note_graph(argument.value);
    }
  }

  void note_graph(JsonValue argument) {
    JsonFields fields(argument);
    JsonFields graph(fields.required("graph"));
    const std::string_view name = fields.required("name").string();
    for (const JsonValue node : graph.required("nodes").items()) note_node(name, node);
    const JsonValue objects = graph.optional("custom_obj_values");
    if (!objects.is_null()) note_classes(objects);
  }

  void note_operator(std::string_view target, JsonValue inputs, JsonValue outputs) {
    if (Registry::builtin().find(target) != kNoOp) return;
    FileNotes::Signature& signature = frame_.notes().operators[std::string(target)];
    signature.returns_nothing = outputs.size() == 0;
    signature.returns_list =
        outputs.size() == 1 && union_member(*outputs.items().begin()).name == "as_tensors";
    if (inputs.size() <= signature.arguments.size()) return;
    signature.arguments.clear();
    for (const JsonValue input : inputs.items())
      signature.arguments.emplace_back(JsonFields(input).required("name").string());
  }

  void note_metadata(std::string_view graph, std::string_view name, std::string_view target,
                     JsonValue metadata) {
    constexpr std::string_view kHeld[] = {"stack_trace", "nn_module_stack", "source_fn_stack",
                                          "torch_fn"};
    const JsonValue torch_fn = JsonFields(metadata).optional("torch_fn");
    const std::string key =
        node_key(graph, name, target, torch_fn.is_null() ? std::string_view() : torch_fn.string());
    // Nodes of two graphs may have one name: the first of them is the program's own.
    if (frame_.notes().metadata.contains(key)) return;
    for (const JsonMember member : metadata.members()) {
      const bool is_held =
          std::find(std::begin(kHeld), std::end(kHeld), member.name) != std::end(kHeld);
      if (!is_held) frame_.notes().metadata[key].emplace_back(member.name, text_of(member.value));
    }
  }

  JsonWriter& json_;
  Frame& frame_;
  const std::string& text_;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<JsonWriter::Scope>> scopes_;
  std::map<std::string, std::string> ranges_;
  bool has_graph_ = false;
  bool has_ranges_ = false;
};

// The version of the schema that is written, of PyTorch 2.13.
constexpr int kSchemaMajor = 8;
constexpr int kSchemaMinor = 20;
constexpr int kOpset = 10;

void write_own_program(JsonWriter& json, Frame& frame, const Program& program) {
  const auto object = json.object();
  {
    const auto module = json.object("graph_module");
    json.key("graph");
    frame.write_graph();
    json.key("signature");
    frame.write_signature(nullptr);
    json.key("module_call_graph");
    frame.write_own_module_calls();
    { const auto none = json.object("metadata"); }
    const auto none = json.object("treespec_namedtuple_fields");
  }
  {
    const auto opset = json.object("opset_version");
    json.field("aten", kOpset);
  }
  json.key("range_constraints");
  frame.write_ranges({});
  {
    const auto version = json.object("schema_version");
    json.field("major", kSchemaMajor);
    json.field("minor", kSchemaMinor);
  }
  {
    const auto verifiers = json.array("verifiers");
    json.value("TRAINING");
  }
  json.field("torch_version", program.torch_version.empty() ? "2.13.0" : program.torch_version);
  const auto guards = json.array("guards_code");
}

}  // namespace

std::string write_program(const Program& program, const Graph& graph, std::string* file,
                          const ReadLimits& limits) {
  std::string text;
  JsonWriter json(text);
  Frame frame(json, program, graph);
  if (file == nullptr) {
    write_own_program(json, frame, program);
  } else {
    FileWriter writer(json, frame, text);
    read_json(*file, writer, limits);
  }
  return text;
}

}  // namespace faketensor
