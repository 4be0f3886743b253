#include "core/profiles/fake_by_text.h"

#include <memory>

#include "core/graph/graph_text.h"
#include "core/graph/interpreter.h"
#include "core/profiles/size_expressions.h"
#include "core/support/format.h"

namespace faketensor {

// --- shapes ---

namespace {
const Tensor* first_tensor(FakeCall& call) {
  for (const Value& arg : call.args()) {
    if (arg.is_tensor()) return &arg.tensor();
  }
  return nullptr;
}

Value make_by_rule(FakeCall& call, const ShapeRule& rule) {
  const Tensor* like = first_tensor(call);
  SizeExpressions expressions(call);
  const DimVector sizes = expressions.evaluate(rule.sizes);
  const DimVector strides = rule.strides ? expressions.evaluate(*rule.strides) : DimVector{};
  const DType dtype = rule.dtype.value_or(like != nullptr ? like->dtype() : DType::kFloat32);
  const Device device = rule.device.value_or(like != nullptr ? like->device() : Device{});
  return call.context().empty(sizes, dtype, device.normalized(), strides);
}
}  // namespace

FakeImpl fake_by_shapes(std::vector<ShapeRule> rules) {
  return [rules = std::move(rules)](FakeCall& call) {
    SmallVector<Value, 4> results;
    for (const ShapeRule& rule : rules) results.push_back(make_by_rule(call, rule));
    return results.size() == 1 ? results[0] : call.context().make_list(results.span());
  };
}

// --- bodies ---

FakeImpl fake_by_body(std::string_view text) {
  const auto body = std::make_shared<const Program>(read_graph_text(text));
  const Graph& graph = body->graph();
  for (NodeId id = graph.first(); id != kNoNode; id = graph.next(id)) {
    const NodeKind kind = graph.node(id).kind;
    if (kind == NodeKind::kPlaceholder || kind == NodeKind::kCallFunction ||
        kind == NodeKind::kOutput)
      continue;
    throw_error(ErrorKind::kUnreadable,
                format("'{}' is a {}: the nodes of a body are placeholders and calls of operators",
                       graph.name_of(id), name(kind)));
  }
  return [body](FakeCall& call) {
    if (call.args().size() != body->inputs.size()) {
      call.fail(ErrorKind::kTypeError, format("a body with {} inputs was called with {}",
                                              body->inputs.size(), call.args().size()));
    }
    return Interpreter(call.context()).run_graph(body->graph(), call.args());
  };
}

}  // namespace faketensor
