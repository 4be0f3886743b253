#include "core/graph/graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/graph/plan.h"
#include "core/support/format.h"

namespace faketensor {

std::string_view name(NodeKind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "placeholder", "get_attr", "call_function", "call_method", "call_module", "output"};
  return kNames[static_cast<size_t>(kind)];
}

OpId GraphStore::op_of(StringId target) {
  if (target >= ops_.size()) ops_.resize(strings.size(), kNotLookedUp);
  if (ops_[target] == kNotLookedUp) ops_[target] = Registry::builtin().find(strings.text(target));
  return ops_[target];
}

bool is_getitem(const Graph& graph, const Node& node) {
  return node.kind == NodeKind::kCallFunction && node.args.size() == 2 && node.keywords.empty() &&
         node.args[0].is(Value::Tag::kNodeRef) && node.args[1].is(Value::Tag::kInt) &&
         !node.args[1].as_sym_int().is_symbolic() && graph.text(node.target) == "_operator.getitem";
}

Graph::Graph(GraphStore& store) : store_(&store) {}
Graph::~Graph() = default;

// --- order ---

void Graph::reserve(size_t count) {
  nodes_.reserve(count);
  links_.reserve(count);
}

std::vector<NodeId> Graph::order() const {
  std::vector<NodeId> order;
  order.reserve(size_);
  for (NodeId id = first_; id != kNoNode; id = next(id)) order.push_back(id);
  return order;
}

void Graph::link(NodeId next, NodeId id) {
  const NodeId previous = next == kNoNode ? last_ : links_[index_of(next)].previous;
  links_[index_of(id)] = {previous, next, false};
  (previous == kNoNode ? first_ : links_[index_of(previous)].next) = id;
  (next == kNoNode ? last_ : links_[index_of(next)].previous) = id;
  ++size_;
  plan_.reset();
}

void Graph::unlink(NodeId id) {
  const Links& links = links_[index_of(id)];
  (links.previous == kNoNode ? first_ : links_[index_of(links.previous)].next) = links.next;
  (links.next == kNoNode ? last_ : links_[index_of(links.next)].previous) = links.previous;
  --size_;
  plan_.reset();
}

NodeId Graph::link_before(NodeId next, const Node& node) {
  const NodeId id{static_cast<uint32_t>(nodes_.size())};
  nodes_.push_back(node);
  links_.emplace_back();
  link(next, id);
  return id;
}

// --- users ---

// By id; an id that has none may be beyond the end.
struct Graph::Users {
  std::vector<std::vector<NodeId>> of;

  void add(NodeId user, std::span<const Value> args) {
    for (const Value& arg : args) for_each_node(arg, [&](NodeId used) { add_use(used, user); });
  }
  void add_use(NodeId used, NodeId user) {
    if (index_of(used) >= of.size()) of.resize(index_of(used) + 1);
    std::vector<NodeId>& users = of[index_of(used)];
    // Named twice by one node: both come one after the other.
    if (users.empty() || users.back() != user) users.push_back(user);
  }
  void remove(NodeId user, std::span<const Value> args) {
    for (const Value& arg : args) {
      for_each_node(arg, [&](NodeId used) {
        std::vector<NodeId>& users = of[index_of(used)];
        // The newest first: passes that take nodes away go backwards.
        const auto found = std::find(users.rbegin(), users.rend(), user);
        if (found != users.rend()) users.erase(std::prev(found.base()));
      });
    }
  }
};

Graph::Users& Graph::uses() const {
  if (users_ == nullptr) {
    users_ = std::make_unique<Users>();
    users_->of.resize(nodes_.size());
    for (NodeId id = first_; id != kNoNode; id = next(id)) users_->add(id, node(id).args);
  }
  return *users_;
}

std::span<const NodeId> Graph::users(NodeId id) const {
  const Users& all = uses();
  if (index_of(id) >= all.of.size()) return {};
  return all.of[index_of(id)];
}

// --- edits ---

NodeId Graph::append(const Node& node) {
  const NodeId id = link_before(kNoNode, node);
  if (users_ != nullptr) users_->add(id, node.args);
  if (names_ != nullptr) names_->note(text(node.name));
  return id;
}

NodeId Graph::insert_before(NodeId next, const NewNode& wanted) {
  Interner& strings = store_->strings;
  std::vector<Value> args = wanted.args;
  std::vector<StringId> keywords;
  for (const auto& [keyword, value] : wanted.kwargs) {
    keywords.push_back(strings.intern(keyword));
    args.push_back(value);
  }
  Node node;
  node.kind = wanted.kind;
  node.name = strings.intern(names().take(wanted.name));
  node.target = strings.intern(wanted.target);
  node.args = store_->arena.copy(std::span<const Value>(args));
  node.keywords = store_->arena.copy(std::span<const StringId>(keywords));
  node.val = wanted.val;
  const NodeId id = link_before(next, node);
  if (users_ != nullptr) users_->add(id, node.args);
  if (!wanted.bindings.empty()) bindings_[id] = wanted.bindings;
  return id;
}

void Graph::erase(NodeId id) {
  if (!users(id).empty()) {
    std::string named;
    for (const NodeId user : users(id))
      named += format("{}{}: None", named.empty() ? "" : ", ", name_of(user));
    throw_error(ErrorKind::kRuntimeError,
                format("Tried to erase Node {} but it still had {} users in the graph: {}!",
                       name_of(id), users(id).size(), "{" + named + "}"));
  }
  if (is_erased(id)) return;
  unlink(id);
  links_[index_of(id)].is_erased = true;
  uses().remove(id, node(id).args);
}

void Graph::set_arguments(NodeId id, std::span<const Value> args,
                          std::span<const StringId> keywords) {
  Node& node = nodes_[index_of(id)];
  if (users_ != nullptr) users_->remove(id, node.args);
  node.args = store_->arena.copy(args);
  node.keywords = store_->arena.copy(keywords);
  if (users_ != nullptr) users_->add(id, node.args);
  plan_.reset();
}

// A value that very many use is replaced in a time that is linear in them: none of them is searched
// for.
void Graph::replace_all_uses(NodeId from, NodeId to) {
  if (from == to) return;
  Users& all = uses();
  if (index_of(from) >= all.of.size()) return;
  const std::vector<NodeId> users = std::exchange(all.of[index_of(from)], {});
  std::vector<Value> args;
  for (const NodeId user : users) {
    Node& changed = nodes_[index_of(user)];
    args.clear();
    bool uses_already = false;
    for (const Value& arg : changed.args) {
      for_each_node(arg, [&](NodeId used) { uses_already = uses_already || used == to; });
      args.push_back(with_replaced(arg, from, node_ref(to)));
    }
    changed.args = store_->arena.copy(std::span<const Value>(args));
    if (!uses_already) all.add_use(to, user);
  }
  plan_.reset();
}

// Readers nest lists at most a few deep.
Value Graph::with_replaced(const Value& value, NodeId from, const Value& to) {
  if (value.is(Value::Tag::kNodeRef)) return node_of(value) == from ? to : value;
  if (!value.is(Value::Tag::kList)) return value;
  std::vector<Value> elements;
  for (const Value& element : value.values()) elements.push_back(with_replaced(element, from, to));
  const std::span<const Value> kept = store_->arena.copy(std::span<const Value>(elements));
  return Value::like(value, kept);
}

void Graph::set_target(NodeId id, std::string_view target) {
  nodes_[index_of(id)].target = store_->strings.intern(target);
  plan_.reset();
}

void Graph::move_before(NodeId next, NodeId id) {
  if (next == id) return;
  unlink(id);
  link(next, id);
}

void Graph::set_name(NodeId id, StringId taken) {
  Node& node = nodes_[index_of(id)];
  node.name = taken;
  if (node.kind == NodeKind::kPlaceholder) node.target = taken;
  if (names_ != nullptr) names_->note(text(taken));
  plan_.reset();
}

const std::vector<UnbackedBinding>& Graph::bindings(NodeId id) const {
  static const std::vector<UnbackedBinding> kNone;
  const auto found = bindings_.find(id);
  return found == bindings_.end() ? kNone : found->second;
}

void Graph::set_bindings(NodeId id, std::vector<UnbackedBinding> bindings) {
  bindings_[id] = std::move(bindings);
}

const Graph* Graph::submodule(StringId wanted) const {
  const auto found = submodule_of_.find(wanted);
  return found == submodule_of_.end() ? nullptr : submodules_[found->second].graph;
}

void Graph::add_submodule(std::string_view wanted, const Graph& graph) {
  const StringId id = store_->strings.intern(wanted);
  const auto [found, is_new] = submodule_of_.emplace(id, submodules_.size());
  if (is_new) submodules_.push_back({id, &graph});
  submodules_[found->second].graph = &graph;
}

Namespace& Graph::names() {
  if (names_ == nullptr) {
    names_ = std::make_unique<Namespace>();
    for (const Node& node : nodes_) names_->note(text(node.name));
  }
  return *names_;
}

const std::shared_ptr<const Plan>& Graph::plan() const {
  if (plan_ == nullptr) plan_ = std::make_shared<const Plan>(*this);
  return plan_;
}

}  // namespace faketensor
