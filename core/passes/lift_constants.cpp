#include "core/passes/lift_constants.h"

#include <unordered_map>

#include "core/passes/graph_copy.h"
#include "core/passes/passes.h"
#include "core/passes/unlift.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

class Lifting {
 public:
  explicit Lifting(PassSubject& subject)
      : program_(subject.program), graph_(*subject.graph), is_program_(has_all_inputs()) {}

  bool run() {
    find_place();
    bool has_changed = false;
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      if (node.kind != NodeKind::kGetAttr || !node.val.is_tensor()) continue;
      graph_.replace_all_uses(id, input_of(id));
      graph_.erase(id);
      has_changed = true;
    }
    return has_changed;
  }

 private:
  bool has_all_inputs() const {
    size_t count = 0;
    for (NodeId id = graph_.first(); id != kNoNode; id = graph_.next(id))
      count += graph_.node(id).kind == NodeKind::kPlaceholder;
    return count == program_.inputs.size();
  }

  // Before the first input of the user.
  void find_place() {
    before_ = graph_.first();
    while (before_ != kNoNode && graph_.node(before_).kind == NodeKind::kPlaceholder &&
           is_program_ && program_.inputs[place_].kind != InputSpec::Kind::kUser) {
      before_ = graph_.next(before_);
      ++place_;
    }
  }

  NodeId input_of(NodeId id) {
    const std::string target(graph_.target_of(id));
    const auto [found, is_new] = lifted_.emplace(target, kNoNode);
    if (!is_new) return found->second;
    const bool is_anonymous = target.starts_with("_tensor_constant");
    const std::string name = is_anonymous ? format("lifted_tensor_{}", anonymous_++)
                                          : target.substr(target.rfind('.') + 1);
    const NodeId input = graph_.insert_before(
        before_, {.kind = NodeKind::kPlaceholder, .name = name, .target = name});
    copy_meta(graph_, id, graph_, input);
    graph_.set_name(input, graph_.node(input).name);
    if (is_program_) {
      InputSpec spec;
      spec.kind = InputSpec::Kind::kConstant;
      spec.target = program_.strings().intern(is_anonymous ? name : target);
      program_.inputs.insert(program_.inputs.begin() + static_cast<std::ptrdiff_t>(place_++), spec);
    }
    return found->second = input;
  }

  Program& program_;
  Graph& graph_;
  bool is_program_;  // whether the program's inputs are those of the graph
  NodeId before_ = kNoNode;
  size_t place_ = 0;
  size_t anonymous_ = 0;
  std::unordered_map<std::string, NodeId> lifted_;  // by attribute
};

}  // namespace

PassResult lift_constants(PassSubject& subject, const PassOptions&) {
  return modified_result(Lifting(subject).run());
}

PassResult unlift_pass(PassSubject& subject, const PassOptions&) {
  subject.graph = &unlift(subject.program, *subject.graph);
  return modified_result(true);
}

}  // namespace faketensor
