#include "core/passes/unflatten.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/json_writer.h"
#include "core/graph/dead_code.h"
#include "core/passes/graph_copy.h"
#include "core/passes/module_calls.h"
#include "core/passes/unflattened_module.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// A module while its nodes are collected.
struct Frame {
  UnflattenedModule* module = nullptr;
  ModuleCalls stack;
  std::string path;            // without the number of the call
  std::string name;            // with it
  NodeId call = kNoNode;       // of the module, in the graph of the frame above
  std::vector<NodeId> copied;  // nodes of the flat graph, in the order in which they came
  std::unordered_map<NodeId, NodeId> copies;        // of them, in this graph
  std::unordered_map<NodeId, NodeId> placeholders;  // for values from outside

  void map(NodeId flat, NodeId copy) {
    if (copies.emplace(flat, copy).second) {
      copied.push_back(flat);
    } else {
      copies[flat] = copy;
    }
  }
};

// A call of a module, by which equal ones are found.
struct Entry {
  std::string parent_path;
  UnflattenedModule* parent = nullptr;
  Graph* parent_graph = nullptr;
  NodeId call = kNoNode;
  std::string path;
  size_t number = 0;
  UnflattenedModule* module = nullptr;
};

class Unflattener {
 public:
  Unflattener(Program& program, const Graph& from)
      : program_(program), from_(from), flat_(program.add_graph()) {}

  UnflattenedModules run() {
    copy_flat();
    // Removing effect tokens, PyTorch's first step, leaves no dead code.
    eliminate_dead_code(flat_);
    write_mutations();
    outline();
    copy_operator_graphs();
    sink_attributes(*root_, attribute_targets());
    merge_equal_modules();
    UnflattenedModules result;
    result.root = root_->graph;
    collect(result);
    return result;
  }

 private:
  // --- the flat graph ---

  void copy_flat() {
    GraphCopy copy(from_, flat_);
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      copy.add(id);
      const Node& node = flat_.node(flat_.last());
      if (node.kind == NodeKind::kPlaceholder) inputs_.push_back(flat_.last());
    }
  }

  // What is returned to be written into a buffer or an input is written there.
  void write_mutations() {
    using Kind = OutputSpec::Kind;
    const NodeId output = flat_.last();
    const Value all = flat_.node(output).args[0];
    if (!all.is_list()) return;
    std::vector<Value> returned;
    for (size_t i = 0; i < all.size(); ++i) {
      const OutputSpec spec = i < program_.outputs.size() ? program_.outputs[i] : OutputSpec{};
      const bool is_mutation =
          spec.kind == Kind::kBufferMutation || spec.kind == Kind::kUserInputMutation;
      if (!is_mutation) {
        returned.push_back(all[i]);
        continue;
      }
      const NodeId into = mutated_input(spec);
      if (into == kNoNode || !all[i].is(Value::Tag::kNodeRef)) continue;
      write_into(into, node_of(all[i]));
    }
    const Value kept = Value::tuple(program_.arena().copy(std::span<const Value>(returned)));
    flat_.set_arguments(output, {&kept, 1}, {});
  }

  NodeId mutated_input(const OutputSpec& spec) const {
    for (size_t i = 0; i < inputs_.size() && i < program_.inputs.size(); ++i) {
      const bool is_it = spec.kind == OutputSpec::Kind::kBufferMutation
                             ? program_.inputs[i].kind == InputSpec::Kind::kBuffer &&
                                   program_.inputs[i].target == spec.target
                             : flat_.node(inputs_[i]).name == spec.target;
      if (is_it) return inputs_[i];
    }
    return kNoNode;
  }

  void write_into(NodeId input, NodeId value) {
    const NodeId written = flat_.insert_before(
        flat_.next(value),
        {.name = "copy__default", .target = "torch.ops.aten.copy_.default", .val = Value::unset()});
    flat_.replace_all_uses(value, written);
    const Value args[] = {node_ref(input), node_ref(value)};
    flat_.set_arguments(written, args, {});
    copy_meta(flat_, value, flat_, written);
  }

  // --- modules ---

  UnflattenedModule& make_module() {
    return *modules_.emplace_back(std::make_unique<UnflattenedModule>());
  }
  UnflattenedModule& make_module_with_graph() {
    UnflattenedModule& module = make_module();
    module.graph = &program_.add_graph();
    return module;
  }

  // Each distinct text is taken apart once.
  const ModuleCalls& stack_of(NodeId id) {
    StringId text = flat_.node(id).module_stack;
    // Files do not tell that of a graph's attribute: it is where it is used.
    if (flat_.node(id).kind == NodeKind::kGetAttr && text == 0 && !flat_.users(id).empty())
      text = flat_.node(flat_.users(id)[0]).module_stack;
    if (text == 0)
      throw_error(ErrorKind::kValueError,
                  "not enough values to unpack (expected at least 1, got 0)");
    const auto [found, is_new] = stacks_.emplace(text, ModuleCalls{});
    if (is_new) found->second = parse_module_stack(flat_.text(text));
    return found->second;
  }

  void outline() {
    // PyTorch looks at all of them first.
    for (NodeId id = flat_.first(); id != kNoNode; id = flat_.next(id)) {
      const NodeKind kind = flat_.node(id).kind;
      if (kind != NodeKind::kPlaceholder && kind != NodeKind::kOutput) stack_of(id);
    }
    root_ = &make_module_with_graph();
    Frame& root = *frames_.emplace_back(std::make_unique<Frame>());
    root.module = root_;
    root.stack = {ModuleCall{}};
    for (NodeId id = flat_.first(); id != kNoNode; id = flat_.next(id)) {
      const NodeKind kind = flat_.node(id).kind;
      if (kind == NodeKind::kPlaceholder) {
        copy_node(id);
        continue;
      }
      if (kind == NodeKind::kOutput) {
        while (frames_.size() > 1) leave();
      } else {
        enter_frame_of(id);
      }
      if (kind == NodeKind::kGetAttr)
        operator_graphs_.emplace_back(frames_.back()->module, std::string(flat_.target_of(id)));
      copy_node(id);
    }
  }

  // Leaves the modules that are done and enters those that begin.
  void enter_frame_of(NodeId id) {
    const ModuleCalls& stack = stack_of(id);
    if (is_in_no_module(stack)) return;
    const auto is_in = [&](const ModuleCalls& of) {
      return of.size() <= stack.size() && std::equal(of.begin() + 1, of.end(), stack.begin() + 1);
    };
    while (frames_.size() > 1 && !is_in(frames_.back()->stack)) leave();
    while (frames_.back()->stack.size() < stack.size()) enter(stack[frames_.back()->stack.size()]);
  }

  void enter(const ModuleCall& call) {
    Frame& parent = *frames_.back();
    auto frame = std::make_unique<Frame>();
    frame->stack = parent.stack;
    frame->stack.push_back(call);
    frame->path = call.path;
    frame->name = call_name(call.path, call.number);
    const auto made = created_.find(call.path);
    frame->module = made == created_.end() ? &make_module_with_graph() : made->second;
    const std::string accessor = path_below(parent.path, frame->name);
    add_submodule(parent, accessor, *frame->module);
    frame->call = parent.module->graph->append(NewNode{.kind = NodeKind::kCallModule,
                                                       .name = accessor,
                                                       .target = accessor,
                                                       .val = Value::unset()});
    std::vector<Entry>& calls = entries_of(call.instance);
    if (!calls.empty()) frame->module->children = calls[0].module->children;
    calls.push_back({.parent_path = parent.path,
                     .parent = parent.module,
                     .parent_graph = parent.module->graph,
                     .call = frame->call,
                     .path = call.path,
                     .number = call.number,
                     .module = frame->module});
    frames_.push_back(std::move(frame));
  }

  std::vector<Entry>& entries_of(const std::string& instance) {
    const auto [found, is_new] = instance_of_.emplace(instance, instances_.size());
    if (is_new) instances_.emplace_back();
    return instances_[found->second];
  }

  void add_submodule(const Frame& parent, const std::string& accessor, UnflattenedModule& module) {
    const std::vector<std::string> parts = split_path(accessor);
    UnflattenedModule* at = parent.module;
    std::string path = parent.path;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      if (!path.empty()) path += '.';
      path += parts[i];
      UnflattenedModule* next = at->children->find(parts[i]);
      if (next == nullptr) {
        const auto [created, is_new] = created_.emplace(path, nullptr);
        if (is_new) created->second = &make_module_with_graph();
        next = created->second;
        at->children->set(parts[i], *next);
      }
      at = next;
    }
    at->children->set(parts.back(), module);
  }

  // --- nodes ---

  void copy_node(NodeId id) {
    Frame& frame = *frames_.back();
    Graph& graph = *frame.module->graph;
    const Node& node = flat_.node(id);
    std::vector<Value> args;
    for (const Value& arg : node.args) args.push_back(mapped(arg));
    const NodeId copy = graph.append(NewNode{.kind = node.kind,
                                             .name = std::string(flat_.name_of(id)),
                                             .target = std::string(flat_.target_of(id))});
    graph.set_arguments(copy, args, flat_.node(id).keywords);
    copy_meta(flat_, id, graph, copy);
    frame.map(id, copy);
    seen_.insert(id);
  }

  // Lists nest a few deep.
  Value mapped(const Value& value) {
    if (value.is(Value::Tag::kNodeRef)) return node_ref(local(node_of(value)));
    if (!value.is(Value::Tag::kList)) return value;
    std::vector<Value> elements;
    for (const Value& element : value.values()) elements.push_back(mapped(element));
    const std::span<const Value> kept = program_.arena().copy(std::span<const Value>(elements));
    return value.is_tuple() ? Value::tuple(kept) : Value::list(kept);
  }

  // A value in the graph of the innermost frame: made in it, or handed down from above.
  NodeId local(NodeId id) {
    size_t depth = frames_.size();
    NodeId value = kNoNode;
    while (depth > 0) {
      const Frame& frame = *frames_[--depth];
      if (const auto made = frame.copies.find(id); made != frame.copies.end()) {
        value = made->second;
        break;
      }
      if (const auto given = frame.placeholders.find(id); given != frame.placeholders.end()) {
        value = given->second;
        break;
      }
      if (depth == 0)
        throw_error(ErrorKind::kAssertionError,
                    format("Cannot add placeholder {} to root module", flat_.name_of(id)));
    }
    for (++depth; depth < frames_.size(); ++depth)
      value = hand_down(*frames_[depth - 1], value, *frames_[depth], id);
    return value;
  }

  // In front of the others, the argument as well as the placeholder.
  NodeId hand_down(Frame& parent, NodeId value, Frame& frame, NodeId id) {
    Graph& graph = *frame.module->graph;
    const std::string name(flat_.name_of(id));
    const NodeId placeholder = graph.insert_before(
        graph.first(), {.kind = NodeKind::kPlaceholder, .name = name, .target = name});
    copy_meta(flat_, id, graph, placeholder);
    frame.placeholders.emplace(id, placeholder);
    Graph& above = *parent.module->graph;
    std::vector<Value> args = {node_ref(value)};
    const std::span<const Value> others = above.node(frame.call).args;
    args.insert(args.end(), others.begin(), others.end());
    above.set_arguments(frame.call, args, {});
    return placeholder;
  }

  // Ends the innermost frame: what is used outside is returned.
  void leave() {
    const std::unique_ptr<Frame> frame = std::move(frames_.back());
    frames_.pop_back();
    created_.erase(frame->path);
    Frame& parent = *frames_.back();
    Graph& graph = *frame->module->graph;
    Graph& above = *parent.module->graph;
    std::vector<NodeId> outputs;
    std::vector<Value> returned;
    for (const NodeId id : frame->copied) {
      const std::span<const NodeId> users = flat_.users(id);
      const bool is_used_outside = std::any_of(users.begin(), users.end(),
                                               [&](NodeId user) { return !seen_.contains(user); });
      if (!is_used_outside) continue;
      outputs.push_back(id);
      returned.push_back(node_ref(frame->copies.at(id)));
    }
    const Value result = returned.size() == 1
                             ? returned[0]
                             : Value::list(program_.arena().copy(std::span<const Value>(returned)));
    graph.append(NewNode{.kind = NodeKind::kOutput,
                         .name = "output",
                         .target = "output",
                         .args = {result},
                         .val = Value::unset()});
    if (outputs.size() == 1) {
      above.meta(frame->call).val = flat_.node(outputs[0]).val;
      parent.map(outputs[0], frame->call);
      return;
    }
    std::vector<Value> values;
    for (const NodeId output : outputs) values.push_back(flat_.node(output).val);
    above.meta(frame->call).val =
        Value::list(program_.arena().copy(std::span<const Value>(values)));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Value args[] = {node_ref(frame->call), Value(static_cast<int64_t>(i))};
      const NodeId element = above.append(NewNode{.name = "getitem",
                                                  .target = "_operator.getitem",
                                                  .args = {args[0], args[1]},
                                                  .val = values[i]});
      parent.map(outputs[i], element);
    }
  }

  // --- attributes ---

  void copy_operator_graphs() {
    for (const auto& [module, name] : operator_graphs_) {
      const Graph* graph = from_.submodule(program_.strings().intern(name));
      if (graph == nullptr) continue;
      module->graph->add_submodule(name, *graph);
      UnflattenedModule& made = make_module();
      made.operator_graph = graph;
      module->children->set(name, made);
    }
  }

  AttributeTargets attribute_targets() const {
    AttributeTargets targets;
    for (size_t i = 0; i < inputs_.size() && i < program_.inputs.size(); ++i) {
      const InputSpec& spec = program_.inputs[i];
      const bool is_attribute =
          spec.kind != InputSpec::Kind::kUser && spec.kind != InputSpec::Kind::kToken;
      if (is_attribute)
        targets.emplace(flat_.name_of(inputs_[i]), split_path(program_.text(spec.target)));
    }
    return targets;
  }

  // --- equal modules ---

  // What a graph does, whatever its nodes are called.
  static std::string dump(const Graph& graph) {
    std::unordered_map<NodeId, size_t> numbers;
    std::string text;
    const auto append = [&](const auto& self, const Value& value) -> void {
      if (value.is(Value::Tag::kNodeRef)) {
        text += format("%{}", numbers.at(node_of(value)));
      } else if (value.is(Value::Tag::kList)) {
        text += value.is_tuple() ? "(" : "[";
        for (const Value& element : value.values()) {
          self(self, element);
          text += ',';
        }
        text += ')';
      } else {
        append_text(text, value);
      }
      text += ' ';
    };
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      const Node& node = graph.node(id);
      const bool has_target =
          node.kind == NodeKind::kCallFunction || node.kind == NodeKind::kGetAttr;
      text += format("{}[{}](", name(node.kind), has_target ? graph.text(node.target) : "");
      for (const Value& arg : node.args) append(append, arg);
      for (const StringId keyword : node.keywords) text.append(graph.text(keyword)).append("=");
      text += ")\n";
      numbers.emplace(id, numbers.size());
    }
    return text;
  }

  void merge_equal_modules() {
    for (std::vector<Entry>& calls : instances_) {
      if (calls.size() < 2) continue;
      std::unordered_map<std::string, const Entry*> first;
      std::unordered_map<std::string, const Entry*> first_of_path;
      for (Entry& entry : calls) {
        const std::string does = dump(*entry.module->graph);
        const Entry* seen = first.emplace(does, &entry).first->second;
        const Entry* same = first_of_path.emplace(entry.path + '\n' + does, &entry).first->second;
        if (seen != &entry && seen->path != entry.path) replace_module(entry, *seen->module);
        if (same != &entry) redirect(entry, *same);
      }
    }
  }

  static std::string target_of(const Entry& entry) {
    return path_below(entry.parent_path, call_name(entry.path, entry.number));
  }

  // The module with the last name on a path, and that name.
  static std::pair<UnflattenedModule*, std::string> holder_of(const Entry& entry) {
    std::vector<std::string> parts = split_path(target_of(entry));
    const std::string last = parts.back();
    parts.pop_back();
    return {find_module(*entry.parent, join_path(parts, 0)), last};
  }

  static void replace_module(const Entry& entry, UnflattenedModule& by) {
    const auto [holder, name] = holder_of(entry);
    if (holder != nullptr) holder->children->set(name, by);
  }

  static void redirect(const Entry& entry, const Entry& to) {
    const auto [holder, name] = holder_of(entry);
    if (holder != nullptr) holder->children->remove(name);
    entry.parent_graph->set_target(entry.call,
                                   path_below(entry.parent_path, call_name(to.path, to.number)));
  }

  // --- the result ---

  // Each module once, by the first of its paths.
  void collect(UnflattenedModules& result) {
    std::vector<std::pair<std::string, UnflattenedModule*>> open = {{"", root_}};
    std::unordered_set<const UnflattenedModule*> done;
    while (!open.empty()) {
      const auto [path, module] = open.back();
      open.pop_back();
      if (!done.insert(module).second) continue;
      if (module->operator_graph != nullptr) {
        collect_operator_graph(path, *module->operator_graph, result);
        continue;
      }
      const bool has_nodes = module->graph != nullptr && module->graph->size() > 0;
      if (has_nodes) result.graphs.emplace_back(path, module->graph);
      const auto& children = module->children->list;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (child->second == nullptr) continue;
        open.emplace_back(path.empty() ? child->first : path + '.' + child->first, child->second);
      }
    }
  }

  static void collect_operator_graph(const std::string& path, const Graph& graph,
                                     UnflattenedModules& result) {
    std::vector<std::pair<std::string, const Graph*>> open = {{path, &graph}};
    while (!open.empty()) {
      const auto [at, module] = open.back();
      open.pop_back();
      result.graphs.emplace_back(at, module);
      for (const Graph::Submodule& inner : module->submodules())
        open.emplace_back(format("{}.{}", at, module->text(inner.name)), inner.graph);
    }
  }

  Program& program_;
  const Graph& from_;
  Graph& flat_;
  std::vector<NodeId> inputs_;  // placeholders of the flat graph
  std::vector<std::unique_ptr<UnflattenedModule>> modules_;
  UnflattenedModule* root_ = nullptr;
  std::vector<std::unique_ptr<Frame>> frames_;                   // the innermost last
  std::unordered_map<std::string, UnflattenedModule*> created_;  // by path, before they are entered
  std::unordered_set<NodeId> seen_;  // nodes of the flat graph that were copied
  std::unordered_map<StringId, ModuleCalls> stacks_;
  std::unordered_map<std::string, size_t> instance_of_;
  std::vector<std::vector<Entry>> instances_;  // the calls of each, in the order of the first
  std::vector<std::pair<UnflattenedModule*, std::string>> operator_graphs_;
};

}  // namespace

UnflattenedModules unflatten(Program& program, const Graph& graph) {
  return Unflattener(program, graph).run();
}

namespace {

// {"signatures": {"mid": {"in_spec": ..., "out_spec": ...}}} of the modules whose calling convention
// was preserved; empty where there are none.
std::string preserved_signatures(const Program& program) {
  std::vector<std::pair<std::string_view, std::string_view>> preserved;
  for (const auto& [path, specs] : program.module_call_graph) {
    if (specs != 0 && !program.text(path).empty())
      preserved.emplace_back(program.text(path), program.text(specs));
  }
  std::string text;
  if (preserved.empty()) return text;
  JsonWriter json(text);
  const auto object = json.object();
  const auto signatures = json.object("signatures");
  for (const auto& [path, specs] : preserved) {
    const size_t end = std::min(specs.find('\n'), specs.size() - 1);
    const auto module = json.object(path);
    json.field("in_spec", specs.substr(0, end));
    json.field("out_spec", specs.substr(end + 1));
  }
  return text;
}

}  // namespace

PassResult unflatten_pass(PassSubject& subject, const PassOptions&) {
  const UnflattenedModules modules = unflatten(subject.program, *subject.graph);
  std::unordered_map<std::string_view, Graph*> by_path;
  std::unordered_map<const Graph*, Graph*> own;
  for (const std::shared_ptr<Graph>& graph : subject.program.graphs())
    own.emplace(graph.get(), graph.get());
  // Each module is a submodule of the innermost one above it that has a graph.
  for (const auto& [path, graph] : modules.graphs) {
    by_path.emplace(path, own.at(graph));
    for (size_t end = path.size(); end > 0;) {
      const size_t dot = path.rfind('.', end - 1);
      end = dot == std::string::npos ? 0 : dot;
      const auto parent = by_path.find(std::string_view(path).substr(0, end));
      if (parent == by_path.end()) continue;
      parent->second->add_submodule(path.substr(end == 0 ? 0 : end + 1), *graph);
      break;
    }
  }
  subject.graph = own.at(modules.root);
  return {.modified = true, .info = preserved_signatures(subject.program)};
}

}  // namespace faketensor
