#include "core/passes/unflatten.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/formats/json_writer.h"
#include "core/graph/dead_code.h"
#include "core/passes/graph_copy.h"
#include "core/passes/module_calls.h"
#include "core/passes/outline.h"
#include "core/passes/unflattened_module.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

class Unflattener {
 public:
  Unflattener(Program& program, const Graph& from)
      : program_(program), from_(from), flat_(program.add_graph()) {}

  UnflattenedModules run() {
    copy_flat();
    // Removing effect tokens, PyTorch's first step, leaves no dead code.
    eliminate_dead_code(flat_);
    write_mutations();
    read_signatures();
    outline_ = outline(program_, flat_, signatures_);
    copy_operator_graphs();
    sink_attributes(root(), attribute_targets());
    merge_equal_modules();
    dispatch_calls();
    UnflattenedModules result;
    result.root = root().graph;
    collect(result);
    return result;
  }

 private:
  UnflattenedModule& root() const { return *outline_.root; }

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

  void read_signatures() {
    for (const auto& [path, signature] : program_.module_call_graph) {
      if (signature != 0)
        signatures_.emplace(program_.text(path),
                            read_call_signature(program_.arena(), program_.text(signature)));
    }
  }

  // --- attributes ---

  void copy_operator_graphs() {
    for (const auto& [module, name] : outline_.operator_graphs) {
      const Graph* graph = from_.submodule(program_.strings().intern(name));
      if (graph == nullptr) continue;
      module->graph->add_submodule(name, *graph);
      UnflattenedModule& made = outline_.add_module();
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
    for (std::vector<OutlinedCall>& calls : outline_.instances) {
      if (calls.size() < 2) continue;
      std::unordered_map<std::string, const OutlinedCall*> first;
      std::unordered_map<std::string, const OutlinedCall*> first_of_path;
      for (OutlinedCall& entry : calls) {
        const std::string does = dump(*entry.module->graph);
        const OutlinedCall* seen = first.emplace(does, &entry).first->second;
        const OutlinedCall* same =
            first_of_path.emplace(entry.path + '\n' + does, &entry).first->second;
        if (seen != &entry && seen->path != entry.path) replace_module(entry, *seen->module);
        if (same != &entry) redirect(entry, *same);
      }
    }
  }

  static std::string target_of(const OutlinedCall& entry) {
    return path_below(entry.parent_path, call_name(entry.path, entry.number));
  }

  // The module with the last name on a path, and that name.
  static std::pair<UnflattenedModule*, std::string> holder_of(const OutlinedCall& entry) {
    std::vector<std::string> parts = split_path(target_of(entry));
    const std::string last = parts.back();
    parts.pop_back();
    return {find_module(*entry.parent, join_path(parts, 0)), last};
  }

  static void replace_module(const OutlinedCall& entry, UnflattenedModule& by) {
    const auto [holder, name] = holder_of(entry);
    if (holder != nullptr) holder->children->set(name, by);
  }

  void redirect(const OutlinedCall& entry, const OutlinedCall& to) {
    const auto [holder, name] = holder_of(entry);
    if (holder != nullptr) holder->children->remove(name);
    redirected_[call_name(entry.path, entry.number)] = call_name(to.path, to.number);
    entry.parent_graph->set_target(entry.call,
                                   path_below(entry.parent_path, call_name(to.path, to.number)));
  }

  // --- modules whose calls keep their signatures ---

  // Several calls of one are one module, which counts its calls. Mirrors _dispatch_modules.
  void dispatch_calls() {
    std::map<std::string, std::map<size_t, UnflattenedModule*>> called;
    for (const auto& [name, signature] : signatures_) {
      const auto other = redirected_.find(name);
      UnflattenedModule* module =
          find_module(root(), other == redirected_.end() ? name : other->second);
      const std::string path(without_call_number(name));
      if (module == nullptr) refuse_uncalled(path);
      size_t number = 0;
      if (name.size() > path.size())
        std::from_chars(name.data() + path.size() + 1, name.data() + name.size(), number);
      called[path][number] = module;
    }
    std::set<std::string> prefixes;
    for (const auto& [path, calls] : called) {
      for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
        prefixes.insert(path.substr(0, dot));
      if (calls.size() > 1) make_dispatcher(path, calls);
    }
    if (!called.empty()) elide_call_numbers(called, prefixes);
  }

  // PyTorch looks for the module, of which no node says that it ran.
  [[noreturn]] void refuse_uncalled(const std::string& path) const {
    UnflattenedModule* at = outline_.root;
    std::string_view owner = "UnflattenedModule";
    for (const std::string& part : split_path(path)) {
      UnflattenedModule* next = at->children->find(part);
      if (next == nullptr)
        throw_error(ErrorKind::kAttributeError,
                    format("'{}' object has no attribute '{}'", owner, part));
      owner = "InterpreterModule";
      at = next;
    }
    throw_error(ErrorKind::kAttributeError, format("no call of '{}' is known", path));
  }

  void make_dispatcher(const std::string& path, const std::map<size_t, UnflattenedModule*>& calls) {
    std::vector<std::string> parts = split_path(path);
    const std::string last = parts.back();
    parts.pop_back();
    UnflattenedModule* holder = find_module(root(), join_path(parts, 0));
    if (holder == nullptr) return;
    for (size_t number = 1; number <= calls.size(); ++number)
      if (!redirected_.contains(call_name(path, number)))
        holder->children->remove(call_name(last, number));
    UnflattenedModule& dispatcher = outline_.add_module();
    for (const auto& [number, module] : calls) dispatcher.dispatched.push_back(module);
    dispatcher.children = dispatcher.dispatched[0]->children;
    holder->children->set(last, dispatcher);
  }

  // A module that counts its calls is called by its name alone.
  template <typename Called>
  void elide_call_numbers(const Called& called, const std::set<std::string>& prefixes) {
    std::vector<std::pair<std::string, UnflattenedModule*>> open = {{"", &root()}};
    while (!open.empty()) {
      const auto [path, module] = open.back();
      open.pop_back();
      if (module->graph != nullptr) elide_in(*module->graph, path, called);
      for (const UnflattenedModule* call : module->dispatched)
        if (call->graph != nullptr) elide_in(*call->graph, path, called);
      for (const auto& [name, child] : module->children->list) {
        if (child == nullptr) continue;
        std::string below = path.empty() ? name : path + '.' + name;
        if (prefixes.contains(below)) open.emplace_back(std::move(below), child);
      }
    }
  }

  template <typename Called>
  static void elide_in(Graph& graph, const std::string& path, const Called& called) {
    for (const NodeId id : graph.order()) {
      if (graph.node(id).kind != NodeKind::kCallModule) continue;
      const std::string target(without_call_number(graph.target_of(id)));
      if (called.contains(path.empty() ? target : path + '.' + target))
        graph.set_target(id, target);
    }
  }

  // --- the result ---

  // Each module once, by the first of its paths.
  void collect(UnflattenedModules& result) {
    std::vector<std::pair<std::string, UnflattenedModule*>> open = {{"", &root()}};
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
      note_specs(path, *module, result);
      for (size_t i = 0; i < module->dispatched.size(); ++i) {
        const UnflattenedModule& call = *module->dispatched[i];
        if (!done.insert(&call).second) continue;
        result.dispatched.emplace_back(call_name(path, i), call.graph);
        note_specs(call_name(path, i), call, result);
      }
      const auto& children = module->children->list;
      for (auto child = children.rbegin(); child != children.rend(); ++child) {
        if (child->second == nullptr) continue;
        open.emplace_back(path.empty() ? child->first : path + '.' + child->first, child->second);
      }
    }
  }

  static void note_specs(const std::string& path, const UnflattenedModule& module,
                         UnflattenedModules& result) {
    for (size_t i = 0; i < module.specs.size(); ++i)
      result.specs.emplace_back(format("{}{}_spec_{}", path, path.empty() ? "" : ".", i),
                                module.specs[i]);
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
  CallSignatures signatures_;
  Outline outline_;
  std::map<std::string, std::string> redirected_;  // calls that another's module answers
};

}  // namespace

UnflattenedModules unflatten(Program& program, const Graph& graph) {
  return Unflattener(program, graph).run();
}

namespace {

// {"specs": {"_spec_0": "[1, ...]", "mid._spec_0": ...}}: what those attributes are; empty where
// there are none.
std::string specs_json(const UnflattenedModules& modules) {
  std::string text;
  if (modules.specs.empty()) return text;
  JsonWriter json(text);
  const auto object = json.object();
  const auto specs = json.object("specs");
  for (const auto& [path, spec] : modules.specs) json.field(path, spec);
  return text;
}

}  // namespace

PassResult unflatten_pass(PassSubject& subject, const PassOptions&) {
  const UnflattenedModules modules = unflatten(subject.program, *subject.graph);
  std::unordered_map<std::string_view, Graph*> by_path;
  std::unordered_map<const Graph*, Graph*> own;
  for (const std::shared_ptr<Graph>& graph : subject.program.graphs())
    own.emplace(graph.get(), graph.get());
  std::vector<std::pair<std::string, const Graph*>> all = modules.graphs;
  all.insert(all.end(), modules.dispatched.begin(), modules.dispatched.end());
  for (const auto& [path, graph] : all) by_path.emplace(path, own.at(graph));
  // Each module is a submodule of the innermost one above it that has a graph.
  for (const auto& [path, graph] : all) {
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
  return {.modified = true, .info = specs_json(modules)};
}

}  // namespace faketensor
