#include "core/passes/outline.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/graph_text.h"
#include "core/ops/registry.h"
#include "core/passes/graph_copy.h"
#include "core/passes/module_calls.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kTreeUnflatten = "torch.utils._pytree.tree_unflatten";
constexpr std::string_view kFlatten = "torch.fx._pytree.tree_flatten_spec";

// A module while its nodes are collected.
struct Frame {
  UnflattenedModule* module = nullptr;
  ModuleCalls stack;
  std::string path;                          // without the number of the call
  std::string name;                          // with it
  const CallSignature* signature = nullptr;  // of this call, where it was kept
  bool keeps_signature = false;              // of the first call of the module
  NodeId call = kNoNode;                     // of the module, in the graph of the frame above
  std::vector<NodeId> copied;  // nodes of the flat graph, in the order in which they came
  std::unordered_map<NodeId, NodeId> copies;        // of them, in this graph
  std::unordered_map<NodeId, NodeId> placeholders;  // for values from outside

  Graph& graph() const { return *module->graph; }
  void map(NodeId flat, NodeId copy) {
    if (copies.emplace(flat, copy).second) {
      copied.push_back(flat);
    } else {
      copies[flat] = copy;
    }
  }
  NodeId find(NodeId flat) const {
    if (const auto made = copies.find(flat); made != copies.end()) return made->second;
    const auto given = placeholders.find(flat);
    return given == placeholders.end() ? kNoNode : given->second;
  }
};

// What a module whose signature was kept computes anew where it cannot be handed in. Mirrors
// _ModuleFrame.remap_input.
bool is_computed_anew(std::string_view target) {
  constexpr std::string_view kTargets[] = {
      "torch.ops.aten.sym_size.int", "torch.ops.aten.item.default",
      "torch.ops.aten.unbind.int",   "torch.ops.aten.sum.dim_IntList",
      "torch.ops.aten.view.default", "torch.ops.aten.diff.default",
  };
  return target.starts_with("_operator.") ||
         std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

bool is_mutable(std::string_view target) {
  const OpId op = Registry::builtin().find(Registry::qualified(target));
  if (op == kNoOp) return false;
  const auto arguments = Registry::builtin().entry(op).schema.arguments;
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& argument) { return argument.is_written(); });
}

class Outliner {
 public:
  Outliner(Program& program, const Graph& flat, const CallSignatures& signatures)
      : program_(program), flat_(flat), signatures_(signatures) {}

  Outline run() {
    // PyTorch looks at all of them first.
    for (NodeId id = flat_.first(); id != kNoNode; id = flat_.next(id)) {
      by_name_.emplace(flat_.name_of(id), id);
      const NodeKind kind = flat_.node(id).kind;
      if (kind != NodeKind::kPlaceholder && kind != NodeKind::kOutput) stack_of(id);
    }
    Frame& root = *frames_.emplace_back(std::make_unique<Frame>());
    root.module = outline_.root = &make_module();
    root.stack = {ModuleCall{}};
    root.keeps_signature = !signatures_.empty();  // export keeps the program's own
    for (NodeId id = flat_.first(); id != kNoNode; id = flat_.next(id)) {
      const NodeKind kind = flat_.node(id).kind;
      if (kind == NodeKind::kOutput) {
        while (frames_.size() > 1) leave();
      } else if (kind != NodeKind::kPlaceholder) {
        enter_frame_of(id);
      }
      if (kind == NodeKind::kGetAttr)
        outline_.operator_graphs.emplace_back(frames_.back()->module,
                                              std::string(flat_.target_of(id)));
      copy_node(id);
    }
    write_read_mutations();
    return std::move(outline_);
  }

 private:
  UnflattenedModule& make_module() {
    UnflattenedModule& module = outline_.add_module();
    module.graph = &program_.add_graph();
    return module;
  }
  std::span<const Value> kept(std::span<const Value> values) {
    return program_.arena().copy(values);
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

  // --- entering ---

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

  const CallSignature* signature_of(const std::string& call) const {
    const auto found = signatures_.find(call);
    return found == signatures_.end() ? nullptr : &found->second;
  }

  void enter(const ModuleCall& call) {
    Frame& parent = *frames_.back();
    auto frame = std::make_unique<Frame>();
    frame->stack = parent.stack;
    frame->stack.push_back(call);
    frame->path = call.path;
    frame->name = call_name(call.path, call.number);
    frame->signature = signature_of(frame->name);
    frame->keeps_signature = signature_of(frame->path) != nullptr;
    const auto made = created_.find(call.path);
    frame->module = made == created_.end() ? &make_module() : made->second;
    const std::string accessor = path_below(parent.path, frame->name);
    add_submodule(parent, accessor, *frame->module);
    frame->call = parent.graph().append(NewNode{.kind = NodeKind::kCallModule,
                                                .name = accessor,
                                                .target = accessor,
                                                .val = Value::unset()});
    std::vector<OutlinedCall>& calls = calls_of(call.instance);
    if (!calls.empty()) frame->module->children = calls[0].module->children;
    calls.push_back({.parent_path = parent.path,
                     .parent = parent.module,
                     .parent_graph = parent.module->graph,
                     .call = frame->call,
                     .path = call.path,
                     .number = call.number,
                     .module = frame->module});
    frames_.push_back(std::move(frame));
    if (frames_.back()->signature != nullptr) {
      take_arguments_apart(*frames_.back());
      put_arguments_together(*frames_.back());
    }
  }

  std::vector<OutlinedCall>& calls_of(const std::string& instance) {
    const auto [found, is_new] = instance_of_.emplace(instance, outline_.instances.size());
    if (is_new) outline_.instances.emplace_back();
    return outline_.instances[found->second];
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
        if (is_new) created->second = &make_module();
        next = created->second;
        at->children->set(parts[i], *next);
      }
      at = next;
    }
    at->children->set(parts.back(), module);
  }

  // --- calls whose signature was kept ---

  // A call of torch.utils._pytree with a spec of the module.
  static NodeId call_pytree(UnflattenedModule& module, NodeId before, std::string_view function,
                            const Value& values, const std::string& spec) {
    const std::string name = format("_spec_{}", module.specs.size());
    module.specs.push_back(spec);
    Graph& graph = *module.graph;
    const NodeId attribute = graph.insert_before(
        before, {.kind = NodeKind::kGetAttr, .name = name, .target = name, .val = Value::unset()});
    return graph.insert_before(before,
                               {.name = std::string(function.substr(function.rfind('.') + 1)),
                                .target = std::string(function),
                                .args = {values, node_ref(attribute)},
                                .val = Value::unset()});
  }

  static NodeId get_item(Graph& graph, NodeId before, NodeId of, const Value& index,
                         std::string name = "getitem") {
    return graph.insert_before(before, {.name = std::move(name),
                                        .target = "_operator.getitem",
                                        .args = {node_ref(of), index},
                                        .val = Value::unset()});
  }

  Value dictionary(std::span<const std::string> keys, std::span<const Value> values) {
    std::vector<Value> items;
    for (size_t i = 0; i < keys.size(); ++i) {
      const Value item[] = {key(keys[i]), values[i]};
      items.push_back(Value::list(kept(item)));
    }
    return Value::dict(kept(items));
  }
  Value key(std::string_view text) { return Value::string(program_.arena().copy(text)); }

  // A node of the flat graph that was copied; kNoNode for another name.
  NodeId seen(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() || !seen_.contains(found->second) ? kNoNode : found->second;
  }

  // In the module's graph: its arguments, and the values they hold.
  void take_arguments_apart(Frame& frame) {
    const CallSignature& signature = *frame.signature;
    Graph& graph = frame.graph();
    const auto placeholder = [&](const std::string& name) {
      return node_ref(graph.append(NewNode{
          .kind = NodeKind::kPlaceholder, .name = name, .target = name, .val = Value::unset()}));
    };
    std::vector<Value> args;
    for (size_t i = 0; i < signature.positional; ++i)
      args.push_back(placeholder(format("_positional_arg_{}", i)));
    std::vector<Value> by_keyword;
    for (const std::string& name : signature.keywords) by_keyword.push_back(placeholder(name));
    const Value call[] = {Value::tuple(kept(args)), dictionary(signature.keywords, by_keyword)};
    const NodeId flat =
        call_pytree(*frame.module, kNoNode, kFlatten, Value::tuple(kept(call)), signature.in_spec);
    for (size_t i = 0; i < signature.inputs.size(); ++i) {
      const CallSignature::Argument& input = signature.inputs[i];
      const NodeId element = get_item(graph, kNoNode, flat, Value(static_cast<int64_t>(i)),
                                      input.is_constant ? format("_constant_{}", i) : input.name);
      const NodeId value = input.is_constant ? kNoNode : seen(input.name);
      if (value == kNoNode) continue;
      copy_meta(flat_, value, graph, element);
      frame.placeholders[value] = element;
    }
  }

  // In the graph above: what the module is called with.
  void put_arguments_together(Frame& frame) {
    const CallSignature& signature = *frame.signature;
    Frame& parent = *frames_[frames_.size() - 2];
    Graph& above = parent.graph();
    std::vector<Value> leaves;
    for (const CallSignature::Argument& input : signature.inputs) {
      const NodeId value = input.is_constant ? kNoNode : seen(input.name);
      leaves.push_back(input.is_constant  ? input.value
                       : value == kNoNode ? Value()
                                          : node_ref(local(value, frames_.size() - 2)));
    }
    const NodeId tree = call_pytree(*parent.module, frame.call, kTreeUnflatten,
                                    Value::list(kept(leaves)), signature.in_spec);
    const NodeId positional = get_item(above, frame.call, tree, 0);
    const NodeId by_keyword = get_item(above, frame.call, tree, 1);
    std::vector<Value> args;
    for (size_t i = 0; i < signature.positional; ++i)
      args.push_back(
          node_ref(get_item(above, frame.call, positional, Value(static_cast<int64_t>(i)))));
    std::vector<StringId> keywords;
    for (const std::string& name : signature.keywords) {
      args.push_back(node_ref(get_item(above, frame.call, by_keyword, key(name))));
      keywords.push_back(program_.strings().intern(name));
    }
    above.set_arguments(frame.call, args, keywords);
  }

  // --- nodes ---

  void copy_node(NodeId id) {
    const NodeId copy =
        copied_call(id, std::string(flat_.name_of(id)), frames_.size() - 1, kNoNode);
    frames_.back()->map(id, copy);
    seen_.insert(id);
  }

  // A node with its arguments as they are in a frame's graph.
  NodeId copied_call(NodeId id, std::string name, size_t depth, NodeId before) {
    const Node& node = flat_.node(id);
    std::vector<Value> args;
    for (const Value& arg : node.args) args.push_back(mapped(arg, depth));
    Graph& graph = frames_[depth]->graph();
    const NodeId copy =
        graph.insert_before(before, NewNode{.kind = node.kind,
                                            .name = std::move(name),
                                            .target = std::string(flat_.target_of(id))});
    graph.set_arguments(copy, args, flat_.node(id).keywords);
    copy_meta(flat_, id, graph, copy);
    return copy;
  }

  // Lists nest a few deep.
  Value mapped(const Value& value, size_t depth) {
    if (value.is(Value::Tag::kNodeRef)) return node_ref(local(node_of(value), depth));
    if (!value.is(Value::Tag::kList)) return value;
    std::vector<Value> elements;
    for (const Value& element : value.values()) elements.push_back(mapped(element, depth));
    return Value::like(value, kept(elements));
  }

  // A value in the graph of a frame: made in it, handed down from above, or computed anew.
  NodeId local(NodeId id, size_t depth) {
    const bool is_input = flat_.node(id).kind == NodeKind::kPlaceholder;
    size_t from = depth;
    NodeId value = frames_[from]->find(id);
    while (value == kNoNode && (is_input || !frames_[from]->keeps_signature)) {
      if (from == 0)
        throw_error(ErrorKind::kAssertionError,
                    format("Cannot add placeholder {} to root module", flat_.name_of(id)));
      value = frames_[--from]->find(id);
    }
    if (value == kNoNode) value = without_handing_in(id, from);
    for (; from < depth; ++from) value = hand_down(from + 1, value, id);
    return value;
  }

  // Of a module that is called with what its signature says.
  NodeId without_handing_in(NodeId id, size_t depth) {
    const Node& node = flat_.node(id);
    if (node.kind != NodeKind::kCallFunction)
      throw_error(ErrorKind::kAssertionError,
                  format("expected node.op to be 'call_function', got '{}'", name(node.kind)));
    // Python's own limit is of this order: a copy takes several of its frames.
    constexpr int kMaxNesting = 150;
    if (nesting_ >= kMaxNesting)
      throw_error(ErrorKind::kLimitExceeded, "maximum recursion depth exceeded");
    ++nesting_;
    NodeId value = kNoNode;
    if (is_computed_anew(flat_.target_of(id))) {
      const bool is_innermost = depth + 1 == frames_.size();
      value = copied_call(id, name_of_target(flat_.target_of(id)), depth,
                          is_innermost ? kNoNode : frames_[depth + 1]->call);
      frames_[depth]->map(id, value);
    } else {
      value = read_mutation(id, depth);
    }
    --nesting_;
    return value;
  }

  // What a write has left in a value, which is read there; the write is made where it is computed.
  NodeId read_mutation(NodeId id, size_t depth) {
    if (!is_mutable(flat_.target_of(id)))
      read_mutations_[stack_of(id).back().path].insert(std::string(flat_.name_of(id)));
    const std::span<const Value> args = flat_.node(id).args;
    if (args.empty() || !args[0].is(Value::Tag::kNodeRef))
      throw_error(ErrorKind::kAttributeError, "'tuple' object has no attribute 'graph'");
    return local(node_of(args[0]), depth);
  }

  // In front of the others, the argument as well as the placeholder.
  NodeId hand_down(size_t depth, NodeId value, NodeId id) {
    Frame& frame = *frames_[depth];
    Graph& graph = frame.graph();
    const std::string name(flat_.name_of(id));
    const NodeId placeholder = graph.insert_before(
        graph.first(), {.kind = NodeKind::kPlaceholder, .name = name, .target = name});
    copy_meta(flat_, id, graph, placeholder);
    frame.placeholders.emplace(id, placeholder);
    Graph& above = frames_[depth - 1]->graph();
    std::vector<Value> args = {node_ref(value)};
    const Node& call = above.node(frame.call);
    args.insert(args.end(), call.args.begin(), call.args.end());
    above.set_arguments(frame.call, args, call.keywords);
    return placeholder;
  }

  // --- leaving ---

  // Ends the innermost frame.
  void leave() {
    const std::unique_ptr<Frame> frame = std::move(frames_.back());
    frames_.pop_back();
    created_.erase(frame->path);
    if (frame->signature == nullptr) {
      return_what_is_used(*frame);
    } else {
      return_by_signature(*frame);
    }
  }

  static void add_output(Graph& graph, const Value& result) {
    graph.append(NewNode{.kind = NodeKind::kOutput,
                         .name = "output",
                         .target = "output",
                         .args = {result},
                         .val = Value::unset()});
  }

  // What is used outside is returned.
  void return_what_is_used(const Frame& frame) {
    Graph& above = frames_.back()->graph();
    std::vector<NodeId> outputs;
    std::vector<Value> returned;
    for (const NodeId id : frame.copied) {
      const std::span<const NodeId> users = flat_.users(id);
      const bool is_used_outside = std::any_of(users.begin(), users.end(),
                                               [&](NodeId user) { return !seen_.contains(user); });
      if (!is_used_outside) continue;
      outputs.push_back(id);
      returned.push_back(node_ref(frame.copies.at(id)));
    }
    add_output(frame.graph(), returned.size() == 1 ? returned[0] : Value::list(kept(returned)));
    if (outputs.size() == 1) {
      above.meta(frame.call).val = flat_.node(outputs[0]).val;
      frames_.back()->map(outputs[0], frame.call);
      return;
    }
    std::vector<Value> values;
    for (const NodeId output : outputs) values.push_back(flat_.node(output).val);
    above.meta(frame.call).val = Value::list(kept(values));
    take_elements(frame.call, outputs);
  }

  // What the call returned is returned.
  void return_by_signature(const Frame& frame) {
    std::vector<NodeId> outputs;
    std::vector<Value> returned;
    for (const CallSignature::Argument& output : frame.signature->outputs) {
      outputs.push_back(seen(output.name));
      if (outputs.back() == kNoNode) {
        returned.emplace_back();
        continue;
      }
      const NodeId value = frame.find(outputs.back());
      if (value == kNoNode)
        throw_error(ErrorKind::kRuntimeError, format("Could not find output node {}. Graph: {}",
                                                     output.name, graph_text(frame.graph())));
      returned.push_back(node_ref(value));
    }
    const NodeId tree = call_pytree(*frame.module, kNoNode, kTreeUnflatten,
                                    Value::tuple(kept(returned)), frame.signature->out_spec);
    add_output(frame.graph(), node_ref(tree));
    const NodeId flat = call_pytree(*frames_.back()->module, kNoNode, kFlatten,
                                    node_ref(frame.call), frame.signature->out_spec);
    take_elements(flat, outputs);
  }

  // Elements of what a call returns, in the innermost graph.
  void take_elements(NodeId of, std::span<const NodeId> outputs) {
    Graph& graph = frames_.back()->graph();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNoNode) continue;
      const NodeId element = get_item(graph, kNoNode, of, Value(static_cast<int64_t>(i)));
      graph.meta(element).val = flat_.node(outputs[i]).val;
      frames_.back()->map(outputs[i], element);
    }
  }

  // Writes that a module reads without being handed the result (_IVals.update).
  void write_read_mutations() {
    if (read_mutations_.empty()) return;
    for (const std::vector<OutlinedCall>& calls : outline_.instances) {
      for (const OutlinedCall& call : calls) {
        const auto names = read_mutations_.find(call.path);
        if (names == read_mutations_.end()) continue;
        Graph& graph = *call.module->graph;
        for (const NodeId id : graph.order()) {
          if (!names->second.contains(std::string(graph.name_of(id)))) continue;
          const NodeId written =
              graph.insert_before(graph.next(id), {.name = "copy__default",
                                                   .target = "torch.ops.aten.copy_.default",
                                                   .args = {graph.node(id).args[0], node_ref(id)}});
          copy_meta(graph, id, graph, written);
        }
      }
    }
  }

  Program& program_;
  const Graph& flat_;
  const CallSignatures& signatures_;
  Outline outline_;
  std::vector<std::unique_ptr<Frame>> frames_;                   // the innermost last
  std::unordered_map<std::string, UnflattenedModule*> created_;  // by path, before they are entered
  std::unordered_map<std::string_view, NodeId> by_name_;         // nodes of the flat graph
  std::unordered_set<NodeId> seen_;                              // those that were copied
  std::unordered_map<StringId, ModuleCalls> stacks_;
  std::unordered_map<std::string, size_t> instance_of_;
  // By the path of the module that computes them, names of values that are written.
  std::unordered_map<std::string, std::unordered_set<std::string>> read_mutations_;
  int nesting_ = 0;
};

}  // namespace

Outline outline(Program& program, const Graph& flat, const CallSignatures& signatures) {
  return Outliner(program, flat, signatures).run();
}

}  // namespace faketensor
