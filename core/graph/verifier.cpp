#include "core/graph/verifier.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/support/error.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {
    for (const auto& graph : program.graphs()) ours_.insert(graph.get());
  }

  std::vector<Violation> run() {
    for (const auto& graph : program_.graphs()) check(*graph);
    return std::move(found_);
  }

 private:
  void check(const Graph& graph) {
    graph_ = &graph;
    place_.assign(graph.id_count(), kNowhere);
    named_in_.resize(graph.store().strings.size());
    uint32_t place = 0;
    bool is_past_inputs = false;
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
      const Node& node = graph.node(id);
      const bool is_placeholder = node.kind == NodeKind::kPlaceholder;
      if (is_placeholder && is_past_inputs) report(id, "placeholder '{}' stands after a call");
      is_past_inputs = is_past_inputs || !is_placeholder;
      if ((node.kind == NodeKind::kOutput) != (id == graph.last()))
        report(id, "a graph has one output, its last node; see '{}'");
      check_arguments(id, node);
      if (std::exchange(named_in_[node.name], graph_) == graph_)
        report(id, "a second node of the name '{}'");
      place_[index_of(id)] = place++;
    }
    if (graph.size() == 0) found_.push_back({graph_, kNoNode, "a graph has no output node"});
  }

  void check_arguments(NodeId id, const Node& node) {
    if (node.keywords.size() > node.args.size()) {
      report(id, "node '{}' has more keywords than arguments");
      return;
    }
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      const auto before = node.keywords.first(i);
      if (std::find(before.begin(), before.end(), node.keywords[i]) != before.end())
        report(id, "node '{}' has a keyword twice");
    }
    bool is_computed = true;
    // Lists nest as deep as a reader allows; a work list keeps the depth off the stack.
    open_.assign(node.args.begin(), node.args.end());
    while (!open_.empty()) {
      const Value value = open_.back();
      open_.pop_back();
      if (value.is(Value::Tag::kList))
        open_.insert(open_.end(), value.values().begin(), value.values().end());
      if (value.is(Value::Tag::kNodeRef))
        is_computed =
            is_computed && value.node() < place_.size() && place_[value.node()] != kNowhere;
      if (value.is(Value::Tag::kGraph)) check_subgraph(id, value);
    }
    if (!is_computed) report(id, "node '{}' uses a value that is not computed before it");
    if (node.val.is(Value::Tag::kGraph)) check_subgraph(id, node.val);
  }

  void check_subgraph(NodeId id, const Value& value) {
    if (ours_.count(&value.graph()) == 0) report(id, "node '{}' holds a graph of another program");
  }

  void report(NodeId id, std::string_view pattern) {
    std::string message(pattern);
    message.replace(message.find("{}"), 2, graph_->name_of(id));
    found_.push_back({graph_, id, std::move(message)});
  }

  static constexpr uint32_t kNowhere = 0xFFFFFFFF;
  const Program& program_;
  const Graph* graph_ = nullptr;
  std::vector<uint32_t> place_;         // in the order, by id; kNowhere: not seen yet
  std::vector<const Graph*> named_in_;  // by StringId: the last graph with a node of that name
  std::unordered_set<const Graph*> ours_;
  std::vector<Value> open_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> violations(const Program& program) { return Verifier(program).run(); }

void verify(const Program& program) {
  constexpr size_t kShown = 10;
  const std::vector<Violation> found = violations(program);
  if (found.empty()) return;
  std::string text;
  for (size_t i = 0; i < std::min(found.size(), kShown); ++i)
    text += (i == 0 ? "" : "; ") + found[i].message;
  if (found.size() > kShown) text += format("; and {} more", found.size() - kShown);
  throw_error(ErrorKind::kValueError, std::move(text));
}

}  // namespace faketensor
