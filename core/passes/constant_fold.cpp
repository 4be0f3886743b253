// What depends on attributes only is computed once, and becomes an attribute. Mirrors ConstantFolder
// (torch/_export/passes/constant_folding.py), as far as it does not take data.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/graph/dead_code.h"
#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/passes/unlift.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

class ConstantFolder {
 public:
  explicit ConstantFolder(Graph& graph) : graph_(graph), is_known_(graph.id_count()) {
    find_last_uses();
  }

  void run() {
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) visit(id);
    size_t count = 0;
    for (const NodeId id : graph_.order()) {
      if (folded_.count(id) != 0) replace(id, count++);
    }
    erase_unused_attributes();
    eliminate_dead_code(graph_);
  }

 private:
  // The last node that uses each, what is returned only being used where it is computed.
  void find_last_uses() {
    std::unordered_set<NodeId> seen;
    for (NodeId id = graph_.last(); id != kNoNode; id = graph_.previous(id)) {
      if (graph_.node(id).kind == NodeKind::kOutput) continue;
      for (const Value& arg : graph_.node(id).args) {
        for_each_node(arg, [&](NodeId used) {
          if (seen.insert(used).second) last_uses_[id].push_back(used);
        });
      }
      const std::span<const NodeId> users = graph_.users(id);
      const bool is_returned_only =
          users.size() == 1 && graph_.node(users[0]).kind == NodeKind::kOutput;
      if (is_returned_only) last_uses_[id].push_back(id);
    }
  }

  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) return;
    if (node.kind == NodeKind::kGetAttr) {
      is_known_[index_of(id)] = true;
      return;
    }
    bool takes_tensor = false;
    bool is_known = true;
    std::vector<NodeId> inputs;
    for (const Value& arg : node.args) {
      for_each_node(arg, [&](NodeId used) {
        inputs.push_back(used);
        is_known = is_known && is_known_[index_of(used)];
        takes_tensor = takes_tensor || has_tensor(graph_.node(used).val);
      });
    }
    // What takes no tensor makes one: the code for it is smaller than its data.
    if (!is_known || !takes_tensor || is_random(node)) return;
    is_known_[index_of(id)] = true;
    if (!node.val.is_tensor() && !is_copy(node)) return;
    folded_.insert(id);
    for (const NodeId input : inputs) ++folded_uses_[input];
    for (const NodeId used : last_uses_[id]) {
      if (folded_uses_[used] == graph_.users(used).size()) folded_.erase(used);
    }
  }

  static bool has_tensor(const Value& value) {
    if (!value.is_list()) return value.is_tensor();
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i].is_tensor()) return true;
    }
    return false;
  }

  bool is_random(const Node& node) const {
    const OpId op = graph_.store().op_of(node.target);
    return op != kNoOp && (Registry::builtin().entry(op).tags & kRandom) != 0;
  }

  // unlift() inserts it without a value.
  bool is_copy(const Node& node) const {
    return graph_.text(node.target) == "torch.ops.aten.copy_.default";
  }

  void replace(NodeId id, size_t number) {
    const std::string name = format("_frozen_param{}", number);
    const NodeId constant =
        graph_.insert_before(id, {.kind = NodeKind::kGetAttr, .name = name, .target = name});
    copy_meta(graph_, id, graph_, constant);
    graph_.replace_all_uses(id, constant);
    graph_.erase(id);
  }

  void erase_unused_attributes() {
    std::unordered_map<StringId, size_t> uses;
    const std::vector<NodeId> order = graph_.order();
    for (const NodeId id : order) {
      if (graph_.node(id).kind == NodeKind::kGetAttr)
        uses[graph_.node(id).target] += graph_.users(id).size();
    }
    for (const NodeId id : order) {
      const Node& node = graph_.node(id);
      if (node.kind == NodeKind::kGetAttr && uses[node.target] == 0) graph_.erase(id);
    }
  }

  Graph& graph_;
  std::vector<bool> is_known_;  // by node
  std::unordered_map<NodeId, std::vector<NodeId>> last_uses_;
  std::unordered_set<NodeId> folded_;
  std::unordered_map<NodeId, size_t> folded_uses_;
};

}  // namespace

PassResult constant_fold(PassSubject& subject, const PassOptions& options) {
  if (options.on_module) subject.graph = &unlift(subject.program, *subject.graph);
  ConstantFolder(*subject.graph).run();
  return {.modified = true};
}

}  // namespace faketensor
