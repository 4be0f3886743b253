#include "core/passes/fuse_conv_bn.h"

#include <algorithm>
#include <array>

#include "core/support/format.h"

namespace faketensor {

namespace {

constexpr std::string_view kAten = "torch.ops.aten.";

// What a batch norm is given.
struct Norm {
  NodeId node = kNoNode;
  NodeId result = kNoNode;  // the node that has the normalised tensor
  Value input, weight, bias, mean, variance, eps;
};

class ConvNormFusion {
 public:
  explicit ConvNormFusion(Graph& graph) : graph_(graph) {}

  bool run() {
    bool has_changed = false;
    for (const NodeId id : graph_.order()) {
      const std::optional<Norm> norm = norm_at(id);
      if (!norm || !norm->input.is(Value::Tag::kNodeRef)) continue;
      const NodeId conv = node_of(norm->input);
      if (!is_convolution(conv) || graph_.users(conv).size() != 1) continue;
      fuse(*norm, conv);
      has_changed = true;
    }
    return has_changed;
  }

 private:
  bool calls(NodeId id, std::string_view op) const {
    const std::string_view target = graph_.target_of(id);
    return graph_.node(id).kind == NodeKind::kCallFunction && target.starts_with(kAten) &&
           target.substr(kAten.size()) == op && graph_.node(id).keywords.empty();
  }

  std::optional<Norm> norm_at(NodeId id) const {
    if (graph_.is_erased(id)) return std::nullopt;
    const std::span<const Value> args = graph_.node(id).args;
    if (calls(id, "batch_norm.default") && args.size() >= 8 && !args[5].to_bool())
      return complete({id, id, args[0], args[1], args[2], args[3], args[4], args[7]});
    if (calls(id, "_native_batch_norm_legit_no_training.default") && args.size() >= 7) {
      const NodeId result = first_element(id);
      if (result == kNoNode) return std::nullopt;
      return complete({id, result, args[0], args[1], args[2], args[3], args[4], args[6]});
    }
    return std::nullopt;
  }

  static std::optional<Norm> complete(const Norm& norm) {
    const bool is_complete = !norm.weight.is_none() && !norm.bias.is_none() &&
                             !norm.mean.is_none() && !norm.variance.is_none();
    return is_complete ? std::optional(norm) : std::nullopt;
  }

  // The getitem node of the result, where nothing takes the others.
  NodeId first_element(NodeId norm) const {
    NodeId first = kNoNode;
    for (const NodeId user : graph_.users(norm)) {
      const Node& node = graph_.node(user);
      if (!is_getitem(graph_, node)) return kNoNode;
      const bool is_first = node.args[1].as_sym_int().as_int() == 0;
      if (is_first && first == kNoNode) {
        first = user;
      } else if (!graph_.users(user).empty()) {
        return kNoNode;
      }
    }
    return first;
  }

  bool is_convolution(NodeId id) const {
    const std::span<const Value> args = graph_.node(id).args;
    if (calls(id, "convolution.default")) return args.size() == 9 && !args[6].to_bool();
    return args.size() >= 2 && (calls(id, "conv1d.default") || calls(id, "conv2d.default") ||
                                calls(id, "conv3d.default"));
  }

  // A call before the norm, with its place in the user's code.
  Value call(NodeId norm, std::string_view op, std::vector<Value> args) {
    const NodeId made = graph_.insert_before(norm, {.name = std::string(op.substr(0, op.find('.'))),
                                                    .target = format("{}{}", kAten, op),
                                                    .args = std::move(args),
                                                    .val = Value::unset()});
    NodeMeta& meta = graph_.meta(made);
    const Node& from = graph_.node(norm);
    meta.module_stack = from.module_stack;
    meta.stack_trace = from.stack_trace;
    meta.torch_fn = from.torch_fn;
    meta.module = from.module;
    return node_ref(made);
  }

  void fuse(const Norm& norm, NodeId conv) {
    const std::vector<Value> args(graph_.node(conv).args.begin(), graph_.node(conv).args.end());
    const auto make = [&](std::string_view op, std::vector<Value> with) {
      return call(norm.node, op, std::move(with));
    };
    const Value deviation = make("add.Tensor", {norm.variance, norm.eps});
    const Value scale = make("mul.Tensor", {norm.weight, make("rsqrt.default", {deviation})});
    const std::vector<SymInt> column = column_of(args[1]);
    const Value sizes = Value::ints(graph_.store().arena.copy(std::span<const SymInt>(column)));
    const Value weight = make("mul.Tensor", {args[1], make("view.default", {scale, sizes})});
    const bool has_bias = args.size() > 2 && !args[2].is_none();
    const Value centred =
        has_bias ? make("sub.Tensor", {args[2], norm.mean}) : make("neg.default", {norm.mean});
    const Value bias = make("add.Tensor", {make("mul.Tensor", {centred, scale}), norm.bias});
    std::vector<Value> fused = args;
    fused.resize(std::max<size_t>(fused.size(), 3));
    fused[1] = weight;
    fused[2] = bias;
    const std::string target(graph_.target_of(conv).substr(kAten.size()));
    graph_.replace_all_uses(norm.result, node_of(make(target, std::move(fused))));
    const std::vector<NodeId> elements(graph_.users(norm.node).begin(),
                                       graph_.users(norm.node).end());
    for (const NodeId element : elements) graph_.erase(element);
    graph_.erase(norm.node);
    graph_.erase(conv);
  }

  // [-1, 1, 1, 1] for a weight of four dimensions.
  std::vector<SymInt> column_of(const Value& weight) const {
    const Value& val = graph_.node(node_of(weight)).val;
    const size_t rank = val.is_tensor() ? val.tensor().sizes().size() : 4;
    std::vector<SymInt> column(rank, SymInt(1));
    column[0] = -1;
    return column;
  }

  Graph& graph_;
};

}  // namespace

PassResult fuse_conv_bn(PassSubject& subject, const PassOptions&) {
  const bool has_changed = ConvNormFusion(*subject.graph).run();
  return {.modified = has_changed,
          .info = has_changed ? "{\"modified\":true}" : "{\"modified\":false}"};
}

}  // namespace faketensor
