// Operators become the in-place ones where nobody needs what they overwrite. Mirrors
// torch/fx/passes/reinplace.py.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/passes/passes.h"
#include "core/passes/propagate.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// What takes a part of a tensor, and what writes one into a copy of it.
struct ScatterOperator {
  std::string_view scatter;
  std::string_view view;
};
constexpr ScatterOperator kScatters[] = {
    {"torch.ops.aten.as_strided_scatter.default", "torch.ops.aten.as_strided.default"},
    {"torch.ops.aten.diagonal_scatter.default", "torch.ops.aten.diagonal.default"},
    {"torch.ops.aten.select_scatter.default", "torch.ops.aten.select.int"},
    {"torch.ops.aten.slice_scatter.default", "torch.ops.aten.slice.Tensor"}};

const ScatterOperator* find_scatter(std::string_view target) {
  const auto* const found = std::find_if(std::begin(kScatters), std::end(kScatters),
                                         [&](const auto& op) { return op.scatter == target; });
  return found == std::end(kScatters) ? nullptr : found;
}

// "torch.ops.aten.relu_.default" of "torch.ops.aten.relu.default"; empty where there is none that
// takes the same arguments.
std::string inplace_target(const OpEntry& op) {
  if (!op.is_aten() || !op.schema.arguments[0].alias.empty()) return {};
  for (const OpEntry& other : Registry::builtin().entries()) {
    const bool has_name = other.packet().size() == op.packet().size() + 1 &&
                          other.packet().starts_with(op.packet()) && other.packet().ends_with('_');
    const std::span<const Argument> wanted = op.schema.arguments;
    const std::span<const Argument> given = other.schema.arguments;
    const bool matches = has_name && other.is_aten() &&
                         std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(),
                                    [](const Argument& a, const Argument& b) {
                                      return a.type.kind == b.type.kind &&
                                             a.type.is_list == b.type.is_list &&
                                             a.type.is_optional == b.type.is_optional;
                                    });
    if (matches)
      return format("torch.ops.aten.{}.{}", other.packet(),
                    other.schema.overload.empty() ? "default" : other.schema.overload);
  }
  return {};
}

class Reinplacer {
 public:
  explicit Reinplacer(PassSubject& subject) : graph_(*subject.graph) {
    std::vector<Value> inputs;
    FakeTensorMode& mode = make_mode(subject, false, true, inputs);
    values_.resize(graph_.id_count());
    place_.resize(graph_.id_count());
    size_t place = 0;
    run_nodes(mode, graph_, inputs, [&](NodeId id, const Value& value) {
      values_[index_of(id)] = value;
      place_[index_of(id)] = place++;
      const bool is_input = graph_.node(id).kind == NodeKind::kPlaceholder;
      if (is_input && value.is_tensor()) input_storages_.insert(value.tensor().storage);
      for_each_tensor(value, [&](const Tensor& tensor) { nodes_[tensor.storage].push_back(id); });
    });
  }

  void run() {
    for (const NodeId id : graph_.order()) {
      if (graph_.node(id).kind == NodeKind::kCallFunction) visit(id);
    }
    for (const NodeId id : removed_) graph_.erase(id);
  }

 private:
  template <typename Use>
  static void for_each_tensor(const Value& value, const Use& use) {
    if (value.is_tensor()) use(value.tensor());
    for (size_t i = 0; value.is(Value::Tag::kList) && i < value.size(); ++i)
      for_each_tensor(value[i], use);
  }

  const Value& value_of(NodeId id) const { return values_[index_of(id)]; }
  size_t place_of(NodeId id) const { return place_[index_of(id)]; }

  // Storages that are one since an operator writes to what it was given.
  const Storage* root(const Storage* storage) {
    while (true) {
      const auto found = merged_.find(storage);
      if (found == merged_.end()) return storage;
      storage = found->second;
    }
  }
  void merge(const Storage* a, const Storage* b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    if (nodes_[a].size() < nodes_[b].size()) std::swap(a, b);
    nodes_[a].insert(nodes_[a].end(), nodes_[b].begin(), nodes_[b].end());
    nodes_.erase(b);
    merged_[b] = a;
  }

  void visit(NodeId id) {
    const Node& node = graph_.node(id);
    const OpId op = graph_.store().op_of(node.target);
    if (op == kNoOp || node.positional().empty()) return;
    const OpEntry& entry = Registry::builtin().entry(op);
    const ArgType& first = entry.schema.arguments[0].type;
    if (first.kind != ArgKind::kTensor || first.is_list || first.is_optional) return;
    if (!node.args[0].is(Value::Tag::kNodeRef)) return;
    const NodeId self = node_of(node.args[0]);
    if (!value_of(self).is_tensor() || !may_overwrite(id, self)) return;
    const Storage* storage = root(value_of(self).tensor().storage);
    if (is_used_later(id, storage)) return;
    const ScatterOperator* scatter = find_scatter(graph_.text(node.target));
    if (scatter != nullptr) {
      copy_into_part(id, *scatter);
    } else {
      const auto [found, is_new] = inplace_.emplace(op, "");
      if (is_new) found->second = inplace_target(entry);
      if (found->second.empty()) return;
      graph_.set_target(id, found->second);
    }
    for_each_tensor(value_of(id), [&](const Tensor& result) { merge(storage, result.storage); });
    replace_later_uses(id, self);
  }

  // The operand is no input of the program, is given once, and is like the result.
  bool may_overwrite(NodeId id, NodeId self) const {
    const Tensor& given = value_of(self).tensor();
    const Value& result = value_of(id);
    if (result.is_tensor()) {
      const Tensor& made = result.tensor();
      const bool is_alike = given.numel().as_int() == made.numel().as_int() &&
                            given.dtype() == made.dtype() && !overlaps_itself(given);
      if (!is_alike) return false;
    }
    if (input_storages_.count(given.storage) != 0) return false;
    const std::span<const Value> args = graph_.node(id).positional();
    return std::count_if(args.begin(), args.end(), [&](const Value& arg) {
             return arg.is(Value::Tag::kNodeRef) && node_of(arg) == self;
           }) == 1;
  }

  // torch._debug_has_internal_overlap: a dimension that is expanded.
  static bool overlaps_itself(const Tensor& tensor) {
    if (tensor.meta->has(kNonOverlappingAndDense)) return false;
    for (size_t i = 0; i < tensor.sizes().size(); ++i) {
      if (tensor.strides()[i].as_int() == 0 && tensor.sizes()[i].as_int() > 1) return true;
    }
    return false;
  }

  // Whether anything behind the node needs what is in the storage; other views of it do not.
  bool is_used_later(NodeId id, const Storage* storage) {
    const std::vector<NodeId>& aliases = nodes_[storage];
    const std::unordered_set<NodeId> inside(aliases.begin(), aliases.end());
    for (const NodeId alias : aliases) {
      for (const NodeId user : graph_.users(alias)) {
        if (place_of(user) <= place_of(id)) continue;
        const bool is_view =
            inside.count(user) != 0 && graph_.node(user).kind == NodeKind::kCallFunction;
        if (!is_view) return true;
      }
    }
    return false;
  }

  // base.slice_scatter(part) is base, whose slice is overwritten.
  void copy_into_part(NodeId id, const ScatterOperator& scatter) {
    const Node node = graph_.node(id);
    NewNode view{.name = name_of_target(scatter.view), .target = std::string(scatter.view)};
    view.args.push_back(node.args[0]);
    for (size_t i = 2; i < node.positional().size(); ++i) view.args.push_back(node.args[i]);
    for (size_t i = 0; i < node.keywords.size(); ++i)
      view.kwargs.emplace_back(std::string(graph_.text(node.keywords[i])), node.by_keyword()[i]);
    view.val = Value::unset();
    const NodeId part = graph_.insert_before(id, view);
    const NodeId copied = graph_.insert_before(id, {.name = "copy__default",
                                                    .target = "torch.ops.aten.copy_.default",
                                                    .args = {node_ref(part), node.args[1]},
                                                    .val = Value::unset()});
    values_.resize(graph_.id_count());
    place_.resize(graph_.id_count());
    place_[index_of(part)] = place_[index_of(copied)] = place_of(id);
    removed_.push_back(id);
  }

  void replace_later_uses(NodeId old, NodeId self) {
    const std::vector<NodeId> users(graph_.users(old).begin(), graph_.users(old).end());
    for (const NodeId user : users) {
      std::vector<Value> args;
      for (const Value& arg : graph_.node(user).args)
        args.push_back(graph_.with_replaced(arg, old, node_ref(self)));
      graph_.set_arguments(user, args, graph_.node(user).keywords);
    }
  }

  Graph& graph_;
  std::vector<Value> values_;  // by node, as this pass computed them
  std::vector<size_t> place_;  // by node
  std::unordered_set<const Storage*> input_storages_;
  std::unordered_map<const Storage*, std::vector<NodeId>> nodes_;  // that have values in it
  std::unordered_map<const Storage*, const Storage*> merged_;
  std::unordered_map<OpId, std::string> inplace_;  // the targets found
  std::vector<NodeId> removed_;
};

}  // namespace

PassResult reinplace(PassSubject& subject, const PassOptions&) {
  Reinplacer(subject).run();
  return {.modified = true};
}

}  // namespace faketensor
