#include "core/io/graph_json.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>

#include "core/formats/json_fields.h"
#include "core/graph/operand_tuples.h"
#include "core/ops/library.h"
#include "core/support/format.h"
#include "core/support/target_name.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

// Unbacked symbols by number, so that those made later are new ones.
void make_symbols(ShapeEnv& env, const Json& nodes) {
  int64_t count = 0;
  for (const Json& node : nodes) {
    for (const auto& [name, path] : object_member_or_empty(node, "unbacked_bindings").items()) {
      if (name.size() > 6 || name.size() < 2 || name[0] != 'u' ||
          name.find_first_not_of("0123456789", 1) != std::string::npos)
        throw_error(ErrorKind::kUnreadable, format("not an unbacked symbol: {}", name));
      count = std::max(count, int64_t{std::stoi(name.substr(1))} + 1);
    }
  }
  for (int64_t i = 0; i < count; ++i) env.create_unbacked_int();
  env.take_pending_unbacked();
}

class GraphJsonReader {
 public:
  GraphJsonReader(Program& program, Graph& graph, ValueReader& values, ShapeEnv* env,
                  const Library& library, ValueWriter& writer, const GraphJsonOptions& options,
                  Value missing)
      : program_(program),
        graph_(graph),
        values_(values),
        env_(env),
        library_(library),
        writer_(writer),
        options_(options),
        missing_(missing) {}

  void read(const Json& json) {
    const Json& nodes = list_member(json, "nodes");
    read_submodules(json);
    if (options_.may_be_wrong) note_names(nodes);
    values_.resolve = [this](const Json& object) { return node_or_dictionary(object); };
    for (const Json& node : nodes) add(node);
    values_.resolve = {};
    for (const auto& [name, module] : submodules_) {
      if (graph_.submodule(graph_.store().strings.intern(name)) == nullptr)
        graph_.add_submodule(name, *module);
    }
    make_operand_tuples(graph_);
  }

 private:
  // JSON nests as deep as its reader allows.
  void read_submodules(const Json& json) {
    for (const auto& [name, nodes] : object_member_or_empty(json, "submodules").items()) {
      Graph& module = program_.add_graph();
      module.name = program_.strings().intern(name);
      GraphJsonReader(program_, module, values_, env_, library_, writer_, options_, missing_)
          .read(nodes);
      submodules_.emplace(name, &module);
    }
  }

  // Ids are given in order.
  void note_names(const Json& nodes) {
    uint32_t id = 0;
    for (const Json& node : nodes) ids_.emplace(text_member(node, "name"), NodeId{id++});
  }

  std::optional<Value> node_or_dictionary(const Json& object) {
    if (object.size() != 1) return {};
    if (object.contains("dict")) {
      const Value items = kept(values_.read(object["dict"], &writer_));
      const bool has_items =
          items.is(Value::Tag::kList) &&
          std::all_of(items.values().begin(), items.values().end(),
                      [](auto& item) { return item.is_list() && item.size() == 2; });
      if (!has_items) throw_error(ErrorKind::kUnreadable, "a dictionary is a list of [key, value]");
      return Value::dict(items.values());
    }
    if (!object.contains("n")) return {};
    const std::string& name = text_of(object["n"], "n");
    const auto found = ids_.find(name);
    if (found == ids_.end())
      throw_error(ErrorKind::kUnreadable, format("no node before is called '{}'", name));
    return node_ref(found->second);
  }

  static NodeKind kind_of(const std::string& op) {
    for (const NodeKind kind : {NodeKind::kPlaceholder, NodeKind::kGetAttr, NodeKind::kCallFunction,
                                NodeKind::kCallMethod, NodeKind::kCallModule, NodeKind::kOutput}) {
      if (op == name(kind)) return kind;
    }
    throw_error(ErrorKind::kUnreadable, format("a node that is {}", op));
  }

  void add(const Json& json_node) {
    NewNode node;
    node.kind = kind_of(text_member(json_node, "op"));
    node.name = text_member(json_node, "name");
    node.target = text_member(json_node, "target");
    if (node.kind == NodeKind::kCallFunction) node.target = full_target(std::move(node.target));
    for (const Json& arg : list_member_or_empty(json_node, "args"))
      node.args.push_back(kept(values_.read(arg, &writer_)));
    if (node.kind == NodeKind::kOutput && !node.args.empty() && node.args[0].is(Value::Tag::kList))
      node.args[0] = Value::tuple(node.args[0].values());
    read_keywords(node, object_member_or_empty(json_node, "kwargs"));
    node.val = node.kind == NodeKind::kOutput ? Value::unset() : missing_;
    if (const Json* val = find_member(json_node, "val")) node.val = values_.read(*val, &writer_);
    if (const auto module = submodules_.find(node.target); module != submodules_.end()) {
      graph_.add_submodule(node.target, *module->second);
      if (node.kind == NodeKind::kGetAttr) node.val = Value(module->second);
    }
    for (const auto& [name, path] : object_member_or_empty(json_node, "unbacked_bindings").items())
      node.bindings.push_back({parse_expr(env_->pool(), name), text_of(path, name)});
    check(node);
    const NodeId id = graph_.append(node);
    ids_.emplace(node.name, id);
    if (options_.may_be_wrong && graph_.name_of(id) != node.name)
      graph_.set_name(id, graph_.store().strings.intern(node.name));
    if (node.kind == NodeKind::kPlaceholder && &graph_ == &program_.graph())
      program_.inputs.emplace_back();
  }

  Value kept(const Value& value) { return kept_argument(program_.arena(), value); }

  // JSON objects have no order; that of the schema is how PyTorch's own graphs have them.
  void read_keywords(NewNode& node, const Json& kwargs) {
    const OpId op = library_.find(Registry::qualified(node.target));
    const auto position = [&](const std::string& keyword) {
      const int found = op == kNoOp ? -1 : library_.entry(op).schema.find_argument(keyword);
      return found < 0 ? INT_MAX : found;
    };
    for (const auto& [keyword, arg] : kwargs.items())
      node.kwargs.emplace_back(keyword, kept(values_.read(arg, &writer_)));
    std::stable_sort(node.kwargs.begin(), node.kwargs.end(), [&](const auto& a, const auto& b) {
      return position(a.first) < position(b.first);
    });
  }

  // What passes rely on: an output has one argument, an element is taken of a node by number.
  static void check(const NewNode& node) {
    const bool is_output = node.kind == NodeKind::kOutput;
    const bool is_element = node.target == "_operator.getitem";
    const bool is_fine = is_output ? node.args.size() == 1
                                   : !is_element || (node.args.size() == 2 &&
                                                     node.args[0].is(Value::Tag::kNodeRef) &&
                                                     node.args[1].is(Value::Tag::kInt) &&
                                                     !node.args[1].as_sym_int().is_symbolic());
    if (!is_fine)
      throw_error(ErrorKind::kUnreadable, format("node '{}' has other arguments", node.name));
  }

  Program& program_;
  Graph& graph_;
  ValueReader& values_;
  ShapeEnv* env_;
  const Library& library_;
  ValueWriter& writer_;
  const GraphJsonOptions& options_;
  Value missing_;  // the value of a node of which JSON tells none
  std::map<std::string, NodeId> ids_;
  std::map<std::string, const Graph*> submodules_;
};

// The tensors that get_attr nodes fetch.
void write_attributes(JsonWriter& json, const Graph& graph) {
  std::map<std::string_view, const Tensor*> attributes;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kGetAttr && node.val.is_tensor())
      attributes.emplace(graph.text(node.target), &node.val.tensor());
  }
  if (attributes.empty()) return;
  const auto object = json.object("attrs");
  for (const auto& [target, tensor] : attributes) {
    const auto attribute = json.object(target);
    json.field("size", tensor->sizes());
    json.field("stride", tensor->strides());
    json.field("dtype", name(tensor->dtype()));
    json.field("device", tensor->device());
  }
}

}  // namespace

// The JSON leaves "torch.ops." out of an operator's name, which has two dots.
std::string full_target(std::string target) {
  const bool is_operator =
      !target.starts_with(kTorchOps) && !target.starts_with("torch.") &&
      (std::count(target.begin(), target.end(), '.') == 2 || target.starts_with("higher_order."));
  return is_operator ? target.insert(0, kTorchOps) : target;
}

Value kept_argument(Arena& arena, const Value& value) {
  if (value.is(Value::Tag::kString)) return Value::string(arena.copy(value.text()));
  if (value.is(Value::Tag::kIntList)) return Value::ints(arena.copy(value.ints()));
  if (!value.is(Value::Tag::kList)) return value;
  std::vector<Value> elements;
  for (const Value& element : value.values()) elements.push_back(kept_argument(arena, element));
  const std::span<const Value> kept = arena.copy(std::span<const Value>(elements));
  return Value::like(value, kept);
}

bool write_whole_float(JsonWriter& json, const Value& value) {
  if (!value.is(Value::Tag::kFloat) || !std::isfinite(value.as_double()) ||
      value.as_double() != std::floor(value.as_double()))
    return false;
  const auto marked = json.object();
  json.field("float", value.as_double());
  return true;
}

namespace {

// A constant of a call, or the name of a node: {"n": "relu"}.
void write_argument(JsonWriter& json, const Graph& graph, const Value& value, ValueWriter& writer,
                    bool marks_floats) {
  if (value.is(Value::Tag::kNodeRef)) {
    const auto reference = json.object();
    json.field("n", graph.name_of(node_of(value)));
  } else if (value.is_dict()) {
    const auto object = json.object();
    write_argument(json.key("dict"), graph, Value::list(value.values()), writer, marks_floats);
  } else if (value.is(Value::Tag::kList)) {
    const auto list = json.array();
    for (const Value& element : value.values())
      write_argument(json, graph, element, writer, marks_floats);
  } else if (!marks_floats || !write_whole_float(json, value)) {
    writer.write(json, value);
  }
}

}  // namespace

void write_node(JsonWriter& json, const Graph& graph, NodeId id, ValueWriter& writer,
                bool marks_floats) {
  const Node& node = graph.node(id);
  const auto object = json.object();
  json.field("name", graph.text(node.name));
  json.field("op", name(node.kind));
  json.field("target", operator_name(graph.text(node.target)));
  {
    const auto args = json.array("args");
    for (const Value& arg : node.positional())
      write_argument(json, graph, arg, writer, marks_floats);
  }
  if (!node.keywords.empty()) {
    const auto kwargs = json.object("kwargs");
    for (size_t i = 0; i < node.keywords.size(); ++i)
      write_argument(json.key(graph.text(node.keywords[i])), graph, node.by_keyword()[i], writer,
                     marks_floats);
  }
  json.field("users", graph.users(id).size());
  if (!node.val.is_unset() && !node.val.is(Value::Tag::kGraph))
    writer.write(json.key("val"), node.val);
  if (graph.bindings(id).empty()) return;
  const auto bindings = json.object("unbacked_bindings");
  for (const UnbackedBinding& binding : graph.bindings(id))
    json.field(to_string(binding.symbol), binding.path);
}

Program read_graph(const Json& graph, FakeTensorMode& mode, ValueWriter& writer) {
  Program program;
  ShapeEnv& env = *mode.context().shape_env();
  make_symbols(env, list_member(graph, "nodes"));
  ValueReader values(mode);
  const GraphJsonOptions options;
  GraphJsonReader(program, program.graph(), values, &env, mode.library(), writer, options, Value())
      .read(graph);
  return program;
}

void read_graph_into(Program& program, Graph& graph, const Json& json, ValueReader& values,
                     ShapeEnv* env, const Library& library, ValueWriter& writer,
                     const GraphJsonOptions& options) {
  GraphJsonReader(program, graph, values, env, library, writer, options, Value::unset()).read(json);
}

void write_graph(JsonWriter& json, const Graph& graph, ValueWriter& writer) {
  const auto object = json.object();
  {
    const auto nodes = json.array("nodes");
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
      write_node(json, graph, id, writer);
  }
  write_attributes(json, graph);
  if (graph.submodules().empty()) return;
  const auto modules = json.object("submodules");
  for (const Graph::Submodule& module : graph.submodules())
    write_graph(json.key(graph.text(module.name)), *module.graph, writer);
}

}  // namespace faketensor
