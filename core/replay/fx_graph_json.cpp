#include "core/replay/fx_graph_json.h"

#include <algorithm>
#include <climits>
#include <map>

#include <nlohmann/json.hpp>

#include "core/formats/json_fields.h"
#include "core/support/format.h"
#include "core/symbolic/parse.h"
#include "core/symbolic/shape_env.h"

namespace faketensor {

using nlohmann::json;

namespace {

class GraphReader {
 public:
  GraphReader(FakeTensorMode& mode, ValueWriter& writer)
      : env_(*mode.context().shape_env()),
        library_(mode.library()),
        graph_(mode.context().arena()),
        values_(mode),
        writer_(writer) {
    values_.resolve = [this](const json& object) { return node_named(object); };
  }

  FxGraph read(const json& graph) {
    const json& nodes = list_member(graph, "nodes");
    make_symbols(nodes);
    for (const json& node : nodes) add(node);
    return std::move(graph_);
  }

 private:
  // Unbacked symbols by number, so that those made later are new ones.
  void make_symbols(const json& nodes) {
    int64_t count = 0;
    for (const json& node : nodes) {
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

  std::optional<Value> node_named(const json& object) const {
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

  void add(const json& json_node) {
    FxNode node;
    node.kind = kind_of(text_member(json_node, "op"));
    node.name = text_member(json_node, "name");
    node.target = text_member(json_node, "target");
    for (const json& arg : list_member_or_empty(json_node, "args"))
      node.args.push_back(values_.read(arg, &writer_));
    read_keywords(node, object_member_or_empty(json_node, "kwargs"));
    if (const json* val = find_member(json_node, "val")) node.val = values_.read(*val, &writer_);
    for (const auto& [name, path] : object_member_or_empty(json_node, "unbacked_bindings").items())
      node.bindings.push_back({parse_expr(env_.pool(), name), text_of(path, name)});
    check(node);
    const std::string name = node.name;
    ids_[name] = graph_.append(std::move(node));
  }

  // JSON objects have no order; that of the schema is how PyTorch's own graphs have them.
  void read_keywords(FxNode& node, const json& kwargs) {
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

void append_argument(std::string& out, const FxGraph& graph, const Value& value,
                     ValueWriter& writer) {
  if (value.is(Value::Tag::kNodeRef)) {
    out += "{\"n\":";
    append_json_string(out, graph.node(value.node()).name);
    out += '}';
  } else if (value.is(Value::Tag::kList)) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      append_argument(out, graph, value[i], writer);
    }
    out += ']';
  } else {
    writer.append(out, value);
  }
}

std::string_view op_of(FxNode::Kind kind) {
  return kind == FxNode::Kind::kPlaceholder ? "placeholder"
         : kind == FxNode::Kind::kOutput    ? "output"
                                            : "call_function";
}

void append_node(std::string& out, const FxGraph& graph, const FxNode& node, uint32_t users,
                 ValueWriter& writer) {
  out += "{\"name\":";
  append_json_string(out, node.name);
  out.append(",\"op\":\"").append(op_of(node.kind)).append("\",\"target\":");
  append_json_string(out, node.target);
  out += ",\"args\":[";
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (i > 0) out += ',';
    append_argument(out, graph, node.args[i], writer);
  }
  out += ']';
  for (size_t i = 0; i < node.kwargs.size(); ++i) {
    out += i == 0 ? ",\"kwargs\":{" : ",";
    append_json_string(out, node.kwargs[i].first);
    out += ':';
    append_argument(out, graph, node.kwargs[i].second, writer);
    if (i + 1 == node.kwargs.size()) out += '}';
  }
  out += format(",\"users\":{}", users);
  if (node.kind != FxNode::Kind::kOutput) {
    out += ",\"val\":";
    writer.append(out, node.val);
  }
  for (size_t i = 0; i < node.bindings.size(); ++i) {
    out += i == 0 ? ",\"unbacked_bindings\":{" : ",";
    append_json_string(out, to_string(node.bindings[i].symbol));
    out += ':';
    append_json_string(out, node.bindings[i].path);
    if (i + 1 == node.bindings.size()) out += '}';
  }
  out += '}';
}

}  // namespace

FxGraph read_fx_graph(const json& graph, FakeTensorMode& mode, ValueWriter& writer) {
  return GraphReader(mode, writer).read(graph);
}

void append_fx_graph(std::string& out, const FxGraph& graph, ValueWriter& writer) {
  const std::vector<uint32_t> users = graph.user_counts();
  out += "{\"nodes\":[";
  for (auto id = graph.first(); id != FxGraph::kEnd; id = graph.next(id)) {
    if (id != graph.first()) out += ',';
    append_node(out, graph, graph.node(id), users[id], writer);
  }
  out += "]}";
}

}  // namespace faketensor
