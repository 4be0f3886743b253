#include "core/replay/fx_graph_json.h"

#include <algorithm>
#include <climits>
#include <map>

#include "core/formats/json_fields.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

namespace {

class GraphReader {
 public:
  GraphReader(FakeTensorMode& mode, ValueWriter& writer)
      : env_(*mode.context().shape_env()),
        library_(mode.library()),
        graph_(mode.context().arena()),
        values_(mode),
        writer_(writer) {
    values_.resolve = [this](const Json& object) { return node_named(object); };
  }

  FxGraph read(const Json& graph) {
    const Json& nodes = list_member(graph, "nodes");
    make_symbols(nodes);
    for (const Json& node : nodes) add(node);
    return std::move(graph_);
  }

 private:
  // Unbacked symbols by number, so that those made later are new ones.
  void make_symbols(const Json& nodes) {
    int64_t count = 0;
    for (const Json& node : nodes) {
      for (const auto& [name, path] : object_member_or_empty(node, "unbacked_bindings").items()) {
        if (name.size() > 6 || name.size() < 2 || name[0] != 'u' ||
            name.find_first_not_of("0123456789", 1) != std::string::npos)
          throw_error(ErrorKind::kUnreadable, format("not an unbacked symbol: {}", name));
        count = std::max(count, int64_t{std::stoi(name.substr(1))} + 1);
      }
    }
    for (int64_t i = 0; i < count; ++i) env_.create_unbacked_int();
    env_.take_pending_unbacked();
  }

  std::optional<Value> node_named(const Json& object) const {
    if (object.size() != 1 || !object.contains("n")) return {};
    const std::string& name = text_of(object["n"], "n");
    const auto found = ids_.find(name);
    if (found == ids_.end())
      throw_error(ErrorKind::kUnreadable, format("no node before is called '{}'", name));
    return Value::node_ref(found->second);
  }

  static FxNode::Kind kind_of(const std::string& op) {
    if (op == "placeholder") return FxNode::Kind::kPlaceholder;
    if (op == "output") return FxNode::Kind::kOutput;
    if (op != "call_function") throw_error(ErrorKind::kUnreadable, format("a node that is {}", op));
    return FxNode::Kind::kCall;
  }

  void add(const Json& json_node) {
    FxNode node;
    node.kind = kind_of(text_member(json_node, "op"));
    node.name = text_member(json_node, "name");
    node.target = text_member(json_node, "target");
    for (const Json& arg : list_member_or_empty(json_node, "args"))
      node.args.push_back(values_.read(arg, &writer_));
    read_keywords(node, object_member_or_empty(json_node, "kwargs"));
    if (const Json* val = find_member(json_node, "val")) node.val = values_.read(*val, &writer_);
    for (const auto& [name, path] : object_member_or_empty(json_node, "unbacked_bindings").items())
      node.bindings.push_back({parse_expr(env_.pool(), name), text_of(path, name)});
    check(node);
    const std::string name = node.name;
    ids_[name] = graph_.append(std::move(node));
  }

  // JSON objects have no order; that of the schema is how PyTorch's own graphs have them.
  void read_keywords(FxNode& node, const Json& kwargs) {
    const std::string name = Registry::qualified(node.target);
    const OpId op = library_.find(name);
    const auto position = [&](const std::string& keyword) {
      const int found = op == kNoOp ? -1 : library_.entry(op).schema.find_argument(keyword);
      return found < 0 ? INT_MAX : found;
    };
    for (const auto& [keyword, arg] : kwargs.items())
      node.kwargs.emplace_back(keyword, values_.read(arg, &writer_));
    std::stable_sort(node.kwargs.begin(), node.kwargs.end(), [&](const auto& a, const auto& b) {
      return position(a.first) < position(b.first);
    });
  }

  // What passes rely on: an output has one argument, an element is taken of a node by number.
  static void check(const FxNode& node) {
    const bool is_output = node.kind == FxNode::Kind::kOutput;
    const bool is_element = node.target == "_operator.getitem";
    const bool is_fine = is_output ? node.args.size() == 1
                                   : !is_element || (node.args.size() == 2 &&
                                                     node.args[0].is(Value::Tag::kNodeRef) &&
                                                     node.args[1].is(Value::Tag::kInt) &&
                                                     !node.args[1].as_sym_int().is_symbolic());
    if (!is_fine)
      throw_error(ErrorKind::kUnreadable, format("node '{}' has other arguments", node.name));
  }

  ShapeEnv& env_;
  const Library& library_;
  FxGraph graph_;
  ValueReader values_;
  ValueWriter& writer_;
  std::map<std::string, FxGraph::Id> ids_;
};

void write_argument(JsonWriter& json, const FxGraph& graph, const Value& value,
                    ValueWriter& writer) {
  if (value.is(Value::Tag::kNodeRef)) {
    const auto reference = json.object();
    json.field("n", graph.node(value.node()).name);
  } else if (value.is(Value::Tag::kList)) {
    const auto list = json.array();
    for (const Value& element : value.values()) write_argument(json, graph, element, writer);
  } else {
    writer.write(json, value);
  }
}

std::string_view op_of(FxNode::Kind kind) {
  return kind == FxNode::Kind::kPlaceholder ? "placeholder"
         : kind == FxNode::Kind::kOutput    ? "output"
                                            : "call_function";
}

void write_node(JsonWriter& json, const FxGraph& graph, const FxNode& node, uint32_t users,
                ValueWriter& writer) {
  const auto object = json.object();
  json.field("name", node.name);
  json.field("op", op_of(node.kind));
  json.field("target", node.target);
  {
    const auto args = json.array("args");
    for (const Value& arg : node.args) write_argument(json, graph, arg, writer);
  }
  if (!node.kwargs.empty()) {
    const auto kwargs = json.object("kwargs");
    for (const auto& [name, arg] : node.kwargs) write_argument(json.key(name), graph, arg, writer);
  }
  json.field("users", users);
  if (node.kind != FxNode::Kind::kOutput) writer.write(json.key("val"), node.val);
  if (node.bindings.empty()) return;
  const auto bindings = json.object("unbacked_bindings");
  for (const auto& binding : node.bindings) json.field(to_string(binding.symbol), binding.path);
}

}  // namespace

FxGraph read_fx_graph(const Json& graph, FakeTensorMode& mode, ValueWriter& writer) {
  return GraphReader(mode, writer).read(graph);
}

void write_fx_graph(JsonWriter& json, const FxGraph& graph, ValueWriter& writer) {
  const std::vector<uint32_t> users = graph.user_counts();
  const auto object = json.object();
  const auto nodes = json.array("nodes");
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id))
    write_node(json, graph, graph.node(id), users[id], writer);
}

}  // namespace faketensor
