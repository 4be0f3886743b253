#include "core/passes/program_values.h"

namespace faketensor {

namespace {

class ValueMaker {
 public:
  ValueMaker(Graph& graph, FakeTensorMode& mode) : graph_(graph), mode_(mode) {}

  void run() {
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) {
      NodeMeta& meta = graph_.meta(id);
      if (graph_.node(id).kind == NodeKind::kGetAttr && meta.val.is(Value::Tag::kGraph)) {
        graph_.add_submodule(graph_.target_of(id), meta.val.graph());
        continue;
      }
      if (meta.recorded != nullptr) {
        meta.val = Value(mode_.from_meta(*meta.recorded));
      } else if (graph_.node(id).kind == NodeKind::kOutput) {
        meta.val = Value::unset();
      }
    }
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id)) collect_elements(id);
  }

 private:
  void collect_elements(NodeId id) {
    std::vector<Value> elements;
    for (const NodeId user : graph_.users(id)) {
      const Node& node = graph_.node(user);
      if (!is_getitem(graph_, node)) return;
      const auto index = static_cast<size_t>(node.args[1].as_sym_int().as_int());
      if (index >= elements.size()) elements.resize(index + 1);
      elements[index] = node.val;
    }
    if (!elements.empty()) graph_.meta(id).val = mode_.context().make_list(elements);
  }

  Graph& graph_;
  FakeTensorMode& mode_;
};

}  // namespace

void make_values(Program& program, FakeTensorMode& mode) {
  for (const std::unique_ptr<Graph>& graph : program.graphs()) ValueMaker(*graph, mode).run();
}

}  // namespace faketensor
