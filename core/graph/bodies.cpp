#include "core/graph/bodies.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/graph/module_stack.h"
#include "core/support/format.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

constexpr size_t kMostRows = 200000;  // of bodies
constexpr size_t kDeepest = 64;       // graphs in graphs; the interpreter goes no deeper

// Which arguments a graph is called with.
struct OperandRule {
  std::string_view op;
  int lists[3] = {-1, -1, -1};  // by place: the elements of these, one list after the other,
  int rest = -1;                // or all from this one on
};

// As the implementations for FakeTensorMode call them (higher_order.cpp, control_flow.cpp), or would.
constexpr OperandRule kRules[] = {
    {"associative_scan", {1, 1, 2}},
    {"cond", {3}},
    {"hints_wrapper", {1}},
    {"invoke_quant", {-1, -1, -1}, 1},
    {"invoke_subgraph", {-1, -1, -1}, 2},
    {"map_impl", {1, 2}},
    {"run_const_graph", {1}},
    {"scan", {1, 2, 3}},
    {"strict_mode", {1}},
    {"tag_activation_checkpoint", {-1, -1, -1}, 1},
    {"while_loop", {2, 3}},
    {"while_loop_stack_output", {2, 3}},
    {"wrap", {-1, -1, -1}, 1},
    {"wrap_activation_checkpoint", {-1, -1, -1}, 1},
    {"wrap_with_autocast", {-1, -1, -1}, 5},
    {"wrap_with_set_grad_enabled", {-1, -1, -1}, 2},
};

// Of the graph that is number `which` among the arguments. What scores and masks captured follows the
// element and its indices, which nothing in the program stands for.
OperandRule rule_of(std::string_view op, size_t which, size_t args) {
  if (op == "flex_attention") return {op, {which == 0 ? 7 : 8, -1, -1}};
  if (op == "flex_attention_backward") return {op, {which < 2 ? 12 : 13, -1, -1}};
  // PyTorch 2.6 named the dimension, and whether to go backwards, before the last list.
  constexpr size_t kScanWithDim = 6;
  if (op == "scan" && args == kScanWithDim) return {op, {1, 2, 5}};
  for (const OperandRule& rule : kRules)
    if (rule.op == op) return rule;
  return {op};
}

void add_operands(const Value& value, std::vector<Value>& to) {
  if (!value.is_list()) return to.push_back(value);
  for (size_t i = 0; i < value.size(); ++i) to.push_back(value[i]);
}

std::vector<Value> operands_of(const OperandRule& rule, std::span<const Value> args) {
  std::vector<Value> operands;
  for (const int list : rule.lists) {
    if (list >= 0 && static_cast<size_t>(list) < args.size())
      add_operands(args[static_cast<size_t>(list)], operands);
  }
  if (rule.rest >= 0)
    for (size_t i = static_cast<size_t>(rule.rest); i < args.size(); ++i)
      add_operands(args[i], operands);
  return operands;
}

void find_graphs(const Graph& graph, const Value& value, std::vector<const Graph*>& found) {
  if (value.is(Value::Tag::kGraph)) {
    found.push_back(&value.graph());
  } else if (value.is(Value::Tag::kNodeRef)) {
    const Node& node = graph.node(node_of(value));
    if (node.kind == NodeKind::kGetAttr && node.val.is(Value::Tag::kGraph))
      found.push_back(&node.val.graph());
  } else if (value.is(Value::Tag::kList)) {
    for (const Value& element : value.values()) find_graphs(graph, element, found);
  }
}

// The graphs that a node calls.
std::vector<const Graph*> graphs_of(const Graph& graph, const Node& node) {
  std::vector<const Graph*> found;
  if (node.kind == NodeKind::kCallFunction && graph.text(node.target).starts_with(kHigherOrderOps))
    for (const Value& arg : node.args) find_graphs(graph, arg, found);
  return found;
}

}  // namespace

std::pair<size_t, size_t> Bodies::of_call(Row row) const {
  const auto found = calls_.find(row);
  return found == calls_.end() ? std::pair<size_t, size_t>(0, 0) : found->second;
}

class Unfolder {
 public:
  explicit Unfolder(std::shared_ptr<const Program> program)
      : program_(Program::sharing(*program)), bodies_(std::make_shared<Bodies>()) {
    bodies_->original_ = std::move(program);
  }

  Program unfold() {
    const std::vector<NodeId> copies = copy_graph(bodies_->original_->graph(), Place{});
    note_rows(copies);
    count_modules();
    program_.bodies = std::move(bodies_);
    return std::move(program_);
  }

 private:
  // Where the nodes of a graph go.
  struct Place {
    bool is_body = false;
    std::string prefix = {};  // of their names
    ModuleId module = 0;
    std::string_view outside = {};     // path of the module that has the call
    std::vector<Value> operands = {};  // of the last placeholders
    size_t depth = 0;
    std::map<StringId, ModuleId> modules = {};  // inside, by their texts in the file
  };
  // The nodes that a body has become, before they have rows.
  struct Copies {
    NodeId call = kNoNode;
    std::vector<NodeId> of;  // by the ids of the graph
  };

  Graph& graph() { return program_.graph(); }
  StringId intern(std::string_view text) { return program_.strings().intern(text); }
  std::string_view path(ModuleId module) const {
    return program_.text(program_.modules[module].path);
  }

  std::vector<NodeId> copy_graph(const Graph& from, Place place) {
    std::vector<NodeId> copies(from.id_count(), kNoNode);
    const size_t inputs = from.plan()->input_count();
    const size_t unknown = inputs - std::min(inputs, place.operands.size());
    size_t placeholder = 0;
    NodeId call = kNoNode;  // the one before, but for what is taken out of it
    for (NodeId id = from.first(); id != kNoNode; id = from.next(id)) {
      Node node = from.node(id);
      node.args = with_copies(node.args, copies);
      if (place.is_body) {
        node.name = intern(place.prefix + std::string(from.name_of(id)));
        node.module = module_at(node.module_stack, place);
        if (node.kind == NodeKind::kPlaceholder && placeholder++ >= unknown &&
            placeholder <= inputs)
          node.args = kept({&place.operands[placeholder - 1 - unknown], 1});
      }
      const bool is_item = is_getitem(from, from.node(id));
      if (is_item && (place.is_body || node_of(node.args[0]) == call))
        node.module = graph().node(node_of(node.args[0])).module;
      const auto [first, last] = add_bodies(from, id, node, place);
      copies[index_of(id)] = graph().append(node);
      for (size_t body = first; body < last; ++body) copies_[body].call = copies[index_of(id)];
      if (!is_item) call = first < last ? copies[index_of(id)] : kNoNode;
      if (!place.is_body && !from.bindings(id).empty())
        graph().set_bindings(copies[index_of(id)], from.bindings(id));
    }
    return copies;
  }

  // Puts what a node calls before it, and it into a module with that. Returns the numbers of the
  // bodies.
  std::pair<size_t, size_t> add_bodies(const Graph& from, NodeId id, Node& node,
                                       const Place& around) {
    const std::vector<const Graph*> graphs = graphs_of(from, from.node(id));
    size_t rows = rows_;
    for (const Graph* called : graphs) rows += called->plan()->size();
    if (graphs.empty() || around.depth >= kDeepest || rows > kMostRows) return {0, 0};
    rows_ = rows;
    const size_t first = bodies_->bodies_.size();
    for (const Graph* called : graphs) bodies_->bodies_.push_back({called, kNoRow, {}});
    copies_.resize(bodies_->bodies_.size());
    const std::string_view op = program_.text(node.target).substr(kHigherOrderOps.size());
    const std::string_view outside = path(node.module);
    node.module = add_module(node.module, from.name_of(id), op);
    for (size_t i = 0; i < graphs.size(); ++i) {
      const std::string_view name = program_.text(graphs[i]->name);
      Place place{.is_body = true,
                  .prefix = prefix_of(name, program_.text(node.name)),
                  .module = node.module,
                  .outside = outside,
                  .operands = operands_of(rule_of(op, i, node.positional().size()), node.args),
                  .depth = around.depth + 1};
      if (graphs.size() > 1) place.module = add_module(node.module, name, "graph");
      std::vector<NodeId> copies = copy_graph(*graphs[i], std::move(place));
      copies_[first + i].of = std::move(copies);
    }
    return {first, first + graphs.size()};
  }

  // "true_graph_0/"; where a graph is called again, "cond_1/true_graph_0/".
  std::string prefix_of(std::string_view graph_name, std::string_view call) {
    return named_.insert(std::string(graph_name)).second ? format("{}/", graph_name)
                                                         : format("{}/{}/", call, graph_name);
  }

  ModuleId add_module(ModuleId parent, std::string_view name, std::string_view type) {
    Module module;
    module.parent = parent;
    module.path = parent == 0 ? intern(name) : intern(format("{}.{}", path(parent), name));
    module.type = intern(type);
    module.depth = program_.modules[parent].depth + 1;
    program_.modules.push_back(module);
    return static_cast<ModuleId>(program_.modules.size() - 1);
  }

  // The module of a node inside a body: what its stack has beyond the module of the call.
  ModuleId module_at(StringId stack, Place& place) {
    if (stack == 0) return place.module;
    const auto [known, is_new] = place.modules.emplace(stack, place.module);
    if (!is_new) return known->second;
    ModuleId module = place.module;
    std::string_view text = program_.text(stack);
    while (!text.empty()) {
      const ModuleStackEntry entry = take_entry(text);
      const bool is_around =
          entry.path == place.outside ||
          (place.outside.starts_with(entry.path) && place.outside[entry.path.size()] == '.');
      if (entry.is_no_module() || entry.path.empty() || is_around) continue;
      std::string_view inside = entry.path;
      if (!place.outside.empty() && inside.starts_with(place.outside) &&
          inside[place.outside.size()] == '.')
        inside.remove_prefix(place.outside.size() + 1);
      const StringId at = intern(format("{}.{}", path(place.module), inside));
      const auto [child, is_first] = children_.emplace(std::pair(module, at), 0);
      if (is_first) {
        child->second = add_module(module, inside, entry.type);
        program_.modules.back().path = at;
      }
      module = child->second;
    }
    place.modules[stack] = module;
    return module;
  }

  std::span<const Value> kept(std::span<const Value> values) {
    return program_.arena().copy(values);
  }
  std::span<const Value> with_copies(std::span<const Value> values,
                                     const std::vector<NodeId>& copies) {
    std::vector<Value> result;
    for (const Value& value : values) result.push_back(with_copies(value, copies));
    return kept(result);
  }
  // Readers nest lists at most a few deep.
  Value with_copies(const Value& value, const std::vector<NodeId>& copies) {
    if (value.is(Value::Tag::kNodeRef)) return node_ref(copies[value.node()]);
    if (!value.is(Value::Tag::kList)) return value;
    const std::span<const Value> elements = with_copies(value.values(), copies);
    return Value::like(value, elements);
  }

  void note_rows(const std::vector<NodeId>& copies) {
    const Plan& plan = program_.plan();
    bodies_->ids_.assign(plan.size(), kNoNode);
    for (const PlanRow& row : bodies_->original_->plan().rows())
      bodies_->ids_[plan.row_of(copies[index_of(row.id)])] = row.id;
    bodies_->in_body_.assign(plan.size(), false);
    for (size_t i = 0; i < copies_.size(); ++i) {
      Body& body = bodies_->bodies_[i];
      body.call = plan.row_of(copies_[i].call);
      for (const PlanRow& row : body.graph->plan()->rows()) {
        body.rows.push_back(plan.row_of(copies_[i].of[index_of(row.id)]));
        bodies_->in_body_[body.rows.back()] = true;
      }
      bodies_->calls_.try_emplace(body.call, i, i).first->second.second = i + 1;
    }
  }

  // With what is in bodies.
  void count_modules() {
    for (Module& module : program_.modules) {
      module.nodes = 0;
      module.first = module.last = kNoRow;
    }
    const Plan& plan = program_.plan();
    for (Row row = 0; row < plan.size(); ++row) {
      if (plan.row(row).kind != RowKind::kCall) continue;
      for (ModuleId at = plan.node(row).module;; at = program_.modules[at].parent) {
        Module& module = program_.modules[at];
        if (module.first == kNoRow) module.first = row;
        module.last = row;
        ++module.nodes;
        if (at == 0) break;
      }
    }
  }

  Program program_;
  std::shared_ptr<Bodies> bodies_;
  std::vector<Copies> copies_;   // by body
  std::set<std::string> named_;  // graphs that have rows
  std::map<std::pair<ModuleId, StringId>, ModuleId> children_;
  size_t rows_ = 0;
};

bool calls_graphs(const Graph& graph) {
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
    if (!graphs_of(graph, graph.node(id)).empty()) return true;
  return false;
}

Program with_bodies(std::shared_ptr<const Program> program) {
  return Unfolder(std::move(program)).unfold();
}

const Program& without_bodies(const Program& program) {
  return program.bodies == nullptr ? program : program.bodies->original();
}

}  // namespace faketensor
