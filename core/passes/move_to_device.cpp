#include <unordered_map>

#include "core/passes/passes.h"
#include "core/passes/reachable_graphs.h"
#include "core/support/format.h"

namespace faketensor {

namespace {

// The value of a node on another device, as Tensor.to makes it.
class Mover {
 public:
  Mover(PassSubject& subject, Device device)
      : context_(subject.mode.context()), device_(device.normalized()) {}

  Value moved(const Value& value) {
    if (value.is_tensor()) return moved(value.tensor());
    if (!value.is(Value::Tag::kList)) return value;
    SmallVector<Value, 8> elements;
    for (const Value& element : value.values()) elements.push_back(moved(element));
    return context_.make_list(elements.span());
  }

 private:
  Value moved(const Tensor& tensor) {
    if (tensor.device() == device_) return Value(tensor);
    const auto [found, is_new] = tensors_.emplace(&tensor, nullptr);
    if (!is_new) return Value(found->second);
    auto spec = tensor.meta->spec();
    spec.device = device_;
    found->second = context_.make_tensor(context_.metas().intern(spec), nullptr);
    return Value(found->second);
  }

  Context& context_;
  Device device_;
  std::unordered_map<const Tensor*, Tensor*> tensors_;
};

}  // namespace

// The devices that nodes name, and their values. Mirrors move_to_device_pass
// (torch/export/passes/__init__.py), which leaves the text of a device where a device was.
PassResult move_to_device(PassSubject& subject, const PassOptions& options) {
  const Device device = options.device.value_or(Device{});
  Mover mover(subject, device);
  const Value text = Value::string(subject.program.arena().copy(format("{}", device)));
  for (Graph* graph : reachable_graphs(subject)) {
    for (NodeId id = graph->first(); id != kNoNode; id = graph->next(id)) {
      const Node& node = graph->node(id);
      std::vector<Value> args(node.args.begin(), node.args.end());
      bool has_device = node.kind == NodeKind::kCallFunction && args.size() > 1 &&
                        graph->text(node.target) == "torch.ops.aten.to.device";
      if (has_device) args[1] = text;
      for (size_t i = node.positional().size(); i < args.size(); ++i) {
        const bool is_device = graph->text(node.keywords[i - node.positional().size()]) == "device";
        if (is_device) args[i] = text;
        has_device = has_device || is_device;
      }
      if (has_device) graph->set_arguments(id, args, node.keywords);
      const Value& val = graph->node(id).val;
      graph->meta(id).val = val.is_unset() ? Value() : mover.moved(val);
    }
  }
  return {.modified = true};
}

}  // namespace faketensor
