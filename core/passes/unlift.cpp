#include "core/passes/unlift.h"

#include <string_view>
#include <unordered_map>

#include "core/passes/graph_copy.h"

namespace faketensor {

namespace {

class Unlifter {
 public:
  Unlifter(Program& program, const Graph& from, Graph& to)
      : program_(program), from_(from), to_(to), copy_(from, to) {}

  void run() {
    size_t input = 0;
    for (NodeId id = from_.first(); id != kNoNode; id = from_.next(id)) {
      const Node& node = from_.node(id);
      const bool is_input = node.kind == NodeKind::kPlaceholder;
      if (!is_input) check_inputs();
      if (is_input) {
        add_input(id, input < program_.inputs.size() ? program_.inputs[input] : InputSpec{});
        ++input;
      } else if (node.kind == NodeKind::kOutput) {
        add_output(node);
      } else {
        copy_.add(id);
      }
    }
  }

 private:
  void add_input(NodeId id, const InputSpec& input) {
    if (input.kind == InputSpec::Kind::kUser) {
      user_inputs_.push_back(node_ref(copy_.add(id)));
      inputs_.emplace(from_.name_of(id), to_.last());
      return;
    }
    const std::string target(program_.text(input.target));
    const NodeId attribute =
        to_.append(NewNode{.kind = NodeKind::kGetAttr, .name = target, .target = target});
    copy_meta(from_, id, to_, attribute);
    copy_.map(id, attribute);
    inputs_.emplace(program_.text(input.target), attribute);
  }

  void check_inputs() {
    if (has_check_) return;
    has_check_ = true;
    to_.append(NewNode{.kind = NodeKind::kCallModule,
                       .name = "_guards_fn",
                       .target = "_guards_fn",
                       .args = user_inputs_,
                       .val = Value::unset()});
  }

  void add_output(const Node& output) {
    const Value values = output.args.empty() ? Value() : output.args[0];
    std::vector<Value> returned;
    std::unordered_map<uint32_t, Value> written;
    const size_t count = values.is_list() ? values.size() : 1;
    for (size_t i = 0; i < count; ++i) {
      const Value value = copy_.mapped(values.is_list() ? values[i] : values);
      const OutputSpec spec = i < program_.outputs.size() ? program_.outputs[i] : OutputSpec{};
      const auto into = inputs_.find(program_.text(spec.target));
      if (spec.kind == OutputSpec::Kind::kUser || into == inputs_.end()) {
        returned.push_back(value);
        continue;
      }
      const NodeId copied = to_.append(NewNode{.name = "copy__default",
                                               .target = "torch.ops.aten.copy_.default",
                                               .args = {node_ref(into->second), value},
                                               .val = Value::unset()});
      if (value.is(Value::Tag::kNodeRef)) written[value.node()] = node_ref(copied);
    }
    // What is returned and written is returned as it was written.
    for (Value& value : returned) {
      if (!value.is(Value::Tag::kNodeRef)) continue;
      if (const auto found = written.find(value.node()); found != written.end())
        value = found->second;
    }
    copy_.add_output(Value::tuple(program_.arena().copy(std::span<const Value>(returned))));
  }

  Program& program_;
  const Graph& from_;
  Graph& to_;
  GraphCopy copy_;
  std::vector<Value> user_inputs_;
  std::unordered_map<std::string_view, NodeId> inputs_;  // by name, or attribute
  bool has_check_ = false;
};

}  // namespace

Graph& unlift(Program& program, const Graph& graph) {
  Graph& module = program.add_graph();
  Unlifter(program, graph, module).run();
  return module;
}

}  // namespace faketensor
