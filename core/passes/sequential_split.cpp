#include "core/passes/sequential_split.h"

#include <memory>
#include <unordered_map>

#include "core/passes/split_part.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// A node that sets a state, and the parts in which the state holds: from `first` to `last`.
struct Region {
  NodeId node = kNoNode;
  NodeId exit = kNoNode;  // of autocast
  size_t first = 0;
  size_t last = 0;
};

class SequentialSplitter {
 public:
  SequentialSplitter(Program& program, const Graph& from)
      : program_(program),
        from_(from),
        main_(program.add_graph()),
        main_copy_(from, main_),
        part_of_(from.id_count(), kNone) {}

  SequentialParts run(const std::function<bool(NodeId)>& begins_part) {
    make_parts(begins_part);
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) record_uses(id);
    for (const Region& region : autocasts_) enter_again(region);
    for (const Region& region : grad_modes_) enter_again(region);
    for (const std::unique_ptr<SplitPart>& part : parts_) add_inputs(from_, *part);
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      if (part_of_[index_of(id)] != kNone) parts_[part_of_[index_of(id)]]->copy.add(id);
    }
    for (size_t i = autocasts_.size(); i > 0; --i) exit_early(autocasts_[i - 1]);
    write_main();
    result_.main = &main_;
    return std::move(result_);
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  static bool is_call(NodeKind kind) {
    return kind != NodeKind::kPlaceholder && kind != NodeKind::kGetAttr &&
           kind != NodeKind::kOutput;
  }

  void make_parts(const std::function<bool(NodeId)>& begins_part) {
    size_t number = 0;
    size_t last_number = kNone;
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      if (begins_part(id)) ++number;
      if (!is_call(from_.node(id).kind)) continue;
      if (number != last_number)
        parts_.push_back(
            std::make_unique<SplitPart>(from_, program_.add_graph(), format("submod_{}", number)));
      last_number = number;
      part_of_[index_of(id)] = parts_.size() - 1;
      note_state(id, parts_.size() - 1);
    }
    for (const Region& region : autocasts_) {
      if (region.exit == kNoNode) throw_error(ErrorKind::kAssertionError, "autocast must exit");
    }
  }

  void note_state(NodeId id, size_t part) {
    const std::string_view target = from_.target_of(id);
    if (target == kSetGradEnabled) grad_modes_.push_back({.node = id, .first = part});
    if (!grad_modes_.empty()) grad_modes_.back().last = part;
    if (target == kEnterAutocast) {
      autocast_of_.emplace(id, autocasts_.size());
      autocasts_.push_back({.node = id, .first = part, .last = part});
    }
    const std::span<const Value> args = from_.node(id).args;
    if (target != kExitAutocast || args.empty() || !args[0].is(Value::Tag::kNodeRef)) return;
    const auto entered = autocast_of_.find(node_of(args[0]));
    if (entered == autocast_of_.end()) return;
    autocasts_[entered->second].exit = id;
    autocasts_[entered->second].last = part;
  }

  void record_uses(NodeId id) {
    const Node& node = from_.node(id);
    const size_t used_in = part_of_[index_of(id)];
    if (node.kind != NodeKind::kOutput && used_in == kNone) return;
    const std::string_view target = from_.target_of(id);
    if (target == kExitAutocast) return;
    for (const Value& arg : node.args) {
      for_each_node(arg, [&](NodeId used) {
        const size_t defined_in = part_of_[index_of(used)];
        if (defined_in == used_in) return;
        if (defined_in != kNone) parts_[defined_in]->outputs.add(used);
        if (used_in != kNone) parts_[used_in]->inputs.add(used);
      });
    }
  }

  NodeId copy_state(NodeId id, SplitPart& part, std::vector<Value> args) {
    const std::string target(from_.target_of(id));
    const NodeId made = part.graph.append(
        NewNode{.name = name_of_target(target), .target = target, .args = std::move(args)});
    copy_meta(from_, id, part.graph, made);
    return made;
  }

  void enter_again(const Region& region) {
    const std::span<const Value> args = from_.node(region.node).args;
    for (size_t i = region.first + 1; i <= region.last; ++i)
      parts_[i]->copy.map(region.node,
                          copy_state(region.node, *parts_[i], {args.begin(), args.end()}));
  }

  void exit_early(const Region& region) {
    for (size_t i = region.first; i < region.last; ++i)
      copy_state(region.exit, *parts_[i], {node_ref(parts_[i]->copy(region.node))});
  }

  void write_main() {
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      if (from_.node(id).kind == NodeKind::kPlaceholder) main_copy_.add_placeholder(id);
    }
    for (const std::unique_ptr<SplitPart>& part : parts_) call(*part);
    const NodeId output = from_.last();
    const Node& node = from_.node(output);
    // What is returned as it was given is fetched here.
    for (const Value& arg : node.args) {
      for_each_node(arg, [&](NodeId used) {
        const bool is_missing = main_copy_(used) == kNoNode;
        if (is_missing && from_.node(used).kind == NodeKind::kGetAttr) main_copy_.add(used);
      });
    }
    main_copy_.add_output(main_copy_.mapped(node.args.empty() ? Value() : node.args[0]));
  }

  void call(SplitPart& part) {
    for (const NodeId id : part.called_with) {
      if (main_copy_(id) == kNoNode) main_copy_.add(id, from_.target_of(id));
    }
    const NodeId module = append_call(program_, part, main_, main_copy_);
    result_.calls.emplace_back(module, &part.graph);
  }

  Program& program_;
  const Graph& from_;
  Graph& main_;
  GraphCopy main_copy_;
  std::vector<size_t> part_of_;  // by node
  std::vector<std::unique_ptr<SplitPart>> parts_;
  std::vector<Region> autocasts_;
  std::unordered_map<NodeId, size_t> autocast_of_;  // by the node that enters it
  std::vector<Region> grad_modes_;
  SequentialParts result_;
};

}  // namespace

SequentialParts sequential_split(Program& program, const Graph& graph,
                                 const std::function<bool(NodeId)>& begins_part) {
  SequentialParts parts = SequentialSplitter(program, graph).run(begins_part);
  parts.main->name = graph.name;
  return parts;
}

}  // namespace faketensor
