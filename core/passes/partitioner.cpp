// CapabilityBasedPartitioner: the largest parts of a graph that a backend can take, of the operators
// that it supports. Mirrors torch/fx/passes/infra/partitioner.py.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/formats/json_writer.h"
#include "core/passes/fuse.h"
#include "core/passes/passes.h"
#include "core/support/target_name.h"

namespace faketensor {

namespace {

constexpr size_t kNoPart = SIZE_MAX;

// A part while parts grow. Nodes carry their place in the reversed graph, none where they were
// moved into the part afterwards.
struct MergedPart {
  std::vector<std::pair<NodeId, std::optional<size_t>>> nodes;
  size_t order = 0;  // the least of those it was merged from
};

// Note [Which parts may be merged]
// Two parts become one unless a node outside of both would lie between them: unless a way of two
// steps or more leads from one to the other. Each part counts as one place: who enters a part may
// leave it at any of its nodes.
//
// Note [Levels]
// PyTorch tries each new node with all parts there are, those at the end of the graph first, which is
// quadratic. Where all of them may be tried the outcome is known: a node's level is the most times
// that a way from it leaves the supported nodes and comes back, and the parts are the levels. A way
// from a node through a node outside of its level's part would raise its level, so it fits its own
// part; and from each level a way leads through such a node to every lower one, so no two levels fit.
class Partitioner {
 public:
  Partitioner(const Graph& graph, const PassOptions& options)
      : graph_(graph), options_(options), part_of_(graph.id_count(), kNoPart) {
    is_supported_.resize(graph.id_count());
    for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id))
      is_supported_[index_of(id)] = has_supported_target(id);
  }

  std::vector<std::vector<NodeId>> propose() {
    if (options_.skip_horizontal_fusion) {
      grow_along_edges();
    } else {
      grow_by_levels();
    }
    for (auto& [number, part] : parts_) {
      std::stable_sort(part.nodes.begin(), part.nodes.end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
    }
    move_elements_to_producers();
    std::vector<std::vector<NodeId>> proposed;
    for (const size_t number : numbers_) {
      const auto found = parts_.find(number);
      if (found == parts_.end()) continue;
      std::erase_if(found->second.nodes,
                    [&](const auto& entry) { return part_of(entry.first) != number; });
      if (found->second.nodes.empty() || !is_worth_it(found->second)) continue;
      std::vector<NodeId>& nodes = proposed.emplace_back();
      for (const auto& [id, order] : found->second.nodes) nodes.push_back(id);
    }
    return proposed;
  }

 private:
  bool has_supported_target(NodeId id) const {
    return graph_.node(id).kind == NodeKind::kCallFunction &&
           std::find(options_.operators.begin(), options_.operators.end(),
                     operator_name(graph_.target_of(id))) != options_.operators.end();
  }
  bool is_supported(NodeId id) const { return is_supported_[index_of(id)]; }

  // Note [Levels]
  void grow_by_levels() {
    std::vector<size_t> level(graph_.id_count(), 0);
    std::vector<std::vector<std::pair<NodeId, std::optional<size_t>>>> members;
    std::vector<size_t> number_of;
    size_t order = 0;
    for (NodeId id = graph_.last(); id != kNoNode; id = graph_.previous(id), ++order) {
      size_t& own = level[index_of(id)];
      for (const NodeId user : graph_.users(id)) {
        const bool enters = !is_supported(id) && is_supported(user);
        own = std::max(own, level[index_of(user)] + (enters ? 1 : 0));
      }
      if (!is_supported(id)) continue;
      const size_t number = numbers_.size();
      numbers_.push_back(number);
      if (own >= members.size()) {
        members.resize(own + 1);
        number_of.resize(own + 1);
      }
      members[own].emplace_back(id, order);
      // The larger of two parts keeps its number, the later of two equal ones.
      if (members[own].size() <= 2) number_of[own] = number;
    }
    for (size_t at = 0; at < members.size(); ++at) {
      if (members[at].empty()) continue;
      for (const auto& [id, place] : members[at]) part_of_[index_of(id)] = number_of[at];
      parts_[number_of[at]] = {std::move(members[at]), number_of[at]};
    }
  }

  // A new node's part is merged with those of its users alone.
  void grow_along_edges() {
    size_t order = 0;
    for (NodeId id = graph_.last(); id != kNoNode; id = graph_.previous(id), ++order) {
      if (!is_supported(id)) continue;
      const size_t number = numbers_.size();
      numbers_.push_back(number);
      parts_[number] = {{{id, order}}, number};
      part_of_[index_of(id)] = number;
      std::vector<size_t> candidates = {number};
      for (const NodeId user : graph_.users(id)) add_candidate(candidates, part_of(user));
      merge(candidates);
    }
  }

  static void add_candidate(std::vector<size_t>& candidates, size_t part) {
    const bool is_first = !candidates.empty() && candidates[0] == part;
    if (part != kNoPart && !is_first) candidates.push_back(part);
  }

  size_t part_of(NodeId id) const { return part_of_[index_of(id)]; }

  // Merges the first candidate with each of the others that it can be merged with.
  void merge(const std::vector<size_t>& candidates) {
    size_t self = candidates[0];
    reach_of_ = kNoPart;
    for (size_t i = 1; i < candidates.size(); ++i) {
      const size_t other = candidates[i];
      if (other == self || parts_.count(other) == 0 || lies_between(self, other)) continue;
      self = unite(self, other);
      reach_of_ = kNoPart;
    }
  }

  // Note [Which parts may be merged]
  bool lies_between(size_t self, size_t other) {
    if (reach_of_ != self) {
      reach_of_ = self;
      reach_ = reach(self);
    }
    return reach_.count(other) != 0 || reach(other).count(self) != 0;
  }

  // The parts that a way of two steps or more leads to, each part being one place.
  std::set<size_t> reach(size_t part) const {
    std::set<size_t> reached;
    std::vector<bool> seen(graph_.id_count());
    std::vector<NodeId> waiting;
    const auto visit_users_of = [&](NodeId id, size_t own) {
      for (const NodeId user : graph_.users(id)) {
        if (own == kNoPart || part_of(user) != own) waiting.push_back(user);
      }
    };
    const auto expand = [&](NodeId id) {
      if (part_of(id) == kNoPart) return visit_users_of(id, kNoPart);
      for (const auto& [member, order] : parts_.at(part_of(id)).nodes)
        visit_users_of(member, part_of(id));
    };
    const auto mark = [&](NodeId id) {
      if (part_of(id) == kNoPart) {
        const bool is_new = !seen[index_of(id)];
        seen[index_of(id)] = true;
        return is_new;
      }
      return reached.insert(part_of(id)).second;
    };
    expand(parts_.at(part).nodes.front().first);
    const std::vector<NodeId> behind = std::exchange(waiting, {});
    std::set<size_t> expanded;
    for (const NodeId id : behind) {
      const bool is_new =
          part_of(id) == kNoPart ? !seen[index_of(id)] : expanded.insert(part_of(id)).second;
      if (part_of(id) == kNoPart) seen[index_of(id)] = true;
      if (is_new) expand(id);
    }
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      waiting.pop_back();
      const bool was_expanded = part_of(id) != kNoPart && expanded.count(part_of(id)) != 0;
      if (mark(id) && !was_expanded) expand(id);
    }
    return reached;
  }

  // The smaller part goes into the larger.
  size_t unite(size_t self, size_t other) {
    if (parts_[self].nodes.size() < parts_[other].nodes.size()) std::swap(self, other);
    MergedPart& kept = parts_[self];
    MergedPart& gone = parts_[other];
    for (const auto& entry : gone.nodes) {
      kept.nodes.push_back(entry);
      part_of_[index_of(entry.first)] = self;
    }
    kept.order = std::min(kept.order, gone.order);
    parts_.erase(other);
    return self;
  }

  // What takes elements of a node belongs where the node is, at any depth.
  void move_elements_to_producers() {
    for (bool moved = true; moved;) {
      moved = false;
      std::vector<std::pair<NodeId, size_t>> moves;
      for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
        const std::span<const NodeId> users = graph_.users(id);
        const bool is_taken_apart = std::all_of(users.begin(), users.end(), [&](NodeId user) {
          return graph_.node(user).kind == NodeKind::kCallFunction &&
                 graph_.target_of(user) == "_operator.getitem";
        });
        if (!is_taken_apart) continue;
        for (const NodeId user : users) {
          if (part_of(user) != part_of(id)) moves.emplace_back(user, part_of(id));
        }
      }
      for (const auto& [id, part] : moves) {
        moved = true;
        move(id, part);
      }
    }
  }

  void move(NodeId id, size_t part) {
    // The part that it leaves forgets it when the parts are read (propose).
    part_of_[index_of(id)] = part;
    if (part != kNoPart) parts_[part].nodes.emplace_back(id, std::nullopt);
  }

  // Whether more than one node of a part computes.
  bool is_worth_it(const MergedPart& part) const {
    if (options_.allows_single_node_partition) return true;
    size_t computing = 0;
    for (const auto& [id, order] : part.nodes) {
      const std::string_view target = graph_.target_of(id);
      computing += graph_.node(id).kind == NodeKind::kCallFunction &&
                   target != "_operator.getitem" && target != "torch.ops.aten.view";
    }
    return computing > 1;
  }

  const Graph& graph_;
  const PassOptions& options_;
  std::vector<size_t> part_of_;  // by node
  std::vector<size_t> numbers_;  // in the order in which parts were made
  std::map<size_t, MergedPart> parts_;
  std::vector<bool> is_supported_;  // by node
  size_t reach_of_ = kNoPart;       // whose reach is `reach_`
  std::set<size_t> reach_;
};

}  // namespace

PassResult partition_by_capability(PassSubject& subject, const PassOptions& options) {
  const std::vector<std::vector<NodeId>> parts = Partitioner(*subject.graph, options).propose();
  PassResult result{.modified = !parts.empty()};
  JsonWriter json(result.info);
  {
    const auto object = json.object();
    const auto list = json.array("partitions");
    for (const std::vector<NodeId>& part : parts) {
      std::vector<std::string_view> names;
      for (const NodeId id : part) names.push_back(subject.graph->name_of(id));
      std::sort(names.begin(), names.end());
      json.value(names);
    }
  }
  if (!parts.empty()) fuse_by_partitions(subject.program, *subject.graph, parts);
  return result;
}

}  // namespace faketensor
