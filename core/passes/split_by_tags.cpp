// split_by_tags: the nodes with one tag become one submodule. Mirrors torch/fx/passes/split_utils.py.
#include <algorithm>
#include <unordered_map>

#include "core/formats/json_writer.h"
#include "core/graph/graph_text.h"
#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/passes/split.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

bool is_called(const Node& node) {
  return node.kind == NodeKind::kCallFunction || node.kind == NodeKind::kCallMethod ||
         node.kind == NodeKind::kCallModule;
}

class Splitter {
 public:
  Splitter(Program& program, const Graph& from, Graph& main)
      : program_(program),
        from_(from),
        main_(main),
        main_copy_(from, main),
        component_of_(from.id_count(), nullptr),
        is_used_in_main_(from.id_count()) {}

  void run(std::span<const std::string> tags, const NodeTags& node_tags) {
    for (const std::string& tag : tags) {
      Graph& part = program_.add_graph();
      part.name = from_.store().strings.intern(tag);
      components_.push_back(std::make_unique<Component>(from_, part, tag, components_.size()));
      by_tag_.emplace(tag, components_.back().get());
    }
    NodeId output = kNoNode;
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      const Node& node = from_.node(id);
      if (node.kind == NodeKind::kOutput) output = id;
      if (node.kind == NodeKind::kPlaceholder) main_copy_.add_placeholder(id);
      if (is_called(node)) add(id, node_tags);
    }
    if (output == kNoNode) throw_error(ErrorKind::kRuntimeError, "Graph had no output node!");
    finish(from_.node(output));
  }

 private:
  struct Component {
    Component(const Graph& from, Graph& part, std::string tag, size_t place)
        : graph(part), copy(from, part), name(std::move(tag)), order(place) {}
    Graph& graph;
    GraphCopy copy;
    std::string name;
    size_t order;
    std::vector<NodeId> inputs;
    std::vector<NodeId> outputs;
  };

  void add(NodeId id, const NodeTags& node_tags) {
    const auto tag = node_tags.find(id);
    const auto found = tag == node_tags.end() ? by_tag_.end() : by_tag_.find(tag->second);
    if (found == by_tag_.end())
      throw_error(ErrorKind::kAssertionError,
                  format("Node does not have tag: {}", node_text(from_, id)));
    Component& component = *found->second;
    size_t upstream = 0;
    for (const Value& arg : from_.node(id).args) {
      for_each_node(arg, [&](NodeId used) {
        const Component* before = component_of_[index_of(used)];
        if (before != nullptr) upstream = std::max(upstream, before->order);
      });
    }
    if (component.order < upstream)
      throw_error(ErrorKind::kAssertionError,
                  format("Component {} order must be >= max of its upstream components, order={} "
                         "and max={}",
                         component.name, component.order, upstream));
    component_of_[index_of(id)] = &component;
    component.copy.on_missing = [&](NodeId used) { return input(component, used); };
    component.copy.add(id);
  }

  // What a component needs of others is its placeholder; attributes are fetched in each.
  NodeId input(Component& component, NodeId id) {
    if (from_.node(id).kind == NodeKind::kGetAttr)
      return component.copy.add(id, from_.target_of(id));
    component.inputs.push_back(id);
    use_in_main(id);
    return component.copy.add_placeholder(id);
  }

  void use_in_main(NodeId id) {
    if (is_used_in_main_[index_of(id)]) return;
    is_used_in_main_[index_of(id)] = true;
    used_in_main_.push_back(id);
  }

  void finish(const Node& output) {
    for (const Value& arg : output.args) {
      for_each_node(arg, [&](NodeId used) {
        if (from_.node(used).kind == NodeKind::kGetAttr) {
          main_copy_.add(used);
        } else {
          use_in_main(used);
        }
      });
    }
    for (const NodeId used : used_in_main_) {
      if (Component* component = component_of_[index_of(used)]; component != nullptr)
        component->outputs.push_back(used);
    }
    for (const std::unique_ptr<Component>& component : components_) call(*component);
    main_copy_.add_output(main_copy_.mapped(output.args.empty() ? Value() : output.args[0]));
  }

  void call(Component& component) {
    std::vector<Value> results;
    for (const NodeId id : component.outputs) results.push_back(node_ref(component.copy(id)));
    component.copy.add_output(
        results.size() == 1 ? results[0]
                            : Value::tuple(program_.arena().copy(std::span<const Value>(results))));
    NewNode call{.kind = NodeKind::kCallModule, .name = component.name, .target = component.name};
    call.val = Value::unset();
    for (const NodeId id : component.inputs) call.args.push_back(node_ref(main_copy_(id)));
    const NodeId module = main_.append(call);
    main_.add_submodule(component.name, component.graph);
    if (component.outputs.size() == 1) return main_copy_.map(component.outputs[0], module);
    for (size_t i = 0; i < component.outputs.size(); ++i)
      main_copy_.map(component.outputs[i], append_getitem(main_, module, i));
  }

  Program& program_;
  const Graph& from_;
  Graph& main_;
  GraphCopy main_copy_;
  std::vector<Component*> component_of_;
  std::vector<bool> is_used_in_main_;
  std::vector<NodeId> used_in_main_;
  std::vector<std::unique_ptr<Component>> components_;
  std::unordered_map<std::string, Component*> by_tag_;
};

}  // namespace

NodeId append_getitem(Graph& graph, NodeId container, size_t index) {
  return graph.append(NewNode{.name = "getitem",
                              .target = "_operator.getitem",
                              .args = {node_ref(container), Value(static_cast<int64_t>(index))},
                              .val = Value::unset()});
}

Graph& split_by_tags(Program& program, const Graph& graph, std::span<const std::string> tags,
                     const NodeTags& node_tags) {
  Graph& main = program.add_graph();
  Splitter(program, graph, main).run(tags, node_tags);
  return main;
}

PassResult split_by_tags(PassSubject& subject, const PassOptions& options) {
  std::vector<std::string> tags;
  NodeTags node_tags;
  PassResult result{.modified = true};
  JsonWriter json(result.info);
  {
    const auto object = json.object();
    const auto written = json.object("tags");
    const Graph& graph = *subject.graph;
    int64_t count = 0;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      if (!is_called(graph.node(id))) continue;
      if (count++ % options.group_size == 0) tags.push_back(format("part_{}", tags.size()));
      node_tags.emplace(id, tags.back());
      json.field(graph.name_of(id), tags.back());
    }
  }
  subject.graph = &split_by_tags(subject.program, *subject.graph, tags, node_tags);
  return result;
}

}  // namespace faketensor
