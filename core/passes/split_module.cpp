// split_module: nodes by the number of their part. Mirrors torch/fx/passes/split_module.py.
#include <algorithm>
#include <map>

#include "core/passes/passes.h"
#include "core/passes/split.h"
#include "core/passes/split_part.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

struct ModulePart : SplitPart {
  using SplitPart::SplitPart;
  std::vector<size_t> dependents;  // parts, in the order in which they began to need this one
  std::map<size_t, bool> is_dependent;
  size_t dependencies = 0;
};

class ModuleSplitter {
 public:
  ModuleSplitter(Program& program, const Graph& from, Graph& base,
                 const std::unordered_map<NodeId, int64_t>& part_of)
      : program_(program),
        from_(from),
        base_(base),
        base_copy_(from, base),
        part_of_(from.id_count(), kNone) {
    std::map<int64_t, size_t> numbers;
    for (NodeId id = from.first(); id != kNoNode; id = from.next(id)) {
      const auto wanted = part_of.find(id);
      if (wanted == part_of.end()) continue;
      const auto [found, is_new] = numbers.emplace(wanted->second, parts_.size());
      if (is_new) {
        parts_.push_back(std::make_unique<ModulePart>(from, program.add_graph(),
                                                      format("submod_{}", wanted->second)));
      }
      part_of_[index_of(id)] = found->second;
    }
  }

  void run() {
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) record_uses(id);
    const std::vector<size_t> order = sorted_parts();
    for (const size_t part : order) add_inputs(from_, *parts_[part]);
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      if (part_of_[index_of(id)] != kNone) parts_[part_of_[index_of(id)]]->copy.add(id, "");
    }
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      const Node& node = from_.node(id);
      if (node.kind == NodeKind::kPlaceholder) base_copy_.add_placeholder(id);
      if (node.kind == NodeKind::kGetAttr) base_copy_.add(id, from_.target_of(id));
    }
    for (const size_t part : order) {
      append_call(program_, *parts_[part], base_, base_copy_);
      base_.add_submodule(parts_[part]->name, parts_[part]->graph);
    }
    const NodeId output = from_.last();
    const Node& node = from_.node(output);
    base_copy_.add_output(base_copy_.mapped(node.args.empty() ? Value() : node.args[0]));
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  void record_uses(NodeId id) {
    const Node& node = from_.node(id);
    const size_t used_in = part_of_[index_of(id)];
    if (node.kind != NodeKind::kOutput && used_in == kNone) return;
    for (const Value& arg : node.args) {
      for_each_node(arg, [&](NodeId used) { record_use(used, used_in); });
    }
  }

  void record_use(NodeId used, size_t used_in) {
    const size_t defined_in = part_of_[index_of(used)];
    if (defined_in == used_in) return;
    if (defined_in != kNone) parts_[defined_in]->outputs.add(used);
    if (used_in != kNone) parts_[used_in]->inputs.add(used);
    if (defined_in == kNone || used_in == kNone) return;
    ModulePart& part = *parts_[defined_in];
    if (!part.is_dependent.emplace(used_in, true).second) return;
    part.dependents.push_back(used_in);
    ++parts_[used_in]->dependencies;
  }

  // The part that became ready last comes first.
  std::vector<size_t> sorted_parts() {
    std::vector<size_t> ready;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i]->dependencies == 0) ready.push_back(i);
    }
    std::vector<size_t> sorted;
    while (!ready.empty()) {
      sorted.push_back(ready.back());
      ready.pop_back();
      for (const size_t dependent : parts_[sorted.back()]->dependents) {
        if (--parts_[dependent]->dependencies == 0) ready.push_back(dependent);
      }
    }
    if (sorted.size() != parts_.size())
      throw_error(ErrorKind::kRuntimeError, "cycle exists between partitions!");
    return sorted;
  }

  Program& program_;
  const Graph& from_;
  Graph& base_;
  GraphCopy base_copy_;
  std::vector<size_t> part_of_;  // by node
  std::vector<std::unique_ptr<ModulePart>> parts_;
};

}  // namespace

Graph& split_module(Program& program, const Graph& graph,
                    const std::unordered_map<NodeId, int64_t>& part_of) {
  Graph& base = program.add_graph();
  ModuleSplitter(program, graph, base, part_of).run();
  return base;
}

PassResult split_module(PassSubject& subject, const PassOptions& options) {
  const Graph& graph = *subject.graph;
  std::unordered_map<NodeId, int64_t> part_of;
  int64_t count = 0;
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const NodeKind kind = graph.node(id).kind;
    if (kind == NodeKind::kPlaceholder || kind == NodeKind::kOutput) continue;
    const int64_t part = count++ / options.group_size;
    if (kind != NodeKind::kGetAttr) part_of.emplace(id, part);
  }
  subject.graph = &split_module(subject.program, graph, part_of);
  return {.modified = true};
}

}  // namespace faketensor
