// replace_set_grad_with_hop and replace_autocast_with_hop: where a program switches the grad mode or
// autocast, the part that runs under it becomes the body of a higher-order operator. Mirrors
// torch/_export/passes/replace_set_grad_with_hop_pass.py, replace_autocast_with_hop_pass.py and
// replace_with_hop_pass_util.py, names of nodes included.
#include <algorithm>
#include <unordered_map>

#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/passes/sequential_split.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The nodes that begin and end the parts of one of the passes: those that switch the grad mode, or
// the outermost that enter and leave autocast. Those inside of autocast come when the body's turn is.
class Switches {
 public:
  // `grad_enabled`: outside of the program.
  Switches(bool is_grad, bool grad_enabled) : is_grad_(is_grad), grad_enabled_(grad_enabled) {}

  bool is_switch(std::string_view target) const {
    return is_grad_ ? target == kSetGradEnabled
                    : target == kEnterAutocast || target == kExitAutocast;
  }

  // Asked of each node of a graph in order. Raises AssertionError for an exit that is not of the
  // region entered last.
  bool begins_part(const Graph& graph, NodeId id) {
    const std::string_view target = graph.target_of(id);
    if (is_grad_) return is_switch(target);
    const bool begins = has_left_ || (entered_.empty() && target == kEnterAutocast);
    has_left_ = false;
    if (target == kEnterAutocast) entered_.push_back(id);
    if (target != kExitAutocast) return begins;
    const std::span<const Value> args = graph.node(id).args;
    if (entered_.empty() || args.empty() || !args[0].is(Value::Tag::kNodeRef) ||
        node_of(args[0]) != entered_.back())
      throw_error(ErrorKind::kAssertionError, "exit node args[0] must match last enter node");
    entered_.pop_back();
    has_left_ = entered_.empty();
    return begins;
  }

  // Whether a part becomes a body, by the first node that is none of its inputs.
  bool makes_body(const Graph& part, NodeId first) const {
    const std::string_view target = part.target_of(first);
    if (!is_grad_) return target == kEnterAutocast;
    return is_switch(target) && part.node(first).args[0].to_bool() != grad_enabled_;
  }

  std::string name() const {
    return is_grad_ ? "wrap_with_set_grad_enabled" : "wrap_with_autocast";
  }
  std::string torch_fn() const {
    return format("{};WrapWith{}.{}", name(), is_grad_ ? "SetGradEnabled" : "Autocast", name());
  }
  // Whether switches go from parts that become no bodies.
  bool removes_idle() const { return is_grad_; }

 private:
  bool is_grad_;
  bool grad_enabled_;
  std::vector<NodeId> entered_;
  bool has_left_ = false;
};

// The parts of one main graph: each is a body, or goes back to where it came from.
class PartReplacer {
 public:
  PartReplacer(Program& program, const SequentialParts& parts, const Switches& switches)
      : program_(program), main_(*parts.main), switches_(switches) {
    for (NodeId id = main_.first(); id != kNoNode; id = main_.next(id)) {
      const NodeKind kind = main_.node(id).kind;
      if (kind == NodeKind::kCallModule || kind == NodeKind::kGetAttr)
        ++attributes_[std::string(main_.target_of(id))];
    }
  }

  void replace(NodeId call, Graph& part) {
    NodeId first = part.first();
    while (first != kNoNode && part.node(first).kind == NodeKind::kPlaceholder)
      first = part.next(first);
    if (first != kNoNode && switches_.makes_body(part, first)) {
      make_body(call, part);
    } else {
      put_back(call, part);
    }
  }

 private:
  std::vector<NodeId> switches_of(const Graph& part) const {
    std::vector<NodeId> found;
    for (NodeId id = part.first(); id != kNoNode; id = part.next(id)) {
      if (switches_.is_switch(part.target_of(id))) found.push_back(id);
    }
    return found;
  }

  // --- a body ---

  void make_body(NodeId call, Graph& part) {
    const std::vector<NodeId> switches = switches_of(part);
    const std::string name(main_.target_of(call));
    const StringId stack = part.node(switches[0]).module_stack;
    const NodeId body = main_.insert_before(
        call,
        NewNode{.kind = NodeKind::kGetAttr, .name = name, .target = name, .val = Value(&part)});
    main_.meta(body).module_stack = stack;
    main_.add_submodule(name, part);

    const NodeId output = part.last();
    const Value returned = part.node(output).args[0];
    const bool is_list = returned.is_list();
    NewNode made{.name = is_list ? switches_.name() : std::string(part.name_of(node_of(returned))),
                 .target = format("torch.ops.higher_order.{}", switches_.name())};
    for (const Value& arg : part.node(switches[0]).args) made.args.push_back(arg);
    made.args.push_back(node_ref(body));
    for (const Value& arg : main_.node(call).args) made.args.push_back(arg);
    made.val = values_of(part, returned);
    const NodeId wrapped = main_.insert_before(call, made);
    main_.meta(wrapped).module_stack = stack;
    main_.meta(wrapped).torch_fn = program_.strings().intern(switches_.torch_fn());
    if (is_list) {
      main_.replace_all_uses(call, wrapped);
      name_elements(wrapped, part, returned);
    } else {
      return_list(part, output, returned);
      main_.replace_all_uses(call, element(call, wrapped, part, node_of(returned)));
    }
    main_.erase(call);
    for (size_t i = switches.size(); i > 0; --i) {
      const bool is_ours = i == 1 || i == switches.size();
      if (is_ours) part.erase(switches[i - 1]);
    }
  }

  Value values_of(const Graph& part, const Value& returned) const {
    std::vector<Value> values;
    for_each_node(returned, [&](NodeId id) { values.push_back(part.node(id).val); });
    return Value::tuple(program_.arena().copy(std::span<const Value>(values)));
  }

  // The elements of the result are named after what they are in the body.
  void name_elements(NodeId wrapped, const Graph& part, const Value& returned) {
    const std::span<const NodeId> users = main_.users(wrapped);
    for (const NodeId user : std::vector<NodeId>(users.begin(), users.end())) {
      const auto index = static_cast<size_t>(main_.node(user).args[1].to_int());
      const NodeId inner = node_of(returned[index]);
      if (part.name_of(inner) != main_.name_of(user))
        main_.set_name(user, program_.strings().intern(main_.take_name(part.name_of(inner))));
      copy_meta(part, inner, main_, user);
    }
  }

  void return_list(Graph& part, NodeId output, const Value& returned) {
    const Value list[] = {
        Value::tuple(program_.arena().copy(std::span<const Value>(&returned, 1)))};
    part.set_arguments(output, list, {});
  }

  NodeId element(NodeId before, NodeId wrapped, const Graph& part, NodeId inner) {
    const NodeId taken =
        main_.insert_before(before, NewNode{.name = "getitem",
                                            .target = "_operator.getitem",
                                            .args = {node_ref(wrapped), Value(0)}});
    copy_meta(part, inner, main_, taken);
    return taken;
  }

  // --- no body ---

  void put_back(NodeId call, Graph& part) {
    GraphCopy copy(part, main_);
    copy.place = call;
    const std::span<const Value> given = main_.node(call).args;
    size_t input = 0;
    for (NodeId id = part.first(); id != kNoNode; id = part.next(id)) {
      const NodeKind kind = part.node(id).kind;
      if (kind == NodeKind::kPlaceholder) {
        copy.map(id, node_of(given[input++]));
      } else if (kind == NodeKind::kGetAttr) {
        put_back_module(copy, part, id);
      } else if (kind != NodeKind::kOutput &&
                 !(switches_.removes_idle() && switches_.is_switch(part.target_of(id)))) {
        copy.add(id);
      }
    }
    const Value returned = part.node(part.last()).args[0];
    if (returned.is_list()) {
      const std::span<const NodeId> users = main_.users(call);
      for (const NodeId user : std::vector<NodeId>(users.begin(), users.end())) {
        const auto index = static_cast<size_t>(main_.node(user).args[1].to_int());
        main_.replace_all_uses(user, copy(node_of(returned[index])));
        main_.erase(user);
      }
    } else {
      main_.replace_all_uses(call, copy(node_of(returned)));
    }
    release(main_.target_of(call));
    main_.erase(call);
  }

  // Under a name that is free.
  void put_back_module(GraphCopy& copy, const Graph& part, NodeId id) {
    std::string target(part.target_of(id));
    if (attributes_.count(target) != 0) {
      while (attributes_.count(target = format("submod_{}", first_free_)) != 0) ++first_free_;
    }
    ++attributes_[target];
    const NodeId made =
        main_.insert_before(copy.place, NewNode{.kind = NodeKind::kGetAttr,
                                                .name = std::string(part.name_of(id)),
                                                .target = target});
    copy_meta(part, id, main_, made);
    copy.map(id, made);
    if (part.node(id).val.is(Value::Tag::kGraph))
      main_.add_submodule(target, part.node(id).val.graph());
  }

  void release(std::string_view target) {
    const auto found = attributes_.find(std::string(target));
    if (--found->second > 0) return;
    attributes_.erase(found);
    constexpr std::string_view kPrefix = "submod_";
    size_t number = 0;
    for (const char c : target.substr(kPrefix.size()))
      number = number * 10 + static_cast<size_t>(c - '0');
    if (number > 0) first_free_ = std::min(first_free_, number);
  }

  Program& program_;
  Graph& main_;
  const Switches& switches_;
  std::unordered_map<std::string, size_t> attributes_;  // how many nodes name each
  size_t first_free_ = 1;                               // no "submod_" below it is free
};

class HopReplacer {
 public:
  HopReplacer(PassSubject& subject, bool is_grad, bool grad_enabled)
      : subject_(subject), is_grad_(is_grad), grad_enabled_(grad_enabled) {
    for (const std::shared_ptr<Graph>& graph : subject.program.graphs())
      own_.emplace(graph.get(), graph.get());
  }

  // The graph with its regions as bodies, bodies included; the same graph where there are none.
  Graph& run(Graph& graph) {
    Graph& replaced = replace(graph);
    for (const NodeId id : replaced.order()) {
      const Node& node = replaced.node(id);
      if (node.kind != NodeKind::kGetAttr || !node.val.is(Value::Tag::kGraph)) continue;
      const Graph* inner = &body(node.val.graph());
      if (inner == &node.val.graph()) continue;
      replaced.add_submodule(replaced.target_of(id), *inner);
      replaced.meta(id).val = Value(inner);
    }
    return replaced;
  }

  bool modified() const { return modified_; }

 private:
  const Graph& body(const Graph& graph) {
    if (const auto done = done_.find(&graph); done != done_.end()) return *done->second;
    const auto found = own_.find(&graph);
    const Graph* replaced = found == own_.end() ? &graph : &run(*found->second);
    done_.emplace(&graph, replaced);
    return *replaced;
  }

  Graph& replace(Graph& graph) {
    Switches switches(is_grad_, grad_enabled_);
    bool is_needed = false;
    for (NodeId id = graph.first(); id != kNoNode && !is_needed; id = graph.next(id))
      is_needed = switches.is_switch(graph.target_of(id));
    if (!is_needed) return graph;
    modified_ = true;
    const SequentialParts parts = sequential_split(
        subject_.program, graph, [&](NodeId id) { return switches.begins_part(graph, id); });
    PartReplacer replacer(subject_.program, parts, switches);
    for (const auto& [call, part] : parts.calls) {
      own_.emplace(part, part);
      replacer.replace(call, *part);
    }
    return *parts.main;
  }

  PassSubject& subject_;
  bool is_grad_;
  bool grad_enabled_;
  bool modified_ = false;
  std::unordered_map<const Graph*, Graph*> own_;
  std::unordered_map<const Graph*, const Graph*> done_;
};

PassResult replace_with_hop(PassSubject& subject, bool is_grad, bool grad_enabled) {
  HopReplacer replacer(subject, is_grad, grad_enabled);
  subject.graph = &replacer.run(*subject.graph);
  return modified_result(replacer.modified());
}

}  // namespace

PassResult replace_set_grad_with_hop(PassSubject& subject, const PassOptions& options) {
  return replace_with_hop(subject, true, options.grad_enabled);
}

PassResult replace_autocast_with_hop(PassSubject& subject, const PassOptions&) {
  return replace_with_hop(subject, false, true);
}

}  // namespace faketensor
